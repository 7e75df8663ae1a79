"""American and British spellings, as families of words that differ in the same way.

A family is a list of stems and of endings; an ending is written `british:american`, or once where both are alike. The
sign before a word or a family says in which direction it holds:

    (none)  each spelling is wrong in the other country
    >       only the American spelling is right in America; in Britain both are (`judgement`, `judgment`), or the
            American spelling is another word there (`tyre`, to tire)
    <       only the British spelling is right in Britain; in America both are (`glamour`, `glamor`)
    =       two spellings of one word, each right in both countries
"""

from __future__ import annotations

from dataclasses import dataclass

from redraft.text.words import word_set


@dataclass(frozen=True, slots=True)
class Family:
    stems: str
    endings: str
    direction: str = ""
    compounds: bool = True
    """May a prefix such as `un` precede the stem?"""
    same_word: bool = True
    """False where British English has both spellings, as two words."""


@dataclass(frozen=True, slots=True)
class Root:
    """Beginnings of words of Greek or Latin origin, in any form of the word."""

    spellings: str
    following: str = ""
    """A pattern of what must follow."""
    direction: str = ""


_INFLECTED = (
    "our:or ours:ors oured:ored ouring:oring ourings:orings ourer:orer ourers:orers ourless:orless ourable:orable"
)
_VERBS_IN_L = (
    "apparel barrel bevel bushel cancel carol cavil channel chisel corbel counsel cudgel devil dial dishevel "
    "drivel duel "
    "empanel enamel equal fuel funnel gambol gavel gravel grovel gruel hostel hovel impanel initial jewel kennel label "
    "laurel level libel marshal marvel medal metal model panel parcel pedal pencil peril pistol pommel pummel quarrel "
    "ravel revel rival shovel shrivel signal snivel snorkel spiral squirrel stencil swivel symbol tassel tinsel total "
    "towel trammel travel trial trowel tunnel unravel victual weasel yodel"
)
_UNIT_PREFIXES = (
    "kilo centi milli nano pico femto atto zepto yocto ronto quecto deci deca hecto mega giga tera peta exa "
    "zetta yotta "
    "ronna quetta"
)

