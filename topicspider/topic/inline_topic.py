"""Checks a topic that came as text over the network; keeps one that is a job server's argument in a file under its name."""

from __future__ import annotations

from pathlib import Path

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.topic.profile import Topic
from topicspider.topic.schema import read_topic
from topicspider.topic.yaml_node import MAX_BYTES

ARGUMENT = "topic_yaml"
FOLDER = "topics"


def save_inline_topic(content: str, name: str, data: str) -> Path:
    """Write ``content``, a whole topic file, to ``data``/topics/NAME.yaml and return that path.

    NAME is what the content calls itself, else ``name``. A file that holds the same already is left alone, so that a
    running crawl of it sees no change. Raises TopicError for the first error in the content, ConfigError for what ``parse_inline_topic``
    refuses, for names that disagree and for a folder that cannot be written.
    """
    given = content.encode("utf-8", "replace")
    topic = parse_inline_topic(given, ARGUMENT, name)
    if name and name != topic.name:
        raise ConfigError("topic", name, f"{topic.name}, as {ARGUMENT} says, or nothing")
    path = Path(data).expanduser() / FOLDER / f"{topic.name}.yaml"
    try:
        if not (path.is_file() and path.read_bytes() == given):
            atomic_write(path, given)
    except OSError as error:
        raise ConfigError(
            "TOPICSPIDER_DATA", str(path.parent), "a folder that can be written", error.strerror or ""
        ) from None
    return path.resolve()


def parse_inline_topic(content: bytes, source: str, name: str) -> Topic:
    """The topic in ``content``, which ``source`` names in errors; ``name`` is the topic's when the content gives none.

    Raises TopicError for the first error in it, ConfigError for one that is too long, and for one that asks for a password of the
    environment it runs in.
    """
    if len(content) > MAX_BYTES:
        raise ConfigError(source, f"{len(content)} bytes", f"up to {MAX_BYTES} bytes of YAML")
    topic, errors = read_topic(content, source, name)
    if errors:
        raise errors[0]
    for host, access in topic.sites.items():
        if access.password_env:
            raise ConfigError(
                f"{source}: sites: {host}: password_env", access.password_env, "no password", "It is not the sender's"
            )
    return topic
