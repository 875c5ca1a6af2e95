"""Arguments of the spider become settings; those of a job name no file of the server."""

from __future__ import annotations

import pytest
from scrapy.settings import BaseSettings

from topicspider.errors import ConfigError
from topicspider.spiders.arguments import apply_arguments

JOB = {"_job": "26d1b1a6"}


def test_arguments_win_over_settings():
    settings = BaseSettings({"TOPICSPIDER_TOPIC": "food", "TOPICSPIDER_MAX_PAGES": "9"}, priority="project")
    apply_arguments(settings, {"topic": "旅游", "depth": "3", "else": "x"})
    assert settings["TOPICSPIDER_TOPIC"] == "旅游"
    assert settings["TOPICSPIDER_MAX_PAGES"] == "9"
    assert settings["TOPICSPIDER_MAX_DEPTH"] == "3"


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


def test_a_job_may_name_a_class_and_several_topics():
    settings = BaseSettings()
    apply_arguments(settings, {"topic": "F59,food，TS97", **JOB})
    assert settings["TOPICSPIDER_TOPIC"] == "F59,food，TS97"


@pytest.mark.parametrize("seeds", ["@/etc/passwd", " @/etc/passwd", "\n@/etc/passwd", "\u3000@种子.txt"])
def test_a_job_names_no_file_of_seeds(seeds):
    with pytest.raises(ConfigError, match="URLs joined by commas"):
        apply_arguments(BaseSettings(), {"seeds": seeds, **JOB})


@pytest.mark.parametrize("setting", [("TOPICSPIDER_SEEDS", " @/etc/passwd"), ("TOPICSPIDER_TOPIC", "food,/etc/a.yaml")])
def test_a_job_names_none_by_its_settings_either_but_the_server_may(setting):
    with pytest.raises(ConfigError, match="is not valid"):
        apply_arguments(BaseSettings(dict([setting]), priority="cmdline"), JOB)
    apply_arguments(BaseSettings(dict([setting]), priority="project"), JOB)
