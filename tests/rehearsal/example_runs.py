"""A judge and runs written down by hand, for the tests of measures and results."""

from __future__ import annotations

from topicspider.rehearsal.evaluation.labels import Labels, Verdict
from topicspider.rehearsal.evaluation.measures import Setting
from topicspider.rehearsal.simulator.simulator import Fetched, Run


def u(name, site="a"):
    return f"http://{site}.example/{name}"


def written_labels(hits, misses=(), *, labelled=0, unmatched=0):
    """Hits and misses by name; anything else is neither. ``unmatched`` of ``labelled`` labels match no page."""
    verdicts = dict.fromkeys(misses, Verdict.MISS) | dict.fromkeys(hits, Verdict.HIT)
    return Labels("by hand", True, "judge", verdicts, labelled, unmatched)


def run_of(urls, *, seeds=(), policy="bfs", repeat=0, simhashes=(), **more):
    """A run that fetched ``urls``, one every two virtual seconds."""
    marks = tuple(simhashes) or (0,) * len(urls)
    fetched = tuple(Fetched(url, 0.5, True, 1, 2.0 * (i + 1), marks[i]) for i, url in enumerate(urls))
    more = {"seconds": 2.0 * len(fetched), "pruned": {"low_rw": 3}, "links": 9, "dead": 1} | more
    return Run(policy=policy, repeat=repeat, seeds=tuple(seeds), fetched=fetched, **more)


def setting_of(**more):
    known = {
        "web": "小网.warc", "web_digest": "web", "pages_in_web": 12345, "topic": "tourism", "topic_digest": "topic",
        "topic_title": {"zh": "旅游", "en": "Tourism"}, "judged_by": "标注.jsonl", "is_evidence": True, "labels_digest": "labels",
        "checkpoints": (2, 4), "repeats": 1, "start_pages": (u(""),), "seed": 0, "version": "1",
        "options": {"page_scorer": "vsm", "server_policy": "quality", "delay_min": 0.0},
    }  # fmt: skip
    return Setting(**(known | more))
