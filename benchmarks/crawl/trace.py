"""Counts the files and the stack frames of ours that one page passes while it is read and judged, and its 20 links are scored.

    python -m benchmarks.crawl.trace

Frames are those of our package (``sys.setprofile``); frames of libraries between them do not count.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

from support.crawling import ROOT
from topicspider.cli.judge import load_judge
from topicspider.crawled_page import CrawledPage, DownloadResult
from topicspider.judging import Judging
from topicspider.options import Options
from topicspider.page.page import Page
from topicspider.topic.url_filter import UrlFilter

PACKAGE = str(ROOT / "topicspider")
LINKS = 20
URL = "http://travel.example/guide.html"
READ = ("title", "body", "links", "keywords", "published", "subject_words", "body_words", "is_hub")


class Trace:
    """The files and functions of our package that were entered, and the deepest stack of its frames."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.functions: set[tuple[str, str]] = set()
        self.deepest: list[str] = []
        self._stack: list[str] = []

    def __call__(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(PACKAGE):
            return
        if event == "call":
            self.files.add(code.co_filename)
            self.functions.add((code.co_filename, code.co_qualname))
            self._stack.append(f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_qualname}")
            if len(self._stack) > len(self.deepest):
                self.deepest = list(self._stack)
        elif event == "return" and self._stack:
            self._stack.pop()

    @contextmanager
    def on(self) -> Iterator[None]:
        """Trace while the block runs."""
        sys.setprofile(self)
        try:
            yield
        finally:
            sys.setprofile(None)


def page_of(number: int) -> bytes:
    """A Chinese page about travel with LINKS links; each number gives another page, so that no cache has it."""
    links = "".join(f"<p><a href='/{number}/{n}.html'>景点{n}的门票和路线攻略</a></p>" for n in range(LINKS))
    text = f"<p>景区{number}全年开放，门票每人一百二十元，建议游览三小时，附近有酒店和餐馆。</p>" * 6
    return f"<html><head><title>旅游攻略{number}</title></head><body><h1>旅游攻略{number}</h1>{text}{links}</body></html>".encode()


def main() -> None:
    """Trace the second page, because the first one loads what is loaded once."""
    judge = load_judge("tourism", Options())
    for number in (1, 2):
        reading, judging, scoring = Trace(), Trace(), Trace()
        download = DownloadResult(URL, 200, page_of(number), {"content-type": "text/html"})
        page = Page(download.url, download.body, "text/html", judge.segmenter)
        crawled = CrawledPage(download, page, Judging([judge.view], UrlFilter()))
        with reading.on():
            for name in READ:
                getattr(page, name)
        with judging.on():
            _ = crawled.scores
        with scoring.on():
            crawled.judge_links()
    steps = {"read": reading, "judged": judging, f"{LINKS} links scored": scoring}
    for step, trace in steps.items():
        print(f"{step}: {len(trace.files)} files, {len(trace.functions)} functions, {len(trace.deepest)} deep")
    deepest = max((trace.deepest for trace in steps.values()), key=len)
    print(f"together: {len(reading.files | judging.files | scoring.files)} files, {len(deepest)} deep")
    print("deepest: " + " > ".join(deepest))


if __name__ == "__main__":
    main()
