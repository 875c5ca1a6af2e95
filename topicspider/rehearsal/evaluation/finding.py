"""Finds the most independent judge there is: labels, else a made web's truth, else another scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.rehearsal.archive.web import SYNTHETIC
from topicspider.rehearsal.evaluation.labels import LabelsFile, ScorerLabels, SyntheticTruth

if TYPE_CHECKING:
    from pathlib import Path

    from topicspider.rehearsal.archive.page_features import ArchivedWeb
    from topicspider.rehearsal.evaluation.labels import Judge
    from topicspider.topic.profile import TopicProfile


def find_labels(labels: Path | None, spec: str, web: ArchivedWeb, profile: TopicProfile, guide: str) -> Judge:
    """The judge of ``web`` (called ``spec``) for the topic of ``profile``; ``guide``: the page scorer that must not judge itself.

    Raises ConfigError when there is nothing to find: labels that match no page, a topic without a page on it.
    """
    if labels is not None:
        return LabelsFile.read(labels, profile.topic.name, web)
    if spec.startswith(SYNTHETIC):
        from topicspider.rehearsal.synthetic.web import SyntheticWeb

        return SyntheticTruth(SyntheticWeb.read(spec[len(SYNTHETIC) :]), profile.topic.name)
    return ScorerLabels(profile, guide, web)
