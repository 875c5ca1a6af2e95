"""Prints the figures of reading pages, with their targets and whether they are met, beside those of the installed libraries.

    python -m benchmarks.quality.reading [--also all]

Without ``--also all`` only those libraries are measured on which a target is based. Figures that need the measuring pages are skipped and
counted when these are missing ($TOPICSPIDER_CORPORA, else ~/.cache/topicspider-corpora). Costs depend on the machine: they are shown and
never fail. The exit code is 1 when a target fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from importlib.metadata import version
from itertools import product
from pathlib import Path

from benchmarks.micro.bench_page import CRAWL_MODE, HITS_ONLY, made_page
from benchmarks.quality import charsets, dates, extraction, extractors, typed_data
from topicspider.page.page import Page
from topicspider.text.segment import make_segmenter

_RIVALS = ("trafilatura", "trafilatura-full", "readability", "resiliparse")
"""The best body score of these libraries is a target."""
_GAP = 0.01
_COST_PAGES = 90
_COST_BYTES = range(30_000, 50_001)
_URL = "http://www.example.com/travel/list_1.html"


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; ``target`` None: that of a library, or a cost."""

    name: str
    who: str
    value: float
    target: float | None = None
    unit: str = ""

    @property
    def fails(self) -> bool:
        """Whether the target is missed, after rounding to the printed digits."""
        return self.target is not None and round(self.value, 3) < round(self.target, 3)


def line(row: Row) -> str:
    """The row as it is printed."""
    target = f">= {row.target:.3f}  {'FAILS' if row.fails else 'holds'}" if row.target is not None else ""
    return f"{row.name:34.34} {row.who:34.34} {row.value:8.3f} {row.unit:6} {target}".rstrip()


# --- bodies and titles ------------------------------------------------------------------------------


def extraction_rows(folder: Path, names: Sequence[str]) -> Iterator[Row]:
    """Figures of bodies and titles of gold pages; for languages other than Chinese, the target is the best of the rivals."""
    measured = {name: extraction.measure(extractors.LIBRARIES[name].read, folder) for name in names}
    ours = {"topicspider": extraction.measure(extractors.read_ours, folder)}
    best = max((scores["other"].body for name, scores in measured.items() if name in _RIVALS), default=None)
    targets = {"zh": 0.90, "zh/magic-article": 0.86, "other": None if best is None else best - _GAP}
    shown = {
        "zh": "body F1, Chinese",
        "zh/magic-article": "body F1, Chinese, modern articles",
        "other": "body F1, other languages",
    }
    versions = {f"{name} {extractors.LIBRARIES[name].version}": scores for name, scores in measured.items()}
    for group, name in shown.items():
        for who, scores in (ours | versions).items():
            yield Row(name, who, scores[group].body, targets[group] if who == "topicspider" else None)
    for who, scores in (ours | versions).items():
        if scores["zh"].right_titles:
            yield Row("title strict, Chinese", who, scores["zh"].title, 0.96 if who == "topicspider" else None)


# --- dates, typed data, encodings -------------------------------------------------------------------


def date_rows(folder: Path | None) -> Iterator[Row]:
    """Shares of right days on Chinese forms of our own, and on gold pages in any language."""
    readers = {"topicspider": dates.read_ours}
    if has("htmldate"):
        readers[f"htmldate {version('htmldate')}"] = dates.read_htmldate
    for who, read in readers.items():
        goals = (0.95, 0.85) if who == "topicspider" else (None, None)
        yield Row("dates, Chinese forms", who, dates.measure_forms(read).date, goals[0])
        if folder is not None:
            for group, days in dates.measure_gold(read, folder).items():
                yield Row(f"dates, gold, {group}", who, days.date, goals[1])


def typed_rows() -> Iterator[Row]:
    """F1 of typed data on the pages of our own: on all, and on those held back."""
    readers = {"topicspider": typed_data.read_ours}
    if has("extruct"):
        readers[f"extruct {version('extruct')}"] = typed_data.read_extruct
    for who, read in readers.items():
        scores = typed_data.measure(read, typed_data.typed_pages())
        for group, name in (("all", "typed data F1, 60 pages"), ("held", "typed data F1, 20 held back")):
            yield Row(name, who, scores[group].f1, 0.90 if who == "topicspider" else None)


def charset_rows() -> Iterator[Row]:
    """Shares of cases that are decoded correctly: of those that can be decided, and of all."""
    measured = charsets.measure(charsets.read_ours, charsets.cases())
    for group, name in (("decidable", "charset cases that can be told"), ("all", "charset cases, all")):
        yield Row(name, "topicspider", measured[group].right, 0.97 if group == "decidable" else None)


# --- costs ------------------------------------------------------------------------------------------


