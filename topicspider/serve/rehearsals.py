"""Rehearsals: those in the data folder with their reports, and the start of one as a separate process."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from topicspider.cli.command import one_of
from topicspider.cli.crawls import BROKEN_OFF, LOG_FILE, last_line
from topicspider.cli.topics_try import LOG
from topicspider.errors import ConfigError, CrawlRunning
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.serve.site import Change, Content, Data, Download, Fields, Site, View
from topicspider.serve.starting import settings_given, whole
from topicspider.serve.stored import folders
from topicspider.steering.control import ENDED, RUNNING

REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; sandbox allow-scripts; frame-ancestors 'none'"
FOLDER, REPORT = "rehearsals", "report.html"
MADE = "made:pages=2000"


def rehearsals(site: Site, _fields: Fields) -> Data:
    """Running rehearsals first, then the newest; and which webs can be rehearsed: a simulated one, and those that crawls have recorded."""
    found = [_told(site, folder) for folder in _folders(site)]
    found.sort(key=lambda one: (one["state"] == RUNNING, one["written_at"]), reverse=True)
    return {"rehearsals": found, "webs": [MADE, *_recorded(site)], "error": ""}


def _folders(site: Site) -> Iterator[Path]:
    return (path for path in site.data.glob(f"{FOLDER}/*") if (path / REPORT).is_file() or (path / LOG_FILE).is_file())


def _told(site: Site, folder: Path) -> Data:
    """``said``: the last line of its log if it is not done."""
    code, report = site.started.exit_code(folder, None), folder / REPORT
    state = RUNNING if code == -1 else ENDED if report.is_file() else BROKEN_OFF
    path = report if state == ENDED else folder / LOG_FILE
    said = "" if state == ENDED else last_line(path)
    when = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat(timespec="seconds")
    return {"name": folder.name, "state": state, "written_at": when, "said": said}


def _recorded(site: Site) -> list[str]:
    """Crawls that can be rehearsed, as paths below the data folder."""
    return [folder.relative_to(site.data).as_posix() for folder in folders(site) if (folder / LOG).is_file()]


def start(site: Site, fields: Fields) -> Data:
    """Start `scrapy rehearse`; raises ConfigError and CrawlRunning."""
    topic, web, pages = fields.get("topic", "").strip(), fields.get("web", ""), whole("pages", fields)
    if not topic or "/" in topic or topic.startswith("-"):
        raise ConfigError("topic", topic or None, "a topic's name")
    one_of("web", web, [MADE, *_recorded(site)])
    name = "".join(char if char.isalnum() or char in "-._" else "-" for char in f"{topic}-{web}").lstrip(".-")[:100]
    folder = site.data / FOLDER / name
    if site.started.exit_code(folder, None) == -1:
        raise CrawlRunning(_("{name}: this rehearsal is running already", name=name))
    source = MADE if web == MADE else str(site.data / web / LOG)
    for old in (REPORT, LOG_FILE):
        (folder / old).unlink(missing_ok=True)
    length = ["--pages", str(pages)] if pages else []
    arguments = ["rehearse", "--web", source, "--topic", topic, *length, "--processes", "1", "--out", str(folder)]
    process = site.started.start(folder, [*arguments, *settings_given(site, site.data)])
    return {"rehearsal": name, "process": process, "next": "/rehearsals"}


def report(site: Site, fields: Fields, _folder: Path) -> Content:
    """A report: a file of ours with style and script inside, which therefore gets an origin of its own."""
    known = {folder.name: folder / REPORT for folder in _folders(site) if (folder / REPORT).is_file()}
    file = known[one_of("name", fields.get("name", ""), known)]
    return Content(file, "text/html", {"Content-Security-Policy": REPORT_POLICY})


REHEARSALS = View("/rehearsals", "rehearsals.html", rehearsals, N_("Rehearsals"), live="rehearsals_live.html")
VIEWS = (REHEARSALS,)
CHANGES = (Change("/rehearsals", start, form=REHEARSALS),)
DOWNLOADS = (Download("/rehearsals.report", report),)
