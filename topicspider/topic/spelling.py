"""Other spellings of a topic's words: in URLs (pinyin, Latin letters) and in sentences (plurals, cases)."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from topicspider.text.normalise import has_cjk
from topicspider.text.pinyin import spellings
from topicspider.text.stopwords import STOP_WORDS
from topicspider.text.vocabulary import english

if TYPE_CHECKING:
    from topicspider.text.lexicon import WordVectors
    from topicspider.topic.expansion import Anchor
    from topicspider.topic.profile import TopicProfile

# cha, lv: shorter spellings can mean anything in URLs
_LEAST_LATIN = 3
_SIBILANT = re.compile("(?:s|x|z|ch|sh)$")


def url_words(profile: TopicProfile, found: Iterable[Anchor], table: WordVectors) -> dict[str, str]:
    """Spelling in URLs to feature word: pinyin, transliterations, English words of the same meaning; the heaviest feature word wins."""
    result: dict[str, str] = {}
    for word in [*profile.weights, *profile.synonyms]:
        for spelling in (*spellings(word), *sorted(_in_latin_letters(word))):
            if len(spelling) >= 4 and spelling not in profile.weights:
                result.setdefault(spelling, profile.synonyms.get(word, word))
    spoken = [
        word
        for word in table.words
        if word in english() and word.isalpha() and len(word) >= _LEAST_LATIN and word not in STOP_WORDS
    ]
    # Chinese sites also name sections in English: take words near one of the heaviest feature words (travel for 旅游)
    chinese = [anchor for anchor in found if has_cjk(anchor.word)][:10]
    for anchor in chinese:
        for word, cosine in table.nearest(anchor.vector, 6, spoken):
            if cosine >= 0.55 and word not in profile.weights and word not in profile.negative:
                result.setdefault(word, anchor.word)
    return result


_ROMANISED = str.maketrans(
    dict(zip("абвгдезийклмнопрстуфхыэіїґ", "abvgdeziyklmnoprstufhyeiig", strict=True))
    | {"ж": "zh", "ц": "ts", "ч": "ch", "ш": "sh", "щ": "shch", "ю": "yu", "я": "ya", "є": "ye", "ь": "", "ъ": ""}
    | {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ı": "i"}
)
_UMLAUTS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})


def _in_latin_letters(word: str) -> set[str]:
    """How URLs spell a word with accents or in Cyrillic: fussball, kaffeeroesterei and kaffeerosterei, chay; none for other alphabets."""
    if word.isascii() or has_cjk(word):
        return set()
    spelt = {unicodedata.normalize("NFD", way.translate(_ROMANISED)) for way in (word, word.translate(_UMLAUTS))}
    bare = {"".join(char for char in one if not unicodedata.combining(char)) for one in spelt}
    return {one for one in bare if one.isascii()}


def other_forms(word: str, languages: Collection[str] = ()) -> list[str]:
    """Forms of ``word`` in sentences: plural or singular in English and in those of ``languages`` in Latin letters; in other scripts,
    cases, and forms with particles or articles attached. Forms that are no words do no harm: no text contains them.
    """
    rows = [row for language, row in _INFLECTIONS if language in ("", *languages)]
    found = [
        f"{prefix}{match[1]}{ending}"
        for pattern, prefixes, endings in rows
        if (match := re.fullmatch(pattern, word))
        for prefix in prefixes
        for ending in endings
    ]
    bare = [form.translate(_BARE_ALEF) for form in found]
    return list(dict.fromkeys(form for form in (*other_number(word), *found, *bare) if form != word and len(form) > 1))


_BARE_ALEF = str.maketrans("أإآ", "ااا")
# Hangul syllables that end in a vowel; particles differ after them
_OPEN = "".join(map(chr, range(0xAC00, 0xD7A4, 28)))
_LATIN = "[a-z\xdf-\u017f]"
_KOREAN = "의 에 에서 에는 에게 도 만 까지 부터 보다 처럼 들 들이 들은 들을 들의"
_SLAVIC = "- а у ом ем ой ей е ы и і ов ев ів ам ям ами ями ах ях я ю ью ь о"
_TURKISH = (
    "lar ler ı i u ü yı yi yu yü sı si su sü ın in un ün nın nin nun nün a e ya ye da de ta te dan den tan ten la le yla yle "
    "ları leri ların lerin larda lerde lara lere lı li lu lü"
)


def _rows(table: str) -> Iterator[tuple[str, tuple[str, list[str], list[str]]]]:
    """Parses lines of: language | pattern of a whole word, its stem as group 1 | prefixes | endings; - stands for an empty affix."""
    for line in filter(None, table.splitlines()):
        language, pattern, prefixes, endings = map(str.strip, line.split(" | "))
        affixes = [["" if affix == "-" else affix for affix in some.split()] for some in (prefixes, endings)]
        yield language, (pattern, affixes[0], affixes[1])


# Only the usual forms of nouns. Words are normalised: no ё, no Greek accents
_INFLECTIONS = list(
    _rows(rf"""
   | ([가-힣]*[{_OPEN}])          | - | 는 가 를 와 로 나 란 {_KOREAN}
   | ([가-힣]*(?![{_OPEN}])[가-힣])  | - | 은 이 을 과 으로 로 이나 이란 {_KOREAN}
   | ([가-힣]{{2,}}?)(?:에서|에는|에게|까지|부터|보다|처럼|들[이은을의]?|으로|[를을는]) | - | - 은 는 이 가 을 를 의
   | ([а-яіїєґ]{{2,}}[^\Wаеоуыиіїєьэюяй])(?:ами|ах|ями|ях) | - | {_SLAVIC}
   | ([а-яіїєґ]{{2,}}[^\Wаеоуыиіїєьэюяй])[аеоуыиіьяю]? | - | {_SLAVIC}
   | ([а-я]+[оаеуюяыи])(?:й|ями|ях) | - | й я ю ем е и ев ям ями ях
   | ([а-яії]+[иіїь])(?:[еяй]|ями|ях) | - | я ю ем е и ї ей ю й ям ями ях є
   | ([а-я]{{3,}})(?:ый|ий|ой|ая|яя|ое|ее|ые) | - | ый ий ой ого его ому ему ым им ом ем ая яя ую юю ое ее ые ие ых их ыми ими
   | ([α-ω]{{3,}}?)(?:ουσ|[οηαε]σ|οι|[οηαιε])? | - | οσ ου ο οι ων ουσ ασ α εσ ησ η εισ εων εωσ ι ιου ια ιων ε εδεσ εδων
   | ([α-ω]{{2,}}μ)ατ?α           | - | α ατοσ ατα ατων
   | (?:ال)?([ء-ي]{{2,}})         | - ال وال بال كال فال لل | -
   | (?:ال)?([ء-ي]{{2,}}[^\Wة])    | و ب ل - ال | - ات ين ية
   | (?:ال)?([ء-ي]{{2,}})ة        | - ال وال بال لل و ب ل | ة ات ه تي
   | ([א-ת]{{3,}})                | ה ו ב ל מ ש כ וה וב ול ומ שה | -
   | ([א-ת]{{2,}}?)ה?             | - ה | ים ות
   | ([ऀ-ॿ]{{2,}}?)[ाी]?          | - | ा े ी ों ें ियां ियों
