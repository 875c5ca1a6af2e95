"""Brings the catalogues in topicspider/locale up to date with the messages in the code, and compiles them.

python .ci/catalogue.py          new messages are added without a translation, those that are gone are dropped
python .ci/catalogue.py --check  changes nothing; exit code 1 when something is missing, untranslated or not compiled
"""

from __future__ import annotations

import io
import re
import sys
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "topicspider"
KEYWORDS = {"_": None, "gettext": None, "N_": None, "ngettext": (1, 2)}
FLAG = re.compile(rb"^#, .*\n", re.MULTILINE)
FIELD = re.compile(r"\{(\w+)")


def messages_in_code() -> list[str | tuple[str, ...]]:
    found = extract_from_dir(PACKAGE, [("**.py", "python")], keywords=KEYWORDS)
    return sorted({message for _name, _line, message, _comments, _context in found}, key=str)


def updated(old: Catalog) -> Catalog:
    """The catalogue of today's messages, with the translations that there are; without dates, which would differ each time."""
    new = Catalog(locale=old.locale)
    for message in messages_in_code():
        known = old.get(message if isinstance(message, str) else message[0])
        text = known.string if known is not None else ""
        new.add(message, string=_as_plural(text) if isinstance(message, tuple) else text)
    return new


def _as_plural(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return text if isinstance(text, tuple | list) else (text,)


def po_bytes(catalog: Catalog) -> bytes:
    out = io.BytesIO()
    write_po(out, catalog, width=0, no_location=True, sort_output=True, omit_header=True, include_previous=False)
    header = f'# Messages of topicspider in {catalog.locale}; `python .ci/catalogue.py` keeps them up to date\nmsgid ""\nmsgstr ""\n'
    header += (
        '"Content-Type: text/plain; charset=utf-8\\n"\n"Language: zh\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
    )
    return header.encode() + FLAG.sub(b"", out.getvalue())


def mo_bytes(po: bytes) -> bytes:
    out = io.BytesIO()
    catalog = read_po(io.BytesIO(po), locale="zh")
    catalog.creation_date = catalog.revision_date = datetime(
        2026, 1, 1, tzinfo=UTC
    )  # the same bytes whenever it is compiled
    write_mo(out, catalog)
    return out.getvalue()


def faults(catalog: Catalog) -> list[str]:
    """Messages without a translation, and translations with a field that the message has not."""
    found = []
    for message in catalog:
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        if not all(texts):
            found.append(f"not translated: {ids[0]!r}")
        unknown = {field for text in texts for field in FIELD.findall(text)} - _fields(message)
        if unknown:
            found.append(f"{ids[0]!r}: no field {', '.join(sorted(unknown))}")
    return found


def _fields(message: Message) -> set[str]:
    ids = message.id if isinstance(message.id, tuple) else (message.id,)
    own = {"count"} if isinstance(message.id, tuple) else set()
    return own | {field for text in ids for field in FIELD.findall(text)}


def main() -> int:
    is_check = "--check" in sys.argv
    bad = []
    for path in sorted(PACKAGE.glob("locale/*/LC_MESSAGES/*.po")):
        before = path.read_bytes()
        with io.BytesIO(before) as stream:
            catalog = updated(read_po(stream, locale="zh"))
        po, compiled = po_bytes(catalog), path.with_suffix(".mo")
        mo = mo_bytes(po)
        bad += faults(catalog)
        if not is_check:
            path.write_bytes(po)
            compiled.write_bytes(mo)
        elif po != before or not compiled.exists() or compiled.read_bytes() != mo:
            bad.append(f"{path.name} is not what the code has: run python .ci/catalogue.py")
    print("\n".join(bad) or "the catalogues are up to date")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
