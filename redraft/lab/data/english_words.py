"""Word lists of the English error table: function words, confusions, spelling rules, the keyboard."""

from __future__ import annotations

from redraft.text.words import word_set

DETERMINERS = word_set(
    "a an the this that these those my your his her its our their some any each every another no all both"
)
PREPOSITIONS = word_set(
    "of in to for with on at by from about as into like through after over between out against during without before "
    "under around among since until up down off than towards toward upon within across behind near besides beside"
)
PRONOUNS = word_set(
    "i you he she it we they me him us them myself yourself himself herself itself ourselves themselves who whom "
    "which what one ones mine yours hers ours theirs something anything nothing everything someone anyone"
)
AUXILIARIES = word_set(
    "be am is are was were been being have has had having do does did done can could will would shall should may might "
    "must 'm 's 're 've 'll 'd n't not"
)
CONJUNCTIONS = word_set("and or but so because if when while although though whether nor yet")
ADVERBS = word_set("there here very too more most much many also just only then now still even less")
FUNCTION_WORDS = DETERMINERS | PREPOSITIONS | PRONOUNS | AUXILIARIES | CONJUNCTIONS | ADVERBS
INSERTABLE = (DETERMINERS | PREPOSITIONS | PRONOUNS | AUXILIARIES | CONJUNCTIONS) - word_set(
    "not n't no 'm 's 're 've 'll 'd and or but so yet all both"
)
"""Function words that are superfluous where they do not belong; some others fit almost anywhere."""
CLITICS = word_set("'m 's 're 've 'll 'd n't")
PUNCTUATION = frozenset([*",.;:!?-\"'()…", "...", ".."])

UNCOUNTABLE = word_set(
    "accommodation advice aggression anger applause assistance attire baggage bravery bread cash chaos clothing coal "
    "confidence cooperation correspondence courage cutlery dirt electricity employment enthusiasm entertainment "
    "equality equipment evidence expertise feedback fun furniture garbage gasoline gossip gratitude guidance "
    "happiness hardware health homework honesty hospitality housework housing humanity humidity hunger ignorance "
    "information infrastructure innocence intelligence jewelry justice kindness knowledge laughter legislation "
    "leisure literacy literature livestock logic luck luggage machinery mankind mathematics merchandise money mud "
    "music news nonsense nutrition obesity oxygen patience pepper permission petrol physics poetry pollution poverty "
    "produce progress publicity punctuation racism relaxation reliability research rice rubbish safety salt scenery "
    "seafood shopping software stationery steam stuff sunshine tourism traffic training transportation trash travel "
    "unemployment usage vocabulary violence warmth wealth weather wildlife wisdom work workload"
)
"""Nouns whose plural is mostly an error."""

_CLASSES = {
    "a": "a an this that each every another one",
    "q": "these those many several few both all various two three four five six seven eight nine ten most numerous",
    "n": "the my your his her its our their no any some 's such which whose",
    "m": "can could will would shall should may might must do does did 'll",
    "t": "to",
    "b": "be am is are was were been being 'm 're",
    "h": "have has had having 've",
    "s": "he she it",
    "p": "i you we they",
    "i": "of in for with on at by from about into through after over between without before under among during since",
    "c": "and or but because if when while",
}
CONTEXTS = {word: letter for letter, words in _CLASSES.items() for word in words.split()}
"""Class that a word gives to the place after it; english_inflection.py explains the letters."""

