"""Runs the simulations of a rehearsal in several processes that share one cache of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.judging import view_of
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import open_archived_web
from topicspider.rehearsal.processes import in_processes
from topicspider.rehearsal.replay.conditions import HostLatency
from topicspider.rehearsal.simulator.policies import GroundTruth, rehearsal_policy
from topicspider.rehearsal.simulator.simulator import Simulation, simulate
from topicspider.relevance.default_thresholds import least_score
from topicspider.steering.compiled_topics import compiled_model, register_vocabulary
from topicspider.store.topics import topic_of
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn

if TYPE_CHECKING:
    from topicspider.rehearsal.archive.archived_web import ArchivedWeb
    from topicspider.rehearsal.simulator.simulator import Run


@dataclass(frozen=True, slots=True)
class RunConfig:
    """What all tasks of a rehearsal share; plain data, so that every process can build its own.

    ``targets``: fingerprints of the on-topic pages, for the oracle alone. ``latency`` as HostLatency reads it.
    """

    web: str
    cache: Path | None
    options: Options
    targets: frozenset[int]
    connections: int = 1
    latency: str = "constant:0.2"
    keeps_questions: bool = False


@dataclass(frozen=True, slots=True)
class Task:
    """One policy from one set of seeds; ``repeat`` is added to the seed of everything that is drawn."""

    policy: str
    server_policy: str
    repeat: int
    seeds: tuple[str, ...]
    max_pages: int


class Worker:
    """Plays tasks, one after the other: web, topic and segmenter are opened once."""

    def __init__(self, stage: RunConfig, web: ArchivedWeb | None = None) -> None:
        options = stage.options
        self._stage = stage
        self._segmenter = make_segmenter()
        self._profile = learn(topic_of(options.topic, options), self._segmenter)
        register_vocabulary(self._profile, self._segmenter, options)
        self._web = web or open_archived_web(stage.web, cache=stage.cache, own_words=self._segmenter.own_words)

    def run(self, task: Task) -> Run:
        """Simulate one task."""
        options = replace(
            self._stage.options, server_policy=task.server_policy, seed=self._stage.options.seed + task.repeat
        )
        known = GroundTruth(self._stage.targets, self._web.graph()) if task.policy == "oracle" else GroundTruth()
        model = compiled_model(self._profile, replace(options, link_policy=task.policy))
        policy = rehearsal_policy(task.policy, self._profile, self._segmenter, options, known, model)
        setup = Simulation(
            views=[view_of(self._profile, self._segmenter, options, policy, model=model)],
            policy=task.policy,
            seeds=task.seeds,
            max_pages=task.max_pages,
            options=options,
            limits=self._profile.topic.limits,
            repeat=task.repeat,
            connections=self._stage.connections,
            urls_per_host=options.urls_per_host,
            keeps_questions=self._stage.keeps_questions,
            latency=HostLatency.read(self._stage.latency, self._stage.options.seed),
            least_score=least_score([self._profile.topic], task.policy, options.link_threshold),
        )
        return simulate(self._web, setup)


def run_all(stage: RunConfig, tasks: Sequence[Task], processes: int, web: ArchivedWeb) -> Iterator[Run]:
    """The runs of ``tasks`` as they end. With one process nothing is started, and ``web`` is used."""
    count = min(processes, len(tasks))
    if count <= 1:
        return map(Worker(stage, web).run, tasks)
    return in_processes(partial(_open_worker, stage), tasks, count)


def _open_worker(stage: RunConfig) -> Callable[[Task], Run]:
    return Worker(stage).run
