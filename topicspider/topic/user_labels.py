"""A user's labels for a topic and the threshold tuned from them; stored beside the crawl's results and read by the judges."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError
from topicspider.files import write_result
from topicspider.topic.profile import folder_name

WORDS_READ = 400
"""The first so many words of a page tell its subject: judges read them, and labels keep them."""


@dataclass(frozen=True, slots=True)
class Label:
    """A person's verdict on one text; ``url`` is "" for a text that is no page. Words are segmented as pages are.

    ``score``: the text's score when it was labelled.
    """

    on_topic: bool
    title: tuple[str, ...] = ()
    body: tuple[str, ...] = ()
    url: str = ""
    score: float = 0.0


@dataclass(frozen=True, slots=True)
class UserLabels:
    """A topic's labels. ``threshold`` is valid for ``scorer`` and the state of the topic with ``digest``; None if it could not be tuned.

    The labels stay valid when the topic's words change.
    """

    topic: str
    digest: str = ""
    scorer: str = ""
    threshold: float | None = None
    labels: tuple[Label, ...] = ()

    def threshold_for(self, scorer: str, digest: str) -> float | None:
        """The threshold, if it is valid for this scorer and this state of the topic; else None."""
        return self.threshold if (scorer, digest) == (self.scorer, self.digest) else None


def user_labels_file(data: str, topic: str) -> Path:
    """The path of the labels of ``topic``, in the folder of its results."""
    return Path(data).expanduser() / folder_name(topic) / "tuned.json"


def read_user_labels(data: str, topic: str) -> UserLabels | None:
    """The labels of ``topic``, None when there are none; ConfigError for a file that `topics tune` did not write."""
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
    """Writes the labels atomically and returns the file's path; ConfigError when the folder cannot be written."""
    return write_result(user_labels_file(data, tuned.topic), json.dumps(asdict(tuned), ensure_ascii=False).encode())


def _from_plain(found: Any) -> UserLabels:
    """Parses what ``write_user_labels`` wrote; raises ValueError, TypeError or KeyError for anything else."""
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
