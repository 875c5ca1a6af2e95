"""Recognises the values of typed fields: prices, ISBN, phone and fax numbers, addresses of mail and web, moments, names."""

from __future__ import annotations

import re
import unicodedata

from topicspider.page.markup.texts import one_line
from topicspider.page.origin.day_forms import day_of

FIELD = 500
"""Characters of the longest field."""
_SCANNED = 300
"""Characters of a text that are searched for a number or a name."""

_CURRENCIES = {
    "¥": "CNY", "rmb": "CNY", "cny": "CNY", "人民币": "CNY", "人民幣": "CNY", "元": "CNY", "圆": "CNY", "圓": "CNY", "块": "CNY",
    "$": "USD", "us$": "USD", "usd": "USD", "美元": "USD", "€": "EUR", "eur": "EUR", "欧元": "EUR", "歐元": "EUR",
    "£": "GBP", "gbp": "GBP", "英镑": "GBP", "英鎊": "GBP", "hk$": "HKD", "hkd": "HKD", "港元": "HKD", "港币": "HKD", "港幣": "HKD",
    "nt$": "TWD", "ntd": "TWD", "twd": "TWD", "新台幣": "TWD", "新臺幣": "TWD", "台幣": "TWD", "臺幣": "TWD",
    "円": "JPY", "jpy": "JPY", "日元": "JPY", "日圓": "JPY", "au$": "AUD", "a$": "AUD", "aud": "AUD", "ca$": "CAD", "c$": "CAD",
    "cad": "CAD", "s$": "SGD", "sgd": "SGD", "mop$": "MOP", "₩": "KRW", "krw": "KRW", "₹": "INR", "inr": "INR", "chf": "CHF",
    "zł": "PLN", "pln": "PLN", "₽": "RUB", "руб": "RUB", "kč": "CZK", "r$": "BRL",
}  # fmt: skip
_SIGNS = "|".join(re.escape(sign) for sign in sorted(_CURRENCIES, key=len, reverse=True))
_AMOUNT = r"\d[\d.,]{0,14}"
_PRICE = re.compile(
    rf"(?<![a-z])(?P<before>{_SIGNS})\s?:?\s?(?P<first>{_AMOUNT})\s?(?P<first_scale>[万萬])?"
    rf"|(?P<second>{_AMOUNT})\s?(?P<second_scale>[万萬])?\s?(?P<after>{_SIGNS})(?![a-z])",
    re.IGNORECASE,
)
_BARE = re.compile(rf"({_AMOUNT})\s?([万萬])?(?:\s?[/／起]\s?\w{{0,4}})?")
_CODE = re.compile(r"[A-Za-z]{3}")

_ISBN = re.compile(r"(?<![\d-])(?:97[89](?:[ –-]?\d){9}[ –-]?\d|\d(?:[ –-]?\d){8}[ –-]?[\dXx])(?![\d-]?\d)")
_PHONE = re.compile(r"(?<![\d.])(?:\+\s?\d{1,3}[\s-]?|86[\s-](?=0|1))?(?:\(\+?\d{1,5}\)|\d)[\d\s()-]{4,18}\d(?![\d.])")
_AREA = re.compile(r"\(?(0\d{1,3})(?:\)\s?-?\s?|-)(\d{3,4})[\s-]?(\d{3,4})")
_MAIL = re.compile(r"[\w.+-]{1,64}(?:@|＠|\(at\)|\[at\])[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}", re.ASCII)
_SITE = re.compile(
    r"(?:https?://)?[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,5}(?::\d{1,5})?(?:/[!-~]{0,200})?", re.IGNORECASE
)
_POSTCODE = re.compile(r"(?<!\d)\d{3}-?\d{2,4}(?!\d)|\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b\d{5}-\d{4}\b")

