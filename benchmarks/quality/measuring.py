"""Measures one section of the floors as its plan says, and takes the digest of what it was measured on.

Digests depend on contents only. The machine, the place and time of a file, and our own code do not change them, because the floors
must show how our code changes the figures. Only the digest of a synthetic web changes with the code that makes it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.quality import (
    charsets,
    dates,
    extraction,
    harvest,
    labelled_pages,
    labelled_titles,
    relevance,
    typed_data,
)
from benchmarks.quality.floors import DECIMALS, Figures, Measured, Section
from topicspider.errors import ConfigError
from topicspider.options import Options
from topicspider.rehearsal.archive.archived_web import read_warc
from topicspider.rehearsal.archive.warc import SYNTHETIC
from topicspider.rehearsal.evaluation.measures import PolicyFigures, Results
from topicspider.rehearsal.rehearse import RehearsalConfig, rehearse
from topicspider.rehearsal.simulator.policies import POLICY_NAMES
from topicspider.rehearsal.synthetic.web import SyntheticWeb

Say = Callable[[str], None]
JUDGED_BY = {"vsm": tuple(name for name in POLICY_NAMES if name != "learned"), "learned": ("learned",)}
"""By page scorer: the policies measured with it. Published policies have a published scorer, which no change of the default moves."""
_CHUNK = 1 << 22


@dataclass(frozen=True, slots=True)
class Bench:
    """Where and how to measure; ``cache``: the folder of pages that were read, None for the usual one."""

    corpora: Path
    cache: Path | None
    processes: int


def missing(section: Section, corpora: Path) -> list[Path]:
    """The files of the section's corpus that are not there."""
    return [path for path in _files(section.plan, corpora) if not path.is_file()]


def measure(section: Section, bench: Bench, say: Say) -> Measured:
    """The section's figures and digest; ``say`` gets progress lines. Raises ConfigError (also for an incomplete plan), RecordingError."""
    kinds = {
        "charsets": _measure_charsets,
        "dates": _measure_dates,
        "dates_gold": _measure_gold_dates,
        "extraction": _measure_extraction,
        "harvest": _measure_harvest,
        "names": _measure_names,
        "pages": _measure_pages,
        "rehearsal": _measure_rehearsal,
        "titles": _measure_titles,
        "typed_data": _measure_typed_data,
    }
    try:
        return kinds[str(section.plan["kind"])](section, bench, say)
    except KeyError as error:
        allowed = f"kind ({', '.join(kinds)}) and what it needs; see the other sections"
        raise ConfigError(f"floors: {section.name}: plan", dict(section.plan), allowed, f"It lacks {error}.") from None


def read_ahead(sections: Iterable[Section], bench: Bench, say: Say) -> None:
    """Read each recorded web once for all topics that ``sections`` measure on it; all their files must be there."""
    topics: dict[str, dict[str, None]] = {}
    for plan in (one.plan for one in sections):
        web = str(plan.get("web", ""))
        if web and not web.startswith(SYNTHETIC):
            topics.setdefault(web, {}).update(dict.fromkeys(_topics(plan)))
    for web, named in topics.items():
        cuttings = [labelled_pages.own_words_of(labelled_pages.topic_file(topic)) for topic in named]
        read_warc(bench.corpora / web, cuttings, bench.cache, bench.processes, say)


def _measure_extraction(section: Section, bench: Bench, _say: Say) -> Measured:
    return Measured(_gold_digest(bench.corpora), _extraction(bench.corpora, section.floors))


def _measure_charsets(_section: Section, _bench: Bench, _say: Say) -> Measured:
    """The share of texts decoded correctly, character by character; the cases are made from texts in the repository."""
    cases = list(charsets.cases())
    scores = charsets.measure(charsets.read_ours, cases)
    digest = {"web": _digest(case.body for case in cases), "labels": _digest(case.text.encode() for case in cases)}
    return Measured(digest, {group: _rounded({"right": one.right}) for group, one in scores.items()})


