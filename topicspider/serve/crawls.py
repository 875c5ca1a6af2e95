"""The crawls of the data folder: which there are, and what became of each. Reads stores and files, so all of it blocks."""

from __future__ import annotations

import json
from contextlib import closing
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from topicspider.cli.crawl_data import DEMO, FRONTIER, STORE
from topicspider.errors import ConfigError, UnavailableError
from topicspider.extensions.live import REASONS
from topicspider.frontier.sqlite.file import holder_of
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.serve.site import Change, Data, Fields, Site, View
from topicspider.store.location import open_store

if TYPE_CHECKING:
    from pathlib import Path

    from topicspider.store.rows import CrawlRow

RUNS = 100
"""So many runs of a crawl are added up; more are older than anybody asks."""
RUNNING, ENDED, BROKEN = N_("running"), N_("ended"), N_("not readable")


@dataclass(frozen=True, slots=True)
class CrawlSummary:
    """One crawl. ``name`` is its folder below the data folder, and how the page calls it; ``state`` is one of RUNNING, ENDED, BROKEN.

    ``pages`` and ``hits`` are of all its runs; ``reason`` is why the last one ended, ``trouble`` why its store cannot be read.
    """

    name: str
    topics: str
    state: str
    pages: int = 0
    hits: int = 0
    started_at: str = ""
    ended_at: str = ""
    reason: str = ""
    trouble: str = ""


def crawl_folders(site: Site) -> dict[str, Path]:
    """Every crawl of the data folder by its name, those of the demo too."""
    found = {path.parent for name in (STORE, FRONTIER) for path in site.data.glob(f"*/{name}")}
    found |= {path.parent for path in (site.data / DEMO).parent.glob(f"*/*/{STORE}")}
    return {path.relative_to(site.data).as_posix(): path for path in sorted(found)}


def crawl_folder(site: Site, fields: Fields) -> Path:
    """The folder of the crawl that ``fields`` name; ConfigError for none that is there, so no path leads elsewhere."""
    folders = crawl_folders(site)
    name = fields.get("crawl", "")
    if name not in folders:
        raise ConfigError("crawl", name or None, ", ".join(folders) or _("none"))
    return folders[name]


def topics_in(folder: Path) -> str:
    """旅游 + 茶叶, of the folder's name."""
    return " + ".join(unquote(part) for part in folder.name.split("+"))


def is_running(folder: Path) -> bool:
    """Whether a process holds the queue in this folder."""
    return bool(holder_of(folder / FRONTIER))


def summary(site: Site, name: str, folder: Path) -> CrawlSummary:
    state = RUNNING if is_running(folder) else ENDED
    try:
        with closing(open_store(site.options.store, folder / STORE, 0.0)) as store:
            runs = store.crawls("+".join(unquote(part) for part in folder.name.split("+")), RUNS)
    except UnavailableError as error:
        return CrawlSummary(name, topics_in(folder), BROKEN, trouble=str(error))
    return _of_runs(CrawlSummary(name, topics_in(folder), state), runs)


def _of_runs(found: CrawlSummary, runs: list[CrawlRow]) -> CrawlSummary:
    """Newest first."""
    totals = [json.loads(run.totals) for run in runs]
    last = runs[0] if runs else None
    return CrawlSummary(
        found.name,
        found.topics,
        found.state,
        sum(one.get("pages", 0) for one in totals),
        sum(one.get("hits", 0) for one in totals),
        last.started_at if last else "",
        last.ended_at if last else "",
        last.reason if last else "",
    )


def crawls(site: Site, _fields: Fields) -> Data:
    """All crawls: those that run first, then the newest."""
    found = [summary(site, name, folder) for name, folder in crawl_folders(site).items()]
    found.sort(key=lambda one: (one.state == RUNNING, one.started_at), reverse=True)
    return {"data_folder": str(site.data), "crawls": [asdict(one) for one in found]}


def reason_words(reason: str) -> str:
    return _(REASONS[reason]) if reason in REASONS else reason


VIEWS = (View("/crawls", "crawls.html", crawls, N_("Crawls")),)
CHANGES: tuple[Change, ...] = ()
