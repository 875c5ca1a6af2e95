"""Starting a crawl from the page: shows what it would look for, and starts its process, which goes on when the page ends."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlencode, urlsplit

from w3lib.http import basic_auth_header

from topicspider.cli.command import one_of, whole_number
from topicspider.cli.crawl_data import DEMO, FRONTIER
from topicspider.cli.crawls import begin
from topicspider.cli.demo import SEED
from topicspider.cli.topics import title_of
from topicspider.cli.topics_new import make_missing
from topicspider.cli.topics_try import changed_of, hits_of, is_crawled, verdicts
from topicspider.crawl_config import CrawlConfig
from topicspider.errors import ConfigError, CrawlRunning, TopicSpiderError, UnavailableError, UnknownTopic
from topicspider.frontier.sqlite.file import holder_of
from topicspider.i18n import N_
from topicspider.i18n import gettext as _
from topicspider.options import PACES
from topicspider.serve.shown import address
from topicspider.serve.site import Change, Data, Fields, Site, View
from topicspider.setting_rules import setting_name
from topicspider.spiders.arguments import with_arguments
from topicspider.store.topics import topic_of, topics_of
from topicspider.text.normalise import has_cjk
from topicspider.text.segment import make_segmenter
from topicspider.topic.catalogue import branch
from topicspider.topic.class_topics import class_of
from topicspider.topic.compiling import compile_topic
from topicspider.topic.drafting import draft, file_name, topic_text
from topicspider.topic.learning import learn
from topicspider.topic.loading import is_path, known_topics, save_inline_topic, shipped_topics
from topicspider.topic.profile import NearWord, Topic
from topicspider.topic.seed_sources import StartingPoint, source_addresses
from topicspider.url import canonicalize, masked

STARTS = 12
DROP, CLASS = "drop.", "class."
"""The beginnings of field names: for near words that are struck out, and for chosen classes of the catalogue."""
TYPED = ("topic", "terms", "text", "examples", "seeds", "max_pages", "depth", "pace", "fresh", "node")


def whole(name: str, fields: Fields) -> int | None:
    """The number in a field, None when it is empty; raises ConfigError."""
    text = fields.get(name, "").strip()
    return whole_number(name, text, 10**9) if text else None


def pace_of(fields: Fields) -> str:
    """The pace in a field, "" when it is empty; raises ConfigError."""
    return fields.get("pace", "") and one_of("pace", fields["pace"], PACES)


def form(site: Site, fields: Fields) -> Data:
    """The form with what was typed; for a topic, also the words it is compiled to. Nothing is started or written."""
    fields = _begun_in_demo(site, {**fields, "topic": fields.get("topic") or ",".join(_named(CLASS, fields))})
    titles = {topic.name: title_of(topic) for topic in shipped_topics()}
    topics = [{"name": name, "title": titles.get(name, "")} for name in known_topics(site.options.topics_dir)]
    typed = {name: fields.get(name, "") for name in TYPED}
    told: Data = {"typed": typed, "topics": topics, "paces": list(PACES), "nodes": list(map(masked, site.nodes))}
    told |= {"job": fields.get("job", ""), "made": SEED if has_made_web(site) else ""}
    told |= {"preview": None, "tried": None, "checked": None, "error": "", "near": ""}
    if fields.get("topic", "").strip():
        try:
            told["preview"] = preview(site, fields)
            whole("max_pages", fields)
            whole("depth", fields)
            told["tried"] = tried(site, fields) if fields.get("try") else None
            if fields.get("check") and not told["preview"]["several"]:
                told["checked"] = checked(site, fields)
                typed["seeds"] = typed["seeds"] or "\n".join(told["checked"]["seeds"])
        except TopicSpiderError as error:
            told["error"], told["near"] = str(error), getattr(error, "near", "")
    return told


def has_made_web(site: Site) -> bool:
    """Whether the demo has opened this page: its crawls use the simulated web, and are stored beside the demo's."""
    return site.options.seeds == SEED


