"""Turns a spider's arguments into settings. A job may send a topic, but may not name files of the server that it runs on."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings

from topicspider.errors import ConfigError, did_you_mean
from topicspider.i18n import gettext as _
from topicspider.options import Options, rule_of
from topicspider.setting_rules import checked, setting_name
from topicspider.topic.loading import is_path, save_inline_topic

SENT_TOPIC = "topic_yaml"
ARGUMENTS = {
    "topic": "topic", "seeds": "seeds", "max_pages": "max_pages", "depth": "max_depth", "pace": "pace",
    "balance": "balance", "per_class": "per_class", "mode": "mode", "fresh": "fresh", "accept_loss": "accept_loss",
}  # fmt: skip
DECLARED = {field.name: field for field in fields(Options)}
SECRETS = tuple(f.name for f in fields(Options) if rule_of(f.name).is_secret)
# what a job must not set: folders and programs of its server, other servers, and what protects the server
FOR_THE_SERVER = (
    *SECRETS, "data", "topics_dir", "browser", "metrics", "metrics_targets", "serve", "search_url", "allow_private",
)  # fmt: skip
OF_SCRAPY = (
    "CONCURRENT_REQUESTS", "LOG_LEVEL", "CLOSESPIDER_TIMEOUT", "CLOSESPIDER_PAGECOUNT", "CLOSESPIDER_ITEMCOUNT",
    "LOG_INSTALL_ROOT_HANDLER",  # set by us for a log in JSON
)  # fmt: skip
NO_FILE = "A job names no file of its server"
BOT = "topicspider"
HIDDEN = "***"  # the value may contain a password
JOB = "_job"  # scrapyd adds it to each job, whatever its sender wrote


def apply_arguments(settings: BaseSettings, arguments: Mapping[str, Any]) -> None:
    """Set what ``arguments`` say, with priority over every other setting; raises ConfigError or TopicError for what cannot be used.

    Errors name the argument, not the setting. ``topic_yaml`` is the text of a topic file; it is saved in the data folder by the topic's
    name.
    """
    for argument, option in ARGUMENTS.items():
        if argument in arguments:
            checked(f"-a {argument}", DECLARED[option], arguments[argument])
            settings.set(setting_name(option), arguments[argument], priority="cmdline")
    if JOB in arguments:
        _check_job(settings, str(arguments[JOB]))
    if SENT_TOPIC in arguments:
        data = Options.read(settings).data
        file = save_inline_topic(arguments[SENT_TOPIC], arguments.get("topic", ""), data)
        settings.set(setting_name("topic"), str(file), priority="cmdline")


def refuse_unknown(arguments: Mapping[str, Any]) -> None:
    """Raises ConfigError for arguments that ``topic`` does not have: a mistyped limit would be no limit. scrapyd's begin with _."""
    for name in arguments:
        if name not in ARGUMENTS and name != SENT_TOPIC and not name.startswith("_"):
            raise ConfigError("-a", name, ", ".join(ARGUMENTS), did_you_mean(name, ARGUMENTS))


def with_arguments(settings: BaseSettings, arguments: Mapping[str, Any]) -> BaseSettings:
    """A copy of ``settings`` with ``arguments`` applied."""
    settings = settings.copy()
    apply_arguments(settings, arguments)
    return settings


def _check_job(settings: BaseSettings, job: str) -> None:
    """Raises ConfigError if a job, which comes over the network, sets what names a file, host, program or code: that is for its server."""
    topics, seeds = _sent(settings, "topic"), _sent(settings, "seeds").strip()
    if any(is_path(topic.strip()) for topic in topics.replace("，", ",").split(",")):
        hint = _("Send a topic of your own as -d {sent_topic}=…", sent_topic=SENT_TOPIC)
        raise ConfigError("topic", topics, "the name of a topic", hint)
    if seeds.startswith("@") or (seeds.startswith("redis:") and not f":{seeds}".endswith((":redis:", ":start_urls"))):
        allowed = "URLs joined by commas, redis:, or redis: and a key that ends in :start_urls"
        raise ConfigError("seeds", seeds, allowed, NO_FILE)
    if (listed := _sent(settings, "do_not_crawl").strip()).startswith("@"):
        raise ConfigError(setting_name("do_not_crawl"), listed, "no file", NO_FILE)
    of_a_job = {setting_name(f.name) for f in fields(Options) if f.name not in FOR_THE_SERVER}
    for name in settings:
        # an empty value is checked, too: ADDONS={} would remove every guard
        if (value := _said_by_job(settings, name)) is None or name in of_a_job or name in OF_SCRAPY:
            continue
        if not _is_of_scrapyd(name, value, job):
            hint = "A job says what to crawl, and how fast"
            raise ConfigError(name, HIDDEN, "nothing: it is for the server to say", hint)


def _is_of_scrapyd(name: str, sent: str, job: str) -> bool:
    """Whether scrapyd itself sends this with each job: files PROJECT/SPIDER/JOB. A job may send the same, as it may choose its number."""
    if name == setting_name("browser"):
        return sent in ("off", "auto")
    place = rf"(file://)?/(.*/)?{re.escape(os.environ.get('SCRAPY_PROJECT', BOT))}/[\w-]+/{re.escape(job)}"
    if "/" in job or job.startswith("."):
        return False
    if name == "FEEDS":
        try:
            ((uri, feed),) = json.loads(sent).items()
        except (ValueError, AttributeError):
            return False
        return re.fullmatch(rf"{place}\.jl", str(uri)) is not None and feed == {"format": "jsonlines"}
    return re.fullmatch({"LOG_FILE": rf"{place}\.log", "JOBDIR": place}.get(name, "(?!)"), sent) is not None


def _sent(settings: BaseSettings, option: str) -> str:
    return _said_by_job(settings, setting_name(option)) or ""


def _said_by_job(settings: BaseSettings, name: str) -> str | None:
    """The value that the job itself has set; None if it is the server's, whose settings may name files."""
    priority = settings.getpriority(name)
    is_of_job = priority is not None and priority >= SETTINGS_PRIORITIES["cmdline"]
    return str(settings.get(name) or "") if is_of_job else None
