"""``scrapy frontier``: look and steer, in a terminal of 80 columns, beside a running crawl too."""

from __future__ import annotations

import json
import re
import signal
import time
from contextlib import closing
from functools import partial

import pytest

from support.crawling import begin, crawl, in_80_columns, wait_until
from support.site import TRAVEL, page, small_web, travel_web
from topicspider.frontier.protocol import Completion, End, Entry, Work
from topicspider.frontier.sqlite.frontier import SqliteFrontier

SEED = "http://w0.example/p0.html"
TOPIC = ("--topic", "tourism")
TOURISM = "data/tourism/frontier.db"


frontier = partial(in_80_columns, "frontier")


def told(folder, *arguments):
    """What the command says as JSON, when all is well."""
    ended = frontier(folder, *arguments, "--json", wide=True)
    assert (ended.exit_code, ended.err) == (0, ""), ended.err
    return json.loads(ended.out)


def refused(folder, *arguments, code=2):
    """The one line that it says when something is wrong."""
    ended = frontier(folder, *arguments)
    assert (ended.exit_code, ended.out) == (code, ""), ended.err
    (line,) = ended.err.splitlines()
    return line


def make_queue(path, **options):
    """A queue with something in every state."""
    long = "http://xn--zfvz1q.example/" + "%E9%A1%B5" * 40
    hosts = ("xn--zfvz1q.example:80", "a.example:443", "b.example:80")
    with closing(SqliteFrontier(path, attempts=1, **options)) as queue:
        queue.apply(Work([], [Entry("http://b.example/死", 99, hosts[2], 5.0, payload='{"a": "甲"}')]))
        (lease,) = queue.acquire("n", 1, 1, 60).leases
        queue.apply(Work([Completion(99, lease.host, lease.token, End.FAILED, "timeout")]))
        queue.apply(Work([], [Entry(f"{long}{n}", n, hosts[n % 3], n / 100, depth=n % 4) for n in range(30)]))
        (lease,) = queue.acquire("n", 1, 1, 60).leases
        queue.apply(Work([Completion(29, lease.host, lease.token, End.PAGE)]))
        queue.set_meta("topic", "旅游")


@pytest.fixture
def queue(tmp_path):
    """The folder of a crawl of tourism that is not running."""
    make_queue(tmp_path / TOURISM)
    return tmp_path


class TestLooking:
    def test_sizes_and_the_largest_hosts(self, queue):
        ended = frontier(queue, *TOPIC)
        assert ended.exit_code == 0
        assert frontier(queue).out == ended.out  # the only one
        assert ended.out.splitlines()[:2] == [TOURISM, "queued 29  leased 0  done 1  dead 1  pages 1  hosts 3"]
        assert re.search(r"^xn--zfvz1q\.example:80 +10 +0 +0 +0  0\.2700 +-$", ended.out, re.MULTILINE)
        data = told(queue, *TOPIC)
        assert (data["queued"], data["done"], data["dead"], data["blocked_hosts"]) == (29, 1, 1, 0)
        assert [one["queued"] for one in data["largest"]] == [10, 10, 9]
        assert [one["fingerprint"] for one in told(queue, "top", "3", *TOPIC)] == [28, 27, 26]
        assert [one["fingerprint"] for one in told(queue, "bottom", "2", *TOPIC)] == [0, 1]

    def test_leases_and_the_dead(self, queue):
        assert "no host is leased" in frontier(queue, "leases", *TOPIC).out
        assert re.search(r"timeout +1  http://b\.example/死", frontier(queue, "dead", *TOPIC).out)
        (dead,) = told(queue, "dead", *TOPIC)
        assert (dead["url"], dead["reason"], dead["payload"]) == ("http://b.example/死", "timeout", '{"a": "甲"}')


class TestSteering:
    def test_block_delay_and_unblock(self, queue):
        assert told(queue, "block", "旅游.example", "a.example:443", *TOPIC)["changed"] == 2
        blocked = frontier(queue, "block", "a.example", "b.example", *TOPIC).out
        assert blocked == "blocked: a.example:443, b.example:80\n"
        delayed = frontier(queue, "delay", "http://b.example/x", "7.5", *TOPIC).out
        assert delayed == "b.example:80: rests at least 7.5 s after each fetch\n"
        shown = frontier(queue, *TOPIC).out
        assert "hosts 3 (3 blocked)" in shown
        assert re.search(r"^b\.example:80 .* 7\.5 s  blocked$", shown, re.MULTILINE)
        assert told(queue, "unblock", "b.example", *TOPIC) == {"unblocked": ["b.example:80"], "changed": 1}
        told(queue, "delay", "b.example", "0", *TOPIC)
        states = {one["host"]: (one["is_blocked"], one["delay_seconds"]) for one in told(queue, "hosts", *TOPIC)}
        assert states == {"xn--zfvz1q.example:80": (True, 0), "a.example:443": (True, 0), "b.example:80": (False, 0)}

    def test_revive(self, queue):
        assert "allowed: timeout" in refused(queue, "dead", "dns", "--revive", *TOPIC)
        assert told(queue, "dead", "timeout", "--revive", *TOPIC) == {"revived": 1}
        assert told(queue, "dead", *TOPIC) == []
        assert told(queue, "top", "1", *TOPIC)[0]["url"] == "http://b.example/死"


