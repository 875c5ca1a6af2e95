"""Reads which encoding a response declares: the label in its HTTP header, ``<meta>`` or XML declaration."""

from __future__ import annotations

import codecs
import re

_PRESCAN_BYTES = 8_192
"""The standard asks for 1,024; real pages put scripts before their declaration."""

_HEADER = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"""\s{0,20}<\?xml[^>]{0,200}?\sencoding\s{0,9}=\s{0,9}["']([\w.:-]{2,40})""")
_TAG = re.compile(rb"""<!--.*?(?:-->|\Z)|</?([a-zA-Z][^\s/>]*+)((?:[^"'>]++|"[^"]*+"|'[^']*+')*+)>""", re.DOTALL)
_ATTRIBUTE = re.compile(rb"""([^\s=/"'>]++)\s*+(?:=\s*+("[^"]*+"|'[^']*+'|[^\s"'>][^\s>]*+))?""")
_CONTENT = re.compile(rb"""charset\s*=\s*(?:"\s*([^"]+)"|'\s*([^']+)'|([^\s;"']+))""", re.IGNORECASE)
_LABEL = re.compile(r"""[\w.:-]{2,40}(?=[\s;,"']{0,9}\Z)""")

_SPELLINGS = {
    "gb18030": (
        "gb2312 gbk x-gbk gb-2312 gb_2312 gb_2312-80 gb2312-80 csgb2312 iso-ir-58 csiso58gb231280 chinese cp936 ms936 936 windows-936 "
        "gb_18030 hz hz-gb-2312"
    ),
    "big5hkscs": "big5 big-5 big5-hkscs cn-big5 csbig5 x-x-big5 cp950 ms950 big5-eten",
    "cp932": "shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j csshiftjis s_jis cp932",
    "cp949": (
        "euc-kr euckr euc_kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 ksc5601 ksc_5601 windows-949 uhc cp949"
    ),
    "euc_jp": "euc-jp x-euc-jp cseucpkdfmtjapanese ujis",
    "iso2022_jp_ext": "iso-2022-jp iso2022_jp csiso2022jp",
    "cp1252": (
        "iso-8859-1 iso8859-1 latin1 latin-1 l1 ascii us-ascii ansi ansi_x3.4-1968 ibm819 cp819 iso-ir-100 x-user-defined windows-1252 x-cp1252"
    ),
    "cp1254": "iso-8859-9 iso8859-9 latin5 l5 iso-ir-148 x-cp1254",
    "cp874": "tis-620 tis620 iso-8859-11 iso8859-11 dos-874 windows-874",
    "iso8859-8": "visual logical iso-8859-8-i iso-8859-8-e csiso88598i csiso88598e",
    "mac-roman": "macintosh mac x-mac-roman csmacintosh",
    "mac-cyrillic": "x-mac-cyrillic x-mac-ukrainian",
    "koi8-r": "koi koi8 koi8_r cskoi8r",
    "koi8-u": "koi8-ru",
    "utf-8": "utf8 utf-8 utf_8 utf8mb4 unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8",
    "utf-16-le": "utf-16 utf-16le unicode ucs-2 csunicode iso-10646-ucs-2 unicodefeff",
    "utf-16-be": "utf-16be unicodefffe",
} | {f"cp125{digit}": f"x-cp125{digit}" for digit in (0, 1, 3, 5, 6, 7, 8)}
_CODECS = {label: codec for codec, labels in _SPELLINGS.items() for label in labels.split()}
"""Labels as the WHATWG Encoding Standard reads them (a superset each) and as pages misspell them, in Python's codec names."""

_KNOWN = frozenset(_SPELLINGS) | frozenset(("cp866", "iso2022_kr"))

_PUBLIC = {
    "big5hkscs": "big5",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "euc_jp": "euc-jp",
    "iso2022_jp_ext": "iso-2022-jp",
    "iso2022_kr": "iso-2022-kr",
    "hz": "hz-gb-2312",
    "cp866": "ibm866",
    "cp874": "windows-874",
    "mac-roman": "macintosh",
    "mac-cyrillic": "x-mac-cyrillic",
}
_PUBLIC |= {f"cp125{digit}": f"windows-125{digit}" for digit in range(9)}
_PUBLIC |= {f"iso8859-{part}": f"iso-8859-{part}" for part in range(1, 17)}


def labels_of(body: bytes, content_type: str) -> tuple[str, str]:
    """(label in the header, label in the markup), in lower case as written; "" where there is none."""
    found = _HEADER.search(content_type[:500])
    return (found[1].lower() if found else ""), _markup_label(body[:_PRESCAN_BYTES])


def codec_name(label: str) -> str:
    """Python's name of the codec a label means on the web, or "" for an unknown one."""
    label = label.strip().lower()
    if label in _CODECS:
        return _CODECS[label]
    try:
        name = codecs.lookup(label).name
    except (LookupError, ValueError):
        return ""
    name = _CODECS.get(name, name)
    return name if name in _KNOWN or name.startswith("iso8859-") else ""


def public_name(codec: str) -> str:
    """The web's name of a codec."""
    return _PUBLIC.get(codec, codec)


def _markup_label(head: bytes) -> str:
    """The label in the XML declaration or in the first ``<meta>`` with a known one, as a browser's prescan finds it."""
    first = ""
    if found := _XML.match(head):
        first = found[1].decode("ascii", "ignore").lower()
    for tag in _TAG.finditer(head):
        if tag[1] and tag[1].lower() == b"meta":
            label = _meta_label(tag[2])
            if codec_name(label):
                return label
            first = first or label
    return first


def _meta_label(attributes: bytes) -> str:
    values: dict[bytes, bytes] = {}
    for name, value in _ATTRIBUTE.findall(attributes):
        values.setdefault(name.lower(), value[1:-1] if value[:1] in (b'"', b"'") else value)
    label = values.get(b"charset", b"")
    if not label and values.get(b"http-equiv", b"").lower() == b"content-type":
        content = _CONTENT.search(values.get(b"content", b""))
        label = next((part for part in content.groups() if part), b"") if content else b""
    found = _LABEL.match(label.strip().decode("ascii", "ignore").lower())
    return found[0] if found else ""