def _begun_in_demo(site: Site, fields: Fields) -> Fields:
    return {**fields, "seeds": fields.get("seeds", "").strip() or SEED} if has_made_web(site) else fields


def preview(site: Site, fields: Fields) -> Data:
    """The compiled topic of ``fields``: feature words, words near them, and where the crawl would begin."""
    name = _name(fields)
    if _are_several(name):
        several = [{"name": one.name, "title": title_of(one)} for one in topics_of(name, site.options)]
        return {"name": name, "title": name, "is_new": False, "is_crawled": False, "several": several, "words": [], "near": [], "seeds": None}  # fmt: skip
    topic = _topic(site, fields)
    profile = learn(topic, make_segmenter())
    near = compile_topic(profile).expansion
    dropped = _named(DROP, fields)
    shown = [*near.items()][:48] + [(word, NearWord(0.0, "")) for word in dropped if word not in near]
    return {
        "name": topic.name,
        "title": title_of(topic),
        "is_new": not topic.source,
        "several": [],
        "is_crawled": is_crawled(name, site.options),
        "words": [{"word": word, "weight": round(weight, 3)} for word, weight in profile.weights.items()][:60],
        "near": [
            {"word": word, "weight": round(one.weight, 3), "of": one.of, "is_dropped": word in dropped}
            for word, one in shown
        ],
        "seeds": _starts(site, topic, fields),
    }


def _name(fields: Fields) -> str:
    """The typed topic. Raises ConfigError, also for a path: otherwise users of the page could read files of the machine."""
    name = fields.get("topic", "").strip()
    if not name or any(is_path(part.strip()) for part in name.replace("，", ",").split(",")):
        raise ConfigError("topic", name or None, "a topic's name, or any words")
    return name


def _are_several(name: str) -> bool:
    return "," in name or "，" in name or bool(branch(name))


def checked(site: Site, fields: Fields) -> Data:
    """Fetches the example pages and the starting points as a crawl would (robots.txt, no private address), and tells the result for each.

    Without seeds, some are looked for as `scrapy topics seeds` does. Nothing is written. ``seeds``: the usable starting points.
    """
    from topicspider.cli.judge import judge_of
    from topicspider.cli.starting_points import look_for, read_points

    topic = _edited(site, fields)
    judge, seeds = judge_of(topic, site.options), (_urls("seeds", fields) or list(topic.seeds))[:STARTS]
    asked = [StartingPoint(url, "example") for url in _urls("examples", fields)[:STARTS]]
    asked += [StartingPoint(url, "seed") for url in seeds]
    points = list(read_points(asked, site.settings, judge)) if asked else []
    trouble = ""
    if not seeds:
        try:
            points += look_for(topic, site.settings)
        except TopicSpiderError as error:
            trouble = str(error)
    told = [asdict(point) | {"on_topic": point.score >= judge.view.judge.threshold} for point in points]
    examples, starts = ([one for one in told if (one["kind"] == "example") is sign] for sign in (True, False))
    urls = [one["url"] for one in starts if not one["left_out"]]
    return {"examples": examples, "starts": starts, "trouble": trouble, "seeds": urls[:STARTS]}


def tried(site: Site, fields: Fields) -> Data:
    """Which hits in the topic's crawl the edit wins and loses, as `scrapy topics try` shows; raises NotCrawled."""
    found = verdicts(fields["topic"].strip(), _edited(site, fields), site.options)
    before, after = hits_of(found)
    changed = [
        {"url": one.url, "title": one.title, "change": one.change, "before": one.before.value, "after": one.after.value}
        for one in changed_of(found)
    ]
    return {"pages": len(found), "before": before, "after": after, "changed": changed}


