"""Scores records: exactly one line of JSON for each, in their order."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from topicspider.relevance.judgement import PageScore, PageWords
from topicspider.url.words import words_in_url
from topicspider.workbench.scoring.links import judged_links

if TYPE_CHECKING:
    from collections.abc import Sequence

    from topicspider.workbench.bench import Bench
    from topicspider.workbench.scoring.records import Record

DIGITS = 6


def scored_lines(records: Sequence[Record], bench: Bench, *, alone: bool) -> list[str]:
    """A line of JSON for each of ``records``; ``alone``: none of them is learned from."""
    good = [record for record in records if not record.error]
    links = [record for record in good if record.is_link]
    of_links = judged_links(links, bench) if links else []
    texts = good if of_links is None else [record for record in good if not record.is_link]
    pages = [words_of(record, bench) for record in texts]
    scores = iter([bench.judge(words) for words in pages] if alone else bench.judge_all(pages))
    verdicts = iter(of_links or ())
    threshold = bench.view.judge.threshold
    return [
        _line(
            _failed(record, threshold)
            if record.error
            else _account(next(verdicts if record.is_link and of_links is not None else scores))
        )
        for record in records
    ]


def words_of(record: Record, bench: Bench) -> PageWords:
    """The words of a record; of a link that no policy judges those of its anchor and its URL, which are as short as a title."""
    if not record.is_link:
        return bench.words(record.title, record.body)
    of_url = [word for piece in words_in_url(record.url) for word in bench.segmenter.words(piece)]
    return PageWords(title=(*bench.segmenter.words(record.anchor), *of_url))


def _account(score: PageScore) -> dict[str, Any]:
    return {
        "score": round(score.value, DIGITS),
        "on_topic": score.on_topic,
        "threshold": round(score.threshold, DIGITS),
        "parts": {name: round(float(part), DIGITS) for name, part in score.parts.items()},
    }


def _failed(record: Record, threshold: float) -> dict[str, Any]:
    return {
        "score": 0.0,
        "on_topic": False,
        "threshold": round(threshold, DIGITS),
        "parts": {},
        "error": record.error,
    }


def _line(account: dict[str, Any]) -> str:
    return json.dumps(account, ensure_ascii=False, separators=(", ", ": "))