_CLOCK = re.compile(
    r"(?:[T\s日]|^)\s?([01]?\d|2[0-3])\s?[:：时時]\s?([0-5]\d)(?!\d)(?::[0-5]\d(?:\.\d{1,9})?)?(Z|[+-][01]\d:?[0-5]\d)?"
)
_YEAR_MONTH = re.compile(
    r"(?<!\d)((?:1[5-9]|20)\d\d)\s?(?:[-/.年]\s?(0?[1-9]|1[0-2])(?!\d)(?:\s?[-/.月]\s?(0?[1-9]|[12]\d|3[01])(?!\d))?)?"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH_YEAR = re.compile(rf"\b({'|'.join(_MONTHS)})[a-z]{{0,6}}\.?,?\s+((?:1[5-9]|20)\d\d)\b", re.IGNORECASE)
_PAGES = re.compile(r"(?<!\d)(\d{1,5})(?!\d)")

_ROLE = re.compile(
    r"[\s,，]{0,3}[(（\[]?\s?(?:编著|編著|主编|主編|编写|編寫|译注|著|编|編|译|譯|撰|绘|繪|作品)[)）\]]?$"
)
_AFTER_NAME = re.compile(r"[\s(（,，/|]{0,3}(?:\+?\d[\d\s-]{6,}.{0,80}$|[(（].{0,80}$|\s(?:先生|女士|小姐|经理|經理)$)")
_WRITER_BEFORE = re.compile(r"^(?:[\u3400-\u9fff]{0,4}(?:记者|記者|通讯员|通訊員)|[Bb]y\s)\s?")
_WRITER_AFTER = re.compile(r"\s[\u3400-\u9fff]{0,3}(?:报道|報導|報道|摄|攝|文)$")
_NO_LETTERS = re.compile(r"\W+")
_EDGES = " \t\u3000|｜,，;；、/·:：»>"
_PAIRS = (("[", "]"), ("【", "】"), ("(", ")"), ("（", "）"), ("《", "》"))


def clean(text: str) -> str:
    """One line of at most 500 characters, without marks of separation and single brackets at its ends."""
    text = one_line(text.replace("\u200e", "").replace("\u200f", ""), FIELD).strip(_EDGES)
    for left, right in _PAIRS:
        if text.endswith(right) and left not in text:
            text = text[:-1].rstrip(_EDGES)
        elif text.startswith(left) and right not in text:
            text = text[1:].lstrip(_EDGES)
    return text


def narrow(text: str) -> str:
    """The start of a text with full-width letters, digits and signs made ordinary."""
    return unicodedata.normalize("NFKC", text[:_SCANNED])


def price_of(text: str, yuan: str = "", bare: bool = False) -> tuple[str, str]:
    """(amount, ISO code) of the first price, else ("", "").

    ``yuan`` is what 元 and bare numbers count as on this page; ``bare``: a number alone is a price, too.
    """
    text = narrow(text)
    found = _PRICE.search(text)
    if found:
        sign = (found["before"] or found["after"]).lower()
        scale = found["first_scale"] or found["second_scale"]
        code = yuan if sign in ("元", "圆", "圓") and yuan else _CURRENCIES[sign]
        amount = _scaled(found["first"] or found["second"], scale)
        return (amount, code) if amount else ("", "")
    number = _BARE.fullmatch(text.strip()) if bare else None
    return (_scaled(number[1], number[2]), yuan) if number else ("", "")


def prices_in(text: str, yuan: str = "") -> list[tuple[str, str]]:
    """Every price of a short text that has a currency."""
    return [price for found in _PRICE.finditer(narrow(text)) if (price := price_of(found[0], yuan))[0]]


def amount_of(text: str) -> str:
    """A number such as 1,249.00 or 1.249,00 with a decimal point and nothing else, or ""."""
    text = text.strip().rstrip(".,")
    if not text or not text[0].isdigit() or len(text) > 15:
        return ""
    last = max(text.rfind("."), text.rfind(","))
    if last >= 0 and (
        (len(text) - last - 1 == 3 and (text[last] == "," or text.count(".") > 1)) or text.count(text[last]) > 1
    ):
        last = -1  # the mark groups thousands
    whole, cents = (text[:last], text[last + 1 :]) if last >= 0 else (text, "")
    whole = whole.replace(",", "").replace(".", "").lstrip("0") or "0"
    return f"{whole}.{cents}" if cents else whole


def _scaled(text: str, scale: str | None) -> str:
    amount = amount_of(text)
    if scale and amount:
        return f"{float(amount) * 10_000:.10g}"
    return amount if amount.strip("0.") else ""


def currency_of(text: str) -> str:
    """The ISO code of a currency that is named by code or sign, or ""."""
    text = narrow(text).strip()
    return _CURRENCIES.get(text.lower(), text.upper() if _CODE.fullmatch(text) else "")


def isbn_of(text: str) -> str:
    """The first ISBN of 13 digits whose check digit is right, else of ten, without hyphens, or ""."""
    found = [re.sub(r"[^\dX]", "", one[0].upper()) for one in _ISBN.finditer(narrow(text))]
    right = [digits for digits in found if is_isbn(digits)]
    return next((digits for digits in right if len(digits) == 13), right[0] if right else "")


def is_isbn(digits: str) -> bool:
    """Whether the check digit of 10 or 13 digits is right."""
    if len(digits) == 13 and digits.isdigit():
        return (
            digits[:3] in ("978", "979")
            and sum(int(digit) * (1, 3)[place % 2] for place, digit in enumerate(digits)) % 10 == 0
        )
    if len(digits) != 10 or not digits[:9].isdigit():
        return False
    values = [int(digit) for digit in digits[:9]] + [
        10 if digits[9] == "X" else int(digits[9]) if digits[9].isdigit() else -1
    ]
    return (
        values[9] >= 0
        and len(set(digits)) > 1
        and sum((10 - place) * value for place, value in enumerate(values)) % 11 == 0
    )


def phone_of(text: str) -> str:
    """The first phone number, area codes such as (0571) and 0571- written alike, or ""."""
    text = narrow(text).replace("–", "-").replace("—", "-")
    for found in _PHONE.finditer(text):
        shown = re.sub(r"\s+", " ", found[0]).strip(" -")
        if not 7 <= sum(char.isdigit() for char in shown) <= 15 or day_of(shown):
            continue
        shown = re.sub(r"^86[\s-](?=0\d|1[3-9])", "", shown)
        area = _AREA.match(shown)
        return f"{area[1]}-{area[2]}{area[3]}{shown[area.end() :]}" if area else shown
    return ""


def mail_of(text: str) -> str:
    """The first mail address, or ""."""
    found = _MAIL.search(narrow(text).removeprefix("mailto:"))
    return re.sub(r"\(at\)|\[at\]", "@", found[0]).rstrip(".-") if found else ""


def site_of_text(text: str) -> str:
    """The first web address or host name, as it is written, or ""."""
    found = _SITE.search(narrow(text))
    if not found or "@" in text[: found.end() + 1] or found[0].replace(".", "").isdigit():
        return ""
    return found[0].rstrip(".,;)")


def postcode_of(text: str) -> str:
    """The first postal code, or ""."""
    found = _POSTCODE.search(narrow(text))
    return found[0] if found else ""


def pages_of(text: str) -> str:
    """The number of pages, or ""."""
    found = _PAGES.search(narrow(text))
    return found[1] if found and int(found[1]) else ""


def moment_of(text: str) -> str:
    """YYYY-MM-DD, with THH:MM and the offset from UTC when they are named; "" without a day."""
    text = text[:100]
    day = day_of(text)
    clock = _CLOCK.search(narrow(text)) if day else None
    if not clock:
        return day
    zone = "+00:00" if clock[3] == "Z" else clock[3] or ""
    if len(zone) == 5:
        zone = f"{zone[:3]}:{zone[3:]}"
    return f"{day}T{int(clock[1]):02}:{clock[2]}{zone}"


def book_day_of(text: str) -> str:
    """YYYY, YYYY-MM or YYYY-MM-DD: what a book says of its year, or ""."""
    text = narrow(text[:100])
    if day := day_of(text):
        return day
    if found := _MONTH_YEAR.search(text):
        return f"{found[2]}-{_MONTHS.index(found[1][:3].lower()) + 1:02}"
    found = _YEAR_MONTH.search(text)
    return "-".join(part.zfill(2) for part in found.groups() if part) if found else ""


def author_name(text: str) -> str:
    """A name without 著, 编著 and the like behind it."""
    text = clean(text)
    for _ in range(2):
        text = _ROLE.sub("", text).rstrip(_EDGES) or text
    return text


def person_of(text: str) -> str:
    """A name without the number, the post in brackets or the form of address behind it."""
    text = clean(text)[:_SCANNED]
    after = _AFTER_NAME.search(text, 1)
    return clean(text[: after.start()]) if after else text


def writer_of(text: str) -> str:
    """A name without 本报记者 before it and 报道 behind it; "" for what is no name."""
    text = _WRITER_BEFORE.sub("", person_of(text))
    text = _WRITER_AFTER.sub("", text).strip(_EDGES)
    return text if len(text) > 1 and text[0].isalpha() else ""


def squeezed(text: str) -> str:
    """Letters and digits alone, in lower case."""
    return _NO_LETTERS.sub("", text[:1000]).lower()
