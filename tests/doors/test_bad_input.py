"""Bad input of a command: one clear line, an honest exit code, no traceback, nothing written by halves."""

from __future__ import annotations

import shutil
import signal
import socket
from pathlib import Path

import pytest

from support.crawling import Ended, begin, crawl, environment, items, scrapy, stop_after, stored, wait_until
from support.disk import make_room, small_disk
from support.servers import PASSWORD, fresh_database
from support.site import small_web, travel_web

LONGEST = 120.0  # seconds from start to exit, on a machine as busy as may be: nothing waits for minutes
SEED = "http://w0.example/p0.html"
CLOSED = "http://127.0.0.1:1"  # nobody listens below 1024 on a loopback of tests
TOPIC = ("-a", "topic=tourism")
SECRET = "geheim7"  # stands in URLs, and must not come out again

FILES = {
    "broken.yaml": "title: {zh: 旅游}\nterms: [旅游, 景点\n",
    "empty.yaml": "# nothing yet\n",
    "seedless.yaml": "title: {zh: 旅游}\nterms: {旅游: 3, 景点: 2}\n",
}


def quiet(folder: Path, *arguments: str, **env: str) -> Ended:
    """``scrapy crawl topic ARGUMENTS`` with a log of warnings only, as beside the live line."""
    return scrapy(["crawl", "topic", *arguments, "-s", "LOG_LEVEL=WARNING"], folder, environment(**env))


def the_line(ended: Ended, exit_code: int) -> str:
    """The last line on stderr, when the process ended as bad input must."""
    assert "Traceback" not in ended.err, ended.err
    assert ended.exit_code == exit_code, ended.err
    assert ended.seconds < LONGEST
    line = ended.err.splitlines()[-1]
    assert line.startswith("topicspider: ")
    return line


def the_only_line(ended: Ended, exit_code: int) -> str:
    """As the_line, when nothing else is on stderr."""
    assert len(ended.err.splitlines()) == 1, ended.err
    return the_line(ended, exit_code)


