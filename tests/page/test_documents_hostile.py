"""Hostile documents cost their reader a bounded time and memory, and end with a name, never with an exception."""

from __future__ import annotations

import io
import os
import random
import struct
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.documents import docx, paragraph, pdf, printed, zipped
from topicspider.download.outcome import Outcome, may_retry
from topicspider.page.documents import document as limits
from topicspider.page.documents import pdf as pdf_reader
from topicspider.page.documents.document import Document, Failure
from topicspider.page.documents.plain import markup_of_text
from topicspider.page.documents.process import convert, read
from topicspider.page.page import Page

ROOT = Path(__file__).resolve().parents[2]
TEXT = "黄山以奇松、怪石、云海著称，是中国最有名的山之一。"
GOOD = {"pdf": pdf([printed([TEXT])]), "docx": docx(paragraph(TEXT))}
BILLION = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(10))
    + "]>"
)


def lying(body, told=10):
    """A ZIP file that says its largest member unpacks to ``told`` bytes."""
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        real = max(member.file_size for member in archive.infolist())
    return body.replace(struct.pack("<I", real), struct.pack("<I", told))


def raw_pdf(*objects, trailer="/Root 1 0 R"):
    """A PDF without a table of its objects: readers find them by search."""
    lines = [f"{number} 0 obj\n{text}\nendobj" for number, text in enumerate(objects, 1)]
    return ("%PDF-1.4\n" + "\n".join(lines) + f"\ntrailer\n<<{trailer}>>\n%%EOF").encode("latin-1")


def stream(data, more=""):
    return f"<</Length {len(data)}{more}>>\nstream\n{data.decode('latin-1')}\nendstream"


def pdf_with(content, more=""):
    return raw_pdf(
        "<</Type/Catalog/Pages 2 0 R>>",
        "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>/XObject<</X 6 0 R>>>>>>",
        stream(content, more),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        stream(b"/X Do /X Do /X Do", "/Type/XObject/Subtype/Form/BBox[0 0 600 800]/Resources<</XObject<</X 6 0 R>>>>"),
    )


