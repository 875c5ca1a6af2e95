"""The parts of the web page: views, changes and downloads, which are functions of the site and of the request, and what they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from topicspider.cli.crawl_data import DEMO
from topicspider.options import Options
from topicspider.setting_rules import setting_name

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from topicspider.serve.starting import StartedCrawls

Fields = Mapping[str, str]
"""The query of an address, or the fields of a form; each name occurs once."""
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Site:
    """What every view gets. ``given``: the -s options of the command; ``nodes``: scrapyd nodes, to be shown with masked passwords."""

    settings: BaseSettings
    options: Options
    data: Path
    given: Sequence[str]
    started: StartedCrawls
    nodes: Sequence[str]

    @classmethod
    def of(cls, settings: BaseSettings, given: Sequence[str], started: StartedCrawls, nodes: Sequence[str]) -> Self:
        settings = settings.copy()
        data = Path(Options.read(settings).data).expanduser().absolute()
        settings.set(setting_name("data"), str(data), priority="cmdline")
        return cls(settings, Options.read(settings), data, tuple(given), started, tuple(nodes))

    def asked_for(self, fields: Fields) -> Site:
        """The site for ``fields``: with the demo's data folder if they name one of its crawls, else unchanged."""
        if not is_of_demo(fields):
            return self
        return replace(self, options=replace(self.options, data=str(self.data / DEMO)))


def is_of_demo(fields: Fields) -> bool:
    return fields.get("crawl", "").startswith(f"{DEMO}/")


@dataclass(frozen=True, slots=True)
class View:
    """A page to look at: ``look`` returns plain data, which ``template`` shows at ``path``, and which is the answer at ``path`` + .json.

    ``look`` runs in a thread, so it may block; it raises TopicSpiderError. A view with a ``label`` is in the navigation, in the order of
    VIEWS in app.py. ``live`` is a template of the parts that change; open pages get these when they change (path + /events). For this,
    ``look`` is called every second, so it should be fast. With ``is_of_hits``, the view says where the demo's hits are if there are others.
    """

    path: str
    template: str
    look: Callable[[Site, Fields], Data]
    label: str = ""
    live: str = ""
    is_of_hits: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """A change, by POST only: ``act`` returns plain data, the answer at ``path`` + .json; a form is redirected to ``next`` in it.

    ``act`` runs in a thread. Its errors are shown in ``form``, the view that the fields came from, with the fields as they were sent.
    """

    path: str
    act: Callable[[Site, Fields], Data]
    form: View | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """A file to send; ``body`` is its content or its path."""

    body: bytes | Path
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Download:
    """A file to download: ``make`` returns it, and may write it into the folder that it is given, which is deleted after sending."""

    path: str
    make: Callable[[Site, Fields, Path], Content]