def _measure_dates(_section: Section, _bench: Bench, _say: Say) -> Measured:
    """The share of right days on the Chinese forms of our own, which are in the repository."""
    forms = list(dates.forms())
    labels = (f"{form.url}\0{form.fetched_on}\0{form.published}\n".encode() for form in forms)
    digest = {"web": _digest(form.html.encode() for form in forms), "labels": _digest(labels)}
    return Measured(digest, {"forms": _rounded({"date": dates.measure_forms(dates.read_ours).date})})


def _measure_gold_dates(_section: Section, bench: Bench, _say: Say) -> Measured:
    """The share of right days on the gold pages that have one."""
    scores = dates.measure_gold(dates.read_ours, bench.corpora)
    return Measured(_gold_digest(bench.corpora), {group: _rounded({"date": one.date}) for group, one in scores.items()})


def _measure_typed_data(_section: Section, _bench: Bench, _say: Say) -> Measured:
    """F1 of all pages, of each kind, and of those that were held back while the rules were written; the pages are in the repository."""
    scores = typed_data.measure(typed_data.read_ours, typed_data.typed_pages())
    figures = {group: _rounded({"f1": counts.f1}) for group, counts in scores.items() if group not in ("none", "seen")}
    pages = list(typed_data.typed_pages())
    labels = (json.dumps(page.gold, sort_keys=True).encode() for page in pages)
    return Measured({"web": _digest(page.body for page in pages), "labels": _digest(labels)}, figures)


def _measure_names(_section: Section, _bench: Bench, _say: Say) -> Measured:
    """The share of texts that is judged right by the name of a topic alone; the texts are in the repository."""
    figures = {file: _rounded({"right": right}) for file, right in relevance.of_names().items()}
    return Measured(
        {"labels": _digest(file.read_bytes() for file in sorted(relevance.NAME_ONLY.glob("*.jsonl")))}, figures
    )


def _measure_titles(section: Section, bench: Bench, _say: Say) -> Measured:
    """The page judge on titles: means over the labels of average precision and of F1 at the default threshold."""
    every = int(section.plan["every"])
    found = [relevance.of_titles(label, "learned", every=every) for label in labelled_titles.LABELS]
    figures = {"learned": _means([one.verdicts for one in found])}
    topics = (labelled_titles.topic_file(label).read_bytes() for label in labelled_titles.LABELS)
    return Measured(_judged_digest(section.plan, bench) | {"topics": _digest(topics)}, figures)


def _measure_pages(section: Section, bench: Bench, _say: Say) -> Measured:
    """The same on the pages of a recorded web, each topic by itself and their mean."""
    plan, figures, found = section.plan, {}, []
    for topic in _topics(plan):
        web = str(plan["web"]).removesuffix(".warc")
        found.append(relevance.of_pages(topic, "learned", web=web, every=int(plan["every"]), cache=bench.cache))
        figures[topic] = _means([found[-1].verdicts])
    return Measured(_judged_digest(plan, bench), figures | {"mean": _means([one.verdicts for one in found])})


def _topics(plan: Mapping[str, Any]) -> list[str]:
    return str(plan.get("topic", "")).split(",")


def _means(found: Sequence[relevance.Figures]) -> dict[str, float]:
    return _rounded({"ap": fmean(one.ap for one in found), "f1": fmean(one.f1 for one in found)})


def _measure_rehearsal(section: Section, bench: Bench, say: Say) -> Measured:
    figures: Figures = {}
    for scorer, policies in JUDGED_BY.items():
        figures |= figures_of(rehearse(rehearsal_plan(section.plan, bench, scorer, policies), say)[0])
    digest = {"plan": _plan_digest(section.plan), **_web_digest(section.plan, bench.corpora)}
    return Measured(digest, figures)


def _measure_harvest(section: Section, bench: Bench, _say: Say) -> Measured:
    """Shares of the oracle's area in crawls as in benchmarks.quality.harvest: 16 connections, rests, the default page scorer."""
    plan = section.plan
    policies = str(plan["policies"]).split(",")
    fixed = {"repeats": plan["repeats"], "connections": plan["connections"]}
    place, own = bench.corpora / plan["web"], {"processes": bench.processes, "cache": bench.cache}
    config = harvest.plan_of(place, plan["topic"], policies, pages=plan["pages"], **fixed, **own)
    found = zip(policies, harvest.shares(config), strict=True)
    digest = {"plan": _plan_digest(plan), **_web_digest(plan, bench.corpora)}
    return Measured(digest, {policy: _rounded({"share": share}) for policy, share in found})


