"""Days of publication are at least as right as benchmarks/quality/floors.json says."""

from __future__ import annotations

import pytest

from benchmarks.quality import dates, extraction
from benchmarks.quality.floors_file import read_floors
from benchmarks.quality.measuring import Bench, measure, missing

SECTIONS = {section.name: section for section in read_floors().sections if section.corpus == "dates"}


@pytest.mark.parametrize("name", ["dates", "dates/gold"])
def test_days_are_not_below_their_floor(name, tmp_path):
    section = SECTIONS[name]
    if missing(section, extraction.corpora()):
        pytest.skip("no gold pages: set TOPICSPIDER_CORPORA to measure them")
    measured = measure(section, Bench(extraction.corpora(), None, 1), print)
    assert measured.digest == section.digest
    for group, floors in section.floors.items():
        assert measured.figures[group]["date"] >= floors["date"] - section.tolerance["date"]


def test_there_are_more_than_sixty_forms_and_the_goal_is_reached():
    days = dates.measure_forms(dates.read_ours)
    assert days.pages >= 60
    assert days.date >= 0.95
