"""Arguments of the spider become settings; those of a job name no file of the server."""

from __future__ import annotations

import pytest
from scrapy.settings import BaseSettings, Settings

from topicspider.errors import ConfigError
from topicspider.i18n import as_typed
from topicspider.spiders.arguments import SECRETS, apply_arguments, refuse_unknown

JOB = {"_job": "26d1b1a6"}


def test_arguments_win_over_settings():
    settings = BaseSettings({"TOPICSPIDER_TOPIC": "food", "TOPICSPIDER_MAX_PAGES": "9"}, priority="project")
    apply_arguments(settings, {"topic": "旅游", "depth": "3", "else": "x"})
    assert settings["TOPICSPIDER_TOPIC"] == "旅游"
    assert settings["TOPICSPIDER_MAX_PAGES"] == "9"
    assert settings["TOPICSPIDER_MAX_DEPTH"] == "3"


@pytest.mark.parametrize(
    ("name", "near"),
    [("max_page", "max_pages"), ("maxpages", "max_pages"), ("topics", "topic"), ("deepth", "depth"), ("主题", "")],
)
def test_an_argument_mistyped_is_an_error_that_names_the_nearest(name, near):
    with pytest.raises(ConfigError, match=rf"-a: '{name}' is not valid; allowed: topic, seeds") as caught:
        refuse_unknown({"topic": "food", name: "5"})
    assert caught.value.hint == (f"Did you mean {near}?" if near else "")
    refuse_unknown({"topic": "food", "fresh": "1", "topic_yaml": "name: 茶叶", **JOB})


def test_a_topic_sent_as_text_becomes_the_path_of_its_file(tmp_path):
    settings = BaseSettings({"TOPICSPIDER_DATA": str(tmp_path)})
    apply_arguments(settings, {"topic_yaml": "name: 茶叶\nterms: {茶叶: 1.0}\n", **JOB})
    assert settings["TOPICSPIDER_TOPIC"] == str((tmp_path / "topics" / "茶叶.yaml").resolve())


@pytest.mark.parametrize("topic", ["/etc/passwd.yaml", "tourism,./a.yml", "旅游，..\\a", "folder/file", " x.yaml "])
def test_a_job_names_no_file_as_its_topic(topic):
    settings = BaseSettings()
    with pytest.raises(ConfigError, match="allowed: the name of a topic"):
        apply_arguments(settings, {"topic": topic, **JOB})
    apply_arguments(settings, {"topic": topic})  # at one's own terminal it may
    assert settings["TOPICSPIDER_TOPIC"] == topic


@pytest.mark.parametrize(
    "seeds",
    ["@/etc/passwd", " @/etc/passwd", "\n@/etc/passwd", "\u3000@种子.txt", "redis:queue", " redis:茶叶:start_urls:x"],
)
def test_a_job_names_no_file_of_seeds(seeds):
    with pytest.raises(ConfigError, match="URLs joined by commas"):
        apply_arguments(BaseSettings(), {"seeds": seeds, **JOB})


@pytest.mark.parametrize(
    "setting",
    [
        ("ROBOTSTXT_OBEY", ""),
        ("DOWNLOAD_HANDLERS", "{}"),
        ("EXTENSIONS", "{}"),
        ("FEEDS", '{"ftp://10.0.0.9/topicspider/topic/26d1b1a6.jl": {"format": "jsonlines"}}'),
        ("FEEDS", '{"/srv/26d1b1a6.jl": {"format": "jsonlines"}}'),
        ("JOBDIR", "/etc/26d1b1a6"),
        ("TOPICSPIDER_SEEDS", " @/etc/passwd"),
        ("TOPICSPIDER_TOPIC", "food,/etc/a.yaml"),
        ("TOPICSPIDER_TOPICS_DIR", "/etc/主题"),
        ("TOPICSPIDER_DO_NOT_CRAWL", "@/run/credentials/store_url"),
        *((f"TOPICSPIDER_{name.upper()}", "redis://10.0.0.9:1") for name in SECRETS),
        ("TOPICSPIDER_DATA", "/etc/数据"),
        ("TOPICSPIDER_BROWSER", "/bin/sh"),
        ("TOPICSPIDER_METRICS", "0.0.0.0:80"),
        ("TOPICSPIDER_METRICS_TARGETS", "/etc/cron.d"),
        ("TOPICSPIDER_ALLOW_PRIVATE", "1"),
        ("REDIS_URL", "unix:///run/redis.sock"),
        ("REDIS_PARAMS", '{"db": 3}'),
        ("FEEDS", '{"/srv/x.py": {"format": "jsonlines"}}'),
        ("FEEDS", '{"/srv/26d1b1a6.jl": {"format": "jsonlines", "item_filter": "os.system"}}'),
        ("FEED_EXPORTERS", '{"jsonlines": "os.system"}'),
        ("SPIDER_MODULES", "antigravity"),
        ("ITEM_PIPELINES", '{"os.system": 1}'),
        ("ADDONS", "{}"),
        ("LOG_FILE", "/etc/cron.d/x"),
        ("JOBDIR", "/etc"),
        ("HTTPCACHE_DIR", "/etc"),
        ("TELNETCONSOLE_ENABLED", "1"),
        ("USER_AGENT", "bank"),
    ],
)
def test_a_job_sets_what_to_crawl_and_how_fast_and_nothing_else(setting):
    """In settings as a process has them, with Scrapy's defaults below: some are dicts, which an empty one is among, too."""
    sent = Settings()
    sent.setdict(dict([setting]), priority="cmdline")
    with pytest.raises(ConfigError, match="is not valid") as refused:
        apply_arguments(sent, JOB)
    assert "10.0.0.9" not in str(refused.value)
    apply_arguments(BaseSettings(dict([setting]), priority="project"), JOB)


def test_a_job_may_say_how_fast_and_scrapyd_where_its_log_and_items_go():
    said = {
        "TOPICSPIDER_DELAY_MIN": "2",
        "TOPICSPIDER_BROWSER": "auto",
        "CONCURRENT_REQUESTS": "4",
        "LOG_LEVEL": "DEBUG",
        "LOG_FILE": "/var/lib/topicspider/logs/topicspider/topic/26d1b1a6.log",
        "JOBDIR": "/var/lib/jobs/topicspider/topic/26d1b1a6",
        "FEEDS": '{"file:///var/lib/items/topicspider/topic/26d1b1a6.jl": {"format": "jsonlines"}}',
    }
    settings = BaseSettings(said, priority="cmdline")
    apply_arguments(settings, {"topic": "food", "pace": "fast", **JOB})
    assert {name: settings[name] for name in said} == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("`scrapy doctor -a topic=x` shows", "`./run doctor -a topic=x` shows"),
        ("开始：scrapy crawl topic -a topic=茶叶", "开始：./run crawl topic -a topic=茶叶"),
        ("/home/me/scrapy topics, my scrapy projects", "/home/me/scrapy topics, my scrapy projects"),
    ],
)
def test_advice_names_the_command_as_it_was_typed(monkeypatch, text, said):
    monkeypatch.setenv("TOPICSPIDER_COMMAND", "./run")
    assert as_typed(text) == said
    monkeypatch.delenv("TOPICSPIDER_COMMAND")
    assert as_typed(text) == text