de | ({_LATIN}{{3,}}?)e?                | - | e en er ern n es s nen
de | ({_LATIN}{{3,}}e)n                 | - | -
fr | ({_LATIN}{{3,}}?)[sx]?             | - | - s x e es
fr | ({_LATIN}{{2,}})al                 | - | aux
es | ({_LATIN}{{3,}}?)(?:es|s)?         | - | - s es
es | ({_LATIN}{{2,}})z                  | - | ces
es | ({_LATIN}{{2,}})ón                 | - | ones
pt | ({_LATIN}{{3,}}?)(?:es|s)?         | - | - s es
pt | ({_LATIN}{{2,}})ão                 | - | ões ães ãos
pt | ({_LATIN}{{2,}})l                  | - | is
pt | ({_LATIN}{{2,}})m                  | - | ns
it | ({_LATIN}{{3,}})[oaei]             | - | o a i e hi he
nl | ({_LATIN}{{3,}}?)e?                | - | e en s
pl | ({_LATIN}{{3,}}?)[aeoiy]?          | - | - a ą ę y i e o u ie ów owi om em iem ami ach
tr | ({_LATIN}{{2,}})                   | - | {_TURKISH}
""")
)


def other_number(word: str) -> list[str]:
    """The plural of an English word, or its possible singulars (car, cars); some are no words, which does no harm."""
    if not (word.isascii() and word.isalpha()) or len(word) < _LEAST_LATIN:
        return []
    if word.endswith("ies"):
        return [f"{word[:-3]}y"]
    if word.endswith(("ses", "xes", "zes", "ches", "shes")):
        return [word[:-2], word[:-1]]
    if word.endswith("s"):
        return [] if word.endswith(("ss", "us", "is")) or len(word) <= _LEAST_LATIN else [word[:-1]]
    if word.endswith("y") and word[-2] not in "aeiou":
        return [f"{word[:-1]}ies"]
    return [f"{word}es" if _SIBILANT.search(word) else f"{word}s"]
