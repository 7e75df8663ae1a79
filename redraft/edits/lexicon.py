"""Small lists of English words, written by hand: closed word classes, irregular forms, confused words."""

from __future__ import annotations

from redraft.text.words import word_set


def _entries(table: str) -> list[str]:
    return table.strip().replace("\n", "|").split("|")


ARTICLES = word_set("a an the")
DEMONSTRATIVES = word_set("this that these those")
POSSESSIVES = word_set("my your his her its our their")
QUANTIFIERS = word_set(
    "some any no every each all both half either neither much many more most few fewer little less least several "
    "enough another other such what which whose whatever whichever"
)
DETERMINERS = ARTICLES | DEMONSTRATIVES | POSSESSIVES | QUANTIFIERS

ACCENTS = "´`‘"
"""What is typed for an apostrophe by mistake: two accents and an opening quotation mark."""

SUBJECT_PRONOUNS = word_set("i you he she it we they who there")
PRONOUNS = SUBJECT_PRONOUNS | word_set(
    "me him us them mine yours hers ours theirs whom which that what one ones myself yourself himself herself itself "
    "ourselves yourselves themselves someone somebody something anyone anybody anything everyone everybody everything "
    "none nobody nothing whoever whatever oneself this these those"
)

PREPOSITIONS = word_set(
    "about above across after against along amid among amongst around as at before behind below beneath beside "
    "besides between beyond by concerning despite down during except for from in inside into like near of off on onto "
    "opposite out outside over past per plus regarding round since than through throughout till to toward towards "
    "under underneath unlike until up upon via with within without"
)
CONJUNCTIONS = word_set(
    "and or but nor so yet because although though while whereas if unless when whenever where wherever whether that "
    "since until before after as than once"
)

BE = word_set("be am is are was were been being 's 're 'm")
HAVE = word_set("have has had having 've")
DO = word_set("do does did doing done")
MODALS = word_set("can could may might must shall should will would ought 'll 'd ca wo")
NEGATIONS = word_set("not n't never cannot")
AUXILIARIES = BE | HAVE | DO | MODALS
FUNCTION_WORDS = AUXILIARIES | DETERMINERS | PRONOUNS | PREPOSITIONS | CONJUNCTIONS
"""Words that build sentences and have little meaning of their own."""

CONTRACTED = {
    "n't": ("not",),
    "'s": ("is", "has"),
    "'re": ("are",),
    "'m": ("am",),
    "'ve": ("have",),
    "'ll": ("will", "shall"),
    "'d": ("would", "had"),
    "ca": ("can",),
    "wo": ("will",),
    "cannot": ("can",),
}
# Adverbs that occur between an auxiliary and its verb.
MIDDLE_ADVERBS = NEGATIONS | word_set("just already also always often ever still yet now only even soon")


# Base, past, participle. A missing participle is the same as the past.
_IRREGULAR_VERBS = """
arise arose arisen|awake awoke awoken|bear bore borne|beat beat beaten|become became become|begin began begun
bend bent|bet bet|bind bound|bite bit bitten|bleed bled|blow blew blown|break broke broken|breed bred|bring brought
build built|burn burnt|buy bought|catch caught|choose chose chosen|cling clung|come came come|cost cost|creep crept
cut cut|deal dealt|dig dug|dive dove|do did done|draw drew drawn|dream dreamt|drink drank drunk|drive drove driven
eat ate eaten|fall fell fallen|feed fed|feel felt|fight fought|find found|fit fit|flee fled|fly flew flown
forbid forbade forbidden|forget forgot forgotten|forgive forgave forgiven|freeze froze frozen|get got gotten
give gave given|go went gone|grind ground|grow grew grown|hang hung|have had|hear heard|hide hid hidden|hit hit
hold held|hurt hurt|keep kept|kneel knelt|know knew known|lay laid|lead led|lean leant|learn learnt|leave left
lend lent|let let|lie lay lain|light lit|lose lost|make made|mean meant|meet met|mistake mistook mistaken
overcome overcame overcome|pay paid|prove proved proven|put put|quit quit|read read|ride rode ridden|ring rang rung
rise rose risen|run ran run|say said|see saw seen|seek sought|sell sold|send sent|set set|sew sewed sewn
shake shook shaken|shine shone|shoot shot|show showed shown|shrink shrank shrunk|shut shut|sing sang sung
sink sank sunk|sit sat|sleep slept|slide slid|smell smelt|speak spoke spoken|speed sped|spell spelt|spend spent
spill spilt|split split|spoil spoilt|spread spread|spring sprang sprung|stand stood|steal stole stolen|stick stuck
sting stung|strike struck|swear swore sworn|sweep swept|swell swelled swollen|swim swam swum|swing swung
take took taken|teach taught|tear tore torn|tell told|think thought|throw threw thrown|understand understood
undergo underwent undergone|upset upset|wake woke woken|wear wore worn|weep wept|win won|wind wound
withdraw withdrew withdrawn|write wrote written
"""

