"""Measures the titles, bodies and dates that we read on gold pages; benchmarks.quality.reading compares them with libraries.

    python -m benchmarks.quality.extraction [--worst zh] [--halves]

Pages of one source have no gold body, but passages that a body has (``has``: the share found) or has not (``free``: the share left out).
``--halves`` shows two halves of the sites, divided by a hash of their names: rules are chosen on half A and confirmed on half B.

The corpora folder is $TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora; its layout is in docs/reading.md.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from pathlib import Path

from benchmarks.quality.extractors import Found, Reader, read_ours

_TOKEN = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]|[^\W_\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+"
)


@dataclass(slots=True)
class Score:
    """Sums over the pages of one group."""

    titles: int = 0
    right_titles: int = 0
    bodies: int = 0
    body_f1: float = 0.0
    wanted: int = 0
    found: int = 0
    unwanted: int = 0
    left_out: int = 0
    dates: int = 0
    right_dates: int = 0
    seconds: float = 0.0
    pages: int = 0
    worst: list[tuple[float, str]] = field(default_factory=list)

    @property
    def title(self) -> float:
        """The share of titles that equal the gold (see same_title)."""
        return self.right_titles / max(1, self.titles)

    @property
    def date(self) -> float:
        """The share of days of publication that equal the gold."""
        return self.right_dates / max(1, self.dates)

    @property
    def body(self) -> float:
        """The mean F1 of the bodies (see shingle_f1)."""
        return self.body_f1 / max(1, self.bodies)


def corpora() -> Path:
    """The folder of the measuring pages."""
    return Path(os.environ.get("TOPICSPIDER_CORPORA") or Path.home() / ".cache" / "topicspider-corpora")


def gold_pages(folder: Path) -> Iterator[tuple[dict[str, str], bytes]]:
    """(gold record, bytes of the page) of every page of the extraction set."""
    with (folder / "extraction" / "dev" / "gold.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield record, (folder / "extraction" / "dev" / "html" / f"{record['id']}.html").read_bytes()


def same_title(found: str, gold: str) -> bool:
    """Whether two titles have the same characters, apart from white space and compatibility forms."""
    return _squeezed(found) == _squeezed(gold)


def _squeezed(text: str) -> str:
    return "".join(unicodedata.normalize("NFKC", text).split())


def shingle_f1(found: str, gold: str) -> float:
    """F1 of the multisets of 4-token shingles; a Chinese character is a token."""
    ours, theirs = _shingles(found), _shingles(gold)
    if not ours or not theirs:
        return float(ours == theirs)
    common = (ours & theirs).total()
    return 2 * common / (ours.total() + theirs.total())


def _shingles(text: str) -> Counter[tuple[str, ...]]:
    tokens = _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())
    if 0 < len(tokens) < 4:
        return Counter([tuple(tokens)])
    return Counter(zip(tokens, tokens[1:], tokens[2:], tokens[3:], strict=False))


def group_of(record: dict[str, str]) -> str:
    """``zh`` or ``other``, by the language of the page."""
    return "zh" if record["lang"] == "zh" else "other"


def half_of(record: dict[str, str]) -> str:
    """The half that a page's site belongs to: A or B."""
    site = record["site"] or record["id"]
    return "AB"[blake2b(site.encode(), digest_size=1).digest()[0] % 2]


def measure(read: Reader, folder: Path, *, in_halves: bool = False) -> dict[str, Score]:
    """Scores by group (zh, other), and by source or half within it."""
    scores: dict[str, Score] = defaultdict(Score)
    for record, body in gold_pages(folder):
        group = group_of(record)
        started = time.process_time()
        found = _found(read, record["url"] or "http://example.com/", body)
        seconds = time.process_time() - started
        for name in (group, f"{group}/{f'half {half_of(record)}' if in_halves else record['src']}"):
            _add(scores[name], record, found, seconds)
    return scores


def _found(read: Reader, url: str, body: bytes) -> Found:
    try:
        return read(url, body)
    except Exception:  # a library that fails on a page has found nothing there
        if read is read_ours:
            raise
        return Found()


def _add(score: Score, record: dict[str, str], found: Found, seconds: float) -> None:
    score.pages += 1
    score.seconds += seconds
    if record["title"]:
        score.titles += 1
        score.right_titles += same_title(found.title, record["title"])
    if record["date"]:
        score.dates += 1
        score.right_dates += found.date == record["date"]
    if record["with_"] or record["without"]:
        _add_passages(score, record, _tokens(found.body))
    if record["body"]:
        f1 = shingle_f1(found.body, record["body"])
        score.bodies += 1
        score.body_f1 += f1
        score.worst.append((f1, record["id"]))


def _add_passages(score: Score, record: dict[str, str], body: str) -> None:
    wanted, unwanted = record["with_"] or (), record["without"] or ()
    score.wanted += len(wanted)
    score.found += sum(_tokens(passage) in body for passage in wanted)
    score.unwanted += len(unwanted)
    score.left_out += sum(_tokens(passage) not in body for passage in unwanted)


def _tokens(text: str) -> str:
    return " ".join(_TOKEN.findall(unicodedata.normalize("NFKC", text).lower()))


def report(scores: dict[str, Score]) -> str:
    """A table with a line for each group."""
    head = f"{'group':20} {'titles':>6} {'strict':>7} {'bodies':>6} {'F1':>6} {'has':>6} {'free':>6} {'dates':>6} {'right':>6} {'ms/page':>8}"
    return "\n".join([head, *(_row(group, scores[group]) for group in sorted(scores))])


def _row(group: str, score: Score) -> str:
    passages = (score.found / max(1, score.wanted), score.left_out / max(1, score.unwanted))
    counts = (score.titles, score.title, score.bodies, score.body, *passages, score.dates, score.date)
    cells = "{:6} {:7.3f} {:6} {:6.3f} {:6.3f} {:6.3f} {:6} {:6.3f}".format(*counts)
    return f"{group:20} {cells} {score.seconds / max(1, score.pages) * 1000:8.2f}"


def main() -> int:
    """Print the tables; the exit code is 0 also when the pages are missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", default="", help="list the 25 worst bodies of this group")
    parser.add_argument(
        "--halves", action="store_true", help="show the two halves of the sites in place of the sources"
    )
    options = parser.parse_args()
    folder = corpora()
    if not (folder / "extraction" / "dev" / "gold.jsonl").is_file():
        print(f"skipped: no extraction/dev/gold.jsonl in {folder}; set TOPICSPIDER_CORPORA to the corpora folder")
        return 0
    ours = measure(read_ours, folder, in_halves=options.halves)
    print(report(ours))
    for f1, page in sorted(ours[options.worst].worst)[:25] if options.worst else ():
        print(f"  {f1:.3f} {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
