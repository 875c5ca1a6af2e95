"""Arguments of the spider become settings; those of a job name no file of the server."""

from __future__ import annotations

import pytest
from scrapy.settings import BaseSettings

from topicspider.cli.command import as_typed
from topicspider.errors import ConfigError
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


@pytest.mark.parametrize("seeds", ["@/etc/passwd", " @/etc/passwd", "\n@/etc/passwd", "\u3000@种子.txt"])
def test_a_job_names_no_file_of_seeds(seeds):
    with pytest.raises(ConfigError, match="URLs joined by commas"):
        apply_arguments(BaseSettings(), {"seeds": seeds, **JOB})


@pytest.mark.parametrize(
    "setting",
    [
        ("TOPICSPIDER_SEEDS", " @/etc/passwd"),
        ("TOPICSPIDER_TOPIC", "food,/etc/a.yaml"),
        ("TOPICSPIDER_TOPICS_DIR", "/etc/主题"),
        ("TOPICSPIDER_DO_NOT_CRAWL", "@/run/credentials/store_url"),
        *((f"TOPICSPIDER_{name.upper()}", " @/etc/passwd") for name in SECRETS),
        ("TOPICSPIDER_STORE", "sqlite:////var/lib/别人的/pages.db"),
        ("TOPICSPIDER_FRONTIER", "redis://a:1,unix:///run/redis.sock"),
        ("TOPICSPIDER_MODEL", "sqlite:///模型.db"),
        ("TOPICSPIDER_STORE", "mysql://a:b@c/d?%75nix_socket=/run/mysqld.sock"),
        ("TOPICSPIDER_STORE", "mysql://a:b@c/d?s\nsl=/etc/hosts"),
        ("TOPICSPIDER_FRONTIER", "rediss://a:1?ssl_ca_certs=/etc/证书.pem"),
        ("REDIS_URL", "unix:///run/redis.sock"),
        ("REDIS_PARAMS", '{"\\u0075nix_socket_path": "/run/redis.sock"}'),
        ("TOPICSPIDER_DATA", "/etc/数据"),
        ("TOPICSPIDER_BROWSER", "/bin/sh"),
        ("TOPICSPIDER_METRICS_TARGETS", "/etc/cron.d"),
    ],
)
def test_a_job_names_none_by_its_settings_either_but_the_server_may(setting):
    with pytest.raises(ConfigError, match="is not valid"):
        apply_arguments(BaseSettings(dict([setting]), priority="cmdline"), JOB)
    apply_arguments(BaseSettings(dict([setting]), priority="project"), JOB)


def test_a_job_may_name_the_servers_that_nodes_share():
    places = {
        "TOPICSPIDER_STORE": "mysql://我:密@a/b?ssl=on",
        "TOPICSPIDER_FRONTIER": "redis://a:1,rediss://b:1?ssl_cert_reqs=none",
        "REDIS_URL": "redis://a:1",
    }
    settings = BaseSettings(places, priority="cmdline")
    apply_arguments(settings, JOB)
    assert {name: settings[name] for name in places} == places


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
