"""The crawls of the data folder: a list of them, the state of each, and orders to them. All of it reads stores or files, so it blocks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from topicspider.cli.command import one_of
from topicspider.cli.crawl_data import DEMO, FRONTIER, STORE
from topicspider.cli.crawls import FAILED, LOG_FILE, STARTING, crawl_state, last_line, last_lines
from topicspider.cli.frontier import hosts_called, largest
from topicspider.cli.nodes import ASKED, ask, nodes_as_json
from topicspider.errors import ConfigError, TopicSpiderError, UnavailableError
from topicspider.frontier.factory import is_in_redis, open_inspection
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.options import PACES
from topicspider.serve.shown import address
from topicspider.serve.site import Change, Data, Fields, Site, View, is_of_demo
from topicspider.serve.starting import has_made_web, pace_of, whole
from topicspider.steering.control import (
    CRAWL,
    ENDED,
    PAUSED,
    RUNNING,
    STATUS_FILE,
    STOPPING,
    Orders,
    Status,
    read_orders,
    read_status,
    write_orders,
)
from topicspider.store.location import store_of_crawl
from topicspider.url import masked

if TYPE_CHECKING:
    from topicspider.frontier.inspection import Inspection
    from topicspider.frontier.redis.inspection import RedisInspection

RESTS = {"usual": N_("as usual"), "crawl_delay": N_("Crawl-delay"), "backoff": N_("after failures or refusals")}
PACE_WORDS = (N_("auto"), N_("thrifty"), N_("balanced"), N_("fast"))
VERDICTS = (N_("hit"), N_("copy"), N_("list"), N_("miss"))
UNREADABLE = "not readable"
STATES = (N_("running"), N_("paused"), N_("stopping"), N_("ended"), N_("starting"), N_("broken off"), N_("did not begin"), N_("not readable"))  # fmt: skip
ALIVE = (RUNNING, PAUSED, STOPPING, STARTING)
BASELINES = {"demo/focused": "demo/breadth-first"}
"""By the folder of a crawl: the folder where the same web was crawled breadth-first."""


def crawl_folders(site: Site) -> dict[str, Path]:
    """Every crawl of the data folder by its name, also those of the demo."""
    files = (STORE, FRONTIER, STATUS_FILE, LOG_FILE)
    found = {path.parent for name in files for path in site.data.glob(f"*/{name}")}
    found |= {path.parent for name in files for path in (site.data / DEMO).parent.glob(f"*/*/{name}")}
    return {path.relative_to(site.data).as_posix(): path for path in sorted(found)}


def crawl_folder(site: Site, fields: Fields) -> Path:
    """The folder of the crawl named in ``fields``; raises ConfigError for an unknown one, so that no path leads elsewhere."""
    folders = crawl_folders(site)
    return folders[one_of("crawl", fields.get("crawl", ""), folders)]


def topics_in(folder: Path) -> str:
    """The topics in the name of the folder, like 旅游 + 茶叶."""
    return " + ".join(unquote(part) for part in folder.name.split("+"))


def state_of(site: Site, folder: Path, status: Status) -> str:
    """As ``crawl_state``, but it also knows how a process ended that was started from this page."""
    code = site.started.exit_code(folder, status.get("process"))
    if code is None:
        return crawl_state(folder, status)
    return STARTING if code < 0 else FAILED if code else ENDED


def crawls(site: Site, _fields: Fields) -> Data:
    """All crawls: first the running ones, then the newest."""
    found = [_summary(site, name, folder) for name, folder in crawl_folders(site).items()]
    found.sort(key=lambda one: (one["state"] in ALIVE, one["started_at"]), reverse=True)
    return {"data_folder": str(site.data), "crawls": found}


def _summary(site: Site, name: str, folder: Path) -> Data:
    """A crawl by its status, else (earlier versions) by its store: all its pages and hits, and ``trouble``, why that cannot be read."""
    status = read_status(folder)
    told: Data = {"name": name, "topics": topics_in(folder), "state": state_of(site, folder, status)}
    told |= {"pages": 0, "hits": 0, "started_at": "", "reason": "", "trouble": ""}
    if status:
        counts = {key: int(status.get(CRAWL, status).get(key, 0)) for key in ("pages", "hits")}
        return told | counts | {key: str(status.get(key, "")) for key in ("started_at", "reason")}
    if not (site.options.store or (folder / STORE).is_file()):
        return told
    try:
        with store_of_crawl(site.options, folder, 0.0) as store:
            runs = store.crawls(unquote(folder.name), 100)  # newest first; nobody asks for older ones
    except UnavailableError as error:
        return told | {"state": UNREADABLE, "trouble": str(error)}
    totals = [json.loads(run.totals) for run in runs]
    counts = {key: sum(one.get(key, 0) for one in totals) for key in ("pages", "hits")}
    return told | counts | {"started_at": runs[0].started_at, "reason": runs[0].reason} if runs else told


def crawl(site: Site, fields: Fields) -> Data:
    """The state of a crawl. ``status``: what it wrote last (steering/control.py); ``wanted``: the state it is told to take next."""
    folder = crawl_folder(site, fields)
    status = read_status(folder)
    state = state_of(site, folder, status)
    return {
        "crawl": fields["crawl"],
        "topics": topics_in(folder),
        "state": state,
        "is_alive": state in ALIVE,
        "wanted": _wanted(folder, status, state),
        "said": last_line(folder / LOG_FILE).removeprefix("topicspider: ") if state == FAILED else "",
        "status": status,
        "reason": reason_words(str(status.get("reason", ""))),
        "summary": None if status else _summary(site, fields["crawl"], folder),
        "baseline": _baseline(site, fields["crawl"]),
        "can_go_on": has_made_web(site) if is_of_demo(fields) else "/" not in fields["crawl"],
        "has_log": (folder / LOG_FILE).is_file(),
        "has_nodes": is_in_redis(site.options.frontier),
        "has_queue": is_in_redis(site.options.frontier) or (folder / FRONTIER).is_file(),
        "paces": list(PACES),
        "rests": {why: _(words) for why, words in RESTS.items()},
    }


def _wanted(folder: Path, status: Status, state: str) -> str:
    """The state that the crawl was told to take, if it is not in it yet; else ""."""
    if not status or state not in ALIVE or state == STARTING:
        return ""
    orders = read_orders(folder, str(status.get("run")))
    wanted = STOPPING if orders.is_stopped else PAUSED if orders.is_paused else RUNNING
    return "" if wanted == state or state == STOPPING else wanted


def _baseline(site: Site, name: str) -> list[Any]:
    """The curve of a breadth-first crawl of the same web; [] if there is none."""
    parent, _slash, topic = name.rpartition("/")
    other = BASELINES.get(parent)
    return read_status(site.data / other / topic).get("curve", []) if other else []


def reason_words(reason: str) -> str:
    from topicspider.extensions.live import REASONS  # loads everything that a crawl needs

    return _({**REASONS, "shutdown": N_("stopped; it can go on from here")}.get(reason, reason))


def log(site: Site, fields: Fields) -> Data:
    """The end of the log of a crawl that was started from the page."""
    path = crawl_folder(site, fields) / LOG_FILE
    if not path.is_file():
        raise ConfigError("log", str(path), "that of a crawl that was started from the page")
    return {"crawl": fields["crawl"], "topics": topics_in(path.parent), "file": str(path), "lines": last_lines(path)}


def order(site: Site, fields: Fields) -> Data:
    """Sends an order to a running crawl, which follows it within a second or two; ``do`` is pause, resume or stop."""
    known = {"pause": {"is_paused": True}, "resume": {"is_paused": False}, "stop": {"is_stopped": True}}
    return _ordered(site, fields, known[one_of("do", fields.get("do", ""), known)])


def change_limits(site: Site, fields: Fields) -> Data:
    """Changes the page limit and the pace of a running crawl."""
    said = {"max_pages": whole("max_pages", fields), "pace": pace_of(fields)}
    return _ordered(site, fields, said, is_change=True)


def _ordered(site: Site, fields: Fields, said: Mapping[str, Any], *, is_change: bool = False) -> Data:
    folder = crawl_folder(site, fields)
    status = read_status(folder)
    if state_of(site, folder, status) not in ALIVE or not status:
        raise ConfigError("crawl", fields["crawl"], "a crawl that is running")
    if is_change and not status.get("can_change"):
        hint = "Nodes that share a queue have one limit"
        raise ConfigError("crawl", fields["crawl"], "a crawl whose queue is its own", hint)
    orders: Orders = replace(read_orders(folder, str(status["run"])), **said)
    try:
        write_orders(folder, orders)
    except OSError as error:
        raise TopicSpiderError(_("{folder} cannot be written: {why}", folder=folder, why=error.strerror)) from None
    return {"orders": asdict(orders), "next": address("/crawl", crawl=fields["crawl"])}


def hosts(site: Site, fields: Fields) -> Data:
    """The hosts with the longest queues, at most 100, and their state."""
    folder, part = crawl_folder(site, fields), fields.get("host", "")
    with _inspected(site, folder) as inspection:
        states = largest(inspection.hosts())
    found = [asdict(state) for state in states if part.strip().lower() in state.host][:100]
    for host in found:
        host["rest_seconds"] = round(host["rest_seconds"], 1)
    shown = {"crawl": fields["crawl"], "topics": topics_in(folder), "host": part}
    return {**shown, "total": len(states), "hosts": found}


def block(site: Site, fields: Fields) -> Data:
    """Blocks or unblocks a host, also while its crawl runs."""
    folder = crawl_folder(site, fields)
    with _inspected(site, folder) as inspection:
        names = hosts_called([fields.get("host", "")], inspection)
        is_undone = fields.get("do") == "unblock"
        (inspection.unblock if is_undone else inspection.block)(names)
    return {"hosts": names, "is_blocked": not is_undone, "next": address("/crawl/hosts", crawl=fields["crawl"])}


def _inspected(site: Site, folder: Path) -> closing[Inspection]:
    return closing(open_inspection(site.options.frontier, folder / FRONTIER))


def nodes(site: Site, fields: Fields) -> Data:
    folder = crawl_folder(site, fields)
    with _cluster(site, folder) as queue:
        return {"crawl": fields["crawl"], "topics": topics_in(folder), **nodes_as_json(fields["crawl"], queue.nodes())}


def ask_nodes(site: Site, fields: Fields) -> Data:
    """Asks a node (or ``all``) to end; ``do`` is drain or stop."""
    wish = one_of("do", fields.get("do", ""), ASKED)
    with _cluster(site, crawl_folder(site, fields)) as queue:
        told = ask(queue, wish, fields.get("node", "")).data
    return {**told, "next": address("/crawl/nodes", crawl=fields["crawl"])}


def _cluster(site: Site, folder: Path) -> closing[RedisInspection]:
    if not is_in_redis(site.options.frontier):
        allowed = "redis://…, for a crawl of several nodes"
        raise ConfigError("TOPICSPIDER_FRONTIER", masked(site.options.frontier), allowed)
    from topicspider.frontier.redis.opening import inspect_in_redis  # loads the driver

    return closing(inspect_in_redis(site.options.frontier, folder / FRONTIER))


VIEWS = (
    View("/crawls", "crawls.html", crawls, N_("Crawls"), live="crawls_live.html"),
    View("/crawl", "crawl.html", crawl, live="crawl_live.html"),
    View("/crawl/hosts", "hosts.html", hosts),
    View("/crawl/log", "log.html", log, live="log_live.html"),
    View("/crawl/nodes", "nodes.html", nodes),
)
CHANGES = (
    Change("/crawl/order", order),
    Change("/crawl/limits", change_limits),
    Change("/crawl/block", block),
    Change("/crawl/ask", ask_nodes),
)
