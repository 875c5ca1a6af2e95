"""A real Prometheus, with the configuration of deploy/, finds a running crawl, scrapes it with its token, and fires no alert."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import time
from urllib.parse import quote
from urllib.request import urlopen

from support.crawling import NO_DELAYS, ROOT, environment, start
from support.servers import NoServerError, find_program, free_port, give_up
from support.site import small_web, travel_web

PROMETHEUS = ROOT / "deploy" / "prometheus"
SEED = "http://w0.example/p0.html"
TOKEN = "a-token-of-24-characters"
PATIENCE = 90  # seconds


def _program(name):
    try:
        return find_program((name,), "prometheus")
    except NoServerError as missing:
        give_up(str(missing))


def promtool(*arguments, folder=PROMETHEUS, given=""):
    done = subprocess.run(
        [_program("promtool"), *arguments],
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_alerts_are_rules_and_fire_when_they_must():
    assert "SUCCESS: 13 rules found" in promtool("check", "rules", "alerts.yml")
    assert "SUCCESS" in promtool("test", "rules", "alerts_test.yml")


def configured(folder, targets):
    """deploy/prometheus in ``folder``, with the places of this test and looks each half second."""
    shutil.copytree(PROMETHEUS, folder)
    (folder / "token").write_text(TOKEN, encoding="utf-8")
    file = folder / "prometheus.yml"
    text = file.read_text(encoding="utf-8")
    for ours, theirs in {
        "/run/secrets/metrics_token": f"{folder}/token",
        "/var/lib/metrics/": f"{targets}/",
        "scrape_interval: 15s": "scrape_interval: 500ms",
        "refresh_interval: 15s": "refresh_interval: 1s",
    }.items():
        assert ours in text
        text = text.replace(ours, theirs)
    file.write_text(text, encoding="utf-8")
    return file


def ask(url, query):
    """Value by the labels of the answer."""
    with urlopen(f"{url}/api/v1/query?query={quote(query)}") as answer:
        rows = json.load(answer)["data"]["result"]
    return [(row["metric"], float(row["value"][1])) for row in rows]


def until(process, found):
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            if value := found():
                return value
        except OSError:
            pass  # not up yet
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.1)


def test_prometheus_finds_a_running_crawl_and_sees_it_go(tmp_path):
    targets, port = tmp_path / "targets", free_port()
    file = configured(tmp_path / "prometheus", targets)
    assert "SUCCESS" in promtool("check", "config", str(file))
    arguments = [f"--config.file={file}", f"--storage.tsdb.path={tmp_path / 'tsdb'}"]
    arguments += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=error"]
    settings = {"PORT": "0", "TOKEN": TOKEN, "TARGETS": str(targets)}
    ours = [part for name, value in settings.items() for part in ("-s", f"TOPICSPIDER_METRICS_{name}={value}")]
    given = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", *NO_DELAYS, *ours]
    url = f"http://127.0.0.1:{port}"
    with (
        small_web(travel_web(1500, hosts=30), latency=0.1) as web,
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen([_program("prometheus"), *arguments], stdout=log, stderr=log) as prometheus,
    ):
        crawl = start(given, tmp_path, environment(web.proxy))
        try:
            until(crawl, lambda: [1 for _, value in ask(url, "topicspider_pages_total") if value >= 20])
            ((labels, up),) = ask(url, "up")
            ((_, pace),) = until(crawl, lambda: ask(url, "rate(topicspider_pages_total[10s]) > 0"))
            text = {labels["alertname"] for labels, _ in ask(url, 'ALERTS{alertstate="firing"}')}
            crawl.send_signal(signal.SIGINT)
            crawl.communicate(timeout=PATIENCE)
            until(prometheus, lambda: not ask(url, "up"))
        finally:
            crawl.kill()
            crawl.communicate()
            prometheus.terminate()
    assert up == 1
    assert labels["job"] == "topicspider"
    assert pace > 0
    assert text == set()
