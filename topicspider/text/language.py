"""Detects the language of a text by its scripts and its most frequent function words."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING

from topicspider.text.normalise import has_cjk

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

# Script (first word of its letters' Unicode names) to the language that mostly uses it; Han, kana, Cyrillic, Arabic, Latin: see below
_SCRIPTS = """
CJK:zh HIRAGANA:ja KATAKANA:ja HALFWIDTH:ja HANGUL:ko CYRILLIC:ru ARABIC:ar HEBREW:he GREEK:el THAI:th DEVANAGARI:hi BENGALI:bn
GURMUKHI:pa GUJARATI:gu TAMIL:ta TELUGU:te KANNADA:kn MALAYALAM:ml SINHALA:si LAO:lo TIBETAN:bo MYANMAR:my GEORGIAN:ka
ETHIOPIC:am KHMER:km MONGOLIAN:mn ARMENIAN:hy LATIN:latin FULLWIDTH:latin
"""
_LANGUAGES = dict(pair.split(":") for pair in _SCRIPTS.split())

# Weight of a letter: an ideograph says as much as a few letters, so a Chinese page full of English names is still Chinese
_WEIGHTS = {"zh": 3.0, "ja": 3.0, "ko": 2.5}

# Function words, which every text of a language contains, and its letters with diacritics
_SMALL_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "the of and to in is that for it was on with as are this be at by from have you not or but they his her an a can if will which when "
        "all has use its your one into then",
        "de": "der die und das den von zu ist mit sich des auf für nicht ein eine dem im es auch wird sind bei oder wir sie einen einer eines als "
        "an in aus nach wenn werden kann können durch um über zur zum dass wie nur diese dieser dieses hier noch ä ö ü ß",
        "fr": "le la les de des et est une un du que dans pour qui sur pas au avec par ce il plus sont nous vous aux cette ne en ou à se si être "
        "votre vos ces sa son leur peut comme cet lorsque entre é è ê ç œ î ô û â ù",
        "es": "el la los las de y del que en una un por con para es se su al lo como más pero sus este son muy hay ha no o a si cuando puede sin "
        "desde está esta también entre cada sobre ñ á é í ó ú",
        "it": "il di che è la per una un del con non si gli della sono alla dei le anche nel più come ma delle ed al in i a da e lo se o questo "
        "questa può essere dal nella l dell à ì ò ù é",
        "pt": "o os de as do da dos das que em um uma para com não por mais na no é ao se foi como são à pelo ou e a quando pode este esta isso "
        "você seu sua nos nas ser também ã õ á é í ó ú ç â ê ô",
        "nl": "de het een van en dat is op te voor met zijn niet aan er om ook als maar bij of uit naar wordt door in die dit worden kan u deze "
        "wanneer kunt geen heeft",
        "pl": "i w na z do się nie że jest to jak za od po przez o dla są ale co oraz przy może ich tym był lub a aby można tego który która które "
        "jeśli ten te tej ą ć ę ł ń ś ź ż ó",
        "tr": "ve bir bu için ile da de olarak daha çok gibi en ne kadar olan sonra var her değil ama mi ya ise veya tüm olup eğer üzerinde göre ğ "
        "ş ı ç ö ü",
        "vi": "và của là có được cho trong không các một những với này để đã người từ khi đến như tại về cũng bạn hoặc sẽ nếu vào ra trên thể ạ ả ấ "
        "ầ ậ ắ ặ ẹ ế ề ể ệ ị ọ ộ ố ồ ớ ờ ợ ụ ủ ứ ừ ử ữ ự đ ơ ư ă",
        "id": "yang dan di dengan untuk dari ini itu tidak pada dalam adalah ke akan juga oleh atau saya ada bisa jika anda dapat sebuah secara "
        "ketika bila telah tersebut",
        "sv": "och att det som en på är av för med den till inte om ett har de vi jag men var från eller kan i du när så här ska vill detta denna "
        "kommer alla också å ä ö",
    }.items()
}
# Function words of languages that the script identifies; normalised (no Greek accents, no ё)
_MORE_SMALL_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "ru": "и в не на что с по как это но он она они для из от так же все был была было были если его ее их мы вы я а к у о за то "
        "при или бы только уже еще также который которые которая когда где чтобы может есть нет до под над без после более этого этом том",
        "uk": "і в не на що з по як це але він вона вони для із від так же все був була було якщо його її їх ми ви я а до у о за то при або "
        "тільки вже ще також який які коли де щоб може є",
        "el": "και το του της την τον τα οι ο η στο στη στην στον στα με σε για που απο ειναι δεν θα να ως ενα μια αυτο αυτη τους τις των "
        "αλλα οπως οταν εχει μας σας αν κατα μετα μπορει πολυ πως τι στους στις",
        "ar": "في من على إلى عن مع أن هذا هذه كان كانت التي الذي هو هي ما لا أو ثم بعد قبل كل بين قد لم لن إذا كما أي ذلك تلك يتم حتى عند "
        "كيف له لها به بها هناك غير إن",
        "fa": "و در به از که این را با است برای آن یک خود تا می شود بر هم نیز کرد شد اما یا باید",
        "he": "של את על לא זה עם הוא היא הם אני יש גם כי או אם כל היה היו זו אל אבל רק עוד בין כמו אחרי לפני איך מה אותו אותה אותם שלו שלה אין",
        "hi": "के में है की का को से और पर ने यह हैं कि भी नहीं एक हो तो था थी थे कर लिए इस जो या ही अपने कैसे क्या बहुत साथ उस वह ये रहा गया "
        "जाता होता",
        "ko": "있다 있는 있습니다 수 것 이 그 및 등 한 할 하는 하고 합니다 한다 된다 됩니다 위해 대한 위한 통해 때문에 그리고 하지만 또한 더 가장 모든 다른 같은 "
        "따라 없는 없다",
    }.items()
}
_HIRAGANA = re.compile("[\u3041-\u309fー]+")
_LANGUAGES_OF: dict[str, list[str]] = {}
for _language, _small in _SMALL_WORDS.items():
    for _word in _small:
        _LANGUAGES_OF.setdefault(_word, []).append(_language)
_MARKED = re.compile("[\xdf-\u1ef9]")
_ALPHABETIC = re.compile(r"[^\W\d_]+")
_OTHER_SCRIPTS = frozenset(_LANGUAGES.values()) | {"uk", "sr", "bg", "mk", "be", "kk", "fa", "ur", "mr", "ne", "yi"}
_LATIN_CODE = re.compile(r"[a-z]{2}")


def language_of(text: str, declared: str = "") -> str:
    """The two-letter code (ISO 639-1) of a text's language; "" when ``text`` has no letter of a known script.

    Only the first 4,000 characters are examined. In Latin script the language with most function words and letters with diacritics wins;
    "en" when there are none (a title, a product's name). Cyrillic is divided into ru, uk and sr by letters that the others lack; Arabic
    script into ar and fa. The ``declared`` language (zh-CN) is often the template's, so it decides only what the text leaves open: which
    Latin language when function words are missing or tie, and whether a short text in Chinese characters alone is Japanese.
    """
    sample = text[:4000]
    counts = _letters_by_script(sample)
    if not counts:
        return ""
    weighted = {script: n * _WEIGHTS.get(script, 1.0) for script, n in counts.items()}
    if _is_japanese(counts, sample.count("の")):
        weighted["ja"] += weighted.pop("zh", 0.0)
    elif "zh" in weighted:
        weighted.pop("ja", None)
    found = max(weighted, key=lambda script: (weighted[script], script))
    own = declared.strip().lower()[:2] if declared else ""
    if found == "zh" and own == "ja" and counts["zh"] <= 40:  # a longer Japanese text has kana
        return "ja"
    return _within_script(found, sample, own)


LANGUAGES = tuple(
    dict.fromkeys(
        ["zh", "en", *_SMALL_WORDS, "sr", "uk", "fa", *(code for code in _LANGUAGES.values() if len(code) == 2)]
    )
)
"""The languages that can be detected, by code; Chinese and English first."""


def language_of_name(name: str) -> str:
    """The likely language of a few words, by script: zh if they contain a Chinese character and no kana, en for Latin letters."""
    found = language_of(name)
    if found != "ja" and has_cjk(name):
        return "zh"
    return "en" if not found or found in _SMALL_WORDS else found


def latin_language_of(text: str) -> str:
    """The language of a text in Latin letters; en for any other."""
    found = language_of(text)
    return found if found in _SMALL_WORDS else "en"


def is_small_word(word: str, language: str) -> bool:
    """Whether a normalised word is a function word of ``language``; always False for zh and en, see text.stopwords for those."""
    if language in ("zh", "en"):
        return False
    if language == "ja":
        return _HIRAGANA.fullmatch(word) is not None  # endings and particles
    return word in (_SMALL_WORDS.get(language) or _MORE_SMALL_WORDS.get(language) or ())


def _is_japanese(counts: Counter[str], possessives: int) -> bool:
    # の alone also occurs in Chinese shop names and slang; other kana does not
    kana = counts["ja"]
    return kana > possessives and kana >= 0.06 * (kana + counts["zh"])


def _within_script(script: str, sample: str, declared: str) -> str:
    if script == "latin":
        return _latin_language(sample, declared)
    if script == "ru":
        if re.search("[іїєґІЇЄҐ]", sample):
            return "uk"
        return "sr" if re.search("[јљњћђџЈЉЊЋЂЏ]", sample) else "ru"
    if script == "ar":
        return "fa" if len(re.findall("[پچژگ]", sample)) * 100 > len(sample) else "ar"
    return script


def _latin_language(sample: str, declared: str) -> str:
    votes = dict.fromkeys(_SMALL_WORDS, 0)
    text = sample.lower()
    for part in (*_ALPHABETIC.findall(text), *_MARKED.findall(text)):
        for language in _LANGUAGES_OF.get(part, ()):
            votes[language] += 1
    most = max(votes.values())
    is_open = votes.get(declared) == most or (not most and _LATIN_CODE.fullmatch(declared) is not None)
    if is_open and declared not in _OTHER_SCRIPTS:
        return declared
    return max(votes, key=lambda language: (votes[language], language == "en"))


def _letters_by_script(text: str) -> Counter[str]:
    """The number of letters of each known script in ``text``; each different character is looked up once."""
    import numpy as np

    table = _scripts_of_characters()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    for code in set(codes[table[codes] == 0].tolist()):
        table[code] = 1 + _NAMES.index(_script_of(chr(code)))
    numbers = np.bincount(table[codes], minlength=len(_NAMES) + 1).tolist()
    return Counter({name: number for name, number in zip(_NAMES, numbers[1:], strict=True) if name and number})


_NAMES = ("", *sorted(set(_LANGUAGES.values())))


@lru_cache(maxsize=1)
def _scripts_of_characters() -> NDArray[np.uint8]:
    """For each code point, 1 + the index of its script in _NAMES; 0 if it was not looked up yet."""
    import numpy as np

    return np.zeros(0x110000, np.uint8)


def _script_of(char: str) -> str:
    return _LANGUAGES.get(unicodedata.name(char, "").split(" ")[0], "") if char.isalpha() else ""