IRREGULAR_VERBS: dict[str, tuple[str, str]] = {
    base: (past, rest[0] if rest else past)
    for base, past, *rest in (entry.split() for entry in _entries(_IRREGULAR_VERBS))
}

_IRREGULAR_NOUNS = """
man men|woman women|datum data
child children|person people|foot feet|tooth teeth|goose geese|mouse mice|louse lice|ox oxen
life lives|wife wives|knife knives|leaf leaves|half halves|shelf shelves|thief thieves|loaf loaves|wolf wolves
calf calves|self selves|scarf scarves|elf elves|hoof hooves|analysis analyses|basis bases|crisis crises
thesis theses|hypothesis hypotheses|diagnosis diagnoses|oasis oases|axis axes|phenomenon phenomena
criterion criteria|medium media|bacterium bacteria|curriculum curricula|stimulus stimuli|fungus fungi|nucleus nuclei
alumnus alumni|cactus cacti|appendix appendices|index indices|matrix matrices|grandchild grandchildren
policeman policemen|fireman firemen|businessman businessmen|fisherman fishermen|gentleman gentlemen
salesman salesmen|sportsman sportsmen
"""

IRREGULAR_NOUNS: dict[str, str] = {
    singular: plural for singular, _, plural in (entry.partition(" ") for entry in _entries(_IRREGULAR_NOUNS))
}

DAYS = word_set("monday tuesday wednesday thursday friday saturday sunday")
DAYS_AND_MONTHS = DAYS | word_set("january february april june july august september october november december")
"""Not “march” and “may”, which are other words too."""

SINGULARS_IN_S = word_set(
    "news mathematics physics economics politics ethics athletics gymnastics statistics electronics linguistics series "
    "species means"
)
"""Nouns that end in -s and are not, or not only, plurals."""
UNCOUNTABLE = word_set(
    "advice baggage cash clothing electricity equipment evidence furniture garbage homework housework information "
    "knowledge luck luggage machinery music progress rubbish scenery software traffic weather wildlife"
)

# Verbs that are seldom nouns: their ending -s is the third person, not a plural.
COMMON_VERBS = word_set(
    "accept accompany achieve adapt add admit adopt affect afford agree allow announce appear apply argue arrive ask "
    "assume attend attract avoid be bear beat become begin behave believe belong blame borrow break breathe bring "
    "build buy carry catch celebrate choose clean climb close collect combine come communicate compare compete "
    "complete concentrate confirm connect consider consist consume contain continue contribute convince cook cope "
    "create cry deal decide defend deliver depend describe destroy develop die disagree disappear discover discuss "
    "divide do draw drive earn eat educate employ encourage enjoy enter entertain escape examine exist expand expect "
    "explain explore express fail fall feel fight fill find finish fix fly follow forget forgive fulfil gain gather "
    "generate get give go grow handle happen hate have hear help hide hire hold hope hurt identify ignore imagine "
    "impress improve include increase inform inspire introduce invest invite involve join jump keep kill know laugh "
    "lead learn leave lend let lie like listen live look lose love make manage marry mean meet miss motivate move "
    "must need notice observe obtain occur offer open organise organize owe participate pass pay perform persuade "
    "pick play pollute practise prefer prepare prevent produce promote protect prove provide pull push put raise "
    "reach read realise realize receive recognise recognize recommend reduce refer relate relax rely remain remember "
    "remind repeat reply represent require respond ride run save say scream see seem select sell send serve share "
    "show sing sink sit sleep smell smile solve speak spend spoil stand start stay stop stretch study succeed suffer "
    "suggest suit suppose survive swear swim take talk taste teach tell tend think throw touch train travel treat "
    "trust try turn understand use visit wait wake walk want warn wash waste watch wear welcome win wish wonder work "
    "worry write"
)

# Words that are as often nouns as verbs: only their neighbours show what an ending -s means.
NOUNS_AND_VERBS = word_set(
    "access account act address age aim amount answer appeal approach arrest attack attempt average award back balance "
    "ban bank base battle benefit bill bite block board book boost bother bottle bow box brand breath bridge burn cake "
    "call camp campaign care cause challenge chance change charge charm chat check claim class coach code colour color "
    "comfort command comment complain concern conduct conflict contact content contest contract contrast control copy "
    "cost count couple course cover crash credit crime cross cure curse cut cycle damage dance date debate demand "
    "design desire detail diet display dispute doubt download dream dress drink drop email end engine escape "
    "estimate excuse exercise exit experience experiment export face fall fan fear feature fee feed field figure file "
    "film fish fit flash float flood floor flow focus force forecast form fuel function fund gain game glance grade "
    "grant ground group guarantee guard guess guide habit hand harm harvest head heat hit honour host house hunt hurry "
    "ice image impact import influence input interest interview issue journey judge jump kick kiss label lack land "
    "laugh lift light limit line link list load loan lock mark market master match matter measure mention mind mistake "
    "mix model monitor murder name note number object order own pace pack paint park part party pattern peak phone "
    "photograph picture place plan plant point pollution position post power practice praise present press pressure "
    "price print process produce profit program programme progress project promise protest punch purchase purpose "
    "question quote race rain range rank rate ray reason recall record reform regard regret release remark rent repair "
    "replay report request rescue research respect rest result return review reward ring risk rock role roll root rope "
    "round row rule rush sail sale sample scale schedule score search seat secret sense sentence set shake shape shift "
    "shock shoot shop shot shout sign signal skill smoke snow sound source space stage stamp star state step stick "
    "storm stream stress strike struggle style subject supply support surprise survey switch target task tax team "
    "test text thank time tip tour trace track trade transfer transport trap trial trick trip trouble type update "
    "upload vacation value view visit voice vote wage wave weight whistle will wind wonder worry wound"
)

