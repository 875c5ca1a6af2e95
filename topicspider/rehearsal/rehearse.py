"""One rehearsal from its plan to its figures: reads the web, finds labels and seeds, runs every policy in several processes, measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from pathlib import Path

from topicspider import __version__
from topicspider.i18n import gettext as _
from topicspider.judging import view_of
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import ArchivedWeb, open_archived_web
from topicspider.rehearsal.evaluation.labels import Labels, find_labels
from topicspider.rehearsal.evaluation.measures import Results, Setting, results_of
from topicspider.rehearsal.evaluation.reach import ON_TOPIC_SEEDS, seed_sets
from topicspider.rehearsal.processes import in_processes
from topicspider.rehearsal.replay.conditions import HostLatency
from topicspider.rehearsal.simulator.oracle import OraclePolicy
from topicspider.rehearsal.simulator.policies import USUAL
from topicspider.rehearsal.simulator.simulator import Run, Simulation, simulate
from topicspider.relevance.default_thresholds import least_score
from topicspider.relevance.interfaces import LinkPolicy, PolicyContext
from topicspider.relevance.published_link_policies import AnchorPolicy
from topicspider.steering.compiled_topics import compiled_model, register_vocabulary
from topicspider.store.topics import topic_of
from topicspider.text.segment import Segmenter, make_segmenter
from topicspider.topic.learning import learn
from topicspider.topic.profile import TopicProfile
from topicspider.url import fingerprint

Say = Callable[[str], None]
CHECKPOINTS = (500, 1000, 1500, 2000, 2500, 3000, 3500, 4000)
"""(a) Li 2002, the test."""


@dataclass(frozen=True, slots=True)
class RehearsalConfig:
    """What to rehearse. ``options`` holds the topic, the scorers and the politeness, as for a crawl.

    ``start_pages``: () leaves them to the web; ``checkpoints``: () to its size; ``cache``: the folder of pages that were read, None to us. ``keeps_questions``: see Run.
    """

    web: str
    options: Options
    labels: Path | None = None
    policies: tuple[str, ...] = USUAL
    checkpoints: tuple[int, ...] = ()
    start_pages: tuple[str, ...] = ()
    on_topic_seeds: int = ON_TOPIC_SEEDS
    repeats: int = 1
    connections: int = 1
    latency: str = "constant:0.2"
    processes: int = field(default_factory=lambda: os.cpu_count() or 1)
    cache: Path | None = None
    keeps_questions: bool = False


def rehearse(plan: RehearsalConfig, say: Say = lambda _line: None) -> tuple[Results, list[Run]]:
    """Everything a rehearsal finds, and its runs, which know what they cost; ``say`` is told how far it is. Raises ConfigError, RecordingError."""
    profile, segmenter = _learned(plan.options)
    own = segmenter.own_words
    with closing(
        open_archived_web(plan.web, cache=plan.cache, processes=plan.processes, say=say, own_words=own)
    ) as web:
        plan = replace(plan, checkpoints=plan.checkpoints or checkpoints_for(len(web)))
        labels = find_labels(plan.labels, plan.web, web, profile, plan.options.page_scorer)
        sets = seed_sets(web, labels, plan.repeats, plan.on_topic_seeds, plan.start_pages)
        targets = frozenset(map(fingerprint, labels.targets()))
        last = max(plan.checkpoints)
        tasks = [Task(policy, repeat, seeds, last) for repeat, seeds in enumerate(sets) for policy in plan.policies]
        runs = []
        for run in _run_all(plan, targets, tasks, web):
            runs.append(run)
            told = {"done": len(runs), "tasks": len(tasks), "policy": run.policy, "number": run.repeat}
            say(_("{done} of {tasks} runs: {policy}, seed set {number}: {pages} pages", pages=len(run.fetched), **told))
        runs.sort(key=lambda run: (plan.policies.index(run.policy), run.repeat))
        results = results_of(_setting(plan, web, labels, profile), runs, labels, web)
    return results, runs


def _learned(options: Options) -> tuple[TopicProfile, Segmenter]:
    """The topic, and a segmenter that cuts pages by it."""
    segmenter = make_segmenter()
    profile = learn(topic_of(options.topic, options), segmenter)
    register_vocabulary(profile, segmenter, options)
    return profile, segmenter


def checkpoints_for(pages: int) -> tuple[int, ...]:
    """Those of the paper, as far as the web has pages; of a small web its eighths up to half of it."""
    usual = tuple(point for point in CHECKPOINTS if point <= pages // 2)
    return usual if len(usual) >= 2 else tuple(sorted({max(1, pages * part // 16) for part in range(1, 9)}))


@dataclass(frozen=True, slots=True)
class Task:
    """One policy from one set of seeds; ``repeat`` is added to the seed of everything that is drawn."""

    policy: str
    repeat: int
    seeds: tuple[str, ...]
    max_pages: int


class Worker:
    """Does tasks, one after the other: web, topic and segmenter are opened once. ``targets``: fingerprints of the on-topic pages, for the oracle alone."""

    def __init__(self, plan: RehearsalConfig, targets: frozenset[int], web: ArchivedWeb | None = None) -> None:
        self._plan, self._targets = plan, targets
        self._profile, self._segmenter = _learned(plan.options)
        self._web = web or open_archived_web(plan.web, cache=plan.cache, own_words=self._segmenter.own_words)

    def __call__(self, task: Task) -> Run:
        plan, profile = self._plan, self._profile
        options = replace(plan.options, seed=plan.options.seed + task.repeat)
        own = replace(options, link_policy=task.policy)
        model = compiled_model(profile, own)
        setup = Simulation(
            views=[view_of(profile, self._segmenter, own, self._reference_policy(task.policy), model=model)],
            policy=task.policy,
            seeds=task.seeds,
            max_pages=task.max_pages,
            options=options,
            limits=profile.topic.limits,
            repeat=task.repeat,
            connections=plan.connections,
            keeps_questions=plan.keeps_questions,
            latency=HostLatency.read(plan.latency, plan.options.seed),
            least_score=least_score([profile.topic], task.policy, options.link_threshold),
        )
        return simulate(self._web, setup)

    def _reference_policy(self, name: str) -> LinkPolicy | None:
        """A policy to compare with, which no crawl can have: only the oracle knows the targets and where every link leads."""
        if name == "oracle":
            return OraclePolicy(self._targets, self._web.graph())
        return AnchorPolicy(PolicyContext(self._profile, self._segmenter)) if name == "anchor" else None


def _run_all(plan: RehearsalConfig, targets: frozenset[int], tasks: Sequence[Task], web: ArchivedWeb) -> Iterator[Run]:
    """The runs of ``tasks`` as they end. With one process nothing is started, and ``web`` is used."""
    count = min(plan.processes, len(tasks))
    if count <= 1:
        return map(Worker(plan, targets, web), tasks)
    return in_processes(partial(Worker, plan, targets), tasks, count)


def _setting(plan: RehearsalConfig, web: ArchivedWeb, labels: Labels, profile: TopicProfile) -> Setting:
    given, usual = asdict(plan.options), asdict(Options())
    apart = {"topic", "store", "frontier", "model", "data", "topics_dir"}  # of no weight here, or paths of one machine
    shown: dict[str, object] = {key: value for key, value in given.items() if value != usual[key] and key not in apart}
    shown |= {"connections": plan.connections, "latency": plan.latency, "on_topic_seeds": plan.on_topic_seeds}
    shown |= {"page_scorer": plan.options.page_scorer, "server_policy": plan.options.server_policy}
    return Setting(
        web=web.name,
        web_digest=web.digest,
        pages_in_web=len(web),
        topic=profile.topic.name,
        topic_title=dict(profile.topic.title),
        topic_digest=profile.digest,
        judged_by=labels.name,
        is_evidence=labels.is_evidence,
        labels_digest=labels.digest,
        checkpoints=plan.checkpoints,
        repeats=plan.repeats,
        start_pages=plan.start_pages or tuple(web.start_pages),
        options=shown,
        seed=plan.options.seed,
        version=__version__,
    )
