"""Judges pages and links outside of a crawl, as the crawl of a topic would: before its first page, or by what it has learned."""

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
from topicspider.steering.compiled_topics import compile_topics
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import learners_of, unpack
from topicspider.store import location
from topicspider.store.topics import topic_of
from topicspider.text.segment import Segmenter
from topicspider.topic.profile import Topic, TopicProfile


@dataclass(frozen=True, slots=True)
class OfflineJudge:
    """One topic, as a crawl of it would judge before its first page."""

    profile: TopicProfile
    segmenter: Segmenter
    view: TopicView
    options: Options

    def words(self, title: str, body: str, filed: tuple[str, ...] = (), sections: tuple[str, ...] = ()) -> PageWords:
        """The words of a page at rest, segmented as those of a page in flight."""
        return PageWords(self.cut(title), self.cut(body), filed, sections)

    def judge(self, words: PageWords) -> PageScore:
        """The score of one page by itself."""
        return self.view.judge.judge(words)

    def judge_all(self, pages: Sequence[PageWords]) -> list[PageScore]:
        """The scores of pages that are there together: a scorer that learns does so from all of them first."""
        return self.view.judge.judge_all(pages)

    def cut(self, text: str) -> tuple[str, ...]:
        """The words of a text, as many as are read of a page."""
        return tuple(self.segmenter.words(text)[:MAX_WORDS])


def load_judge(name: str, options: Options) -> OfflineJudge:
    """The judge of the topic called ``name``; raises as load_topic does."""
    return judge_of(topic_of(name, options), options)


def judge_of(topic: Topic, options: Options) -> OfflineJudge:
    return judges_of([topic], options)[topic.name]


def judges_of(topics: Sequence[Topic], options: Options) -> dict[str, OfflineJudge]:
    """The judge of each of ``topics``, by its name, as one crawl of all of them has them."""
    compiled = compile_topics(topics, options)
    pairs = zip(compiled.profiles, compiled.views, strict=True)
    return {view.topic: OfflineJudge(profile, compiled.segmenter, view, options) for profile, view in pairs}


@dataclass(frozen=True, slots=True)
class CrawlModel:
    """What is judged by: the crawl's newest model (0: none, ``why`` may say the reason); for topics that have ``run_away`` the topic alone."""

    number: int = 0
    why: str = ""
    learns: bool = True
    run_away: tuple[str, ...] = ()

    def words(self) -> str:
        """One line for a reader; empty when nothing here learns."""
        if not self.learns:
            return ""
        if self.number:
            learned = _("judged by what its crawl has learned: model {number}", number=self.number)
            alone = ", ".join(self.run_away)
            return f"{learned}; " + _("pages by the topic alone: {topics}", topics=alone) if alone else learned
        why = f" ({self.why})" if self.why else ""
        return _("no crawl has learned anything for it: judged as before a first page{why}", why=why)


def load_model(views: Sequence[TopicView], options: Options, folder: Path, crawl: str) -> CrawlModel:
    """Have ``views`` judge by the newest model of the crawl called ``crawl``, whose results are in ``folder``; nothing is written.

    A model store that does not answer is no error: then they judge as before a first page, and the result says why.
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
