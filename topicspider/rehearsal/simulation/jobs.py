"""Runs the simulations of a rehearsal in several processes that share one cache of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.defaults import Options
from topicspider.judging import view_of
from topicspider.rehearsal.pages.read_webs import open_read_web
from topicspider.rehearsal.processes import in_processes
from topicspider.rehearsal.simulation.latency import HostLatency
from topicspider.rehearsal.simulation.policies import Foreknowledge, rehearsal_policy
from topicspider.rehearsal.simulation.simulator import Simulation, simulate
from topicspider.steering.subject import look_for, model_of
from topicspider.store.topics import topic_of
from topicspider.text.segment import make_segmenter
from topicspider.topic.learning import learn

if TYPE_CHECKING:
    from topicspider.rehearsal.pages.answers import ReadWeb
    from topicspider.rehearsal.simulation.runs import Run


@dataclass(frozen=True, slots=True)
class Stage:
    """What all jobs of a rehearsal share; plain data, so that every process can build its own.

    ``targets``: fingerprints of the on-topic pages, for the oracle alone. ``latency`` as HostLatency reads it.
    """

    web: str
    cache: Path | None
    options: Options
    targets: frozenset[int]
    connections: int = 1
    latency: str = "constant:0.2"


@dataclass(frozen=True, slots=True)
class Job:
    """One policy from one set of seeds; ``repeat`` is added to the seed of everything that is drawn."""

    policy: str
    server_policy: str
    repeat: int
    seeds: tuple[str, ...]
    max_pages: int


class Actor:
    """Plays jobs, one after the other: web, topic and segmenter are opened once."""

    def __init__(self, stage: Stage, web: ReadWeb | None = None) -> None:
        options = stage.options
        self._stage = stage
        self._segmenter = make_segmenter(options.segmenter)
        self._profile = learn(topic_of(options.topic, options), self._segmenter)
        look_for(self._profile, self._segmenter, options)
        self._web = web or open_read_web(
            stage.web, options.segmenter, cache=stage.cache, own_words=self._segmenter.own_words
        )

    def play(self, job: Job) -> Run:
        """Simulate one job."""
        options = replace(
            self._stage.options, server_policy=job.server_policy, seed=self._stage.options.seed + job.repeat
        )
        known = Foreknowledge(self._stage.targets, self._web.graph()) if job.policy == "oracle" else Foreknowledge()
        model = model_of(self._profile, replace(options, link_policy=job.policy))
        policy = rehearsal_policy(job.policy, self._profile, self._segmenter, options, known, model)
        setup = Simulation(
            view=view_of(self._profile, self._segmenter, options, policy, model=model),
            policy=job.policy,
            seeds=job.seeds,
            max_pages=job.max_pages,
            options=options,
            limits=self._profile.topic.limits,
            repeat=job.repeat,
            connections=self._stage.connections,
            latency=HostLatency.read(self._stage.latency, self._stage.options.seed),
        )
        return simulate(self._web, setup)


def play_all(stage: Stage, jobs: Sequence[Job], processes: int, web: ReadWeb) -> Iterator[Run]:
    """The runs of ``jobs`` as they end. With one process nothing is started, and ``web`` is used."""
    count = min(processes, len(jobs))
    if count <= 1:
        return map(Actor(stage, web).play, jobs)
    return in_processes(partial(_player, stage), jobs, count)


def _player(stage: Stage) -> Callable[[Job], Run]:
    return Actor(stage).play
