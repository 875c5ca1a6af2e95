"""Documents made for tests: PDF and DOCX, good ones and bad ones."""

from __future__ import annotations

import zipfile
from io import BytesIO
from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FONT = "STSong-Light"
WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
pdfmetrics.registerFont(UnicodeCIDFont(FONT))

Placed = tuple[str, float, float, float]
"""(text, left, bottom, size of the letters)."""


def pdf(pages: Sequence[Sequence[Placed]], title="", author="", links=(), password="") -> bytes:
    """A PDF of printed lines; ``links``: (page, address, (left, bottom, right, top))."""
    file = BytesIO()
    sheet = canvas.Canvas(file, A4, invariant=1, encrypt=password or None)
    sheet.setTitle(title)
    sheet.setAuthor(author)
    for number, lines in enumerate(pages):
        for text, left, bottom, size in lines:
            sheet.setFont(FONT, size)
            sheet.drawString(left, bottom, text)
        for place, address, rectangle in links:
            if place == number:
                sheet.linkURL(address, rectangle, relative=0)
        sheet.showPage()
    sheet.save()
    return file.getvalue()


def printed(lines: Sequence[str], top=740.0, left=90.0, size=11.0, pitch=16.0) -> list[Placed]:
    """Place ``lines`` below each other; a line is indented by the wide spaces at its beginning."""
    return [
        (line.lstrip("　"), left + size * (len(line) - len(line.lstrip("　"))), top - pitch * number, size)
        for number, line in enumerate(lines)
    ]


def zipped(members: Mapping[str, str | bytes], compression=zipfile.ZIP_DEFLATED) -> bytes:
    file = BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        for name, data in members.items():
            archive.writestr(name, data, zipfile.ZIP_STORED if name == "mimetype" else None)
    return file.getvalue()


def docx(body: str, core="", relations: Mapping[str, str] | None = None, styles="", before="", **more: str) -> bytes:
    """A DOCX file; ``body``: the markup inside w:body, ``core``: the elements of docProps/core.xml."""
    links = "".join(
        f'<Relationship Id="{name}" Type="{RELATIONS}/hyperlink" Target="{escape(target)}" TargetMode="External"/>'
        for name, target in (relations or {}).items()
    )
    members = {
        "[Content_Types].xml": "<Types/>",
        "word/document.xml": f'<?xml version="1.0" encoding="UTF-8"?>{before}<w:document xmlns:w="{WORD}" xmlns:r="{RELATIONS}" '
        f'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"><w:body>{body}</w:body></w:document>',
        "word/_rels/document.xml.rels": f"<Relationships>{links}</Relationships>",
        "word/styles.xml": f'<w:styles xmlns:w="{WORD}">{styles}</w:styles>',
        "docProps/core.xml": '<cp:coreProperties xmlns:cp="urn:cp" xmlns:dc="http://purl.org/dc/elements/1.1/" '
        f'xmlns:dcterms="http://purl.org/dc/terms/">{core}</cp:coreProperties>',
    }
    return zipped({**members, **more})


def paragraph(text: str, style="", inner="") -> str:
    """A paragraph (w:p), whose text is split into two runs, as Word does."""
    chosen = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    half = len(text) // 2
    runs = "".join(f'<w:r><w:t xml:space="preserve">{escape(part)}</w:t></w:r>' for part in (text[:half], text[half:]))
    return f"<w:p>{chosen}{runs}{inner}</w:p>"
