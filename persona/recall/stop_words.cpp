#include "persona/recall/stop_words.hpp"

#include <algorithm>
#include <array>
#include <functional>

namespace persona {
namespace {

// One line of text a language, in byte order. Left out is what is often a thing, a month or a name as well (German
// "schon" folds like "schön", Spanish "te" like "té", Catalan "mes" is a month, Dutch "ben" is Ben too): a word that is
// frequent weighs little in the ranking anyhow, and one that is gone is not found.
constexpr char kArabic[] =
    "أخبرني أن أنا أنت أنتم أو أي أيضا أين إذا إلى إليه إليها إن اخبرني اذا التي الذي الذين الى اليه اليها ان انا "
    "انت انتم او اي ايضا اين ب بعد بعض به بها بهم بين تحت تكون تلك ثم جدا حتى ذلك سوف على عليه عليها عن عند عندك "
    "عندي عنه عنها عني غير ف فضلك فوق في فيه فيها قبل قد ك كان كانت كانوا كل كم كما كنت كيف ل لا لقد لك لكن لم "
    "لماذا لمن لن لنا له لها لهم لو لي ليس ليست ما ماذا متى مع معك معه معها معي من منذ منك منه منها مني نحن نعم "
    "هؤلاء هذا هذه هل هم هن هنا هناك هو هي و ولكن يكون";
constexpr char kCatalan[] =
    "a aixi aixo al alla allo als altra altre altres amb aquell aquella aquelles aquells aquest aquesta aquestes "
    "aquests aqui com contra d de dec del dels des deuen digues doncs durant el ell ella elles ells els em en "
    "encara ens entre era erem eren eres es esta estan estar estas estat estava estaven estem estic et ets fins fou "
    "ha han has haver havia havien havies he hem heu hi ho i ja jo l la les li m mateix mateixa me meu meus meva "
    "meves molt molta moltes molts n ne ni no nosaltres nostra nostre nostres o on pel pels per pero perque podem "
    "poden pot pots puc quan quant quanta quantes quants que qui quin quina quines quins s sa se sense ser ses seu "
    "seus seva seves si sigui sino sisplau sobre soc som son t ta tambe tes teu teus teva teves tot tota totes tots "
    "tu un una unes uns us va vaig vam van vas vosaltres voste vostes vostra vostre vostres";
constexpr char kDanish[] =
    "af alle alt anden andet andre at blev blevet blive bliver da de dem den denne dens der deres det dets dette "
    "dig din dine disse dit du efter ej eller en end er et for fordi fra før gjorde gjort gør gøre haft ham han har "
    "havde hende hendes her hos hun hvad hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor hvornar i ikke ind "
    "ingen intet ja jeg jer jeres jo kan kun kunne kunnet ma mange med meget mellem men mens mig min mine mit mod "
    "nar nej nogen noget nogle nu og ogsa om os over pa sa siden sig sin sine sit skal skulle som til ud uden under "
    "var ved vi vil ville vores være været";
constexpr char kGerman[] =
    "aber alle allem allen aller alles als am an auch auf aus außer bei beim bin bis bist bitte da damit dann darf "
    "darfst das dass daß dein deine deinem deinen deiner deines dem den denn der des dich die diese diesem diesen "
    "dieser dieses dir doch dort du durch durfen durfte ein eine einem einen einer eines er erzahl erzahle es etwas "
    "euch euer eure eurem euren eurer fur gegen gehabt gewesen geworden hab habe haben habt hast hat hatte hatten "
    "hattest hier hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in ins ist ja jene jenem jenen jener "
    "jenes kann kannst kein keine keinem keinen keiner keines konnen konnt konnte konnten konntest mal man mein "
    "meine meinem meinen meiner meines mich mir mit muss mussen musst musste mussten muß nach neben nein nicht noch "
    "nur ob oder ohne sag sage sehr seid sein seine seinem seinen seiner seines seit sich sie sind so soll sollen "
    "sollst sollte sollten sondern sowie uber um und uns unser unsere unserem unseren unserer unseres unter viel "
    "viele vielen vom von vor wahrend wann war ware waren warst wart warum was wegen weil welche welchem welchen "
    "welcher welches wem wen wenn wer werde werden werdet weshalb wessen wie wieso will willst wir wird wirst wo "
    "wofur woher wohin wollen wollte wollten womit woran worauf worden woruber wovon wozu wurde wurden zu zum zur "
    "zwischen";
constexpr char kEnglish[] =
    "a about above after again against ain all also am an and any are aren as at be because been before being below "
    "between both but by can could couldn d did didn do does doesn doing don done down during each either ever "
    "every few for from had hadn has hasn have haven having he her here hers herself him himself his how i if in "
    "into is isn it its itself just let ll m many me might mine more most much must mustn my myself neither no nor "
    "not o of off on only or other others ought our ours ourselves out over own please re s same shall she should "
    "shouldn since so some such t tell than that the their theirs them themselves then there these they this those "
    "through till to too toward towards under until up upon us ve very was wasn we were weren what when where "
    "whereas which while who whom whose why will with within without would wouldn yes you your yours yourself "
    "yourselves";
constexpr char kSpanish[] =
    "a adonde ahi al alli ante aquel aquella aquellas aquello aquellos aqui asi aunque como con conmigo contigo "
    "contra cual cuales cuando cuanta cuantas cuanto cuantos cuentame de debe deben debes debo del desde dime donde "
    "durante e el ella ellas ello ellos en entre era eramos eran eras eres es esa esas ese eso esos esta estaba "
    "estaban estabas estado estamos estan estar estas este esto estos estoy estuve estuvo favor fue fueron fui "
    "fuimos fuiste ha habeis haber habia habian habias habra hacia han has hasta hay he hemos hubo la las le les lo "
    "los mas me mi mio mios mis misma mismo mucha muchas mucho muchos muy ni no nos nosotras nosotros nuestra "
    "nuestras nuestro nuestros o os otra otras otro otros para pero podemos podia por porque puede pueden puedes "
    "puedo que quien quienes se sea segun ser si sido siendo sin sino sobre sois somos son soy su sus suya suyas "
    "suyo suyos tambien tampoco tenemos tener tengo tenia tenian tenias ti tiene tienen tienes toda todas todo "
    "todos tras tu tus tuve tuvo tuya tuyas tuyo tuyos u un una unas unos usted ustedes vosotras vosotros vuestra "
    "vuestras vuestro vuestros y ya yo";
constexpr char kFinnish[] =
    "ei eivat emme en ennen et etta ette han hanella hanelle hanelta hanen hanet hanta he heidan heidat heilla "
    "heille heita ilman ja jalkeen johon joka jolla jonka jos jossa josta jota jotka kanssa kenella kenelle kenelta "
    "kenen kenet kerro keta koska kuin kuinka kuka kun me meidan meidat meilla meille meita mihin miksi millainen "
    "mille milloin mina minka minne minua minulla minulle minulta minun minut missa mista mita miten mutta myos "
    "nama ne niiden niin niissa niista niita nuo nyt ole olemme olen olet olette oli olimme olin olisi olit olitte "
    "olivat olla olleet ollut on ovat se seka sen siihen siina siita silla sille silta sina sinua sinulla sinulle "
    "sinulta sinun sinut sita sitten tahan tai tama taman tassa tasta tata te teidan teidat teilla teille teita tuo "
    "tuon tuota vai vain";
constexpr char kFrench[] =
    "a ai alors apres as au aura aurai aurait aurons auront aussi autre autres aux avaient avais avait avant avec "
    "avez aviez avions avoir avons ayant c ca ce ceci cela celle celles celui ces cet cette ceux chez combien comme "
    "comment contre d dans de depuis des devait devez devons dis dois doit doivent donc dont du elle elles en "
    "encore entre es est et etaient etais etait etes etiez etions etre eu eus eut eux faire fais fait faut furent "
    "fus fut ici il ils j je jusqu jusque l la laquelle le lequel les lesquelles lesquels leur leurs lorsqu lorsque "
    "lui m ma me meme memes mes mien mienne moi mon n ne ni non nos notre nous on ont ou oui par parce pas pendant "
    "peut peuvent peux plus pour pourquoi pouvait pouvez pouvons puisque qu quand que quel quelle quelles quelque "
    "quelques quels qui quoi s sa sans se sera serai serait serons seront ses si sien sienne soi sois soit sommes "
    "son sont sous suis sur t ta te tes tien tienne toi ton tous tout toute toutes tres tu un une vers vos votre "
    "vous y";
constexpr char kHungarian[] =
    "a ahol aki akit akkor alatt amely ami amikor amit annak az azok azt azzal be csak de egy el elott en engem "
    "ennek es ez ezek ezt ezzel fog fognak fogok ha hany hogy hogyan hol honnan hova ide igen is itt kerlek ki "
    "kinek kit kivel kozott le legyen lenne lenni lesz leszek lesznek mar meg melyik mennyi mert mi miert mikor "
    "milyen minket mint mit mivel mondd most ne neked nekem neki nekik nektek nekunk nelkul nem nincs o oda oket "
    "ott s sem te teged ti titeket utan vagy vagyok vagytok vagyunk van vannak volt voltak voltal voltam voltunk";
constexpr char kItalian[] =
    "a abbiamo agli ai al all alla alle allo altra altre altri altro anche ancora avere avete aveva avevano avevi "
    "avevo avuto c che chi ci cio com come con contro cos cosa cui d da dagli dai dal dall dalla dalle dallo degli "
    "dei del dell della delle dello deve devi devo devono di dimmi dopo dov dove durante e ed egli ella era erano "
    "eravamo eri ero essere essi favore fra fu fui furono gia gli ha hai hanno ho i il in io l la le lei li lo loro "
    "lui m ma me mi mie miei mio molta molte molti molto n ne negli nei nel nell nella nelle nello no noi non "
    "nostra nostre nostri nostro o od per perche pero piu possiamo posso possono puo puoi qua qual quale quali "
    "quando quanta quante quanti quanto quei quel quell quella quelle quelli quello quest questa queste questi "
    "questo qui s se senza si sia siamo siete sono sta stai stanno stata state stati stato stava sto su sua sue "
    "sugli sui sul sull sulla sulle sullo suo suoi t ti tra tu tua tue tuo tuoi tutta tutte tutti tutto un una uno "
    "v verso vi voi vostra vostre vostri vostro";
constexpr char kJapanese[] =
    "あの あれ いつ いる か から が ここ この これ した して すか せん そこ その それ たか だれ てい で でし です "
    "では と とは どう どこ どの どれ なぜ なに に には ね の のが ので のは は へ まし ます ませ まで も や よ を "
    "何 誰";
constexpr char kDutch[] =
    "aan achter al alle alles als alsjeblieft alstublieft ander andere bent bij daar dan dat de deden deed deze die "
    "dit doe doen doet door dus een en er gedaan geen gehad geweest geworden had hadden heb hebben hebt heeft heel "
    "hem hen het hier hij hoe hoeveel hun ik in is ja je jij jou jouw jullie kan kon konden kun kunnen kunt maar "
    "mag me met mij mijn mocht mochten moest moesten moet moeten mogen n na naar nee niet nog nu of om omdat onder "
    "ons onze ook op over s sinds t te tegen ten ter toch toen tot tussen u uit uw van vanaf veel vele vertel voor "
    "waar waarheen waarom wanneer want waren was wat we wel welk welke werd werden wie wiens wij wil willen wilt "
    "word worden wordt zal ze zeg zelf zich zij zijn zo zonder zou zouden zullen zult";
constexpr char kNorwegian[] =
    "a alle alt andre annen annet at av bare ble bli blir blitt da de deg dem den denne der dere deres det dette di "
    "din dine disse ditt du dykk eg ei eller en enn er et etter for fordi fra før gjorde gjort gjør gjøre ha hadde "
    "ham han har henne hennes her ho hos hun hva hvem hvilke hvilken hvilket hvis hvor hvordan hvorfor ikke ikkje "
    "ingen inn intet ja jeg jo kan kor korleis kunne kunnet kva kven kvifor ma mange med meg mellom men mens mi min "
    "mine mitt mot mye na nar nei noe noen og ogsa om oss over pa sa seg si siden sin sine sitt skal skulle som til "
    "under ut uten var vart ved vere vi vil ville vore være vært";
constexpr char kPortuguese[] =
    "a ai ao aonde aos aquela aquelas aquele aqueles aqui aquilo as ate com comigo como consigo contigo da das de "
    "dela delas dele deles desde dessa desse desta deste deve devem devo diga disso diz do dos e ela elas ele eles "
    "em entao entre era eram eramos eras es essa essas esse esses esta estado estamos estao estar estas estava "
    "estavam este estes esteve estive estou eu favor foi fomos foram fui ha haver havia houve isso isto ja la lhe "
    "lhes mais mas me mesma mesmo meu meus mim minha minhas muita muitas muito muitos na nao nas nem nessa nesse "
    "nesta neste no nos nossa nossas nosso nossos num numa o onde os ou outra outras outro outros para pela pelas "
    "pode podem podemos podes podia por porque posso pra quais qual quando quanta quantas quanto quantos que quem "
    "sao se seja sem ser seu seus sido sim so sob sobre somos sou sua suas tambem te tem temos tenho tens ter teu "
    "teus teve ti tinha tinham tinhas tive toda todas todo todos tu tua tuas um uma umas uns voce voces vos";
constexpr char kRomanian[] =
    "a acea aceasta aceea acel acela acest acesta aceste acesti acolo acum ai aici al ale am ar are as asupra ati "
    "au avea aveam aveau avem aveti avut ca cand care cat cata cate cati ce cea cei cel cele ci cine cu cui cum da "
    "daca dar de deci despre din doar dupa e ea ei el ele era erai eram erau este esti eu fara fi fie fiind foarte "
    "fost iar ii il imi in intre isi iti la le lor lui ma mea mei mele meu mi mine ne niste noastra noastre noi "
    "nostri nostru nu numai o ori pe pentru prin rog sa sale sau si spre spune sub sunt suntem sunteti ta tale tau "
    "te tine toata toate tot toti tu un unde unei unor unui va vei veti voastra voastre voi vom vor vostri vostru";
constexpr char kRussian[] =
    "а без будем будет буду будут бы был была были было быть в вам вами вас ваш ваша ваше вашего вашей ваши ваших "
    "вашу во вот все всё вы где да даже для до его ее ему если есть еще ещё её же за зачем здесь и из или им ими их "
    "к как какая какие каким каких какого какое какой какому какую кем ко когда кого ком кому которая которого "
    "которое которой которую которые который кто куда ли между меня мне мной мое моего моей моему мои моим моих мой "
    "мою моя моё мы на над нам нами нас наш наша наше нашего нашей наши наших нашу не него нее ней нем нет неё ни "
    "ним ними них но ну нём о об обо около он она они оно от откуда очень перед по под пожалуйста после потому "
    "почему при про расскажи с свое своего своей свои своих свой свою своя своё себе себя скажи сколько со та так "
    "также там твое твоего твоей твоему твои твоих твой твою твоя твоё те тебе тебя тем теперь тех то тобой того "
    "тоже той только тому тот ту тут ты у уже чего чей чем чему через что чтобы чье чьи чья чьё чём эта эти этим "
    "этих это этого этой этому этот эту я";
constexpr char kSwedish[] =
    "alla allt an andra annan annat ar att av bara blev bli blir blivit da dar de dem den denna denne deras dess "
    "dessa det detta dig din dina ditt du efter eftersom ej eller en er era ert ett for fore fran gjorde gjort gor "
    "gora ha hade haft han har hen henne hennes hon honom hos hur i in inga ingen inget inte ja jag jo kan kunde "
    "kunna kunnat manga maste med medan mellan men mig min mina mitt mot mycket nagon nagot nagra nar nej ni nu och "
    "ocksa om oss over pa sa sedan sig sin sina sitt ska skall skulle snalla som till under ut utan vad var vara "
    "varfor varit vart vem vems vi vid vilka vilken vilket vill ville";
constexpr char kTurkish[] =
    "ama ancak bana ben bende benden beni benim bir biz bizden bize bizi bizim bu buna bunda bundan bunlar bunu "
    "bunun cok cunku da daha de degil diye eger en evet fakat gibi gore hangi hangisi hayır hep her hic icin idi "
    "ile ise kac kadar kendi kendim ki kim kimden kime kimi kimin lutfen mi midir misin mu musun mı mıdır mısın "
    "nasıl ne neden nerede nereden nereye neye neyi nicin niye o olacak olan olarak oldu oldugu olur ona once onda "
    "ondan onlar onlara onları onların onu onun sana sen sende senden seni senin sey siz sizden size sizi sizin "
    "sonra soyle var ve veya ya yok";
constexpr char kChinese[] =
    "一下 为什 么时 了 什么 什麼 他 他们 他們 他的 你 你们 你們 你的 吗 吧 告訴 告诉 呢 哪个 哪個 哪儿 哪裡 哪里 嗎 "
    "在 多少 她 她们 她們 她的 它 怎么 怎样 怎樣 怎麼 您 我 我们 我們 我的 时候 是 是什 是的 是誰 是谁 時候 為什 的 "
    "訴我 誰 诉我 谁 这个 這個 那个 那個 麼時";

constexpr std::size_t count_of(std::string_view line) {
  return static_cast<std::size_t>(std::ranges::count(line, ' ')) + 1;
}

template <const auto& kLine>
constexpr auto kWords = [] {
  std::array<std::string_view, count_of(kLine)> words{};
  std::string_view rest = kLine;
  for (std::string_view& word : words) {
    word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return words;
}();

struct Language {
  std::string_view lang;
  std::span<const std::string_view> words;
};

// Norwegian comes under its two written forms as well.
constexpr std::array kLanguages{
    Language{"ar", kWords<kArabic>},     Language{"ca", kWords<kCatalan>},   Language{"da", kWords<kDanish>},
    Language{"de", kWords<kGerman>},     Language{"en", kWords<kEnglish>},   Language{"es", kWords<kSpanish>},
    Language{"fi", kWords<kFinnish>},    Language{"fr", kWords<kFrench>},    Language{"hu", kWords<kHungarian>},
    Language{"it", kWords<kItalian>},    Language{"ja", kWords<kJapanese>},  Language{"nb", kWords<kNorwegian>},
    Language{"nl", kWords<kDutch>},      Language{"nn", kWords<kNorwegian>}, Language{"no", kWords<kNorwegian>},
    Language{"pt", kWords<kPortuguese>}, Language{"ro", kWords<kRomanian>},  Language{"ru", kWords<kRussian>},
    Language{"sv", kWords<kSwedish>},    Language{"tr", kWords<kTurkish>},   Language{"zh", kWords<kChinese>},
};

constexpr bool is_sorted_without_repeats(const Language& language) {
  return std::ranges::adjacent_find(language.words, std::ranges::greater_equal{}) == language.words.end();
}
static_assert(std::ranges::all_of(kLanguages, is_sorted_without_repeats));

}  // namespace

std::span<const std::string_view> stop_words(std::string_view lang) {
  const auto* const found = std::ranges::find(kLanguages, lang, &Language::lang);
  return found == kLanguages.end() ? std::span<const std::string_view>{} : found->words;
}

bool is_stop_word(std::string_view folded_word, std::string_view lang) {
  return std::ranges::binary_search(stop_words(lang), folded_word);
}

}  // namespace persona
