"""Finds the most independent judge there is: labels, else a made web's truth, else another scorer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.rehearsal.judges.labels import LabelsFile, MadeTruth, SelfJudge
from topicspider.rehearsal.webs.web import MADE

if TYPE_CHECKING:
    from pathlib import Path

    from topicspider.rehearsal.judges.labels import Judge
    from topicspider.rehearsal.pages.answers import ReadWeb
    from topicspider.topic.profile import TopicProfile


def find_judge(labels: Path | None, spec: str, web: ReadWeb, profile: TopicProfile, guide: str) -> Judge:
    """The judge of ``web`` (called ``spec``) for the topic of ``profile``; ``guide``: the page scorer that must not judge itself.

    Raises ConfigError when there is nothing to find: labels that match no page, a topic without a page on it.
    """
    if labels is not None:
        return LabelsFile.read(labels, profile.topic.name, web)
    if spec.startswith(MADE):
        from topicspider.rehearsal.made.web import MadeWeb

        return MadeTruth(MadeWeb.read(spec[len(MADE) :]), profile.topic.name)
    return SelfJudge(profile, guide, web)
