"""``scrapy rehearse`` as a user types it: a table, a report, the same bytes again, and one clear line for what is wrong."""

from __future__ import annotations

import json
import re
import signal
import sqlite3

import pytest

from support.crawling import children_of, environment, is_alive, scrapy, start, wait_until
from support.replaying import write_warc

MADE = "made:pages=1200,hosts=12,seed=3"
SHORT = ("--topic", "tourism", "--pages", "40,80,120", "--processes", "1")
HTML = "text/html; charset=utf-8"
SAME_EACH_TIME = ("results.json", "report.html")


def rehearse(folder, *arguments, **env):
    cache = folder.parent / "cache"
    return scrapy(["rehearse", *arguments], folder, environment(XDG_CACHE_HOME=str(cache), **env))


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    return tmp_path_factory.mktemp("home")


@pytest.fixture(scope="module")
def done(home):
    """One rehearsal, and the same again."""
    out = []
    for name in ("first", "again"):
        ended = rehearse(
            home, "--web", MADE, *SHORT, "--policies", "bfs,ipagerank,oracle", "--repeat", "2", "--out", name
        )
        assert ended.exit_code == 0, ended.err[-3000:]
        out.append(ended)
    return out


def test_the_table_names_every_policy_and_fits_a_terminal(done):
    for policy in ("bfs", "ipagerank", "oracle"):
        assert policy in done[0].out
    assert max(map(len, done[0].out.splitlines())) <= 80
    assert "self-judged" not in done[0].out


def test_the_report_and_all_figures_are_written(done, home):
    written = {path.name for path in (home / "first").rglob("*") if path.is_file()}
    assert written == {"report.html", "results.json"}
    assert "report.html" in done[0].out


@pytest.mark.parametrize("name", SAME_EACH_TIME)
def test_the_same_seed_gives_the_same_bytes(name, done, home):
    assert (home / "first" / name).read_bytes() == (home / "again" / name).read_bytes()


def test_the_figures_say_what_they_were_made_of(done, home):
    setting = json.loads((home / "first" / "results.json").read_text(encoding="utf-8"))["setting"]
    assert setting["topic"] == "tourism"
    assert setting["judged_by"] == "truth"
    assert setting["is_evidence"] is True
    assert all(setting[key] for key in ("web_digest", "topic_digest", "version", "checkpoints"))


def test_focus_helps_and_the_oracle_does_best(done, home):
    results = json.loads((home / "first" / "results.json").read_text(encoding="utf-8"))
    area = {one["policy"]: one["auc_perfect"]["value"] for one in results["policies"]}
    assert area["oracle"] >= area["ipagerank"] > area["bfs"]


def test_without_labels_every_output_says_that_it_is_no_evidence(home):
    text = "<html><title>{0}</title><body><p>{0}</p><a href=/{1}>{0}</a><a href=/{2}>x</a></body></html>"
    words = ["云南旅游攻略，景点与门票" * 20, "汽车发动机保养" * 20]
    pages = {f"http://a.example/{i or ''}": (HTML, text.format(words[i % 2], i + 1, i + 2).encode()) for i in range(12)}
    write_warc(home / "own.warc", pages)
    ended = rehearse(
        home, "--web", "own.warc", "--topic", "tourism", "--policies", "bfs,rw", "--pages", "4,8", "--out", "self"
    )
    assert ended.exit_code == 0, ended.err[-3000:]
    assert "self-judged, not evidence" in ended.out
    for name in ("results.json", "report.html"):
        text = (home / "self" / name).read_text(encoding="utf-8")
        assert "self-judged, not evidence" in text.lower(), name


@pytest.mark.parametrize(("sign", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, -15)])
def test_whatever_ends_it_no_process_is_left(sign, exit_code, home):
    long = ("--topic", "tourism", "--pages", "1000", "--repeat", "30", "--processes", "2", "--out", "cut")
    cache = environment(XDG_CACHE_HOME=str(home.parent / "cache"))
    process = start(["rehearse", "--web", MADE, *long], home, cache)
    for line in process.stderr:
        if re.search(r"\b1 of \d+ runs", line):
            break
    children = children_of(process.pid)
    process.send_signal(sign)
    process.communicate(timeout=30)
    assert process.returncode == exit_code
    assert len(children) >= 2
    wait_until(lambda: not any(map(is_alive, children)), seconds=10)


def unfinished(folder):
    """A crawl.db that says nothing of an end."""
    path = folder / "crawl.db"
    with sqlite3.connect(path) as file:
        file.execute("CREATE TABLE other (x)")
    return str(path)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--web", MADE, "--topic", "tourism", "--policies", "ipagrank"), "--policies: 'ipagrank'"),
        (("--web", MADE, *SHORT, "--topic", "environment"), "environment"),
        (("--web", "nothing.warc", "--topic", "tourism"), "nothing.warc"),
        (("--topic", "tourism"), "--web"),
        (("--web", MADE), "--topic"),
        (("--web", MADE, *SHORT, "--seeds", "http://elsewhere.example/"), "http://elsewhere.example/"),
        (("--web", MADE, *SHORT, "--pages", "many"), "--pages"),
        (("--web", MADE, *SHORT, "--latency", "slow"), "--latency"),
        (("--web", MADE, *SHORT, "--labels", "foreign.jsonl"), "foreign.jsonl"),
        (("--web", "pictures.warc", *SHORT), "pictures.warc"),
        (("--web", "crawl.db", *SHORT), "crawl.db"),
    ],
)
def test_what_is_wrong_is_one_line_that_names_it(arguments, said, tmp_path):
    write_warc(tmp_path / "pictures.warc", {"http://a.example/x.png": ("image/png", b"\x89PNG")})
    (tmp_path / "foreign.jsonl").write_text('{"url": "http://other.example/", "topics": ["tourism"]}\n')
    unfinished(tmp_path)
    ended = rehearse(tmp_path, *arguments)
    assert ended.exit_code == 2
    assert "Traceback" not in ended.err
    errors = [line for line in ended.err.splitlines() if line.startswith("topicspider: ")]
    assert len(errors) == 1
    assert said in errors[0]


@pytest.mark.parametrize(
    ("paper", "names"),
    [
        ("thesis2011", ("hard_focus", "fewer")),
        ("li2002", ("ipagerank precision", "bfs discovery", "120")),
        ("cao", ("capacity", "performance", "quality", "bfs", "relevant 50%")),
        ("broder", ("clock", "lru", "random", "static", "min", "infinite", "65,536")),
        ("xu2007", ("bfs", "pages/s")),
    ],
)
@pytest.mark.slow
def test_each_papers_experiment_runs_on_a_users_web_and_writes_its_table(home, paper, names):
    ended = rehearse(home, "--web", MADE, *SHORT, "--experiment", paper, "--out", paper)
    assert ended.exit_code == 0, ended.err[-3000:]
    shown = (home / paper / "experiment.txt").read_text("utf-8")
    assert shown in ended.out
    assert [name for name in names if name not in shown] == []


def test_an_unknown_experiment_names_those_there_are(home):
    ended = rehearse(home, "--web", MADE, *SHORT, "--experiment", "li2003")
    assert (ended.exit_code, "thesis2011, li2002, cao, broder, xu2007" in ended.err) == (2, True)
