"""A real scrapyd gets the egg, runs jobs with topics sent as text, and two of them share one crawl over Redis."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
import redis

from support.crawling import ROOT, environment
from support.servers import free_port
from support.site import small_web, travel_web
from tests.doors.test_packaging import PARTS

SEED = "http://w0.example/p0.html"
OWN_TOPIC = "name: 测试旅行\ntitle: {zh: 旅行}\nterms: {旅游: 1.0, 景点: 0.8, 景区: 0.8, 酒店: 0.5}\n"
QUICK = ("TOPICSPIDER_DELAY_MIN=0", "TOPICSPIDER_DELAY_FACTOR=0")
LONGEST = 240  # seconds


class Node:
    """A running scrapyd, spoken to as any client does."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder = folder
        self.url = f"http://127.0.0.1:{port}"

    def ask(self, page: str, **fields: str) -> dict:
        query = urlencode({"project": "topicspider", **fields})
        with urlopen(f"{self.url}/{page}.json?{query}") as answer:
            return json.load(answer)

    def schedule(self, *settings: str, **arguments: str) -> str:
        job = {"project": "topicspider", "spider": "topic", "setting": [*QUICK, *settings], **arguments}
        with urlopen(f"{self.url}/schedule.json", urlencode(job, doseq=True).encode()) as answer:
            found = json.load(answer)
        assert found["status"] == "ok", found
        return found["jobid"]

    def wait_for(self, job: str) -> str:
        """Its log, when it has ended."""
        deadline = time.monotonic() + LONGEST
        while job not in [one["id"] for one in self.ask("listjobs")["finished"]]:
            assert time.monotonic() < deadline, self.log(job)[-3000:]
            time.sleep(0.2)
        # of a job that wrote nothing scrapyd says how it ended
        return self.log(job) or (self.folder / "output").read_text(encoding="utf-8")[-3000:]

    def log(self, job: str) -> str:
        file = self.folder / "logs" / "topicspider" / "topic" / f"{job}.log"
        return file.read_text(encoding="utf-8") if file.is_file() else "no log"


@contextmanager
def scrapyd(folder: Path, proxy: str, redis_url: str):
    """Start scrapyd in ``folder`` with the project deployed; ends it and its jobs."""
    port = free_port()
    (folder / "scrapyd.conf").write_text(
        f"[scrapyd]\nhttp_port = {port}\nbind_address = 127.0.0.1\npoll_interval = 0.2\nmax_proc = 4\n"
    )
    env = environment(proxy, TOPICSPIDER_FRONTIER=redis_url)
    env.pop("PYTHONPATH")  # the project comes as an egg
    env.pop("SCRAPY_SETTINGS_MODULE")
    with (folder / "output").open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-m", "scrapyd", "--pidfile="], cwd=folder, env=env, stdout=output, stderr=output
        )
    node = Node(folder, port)
    try:
        _answers(node, process)
        yield node
    finally:
        process.terminate()  # scrapyd ends its jobs
        process.wait(timeout=30)


def _answers(node: Node, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            assert node.ask("daemonstatus")["status"] == "ok"
            return
        except OSError:
            assert process.poll() is None, (node.folder / "output").read_text()
            assert time.monotonic() < deadline
            time.sleep(0.1)


def deploy(project: Path, *nodes: Node) -> None:
    """What a user types in a checkout: ``scrapyd-deploy TARGET -p topicspider``."""
    targets = "".join(
        f"[deploy:n{number}]\nurl = {node.url}/\nproject = topicspider\n" for number, node in enumerate(nodes)
    )
    (project / "scrapy.cfg").write_text(f"[settings]\ndefault = topicspider.settings\n\n{targets}")
    for number in range(len(nodes)):
        command = [sys.executable, "-m", "scrapyd_client.deploy", f"n{number}", "-p", "topicspider"]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, timeout=LONGEST, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        assert '"spiders": 1' in done.stdout, done.stdout + done.stderr


@pytest.fixture(scope="module")
def nodes(tmp_path_factory, redis_url):
    """Two servers with the project deployed to them from a copy of the checkout, and the web that their jobs see."""
    project = tmp_path_factory.mktemp("checkout")
    for name in (*PARTS, "scrapy.cfg"):
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, project / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, project / name)
    folders = [tmp_path_factory.mktemp("node") for _ in range(2)]
    with (
        small_web(travel_web(120, hosts=15), latency=0.1) as served,
        scrapyd(folders[0], served.proxy, redis_url) as one,
        scrapyd(folders[1], served.proxy, redis_url) as two,
        redis.Redis.from_url(redis_url) as client,
    ):
        deploy(project, one, two)
        client.flushdb()  # of crawls that other tests have left there
        yield served, one, two
        client.flushdb()


def test_a_job_crawls_a_topic_of_the_egg_and_one_sent_as_text_and_reads_no_file_of_the_server(tmp_path, nodes):
    served, node, _ = nodes
    secret = tmp_path / "secret.yaml"
    secret.write_text("password: 密码\n", encoding="utf-8")
    before = len(served.pages())
    assert node.ask("listspiders")["spiders"] == ["topic"]
    jobs = {
        "named": node.schedule(topic="tourism", seeds=SEED, max_pages="5"),
        "sent": node.schedule(topic_yaml=OWN_TOPIC, seeds=SEED, max_pages="6"),
        "file": node.schedule(topic=str(secret), seeds=SEED),
        "code": node.schedule("SPIDER_MODULES=antigravity", topic="tourism", seeds=SEED),
        "feed": node.schedule('FEEDS={"x.py": {"format": "jsonlines"}}', topic="tourism", seeds=SEED),
        "place": node.schedule(f"TOPICSPIDER_STORE=sqlite:///{tmp_path}/密.db", topic="tourism", seeds=SEED),
    }
    logs = {name: node.wait_for(job) for name, job in jobs.items()}
    data = node.folder / "data"
    assert "Spider closed (max_pages)" in logs["named"], logs["named"]
    assert "Spider closed (max_pages)" in logs["sent"], logs["sent"]
    assert (data / "tourism" / "pages.db").is_file()
    assert (data / "topics" / "测试旅行.yaml").read_text(encoding="utf-8") == OWN_TOPIC
    assert len(served.pages()) - before == 11
    assert "is not valid; allowed: the name of a topic" in logs["file"]
    assert "密码" not in logs["file"]
    assert "TOPICSPIDER_STORE: '***' is not valid" in logs["place"]
    assert "SPIDER_MODULES: '***' is not valid" in logs["code"]
    assert "FEEDS: '***' is not valid" in logs["feed"]
    assert not (tmp_path / "密.db").exists()


@pytest.mark.slow
def test_f2_jobs_of_one_topic_on_two_servers_share_one_crawl(nodes):
    served, *both = nodes
    before = len(served.pages())
    topic = OWN_TOPIC.replace("测试旅行", "共同旅行")
    slowly = "TOPICSPIDER_DELAY_MIN=3"  # so that the crawl still runs when the second job has started
    shared = ("TOPICSPIDER_LEASE_SECONDS=5", slowly)
    jobs = [(node, node.schedule(*shared, topic_yaml=topic, seeds=SEED)) for node in both]
    logs = [node.wait_for(job) for node, job in jobs]
    fetched = served.pages()[before:]
    assert all("Spider closed (finished)" in log for log in logs), logs
    assert sorted(fetched) == sorted(set(fetched))
    assert len(fetched) > 90
    assert all((node.folder / "data" / "topics" / "共同旅行.yaml").is_file() for node in both)
