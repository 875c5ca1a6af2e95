"""Turns a spider's arguments into settings; those of a job may send a topic, and name no file of the server they run on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from topicspider.defaults import Options, rule_of, setting_name
from topicspider.errors import ConfigError
from topicspider.topic.loading import is_path
from topicspider.topic.sent import ARGUMENT as SENT_TOPIC
from topicspider.topic.sent import keep_sent

ARGUMENTS = {"topic": "topic", "seeds": "seeds", "max_pages": "max_pages", "depth": "max_depth", "fresh": "fresh"}
SECRETS = tuple(f.name for f in fields(Options) if rule_of(f.name).is_secret)
JOB = "_job"  # scrapyd gives it to each of its jobs, whatever the one who sent it wrote


def apply_arguments(settings: BaseSettings, arguments: Mapping[str, Any]) -> None:
    """Set what ``arguments`` say, above every other setting; raises ConfigError or TopicError for what cannot be used.

    ``topic_yaml`` holds a whole topic file; it is kept in the data folder, under the topic's name.
    """
    for argument, option in ARGUMENTS.items():
        if argument in arguments:
            settings.set(setting_name(option), arguments[argument], priority="cmdline")
    if JOB in arguments:
        _refuse_files(settings)
    if SENT_TOPIC in arguments:
        data = Options.read(settings).data
        file = keep_sent(arguments[SENT_TOPIC], arguments.get("topic", ""), data)
        settings.set(setting_name("topic"), str(file), priority="cmdline")


def _refuse_files(settings: BaseSettings) -> None:
    """A job comes over the network: a path in it, or in its settings, could make the server tell what its files hold."""
    topics, seeds = _sent(settings, "topic"), _sent(settings, "seeds").strip()
    if any(is_path(topic.strip()) for topic in topics.replace("，", ",").split(",")):
        raise ConfigError("topic", topics, "the name of a topic", f"Send a topic of your own as -d {SENT_TOPIC}=…")
    if seeds.startswith("@"):
        raise ConfigError("seeds", seeds, "URLs joined by commas", "A job names no file of its server")
    for option in SECRETS:
        if (sent := _sent(settings, option).strip()).startswith("@"):
            raise ConfigError(setting_name(option), sent, "no file", "A job names no file of its server")


def _sent(settings: BaseSettings, option: str) -> str:
    """What the job itself says; the settings of the server may name files."""
    name = setting_name(option)
    priority = settings.getpriority(name)
    return str(settings.get(name, "")) if priority is not None and priority >= SETTINGS_PRIORITIES["cmdline"] else ""