FAMILIES = (
    # -our and -or. Before -ous, -ary, -ation, -ize and the like both countries write -or.
    Family(
        "arb ard arm behavi cand clam col demean enam endeav fav ferv flav harb hon hum lab neighb od parl ranc rig "
        "rum savi sav splend succ tum val vap vig",
        _INFLECTED,
    ),
    Family("glam", "our:or ours:ors oured:ored ouring:oring", "<"),
    Family("behavi", "oural:oral ourally:orally ourism:orism ourist:orist ourists:orists"),
    Family(
        "col",
        "ourful:orful ourfully:orfully ourfulness:orfulness ourist:orist ourists:orists ourism:orism ourant:orant "
        "ourants:orants ourway:orway ourways:orways ourfast:orfast ourblind:orblind ourblindness:orblindness oury:ory "
        "ourize:orize ourized:orized ourizes:orizes ourizing:orizing ourization:orization ourizer:orizer oureds:oreds",
    ),
    Family("fav hon", "ourably:orably ourableness:orableness"),
    Family("fav", "ourite:orite ourites:orites ouritism:oritism ouredly:oredly ouredness:oredness"),
    Family("flav", "ourful:orful oursome:orsome oury:ory ourfully:orfully ourists:orists"),
    Family("harb", "ourside:orside ourfront:orfront ourmaster:ormaster ourmasters:ormasters ourage:orage"),
    Family("hum", "ourlessly:orlessly ourlessness:orlessness ouredly:oredly"),
    Family("lab", "ouringly:oringly ourite:orite ourites:orites oursaving:orsaving ouredly:oredly"),
    Family("neighb", "ourhood:orhood ourhoods:orhoods ourly:orly ourliness:orliness"),
    Family("rum", "ourmonger:ormonger ourmongers:ormongers ourmongering:ormongering"),
    Family("arm sav", "oury:ory ouries:ories"),
    Family("sav", "ourily:orily ouriness:oriness ourier:orier ouriest:oriest ouringly:oringly"),
    Family("vap", "ourish:orish ouring:oring oury:ory"),
    # -re and -er
    Family(
        "accout amphitheat calib cent epicent fib goit lacklust lit louv lust meag mit nit reconnoit sab saltpet "
        "scept sepulch somb spect theat lightsab",
        "re:er res:ers red:ered ring:ering",
    ),
    Family("tit", "re:er res:ers", compounds=False),
    Family("och", "re:er res:ers", "<", compounds=False),
    Family("accout", "rement:erment rements:erments"),
    Family(
        "cent",
        "repiece:erpiece repieces:erpieces refold:erfold refolds:erfolds reline:erline reboard:erboard "
        "redness:eredness",
    ),
    Family("fib", "reglass:erglass reboard:erboard reboards:erboards refill:erfill"),
    Family("meag somb", "rely:erly reness:erness"),
    Family("theat", "regoer:ergoer regoers:ergoers regoing:ergoing"),
    Family(" ".join(prefix + unit for prefix in _UNIT_PREFIXES.split() for unit in ("lit", "met")), "re:er res:ers"),
    Family("microlit", "re:er res:ers"),
    Family("met micromet", "re:er res:ers", ">", compounds=False),
    Family("manoeuvr:maneuver", "e: es:s ed ing ings able ability er ers"),
    # l, doubled in Britain behind an unstressed vowel
    Family(_VERBS_IN_L, "led:ed ling:ing lings:ings ler:er lers:ers"),
    Family("counsel", "lor:or lors:ors lorship:orship"),
    Family("council", "lor:or lors:ors lorship:orship lorships:orships"),
    Family("duel medal panel", "list:ist lists:ists"),
    Family("marvel libel", "lous:ous lously:ously lousness:ousness"),
    Family("cruel", "ler:er lest:est", compounds=False),
    Family("travel", "logue:ogue logues:ogues", "=", compounds=False),
    Family("wool", "len:en lens:ens"),
    Family("wool", "ly:y", "<", compounds=False),
    Family("tranquil", "lise:ize lised:ized lises:izes lising:izing liser:izer lisers:izers lisation:ization"),
    Family("tranquil", "lize:ize lized:ized lizes:izes lizing:izing lizer:izer lizers:izers lization:ization"),
    Family("tranquil", "lity:ity", "<"),
    Family("chil", "li:i lis:is lies:ies", compounds=False),
    Family("cal", "liper:iper lipers:ipers listhenics:isthenics listhenic:isthenic"),
    Family("carburet", "tor:or tors:ors"),
    # ...and doubled in America at the end of a stressed syllable
    Family("appal distil enrol enthral fulfil instil", ":l s:ls ment:lment ments:lments"),
    Family("instal", "ment:lment ments:lments"),
    Family("skil wil", "ful:lful fully:lfully fulness:lfulness"),
    Family("worship", "ped:ed ping:ing per:er pers:ers", "<"),
    # -yse and -yze; "analyses" is a noun, too
    Family(
        "anal autol breathal catal dial electrol hydrol paral photol psychoanal pyrol",
        "yse:yze ysed:yzed ysing:yzing yser:yzer ysers:yzers ysable:yzable ysation:yzation ysingly:yzingly",
    ),
    Family("anal autol breathal catal dial electrol hydrol paral photol psychoanal pyrol", "yses:yzes", "<"),
    # -ence and -ense
    Family("def off pret", "ence:ense ences:enses enceless:enseless encelessly:enselessly encelessness:enselessness"),
    Family("licen", "ce:se ces:ses", ">"),
    Family("practi", "se:ce ses:ces", ">", same_word=False),
    Family("practi", "sed:ced sing:cing"),
    Family("cogni recogni", "sance:zance sant:zant sances:zances"),
    # -ogue and -og
    Family("analog catalog", "ue: ues:s", "<"),
    Family("catalog", "ued:ed uing:ing uer:er uers:ers", "<"),
    Family("demagog epilog monolog pedagog synagog travelog", "ue: ues:s", "<"),
    Family("dialog homolog prolog", "ue: ues:s", "="),
    # single words
    Family("grey:gray", ": s ed er est ing ish ly ness scale beard beards out outs wacke", compounds=False),
    Family("mould:mold moult:molt smoulder:smolder", ": s ed ing ings y er ers able ier iest iness board boards"),
    Family("plough:plow", ": s ed ing er ers man men share shares land"),
    Family("sceptic:skeptic", ": s al ally ism"),
    Family("moustache:mustache", ": s d"),
    Family("cos:coz", "y ies ied ier iest ily iness ying", compounds=False),
    Family("aeroplane:airplane aerofoil:airfoil aluminium:aluminum artefact:artifact pyjama:pajama", ": s"),
    Family("titbit:tidbit liquorice:licorice rouble:ruble furore:furor behove:behoove", ": s", compounds=False),
    Family("behoved:behooved artefactual:artifactual ageing:aging jewellery:jewelry phoney:phony", "", compounds=False),
    Family("mollusc:mollusk", ": s"),
    Family("chequered:checkered chequerboard:checkerboard chequebook:checkbook", ": s", compounds=False),
    Family("draughty:drafty draughtier:draftier draughtiest:draftiest draughtiness:draftiness", "", compounds=False),
    Family("caesium:cesium coeliac:celiac caecum:cecum", "", compounds=False),
    Family(
        "cheque:check kerb:curb storey:story tyre:tire programme:program draught:draft yoghurt:yogurt "
        "speciality:specialty",
        "",
        ">",
        compounds=False,
    ),
    Family(
        "colouration:coloration discolouration:discoloration discolourations:discolorations cheques:checks "
        "kerbs:curbs storeys:stories tyres:tires programmes:programs yoghurts:yogurts kerbside:curbside "
        "specialities:specialties draughtsman:draftsman draughtsmen:draftsmen backdraught:backdraft kerbing:curbing",
        "",
        ">",
        compounds=False,
    ),
    Family("gaol:jail gaoler:jailer neurone:neuron waggon:wagon", ": s", ">"),
    Family("gramme:gram", ": s", ">", compounds=False),
    Family(" ".join(f"{prefix}gramme:{prefix}gram" for prefix in f"micro {_UNIT_PREFIXES}".split()), ": s", ">"),
    Family("judgement:judgment judgemental:judgmental judgementally:judgmentally", ": s", ">", compounds=False),
    Family("focus", "sed:ed ses:es sing:ing", ">"),
    Family("learnt:learned relearnt:relearned spoilt:spoiled whilst:while maths:math", "", ">", compounds=False),
    Family("mediaeval:medieval primaeval:primeval foetid:fetid connexion:connection inflexion:inflection", ": s", ">"),
    Family("swop:swap", ": s ped:ped ping", ">", compounds=False),
    Family("mum:mom", ": s", "<", compounds=False),
    Family("vice:vise vices:vises vicelike:viselike", "", "<", compounds=False, same_word=False),
    Family("cauldron:caldron pickaxe:pickax battleaxe:battleax poleaxe:poleax amoeba:ameba amoebae:amebae", ": s", "<"),
    Family(
        "acknowledgement:acknowledgment abridgement:abridgment omelette:omelet tsar:czar disc:disk dyke:dike "
        "pedlar:peddler doughnut:donut whisky:whiskey enquiry:inquiry aeon:eon hiccough:hiccup",
        ": s",
        "=",
        compounds=False,
    ),
    Family(
        "amongst:among towards:toward afterwards:afterward burnt:burned dreamt:dreamed leapt:leaped smelt:smelled "
        "spelt:spelled spilt:spilled leant:leaned enquire:inquire enquired:inquired enquiring:inquiring "
        "enquiries:inquiries despatch:dispatch despatched:dispatched axe:ax likeable:likable sizeable:sizable",
        "",
        "=",
        compounds=False,
    ),
)