CONFUSIONS = {
    "their": "there|they 're", "there": "their", "they 're": "their|there", "your": "you 're|you", "you 're": "your",
    "its": "it 's", "it 's": "its", "to": "too", "too": "to", "two": "to|too", "then": "than", "than": "then|that",
    "lose": "loose", "whose": "who 's", "who 's": "whose", "were": "where", "where": "were", "we 're": "were",
    "quite": "quiet", "quiet": "quite", "affect": "effect", "effect": "affect", "of": "off", "off": "of",
    "accept": "except", "except": "accept", "advice": "advise", "advise": "advice", "weather": "whether",
    "whether": "weather", "passed": "past", "past": "passed", "buy": "by", "hear": "here", "here": "hear",
    "know": "now", "now": "know", "knew": "new", "right": "write", "write": "right", "peace": "piece", "piece": "peace",
    "break": "brake", "week": "weak", "weak": "week", "whole": "hole", "our": "are", "are": "our", "form": "from",
    "from": "form", "thought": "though", "though": "thought", "through": "threw|trough", "led": "lead",
    "principal": "principle", "principle": "principal", "dessert": "desert", "breathe": "breath", "breath": "breathe",
    "choose": "chose", "chose": "choose", "live": "life|leave", "life": "live", "believe": "belief",
    "belief": "believe", "since": "sense", "an": "and|a", "and": "an", "as": "has", "his": "is", "is": "his",
    "this": "these", "these": "this", "those": "this|that", "felt": "fell", "fell": "felt", "leave": "live",
    "feel": "fill", "fill": "feel", "bought": "brought", "brought": "bought", "raise": "rise", "rise": "raise",
    "lend": "borrow", "borrow": "lend", "say": "tell", "tell": "say", "told": "said", "every": "each", "much": "many",
    "many": "much", "fewer": "less", "few": "little", "a lot": "alot", "every day": "everyday",
    "everyday": "every day", "maybe": "may be", "may be": "maybe", "in fact": "infact", "each other": "eachother",
    "at least": "atleast", "as well": "aswell", "of course": "ofcourse", "already": "all ready",
    "together": "to gether", "nowadays": "now a days|nowaday", "sometimes": "some times|sometime",
    "could have": "could of", "would have": "would of", "should have": "should of", "might have": "might of",
    "must have": "must of", "n't": "nt", "'s": "s", "'re": "re", "'m": "m", "'ll": "ll", "'ve": "ve",
    "do n't": "does n't", "does n't": "do n't", "did n't": "do n't", "is n't": "are n't", "are n't": "is n't",
    "has n't": "have n't", "have n't": "has n't", "was n't": "were n't", "were n't": "was n't", "a": "an",
    "am": "is", "who": "which|how", "such as": "such like|as", "another": "other|an other", "others": "other",
    "other": "others|another", "because of": "because", "despite": "despite of", "although": "despite|even",
    "which": "what|who", "that": "what", "because": "becouse|cause", "until": "till|untill", "people": "peoples|person",
    "especially": "specially", "it": "is", "used to": "use to", "supposed to": "suppose to", "themselves": "theirself",
}  # fmt: skip
"""Right word to the words people mistake it for."""

_RULES = (
    "ie>ei ei>ie ph>f tion>sion sion>tion tion>cion ance>ence ence>ance ant>ent ent>ant able>ible ible>able "
    "ck>k ce>se se>ce ci>si ough>ou gh>g wh>w kn>n mb>m sc>s ch>sh sh>ch qu>q x>cs ea>e ee>ea ea>ee ai>a ai>ei "
    "ou>u ou>o oo>o oa>o ey>y y>i y>ie ie>y i>y er>ar ar>er or>er er>or our>or ous>us ful>full ll>l ss>s tt>t "
    "mm>m nn>n pp>p rr>r cc>c ff>f e>a a>e i>e e>i o>u u>o s>z z>s c>s c>k k>c v>b b>v t>th th>t l>r r>l "
    "ely>ly ly>lly lly>ly ie>i ure>er ment>mant ate>at ine>in ise>ice ice>ise eve>ive ery>ry ary>ery ory>ery"
)
SPELLING_RULES = tuple((rule.partition(">")[0], rule.partition(">")[2]) for rule in _RULES.split())
"""Letters and what is written for them by mistake."""

KEYBOARD_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def neighbours() -> dict[str, str]:
    """Letters next to each letter on the keyboard."""
    near: dict[str, set[str]] = {}
    for row, keys in enumerate(KEYBOARD_ROWS):
        for column, key in enumerate(keys):
            beside = {
                (row, column - 1),
                (row, column + 1),
                (row - 1, column),
                (row - 1, column + 1),
                (row + 1, column - 1),
                (row + 1, column),
            }
            near[key] = {
                KEYBOARD_ROWS[r][c] for r, c in beside if 0 <= r < len(KEYBOARD_ROWS) and 0 <= c < len(KEYBOARD_ROWS[r])
            }
    return {key: "".join(sorted(letters)) for key, letters in near.items()}
