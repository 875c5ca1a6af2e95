"""Measures how well and how fast search finds known pages by their words, and words of two characters, and the cost of the index.

    python -m benchmarks.quality.search [--pages 100000] [--queries 500] [--folder DIR] [--recorded-only]

A known-item query is three words drawn by seed from the body of a page, each in at most one page of a hundred and none in its title; the
page (or a copy of it) should come first. MRR@10 is the mean of 1/rank, 0 when it is not among the first ten. The recorded pages are those
of search_pages; the larger set adds synthetic ones.
"""

from __future__ import annotations

import argparse
import os
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from statistics import fmean, quantiles

from benchmarks.quality.extraction import corpora
from benchmarks.quality.search_pages import mixed_file, mixed_store, recorded_store
from topicspider.search.index import SearchIndex, original_of
from topicspider.search.search import Search, SearchRequest
from topicspider.store.rows import PageRow
from topicspider.store.store import Store
from topicspider.text.normalise import is_cjk, normalise
from topicspider.text.segment import Segmenter, make_segmenter

RAREST = 0.01
WORDS = 3
TWO_CHARACTERS = 200
_TOP = 10
_SAMPLED = 3000  # pages whose words are kept to draw queries from


@dataclass(frozen=True, slots=True)
class Known:
    """A query and the page that it was drawn from."""

    text: str
    original: int


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=Path.home() / ".cache" / "topicspider" / "search")
    parser.add_argument("--recorded-only", action="store_true")
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    warc = corpora() / "sites-dev.warc"
    print(f"recorded pages ({os.cpu_count()} cores)")
    with closing(recorded_store(options.folder, warc)) as store:
        measure(store, options.folder / "recorded.search", options)
    if not options.recorded_only:
        print(f"recorded and made pages, {options.pages:,} together")
        with closing(mixed_store(options.folder, warc, options.pages)) as store:
            measure(store, mixed_file(options.folder, options.pages).with_suffix(".search"), options)


def measure(store: Store, path: Path, options: argparse.Namespace) -> None:
    """Index a store, and print the figures of its search."""
    segmenter = make_segmenter()
    with closing(SearchIndex(path, segmenter, path.name)) as index:
        began = time.process_time()
        put = index.refresh(store)
        if put:
            rate = put / (time.process_time() - began)
            print(f"  {put:,} pages indexed, {rate:,.0f} a second of CPU")
        print_sizes(index, store)
        frequencies, sample = words_of(store, segmenter, options.seed)
        search = Search(index, store)
        print_known(
            search, known_items(frequencies, sample, index.read("SELECT COUNT(*) FROM pages")[0][0], options), options
        )
        print_two_characters(index, two_characters(frequencies, options.seed), store)


def print_sizes(index: SearchIndex, store: Store) -> None:
    """Print the sizes of the index and of the words kept for updates, as ratios to that of the text."""
    text = sum(len(row.item.title.encode()) + len(row.item.body.encode()) for row in store.all_hits())
    sizes = dict(index.read("SELECT name, SUM(pgsize) FROM dbstat GROUP BY name"))
    kept = sizes.get("texts", 0)
    rest = sum(sizes.values()) - kept
    print(f"  text {text / 1e6:.1f} MB; index {rest / text:.3f} x the text; words kept for updates {kept / text:.3f} x")


def words_of(store: Store, segmenter: Segmenter, seed: int) -> tuple[Counter[str], list[tuple[PageRow, set[str]]]]:
    """In how many pages each word of two or more characters is, and some pages with the words of their bodies."""
    rng = random.Random(seed)
    frequencies: Counter[str] = Counter()
    total = store.totals().hits
    chosen = set(rng.sample(range(total), min(_SAMPLED, total)))
    sample = []
    for number, row in enumerate(store.all_hits()):
        words = {word for word in segmenter.words(row.item.body) if len(word) > 1}
        frequencies.update(words)
        if number in chosen:
            sample.append((row, words))
    rng.shuffle(sample)
    return frequencies, sample


def known_items(
    frequencies: Counter[str], sample: Sequence[tuple[PageRow, set[str]]], pages: int, options: argparse.Namespace
) -> list[Known]:
    """Known-item queries, each from another page."""
    rng = random.Random(options.seed)
    found = []
    for row, words in sample:
        title = normalise(row.item.title)
        rare = sorted(word for word in words if frequencies[word] <= RAREST * pages and word not in title)
        if len(rare) >= WORDS:
            mark = original_of(row.item.topic, row.item.duplicate_of or row.item.url)
            found.append(Known(" ".join(rng.sample(rare, WORDS)), mark))
    return found[: options.queries]


def print_known(search: Search, known: Sequence[Known], options: argparse.Namespace) -> None:
    """Print MRR@10 and how long an answer takes, including its ten snippets."""
    ranks, seconds, busy = [], [], []
    for one in known:
        began, began_busy = time.perf_counter(), time.process_time()
        answer = search.answer(SearchRequest(one.text, limit=_TOP))
        seconds.append(time.perf_counter() - began)
        busy.append(time.process_time() - began_busy)
        marks = [original_of(hit.row.item.topic, hit.row.item.duplicate_of or hit.row.item.url) for hit in answer.hits]
        ranks.append(1 / (marks.index(one.original) + 1) if one.original in marks else 0.0)
    p50, p95 = percentiles(seconds)
    p50_busy, p95_busy = percentiles(busy)
    print(f"  known items: {len(known)} queries, MRR@10 {fmean(ranks):.3f}, first {ranks.count(1.0) / len(ranks):.3f}")
    print(f"  an answer: p50 {p50:.1f} ms, p95 {p95:.1f} ms; of CPU p50 {p50_busy:.1f} ms, p95 {p95_busy:.1f} ms")


def percentiles(seconds: Sequence[float]) -> tuple[float, float]:
    """The 50th and the 95th percentile, in milliseconds."""
    twentieths = quantiles(seconds, n=20)
    return twentieths[9] * 1000, twentieths[18] * 1000


def two_characters(frequencies: Counter[str], seed: int) -> list[str]:
    """Chinese words of two characters, drawn by seed from all that are in at least two pages."""
    words = sorted(
        word for word, count in frequencies.items() if len(word) == 2 and all(map(is_cjk, word)) and count > 1
    )
    return random.Random(seed).sample(words, TWO_CHARACTERS)


def print_two_characters(index: SearchIndex, words: Sequence[str], store: Store) -> None:
    """Print how many of the words are found, and in what share of the pages whose text has them, as a word or within one."""
    standing: dict[str, set[int]] = {word: set() for word in words}
    numbers = iter(store.written())
    while some := list(islice(numbers, 200)):
        for page in store.numbered(some):
            text = normalise(f"{page.row.item.title}\n{page.row.item.body}")
            for word in words:
                if word in text:
                    standing[word].add(page.number)
    search = Search(index, store)
    found = {word: {number for number, _ in search.ranked(SearchRequest(word, copies=True))} for word in words}
    counts = [(len(found[word] & standing[word]), len(standing[word])) for word in words]
    print(
        f"  words of two characters: {sum(1 for word in words if found[word])} of {len(words)} found, "
        f"in {sum(some for some, _ in counts) / sum(every for _, every in counts):.4f} of the pages where those characters stand"
    )


if __name__ == "__main__":
    main()
