#include "persona/recall/german_forms.hpp"

#include "persona/recall/form_table.hpp"
#include "persona/recall/word_list.hpp"

namespace persona {
namespace {

// With "ß" and with the "ss" to which it folds. Left out is what is more often a noun or a colour ("Last", "Schloss",
// "weiß").
constexpr char kStrong[] =
    "abfahren abgefahren|abholen abgeholt|anfangen angefangen|ankommen angekommen|anmelden angemeldet|anrufen "
    "angerufen|anschauen angeschaut|ansehen angesehen|anziehen angezogen|aufhören aufgehört|aufmachen "
    "aufgemacht|aufräumen aufgeräumt|aufstehen aufgestanden|aufwachen aufgewacht|ausgehen ausgegangen|ausmachen "
    "ausgemacht|aussehen aussieht ausgesehen|backen bäckt buk gebacken|befehlen befiehlt befahl befohlen|beginnen "
    "begann begannen begonnen|beissen biss bissen gebissen|bekommen bekam bekamen|beweisen bewies bewiesen|biegen "
    "bog bogen gebogen|bieten bot geboten|binden gebunden|bitten bat baten gebeten|blasen bläst blies "
    "geblasen|bleiben blieb blieben geblieben|braten brät briet gebraten|brechen bricht brichst brach brachen "
    "gebrochen|brennen brannte brannten gebrannt|bringen brachte brachten brachtest gebracht|denken dachte dachten "
    "dachtest gedacht|einkaufen eingekauft|einladen eingeladen|einschlafen eingeschlafen|einstellen "
    "eingestellt|einziehen eingezogen|empfehlen empfiehlt empfiehlst empfahl empfahlen empfohlen|entscheiden "
    "entschied entschieden|erfahren erfährt erfuhr erfuhren|erfinden erfand erfanden erfunden|erhalten erhält "
    "erhielt erhielten|erschrecken erschrak erschraken erschrocken|essen iss isst aß ass aßen assen aßt asst "
    "gegessen|fahren fährt fährst fuhr fuhren fuhrst gefahren|fallen fällt fällst fiel fielen|fangen fängt fängst "
    "fing fingen gefangen|fernsehen ferngesehen|finden fand fanden fandest gefunden|fliegen flog flogen "
    "geflogen|fliehen floh flohen geflohen|fliessen floss flossen geflossen|fressen frisst fraß frass fraßen frassen "
    "gefressen|frieren fror froren gefroren|geben gibt gibst gab gaben gabst gegeben|gefallen gefällt gefiel "
    "gefielen|gehen ging gingen gingst gegangen|gelingen gelang gelungen|geniessen genoss genossen|gern lieber "
    "liebsten|geschehen geschieht geschah geschahen|gewinnen gewann gewannen gewonnen|giessen goss gossen "
    "gegossen|graben gräbt grub gruben gegraben|greifen griff griffen gegriffen|gut besser bessere besseren beste "
    "besten|halten hält hältst hielt hielten hieltst gehalten|heben hob hoben gehoben|heissen hieß hiess hießen "
    "hiessen geheißen geheissen|helfen hilft hilfst half halfen geholfen|hoch höher höchste hohe hohen|hängen hing "
    "hingen gehangen|kennen kannte kannten kanntest gekannt|kennenlernen kennengelernt|klingen klang klangen "
    "geklungen|kommen kam kamen kamst gekommen|kriechen kroch krochen gekrochen|können gekonnt|laden lädt lud luden "
    "geladen|lassen lässt ließ liess ließen liessen gelassen|laufen läuft läufst lief liefen liefst gelaufen|leiden "
    "litt litten gelitten|leihen lieh liehen geliehen|lesen liest las lasen gelesen|liegen lag lagen gelegen|lügen "
    "log logen gelogen|messen misst maßen massen gemessen|mitbringen mitgebracht|mitkommen mitgekommen|mitnehmen "
    "mitgenommen|nehmen nimmt nimmst nahm nahmen nahmst genommen|nennen nannte nannten genannt|pfeifen pfiff pfiffen "
    "gepfiffen|raten rät rätst riet rieten geraten|reissen riss rissen gerissen|reiten ritt ritten geritten|rennen "
    "rannte rannten gerannt|riechen roch rochen gerochen|rufen rief riefen riefst gerufen|scheinen schien schienen "
    "geschienen|schieben schob schoben geschoben|schiessen schoss schossen geschossen|schlafen schläft schläfst "
    "schlief schliefen geschlafen|schlagen schlägt schlug schlugen geschlagen|schliessen schlossen "
    "geschlossen|schmeissen schmiss schmissen geschmissen|schmelzen schmilzt schmolz geschmolzen|schneiden schnitt "
    "schnitten geschnitten|schreiben schrieb schrieben schriebst geschrieben|schreien schrie schrien "
    "geschrien|schweigen schwieg schwiegen geschwiegen|schwimmen schwamm schwammen geschwommen|schwören schwor "
    "schworen geschworen|sehen sieht siehst sah sahen sahst gesehen|senden sandte gesandt|singen sang sangen "
    "gesungen|sinken sank sanken gesunken|sitzen saß sass saßen sassen gesessen|sprechen spricht sprichst sprach "
    "sprachen gesprochen|springen sprang sprangen gesprungen|stattfinden stattgefunden|stechen sticht stach stachen "
    "gestochen|stehen stand standen gestanden|stehlen stiehlt stahl stahlen gestohlen|steigen stieg stiegen "
    "gestiegen|sterben stirbt starb starben gestorben|stinken stank gestunken|stossen stößt stösst stieß stiess "
    "stießen stiessen gestoßen gestossen|streichen strich strichen gestrichen|streiten stritt stritten "
    "gestritten|teilnehmen teilgenommen|tragen trägt trägst trug trugen getragen|treffen trifft triffst traf trafen "
    "trafst getroffen|treiben trieb trieben getrieben|treten tritt trat traten getreten|trinken trank tranken "
    "getrunken|tun tat taten getan|umziehen umgezogen|verbieten verbot verboten|verbinden verbunden|verbringen "
    "verbrachte verbrachten verbracht|vergessen vergisst vergaß vergass vergaßen vergassen|verlassen verlässt "
    "verließ verliess verließen verliessen|verlieren verlor verloren|verschwinden verschwand verschwanden "
    "verschwunden|versprechen verspricht versprach versprachen versprochen|verstehen verstand verstanden|vorbereiten "
    "vorbereitet|vorschlagen vorgeschlagen|vorstellen vorgestellt|wachsen wächst wuchs wuchsen gewachsen|waschen "
    "wäscht wusch wuschen gewaschen|weggehen weggegangen|wegwerfen weggeworfen|werben wirbt warb geworben|werfen "
    "wirft wirfst warf warfen geworfen|wiegen wog wogen gewogen|wissen wusste wussten wusstest gewusst|ziehen zog "
    "zogen zogst gezogen|zumachen zugemacht|zurückkommen zurückgekommen|zwingen zwang zwangen gezwungen";

// Common verbs whose present (and, but for the strong ones among them, past and participle) follow the rule.
constexpr char kInfinitives[] =
    "antworten arbeiten atmen baden basteln bauen bedanken bedeuten beeilen beginnen begrüssen bekommen benutzen "
    "beschäftigen besorgen bestellen besuchen bezahlen bieten binden bitten bleiben blühen brauchen brennen bringen "
    "buchen danken dauern decken denken diskutieren drehen drucken drücken duschen entdecken entschuldigen erinnern "
    "erklären erleben erledigen erreichen erzählen fassen fehlen feiern finden fliegen folgen fragen freuen frieren "
    "frühstücken fühlen führen füllen füttern gehen gehören gewinnen giessen glauben gratulieren grillen grüssen "
    "gucken handeln hassen heben heiraten heissen heizen hoffen holen husten hören informieren interessieren joggen "
    "kaufen kennen klagen klappen klettern klingeln klingen klopfen klären kochen kommen kümmern küssen lachen "
    "landen leben legen lehren leihen leisten lernen lieben liefern liegen loben lächeln lösen machen malen meinen "
    "melden merken mieten mischen nennen nerven notieren nutzen nähen operieren packen parken passen passieren "
    "pflanzen pflegen planen probieren programmieren putzen rauchen rechnen reden regnen reichen reinigen reisen "
    "reiten rennen reparieren reservieren retten riechen rufen räumen sagen sammeln schaden schaffen schauen "
    "scheinen schenken schicken schieben schimpfen schliessen schmecken schneiden schneien schreiben schwimmen "
    "schützen segeln setzen singen sitzen sorgen sparen spazieren speichern spielen springen starten stecken stehen "
    "steigen stellen stimmen streiten studieren stören suchen tanken tanzen tauschen teilen telefonieren testen "
    "trainieren treiben trennen trinken trocknen träumen turnen verbringen verdienen verkaufen verletzen verlieren "
    "vermieten vermissen verpassen verreisen verspäten verstehen versuchen vertrauen wandern warnen warten wechseln "
    "wecken weinen wiederholen wohnen wählen wünschen zahlen zeichnen zeigen zelten ziehen zählen öffnen üben "
    "überlegen überraschen übersetzen";

static_assert(leads_one_way(kWordForms<kStrong>.forms));

constexpr std::string_view stem_of(std::string_view infinitive) {
  infinitive.remove_suffix(infinitive.ends_with("en") ? 2 : 1);
  return infinitive;
}

constexpr auto kVerbs = [] {
  auto verbs = kWordsOf<kInfinitives>;
  std::ranges::sort(verbs, {}, stem_of);
  return verbs;
}();
static_assert(std::ranges::adjacent_find(kVerbs, {}, stem_of) == kVerbs.end());

std::string_view verb_of(std::string_view stem) noexcept {
  const auto* const found = std::ranges::lower_bound(kVerbs, stem, {}, stem_of);
  return found != kVerbs.end() && stem_of(*found) == stem ? *found : std::string_view{};
}

// "arbeitet", "regnet": an e is said between these and what begins with t or st.
bool wants_e(std::string_view stem) noexcept {
  if (stem.ends_with('t') || stem.ends_with('d')) return true;
  if (stem.size() < 2 || !(stem.ends_with('n') || stem.ends_with('m'))) return false;
  return std::string_view("bcdfgkptvxz").find(stem[stem.size() - 2]) != std::string_view::npos || stem.ends_with("chn");
}

std::string_view without_ending(std::string_view word, std::span<const std::string_view> endings) noexcept {
  for (const std::string_view ending : endings) {
    if (word.size() < ending.size() + 2 || !word.ends_with(ending)) continue;
    const std::string_view stem = word.substr(0, word.size() - ending.size());
    if (const auto verb = verb_of(stem); !verb.empty() && !wants_e(stem)) return verb;
    if (!stem.ends_with('e')) continue;
    const std::string_view shorter = stem.substr(0, stem.size() - 1);
    if (const auto verb = verb_of(shorter); !verb.empty() && wants_e(shorter)) return verb;
  }
  return {};
}

constexpr std::array<std::string_view, 1> kOfParticiple{"t"};
constexpr std::array<std::string_view, 6> kOfPresentAndPast{"t", "st", "te", "ten", "tet", "test"};

}  // namespace

std::string_view german_base(std::string_view word) noexcept {
  if (const auto base = base_in(kWordForms<kStrong>, word); !base.empty()) return base;
  if (word.starts_with("ge")) {
    if (const auto verb = without_ending(word.substr(2), kOfParticiple); !verb.empty()) return verb;
  }
  return without_ending(word, kOfPresentAndPast);
}

}  // namespace persona
