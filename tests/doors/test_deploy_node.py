"""A node as deploy/ has it: scrapyd by node.sh and scrapyd.conf, with its name and password from files; a real crawl on it."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from support.crawling import ROOT, environment
from support.servers import free_port
from support.site import small_web, travel_web

PATIENCE = 120  # seconds
SEED = "http://w0.example/p0.html"


def _hear_ctrl_c():
    """Whoever was started in the background of a shell passes over it, and so do its children."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Node:
    """A node in ``folder``; ``ask`` sends its name and password."""

    def __init__(self, folder, secrets, proxy):
        self.folder, self.url = folder, f"http://127.0.0.1:{(port := free_port())}"
        self.login = base64.b64encode(f"topicspider:{(secrets / 'scrapyd_password').read_text()}".encode()).decode()
        shutil.copy(ROOT / "deploy" / "scrapyd.conf", folder)
        env = environment(
            proxy,
            SCRAPYD_HTTP_PORT=str(port),
            SCRAPYD_USERNAME_FILE=str(secrets / "scrapyd_username"),
            SCRAPYD_PASSWORD_FILE=str(secrets / "scrapyd_password"),
            TOPICSPIDER_PYTHON=sys.executable,
            TOPICSPIDER_LOG_FORMAT="json",
            TOPICSPIDER_DELAY_MIN="0",
            TOPICSPIDER_DELAY_FACTOR="0",
            TOPICSPIDER_METRICS="0",
            TOPICSPIDER_METRICS_TOKEN=f"@{secrets / 'metrics_token'}",
            TOPICSPIDER_METRICS_TARGETS=str(folder / "targets"),
        )
        del env["SCRAPY_SETTINGS_MODULE"]
        self.output = (folder / "output").open("wb")
        self.process = subprocess.Popen(
            [ROOT / "deploy" / "node.sh"],
            cwd=folder,
            env=env,
            stdout=self.output,
            stderr=self.output,
            process_group=0,
            preexec_fn=_hear_ctrl_c,
        )

    def ask(self, page, data=None, login=None):
        headers = {"Authorization": f"Basic {self.login if login is None else login}"}
        body = None if data is None else urlencode(data).encode()
        with urlopen(Request(f"{self.url}/{page}", body, headers)) as answer:
            return json.load(answer)

    def until(self, found):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if value := found():
                    return value
            except OSError as error:
                if isinstance(error, HTTPError):
                    raise
            assert self.process.poll() is None, (self.folder / "output").read_text()
            assert time.monotonic() < deadline, (self.folder / "output").read_text()
            time.sleep(0.1)

    def stop(self):
        """As Ctrl-C in a terminal does: each process of its group gets it."""
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.wait(PATIENCE)
        self.output.close()


@pytest.fixture(scope="module")
def secrets(tmp_path_factory):
    folder = tmp_path_factory.mktemp("secrets")
    subprocess.run([ROOT / "deploy" / "make-secrets", folder], check=True, capture_output=True)
    return folder


@pytest.mark.slow
def test_a_node_lets_in_who_has_its_password_runs_a_crawl_and_has_it_stop_first(tmp_path, secrets):
    with small_web(travel_web(900, hosts=30), latency=0.1) as web:
        node = Node(tmp_path, secrets, web.proxy)
        try:
            node.until(lambda: node.ask("daemonstatus.json"))
            for login in ("", base64.b64encode(b"topicspider:wrong").decode()):
                with pytest.raises(HTTPError, match="401"):
                    node.ask("daemonstatus.json", login=login)
            with pytest.raises(HTTPError, match="404"):
                node.ask("addversion.json", {"project": "topicspider", "version": "1"})
            job = {"project": "topicspider", "spider": "topic", "topic": "tourism", "seeds": SEED}
            wrong = node.ask("schedule.json", {**job, "max_pages": "很多"})["jobid"]
            node.until(lambda: [one["id"] for one in node.ask("listjobs.json")["finished"]] == [wrong])
            jobid = node.ask("schedule.json", job)["jobid"]
            target = node.until(lambda: list((tmp_path / "targets").glob("*.json")))[0]
            (address,) = json.loads(target.read_text())[0]["targets"]
            token = {"Authorization": f"Bearer {(secrets / 'metrics_token').read_text()}"}
            with urlopen(Request(f"http://{address}/metrics", headers=token)) as answer:
                assert b'topicspider_pages_total{crawl="tourism"}' in answer.read()
            node.until(lambda: len(web.pages()) > 20)
        finally:
            node.stop()
    log = (tmp_path / "logs" / "topicspider" / "topic" / f"{jobid}.log").read_text(encoding="utf-8")
    assert "Spider closed (shutdown)" in log  # before scrapyd did
    assert re.findall(r"Received (SIG\w+)", log) == ["SIGINT"]  # scrapyd's SIGTERM forces nothing
    assert list((tmp_path / "targets").iterdir()) == []
    assert not (tmp_path / "eggs").exists()
    output = (tmp_path / "output").read_text(encoding="utf-8")
    (said,) = [line for line in output.splitlines() if "'很多' is not valid" in line]
    assert json.loads(said[said.index("{") :])["level"] == "ERROR"  # as the crawl said it
    assert "Unable to format" not in output
    assert "UserWarning" not in output


def test_a_node_that_others_can_reach_does_not_start_without_a_password(tmp_path):
    env = {**environment(), "SCRAPYD_BIND_ADDRESS": "0.0.0.0", "TOPICSPIDER_PYTHON": sys.executable}
    env = {name: value for name, value in env.items() if not name.startswith("SCRAPYD_PASS")}
    done = subprocess.run(
        [ROOT / "deploy" / "node.sh"],
        cwd=tmp_path,
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 2
    assert "it needs a name and a password" in done.stderr
    assert list(tmp_path.iterdir()) == []