def made_files(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    (folder / "secret.txt").write_text(f"{SECRET}\n")
    (folder / "gbk.txt").write_bytes("http://a.invalid/旅游\n".encode("gbk"))


BAD_VALUES = [  # what was typed, and what the line must hold: what, value, allowed, what to do
    ([], ("topic is missing", "-a topic=tourism", "topics list")),
    (["-a", "topic=turism"], ("'turism'", "agriculture", "tourism", "Did you mean tourism?", "topics new turism")),
    (["-a", "topic=sportt,旅游业"], ("'sportt'", "agriculture", "Did you mean sport?")),
    (["-a", "topic=broken.yaml"], ("broken.yaml:3", "well-formed YAML")),
    (["-a", "topic=empty.yaml"], ("empty.yaml:1", "empty topic", "terms, texts, title")),
    (["-a", "topic=nosuch/t.yaml"], ("'nosuch/t.yaml'", "a YAML file that exists")),
    (["-a", "topic=seedless.yaml", "-a", "seeds=,"], ("seeds: ','", "at least one URL")),
    ([*TOPIC, "-a", "seeds=@nosuch.txt"], ("seeds: '@nosuch.txt'", "@FILE", "No such file")),
    ([*TOPIC, "-a", "seeds=@secret.txt"], ("seeds: '@secret.txt'", "entry 1 is none")),
    ([*TOPIC, "-a", "seeds=@/dev/zero"], ("seeds: '@/dev/zero'", "@FILE", "more than")),
    ([*TOPIC, "-a", "seeds=@gbk.txt"], ("seeds: '@gbk.txt'", "@FILE", "not UTF-8")),
    ([*TOPIC, "-a", "max_pages=-5"], ("-a max_pages: '-5'", "0 or more pages")),
    ([*TOPIC, "-a", "max_pages=ten"], ("-a max_pages: 'ten'", "a whole number")),
    ([*TOPIC, "-a", "pace=quick"], ("-a pace: 'quick'", "auto, thrifty, balanced, fast")),
    ([*TOPIC, "--max-page", "3"], ("crawl: '--max-page'", "crawl --help", "Did you mean -a max_pages=…?")),
    ([*TOPIC, "--loglvel=INFO"], ("crawl: '--loglvel=INFO'", "Did you mean --loglevel?")),
    ([*TOPIC, "depth=3"], ("crawl: 'depth=3'", "one spider", "Did you mean -a depth=…?")),
    (["-a", "topic"], ("Invalid -a value, use -a NAME=VALUE",)),
    ([*TOPIC, "-a", "depth=两"], ("-a depth: '两'", "a whole number")),
    (
        [*TOPIC, "-s", "TOPICSPIDER_LINK_POLICY=best"],
        ("TOPICSPIDER_LINK_POLICY: 'best'", "best_first, shark, rw, pagerank, ipagerank, hits, learned"),
    ),
    ([*TOPIC, "-s", "TOPICSPIDER_PAGE_THRESHOLD=7"], ("TOPICSPIDER_PAGE_THRESHOLD: '7'", "-1 to 1")),
    (
        [*TOPIC, "-s", "TOPICSPIDER_STORE=oracle://db"],
        ("TOPICSPIDER_STORE: 'oracle://db'", "sqlite:///PATH", "mysql://"),
    ),
    ([*TOPIC, "-s", f"TOPICSPIDER_STORE=mysql://u:{SECRET}#@h/d"], ("TOPICSPIDER_STORE: 'mysql://u:***@h/d'", "%40")),
    (
        [*TOPIC, "-s", f"TOPICSPIDER_FRONTIER=redis://:{SECRET}@h:x/0"],
        ("TOPICSPIDER_FRONTIER: 'redis://:***@h:x/0'", "redis://USER"),
    ),
    (
        [*TOPIC, "-s", "TOPICSPIDER_FRONTIER=redis://h:1/tourism"],
        ("TOPICSPIDER_FRONTIER: 'redis://h:1/tourism'", "DATABASE"),
    ),
    (
        [*TOPIC, "-s", f"TOPICSPIDER_FRONTIR=redis://:{SECRET}@h/0"],
        ("setting: 'TOPICSPIDER_FRONTIR'", "docs/settings.md", "Did you mean TOPICSPIDER_FRONTIER?"),
    ),
    ([*TOPIC, "-a", "seeds=redis:", "-s", f"REDIS_URL=redis://:{SECRET}#@h/0"], ("REDIS_URL=redis://:***@h/0", "%40")),
    ([*TOPIC, "-s", "USER_AGENT="], ("USER_AGENT: ''", "contact URL")),
    ([*TOPIC, "-s", "TOPICSPIDER_CONTACT=a\r\nX: 1"], ("TOPICSPIDER_CONTACT: 'a\\r\\nX: 1'", "contact URL")),
    ([*TOPIC, "-s", "TOPICSPIDER_CONTACT=me"], ("TOPICSPIDER_CONTACT: 'me'", "contact URL")),
    ([*TOPIC, "-s", "TOPICSPIDER_LANGUAGE=zh_CN"], ("TOPICSPIDER_LANGUAGE: 'zh_CN'", "auto, zh, en")),
    ([*TOPIC, "-a"], ("crawl: argument -a: expected one argument", "--help")),
    ([*TOPIC, "-s", "CONCURRENT_REQUESTS=0"], ("CONCURRENT_REQUESTS: '0'", "1 or more")),
    ([*TOPIC, "-s", "DEPTH_LIMIT=abc"], ("DEPTH_LIMIT: 'abc'", "a whole number")),
    ([*TOPIC, "-s", "CLOSESPIDER_PAGECOUNT=-5"], ("CLOSESPIDER_PAGECOUNT: '-5'", "0 or more")),
    ([*TOPIC, "-s", "ROBOTSTXT_OBEY=maybe"], ("ROBOTSTXT_OBEY: 'maybe'", "1 or 0")),
    ([*TOPIC, "-L", "info"], ("LOG_LEVEL: 'info'", "WARNING, INFO")),
    ([*TOPIC, "-O", "gbk.txt/x/hits.jsonl"], ("feed: 'gbk.txt/x/hits.jsonl'", "can be written", "Not a directory")),
    (
        [*TOPIC, "-a", "seeds=http://127.0.0.1:1/,http://192.168.3.4/"],
        ("seeds: 'http://127.0.0.1:1/'", "public", "TOPICSPIDER_ALLOW_PRIVATE"),
    ),
]


@pytest.mark.parametrize(("arguments", "words"), BAD_VALUES, ids=[" ".join(a) or "nothing" for a, _ in BAD_VALUES])
def test_a_bad_value_is_one_line_and_nothing_is_written(tmp_path, arguments, words):
    made_files(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    ended = quiet(tmp_path, *arguments)
    line = the_only_line(ended, 2)
    assert [word for word in words if word not in line] == [], line
    assert SECRET not in ended.err + ended.out
    assert [path for path in sorted(tmp_path.rglob("*")) if path not in before] == []


UNREACHABLE = [
    ("a closed port", [f"{CLOSED}/"], "", ("no seed can be reached: http://127.0.0.1:1/", "refused", "scrapy doctor")),
    (
        "no name resolves",
        ["http://旅游.invalid/", "http://b.invalid/"],
        "",
        (f"http://{'旅游'.encode('idna').decode()}.invalid/ (and 1 more host)", "network"),
    ),
    ("the proxy is closed", [SEED], f"http://me:{SECRET}@127.0.0.1:1", ("proxy 127.0.0.1:1", "refused", "http_proxy")),
]


@pytest.mark.parametrize(
    ("seeds", "proxy", "words"), [case[1:] for case in UNREACHABLE], ids=[c[0] for c in UNREACHABLE]
)
def test_without_a_reachable_seed_the_line_says_which_step_failed(tmp_path, seeds, proxy, words):
    ended = quiet(tmp_path, *TOPIC, "-a", f"seeds={','.join(seeds)}", "-s", "TOPICSPIDER_ALLOW_PRIVATE=1", proxy=proxy)
    line = the_only_line(ended, 3)
    assert [word for word in words if word not in line] == [], line
    assert SECRET not in ended.err + ended.out


def test_seeds_that_give_no_page_are_an_error_and_tried_again_by_the_same_command(tmp_path):
    with small_web({}) as nothing:
        ended = crawl(tmp_path, nothing.proxy, "-s", "LOG_LEVEL=WARNING", seeds=f"{SEED},http://w1.example/")
    line = the_only_line(ended, 3)
    for words in ("no seed gave a page", SEED, "(and 1 more)", " ×2", "scrapy doctor"):
        assert words in line
    assert "proxy" not in line  # the sites have answered
    with small_web(travel_web(12)) as web:
        good = crawl(tmp_path, web.proxy, seeds=f"{SEED},http://w1.example/")
    assert good.exit_code == 0, good.err
    assert set(stored(tmp_path)) == set(travel_web(12))


def test_fresh_without_a_network_forgets_nothing(tmp_path):
    with small_web(travel_web(30)) as web:
        crawl(tmp_path, web.proxy, "-a", "max_pages=10", seeds=SEED)
        lost = crawl(tmp_path, "http://127.0.0.1:1", "-a", "fresh=1", "-s", "LOG_LEVEL=WARNING", seeds=SEED)
        the_only_line(lost, 3)
        (tmp_path / "new").mkdir()
        the_only_line(crawl(tmp_path / "new", "http://127.0.0.1:1", "-s", "LOG_LEVEL=WARNING", seeds=SEED), 3)
        assert not list(tmp_path.glob("new/data/*"))  # one that did not begin leaves nothing
        crawl(tmp_path, web.proxy, seeds=SEED)
    assert sorted(web.pages()) == sorted(travel_web(30))


@pytest.mark.parametrize("folder", ["a_file", "/proc/topicspider", "/dev/full/x"])
def test_a_data_folder_that_cannot_be_written(tmp_path, folder):
    (tmp_path / "a_file").write_text("")
    ended = quiet(tmp_path, *TOPIC, "-a", f"seeds={SEED}", "-s", f"TOPICSPIDER_DATA={folder}")
    line = the_only_line(ended, 2)
    assert f"TOPICSPIDER_DATA: '{folder}/tourism'" in line
    assert "choose another with -s TOPICSPIDER_DATA=DIR" in line


@pytest.mark.parametrize(
    ("name", "what", "advice"),
    [("frontier.db", "frontier", "rebuild --topic tourism -s TOPICSPIDER_DATA=data`"), ("pages.db", "store", "backup")],
)
def test_a_damaged_database_is_named_and_left_as_it_is(tmp_path, name, what, advice):
    damaged = tmp_path / "data" / "tourism" / name
    damaged.parent.mkdir(parents=True)
    damaged.write_bytes(b"SQLite format 3\0" + bytes(range(256)) * 64)
    before = damaged.read_bytes()
    line = the_only_line(quiet(tmp_path, *TOPIC, "-a", f"seeds={SEED}"), 3)
    assert f"{what} data/tourism/{name}" in line
    assert advice in line
    assert damaged.read_bytes() == before


@pytest.mark.parametrize(
    ("setting", "label"),
    [
        ("STORE=mysql://spider:{}@127.0.0.1:1/pages", "mysql://spider@127.0.0.1:1/pages"),
        ("FRONTIER=redis://:{}@127.0.0.1:1", "redis 127.0.0.1:1"),
    ],
)
def test_a_server_that_refuses_connections_is_waited_for_and_then_named(tmp_path, setting, label):
    asked = (f"TOPICSPIDER_{setting.format(SECRET)}", "TOPICSPIDER_CONNECT_WAIT=1")
    ended = quiet(tmp_path, *TOPIC, "-a", f"seeds={SEED}", *(part for one in asked for part in ("-s", one)))
    line = the_line(ended, 3)
    assert label in line
    assert "refused" in line
    assert "waiting up to 1 s" in ended.err
    assert len(ended.err.splitlines()) == 2
    assert SECRET not in ended.err + ended.out


def test_mysql_with_a_wrong_password_is_not_waited_for(tmp_path, mysql_url):
    with fresh_database(mysql_url) as url:
        wrong = url.replace(url.split(":")[2].rpartition("@")[0], SECRET)
        ended = quiet(tmp_path, *TOPIC, "-a", f"seeds={SEED}", "-s", f"TOPICSPIDER_STORE={wrong}")
    line = the_only_line(ended, 3)
    assert "user or the password was refused" in line
    assert "TOPICSPIDER_STORE" in line
    assert SECRET not in ended.err + ended.out
    assert PASSWORD not in ended.err + ended.out


def test_redis_that_refuses_connections_is_waited_for_and_then_named(tmp_path):
    redis = f"REDIS_URL=redis://:{SECRET}@127.0.0.1:1/0"
    ended = quiet(tmp_path, *TOPIC, "-a", "seeds=redis:", "-s", redis, "-s", "TOPICSPIDER_CONNECT_WAIT=1")
    line = the_line(ended, 3)
    for words in ("redis 127.0.0.1:1", "no answer", "TOPICSPIDER_CONNECT_WAIT"):
        assert words in line
    assert "waiting up to 1 s" in ended.err
    assert SECRET not in ended.err + ended.out


def test_the_same_crawl_started_twice_leaves_the_first_alone(tmp_path):
    with small_web(travel_web(90), latency=0.5) as web:
        first = begin(tmp_path, web.proxy, "-O", "hits.jsonl", seeds=SEED)
        wait_until(web.pages, first)
        second = quiet(tmp_path, *TOPIC, "-a", f"seeds={SEED}", "-a", "fresh=1", proxy=web.proxy)
        assert first.poll() is None, "the first ended too early for this test"
        _out, err = first.communicate(timeout=240)
    line = the_only_line(second, 4)
    assert f"process {first.pid}" in line
    assert "running already" in line
    assert first.returncode == 0, err
    assert sorted(web.pages()) == sorted(travel_web(90))
    assert len(items(tmp_path / "hits.jsonl")) == 30


def test_ctrl_c_while_the_crawl_is_still_being_checked_is_no_traceback(tmp_path):
    process = begin(tmp_path, "", seeds=SEED, TOPICSPIDER_STORE="mysql://u@127.0.0.1:1/d")
    ended = stop_after(process, (tmp_path / "data" / "tourism" / "frontier.db").exists, signal.SIGINT)
    *waiting, last = ended.err.splitlines()  # it may have said already that it waits for the store
    assert (ended.exit_code, last, len(waiting) <= 1) == (130, "topicspider: interrupted", True), ended.err


@pytest.mark.slow
@pytest.mark.parametrize(("size", "pages"), [("8k", 6), ("450k", 150)], ids=["at the start", "in the middle"])
def test_a_full_disk_ends_the_crawl_which_goes_on_when_there_is_room(tmp_path, size, pages):
    wanted = travel_web(pages)
    with small_disk(tmp_path, size) as disk, small_web(wanted) as web:
        data = ("-s", f"TOPICSPIDER_DATA={disk}")
        ended = crawl(tmp_path, web.proxy, *data, "-s", "LOG_LEVEL=WARNING", seeds=SEED)
        line = the_line(ended, 3)
        assert str(disk) in line
        assert "full" in line or "space" in line
        assert bool(web.pages()) is (pages > 6)
        make_room(disk)
        good = crawl(tmp_path, web.proxy, *data, seeds=SEED)
        assert good.exit_code == 0, good.err
        shutil.copytree(disk, tmp_path / "data")
    assert set(stored(tmp_path)) == set(wanted)
    assert set(web.pages()) == set(wanted)


def replay(folder: Path, *arguments: str) -> Ended:
    return scrapy(["replay", *arguments, "-s", "LOG_LEVEL=WARNING"], folder)


ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nabc"
WARC = (
    b"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://w0.example/\r\nWARC-Date: 2024-05-01T00:00:00Z\r\n"
    b"WARC-Record-ID: <urn:uuid:6f0e2f4c-0a5f-4f3e-9f1d-2d8a0f1c0001>\r\n"
    b"Content-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%b\r\n\r\n" % (len(ANSWER), ANSWER)
)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, ("nosuch", "There is no such file")),
        ("<html>旅游</html>".encode(), ("web.warc: offset 0", "not a WARC")),
        (WARC[:-20], ("web.warc: offset 0", "cut off")),
    ],
    ids=["missing", "not a WARC", "truncated"],
)
def test_a_recording_that_cannot_be_replayed_is_named(tmp_path, content, words):
    name = "nosuch.warc"
    if content is not None:
        name = "web.warc"
        (tmp_path / name).write_bytes(content)
    line = the_only_line(replay(tmp_path, name), 2)
    assert [word for word in words if word not in line] == [], line


def test_a_port_in_use_is_named(tmp_path):
    (tmp_path / "web.warc").write_bytes(WARC)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        line = the_only_line(replay(tmp_path, "web.warc", "--port", str(port)), 2)
    assert f"--port: {port}" in line
    assert "free" in line
