#include "persona/recall/word_forms.hpp"

#include "persona/recall/form_table.hpp"
#include "persona/recall/german_forms.hpp"

namespace persona {
namespace {

// A base and its forms, then the next, by byte order of the bases; forms that the stemmer gets right are left out, and
// so are those that are more often another word than this one: English "bit" (a bit), "lives" and "wound", Spanish
// "vino" (wine), French "bois" (wood), Italian "letto" (bed), Dutch "rook" (smoke).
constexpr char kDutch[] =
    "aankomen aangekomen|afspreken afgesproken|antwoorden antwoordde geantwoord|bakken bakte gebakken|bedoelen "
    "bedoelt bedoelde bedoeld|beginnen begint begon begonnen|begrijpen begrijpt begreep begrepen|bellen belt belde "
    "belden gebeld|betalen betaalt betaalde betaald|bezoeken bezoekt bezocht bezochten|bieden biedt bood boden "
    "geboden|bijten bijt beet gebeten|blijken blijkt bleek gebleken|blijven blijft bleef bleven gebleven|breken "
    "breekt brak braken gebroken|brengen brengt bracht brachten gebracht|dansen danst danste gedanst|denken denkt "
    "dacht dachten gedacht|dragen draagt droeg droegen gedragen|drinken drinkt dronk dronken gedronken|dromen droomt "
    "droomde gedroomd|ei eieren|eten eet at aten gegeten|gaan gaat ga ging gingen gegaan|gebeuren gebeurt gebeurde "
    "gebeurd|gebruiken gebruikt gebruikte|geloven gelooft geloofde geloofd|genieten geniet genoot genoten|geven "
    "geeft gaf gaven gegeven|goed beter beste|graag liever liefst|halen haalt haalde gehaald|hangen hangt hing "
    "hingen gehangen|helpen helpt hielp hielpen geholpen|heten heet heette|horen hoort hoorde gehoord|houden houdt "
    "hield hielden gehouden|huren huurt huurde gehuurd|kennen kent kende kenden gekend|kiezen kiest koos kozen "
    "gekozen|kijken kijkt keek keken gekeken|kind kinderen|koken kookt kookte gekookt|komen komt kom kwam kwamen "
    "gekomen|kopen koopt kocht kochten gekocht|kosten kostte gekost|krijgen krijgt kreeg kregen gekregen|lachen "
    "lacht lachte gelachen|laten laat liet lieten gelaten|leggen legt legde gelegd|leren leert leerde geleerd|leven "
    "leeft leefde geleefd|lezen leest lazen gelezen|liegen liegt loog gelogen|liggen ligt lag lagen gelegen|lijken "
    "lijkt leek leken geleken|lopen loopt liep liepen gelopen|luisteren luistert luisterde geluisterd|maken maakt "
    "maakte maakten gemaakt|meenemen meegenomen|missen mist miste gemist|nemen neemt nam namen genomen|ontmoeten "
    "ontmoet ontmoette|opbellen opgebeld|openen opent opende geopend|opstaan opgestaan|pakken pakt pakte "
    "gepakt|planten plantte geplant|praten praat praatte praatten gepraat|proberen probeert probeerde "
    "geprobeerd|regenen regent regende geregend|reizen reist reisde gereisd|rijden rijdt reed reden gereden|roepen "
    "roept riep riepen geroepen|ruiken ruikt geroken|schenken schenkt schonk geschonken|scheren scheert schoor "
    "geschoren|schip schepen|schrijven schrijft schreef schreven geschreven|schrikken schrikt schrok "
    "geschrokken|slaan slaat sla sloeg sloegen geslagen|slapen slaapt sliep sliepen geslapen|sluiten sluit "
    "gesloten|snijden snijdt sneed gesneden|spelen speelt speelde speelden gespeeld|spreken spreekt sprak spraken "
    "gesproken|springen springt sprong gesprongen|staan staat sta stond stonden gestaan|stad steden|stelen steelt "
    "gestolen|sterven sterft stierf stierven gestorven|stoppen stopt stopte gestopt|studeren studeert studeerde "
    "gestudeerd|sturen stuurt stuurde gestuurd|treffen treft trof getroffen|trekken trekt trok trokken "
    "getrokken|trouwen trouwt trouwde getrouwd|uitgaan uitgegaan|uitnodigen uitgenodigd|vallen valt viel vielen "
    "gevallen|vangen vangt ving gevangen|vergeten vergeet vergat vergaten|verhuizen verhuist verhuisde "
    "verhuisd|verkopen verkoopt verkocht verkochten|verliezen verliest verloor verloren|vertellen vertelt vertelde "
    "verteld|vinden vindt vond vonden gevonden|vliegen vliegt vloog vlogen gevlogen|voelen voelt voelde "
    "gevoeld|vragen vraagt vroeg vroegen gevraagd|wachten wacht wachtte gewacht|wandelen wandelt wandelde "
    "gewandeld|wassen wast waste gewassen|werken werkt werkte werkten gewerkt|werpen werpt wierp geworpen|weten weet "
    "wist wisten geweten|wijzen wijst gewezen|winnen wint won wonnen gewonnen|wonen woont woonde woonden "
    "gewoond|zeggen zegt zei zeiden gezegd|zetten zet zette gezet|zien ziet zie zag zagen gezien|zingen zingt zong "
    "zongen gezongen|zitten zit zat zaten gezeten|zoeken zoekt zocht zochten gezocht|zwemmen zwemt zwom zwommen "
    "gezwommen";
constexpr char kEnglish[] =
    "alumnus alumni|analysis analyses|appendix appendices|arise arose arisen|awake awoke awoken|bacterium "
    "bacteria|bad worse worst|bear borne|beat beaten|become became|begin began begun|bend bent|big bigger "
    "biggest|bind bound|bite bitten|bleed bled|blow blew blown|bookshelf bookshelves|break broke broken|breed "
    "bred|bring brought|build built|burn burnt|businessman businessmen|buy bought|cactus cacti|calf calves|catch "
    "caught|chairman chairmen|cheap cheaper cheapest|child children childrens|choose chose chosen|cling clung|close "
    "closer closest|cold colder coldest|come came|creep crept|crisis crises|criterion criteria|curriculum "
    "curricula|deal dealt|diagnosis diagnoses|dig dug|draw drew drawn|dream dreamt|drink drank drunk|drive drove "
    "driven|dwell dwelt|early earlier earliest|easy easier easiest|eat ate eaten|elf elves|fall fell fallen|far "
    "farther farthest further furthest|fast faster fastest|feed fed|feel felt|fight fought|find found|fireman "
    "firemen|fisherman fishermen|flee fled|fling flung|fly flew flown|foot feet|forbid forbade forbidden|foresee "
    "foresaw foreseen|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|fungus fungi|gentleman "
    "gentlemen|get got gotten|give gave given|go went gone|good better best|goose geese|grandchild "
    "grandchildren|great greater greatest|grow grew grown|half halves|hang hung|happy happier happiest|hard harder "
    "hardest|healthy healthier healthiest|hear heard|heavy heavier heaviest|hide hid hidden|high higher highest|hold "
    "held|hoof hooves|hot hotter hottest|housewife housewives|hypothesis hypotheses|keep kept|kneel knelt|knife "
    "knives|know knew known|large larger largest|lay laid|lead led|leaf leaves|lean leant|leap leapt|learn "
    "learnt|leave left|lend lent|lie lain|light lit|loaf loaves|long longer longest|lose lost|louse lice|low lower "
    "lowest|make made|man men mens|matrix matrices|mean meant|meet met|midwife midwives|mistake mistook "
    "mistaken|misunderstand misunderstood|mouse mice|mow mown|new newer newest|nice nicer nicest|nucleus nuclei|old "
    "older oldest elder eldest|outgrow outgrew outgrown|overcome overcame|overhear overheard|oversleep "
    "overslept|overtake overtook overtaken|ox oxen|pay paid|person people peoples|phenomenon phenomena|policeman "
    "policemen|prove proven|quick quicker quickest|rebuild rebuilt|repay repaid|rewrite rewrote rewritten|ride rode "
    "ridden|ring rang rung|rise rose risen|run ran|salesman salesmen|say said|scarf scarves|see saw seen|seek "
    "sought|sell sold|send sent|sew sewn|shake shook shaken|shave shaven|shelf shelves|shine shone|shoot shot|short "
    "shorter shortest|show shown|shrink shrank shrunk shrunken|sing sang sung|sink sank sunk sunken|sit sat|sleep "
    "slept|slide slid|sling slung|slow slower slowest|small smaller smallest|smart smarter smartest|smell "
    "smelt|snowman snowmen|sow sown|speak spoke spoken|speed sped|spell spelt|spend spent|spill spilt|spin spun|spit "
    "spat|spoil spoilt|spring sprang sprung|stand stood|steal stole stolen|stepchild stepchildren|stick stuck|sting "
    "stung|stink stank stunk|stride strode|strike struck stricken|string strung|strive strove striven|strong "
    "stronger strongest|swear swore sworn|sweep swept|swell swollen|swim swam swum|swing swung|take took taken|tall "
    "taller tallest|teach taught|tear tore torn|tell told|thesis theses|thief thieves|think thought|throw threw "
    "thrown|tooth teeth|tread trod trodden|undergo underwent undergone|understand understood|undertake undertook "
    "undertaken|undo undid undone|wake woke woken|warm warmer warmest|weak weaker weakest|wear wore worn|weave wove "
    "woven|weep wept|wife wives|win won|withdraw withdrew withdrawn|withhold withheld|wolf wolves|woman women "
    "womens|workman workmen|wring wrung|write wrote written|young younger youngest";
constexpr char kFrench[] =
    "aller vais vas va vont irai iras ira irons iront irais irait aille|apprendre apprends apprend apprennent appris "
    "apprise|attendre attends attend attendent attendu attendais|beau bel belle beaux belles|blanc blanche "
    "blanches|boire boit boivent bu buvons buvait|bon bonne bonnes|ciel cieux|comprendre comprends comprend "
    "comprennent compris|conduire conduis conduit conduisait|connaître connais connaît connait connaissent "
    "connaissais connaissait connu connue|construire construit construite|courir courent couru courait|croire crois "
    "croit croient croyais cru|cuire cuit cuite|descendre descends descend descendu descendue|devenir deviens "
    "devient deviennent devenu devenue deviendra|dire dit dite dits disent disait disais dirai dira dirait "
    "dise|dormir dors dort dorment|doux douce douces|découvrir découvert découverte|entendre entends entend "
    "entendent entendu|envoyer envoie envoies envoient enverrai enverra|essayer essaie essaies essaient|faire font "
    "fit firent faisais faisait faisaient faisons ferai feras fera feront ferait ferais fasse|frais fraîche|gros "
    "grosse grosses|lire lis lisent lisais lisait lu lue lus|long longue longues|madame mesdames|mettre mets met "
    "mettent mis mise mit|monsieur messieurs|mourir meurs meurt meurent mort morte morts|naître né née nés nées naît "
    "naquit|nettoyer nettoie|nouveau nouvel nouvelle nouveaux|offrir offert offerte|ouvrir ouvert ouverte|payer paie "
    "paies paient|perdre perds perd perdent perdu perdue perdus|plaire plaît plait plaisait|pleuvoir pleut pleuvait "
    "pleuvra|pouvoir pu pourrai pourras pourra pourront pourrais pourrait puisse|prendre prends prend prennent pris "
    "prit prenais prenait prenne|recevoir reçois reçoit reçoivent reçu reçue recevra|rendre rends rend rendent "
    "rendu|revenir reviens revient reviennent revenu revenue reviendra|rire rit rient riait|répondre réponds répond "
    "répondu|savoir sais sait savent su saurai saura saurait sache|sec sèche|servir sers sert|sortir sors|souvenir "
    "souviens souvient|suivre suivi suivie suivent|tenir tiens tient tiennent tenu tiendra|travail travaux|vendre "
    "vends vend vendent vendu vendue|venir viens vient viennent venu venue venus vint viendrai viendra viendrait "
    "vienne|vieux vieil vieille vieilles|vivre vis vivent vivait vécu|voir vois voit voient voyons voyais voyait vu "
    "vus vues verrai verra verrait|vouloir veux veut veulent voulu voudrai voudra voudrais voudrait veuille|écrire "
    "écris écrit écrite écrivent écrivait|œil yeux";
constexpr char kItalian[] =
    "accendere accendo accende acceso accesa accese|amica amiche|andare vado vai va vanno andrò andrai andrà "
    "andranno andrei andrebbe vada|aprire aperto aperta|bello bel bei begli|bere bevo bevi beve bevono bevuto bevve "
    "beveva bevevo berrò|braccio braccia|buono buon|chiedere chiesto chiesi|chiudere chiuso chiusa chiusi|conoscere "
    "conobbe conosciuto conosciuta|cuocere cuocio cuoce cotto cotta|dare dà diede diedi dato darò darà darei dava "
    "davano|decidere deciso decisi decise|dipingere dipinto dipinse|dire dico dici dice dicono dissi disse dissero "
    "detto dirò dirà direi direbbe diceva dicevo dicendo|dito dita|dovere dovrò dovrà dovrei dovrebbe|fare faccio "
    "fai fa fanno facciamo feci fece fecero fatto fatta farò farai farà faranno farei farebbe facevo faceva facevano "
    "facendo|grande gran|leggere lessi lesse|mettere messo misi mise misero|morire muoio muore muoiono morto "
    "morta|nascere nato nata nati nacque|offrire offerto|perdere perso persa persi perse|piacere piaciuto piaciuta "
    "piaciuti piacque|potere potrò potrai potrà potrei potrebbe|prendere preso presi prese|rimanere rimango rimani "
    "rimane rimasto rimasta rimase|rispondere risposto risposi rispose|rompere rotto ruppe|salire salgo "
    "salgono|sapere so sai sa sanno seppi seppe saprò saprà sappia|scegliere scelgo scelto scelse|scendere sceso "
    "scesa scese|scoprire scoperto|scrivere scritto scritta scrissi scrisse|sedere siedo siede|spegnere spengo "
    "spento spenta spense|spendere speso|succedere successe|tenere tengo tieni tiene tengono tenne terrò|togliere "
    "tolgo tolto tolse|uomo uomini|uovo uova|uscire esco esci esce escono|vedere visto visti viste vidi vide videro "
    "vedrò vedrà vedrei|venire vengo vieni viene vengono venni venne vennero verrò verrà verrebbe venga|vincere "
    "vinto vinta vinse|vivere vissuto visse|volere voglio vuoi vuole vogliono volle volli vorrò vorrà vorrei "
    "vorresti vorrebbe";
constexpr char kPortuguese[] =
    "abrir aberto aberta|almoçar almocei|animal animais|avião aviões|bom boa bons boas|botão botões|brincar "
    "brinquei|buscar busquei|cair caio cai caem caiu caíram|chegar cheguei cheguem|cobrir coberto|colocar "
    "coloquei|começar comecei comece|conhecer conheço conheça|coração corações|cão cães|dar dou dás dá dão dei deu "
    "demos deram dava davam dado darei dará daria dê|descobrir descoberto descubro|dirigir dirijo|dizer digo diz "
    "dizem disse disseste dissemos disseram direi dirá diria dito diga digam|dormir durmo durma|escrever escrito "
    "escrita|esquecer esqueço esqueça|explicar expliquei|fazer faço faz fazem fiz fizeste fez fizemos fizeram farei "
    "fará farão faria feito feita faça façam|ficar fiquei fique|fugir foge fogem|gastar gasto|homem homens|hospital "
    "hospitais|hotel hotéis|imagem imagens|ir vou vais vai vamos vão ia íamos iam irei irá irão iria vá fui foste "
    "foi fomos foram|irmão irmãos|jogar joguei jogue|jornal jornais|jovem jovens|ler leio lês lê leem lêem leu leram "
    "li lido|leão leões|ligar liguei ligue|limão limões|marcar marquei|mau má|mensagem mensagens|mão mãos|ouvir ouço "
    "ouça|pagar pago paguei pague|papel papéis|pedir peço peça|perder perco perca|poder pude pôde pudemos puderam "
    "possa possam poderá poderia|praticar pratiquei|preferir prefiro|pão pães|pôr ponho põe põem pus pôs pusemos "
    "puseram ponha|querer quero queres quer querem quis quiseste quisemos quiseram queira|reunião reuniões|saber sei "
    "soube soubeste soubemos souberam saiba saibam|sair saio sai saem saí saiu saíram saía|seguir sigo siga|sentir "
    "sinto sinta|servir sirvo sirva|subir sobe sobem|ter tivemos tiveram tenha tenham terei terá teria|tocar toquei "
    "toque|trazer trago traz trazem trouxe trouxeste trouxemos trouxeram trarei trará traga tragam|ver vejo vê vês "
    "veem vêem vi viu viste vimos viram veja vejam visto|viagem viagens|vir venho vens vem vêm vim veio vieste "
    "viemos vieram virá viria venha venham vindo";
constexpr char kSpanish[] =
    "abrir abierto abierta|acostar acuesto acuesta|almorzar almuerzo almuerza almuerzan almorcé|andar anduve anduvo "
    "anduvieron|aprobar apruebo aprueba|bueno buen|buscar busqué busque|caer caigo caiga cayó cayeron caído|calentar "
    "caliento calienta|cerrar cierro cierras cierra cierran|cocer cuezo cuece|comenzar comienzo comienza comienzan "
    "comencé|conducir conduzco conduje condujo condujeron|conocer conozco conozca|conseguir consigo consigue "
    "consiguen consiguió consiguieron|construir construyo construye construyó construyeron|contar cuentan "
    "cuente|costar cuesta cuestan cueste|creer creyó creyeron|cruzar crucé|cubrir cubierto cubierta|dar doy da dan "
    "dio diste dieron daba daban dado dando daré dará daría|decir digo dices dice dicen dije dijiste dijo dijimos "
    "dijeron dicho diga digas digan diciendo diré dirá dirán diría|descubrir descubierto|despertar despierto "
    "despierta despiertas|doler duele duelen|dormir duermo duermes duerme duermen duerma durmió durmieron "
    "durmiendo|elegir elijo elige eligen eligió eligieron|empezar empiezo empiezas empieza empiezan empiece "
    "empecé|encender enciendo enciende encienden|encontrar encuentras encuentra encuentran encuentre|entender "
    "entiendo entiendes entiende entienden|escribir escrito escrita escritos|explicar expliqué|feliz felices|freír "
    "frito fríe|grande gran|hacer hago hice hiciste hizo hicimos hicieron hecho hecha haga hagas hagan hagamos haz "
    "haré harás hará harán haría|ir voy vas va vamos vais van iba ibas íbamos iban iré irá irán iría vaya vayas "
    "vayan yendo ido fui fuiste fue fuimos fueron|jugar juego juegos juegas juega juegan juegue jugué|leer leyó "
    "leyeron leído leyendo|llover llueve llueva|luz luces|lápiz lápices|malo mal|medir mido mide|mentir "
    "mintió|merendar meriendo|morir muero muere mueren murió murieron muerto muerta muriendo|mostrar muestran "
    "mostré|mover muevo mueve mueven|nevar nieva|nuez nueces|oír oigo oyes oye oyen oyó oyeron oiga|pedir pido pides "
    "pide piden pida pidió pidieron pidiendo|pensar pienso piensas piensa piensan piense|perder pierdo pierdes "
    "pierde pierden pierda|pez peces|poder pude pudiste pudo pudimos pudieron pueda puedas puedan pudiendo podré "
    "podrá podrán podría|poner pongo puse pusiste puso pusimos pusieron ponga pongas pongan pondré pondrá "
    "pondría|practicar practiqué|preferir prefiero prefieres prefiere prefieren prefirió|primero primer|querer "
    "quiero quieres quiere quieren quise quisiste quiso quisieron quiera quieras quieran querría quisiera|recordar "
    "recuerdo recuerdos recuerdas recuerda recuerdan recuerde|repetir repito repite repitió|resolver resuelvo "
    "resuelve resuelto|reír ríe ríen rió|romper roto rota|saber supe supiste supo supimos supieron sepa sepas sepan "
    "sabré sabrá sabría|sacar saqué saque|salir salgo salga salgan saldré saldrá saldría|seguir sigo sigues sigue "
    "siguen siguió siguieron siga siguiendo|sentar sienta sientan|sentir siento sientes siente sienten sintió "
    "sintieron sintiendo|servir sirvo sirve sirven sirvió sirvieron|soñar sueño sueños sueñas sueña sueñan|tener "
    "tuviste tuvimos tuvieron tenga tengas tengan tendré tendrá tendrán tendría|tercero tercer|tocar toqué "
    "toque|traducir traduzco traduje tradujo|traer traigo trajiste trajo trajimos trajeron traiga traigan|valer "
    "valgo valdrá|venir vengo vienes viene vienen vine viniste vinimos vinieron venga vengas vengan viniendo vendré "
    "vendrá vendrán vendría|ver veo ves vemos vi vio vieron veía veían visto vea vean viendo|vez veces|volar vuelo "
    "vuelos vuelas vuela vuelan|volver vuelvo vuelves vuelve vuelven vuelto vuelva|voz voces";

static_assert(leads_one_way(kWordForms<kDutch>.forms) && leads_one_way(kWordForms<kEnglish>.forms));
static_assert(leads_one_way(kWordForms<kFrench>.forms) && leads_one_way(kWordForms<kItalian>.forms));
static_assert(leads_one_way(kWordForms<kPortuguese>.forms) && leads_one_way(kWordForms<kSpanish>.forms));

std::string_view base_or_nothing(std::string_view word, Language language) noexcept {
  switch (language) {
    case Language::dutch:
      return base_in(kWordForms<kDutch>, word);
    case Language::english:
      return base_in(kWordForms<kEnglish>, word);
    case Language::french:
      return base_in(kWordForms<kFrench>, word);
    case Language::german:
      return german_base(word);
    case Language::italian:
      return base_in(kWordForms<kItalian>, word);
    case Language::portuguese:
      return base_in(kWordForms<kPortuguese>, word);
    case Language::spanish:
      return base_in(kWordForms<kSpanish>, word);
    default:
      return {};
  }
}

}  // namespace

std::string_view base_form(std::string_view word, Language language) noexcept {
  const std::string_view base = base_or_nothing(word, language);
  return base.empty() ? word : base;
}

}  // namespace persona
