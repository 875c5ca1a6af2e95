"""``scrapy hits QUERY``: searches what was found, and prints the answer as text, JSON or CSV."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, fields
from typing import Any

from topicspider.cli.command import (
    CliCommand,
    add_format_options,
    add_topic_option,
    one_of,
    print_json,
    terminal_columns,
    whole_number,
)
from topicspider.cli.crawl_data import opened_searches
from topicspider.errors import ConfigError
from topicspider.export.formats import print_table
from topicspider.i18n import N_, ngettext
from topicspider.i18n import gettext as _
from topicspider.items import PageItem
from topicspider.search import SORTS
from topicspider.search.index import day_of
from topicspider.search.query import CHINESE, read_query
from topicspider.search.search import Answer, Facets, Hit, SearchRequest
from topicspider.search.snippets import BOLD, PLAIN
from topicspider.store.rows import GONE
from topicspider.text.terminal import fit, pad, table, width, wrap
from topicspider.url import readable_host, readable_url

QUERY_SYNTAX = 'words, "phrases", -not, site:a.com, topic:tea, type:news, after:2026-05, before:2026, min:0.7'
SYNTAX = "[--topic NAME] [--sort WAY] [--copies] [--limit N] [--facets] [--json | --csv] [QUERY]"
ABOUT = (
    f"Search title and body of the hits, also while they are being crawled. A query is made of {QUERY_SYNTAX}. Simplified and traditional "
    "characters, full and half width, case and plurals make no difference. Without a QUERY: the best hits, or with --sort date the newest. "
    "A query that begins with - goes behind --: `scrapy hits -- -tea`."
)
LONG_FIELDS = ("body", "parts", "data")  # are for `export`
DAY = N_("a year, a month or a day: 2026, 2026-05, 2026-05-31")
FILTER_VALUES = {
    "site": N_("a host, as in site:a.com"),
    "min": N_("a number from 0 to 1, or a percentage: 0.7, 70%"),
    "after": DAY,
    "before": DAY,
}
EXTRA_COLUMNS = ("snippet", "snippet_html", "copies")
FACETS = {"topic": N_("topic"), "site": N_("site"), "year": N_("year"), "type": N_("type"), "language": N_("language")}


def add_options(parser: argparse.ArgumentParser) -> None:
    add_query_options(parser, "all")
    parser.add_argument("--limit", default="20", metavar="N", help="how many hits are shown (default 20)")
    parser.add_argument("--facets", action="store_true", help="count the hits by topic, site, year, type and language")
    add_format_options(parser, csv=True)


def add_query_options(parser: argparse.ArgumentParser, default: str = "the only crawl") -> None:
    """The options that `hits` and `export` share."""
    add_topic_option(parser, f"TOPICSPIDER_TOPIC, else {default}")
    parser.add_argument("--sort", default=SORTS[0], metavar="WAY", help=f"{', '.join(SORTS)} (default {SORTS[0]})")
    parser.add_argument("--copies", action="store_true", help="near-duplicates too, each as a hit of its own")


def check_query(text: str) -> None:
    """Raises ConfigError for a filter with an impossible value, which would be searched as words and find nothing."""
    for part in read_query(text).ignored_filters:
        name, _colon, value = part.partition(":")
        raise ConfigError(name, value, FILTER_VALUES.get(CHINESE.get(name, name), N_("a word behind the colon")))


def run(command: CliCommand, args: list[str], opts: argparse.Namespace) -> None:
    limit = whole_number("--limit", opts.limit, 10_000, N_("`scrapy export` writes them all"))
    request = SearchRequest(
        " ".join(args),
        one_of("--sort", opts.sort, SORTS),
        limit,
        copies=opts.copies,
        facets=opts.facets,
    )
    check_query(request.text)
    with opened_searches(command.options(topic=opts.topic)) as (search, folders):
        answer = search.answer(request)
    if opts.json:
        print_json(answer_as_json(answer))
    elif opts.csv:
        names = [field.name for field in fields(PageItem) if field.name not in LONG_FIELDS]
        print_table(answer_as_json(answer)["hits"], sys.stdout, (*names, *EXTRA_COLUMNS))
    else:
        print(answer_text(answer, terminal_columns(), is_bold=sys.stdout.isatty()))
        if not answer.total:
            print("\n".join(_("looked in {folder}", folder=folder.absolute()) for folder in folders))


def answer_as_json(answer: Answer) -> dict[str, Any]:
    """Everything that the terminal shows, and the fields of each hit except LONG_FIELDS, as plain data."""
    plain = ("total", "is_more", "is_relaxed", "is_empty_query")
    data: dict[str, Any] = {"query": answer.query.text, **{name: getattr(answer, name) for name in plain}}
    data["hits"] = [_hit_as_json(hit) for hit in answer.hits]
    if answer.facets:
        data["facets"] = {name: dict(counts) for name, counts in answer.facets.items()}
    return data


def _hit_as_json(hit: Hit) -> dict[str, Any]:
    item = {name: value for name, value in asdict(hit.row.item).items() if name not in LONG_FIELDS}
    return {**item, "snippet": hit.snippet.text, "snippet_html": hit.snippet.html(), "copies": hit.copies}


def answer_text(answer: Answer, columns: int, *, is_bold: bool) -> str:
    """``answer`` as lines of at most ``columns`` columns; ``is_bold``: show the matched words in bold."""
    lines = [fit(line, columns) for line in _notes(answer)]
    is_of_many = len({hit.row.item.topic for hit in answer.hits}) > 1  # one page may be a hit of several topics
    for number, hit in enumerate(answer.hits, 1):
        shown = _hit_lines(number, hit, columns, hit.row.item.topic if is_of_many else "")
        lines += ["", *((_bold(line, hit) for line in shown) if is_bold else shown)]
    if answer.facets and answer.total:
        lines += ["", _facets(answer.facets, columns)]
    return "\n".join(lines)


def _notes(answer: Answer) -> Iterator[str]:
    shown = len(answer.hits)
    count = ngettext("{count:,} hit", "{count:,} hits", answer.total)
    if answer.is_more:
        count = _("more than {count:,} hits", count=answer.total)
    yield count + (_(", {shown:,} shown (--limit)", shown=shown) if 0 < shown < answer.total else "")
    if answer.is_relaxed:
        yield _("no page has all of the words; these have some")
    if answer.is_empty_query:
        yield _("nothing in it is looked for: marks and particles such as 的 are passed over")


def _hit_lines(number: int, hit: Hit, columns: int, topic: str) -> Iterator[str]:
    """A hit: title, score and date; two lines of text; the address and the ``topic``."""
    item = hit.row.item
    head = f"{number:>2}. "
    facts = f"  {item.relevance:.2f}  {day_of(hit.row):10}"
    room = columns - len(head) - width(facts)
    yield head + pad(fit(hit.title.text or _("(no title)"), room), room) + facts
    first, *more = wrap(hit.snippet.text, columns - 4)
    second = more[:1] if len(more) < 2 else [fit(f"{more[0]}…", columns - 4)]
    yield from (f"    {line}" for line in (first, *second))
    facts = f"  {_('gone')}" if item.status in GONE else ""
    facts += _("  +{count} alike", count=hit.copies) if hit.copies else ""
    facts += f"  {fit(topic, 20)}" if topic else ""
    yield "    " + fit(readable_url(item.url), columns - 4 - width(facts)) + facts


def _bold(line: str, hit: Hit) -> str:
    asked = {re.escape(piece) for one in (hit.title, hit.snippet) for piece, is_match in one.pieces if is_match}
    return re.sub("|".join(sorted(asked, key=len, reverse=True)) or "$^", rf"{BOLD}\g<0>{PLAIN}", line)


def _facets(facets: Facets, columns: int) -> str:
    rows = []
    for name, counts in facets.items():
        shown = [(readable_host(value) if name == "site" else value, count) for value, count in counts]
        rows.append([_(FACETS[name]), "  ".join(f"{value} {count:,}" for value, count in shown) or "-"])
    return table(rows, columns=columns)
