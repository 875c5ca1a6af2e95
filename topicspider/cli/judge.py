"""Judges pages and links outside a crawl, as the crawl of a topic would: before its first page, or by what it has learned."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from topicspider.errors import UnavailableError, one_line
from topicspider.i18n import gettext as _
from topicspider.judging import TopicView
from topicspider.options import Options
from topicspider.page.page import MAX_WORDS
from topicspider.relevance.interfaces import PageScore, PageWords
from topicspider.relevance.link_features import site_name
from topicspider.steering.compiled_topics import compile_topics
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import learners_of, unpack
from topicspider.store import location
from topicspider.store.topics import topic_of
from topicspider.text.segment import Segmenter
from topicspider.topic.profile import Topic, TopicProfile


@dataclass(frozen=True, slots=True)
class OfflineJudge:
    """The judge of one topic, as in a crawl of it before the first page."""

    profile: TopicProfile
    segmenter: Segmenter
    view: TopicView
    options: Options

    def words(
        self, title: str, body: str, filed: tuple[str, ...] = (), sections: tuple[str, ...] = (), url: str = ""
    ) -> PageWords:
        """The words of a stored text, segmented like those of a fetched page; ``url``: its canonical address, if it has one."""
        return PageWords(self.cut(title), self.cut(body), filed, sections, site_name(url) if url else "")

    def judge(self, words: PageWords) -> PageScore:
        """The score of one page, judged alone."""
        return self.view.judge.judge(words)

    def judge_all(self, pages: Sequence[PageWords]) -> list[PageScore]:
        """The scores of several pages; a scorer that learns first learns from all of them."""
        return self.view.judge.judge_all(pages)

    def cut(self, text: str) -> tuple[str, ...]:
        """The words of ``text``, at most as many as are read of a page."""
        return tuple(self.segmenter.words(text)[:MAX_WORDS])


def load_judge(name: str, options: Options) -> OfflineJudge:
    """The judge of the topic called ``name``; raises as load_topic does."""
    return judge_of(topic_of(name, options), options)


def judge_of(topic: Topic, options: Options) -> OfflineJudge:
    return judges_of([topic], options)[topic.name]


def judges_of(topics: Sequence[Topic], options: Options) -> dict[str, OfflineJudge]:
    """The judge of each of ``topics``, by topic name, as in one crawl of all of them."""
    compiled = compile_topics(topics, options)
    pairs = zip(compiled.profiles, compiled.views, strict=True)
    return {view.topic: OfflineJudge(profile, compiled.segmenter, view, options) for profile, view in pairs}


@dataclass(frozen=True, slots=True)
class CrawlModel:
    """The model used for judging. ``number`` 0: none, ``why`` may say why; pages are judged without it for the topics in ``run_away``."""

    number: int = 0
    why: str = ""
    learns: bool = True
    run_away: tuple[str, ...] = ()

    def words(self) -> str:
        """One line for a reader; "" when nothing here learns."""
        if not self.learns:
            return ""
        if self.number:
            learned = _("judged by what its crawl has learned: model {number}", number=self.number)
            alone = ", ".join(self.run_away)
            return f"{learned}; " + _("pages by the topic alone: {topics}", topics=alone) if alone else learned
        why = f" ({self.why})" if self.why else ""
        return _("no crawl has learned anything for it: judged as before a first page{why}", why=why)


def load_model(views: Sequence[TopicView], options: Options, folder: Path, crawl: str) -> CrawlModel:
    """Make ``views`` judge by the newest model of the crawl called ``crawl``, whose results are in ``folder``; nothing is written.

    If the model store does not answer, this is no error: ``views`` judge as before a first page, and ``why`` of the result says so.
    """
    if not any(learners_of(views)):
        return CrawlModel(learns=False)
    path = folder / location.FILE
    if not (options.model or options.store or path.exists()):
        return CrawlModel()
    try:
        with closing(open_model_store(options.model, options.store, path, crawl)) as board:
            published = board.latest()
    except UnavailableError as error:
        return CrawlModel(why=one_line(str(error)))
    if published is None:
        return CrawlModel()
    __, notes = unpack(views, published.state)
    if notes:
        return CrawlModel(why=one_line(notes[0]))
    return CrawlModel(published.number, run_away=tuple(view.topic for view in views if view.judge.has_run_away))