def cost_rows(folder: Path | None) -> Iterator[Row]:
    """CPU time a page of our reading and of trafilatura, and how many times as long trafilatura takes."""
    sets = {"made page": [(_URL, made_page(seed)) for seed in range(_COST_PAGES)]}
    if folder is not None:
        sets["gold pages of 30-50 kB"] = _pages_of_size(folder)
    segmenter = make_segmenter()
    for name, pages in sets.items():
        ways: dict[str, Callable[[str, bytes], object]] = {
            "crawl mode": lambda url, body: _touch(Page(url, body, "text/html", segmenter), CRAWL_MODE),
            "everything": lambda url, body: _touch(Page(url, body, "text/html", segmenter), CRAWL_MODE + HITS_ONLY),
            "title and body": lambda url, body: _touch(Page(url, body, "text/html", segmenter), ("title", "body")),
            "trafilatura, fast": extractors.read_trafilatura,
            "trafilatura": extractors.read_trafilatura_full,
        }
        spent = dict(zip(ways, milliseconds(list(ways.values()), pages), strict=True))
        for way, one in spent.items():
            yield Row(f"cost, {name}", way, one, unit="ms CPU")
        for theirs, ours in product(("trafilatura, fast", "trafilatura"), ("crawl mode", "title and body")):
            yield Row(f"cost, {name}", f"{theirs} / {ours}", spent[theirs] / spent[ours], unit="x")


def milliseconds(ways: Sequence[Callable[[str, bytes], object]], pages: Sequence[tuple[str, bytes]]) -> list[float]:
    """Mean CPU time a page of each way, over pages that it has not seen before, because a crawl reads no page twice.

    The first third of the pages only loads dictionaries. The ways take turns, so that a busy machine slows all of them.
    """
    warm = len(pages) // 3
    for way in ways:
        _spent(way, pages[:warm])
    times = [[_spent(way, [page]) for way in ways] for page in pages[warm:]]
    return [statistics.mean(of_one_way) for of_one_way in zip(*times, strict=True)]


def _spent(way: Callable[[str, bytes], object], pages: Sequence[tuple[str, bytes]]) -> float:
    started = time.process_time()
    for url, body in pages:
        way(url, body)
    return (time.process_time() - started) * 1000


def _pages_of_size(folder: Path) -> list[tuple[str, bytes]]:
    """_COST_PAGES gold pages with a size in _COST_BYTES: those whose contents have the lowest hashes."""
    found = ((record["url"] or _URL, body) for record, body in extraction.gold_pages(folder))
    sized = [one for one in found if len(one[1]) in _COST_BYTES]
    return sorted(sized, key=lambda one: blake2b(one[1], digest_size=8).digest())[:_COST_PAGES]


def _touch(page: Page, fields: Sequence[str]) -> None:
    for name in fields:
        getattr(page, name)


# --- the command ------------------------------------------------------------------------------------


def has(module: str) -> bool:
    """Whether a library is installed."""
    return importlib.util.find_spec(module) is not None


def skipped_libraries(names: Sequence[str]) -> list[str]:
    """The names of the distributions that are not installed."""
    wanted = [extractors.LIBRARIES[name] for name in names]
    absent = {one.distribution for one in wanted if not one.is_installed}
    return sorted(absent | {name for name in ("htmldate", "extruct") if not has(name)})


def rows(folder: Path | None, names: Sequence[str]) -> Iterator[Row]:
    """Every figure; without ``folder`` only those that need no measuring pages."""
    if folder is not None:
        yield from extraction_rows(folder, [name for name in names if extractors.LIBRARIES[name].is_installed])
    yield from date_rows(folder)
    yield from typed_rows()
    yield from charset_rows()
    yield from cost_rows(folder)


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code: 0 when every target is met, else 1."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--also", choices=["all"], help="also the libraries that no target is made of")
    options = parser.parse_args(arguments)
    folder = extraction.corpora()
    has_gold = (folder / "extraction" / "dev" / "gold.jsonl").is_file()
    names = tuple(extractors.LIBRARIES) if options.also else _RIVALS
    warnings.filterwarnings("ignore", module="dateutil")  # from htmldate, about time zones in pages
    failed = 0
    for row in rows(folder if has_gold else None, names):
        print(line(row), flush=True)
        failed += row.fails
    if not has_gold:
        print(f"skipped: 7 targets and a cost need extraction/dev, which is not in {folder} (TOPICSPIDER_CORPORA)")
    if absent := skipped_libraries(names):
        print(f"skipped, not installed: {', '.join(absent)} (pip install -r requirements-bench.txt)")
    print(f"reading: {failed or 'no'} target{'s fail' if failed != 1 else ' fails'}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
