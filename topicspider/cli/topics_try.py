"""``scrapy topics try``: judges the pages of a topic's crawl by an edited topic file before it is saved: which hits are won and lost."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING

from topicspider.cli.command import Action, CliCommand, print_json, terminal_columns
from topicspider.cli.crawl_data import find_crawl
from topicspider.errors import NotCrawled, TopicSpiderError
from topicspider.i18n import gettext as _
from topicspider.i18n import labelled
from topicspider.text.terminal import fit
from topicspider.topic.loading import load_topic

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from topicspider.cli.judge import OfflineJudge
    from topicspider.options import Options
    from topicspider.rehearsal.archive.feature_file import PageFeatures
    from topicspider.relevance.interfaces import PageScore
    from topicspider.topic.profile import Topic

LOG = "crawl.db"
"""The file in a crawl's folder with the words of all its pages, hits or not."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """How a page is judged by the topic as it is, and by the edited one."""

    url: str
    title: str
    before: PageScore
    after: PageScore

    @property
    def change(self) -> str:
        """``won``, ``lost``, or "" if the edit does not change the verdict."""
        if self.before.on_topic == self.after.on_topic:
            return ""
        return "won" if self.after.on_topic else "lost"


def try_topic(_command: CliCommand, opts: argparse.Namespace, options: Options) -> None:
    found = verdicts(opts.name, load_topic(opts.edit), options)
    changed = changed_of(found)
    if opts.json:
        for one in changed:
            said = {"change": one.change, "before": round(one.before.value, 6), "after": round(one.after.value, 6)}
            print_json({"url": one.url, "title": one.title, **said})
        return
    for line in _shown(found, changed, opts.top):
        print(fit(line, terminal_columns()))


def verdicts(name: str, edited: Topic, options: Options) -> list[Verdicts]:
    """Every page of the crawl of the topic ``name``, judged by it and by ``edited``; raises NotCrawled, and as load_topic does."""
    from topicspider.cli.judge import judge_of, load_judge
    from topicspider.rehearsal.archive.archived_web import open_archived_web

    with closing(open_archived_web(str(_log(name, options)))) as web:
        answers = ((url, web.answer(url).features) for url in web.urls())
        # the links of 100,000 pages would take most of the memory
        logged = {url: replace(page, links=()) for url, page in answers if page is not None}
    before, after = _scores(load_judge(name, options), logged), _scores(judge_of(edited, options), logged)
    titles = [page.title for page in logged.values()]
    return [Verdicts(*one) for one in zip(logged, titles, before, after, strict=True)]


def changed_of(found: Sequence[Verdicts]) -> list[Verdicts]:
    """The pages won or lost: lost ones first, and of each kind first those whose score moved most."""
    changed = (one for one in found if one.change)
    return sorted(changed, key=lambda one: (one.change, -abs(one.after.value - one.before.value)))


def hits_of(found: Sequence[Verdicts]) -> tuple[int, int]:
    return sum(one.before.on_topic for one in found), sum(one.after.on_topic for one in found)


def is_crawled(topic: str, options: Options) -> bool:
    """Whether there are pages to try an edit on."""
    try:
        return bool(_log(topic, options))
    except TopicSpiderError:
        return False


def _log(topic: str, options: Options) -> Path:
    path = find_crawl(replace(options, topic=topic))[0] / LOG
    if not path.is_file():
        raise NotCrawled(topic, path.absolute())
    return path


def _scores(judge: OfflineJudge, pages: Mapping[str, PageFeatures]) -> list[PageScore]:
    """The scores that a crawl of these pages would end with. Texts are segmented again, since each topic keeps its own words whole."""
    return judge.judge_all(
        [
            judge.words(_joined(page.subject_words), _joined(page.body_words), page.filed_under, page.sections, url)
            for url, page in pages.items()
        ]
    )


def _joined(words: Sequence[str]) -> str:
    """The words joined to a text; Chinese words without a space between them."""
    gaps = (" " if first.isascii() or second.isascii() else "" for first, second in pairwise(words))
    return "".join(f"{word}{gap}" for word, gap in zip(words, [*gaps, ""], strict=False))


def _shown(found: Sequence[Verdicts], changed: Sequence[Verdicts], top: int) -> Iterator[str]:
    before, after = hits_of(found)
    yield _(
        "{pages:,} pages: {before:,} on topic before, {after:,} after; copies and lists count, too",
        pages=len(found),
        before=before,
        after=after,
    )
    for change, head in (("won", _("hits won")), ("lost", _("hits lost"))):
        some = [one for one in changed if one.change == change]
        yield labelled(head, f"{len(some):,}")
        for one in some[:top]:
            yield f"  {one.before.value:.2f} → {one.after.value:.2f}  {one.title or one.url}"


ACTION: Action = ("try", try_topic, "judge the pages of the topic's crawl by an edited file: which hits are won and lost; nothing is saved", {
    "name": {"metavar": "NAME"},
    "--edit": {"required": True, "metavar": "FILE", "help": "the edited topic file"},
    "--top": {"type": int, "default": 10, "metavar": "N", "help": "how many of each are shown (default: 10)"},
    "--json": {"action": "store_true", "help": "print one line of JSON for each page that changes"},
})  # fmt: skip
