"""Writes a rehearsal's report into a folder: report.html, harvest.svg, harvest.png."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicspider.rehearsal.evaluation.result_files import make_folder, write_file
from topicspider.rehearsal.report.fonts import chinese_font
from topicspider.rehearsal.report.page import report_page
from topicspider.rehearsal.report.picture import harvest_png, harvest_svg

if TYPE_CHECKING:
    from pathlib import Path

    from topicspider.rehearsal.evaluation.results import MachineFigures, Results

REPORT_HTML, HARVEST_SVG, HARVEST_PNG = "report.html", "harvest.svg", "harvest.png"
NO_CHINESE_FONT = (
    "no font with Chinese was found here, so harvest.png has English labels only; report.html and harvest.svg have both "
    "(on Debian or Ubuntu: apt-get install fonts-noto-cjk)"
)


def write_report(folder: Path, results: Results, machine: MachineFigures) -> list[str]:
    """Write the three files, each whole or not at all; gives what the user should be told of them, a line each. Raises ConfigError.

    harvest.svg is the same bytes for the same results on every machine. report.html shows ``machine`` too, and harvest.png
    is drawn with this machine's fonts: they may differ.
    """
    make_folder(folder)
    font = chinese_font()
    write_file(folder / REPORT_HTML, report_page(results, machine).encode("utf-8", "replace"))
    write_file(folder / HARVEST_SVG, harvest_svg(results))
    write_file(folder / HARVEST_PNG, harvest_png(results, font))
    return [] if font else [NO_CHINESE_FONT]
