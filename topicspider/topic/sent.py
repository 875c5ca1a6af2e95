"""Keeps a topic that came as text, as a job server's argument, in a file under the topic's name."""

from __future__ import annotations

from pathlib import Path

from topicspider.errors import ConfigError
from topicspider.topic.marked import MAX_BYTES
from topicspider.topic.reading import read_topic
from topicspider.whole_file import write_whole

ARGUMENT = "topic_yaml"
FOLDER = "topics"


def keep_sent(content: str, name: str, data: str) -> Path:
    """Write ``content``, a whole topic file, to ``data``/topics/NAME.yaml and return that path.

    NAME is what the content calls itself, else ``name``. A file that holds the same already is left alone, so that a
    running crawl of it sees no change. A topic that asks for a password of the environment it runs in is refused. Raises TopicError for the first error in the content, ConfigError for names that
    disagree and for a folder that cannot be written.
    """
    given = content.encode("utf-8", "replace")
    if len(given) > MAX_BYTES:
        raise ConfigError(ARGUMENT, f"{len(given)} bytes", f"up to {MAX_BYTES} bytes of YAML")
    topic, errors = read_topic(given, ARGUMENT, name)
    if errors:
        raise errors[0]
    if name and name != topic.name:
        raise ConfigError("topic", name, f"{topic.name}, as {ARGUMENT} says, or nothing")
    for host, access in topic.sites.items():
        if access.password_env:
            raise ConfigError(
                f"{ARGUMENT}: sites: {host}: password_env", access.password_env, "no password", "It is not the sender's"
            )
    path = Path(data).expanduser() / FOLDER / f"{topic.name}.yaml"
    try:
        if not (path.is_file() and path.read_bytes() == given):
            write_whole(path, given)
    except OSError as error:
        raise ConfigError(
            "TOPICSPIDER_DATA", str(path.parent), "a folder that can be written", error.strerror or ""
        ) from None
    return path.resolve()
