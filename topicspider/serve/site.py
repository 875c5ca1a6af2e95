"""What the page is made of: views and changes, each a function of the site and of what was asked, and what they may use."""

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
"""What stands behind the ? of an address, or in a form: each name once."""
Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Site:
    """What every view is handed: the command's ``settings`` and ``options``, its -s as ``given``, its ``data`` folder, and scrapyd ``nodes``, to be shown masked."""

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
        """What ``fields`` are about: the demo's crawls where they name one of them, else those of the data folder."""
        if not is_of_demo(fields):
            return self
        return replace(self, options=replace(self.options, data=str(self.data / DEMO)))


def is_of_demo(fields: Fields) -> bool:
    return fields.get("crawl", "").startswith(f"{DEMO}/")


@dataclass(frozen=True, slots=True)
class View:
    """Something to look at: ``look`` gives plain data, which ``template`` shows at ``path``, and which is the answer at ``path`` + .json.

    ``look`` runs in a thread, so it may block; it raises TopicSpiderError. With a ``label`` the view stands in the navigation, in the order
    of VIEWS in app.py. With ``live``, a template of the parts that change, these are sent again and again to whoever looks (path + /events);
    ``look`` is called each second then, so it should be cheap. With ``is_of_hits`` it says where the demo's are, once there are others.
    """

    path: str
    template: str
    look: Callable[[Site, Fields], Data]
    label: str = ""
    live: str = ""
    is_of_hits: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """Something to do, by POST alone: ``act`` gives plain data, the answer at ``path`` + .json; a form goes to its ``next``, an address here.

    ``act`` runs in a thread. What it raises is shown in ``form``, the view that the fields came from, with the fields as they were.
    """

    path: str
    act: Callable[[Site, Fields], Data]
    form: View | None = None


@dataclass(frozen=True, slots=True)
class Content:
    """A file to send: its bytes, or where it lies."""

    body: bytes | Path
    content_type: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Download:
    """What is no page and has no twin: ``make`` gives a file, which it may write to the folder that it is handed; that is gone when it was sent."""

    path: str
    make: Callable[[Site, Fields, Path], Content]
