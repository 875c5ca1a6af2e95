"""Figures of the papers' experiments: one look, and the same bytes for the same numbers.

matplotlib is imported when a figure is begun, not before: numbers can be had without it.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Told apart without colour too: colours of Okabe, Ito 2008, each with its own dashes.
STYLES: tuple[tuple[str, str], ...] = (
    ("#000000", "-"),
    ("#0072b2", "--"),
    ("#d55e00", "-."),
    ("#009e73", "-"),
    ("#cc79a7", ":"),
    ("#e69f00", "--"),
)


def begin(columns: int, width: float = 4.2, height: float = 3.6) -> tuple[Figure, list[Axes]]:
    """A row of ``columns`` charts, each ``width`` x ``height`` inches, with a light grid."""
    import matplotlib as mpl

    mpl.use("Agg")
    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "topicspider", "font.size": 9})
    from matplotlib.figure import Figure

    figure = Figure(figsize=(columns * width, height), layout="constrained")
    charts = [figure.add_subplot(1, columns, number + 1) for number in range(columns)]
    for chart in charts:
        chart.grid(alpha=0.25)
        chart.spines[["top", "right"]].set_visible(False)
    return figure, charts


def save(figure: Figure, path: Path) -> None:
    """Write ``path`` as SVG, without a date."""
    figure.savefig(path, format="svg", metadata={"Date": None})