def _topic(site: Site, fields: Fields) -> Topic:
    """The typed topic: one with words or a text of its own, an existing one, or a bare name; raises UnknownTopic, ConfigError."""
    name, terms, text = (fields.get(key, "").strip() for key in ("topic", "terms", "text"))
    if terms or text:
        written = draft(file_name(name), name, {})
        languages = ("zh", "en") if has_cjk(name + terms + text) else ("en",)
        return replace(written, terms=dict(_terms(terms)), texts=(text,) if text else (), languages=languages)
    try:
        return topic_of(name, site.options)
    except UnknownTopic as unknown:
        if not unknown.title:
            raise
        return draft(file_name(unknown.title), unknown.title, {})


def _terms(text: str) -> Iterator[tuple[str, float]]:
    """The words in ``text``, on lines or between commas, with the weight after each (1 if there is none); raises ConfigError."""
    for line in text.replace("，", "\n").replace(",", "\n").replace("、", "\n").splitlines():
        word, _blank, number = line.strip().rpartition(" ")
        if not word:
            word, number = line.strip(), "1"
        try:
            weight = float(number)
        except ValueError:
            word, weight = line.strip(), 1.0
        if not 0 < weight <= 1000:
            raise ConfigError(f"terms: {word}", number, "a weight above 0, at most 1000")
        if word:
            yield word, weight


def _named(start: str, fields: Fields) -> list[str]:
    return [name.removeprefix(start) for name in fields if name.startswith(start)]


def _starts(site: Site, topic: Topic, fields: Fields) -> Data:
    """Where the crawl would begin: at typed URLs, else at the topic's seeds, else at addresses to be tried."""
    if typed := _urls("seeds", fields):
        return {"kind": "typed", "urls": typed}
    if topic.seeds:
        return {"kind": "own", "urls": list(topic.seeds)}
    return {"kind": "tried", "urls": [point.url for point in source_addresses(topic, site.options.topics_dir)][:STARTS]}


def _urls(name: str, fields: Fields) -> list[str]:
    """The canonical URLs in a field, one a line; raises ConfigError for a line that is no URL."""
    lines = fields.get(name, "").replace(",", "\n").split()
    for line in lines:
        if canonicalize(line) is None:
            raise ConfigError(name, line, "http:// or https:// URLs, one a line")
    return [canonicalize(line) or "" for line in lines]


def start(site: Site, fields: Fields) -> Data:
    """Start `scrapy crawl topic` as a process, or as a job of a scrapyd node; raises ConfigError or CrawlRunning before it is started."""
    if fields.get("node"):
        return _send(site, fields)
    data = site.data / DEMO if has_made_web(site) else site.data
    arguments = _arguments(site, _begun_in_demo(site, fields))
    settings = with_arguments(site.settings, arguments)
    settings.set(setting_name("data"), str(data), priority="cmdline")
    make_missing(str(arguments["topic"]), site.options)
    config = CrawlConfig.read(settings, needs_seeds=False)
    if holder := holder_of(config.folder / FRONTIER):
        words = N_("{topic}: this crawl is running already (process {process})")
        raise CrawlRunning(_(words, topic=config.name, process=holder))
    given = [part for name, value in arguments.items() for part in ("-a", f"{name}={value}")]
    process = site.started.start(config.folder, ["crawl", "topic", *given, *settings_given(site, data)])
    name = config.folder.relative_to(site.data).as_posix()
    return {"crawl": name, "process": process, "next": address("/crawl", crawl=name)}


def _arguments(site: Site, fields: Fields) -> dict[str, Any]:
    """The -a arguments of the crawl. A topic that was written or changed on the page is saved as a file in the data folder."""
    topic = _name(fields)
    if _named(DROP, fields) or fields.get("terms", "").strip() or fields.get("text", "").strip():
        topic = str(save_inline_topic(topic_text(_edited(site, fields)), "", str(site.data)))
    values: dict[str, Any] = {
        "topic": topic,
        "seeds": ",".join(url.replace(",", "%2C") for url in _urls("seeds", fields)),
        "max_pages": whole("max_pages", fields),
        "depth": whole("depth", fields),
        "pace": pace_of(fields),
        "fresh": 1 if fields.get("fresh") else None,
    }
    return {name: value for name, value in values.items() if value not in ("", None)}


