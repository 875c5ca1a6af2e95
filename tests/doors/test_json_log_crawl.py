"""A crawl whose log is JSON: every line, from the first to the last, on stderr and in a file."""

from __future__ import annotations

import json
import signal
import time

from support.crawling import begin, crawl, environment, scrapy, wait_until
from support.site import small_web, travel_web

SEED = "http://w0.example/p0.html"
OWN_TOPIC = "name: 测试旅行\ntitle: {zh: 旅行}\nterms: {旅游: 1.0, 景点: 0.8}\n"
KEYS = ["time", "level", "logger", "message", "crawl", "node"]
JSON = ("-s", "TOPICSPIDER_LOG_FORMAT=json")


def lines(text):
    """Each line, which must be an object."""
    found = [json.loads(line) for line in text.splitlines()]
    assert all(list(one)[: len(KEYS)] == KEYS for one in found)
    return found


def test_everything_on_stderr_is_json_in_utf8_whatever_the_locale(tmp_path):
    (tmp_path / "t.yaml").write_text(OWN_TOPIC, encoding="utf-8")
    given = ["crawl", "topic", "-a", "topic=t.yaml", "-a", f"seeds={SEED}", "-a", "max_pages=3", *JSON]
    values = {
        "TOPICSPIDER_DELAY_MIN": 0,
        "DOWNLOAD_DELAY": 0.01,
        "TOPICSPIDER_LANGUAGE": "zh",
        "TOPICSPIDER_NODE": "north-1",
    }
    given += [part for name, value in values.items() for part in ("-s", f"{name}={value}")]
    ascii_only = {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    with small_web(travel_web(20)) as web:
        ended = scrapy(given, tmp_path, environment(web.proxy, **ascii_only))
    assert ended.exit_code == 0, ended.err
    said = lines(ended.err)
    assert "DOWNLOAD_DELAY" in said[0]["message"]  # before Scrapy begins to log
    assert any(one["message"].startswith("Scrapy ") for one in said)
    last = [one for one in said if one["logger"] == "topicspider.extensions.live"]
    assert last[0]["crawl"] == "测试旅行"
    assert any("已达到页数上限" in one["message"] for one in last)
    assert "已达到页数上限" in ended.err  # and not \\u5df2
    assert last[0]["node"] == "north-1"


def test_a_log_file_is_json_too_and_the_line_of_a_wrong_setting_is(tmp_path):
    file = tmp_path / "log"
    more = ("-s", f"LOG_FILE={file}", "-a", "max_pages=2", *JSON)
    with small_web(travel_web(20)) as web:
        ended = crawl(tmp_path, web.proxy, *more, seeds=SEED)
        first = lines(file.read_text(encoding="utf-8"))
        wrong = crawl(tmp_path, web.proxy, *more, "-s", "TOPICSPIDER_ATTEMPTS=零", seeds=SEED)
    assert ended.exit_code == 0
    assert ended.err == ""
    assert len(first) > 10
    assert wrong.exit_code == 2
    (shown,) = lines(wrong.err)
    assert shown["level"] == "ERROR"
    assert "TOPICSPIDER_ATTEMPTS: '零' is not valid" in shown["message"]
    both = lines(file.read_text(encoding="utf-8"))
    assert both[: len(first)] == first
    assert both[-1]["message"] == shown["message"]


def test_that_it_was_interrupted_is_json_too_and_stands_in_the_log_file(tmp_path):
    file = tmp_path / "log"
    with small_web(travel_web(20), latency=1) as web:
        process = begin(tmp_path, web.proxy, "-s", f"LOG_FILE={file}", *JSON, seeds=SEED)
        wait_until(lambda: web.asked, process)
        process.send_signal(signal.SIGINT)
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _out, err = process.communicate(timeout=60)
    assert [one["message"] for one in lines(err)] == ["interrupted"]
    assert lines(file.read_text(encoding="utf-8"))[-1]["message"] == "interrupted"