class TestCarrying:
    def test_what_was_exported_makes_the_same_queue(self, queue):
        told(queue, "block", "a.example", *TOPIC)
        assert told(queue, "export", "旅游.jsonl", *TOPIC) == {"file": "旅游.jsonl", "records": 35}
        lines = frontier(queue, "export", "-", *TOPIC, wide=True).out
        assert lines == (queue / "旅游.jsonl").read_text(encoding="utf-8")
        assert told(queue, "sqlite:///copy.db", "import", "旅游.jsonl") == {"records": 35, "new": 31}
        assert told(queue, "sqlite:///copy.db", "import", "旅游.jsonl") == {"records": 35, "new": 0}
        ours, theirs = told(queue, *TOPIC), told(queue, "sqlite:///copy.db")
        assert {**ours, "crawl": ""} == {**theirs, "crawl": ""}

    def test_what_cannot_be_read_or_written_is_named(self, queue):
        (queue / "bad.jsonl").write_text('{"url": "http://新.example/"}\n{"url": 5}\n', encoding="utf-8")
        assert "bad.jsonl:2: " in refused(queue, "import", "bad.jsonl", *TOPIC)
        assert "No such file" in refused(queue, "import", "none.jsonl", *TOPIC)
        assert "No such file" in refused(queue, "export", "no/such/f.jsonl", *TOPIC)
        (queue / "bytes.jsonl").write_bytes(b"\xff\xfe\x00")
        assert "UTF-8" in refused(queue, "import", "bytes.jsonl", *TOPIC)

    def test_move_empties_the_first_and_may_be_run_again(self, queue):
        before = told(queue, *TOPIC)
        assert told(queue, "move", "tourism", "sqlite:///new.db")["new"] == 31
        assert told(queue, *TOPIC)["queued"] == 0
        after = told(queue, "sqlite:///new.db")
        assert {**before, "crawl": ""} == {**after, "crawl": ""}
        assert told(queue, "move", "tourism", "sqlite:///new.db")["new"] == 0
        assert told(queue, "sqlite:///new.db")["queued"] == 29


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--topic", "turism"), 2, "Did you mean tourism"),
        (("--topic", "food"), 3, "there is no such file"),
        (("sqlite:///none.db",), 3, "there is no such file"),
        (("memory:",), 2, "gone with its crawl"),
        (("block", "c.example", *TOPIC), 2, "frontier hosts"),
        (("top", "0", *TOPIC), 2, "N: '0' is not valid; allowed: a whole number above 0"),
        (("hosts", "-1", *TOPIC), 2, "N: '-1' is not valid; allowed: a whole number above 0"),
        (("move", "sqlite:///none.db", "sqlite:///new.db"), 3, "there is no such file"),
    ],
)
def test_what_is_wrong_is_one_line_and_an_exit_code(queue, arguments, code, words):
    assert words in refused(queue, *arguments, code=code)
    assert not (queue / "none.db").exists()


def endless(url):
    """A web of three hosts without end, a host a number."""
    if "robots" in url or not (found := re.fullmatch(r"http://w(\d)\.example/p(\d+)\.html", url)):
        return None
    number = int(found[2])
    ways = [f"http://w{other}.example/p{number * 2 + step}.html" for other in range(3) for step in (1, 2)]
    return page(f"旅游景点 {found[1]} {number}", TRAVEL, dict.fromkeys(ways, "旅游景点攻略"))


def test_beside_a_running_crawl(tmp_path):
    """Looking works, steering reaches it, what must be alone says so; Ctrl-C still ends it."""
    with small_web(endless, latency=0.02) as web:
        seeds = ",".join(f"http://w{n}.example/p0.html" for n in range(3))
        process = begin(tmp_path, web.proxy, seeds=seeds, TOPICSPIDER_DELAY_MIN=0.2)
        try:
            wait_until(lambda: len(web.pages()) > 10, process)
            assert told(tmp_path, *TOPIC)["queued"] > 0
            assert told(tmp_path, "block", "w0.example", *TOPIC)["changed"] == 1
            told(tmp_path, "delay", "w1.example", "600", *TOPIC)
            assert "counts as queued" in refused(tmp_path, "leases", *TOPIC, code=3)
            time.sleep(1)  # what was leased before
            before = len(web.asked)
            wait_until(lambda: len(web.asked) > before + 5, process)
            assert {one.host for one in web.asked[before + 1 :]} == {"w2.example"}
            told(tmp_path, "unblock", "w0.example", *TOPIC)
            wait_until(lambda: "w0.example" in {one.host for one in web.asked[before + 5 :]}, process)
            assert told(tmp_path, "export", "all.jsonl", *TOPIC)["records"] > 10
            for arguments in (("import", "all.jsonl"), ("move", "tourism", "sqlite:///new.db")):
                assert f"process {process.pid} holds" in refused(tmp_path, *arguments, *TOPIC, code=4)
        finally:
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err[-2000:]


def test_a_crawl_whose_last_hosts_are_blocked_ends(tmp_path):
    with small_web(travel_web()) as web:
        assert crawl(tmp_path, web.proxy, "-a", "max_pages=5", seeds=SEED).exit_code == 0
        hosts = [one["host"] for one in told(tmp_path, "hosts", *TOPIC)]
        told(tmp_path, "block", *hosts, *TOPIC)
        asked = len(web.asked)
        ended = crawl(tmp_path, web.proxy, "-a", "max_pages=50", seeds=SEED)
        assert (ended.exit_code, len(web.asked)) == (0, asked)
        assert re.search(r"tourism: finished; \d+ links stay queued, on hosts that may not be asked now", ended.err)
        assert "blocked by hand (command frontier)" in ended.err
        told(tmp_path, "unblock", *hosts, *TOPIC)
        assert crawl(tmp_path, web.proxy, "-a", "max_pages=50", seeds=SEED).exit_code == 0
        assert len(web.pages()) > 20