# Words whose -s is part of the word, not an ending.
WORDS_IN_S = word_set(
    "afterwards always besides means news nowadays perhaps politics series sometimes species towards whereas"
)

NUMBERS = word_set("two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand million")

# Words that become another word, not their own correct spelling, by a final -e.
WORDS_BEFORE_E = word_set("bath breath cap car cloth cub cut fin hat hop hug not past pin plan rid star tap tub us win")

# Adjectives with the endings -er and -est; "worker" is no comparative.
GRADABLE = word_set(
    "angry bad big bold brave brief bright broad busy calm cheap clean clear clever close cold cool crazy cruel cute "
    "dark deep dirty dry early easy fair far fast fat few fine fit fresh friendly full funny gentle good great happy "
    "hard healthy heavy high hot huge hungry kind large late lazy light little lonely long loud low lucky mad mean "
    "modern much many narrow near neat new nice noisy old pale poor pretty proud quick quiet rare rich rough sad safe "
    "sharp short sick simple slim slow small smart smooth soft soon strange strict strong sweet tall thick thin tight "
    "tiny tough ugly warm weak well wet wide wild wise young"
)

IRREGULAR_ADJECTIVES = {
    "good": ("better", "best"),
    "well": ("better", "best"),
    "bad": ("worse", "worst"),
    "far": ("further", "furthest"),
    "many": ("more", "most"),
    "much": ("more", "most"),
    "little": ("less", "least"),
}

# Verbs whose -ed form describes a feeling and whose -ing form describes its cause.
FEELINGS = word_set(
    "amaze amuse annoy bore charm confuse disappoint disgust embarrass encourage excite exhaust fascinate frighten "
    "frustrate inspire interest irritate move please relax satisfy shock surprise terrify thrill tire touch worry"
)

# Words that are often confused, and a predicate that says what each means: “than” is used to compare.
GLOSSES = {
    "accept": "means “say yes to”",
    "advice": "is a noun",
    "advise": "is a verb",
    "affect": "is usually a verb",
    "borrow": "means “take for a while”",
    "brake": "slows a vehicle",
    "break": "means “make or fall into pieces”, or is a pause",
    "buy": "means “get for money”",
    "by": "is a preposition",
    "desert": "is dry land",
    "dessert": "ends a meal",
    "effect": "is usually a noun",
    "except": "means “but not”",
    "hear": "is what ears do",
    "here": "means “in this place”",
    "hole": "is an opening",
    "it's": "is short for “it is” or “it has”",
    "its": "means “belonging to it”",
    "knew": "is the past form of “know”",
    "know": "is a verb",
    "lend": "means “give for a while”",
    "less": "goes with uncountable nouns",
    "fewer": "goes with plural nouns",
    "loose": "means “not tight”",
    "lose": "means “no longer have” or “not win”",
    "many": "goes with plural nouns",
    "much": "goes with uncountable nouns",
    "new": "means “not old”",
    "now": "means “at this time”",
    "passed": "is a form of “pass”",
    "past": "is the time gone by, or means “beyond”",
    "peace": "is the opposite of war",
    "piece": "is a part of something",
    "principal": "means “most important”, or is the head of a school",
    "principle": "is a rule",
    "quiet": "means “without noise”",
    "quite": "means “rather” or “completely”",
    "than": "is used to compare",
    "their": "means “belonging to them”",
    "then": "means “at that time” or “next”",
    "there": "means “in that place”, or begins a sentence such as “there is”",
    "they're": "is short for “they are”",
    "though": "means “although”",
    "thought": "is a form of “think”, or an idea",
    "through": "means “from one side to the other”",
    "to": "shows a direction or a receiver, or comes before a verb",
    "too": "means “also” or “more than enough”",
    "two": "is the number 2",
    "weak": "means “not strong”",
    "weather": "is sun, wind or rain",
    "week": "is seven days",
    "were": "is a past form of “be”",
    "where": "asks about or names a place",
    "whether": "means “if”",
    "which": "asks about a choice or adds information",
    "whole": "means “complete”",
    "who's": "is short for “who is” or “who has”",
    "whose": "means “belonging to whom”",
    "witch": "is a woman with magic powers",
    "you're": "is short for “you are”",
    "your": "means “belonging to you”",
}
