"""One rehearsal, from its plan to its figures: read the web, find labels and seeds, run every policy in several processes, measure."""

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
"""Those of the test in (a) Li 2002, in pages."""


@dataclass(frozen=True, slots=True)
class RehearsalConfig:
    """What to rehearse. ``options`` holds the topic, the scorers and the politeness, as for a crawl.

    ``start_pages``, if empty: the web's own; ``checkpoints``: see checkpoints_for; ``cache``: of read pages; ``keeps_questions``: see Run.
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
    """Returns the results and the runs, by policy and seed set; ``say`` gets lines of progress. Raises ConfigError, RecordingError."""
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
    """The topic's profile, and a segmenter that knows the topic's words."""
    segmenter = make_segmenter()
    profile = learn(topic_of(options.topic, options), segmenter)
    register_vocabulary(profile, segmenter, options)
    return profile, segmenter


def checkpoints_for(pages: int) -> tuple[int, ...]:
    """CHECKPOINTS up to half of the ``pages`` of the web; if these are fewer than two, the sixteenths of ``pages`` up to half of them."""
    usual = tuple(point for point in CHECKPOINTS if point <= pages // 2)
    return usual if len(usual) >= 2 else tuple(sorted({max(1, pages * part // 16) for part in range(1, 9)}))


@dataclass(frozen=True, slots=True)
class Task:
    """One run to do: a policy from one seed set, whose number ``repeat`` is added to the seed of the random generators."""

    policy: str
    repeat: int
    seeds: tuple[str, ...]
    max_pages: int


class Worker:
    """Does tasks; web, topic and segmenter are opened once. ``targets``: fingerprints of the on-topic pages, which only the oracle gets."""

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
        """The policy ``name`` if only rehearsals have it, else None. The oracle alone is given the targets and the graph of all links."""
        if name == "oracle":
            return OraclePolicy(self._targets, self._web.graph())
        return AnchorPolicy(PolicyContext(self._profile, self._segmenter)) if name == "anchor" else None


def _run_all(plan: RehearsalConfig, targets: frozenset[int], tasks: Sequence[Task], web: ArchivedWeb) -> Iterator[Run]:
    """The runs of ``tasks`` as they end. If one process is enough, it is this one, with ``web``; else processes are started."""
    count = min(plan.processes, len(tasks))
    if count <= 1:
        return map(Worker(plan, targets, web), tasks)
    return in_processes(partial(Worker, plan, targets), tasks, count)


def _setting(plan: RehearsalConfig, web: ArchivedWeb, labels: Labels, profile: TopicProfile) -> Setting:
    given, usual = asdict(plan.options), asdict(Options())
    apart = {"topic", "store", "frontier", "model", "data", "topics_dir"}  # they change no result, or are local paths
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
