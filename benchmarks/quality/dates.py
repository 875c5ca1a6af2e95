"""Measures how often the day of publication is found, on gold pages and on Chinese date forms of our own.

    python -m benchmarks.quality.dates [--wrong]

The forms are in dates_zh.jsonl: the text in a page, and the day that a human reader finds; "" where there is none.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from benchmarks.quality.extraction import corpora, gold_pages, group_of
from topicspider.page.page import Page

FORMS = Path(__file__).with_name("dates_zh.jsonl")
_BODY = (
    "<p>云台山位于河南省焦作市，是一处以山水景观闻名的旅游胜地，每年春天都有许多游客前来登山赏花。</p>"
    "<p>自2016年3月2日起，景区全年开放，门票每人一百二十元，老人和儿童凭有效证件可以免票，停车场就在南门外。</p>"
)
_RIGHTS = "版权所有 © 2008-2024 山水网"
Reader = Callable[[str, bytes, "date | None"], str]


@dataclass(frozen=True, slots=True)
class Form:
    """A page, the day of its fetch, and the days that a human reader finds (``modified`` None: not measured)."""

    name: str
    url: str
    html: str
    fetched_on: date | None
    published: str
    modified: str | None


@dataclass(slots=True)
class Days:
    """How many pages were measured, and how many days were right; ``wrong`` names the others."""

    pages: int = 0
    right: int = 0
    wrong: list[str] = field(default_factory=list)

    @property
    def date(self) -> float:
        """The share of days that are exactly those of the gold."""
        return self.right / max(1, self.pages)

    def add(self, name: str, found: str, wanted: str) -> None:
        """Count one page."""
        self.pages += 1
        self.right += found == wanted
        if found != wanted:
            self.wrong.append(f"{name}: found {found or 'none'}, wanted {wanted or 'none'}")


def forms() -> Iterator[Form]:
    """The Chinese forms of our own, each within a page."""
    for line in FORMS.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        fetched = row["fetched_on"]
        yield Form(
            row["form"],
            row["url"],
            page_of(row),
            date.fromisoformat(fetched) if fetched else None,
            row["published"],
            row.get("modified"),
        )


def page_of(row: dict[str, str]) -> str:
    """The HTML of a page with a form: menu, headline, byline, text, footer."""
    return (
        f"<!DOCTYPE html><html lang='zh-CN'><head><meta charset='utf-8'><title>云台山春季旅游指南_山水网</title>{row.get('head', '')}</head><body>"
        "<div class='nav'><a href='/'>首页</a> <a href='/lvyou/'>旅游</a> <a href='/caijing/'>财经</a></div>"
        f"{row.get('before', '')}<div class='main'><h1>云台山春季旅游指南</h1>{row.get('byline', '')}"
        f"<div class='content'>{row.get('body', _BODY)}</div>{row.get('after', '')}</div>"
        f"<div class='footer'>{row.get('footer', _RIGHTS)}</div></body></html>"
    )


def read_ours(url: str, body: bytes, fetched_on: date | None) -> str:
    """The day of publication as our own code finds it."""
    return Page(url, body, fetched_on=fetched_on).published


def read_htmldate(url: str, body: bytes, fetched_on: date | None) -> str:
    """The day of publication by htmldate in its extensive mode (by default it finds the last change), not after the day of the fetch."""
    import htmldate

    last = fetched_on.isoformat() if fetched_on else None
    return htmldate.find_date(body, url=url, original_date=True, extensive_search=True, max_date=last) or ""


def measure_forms(read: Reader) -> Days:
    """Measure a reader on the forms of our own."""
    days = Days()
    for form in forms():
        days.add(form.name, read(form.url, form.html.encode(), form.fetched_on), form.published)
    return days


def measure_gold(read: Reader, folder: Path) -> dict[str, Days]:
    """Measure a reader on the gold pages that have a day: all, zh and other."""
    scores = {"all": Days(), "zh": Days(), "other": Days()}
    for record, body in gold_pages(folder):
        if not record.get("date"):
            continue
        found = read(record["url"] or "http://example.com/", body, None)
        for group in ("all", group_of(record)):
            scores[group].add(record["id"], found, record["date"].replace(".", "-"))
    return scores


def main() -> None:
    """Print a line for each set of pages; gold pages may be missing."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--wrong", action="store_true", help="list what was wrong")
    options = parser.parse_args()
    scores = {"Chinese forms of our own": measure_forms(read_ours)}
    if (corpora() / "extraction" / "dev" / "gold.jsonl").is_file():
        scores |= {f"gold, {group}": days for group, days in measure_gold(read_ours, corpora()).items()}
    for group, days in scores.items():
        print(f"topicspider  {group:26} {days.pages:5} {days.date:6.3f}")
        for wrong in days.wrong if options.wrong else ():
            print(f"    {wrong}")


if __name__ == "__main__":
    main()
