#include "persona/recall/time_words.hpp"

#include <algorithm>
#include <array>

#include "persona/recall/word_list.hpp"

namespace persona {
namespace {

// Left out is what folds like a word that is said all the time: French "été" (been), Catalan "mes" (more), Romanian
// "mai" (more), Swedish "år" (like "är") and "vår" (like "var"), Turkish "yaz" (write).
constexpr char kArabicTimes[] =
    "أبريل أسابيع أسبوع أشهر أعوام أغسطس أكتوبر أمس أيام إبريل ابريل اسبوع اغسطس اكتوبر الأحد الأربعاء الأسبوع "
    "الإثنين الاثنين الاحد الاربعاء الاسبوع البارحة الثلاثاء الجمعة الخريف الخميس الربيع السبت السنة الشتاء الشهر "
    "الصباح الصيف العام القادم القادمة الليلة الماضي الماضية المساء اليوم امس ايام دقائق دقيقة ديسمبر ساعات ساعة "
    "سبتمبر سنة سنوات شهر شهور صباح صباحا عام غدا فبراير ليلة مارس مايو مساء منذ نوفمبر يناير يوليو يوم يونيو";
constexpr char kArabicNumbers[] =
    "أربع أربعة ألف اثنان اثنين اربعة بضعة تسع تسعة ثلاث ثلاثة ثلاثين ثمانية خمس خمسة سبع سبعة ستة عدة عشر عشرة "
    "عشرون عشرين مئة مائة مرتين";
constexpr char kCatalanTimes[] =
    "abril agost ahir any anys avui dema desembre dia dies dijous dilluns dimarts dimecres dissabte diumenge "
    "divendres estiu fa febrer gener hivern hora hores juliol juny maig marc mati mesos minut minuts nadal nit nits "
    "novembre octubre passada passat primavera proper propera recentment setembre setmana setmanes tarda tardor "
    "ultim ultima vespre";
constexpr char kCatalanNumbers[] =
    "cent cinc cinquanta deu dos dotze dotzena dues mil nou onze parell quaranta quatre quinze set sis trenta tres "
    "vint vuit";
constexpr char kDanishTimes[] =
    "aften aftenen april ar aret august dag dage dagen december efterar efteraret eftermiddag februar foraret "
    "forrige fredag idag igar imorgen januar jul julen juli juni lørdag maj mandag maned maneden maneder marts "
    "minutter morgen nat natten november nylig næste oktober onsdag paske september siden sidste sommer sommeren "
    "søndag time timer tirsdag torsdag uge ugen uger vinter vinteren weekend weekenden";
constexpr char kDanishNumbers[] =
    "dusin elleve fem fire flere hundrede ni otte par seks syv ti to tolv tre tredive tusind tyve";
constexpr char kDutchTimes[] =
    "afgelopen april augustus avond dag dagen december dinsdag donderdag eergisteren februari geleden gisteren "
    "herfst jaar januari jaren juli juni kerst kerstmis lente maand maandag maanden maart mei middag minuten minuut "
    "morgen nacht najaar november ochtend oktober onlangs overmorgen pasen september sinds uren uur vanavond vandaag "
    "vanmiddag vanmorgen vannacht volgend volgende voorjaar vorig vorige vrijdag week weekend weken winter woensdag "
    "zaterdag zomer zondag";
constexpr char kDutchNumbers[] =
    "acht dertig dozijn drie duizend eenmaal elf enkele half honderd negen paar tien twaalf twee tweemaal twintig "
    "veertig vier vijf vijftien vijftig zes zeven";
constexpr char kEnglishTimes[] =
    "afternoon ago april august autumn christmas day days decade decades december easter evening february friday "
    "fridays halloween hour hours january july june just last lately march may midnight minute minutes monday "
    "mondays month months morning mornings next night nights noon november october recently saturday saturdays "
    "september since spring summer sunday sundays thanksgiving thursday thursdays today tomorrow tonight tuesday "
    "tuesdays wednesday wednesdays week weekend weekends weeks winter year years yesterday";
constexpr char kEnglishNumbers[] =
    "couple dozen dozens eight eighteen eighty eleven few fifteen fifty five forty four fourteen half hundred "
    "hundreds million nine nineteen ninety once one seven seventeen seventy several six sixteen sixty ten thirteen "
    "thirty thousand thousands three thrice twelve twenty twice two";
constexpr char kFrenchTimes[] =
    "an annee annees ans aout aujourd automne avril decembre demain depuis dernier derniere dernieres derniers "
    "dimanche fevrier heure heures hier hiver janvier jeudi jour journee jours juillet juin lundi mai mardi mars "
    "matin matinee mercredi midi minuit minute minutes mois noel novembre nuit nuits octobre paques printemps "
    "prochain prochaine recemment samedi semaine semaines septembre soir soiree soirs vendredi weekend";
constexpr char kFrenchNumbers[] =
    "cent cents cinq cinquante demi demie deux dix dizaine douzaine douze huit mille neuf onze plusieurs quarante "
    "quatorze quatre quelques quinze seize sept six soixante treize trente trois vingt";
constexpr char kGermanTimes[] =
    "abend abends april august damals dezember dienstag dienstags donnerstag donnerstags februar freitag freitags "
    "fruhjahr fruhling gestern herbst heute jahr jahre jahren jahres janner januar juli juni kurzlich letzte letztem "
    "letzten letzter letztes mai marz minute minuten mittag mittags mittwoch mittwochs monat monate monaten monats "
    "montag montags morgen morgens nachmittag nachmittags nachste nachstem nachsten nachster nachstes nacht nachte "
    "nachts neulich november oktober ostern samstag samstags seit september silvester sommer sonnabend sonntag "
    "sonntags stunde stunden tag tage tagen tages ubermorgen uhr vergangene vergangenen vergangenes vorgestern "
    "vormittag vormittags weihnachten winter woche wochen wochenende wochenenden";
constexpr char kGermanNumbers[] =
    "acht achtzehn achtzig drei dreimal dreissig dreizehn dreißig dutzend einige einmal elf funf funfzehn funfzig "
    "halb halbe halbes hundert mehrere mehrmals neun neunzehn neunzig paar sechs sechzehn sechzig sieben siebzehn "
    "siebzig tausend vier vierzehn vierzig zehn zwanzig zwei zweimal zwolf";
constexpr char kItalianTimes[] =
    "agosto anni anno aprile autunno dicembre domani domenica dopodomani estate fa febbraio gennaio giorni giorno "
    "giovedi giugno ieri inverno luglio lunedi maggio martedi marzo mattina mattino mercoledi mese mesi mezzanotte "
    "mezzogiorno minuti minuto natale notte notti novembre oggi ora ore ottobre pasqua pomeriggio primavera prossima "
    "prossimo recentemente sabato scorsa scorsi scorso sera settembre settimana settimane stamattina stanotte "
    "stasera ultima ultimo venerdi weekend";
constexpr char kItalianNumbers[] =
    "alcune alcuni cento cinquanta cinque dieci dodici dozzina due mezza mezzo mille nove otto paio parecchi "
    "quaranta quattro quindici sei sette tre trenta undici venti";
constexpr char kUnspacedTimes[] =
    "上午 上周 上週 下午 下周 下週 个月 今天 今年 今日 今晚 今月 今朝 今週 以前 個月 先月 先週 前天 前年 去年 后天 "
    "周末 年 後天 日 早上 明天 明年 明日 星期 昨夜 昨天 昨年 昨日 昨晚 晚上 曜日 月 月份 来年 来月 来週 礼拜 禮拜 "
    "週末 週間 그제 내년 내일 년 모레 아침 어제 오늘 오전 오후 올해 요일 월 일 작년 저녁 주말 지난";
constexpr char kUnspacedNumbers[] =
    "七つ 七个 三つ 三个 三人 三個 三回 三次 两个 两次 九つ 九个 二つ 二人 二回 五つ 五个 五人 五個 兩個 八つ 八个 "
    "六つ 六个 六個 几个 十个 四つ 四个 四人 四個 幾個 네 다섯 두 세 아홉 여덟 여섯 열 일곱";
constexpr char kNorwegianTimes[] =
    "april ar aret august dag dagen dager desember ettermiddag februar forrige fredag helg helgen høst høsten idag "
    "igar imorgen januar jul julen juli juni kveld kvelden lørdag mai mandag maned maneden maneder mars minutter "
    "morgen natt natten neste november nylig oktober onsdag paske september siden siste sommer sommeren søndag time "
    "timer tirsdag torsdag uka uke uken uker varen vinter vinteren";
constexpr char kNorwegianNumbers[] =
    "atte dusin elleve fem fire flere hundre ni par seks sju syv ti tjue to tolv tre tretti tusen";
constexpr char kPortugueseTimes[] =
    "abril agosto amanha ano anos anteontem atras desde dezembro dia dias domingo fevereiro hoje hora horas inverno "
    "janeiro julho junho madrugada maio manha marco mes meses minuto minutos natal noite noites novembro ontem "
    "outono outubro pascoa passada passado primavera proxima proximo quarta quinta recentemente sabado segunda "
    "semana semanas setembro sexta tarde terca ultima ultimo verao";
constexpr char kPortugueseNumbers[] =
    "cem cento cinco cinquenta dez dois doze duas duzia meia mil nove oito onze par quarenta quatro quinze seis sete "
    "tres trinta varias varios vinte";
constexpr char kRomanianTimes[] =
    "alaltaieri an ani anii anul anului aprilie astazi august azi craciun decembrie dimineata diseara duminica "
    "februarie ianuarie iarna ieri iulie iunie joi luna luni lunile maine marti martie miercuri minute noapte "
    "noaptea noiembrie octombrie ora ore poimaine primavara recent sambata saptamana saptamani saptamanii seara "
    "septembrie toamna trecut trecuta ultima ultimul vara viitoare viitor vineri zi zile ziua";
constexpr char kRomanianNumbers[] =
    "cateva cativa cinci doi doisprezece doua douazeci duzina mie mii noua opt patru pereche sapte sase suta sute "
    "trei treizeci unsprezece zece";
constexpr char kRussianTimes[] =
    "август августа августе апреле апрель апреля весна весной весны вечер вечера вечером воскресенье воскресенья "
    "вторник вторника вчера выходные выходных год года году годы декабре декабрь декабря день дней дни дня завтра "
    "зима зимой зимы июле июль июля июне июнь июня лет лета лето летом мае май март марта марте мая месяц месяца "
    "месяце месяцев минут минуту минуты назад недавно неделе недели недель неделю неделя ночи ночь ночью ноябре "
    "ноябрь ноября октябре октябрь октября осени осень осенью позавчера понедельник понедельника послезавтра прошлая "
    "прошлого прошлое прошлой прошлом прошлую прошлый пятница пятницу пятницы сегодня сентябре сентябрь сентября "
    "следующая следующей следующем следующий следующую среда среду среды суббота субботу субботы утра утро утром "
    "феврале февраль февраля час часа часов четверг четверга январе январь января";
constexpr char kRussianNumbers[] =
    "восемь два двадцать дважды две двенадцать девять десять дюжина несколько одиннадцать пара пару пять пятьдесят "
    "семь сорок сто три тридцать трижды тысяча тысячи четыре шесть";
constexpr char kSpanishTimes[] =
    "abril agosto ano anoche anos anteayer ayer desde dia dias diciembre domingo enero febrero hace hora horas hoy "
    "invierno jueves julio junio lunes madrugada manana martes marzo mayo medianoche mediodia mes meses miercoles "
    "minuto minutos navidad noche noches noviembre octubre otono pasada pasado primavera proxima proximo "
    "recientemente sabado semana semanas septiembre setiembre tarde tardes ultima ultimo verano viernes";
constexpr char kSpanishNumbers[] =
    "cien ciento cinco cincuenta cuarenta cuatro diez doce docena dos doscientos media medio mil nueve ocho once par "
    "quince seis siete treinta tres varias varios veinte";
constexpr char kSwedishTimes[] =
    "april aret augusti dag dagar dagen december eftermiddag februari forra fredag fredagen helg helgen host hosten "
    "idag igar ikvall imorgon imorse januari jul julen juli juni kvall kvallen lordag lordagen maj manad manaden "
    "manader mandag mandagen mars minuter morgon morgonen nasta natt natten november nyligen oktober onsdag onsdagen "
    "pask senaste september sommar sommaren sondag sondagen timmar timme tisdag tisdagen torsdag torsdagen varen "
    "vecka veckan veckor veckorna vinter vintern";
constexpr char kSwedishNumbers[] =
    "atta dussin elva fem flera fyra hundra nio par sex sju tio tjugo tolv tre trettio tusen tva";
constexpr char kTurkishTimes[] =
    "agustos aksam aralık ay bugun carsamba cuma cumartesi dakika dun ekim eylul gece gecen gectigimiz gelecek gun "
    "hafta haziran ilkbahar kasım kıs mart mayıs nisan ocak ogle once onceki pazar pazartesi persembe saat sabah "
    "salı sene sonbahar sonraki subat temmuz yarın yıl";
constexpr char kTurkishNumbers[] =
    "altı bes bin birkac cift dokuz dort duzine elli iki kırk on otuz sekiz uc yedi yirmi yuz";

struct TimeLanguage {
  Language language;
  std::span<const std::string_view> times;
  std::span<const std::string_view> numbers;
  std::string_view when;        // a question's when it begins among the first words: elsewhere it joins sentences
  std::string_view which_time;  // a question's wherever it stands; phrases are apart by bars
  std::string_view how_many;
};

// By name of the language.
constexpr std::array kTimeLanguages{
    TimeLanguage{Language::arabic, kWordsOf<kArabicTimes>, kWordsOf<kArabicNumbers>, "",
                 "متى|أي يوم|اي يوم|أي شهر|اي شهر|أي سنة|اي سنة|أي عام|اي عام|أي تاريخ|اي تاريخ|كم الساعة|منذ كم",
                 "كم"},
    TimeLanguage{Language::catalan, kWordsOf<kCatalanTimes>, kWordsOf<kCatalanNumbers>, "quan",
                 "quin dia|quin mes|quin any|quina data|quina hora|quina setmana|quant temps|la data",
                 "quant|quanta|quants|quantes|quina edat"},
    TimeLanguage{Language::danish, kWordsOf<kDanishTimes>, kWordsOf<kDanishNumbers>, "",
                 "hvornar|hvilken dag|hvilket ar|hvilken maned|hvilken dato|hvilken uge|hvor længe|hvad tid|datoen",
                 "hvor mange|hvor meget|hvor gammel|hvor ofte|hvor længe|hvor langt|hvor stor"},
    TimeLanguage{Language::dutch, kWordsOf<kDutchTimes>, kWordsOf<kDutchNumbers>, "wanneer",
                 "welke dag|welk jaar|welke maand|welke datum|welke week|hoe laat|hoe lang|hoelang|de datum",
                 "hoeveel|hoe veel|hoe oud|hoe vaak|hoe lang|hoelang|hoe ver|hoe groot"},
    TimeLanguage{Language::english, kWordsOf<kEnglishTimes>, kWordsOf<kEnglishNumbers>, "when",
                 "what date|which date|the date|what day|which day|what month|which month|what year|which year|what "
                 "week|which week|what time|how long|how recently",
                 "how many|how much|how old|how often|how long|how far|how tall|how big|how high"},
    TimeLanguage{Language::french, kWordsOf<kFrenchTimes>, kWordsOf<kFrenchNumbers>, "quand",
                 "quelle date|quel jour|quel mois|quelle annee|quelle heure|quelle semaine|combien de temps|la date",
                 "combien|quel age|quelle frequence"},
    TimeLanguage{
        Language::german, kWordsOf<kGermanTimes>, kWordsOf<kGermanNumbers>, "",
        "wann|welches jahr|welchem jahr|welchen monat|welchem monat|welcher monat|welchem tag|welcher tag|welchen "
        "tag|welches datum|welchem datum|welche woche|welcher woche|viel uhr|wie lang|wie lange|wie spat",
        "wie viel|wie viele|wie vielen|wieviel|wieviele|wie oft|wie alt|wie lang|wie lange|wie weit|wie gross|wie "
        "groß|wie hoch|wie teuer"},
    TimeLanguage{Language::italian, kWordsOf<kItalianTimes>, kWordsOf<kItalianNumbers>, "quando",
                 "che giorno|quale giorno|che mese|quale mese|che anno|quale anno|che data|quale data|che "
                 "settimana|quale settimana|che ora|che ore|quanto tempo|la data",
                 "quanto|quanta|quanti|quante|quant|che eta"},
    TimeLanguage{Language::none, kWordsOf<kUnspacedTimes>, kWordsOf<kUnspacedNumbers>, "",
                 "いつ|么时 时候|麼時 時候|何时|何時|几点|幾點|哪天|哪一 一天|哪年|哪一 一年|几月|幾月|几号|幾號|哪个 "
                 "个月|哪個 個月|何日|何月|何年|何曜|多久|언제|며칠|몇 시|몇 월|몇 년",
                 "多少|几个|幾個|几次|幾次|多久|多大|多长|多長|几岁|幾歲|いく くつ|いく "
                 "くら|何人|何回|何個|何歳|何匹|何本|何枚|どれ れく くら|몇|얼마|얼마 마나"},
    TimeLanguage{Language::norwegian, kWordsOf<kNorwegianTimes>, kWordsOf<kNorwegianNumbers>, "nar",
                 "hvilken dag|hvilket ar|hvilken maned|hvilken dato|hvilken uke|hvor lenge|datoen",
                 "hvor mange|hvor mye|hvor gammel|hvor ofte|hvor lenge|hvor langt|hvor stor"},
    TimeLanguage{Language::portuguese, kWordsOf<kPortugueseTimes>, kWordsOf<kPortugueseNumbers>, "quando",
                 "que dia|qual dia|que mes|qual mes|que ano|qual ano|que data|qual data|que semana|que hora|que "
                 "horas|quanto tempo|a data",
                 "quanto|quanta|quantos|quantas|que idade"},
    TimeLanguage{Language::romanian, kWordsOf<kRomanianTimes>, kWordsOf<kRomanianNumbers>, "cand",
                 "ce zi|ce luna|ce an|ce data|care data|ce ora|cat timp", "cat|cata|cati|cate|ce varsta"},
    TimeLanguage{Language::russian, kWordsOf<kRussianTimes>, kWordsOf<kRussianNumbers>, "когда",
                 "каком году|какой год|какой день|какого числа|какое число|какой месяц|каком месяце|какая дата|какую "
                 "дату|как долго|как давно|котором часу|во сколько|сколько времени",
                 "сколько|скольким|скольких|как часто|как долго|как много"},
    TimeLanguage{
        Language::spanish, kWordsOf<kSpanishTimes>, kWordsOf<kSpanishNumbers>, "cuando",
        "que dia|cual dia|que mes|que ano|que fecha|cual fecha|que semana|que hora|cuanto tiempo|hace cuanto|la fecha",
        "cuanto|cuanta|cuantos|cuantas|que edad|que frecuencia"},
    TimeLanguage{Language::swedish, kWordsOf<kSwedishTimes>, kWordsOf<kSwedishNumbers>, "nar",
                 "vilken dag|vilket ar|vilken manad|vilket datum|vilken vecka|vilken tid|hur lange|hur dags|datumet",
                 "hur manga|hur mycket|hur gammal|hur ofta|hur lange|hur langt|hur stor"},
    TimeLanguage{Language::turkish, kWordsOf<kTurkishTimes>, kWordsOf<kTurkishNumbers>, "",
                 "ne zaman|ne zamandan|ne zamandır|hangi gun|hangi ay|hangi yıl|hangi yılda|hangi tarih|hangi "
                 "tarihte|saat kac|ne kadar sure",
                 "kac|ne kadar|ne sıklıkla"},
};

constexpr bool is_in_order(std::span<const std::string_view> words) {
  return is_sorted_without_repeats(words) && std::ranges::all_of(words, is_plain);
}
static_assert(std::ranges::all_of(kTimeLanguages, is_in_order, &TimeLanguage::times));
static_assert(std::ranges::all_of(kTimeLanguages, is_in_order, &TimeLanguage::numbers));
static_assert(std::ranges::all_of(kTimeLanguages, [](const TimeLanguage& known) {
  return is_plain(known.when) && is_plain(known.which_time) && is_plain(known.how_many);
}));

const TimeLanguage* of(Language language) noexcept {
  const auto* const found = std::ranges::find(kTimeLanguages, language, &TimeLanguage::language);
  return found == kTimeLanguages.end() ? nullptr : found;
}

bool is_figure(std::string_view word) noexcept {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_year(std::string_view word) noexcept {
  return word.size() == 4 && (word.starts_with("19") || word.starts_with("20")) && is_figure(word);
}

// "7th"
bool is_english_day(std::string_view word) noexcept {
  if (word.size() < 3 || word.size() > 4 || !is_figure(word.substr(0, word.size() - 2))) return false;
  const std::string_view ending = word.substr(word.size() - 2);
  return ending == "th" || ending == "st" || ending == "nd" || ending == "rd";
}

bool begins_with(std::span<const std::string> words, std::string_view phrase) {
  for (const std::string& word : words) {
    const std::string_view wanted = phrase.substr(0, phrase.find(' '));
    if (word != wanted) return false;
    if (wanted.size() == phrase.size()) return true;
    phrase.remove_prefix(wanted.size() + 1);
  }
  return false;
}

constexpr std::size_t kFirstWords = 3;  // "and since when", "tell me when"

bool has_phrase(std::span<const std::string> words, std::string_view phrases, std::size_t starts) {
  while (!phrases.empty()) {
    const std::string_view phrase = phrases.substr(0, phrases.find('|'));
    for (std::size_t at = 0; at < std::min(starts, words.size()); ++at) {
      if (begins_with(words.subspan(at), phrase)) return true;
    }
    phrases.remove_prefix(std::min(phrases.size(), phrase.size() + 1));
  }
  return false;
}

}  // namespace

bool says_a_time(std::string_view word, Language language) noexcept {
  if (is_year(word) || (language == Language::english && is_english_day(word))) return true;
  const TimeLanguage* const known = of(language);
  return known != nullptr && std::ranges::binary_search(known->times, word);
}

bool says_a_number(std::string_view word, Language language) noexcept {
  if (is_figure(word)) return true;
  const TimeLanguage* const known = of(language);
  return known != nullptr && std::ranges::binary_search(known->numbers, word);
}

bool asks_for_a_time(std::span<const std::string> words, Language language) {
  const TimeLanguage* const known = of(language);
  return known != nullptr &&
         (has_phrase(words, known->when, kFirstWords) || has_phrase(words, known->which_time, words.size()));
}

bool asks_for_a_number(std::span<const std::string> words, Language language) {
  const TimeLanguage* const known = of(language);
  return known != nullptr && has_phrase(words, known->how_many, words.size());
}

}  // namespace persona
