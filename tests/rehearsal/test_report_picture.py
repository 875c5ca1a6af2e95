"""The main chart as a picture: the same bytes each time, Chinese where it can be written, and a line that says so where not."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise
from xml.etree import ElementTree as ET

import pytest

from tests.rehearsal.made_results import MACHINE, SKILL, results
from topicspider.rehearsal.report import write
from topicspider.rehearsal.report.curves import hits_by_pages, hits_by_seconds, page_axis, recall_by_pages
from topicspider.rehearsal.report.fonts import chinese_font
from topicspider.rehearsal.report.picture import harvest_png, harvest_svg
from topicspider.rehearsal.report.write import NO_CHINESE_FONT, write_report

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def svg():
    return harvest_svg(results())


def texts(svg):
    return [element.text for element in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_the_svg_is_the_same_bytes_each_time(svg):
    assert harvest_svg(results()) == svg


def test_the_svg_does_not_depend_on_the_settings_of_the_user(svg):
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 30, "axes.grid": True, "svg.fonttype": "path"}):
        assert harvest_svg(results()) == svg


def test_the_svg_names_every_policy_as_text_in_both_languages(svg):
    said = texts(svg)
    assert "Breadth-first  宽度优先" in said
    assert "Tourism: pages on topic found 旅游：找到的相关页面" in said
    assert sum(name.startswith(("IPageRank", "Oracle", "RW")) for name in said) == 3
    assert len(said) > len(SKILL)
    assert b"Noto Sans CJK SC" in svg
    assert b"<image" not in svg


def test_names_at_the_ends_of_lines_do_not_cover_each_other(svg):
    names = [
        e
        for e in ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        if "  " in (e.text or "") or e.text in ("PageRank", "OPIC")
    ]
    heights = sorted(float(e.get("y")) for e in names if float(e.get("x", 0)) > 480)
    assert len(heights) >= len(SKILL) - 1
    assert min(b - a for a, b in pairwise(heights)) > 9


@pytest.mark.parametrize("title", ["$x$ & <b>", "$\\frac{", "旅游\n\x00游", "€" * 500])
def test_any_title_is_only_text(title):
    drawn = harvest_svg(results(("bfs", "rw"), topic_title={"en": title, "zh": title}, web=title))
    assert ET.fromstring(drawn).tag == "{http://www.w3.org/2000/svg}svg"


def test_a_self_judged_chart_says_so():
    assert "self-judged, not evidence  自评，不可作为证据" in texts(
        harvest_svg(results(is_evidence=False, judged_by="bm25"))
    )


def test_the_png_is_a_png_with_chinese_or_without():
    without = harvest_png(results(), None)
    assert without.startswith(PNG)
    assert harvest_png(results(), None) == without
    font = chinese_font()
    if font is not None:
        drawn = harvest_png(results(), font)
        assert drawn.startswith(PNG)
        assert drawn != without


def test_without_a_font_one_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(write, "chinese_font", lambda: None)
    assert write_report(tmp_path, results(("bfs", "rw")), MACHINE) == [NO_CHINESE_FONT]
    assert (tmp_path / "harvest.png").read_bytes().startswith(PNG)
    assert "\n" not in NO_CHINESE_FONT


def test_a_file_that_only_has_the_name_of_a_chinese_font_is_none(tmp_path):
    import matplotlib as mpl

    false = tmp_path / "NotoSansCJK-Regular.ttc"
    false.write_bytes(b"no font")
    latin = tmp_path / "SimHei.ttf"
    latin.write_bytes((mpl.get_data_path() + "/fonts/ttf/DejaVuSans.ttf").encode())
    assert chinese_font([str(false), str(latin), str(tmp_path / "msyh.ttc")]) is None


def test_lines_pass_through_the_curve_and_stop_where_all_runs_have_ended():
    (policy,) = results(("bfs",), 1, ended_at={"bfs": 700}).policies
    axis = [0, 10, 20, 500, 700, 720]
    line = hits_by_pages(policy, axis)
    by_pages = {pages: hits for pages, hits, _seconds in policy.runs[0].curve}
    assert line.mean[0] == 0
    assert line.mean[1] == pytest.approx((by_pages[0] + by_pages[20]) / 2)
    assert line.mean[2:5] == [by_pages[20], by_pages[500], by_pages[700]]
    assert line.mean[5] is None
    assert recall_by_pages(policy, axis).mean[4] == pytest.approx(100 * by_pages[700] / 800, abs=0.01)
    assert hits_by_seconds(policy, [100.0, 140.0, 141.0]).mean == [by_pages[500], by_pages[700], None]


def test_the_band_reaches_from_the_lowest_repeat_to_the_highest():
    (policy,) = results(("learned",)).policies
    line = hits_by_pages(policy, [500])
    at_500 = [run.checkpoints[0].hits for run in policy.runs]
    assert (line.low, line.high) == ([min(at_500)], [max(at_500)])
    assert line.mean == [pytest.approx(sum(at_500) / 3, abs=0.01)]


def test_the_axis_holds_every_checkpoint():
    made = results(("bfs",), 1)
    assert set(made.setting.checkpoints) <= set(page_axis(made.policies, made.setting.checkpoints))


def test_a_crawl_does_not_import_what_only_reports_need():
    code = (
        "import sys, topicspider.commands.crawl, topicspider.commands.rehearse, topicspider.rehearsal.report.write;"
        "sys.exit(bool({'matplotlib', 'jinja2', 'PIL'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