ROOTS = (
    Root("anaesth:anesth kinaesth:kinesth paraesth:paresth synaesth:synesth", "e"),
    Root(
        "anaem:anem bacteraem:bacterem calcaem:calcem cholesterolaem:cholesterolem cythaem:cythem glycaem:glycem "
        "hyperaem:hyperem hypoxaem:hypoxem ischaem:ischem kalaem:kalem leukaem:leukem lipidaem:lipidem natraem:natrem "
        "septicaem:septicem thalassaem:thalassem toxaem:toxem uraem:urem viraem:virem volaem:volem",
        "i",
    ),
    # Not the Latin names of species: N. gonorrhoeae, E. faecalis.
    Root(
        "amenorrhoea:amenorrhea diarrhoea:diarrhea gonorrhoea:gonorrhea logorrhoea:logorrhea pyorrhoea:pyorrhea "
        "faecal:fecal",
        "(?!e|is)",
    ),
    Root("seborrhoe:seborrhe apnoea:apnea dyspnoea:dyspnea faeces:feces aetiolog:etiolog"),
    Root("gynaec:gynec", "o"),
    Root("haemat:hemat", "[eiou]"),
    Root("haemo:hemo", "[cdglprst]"),
    Root("oedema:edema lymphoedema:lymphedema oesophag:esophag"),
    Root("palaeo:paleo", "[a-z]"),
    Root("oestr:estr", "adi|ogen|one|ous|us"),
    Root("hypnopaed:hypnoped orthopaed:orthoped paediatr:pediatr", "i"),
    Root("paedophil:pedophil paedomorph:pedomorph"),
    Root("foet:fet", "us|al|ic", ">"),
    Root("encyclopaed:encycloped homoeo:homeo sulph:sulf", direction=">"),
    Root("archaeo:archeo aesthet:esthet", direction="<"),
)

PREFIXES = word_set(
    """
    anti auto be bi co counter de dis down epi extra fore hyper hypo im inter intra mega micro mid mini mis mono
    multi nano neo non out over para photo poly post pre pseudo psycho re semi snow sub super tele trans tri ultra
    un under uni up water
    """
)
ROOT_PREFIXES = word_set(
    """
    an anti di dys hyper hypo micro non poly post pre thio un
    """
)

ALWAYS_ISE = (
    # raise, noise, bruise; clockwise; revise (but collectivise); surprise; franchise
    r"(?!archa|ghetto|hebra|hero|hindu|juda|marble)[a-z]*(?<!q)[aeou]|[a-z]*(?<!lo)qu",
    r"(?!bolshev)[a-z]*(?:w|(?<!i)v|pr|nch)",
    # exercise, exorcise, circumcise, precise, concise; promise, premise, surmise
    r"[a-z]*(?:xerc|xorc|cumc|prec|conc|prom|prem|surm)",
    r"[a-z]*(?:advert|chast|expert|treat|merchand|parad|sunr|moonr|highr)",
    # despise; nondisability
    r"desp|(?:non|un|re|pre)d",
    r"lor|exc|inc|mort|dem|rem|chem|cer|val|den|pen|mant|pelv|trell|chrysal|clitor|metropol|necropol|megalopol",
)
"""Patterns of what precedes -ise, -ised, -ising and so on in words that both countries write with an s."""
