"""Turns a spider's arguments into settings; those of a job may send a topic, and name no file of the server they run on."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any
from urllib.parse import unquote

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from topicspider.errors import ConfigError, did_you_mean
from topicspider.i18n import gettext as _
from topicspider.options import Options, rule_of
from topicspider.setting_rules import checked, setting_name
from topicspider.topic.loading import is_path, save_inline_topic

SENT_TOPIC = "topic_yaml"
ARGUMENTS = {
    "topic": "topic",
    "seeds": "seeds",
    "max_pages": "max_pages",
    "depth": "max_depth",
    "pace": "pace",
    "fresh": "fresh",
}
DECLARED = {field.name: field for field in fields(Options)}
SECRETS = tuple(f.name for f in fields(Options) if rule_of(f.name).is_secret)
PATHS = (
    "data",
    "browser",
    "metrics_targets",
    "search_url",
)  # folders that are written, a program that is run, a server that is asked
REDIS_PLACE, REDIS_OPTIONS = "REDIS_URL", "REDIS_PARAMS"  # scrapy-redis' names
FILES = ("sqlite:", "unix:", "unix_socket", "ssl_certfile", "ssl_keyfile", "ssl_ca_")
_DROPPED = re.compile(r"[\x00-\x20]")  # whoever reads a URL passes over some of these
_FILE_OF_TLS = re.compile(r"[?&]ssl=(?!(on|off|unverified)?(&|$))")
NO_FILE = "A job names no file of its server"
HIDDEN = "***"  # a password may be in it
JOB = "_job"  # scrapyd gives it to each of its jobs, whatever the one who sent it wrote


def apply_arguments(settings: BaseSettings, arguments: Mapping[str, Any]) -> None:
    """Set what ``arguments`` say, above every other setting; raises ConfigError or TopicError for what cannot be used.

    An error names the argument, not the setting. ``topic_yaml`` holds a whole topic file; it is kept in the data folder, under the topic's name.
    """
    for argument, option in ARGUMENTS.items():
        if argument in arguments:
            checked(f"-a {argument}", DECLARED[option], arguments[argument])
            settings.set(setting_name(option), arguments[argument], priority="cmdline")
    if JOB in arguments:
        _refuse_files(settings)
    if SENT_TOPIC in arguments:
        data = Options.read(settings).data
        file = save_inline_topic(arguments[SENT_TOPIC], arguments.get("topic", ""), data)
        settings.set(setting_name("topic"), str(file), priority="cmdline")


def refuse_unknown(arguments: Mapping[str, Any]) -> None:
    """ConfigError for an argument that the spider ``topic`` does not have: a limit mistyped is no limit. Those of scrapyd begin with _."""
    for name in arguments:
        if name not in ARGUMENTS and name != SENT_TOPIC and not name.startswith("_"):
            raise ConfigError("-a", name, ", ".join(ARGUMENTS), did_you_mean(name, ARGUMENTS))


def with_arguments(settings: BaseSettings, arguments: Mapping[str, Any]) -> BaseSettings:
    """A copy of ``settings`` as the spider will make them of its arguments."""
    settings = settings.copy()
    apply_arguments(settings, arguments)
    return settings


def _refuse_files(settings: BaseSettings) -> None:
    """A job comes over the network: a path in it, or in its settings, could make the server tell what its files hold."""
    topics, seeds = _sent(settings, "topic"), _sent(settings, "seeds").strip()
    if any(is_path(topic.strip()) for topic in topics.replace("，", ",").split(",")):
        raise ConfigError(
            "topic",
            topics,
            "the name of a topic",
            _("Send a topic of your own as -d {sent_topic}=…", sent_topic=SENT_TOPIC),
        )
    if seeds.startswith("@"):
        raise ConfigError("seeds", seeds, "URLs joined by commas", NO_FILE)
    if folder := _sent(settings, "topics_dir"):
        raise ConfigError(
            setting_name("topics_dir"), folder, "no folder", "A job names no folder of topics of its server"
        )
    for name in (*map(setting_name, PATHS), REDIS_OPTIONS):
        sent = _said_by_job(settings, name)
        if sent and not (name == setting_name("browser") and sent in ("off", "auto")):
            shown = HIDDEN if name == REDIS_OPTIONS else sent
            raise ConfigError(name, shown, "nothing: it is for the server to say", NO_FILE)
    for name in (*map(setting_name, SECRETS), REDIS_PLACE):
        if _names_file(_said_by_job(settings, name)):
            raise ConfigError(name, HIDDEN, "a server that is spoken to over the network, or nothing", NO_FILE)
    for option in (*SECRETS, "do_not_crawl"):
        if (sent := _sent(settings, option).strip()).startswith("@"):
            raise ConfigError(setting_name(option), sent, "no file", NO_FILE)


def _names_file(place: str) -> bool:
    """Whether the URL of a place, or an option in it, is about a file of the machine: a socket, a certificate."""
    said = _DROPPED.sub("", unquote(place)).lower()
    return any(word in said for word in FILES) or _FILE_OF_TLS.search(said) is not None


def _sent(settings: BaseSettings, option: str) -> str:
    return _said_by_job(settings, setting_name(option))


def _said_by_job(settings: BaseSettings, name: str) -> str:
    """What the job itself says; the settings of the server may name files."""
    priority = settings.getpriority(name)
    return str(settings.get(name, "")) if priority is not None and priority >= SETTINGS_PRIORITIES["cmdline"] else ""