def is_node(url: str) -> bool:
    """Whether ``url`` can be the address of a scrapyd node."""
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0 and not parts.query
    except ValueError:
        return False


def _send(site: Site, fields: Fields) -> Data:
    """Start the crawl on one of the page's nodes; raises ConfigError for any other, UnavailableError if it does not take the job."""
    nodes = {masked(url): url for url in site.nodes}
    node = nodes[one_of("node", fields["node"], nodes)]
    arguments, known = _arguments(site, fields), {topic.name for topic in shipped_topics()}
    if not _are_several(fields["topic"]):
        topic = _edited(site, fields)
        if not (arguments["topic"] in known or class_of(arguments["topic"])):
            del arguments["topic"]  # the node has no such file
            arguments["topic_yaml"] = topic_text(topic)
    answer = _scheduled(node, {"project": "topicspider", "spider": "topic", **arguments})
    return {"node": masked(node), "job": answer, "next": address("/start", job=answer, node=masked(node))}


def _scheduled(node: str, job: dict[str, Any]) -> str:
    """Sends ``job`` to ``node``; returns its id. No proxy and no redirect is used, so none sees the node's password."""
    parts = urlsplit(node)
    connect = HTTPSConnection if parts.scheme == "https" else HTTPConnection
    # a node starts a process to check that it knows the spider
    connection = connect(parts.hostname or "", parts.port, timeout=30.0)
    headers = {"Content-Type": "application/x-www-form-urlencoded"}
    if parts.username:
        login = unquote(parts.username), unquote(parts.password or "")
        headers["Authorization"] = basic_auth_header(*login, "utf-8").decode()
    try:
        connection.request("POST", f"{parts.path.rstrip('/')}/schedule.json", urlencode(job), headers)
        answer = connection.getresponse()
        said = json.loads(answer.read(1 << 20)) if answer.status == 200 else {"message": f"{answer.status} {answer.reason}"}  # fmt: skip
    except (OSError, HTTPException, ValueError) as error:
        raise UnavailableError(masked(node), str(error)) from None
    finally:
        connection.close()
    if said.get("status") != "ok":
        raise UnavailableError(masked(node), str(said.get("message", "")))
    return str(said["jobid"])


def _edited(site: Site, fields: Fields) -> Topic:
    """The typed topic; if near words were struck out, it has all near words, and these have weight 0."""
    topic, words = _topic(site, fields), _named(DROP, fields)
    if not words:
        return topic
    near = compile_topic(learn(topic, make_segmenter())).expansion
    return replace(topic, near={**{word: one.weight for word, one in near.items()}, **dict.fromkeys(words, 0.0)})


def settings_given(site: Site, data: Path) -> list[str]:
    """The -s options of the page, which its crawls get, too."""
    values = [*site.given, f"TOPICSPIDER_DATA={data}", "TOPICSPIDER_LIVE=off"]
    return [part for value in values for part in ("-s", value)]


class StartedCrawls:
    """The processes that this page has started, in sessions of their own: neither Ctrl-C nor the end of the page ends them."""

    def __init__(self) -> None:
        self._processes: dict[Path, subprocess.Popen[bytes]] = {}

    def start(self, folder: Path, arguments: Sequence[str]) -> int:
        """Start a process that writes to ``folder``; returns its id. Its output is added to the log in the folder. Raises ConfigError."""
        process = begin(folder, arguments)
        self._processes[folder] = process
        return process.pid

    def exit_code(self, folder: Path, told: object) -> int | None:
        """The exit code of the last process of ``folder``, -1 while it runs; None without one, or if the status has ``told`` of it."""
        process = self._processes.get(folder)
        if process is None:
            return None
        code = process.poll()
        return None if told == process.pid else -1 if code is None else code


START = View("/start", "start.html", form, N_("Start"))
VIEWS = (START,)
CHANGES = (Change("/start", start, form=START),)