BOMB = docx("", **{"word/document.xml": bytes(300 * 1024 * 1024)})
SOUP = random.Random(5).randbytes(200_000)
HOSTILE = {
    "nothing": ("pdf", b"", {Failure.DAMAGED}),
    "random bytes as a PDF": ("pdf", b"%PDF-1.7\n" + SOUP, {Failure.DAMAGED}),
    "half a PDF": ("pdf", GOOD["pdf"][: len(GOOD["pdf"]) // 2], {Failure.DAMAGED, Failure.EMPTY, ""}),
    "a PDF with a password": ("pdf", pdf([printed([TEXT])], password="secret"), {Failure.LOCKED}),
    "a DOCX with a password": ("docx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + SOUP, {Failure.LOCKED}),
    "scanned pages": ("pdf", pdf([[], []]), {Failure.EMPTY}),
    "an empty DOCX": ("docx", docx(""), {Failure.EMPTY}),
    "a DOCX without its text": ("docx", zipped({"word/other.xml": "<x/>"}), {Failure.DAMAGED}),
    "pages that are their own children": (
        "pdf",
        raw_pdf("<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[2 0 R 2 0 R]/Count 99999999>>"),
        {Failure.DAMAGED, Failure.EMPTY},
    ),
    "a form that draws itself": ("pdf", pdf_with(b"/X Do"), {Failure.EMPTY, Failure.LIMIT}),
    "a PDF that unpacks to 200 MB": (
        "pdf",
        pdf_with(zlib.compress(b"BT /F 9 Tf (ha) Tj ET\n" * 9_000_000), "/Filter/FlateDecode"),
        {"", Failure.EMPTY, Failure.LIMIT},
    ),
    "a million letters in one place": ("pdf", pdf_with(b"BT /F 9 Tf " + b"(ha) Tj " * 300_000 + b"ET"), {"", Failure.LIMIT}),
    "100,000 open brackets": ("pdf", pdf_with(b"[" * 100_000), {Failure.EMPTY, Failure.DAMAGED, Failure.LIMIT}),
    "10,000 pages": ("pdf", pdf([[(f"第 {n} 页说的话不一样。", 90, 700, 11)] for n in range(10_000)]), {""}),
    "a ZIP bomb": ("docx", BOMB, {Failure.LIMIT}),
    "a ZIP bomb that lies": ("docx", lying(BOMB), {Failure.LIMIT, Failure.DAMAGED}),
    "100,000 members": ("docx", b"PK\x03\x04" + b"PK\x01\x02" * 100_000, {Failure.LIMIT}),
    "entities in entities": ("docx", docx(paragraph("&k;").replace("&amp;", "&"), before=BILLION), {Failure.DAMAGED}),
    "an outer entity": (
        "docx",
        docx("<w:p><w:r><w:t>&e;</w:t></w:r></w:p>", before='<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>'),
        {Failure.DAMAGED},
    ),
    "100,000 nested tables": ("docx", docx("<w:tbl><w:tr><w:tc>" * 33_000), {Failure.DAMAGED}),
    "40,000 attributes in a tag": (
        "docx",
        docx("<w:p " + " ".join(f'a{n}="1"' for n in range(40_000)) + ">" + "</w:p>" + paragraph(TEXT)),
        {""},
    ),
    "a million runs": ("docx", docx("<w:p>" + "<w:r><w:t>字</w:t></w:r>" * 600_000 + "</w:p>"), {"", Failure.LIMIT}),
    "a million paragraphs": ("docx", docx(paragraph("字") * 300_000), {"", Failure.LIMIT}),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_document_ends_within_its_limits_and_has_a_name(name):
    kind, body, endings = HOSTILE[name]
    document = convert(kind, body)
    assert document.failure in endings
    assert bool(document.markup) == (not document.failure)
    assert len(document.markup) <= limits.MAX_MARKUP_BYTES
    if document.markup:
        page = Page("http://a.example/x", document.markup, document.content_type, document=kind)
        assert page.body


def test_a_document_that_takes_too_long_is_cut_where_it_stands():
    pages = [printed([f"第{n}页第{i}行的字，没有两行是一样的，{TEXT}" for i in range(40)]) for n in range(60)]
    failure, markup = read("pdf", pdf(pages))
    assert failure == ""
    assert len(markup.decode()) < 2 * limits.MAX_TEXT
    checks = iter([False] * 10)
    short = pdf_reader.markup_of(pdf(pages), lambda: next(checks, True))
    assert 0 < len(short) < len(markup)


@pytest.mark.parametrize("kind", GOOD)
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_no_damage_raises(kind, data):
    """Promise P1, for the readers: bytes changed, cut out, put in."""
    body = bytearray(GOOD[kind])
    for _turn in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(body)))
        removed = data.draw(st.integers(0, 40))
        body[place : place + removed] = data.draw(st.binary(max_size=40))
    failure, markup = read(kind, bytes(body))
    assert failure in ("", *Failure)
    assert bool(markup) == (not failure)


@given(text=st.text(max_size=3000))
def test_no_text_raises_and_none_is_lost(text):
    """Promise P1, for plain text: every letter comes out again, in order, however it was wrapped."""
    page = Page("http://a.example/a.txt", text.encode("utf-8", "ignore"), "text/plain")
    assert isinstance(page.title, str)
    assert isinstance(page.body, str)
    markup = markup_of_text("".join(c for c in text if c.isalnum() or c in " \n。-#"))
    assert markup.endswith("</body></html>")


@pytest.mark.parametrize("text", ["a\n" * 400_000, "-\n" * 400_000, "http://" * 200_000, "# " * 400_000, "字" * 2_000_000, "ab-\n" * 200_000], ids=lambda text: repr(text[:4]))  # fmt: skip
def test_plain_text_is_read_in_linear_time(text):
    began = time.process_time()
    markup = markup_of_text(text)
    assert time.process_time() - began < 1.0
    assert len(markup) < limits.MAX_TEXT * 4


def test_a_process_that_takes_too_long_is_ended():
    began = time.monotonic()
    assert convert("pdf", GOOD["pdf"], seconds=0.01).failure == Failure.LIMIT
    assert time.monotonic() - began < 30


def test_the_limits_are_the_systems():
    script = (
        "import resource as r\nfrom topicspider.page.documents.process import limit\nlimit()\n"
        "print([r.getrlimit(kind)[0] for kind in (r.RLIMIT_AS, r.RLIMIT_CPU, r.RLIMIT_CORE, r.RLIMIT_FSIZE, r.RLIMIT_NPROC)])"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, cwd=ROOT)
    assert ended.stdout == f"{[limits.MEMORY_BYTES, 9, 0, 0, 0]}\n", ended.stderr


def test_the_process_starts_from_an_egg(tmp_path):
    """scrapyd puts a ZIP file of the project into sys.path of a process that runs."""
    egg = tmp_path / "topicspider-1.0.egg"
    with zipfile.ZipFile(egg, "w") as archive:
        for path in (ROOT / "topicspider").rglob("*.py"):
            archive.write(path, path.relative_to(ROOT))
    script = (
        f"import sys\nsys.path.insert(0, {str(egg)!r})\nfrom topicspider.page.documents import process\n"
        f"assert {egg.name!r} in process.__file__\nprint(repr(process.convert('docx', {GOOD['docx']!r}).failure))\n"
    )
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=env, cwd=tmp_path)
    assert ended.stdout == "''\n", ended.stderr


def test_nothing_secret_is_handed_down(monkeypatch, tmp_path):
    spy = tmp_path / "python"
    spy.write_text(f"#!/bin/sh\nenv > {tmp_path}/seen\n")
    spy.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(spy))
    monkeypatch.setenv("TOPICSPIDER_STORE", "mysql://user:password@host/database")
    monkeypatch.setenv("http_proxy", "http://user:password@proxy:3128")
    assert convert("docx", GOOD["docx"]).failure == Failure.UNREAD  # it answered nothing
    seen = (tmp_path / "seen").read_text()
    assert "password" not in seen
    assert "PYTHONPATH=" in seen


def test_modules_of_the_folder_a_crawl_runs_in_are_not_read(monkeypatch, tmp_path):
    (tmp_path / "queue.py").write_text("raise SystemExit('not mine')")
    monkeypatch.chdir(tmp_path)
    assert convert("docx", GOOD["docx"]).failure == ""


def test_without_a_python_documents_are_unread_and_it_is_said(monkeypatch, caplog):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert convert("pdf", GOOD["pdf"]) == Document("pdf", failure=Failure.UNREAD)
    assert len(caplog.records) == 1


@pytest.mark.parametrize("failure", Failure)
def test_every_failure_is_an_outcome_that_is_not_tried_again(failure):
    assert failure.value in set(Outcome)
    assert not may_retry(failure.value)
