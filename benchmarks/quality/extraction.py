"""Measures title and body of our reading on pages with gold, beside trafilatura when it is installed.

    python benchmarks/quality/extraction.py [--worst zh] [--also trafilatura]

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
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from topicspider.page.page import Page

_TOKEN = re.compile(
    r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]|[^\W_\u3400-\u9fff\u3040-\u30ff\uac00-\ud7af]+"
)


@dataclass(slots=True)
class Score:
    """Sums over pages of one language."""

    titles: int = 0
    right_titles: int = 0
    bodies: int = 0
    body_f1: float = 0.0
    seconds: float = 0.0
    pages: int = 0
    worst: list[tuple[float, str]] = field(default_factory=list)

    @property
    def title(self) -> float:
        """Share of titles that are exactly the gold."""
        return self.right_titles / max(1, self.titles)

    @property
    def body(self) -> float:
        """Mean F1 of the pages."""
        return self.body_f1 / max(1, self.bodies)


Reader = Callable[[str, bytes], tuple[str, str]]


def corpora() -> Path:
    """Where the measuring pages lie."""
    return Path(os.environ.get("TOPICSPIDER_CORPORA") or Path.home() / ".cache" / "topicspider-corpora")


def gold_pages(folder: Path) -> Iterator[tuple[dict[str, str], bytes]]:
    """(gold record, bytes of the page) of every page of the extraction set."""
    with (folder / "extraction" / "dev" / "gold.jsonl").open(encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            yield record, (folder / "extraction" / "dev" / "html" / f"{record['id']}.html").read_bytes()


def read_ours(url: str, body: bytes) -> tuple[str, str]:
    """(title, body) by the product."""
    page = Page(url, body)
    return page.title, page.body


def read_trafilatura(url: str, body: bytes) -> tuple[str, str]:
    """(title, body) by trafilatura, in its fast mode."""
    import trafilatura

    found = trafilatura.bare_extraction(body, url=url, fast=True, include_comments=False, with_metadata=True)
    return ((found.title or ""), (found.text or "")) if found else ("", "")


def same_title(found: str, gold: str) -> bool:
    """Whether two titles are the same characters, white space and compatibility forms apart."""
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
    """zh or other."""
    return "zh" if record["lang"] == "zh" else "other"


def measure(read: Reader, folder: Path, only: str = "") -> dict[str, Score]:
    """Scores by group (zh, other) and by source within it."""
    scores: dict[str, Score] = defaultdict(Score)
    for record, body in gold_pages(folder):
        group = group_of(record)
        if only and group != only:
            continue
        started = time.process_time()
        title, text = read(record["url"] or "http://example.com/", body)
        seconds = time.process_time() - started
        for name in (group, f"{group}/{record['src']}"):
            _add(scores[name], record, title, text, seconds)
    return scores


def _add(score: Score, record: dict[str, str], title: str, text: str, seconds: float) -> None:
    score.pages += 1
    score.seconds += seconds
    if record["title"]:
        score.titles += 1
        score.right_titles += same_title(title, record["title"])
    if record["body"]:
        f1 = shingle_f1(text, record["body"])
        score.bodies += 1
        score.body_f1 += f1
        score.worst.append((f1, record["id"]))


def report(name: str, scores: dict[str, Score]) -> str:
    """A table, a line a group."""
    lines = [f"{name:14} {'group':22} {'titles':>6} {'strict':>7} {'bodies':>6} {'F1':>6} {'ms/page':>8}"]
    for group in sorted(scores):
        score = scores[group]
        lines.append(
            f"{'':14} {group:22} {score.titles:6} {score.title:7.3f} {score.bodies:6} {score.body:6.3f} "
            f"{score.seconds / max(1, score.pages) * 1000:8.2f}"
        )
    return "\n".join(lines)


def main() -> int:
    """Prints the tables; exit code 0 also when there is nothing to measure with."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", default="", help="list the 25 worst bodies of this group")
    parser.add_argument("--also", default="", help="trafilatura: measure it, too")
    options = parser.parse_args()
    folder = corpora()
    if not (folder / "extraction" / "dev" / "gold.jsonl").is_file():
        print(f"skipped: no extraction/dev/gold.jsonl in {folder}; set TOPICSPIDER_CORPORA to the corpora folder")
        return 0
    ours = measure(read_ours, folder)
    print(report("topicspider", ours))
    for f1, page in sorted(ours[options.worst].worst)[:25] if options.worst else ():
        print(f"  {f1:.3f} {page}")
    if options.also == "trafilatura":
        print(report("trafilatura", measure(read_trafilatura, folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
