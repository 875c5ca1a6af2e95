"""Pages read by processes of their own: as the crawl itself reads them and in the order in which they came, whatever becomes of a process."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections import Counter
from datetime import date

import pytest

from support.site import TRAVEL, page, travel_web
from topicspider import reading_processes
from topicspider.page.documents import process
from topicspider.page.page import Page
from topicspider.page.site_titles import SiteTitles
from topicspider.reading_processes import DIED, HUNG, MOST_FALSE_STARTS, Forecast, ReadingProcesses, UnreadablePageError
from topicspider.relevance.interfaces import PageWords, PolicyContext
from topicspider.relevance.learned_page_model import word_values
from topicspider.relevance.link_features import TextSimilarity, anchor_of, texts_of
from topicspider.relevance.page_judge import PageJudge
from topicspider.relevance.page_prior import Prior
from topicspider.text.segment import make_segmenter
from topicspider.topic.compiling import compile_topic
from topicspider.topic.learning import learn
from topicspider.topic.profile import Topic

WORDS = ("旅游攻略", "石板路")
SHOWN = [
    "title", "body", "content_hash", "encoding", "language", "subject_words", "filed_under", "sections", "body_words", "summary", "keywords", "published", "modified",
    "author", "site_name", "type", "data", "condition", "condition_why", "is_readable", "robots", "feeds", "simhash", "links", "skipped_links",
    "is_hub",
]  # fmt: skip
ODD = {
    "http://odd.example/empty.html": b"",
    "http://odd.example/picture.png": b"\x89PNG\r\n\x1a\n\x00\x00",
    "http://odd.example/gbk.html": "<meta charset=gbk><title>旅游</title><p>景区开放，2024年3月5日。".encode("gbk"),
    "http://odd.example/broken.html": b"<title>\xff\xfe\xd8</title><a href='http://[::1'>x</a><a href=/a>\xed\xa0\x80</a>",
}


def made(url: str, body: bytes, site_titles: SiteTitles | None) -> Page:
    kind = "image/png" if url.endswith("png") else "text/html; charset=utf-8" if "/p" in url else "text/html"
    return Page(url, body, kind, make_segmenter(WORDS), fetched_on=date(2024, 6, 1), site_titles=site_titles)


def pages() -> dict[str, bytes]:
    """Some of hosts whose titles end alike, and odd ones."""
    named = {
        f"http://s.example/p{number}.html": page(f"{name}-山水网", TRAVEL).payload
        for number, name in enumerate(("云台山", "红石峡", "黄山", "泰山日出", "西湖"))
    }
    return named | {url: answer.payload for url, answer in travel_web(12).items()} | ODD


def pool(count: int) -> tuple[ReadingProcesses, Counter[str]]:
    ends: Counter[str] = Counter()
    processes = ReadingProcesses(count, WORDS, "default", SiteTitles(), {}, at_once=True)
    processes.seconds = 60.0
    processes.on_end = lambda reason: ends.update([reason])
    return processes, ends


async def read_all(processes: ReadingProcesses, asked: list[Page]) -> list[Forecast]:
    try:
        return await asyncio.gather(*map(processes.read, asked))
    finally:
        processes.close()


def test_r5_a_page_is_what_the_crawl_itself_reads():
    titles, terms = SiteTitles(), dict.fromkeys(("旅游", "景区", "酒店"), 1.0)
    model = compile_topic(learn(Topic(name="tourism", terms=terms), make_segmenter()))
    here = [made(url, body, titles) for url, body in pages().items()]
    there = [made(url, body, None) for url, body in pages().items()]
    processes = ReadingProcesses(2, WORDS, "default", SiteTitles(), {"tourism": model}, at_once=True)
    evidences = asyncio.run(read_all(processes, there))
    assert {"author" in vars(one) for one in there} == {True, False}  # of what is surely no hit it is not read there
    prior, judge = Prior(model), PageJudge(model.profile, "learned", model=model)
    similarity = TextSimilarity(PolicyContext(model.profile, make_segmenter(WORDS), model=model))
    for one, other, evidence in zip(here, there, evidences, strict=True):
        assert {name: getattr(other, name) for name in SHOWN} == {name: getattr(one, name) for name in SHOWN}, one.url
        words = PageWords.of(one)
        expected, (found, texts) = prior.evidence(words), evidence["tourism"]
        assert found == expected
        assert found.meaning.tolist() == expected.meaning.tolist()
        assert (found.words, found.measures) == (word_values(words), judge._measured(words))
        similarity.read([text for link in one.links for text in (anchor_of(link), *texts_of(link))], words.title)
        assert all(told.items() >= own.items() for told, own in zip(texts, similarity.news, strict=True))
    assert here[4].title == "西湖"
    assert there[0].html == here[0].html  # what was not sent is read here


@pytest.mark.parametrize("killed", [slice(1), slice(1, 2)], ids=["that forked", "forked"])
def test_pages_come_back_in_their_order_and_a_page_costs_one_retry_when_its_process_is_killed(killed):
    processes, ends = pool(2)
    back: list[str] = []

    async def read(one: Page) -> None:
        await processes.read(one)
        back.append(one.url)

    async def run() -> None:
        asked = [made(url, body, None) for url, body in pages().items()]
        await asyncio.gather(*map(read, asked[:6]))  # each has begun
        for pid in (pids := processes.pids):
            os.kill(pid, signal.SIGSTOP)
        tasks = [asyncio.ensure_future(read(one)) for one in asked[6:]]
        await asyncio.sleep(0)
        for pid in pids[killed]:
            os.kill(pid, signal.SIGKILL)
        for pid in {*pids} - {*pids[killed]}:
            os.kill(pid, signal.SIGCONT)
        await asyncio.gather(*tasks)
        assert {*processes.pids} & {*pids} == {*pids} - {*pids[killed]}
        processes.close()

    asyncio.run(run())
    assert back == list(pages())
    assert ends[DIED] >= 1
    assert ends[HUNG] == 0


def test_one_that_ends_while_it_loads_is_one_end_and_costs_no_page_a_try(monkeypatch):
    started: list[subprocess.Popen[bytes]] = []

    def start(*arguments: str, **how: object) -> subprocess.Popen[bytes]:
        started.append(process.start(*arguments, **how))
        if len(started) < MOST_FALSE_STARTS:  # the one that was to fork all, and others in its place
            started[-1].kill()
        return started[-1]

    monkeypatch.setattr(reading_processes, "start", start)
    processes, ends = pool(6)
    asked = [made(url, body, None) for url, body in pages().items()]
    asyncio.run(read_all(processes, asked))
    assert all(one.is_begun for one in asked)
    assert (ends, len(started)) == ({DIED: MOST_FALSE_STARTS - 1}, 6 + MOST_FALSE_STARTS - 1)


def test_where_no_process_can_be_forked_the_one_that_has_loaded_reads_on_beside_programs(monkeypatch):
    code = "import os, topicspider.reading_processes as it; os.fork = lambda: os.stat('/nowhere'); it.main()"

    def start(_module: str, *channels: str, **how: object) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", code, *channels], **how)

    monkeypatch.setattr(reading_processes, "start", start)
    processes, ends = pool(2)
    asked = [made(url, body, None) for url, body in pages().items()]
    asyncio.run(read_all(processes, asked))
    assert all(one.is_begun for one in asked)
    assert not ends


def test_a_process_that_hangs_is_replaced_and_a_page_that_two_cannot_read_is_given_up():
    processes, ends = pool(1)
    first, second, third = (made(url, body, None) for url, body in list(pages().items())[:3])

    def ended(reason: str) -> None:
        ends.update([reason])
        processes.seconds = 60.0

    def hang(_place: int = 0) -> bytes:
        if ends[HUNG] < 2:
            os.kill(processes.pids[0], signal.SIGSTOP)
            processes.seconds = 0.05
        return ReadingProcesses.titles_for(processes, 0)

    async def run() -> None:
        processes.on_end = ended
        await processes.read(first)
        processes.titles_for = hang  # what the next is told before its first page
        hang()
        tasks = [asyncio.ensure_future(processes.read(one)) for one in (second, third)]
        with pytest.raises(UnreadablePageError, match=second.url):
            await tasks[0]
        await tasks[1]
        processes.close()

    asyncio.run(run())
    assert ends == {HUNG: 2}
    assert third.title == "黄山-山水网"


@pytest.mark.parametrize("program", ["/bin/false", "/nowhere"], ids=["each ends at once", "none can be started"])
def test_where_no_process_can_read_the_crawl_reads_itself(program, monkeypatch):
    monkeypatch.setattr(sys, "executable", program)
    processes, ends = pool(2)
    asked = [made(url, body, None) for url, body in pages().items()]
    assert asyncio.run(read_all(processes, asked)) == [{}] * len(asked)
    assert ends[DIED] <= 6
    assert not processes.pids


def test_none_are_begun_while_the_crawl_is_idle():
    processes = ReadingProcesses(2, WORDS, "default", SiteTitles(), {})
    one = made("http://s.example/p1.html", pages()["http://s.example/p1.html"], None)
    assert asyncio.run(processes.read(one)) == {}
    assert not processes.pids
    assert one.title == "红石峡-山水网"
