"""What a crawl says reaches the log of its scrapyd node as it was said, however the pipe cuts it."""

from __future__ import annotations

import pytest
from scrapyd.launcher import ScrapyProcessProtocol
from twisted.internet.error import ProcessDone
from twisted.logger import globalLogPublisher
from twisted.python.failure import Failure

from topicspider.scrapyd_launcher import PlainOutput

SAID = '{"说": "旅游 {甲}"}\n  第二行 \n\nlast, without an end: 行'


@pytest.fixture
def said():
    events = []
    globalLogPublisher.addObserver(events.append)
    yield lambda stream: "\n".join(e["said"] for e in events if str(e.get("log_system")).endswith(stream))
    globalLogPublisher.removeObserver(events.append)


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_lines_and_characters_are_whole_whatever_the_pieces(size, said):
    crawl = ScrapyProcessProtocol("topicspider", "topic", "1", {}, [])
    crawl.pid, crawl.__class__ = 7, PlainOutput
    data = SAID.encode()
    for at in range(0, len(data), size):
        crawl.errReceived(data[at : at + size])
        crawl.outReceived("另一个\n".encode())
    crawl.processEnded(Failure(ProcessDone(0)))
    assert said("/stderr").replace("\n\n", "\n") == SAID.replace("\n\n", "\n")
    assert set(said("/stdout").splitlines()) == {"另一个"}
    assert crawl.deferred.called
