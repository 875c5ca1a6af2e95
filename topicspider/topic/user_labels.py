"""What a user's labels have made of a topic: kept beside its crawl's results, read by whoever judges for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError
from topicspider.files import write_result
from topicspider.topic.profile import folder_name

WORDS_READ = 400
"""What a page means stands in so many words of its beginning: judges read them, and labels keep them."""


@dataclass(frozen=True, slots=True)
class Label:
    """A person's verdict on one text; ``url`` is "" for a text from elsewhere. Words are cut as pages are.

    ``score``: what the text scored when it was labelled.
    """

    on_topic: bool
    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    url: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class UserLabels:
    """``threshold`` belongs to ``scorer`` and to the topic as it was (``digest``); None when the labels could not tell one.

    Labels hold whatever becomes of the topic's words.
    """

    topic: str
    digest: str = ""
    scorer: str = ""
    threshold: float | None = None
    labels: tuple[Label, ...] = ()

    def threshold_for(self, scorer: str, digest: str) -> float | None:
        """The threshold, when it is one for this scorer and this state of the topic."""
        return self.threshold if (scorer, digest) == (self.scorer, self.digest) else None


def user_labels_file(data: str, topic: str) -> Path:
    """Where the labels of ``topic`` lie: in the folder of its results."""
    return Path(data).expanduser() / folder_name(topic) / "tuned.json"


def read_user_labels(data: str, topic: str) -> UserLabels | None:
    """What was tuned, None when nothing was; ConfigError for a file that is something else."""
    path = user_labels_file(data, topic)
    try:
        if path.stat().st_size > 64 << 20:
            raise ValueError("too large")
        return _from_plain(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ConfigError("tuned.json", str(path), "a file written by `topics tune`", "Delete it") from None


def write_user_labels(data: str, tuned: UserLabels) -> Path:
    """Write it, at once or not at all; returns the file. ConfigError when the folder cannot be written."""
    return write_result(user_labels_file(data, tuned.topic), json.dumps(asdict(tuned), ensure_ascii=False).encode())


def _from_plain(found: Any) -> UserLabels:
    """What ``write_user_labels`` wrote; raises ValueError, TypeError or KeyError for anything else."""
    threshold = None if found["threshold"] is None else float(found["threshold"])
    if not 0.0 <= (threshold or 0.0) <= 1.0:
        raise ValueError("no threshold")
    labels = tuple(
        Label(bool(one["on_topic"]), _words(one["title"]), _words(one["body"]), str(one["url"]), float(one["score"]))
        for one in found["labels"]
    )
    return UserLabels(found["topic"], found["digest"], found["scorer"], threshold, labels)


def _words(found: list[object]) -> tuple[str, ...]:
    return tuple(map(str, found))