def figures_of(results: Results) -> Figures:
    """By policy: auc_perfect, and discovery at the last checkpoint; means over the seed sets."""
    return {one.policy: _rounded(_named(one)) for one in results.policies}


def rehearsal_plan(plan: Mapping[str, Any], bench: Bench, scorer: str, policies: tuple[str, ...]) -> RehearsalConfig:
    """The plan of a section as rehearse() takes it, without the delays of politeness."""
    web, labels = plan["web"], plan.get("labels", "")
    return RehearsalConfig(
        web=web if web.startswith(SYNTHETIC) else str(bench.corpora / web),
        options=Options(
            topic=plan["topic"], page_scorer=scorer, seed=plan["seed"], delay_min=0.0, delay_factor=0.0, delay_max=0.0
        ),
        labels=bench.corpora / labels if labels else None,
        policies=policies,
        checkpoints=tuple(plan["checkpoints"]),
        repeats=plan["repeats"],
        processes=bench.processes,
        cache=bench.cache,
    )


def _named(one: PolicyFigures) -> dict[str, float]:
    return {"auc": one.auc_perfect.value, "discovery": one.discovery[max(one.discovery)].value}


def _extraction(corpora: Path, wanted: Figures) -> Figures:
    """The share of right titles and the F1 of bodies, for the groups of pages that have floors."""
    scores = extraction.measure(extraction.read_ours, corpora)
    return {
        group: _rounded({figure: float(getattr(scores[group], figure)) for figure in named})
        for group, named in wanted.items()
    }


def _rounded(named: Mapping[str, float]) -> dict[str, float]:
    return {figure: round(value, DECIMALS) for figure, value in named.items()}


# --- digests ---------------------------------------------------------------------------------------


def _files(plan: Mapping[str, Any], corpora: Path) -> list[Path]:
    if plan.get("kind") in ("extraction", "dates_gold"):
        return [corpora / "extraction" / "dev" / "gold.jsonl"]
    names = [plan.get("web", ""), plan.get("labels", "")]
    return [corpora / name for name in names if name and not name.startswith(SYNTHETIC)]


def _plan_digest(plan: Mapping[str, Any]) -> str:
    return _digest([json.dumps(plan, sort_keys=True).encode()])


def _judged_digest(plan: Mapping[str, Any], bench: Bench) -> dict[str, str]:
    files = {part: _file_digest(bench.corpora / plan[part]) for part in ("web", "labels") if part in plan}
    return {"plan": _plan_digest(plan), **files}


def _web_digest(plan: Mapping[str, Any], corpora: Path) -> dict[str, str]:
    if plan["web"].startswith(SYNTHETIC):
        return _made_digest(plan["web"].removeprefix(SYNTHETIC))
    return {"web": _file_digest(corpora / plan["web"]), "labels": _file_digest(corpora / plan["labels"])}


@cache
def _made_digest(spec: str) -> dict[str, str]:
    """Digests of all pages' bytes, and of their truth; it takes 0.4 ms a page, and the synthetic webs of floors are small."""
    web = SyntheticWeb.read(spec)
    pages, truths = blake2b(digest_size=8), blake2b(digest_size=8)
    for url, truth in web.labels():
        response = web.find(url)
        pages.update(f"{url}\0{response.status if response else 0}\0".encode() + (response.body if response else b""))
        truths.update(f"{url}\0{truth.kind}\0{','.join(truth.topics)}\n".encode())
    return {"web": pages.hexdigest(), "labels": truths.hexdigest()}


def _gold_digest(corpora: Path) -> dict[str, str]:
    pages = (body for _record, body in extraction.gold_pages(corpora))
    return {
        "web": _digest(pages),
        "labels": _file_digest(corpora / "extraction" / "dev" / "gold.jsonl"),
    }


@cache
def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return _digest(iter(lambda: file.read(_CHUNK), b""))


def _digest(parts: Iterable[bytes]) -> str:
    digest = blake2b(digest_size=8)
    for part in parts:
        digest.update(part)
    return digest.hexdigest()
