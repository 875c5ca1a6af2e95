"""Opens the log of an earlier crawl as a web: the pages that it fetched."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import blake2b
from typing import TYPE_CHECKING

from topicspider.errors import ConfigError, RecordingError, one_line
from topicspider.page.near_duplicate import simhash
from topicspider.rehearsal.archive.cache import name_of
from topicspider.rehearsal.archive.cached_web import FileWeb
from topicspider.rehearsal.archive.crawl_log import CUT_AT, DROPPED, ENDED, SEEDS, SEGMENTER, STARTED, TURNED_OFF
from topicspider.rehearsal.archive.feature_file import FeatureFile
from topicspider.rehearsal.archive.page_features import Answer
from topicspider.rehearsal.phrase import Phrase
from topicspider.url.fingerprint import fingerprint

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from topicspider.rehearsal.archive.page_reader import TokenizerConfig


def open_log_web(path: Path, cutting: TokenizerConfig) -> FileWeb:
    """The pages of a crawl.db, cut with the words of its own topics; raises RecordingError when it is unfinished, empty, or no such file."""
    file = FeatureFile.open(path)
    try:
        _check(path, file, cutting)
        seeds = _seeds(file)
        notes = list(_notes(file))
        identity = blake2b(file.identity(), digest_size=16).hexdigest()
    except BaseException:
        file.close()
        raise
    return LogWeb(path.name, name_of(f"log {identity}", cutting), file, seeds, notes=notes)


class LogWeb(FileWeb):
    """See ArchivedWeb. A log has no simhashes: they are worked out when a page is asked for."""

    def _find(self, url: str) -> Answer:
        answer = super()._find(url)
        if answer.features is None:
            return answer
        return replace(answer, features=replace(answer.features, simhash=simhash(answer.features.body_words)))


def _check(path: Path, file: FeatureFile, cutting: TokenizerConfig) -> None:
    if not file.meta(STARTED):
        raise RecordingError(one_line(f"{path}: is not the log of a crawl"))
    if not file.meta(ENDED):
        raise RecordingError(
            one_line(
                f"{path}: its crawl has not ended: it runs, or it was killed, or its log was turned off, of which it warned, on a disk that is full still; "
                "wait for it, or go on with it by the command that started it"
            )
        )
    if foreign := file.foreign():
        raise RecordingError(one_line(f"{path}: is damaged: {foreign} of its rows hold what no crawl writes"))
    if not file.count():
        raise RecordingError(one_line(f"{path}: holds no page, so there is nothing to crawl"))
    if (own := file.meta(SEGMENTER)) != cutting.segmenter:
        raise ConfigError(
            "TOPICSPIDER_SEGMENTER", cutting.segmenter, own, f"{path} holds words, which its crawl had cut by {own}"
        )


def _notes(file: FeatureFile) -> Iterator[Phrase]:
    """What the crawl fetched and this web has not, a sentence for each reason."""
    if (limit := file.meta(CUT_AT)).isdecimal():
        yield Phrase(
            f"the crawl's log was full with {limit} pages: what it fetched later is missing",
            f"爬行日志记满 {limit} 页，此后抓取的页面不在其中",
        )
    if (dropped := file.meta(DROPPED)).isdecimal() and int(dropped):
        yield Phrase(
            f"{dropped} pages of the crawl are missing: its log could not be written as fast as they came",
            f"缺少该次爬行的 {dropped} 页：日志来不及写入",
        )
    if trouble := one_line(file.meta(TURNED_OFF)):
        yield Phrase(
            f"the crawl's log was turned off before the crawl ended, and pages are missing: {trouble}",
            f"爬行结束前日志已关闭，缺少部分页面：{trouble}",
        )


def _seeds(file: FeatureFile) -> list[str]:
    """The seeds of the crawl that answered with a page or a redirect; the first page, when none did."""
    try:
        seeds = json.loads(file.meta(SEEDS) or "[]")
    except (ValueError, RecursionError):
        seeds = None
    if not isinstance(seeds, list) or not all(isinstance(url, str) for url in seeds):
        raise RecordingError(
            one_line(f"{file.path}: its seeds are no list of URLs; no crawl of topicspider wrote it so")
        )
    return [url for url in seeds if (one := _answer(file, url)).features or one.target] or [_first_page(file)]


def _first_page(file: FeatureFile) -> str:
    for url in file.urls():
        if _answer(file, url).features:
            return url
    raise RecordingError(one_line(f"{file.path}: holds no page that answered, so there is nothing to crawl"))


def _answer(file: FeatureFile, url: str) -> Answer:
    """What is known of ``url``; nothing, when it did not answer."""
    answer = file.answer(fingerprint(url))
    return answer if answer is not None and answer.status > 0 else Answer(url)
