"""Starting points for a topic without seeds: URLs built from its title by templates, and the file of those that were tried."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from urllib.parse import quote, quote_plus

from topicspider.errors import ConfigError
from topicspider.files import write_result
from topicspider.text.language import language_of_name
from topicspider.text.pinyin import spellings
from topicspider.topic.loading import SEED_SOURCES
from topicspider.topic.profile import Topic
from topicspider.topic.search_path import topic_dirs
from topicspider.topic.yaml_node import YamlNode, read_yaml
from topicspider.url import canonicalize

FOUND = "seeds.jsonl"
ANY = "any"
MANY = 12  # topics; each has some thirty URLs to try
_FIELD = re.compile(r"\{([^{}]*)\}")
_BETWEEN_NAMES = re.compile(r"[、，,;；]")  # a class of the catalogue may have several: 哲学、宗教


@dataclass(frozen=True, slots=True)
class StartingPoint:
    """A URL that a crawl may start from. ``left_out``: why it does not, "" when it does. ``score``: that of its page or search result."""

    url: str
    kind: str
    title: str = ""
    score: float = 0.0
    left_out: str = ""


def looked_for(topics: Sequence[Topic]) -> list[Topic]:
    """The topics that need starting points: those without seeds; of more than MANY only the broad ones, which lead to the others."""
    lacking = [topic for topic in topics if not topic.seeds]
    broad = [topic for topic in lacking if topic.scope == "broad"]
    return broad if len(lacking) > MANY and broad else lacking


def source_addresses(topic: Topic, topics_dir: str = "") -> list[StartingPoint]:
    """The URLs that the file of sources yields for ``topic``, each once, without any request; TopicError names a line of the file."""
    files = (folder.joinpath(SEED_SOURCES) for folder in topic_dirs(topics_dir))
    file = next(file for file in files if file.is_file())
    found: dict[str, StartingPoint] = {}
    for language, kinds in _entries(read_yaml(file.read_bytes(), str(file))):
        for kind, templates in _entries(kinds):
            for template in templates.value if isinstance(templates.value, list) else [templates]:
                for url in _filled(template, titles_of(topic, language)):
                    found.setdefault(url, StartingPoint(url, kind))
    return list(found.values())


def titles_of(topic: Topic, language: str = ANY) -> list[str]:
    """The names of ``topic`` in a language, or in all; a title that lists several names (哲学、宗教) is split."""
    titles = topic.title or {language_of_name(topic.name): topic.name.replace("_", " ")}
    wanted = [title for code, title in titles.items() if language in (code, ANY)]
    return list(
        dict.fromkeys(name for title in wanted for part in _BETWEEN_NAMES.split(title) if (name := part.strip()))
    )


def _entries(node: YamlNode) -> Iterable[tuple[str, YamlNode]]:
    if not isinstance(node.value, dict):
        raise node.error("languages with kinds of sources, and these with lists of addresses")
    return node.value.items()


def _filled(template: YamlNode, titles: Iterable[str]) -> Iterator[str]:
    """The canonical URL of ``template`` for each title; a title without a value for one of the fields is skipped."""
    text = template.value if isinstance(template.value, str) else ""
    for title in titles:
        values = {
            "name": quote(title.replace(" ", "_"), safe=""),
            "query": quote_plus(title),
            "slug": quote("-".join(title.lower().split()), safe=""),
            "pinyin": next(iter(spellings(title)), ""),
        }
        if not text.startswith(("http://", "https://")) or not values.keys() >= set(_FIELD.findall(text)):
            raise template.error(f"an http or https URL with no fields but {', '.join(values)}")
        if all(values[field] for field in _FIELD.findall(text)):
            yield canonicalize(_FIELD.sub(lambda field: values[field[1]], text)) or ""  # noqa: B023 - used at once


def save_found(folder: Path, points: Iterable[StartingPoint]) -> Path:
    """Writes what was tried to a file in ``folder`` (made if missing), one JSON object per line; returns its path. Raises ConfigError."""
    lines = (json.dumps(asdict(point), ensure_ascii=False) + "\n" for point in points)
    return write_result(folder / FOUND, "".join(lines).encode())


def found_seeds(folder: Path) -> list[str]:
    """The URLs accepted in the last search for starting points, the best first; [] if there was none."""
    path = folder / FOUND
    try:
        points = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
        return [point["url"] for point in points if not point["left_out"]]
    except (OSError, ValueError, LookupError, TypeError):
        raise ConfigError(
            "seeds", str(path), "what a crawl has written there", "Delete it, and they are looked for anew"
        ) from None
