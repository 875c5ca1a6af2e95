"""A topic's judge outside a crawl: what scoring, tuning, seeding and explaining have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from topicspider.defaults import PAGE_SCORERS, Options
from topicspider.errors import ConfigError
from topicspider.judging import TopicView, view_of
from topicspider.page.page import MAX_WORDS
from topicspider.relevance.judgement import PageScore, PageWords
from topicspider.store.topics import topic_of
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.compiling import compile_topic, protect_words
from topicspider.topic.learning import learn

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.topic.profile import TopicProfile


@dataclass(frozen=True, slots=True)
class Bench:
    """One topic, as a crawl of it would judge before its first page."""

    profile: TopicProfile
    segmenter: Segmenter
    view: TopicView
    options: Options

    def words(self, title: str, body: str) -> PageWords:
        """The words of a page at rest, cut as a page in flight is."""
        return PageWords(self._cut(title), self._cut(body), title)

    def judge(self, words: PageWords) -> PageScore:
        """The verdict on one page by itself."""
        return self.view.judge.judge(words)

    def judge_all(self, pages: Sequence[PageWords]) -> list[PageScore]:
        """The verdicts on pages that are there together: a scorer that learns does so from all of them first."""
        return self.view.judge.judge_all(pages)

    def _cut(self, text: str) -> tuple[str, ...]:
        return tuple(self.segmenter.words(text)[:MAX_WORDS])


def open_bench(name: str, options: Options) -> Bench:
    """The bench of the topic called ``name``; raises as load_topic does."""
    segmenter = make_segmenter(options.segmenter)
    profile = learn(topic_of(name, options), segmenter)
    model = compile_topic(profile, options.tier)
    protect_words(model, segmenter)
    return Bench(profile, segmenter, view_of(profile, segmenter, options, model=model), options)


def with_scorer(options: Options, scorer: str) -> Options:
    """``options`` with ``--scorer``, when it was given."""
    if not scorer:
        return options
    if scorer not in PAGE_SCORERS:
        raise ConfigError("--scorer", scorer, ", ".join(PAGE_SCORERS))
    return replace(options, page_scorer=scorer)
