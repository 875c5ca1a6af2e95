"""Results as files (results.json, results.csv, machine.json) and as tables for a terminal."""

from __future__ import annotations

import csv
import io
import json
import tempfile
from typing import TYPE_CHECKING, Any

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.rehearsal.evaluation.comparisons import NOT_EVIDENCE, display_names
from topicspider.rehearsal.evaluation.measures import SHARES
from topicspider.rehearsal.evaluation.results import plain
from topicspider.text.csv_escape import escape_formula
from topicspider.text.terminal import fit, table, width, wrap

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from topicspider.rehearsal.evaluation.results import (
        Checkpoint,
        Comparison,
        MachineFigures,
        Mean,
        PolicyFigures,
        Results,
        RunFigures,
        Setting,
    )


FORMAT = 2
_COLUMNS = (
    "policy", "server_policy", "repeat", "pages", "reached", "hits", "misses", "precision", "discovery", "targets", "hosts",
    "hosts_with_hits", "seconds", "auc_perfect", "auc_oracle", "topic", "web", "judged_by", "evidence",
)  # fmt: skip


def make_folder(folder: Path) -> None:
    """Make ``folder`` and see that files can be written there; raises ConfigError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def write_results(folder: Path, results: Results, machine: MachineFigures) -> None:
    """Write every file into ``folder``, each whole or not at all; raises ConfigError."""
    make_folder(folder)
    write_file(folder / "results.json", results_json(results))
    write_file(folder / "results.csv", results_csv(results))
    write_file(folder / "machine.json", _document(results, machine))


def results_json(results: Results) -> bytes:
    """Everything, keys sorted, in UTF-8."""
    return _document(results, results)


def results_csv(results: Results) -> bytes:
    """A line for each policy, repeat and checkpoint; with the mark that makes spreadsheets read it as UTF-8."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(_COLUMNS)
    for policy in results.policies:
        for run in policy.runs:
            table.writerows([_cell(value) for value in _row(results, run, point)] for point in run.checkpoints)
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "replace")  # a file's name may be no text


def write_file(path: Path, data: bytes) -> None:
    """Write a file of the report, whole or not at all; raises ConfigError."""
    try:
        atomic_write(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError("--out", str(path), f"a place that can be written ({error.strerror})")


def _document(results: Results, record: object) -> bytes:
    data: dict[str, Any] = {"format": FORMAT, **plain(record)}
    if not results.setting.is_evidence:
        data["notice"] = NOT_EVIDENCE.en
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode("utf-8", "replace")


def _row(results: Results, run: RunFigures, point: Checkpoint) -> tuple[object, ...]:
    setting = results.setting
    known = run.targets > 0
    return (
        run.policy, run.server_policy, run.repeat, point.pages, "yes" if point.reached else "no", point.hits, point.misses,
        point.precision, point.discovery if known else "", run.targets if known else "", point.hosts, point.hosts_with_hits,
        point.seconds, run.auc_perfect, "" if run.auc_oracle is None else run.auc_oracle, setting.topic, setting.web,
        setting.judged_by, "yes" if setting.is_evidence else NOT_EVIDENCE.en,
    )  # fmt: skip


def _cell(value: object) -> object:
    """Numbers as they are; a text that a spreadsheet would take for a formula gets an apostrophe."""
    return escape_formula(value) if isinstance(value, str) else plain(value)


COLUMNS = 80


def result_table(results: Results, *, chinese: bool = False) -> str:
    """What was rehearsed, precision and discovery at the checkpoints, areas, pages for shares of the targets, pairs, notes."""
    labels = [fit(label, 28) for label in display_names(results.policies)]
    parts = [_heading(results.setting, chinese=chinese)]
    parts.append(_precision(results, labels, chinese=chinese))
    if any(run.targets for policy in results.policies for run in policy.runs):
        parts.append(_discovery(results, labels, chinese=chinese))
    parts.append(_summary(results, labels, chinese=chinese))
    comparisons = [comparison_line(one, chinese=chinese) for one in results.comparisons[:12]]
    if comparisons:
        parts.append("\n".join(part for line in comparisons for part in wrap(line, COLUMNS)))
    notes = [note.zh if chinese else note.en for note in results.notes]
    if notes:
        parts.append("\n".join(line for note in notes for line in wrap(f"! {note}", COLUMNS)))
    return "\n\n".join(parts)


def comparison_line(one: Comparison, *, chinese: bool) -> str:
    """``ipagerank beats bfs on 9 of 10 seed sets, +0.21 ± 0.04``; what may be chance is not called a win."""
    gain = f"{one.difference.value:+.3f}"
    if one.difference.is_with_interval:
        gain += f" ± {one.difference.half_width:.3f}"
    is_clear = one.difference.value > one.difference.half_width
    if one.ties == one.count:
        return f"{one.winner} 与 {one.loser} 持平" if chinese else f"{one.winner} and {one.loser} are equal"
    if chinese:
        ties = f"，{one.ties} 组持平" if one.ties else ""
        line = f"{one.winner} {'胜' if is_clear else '对'} {one.loser}：{one.count} 组种子中胜 {one.wins} 组{ties}，面积 {gain}"
        return line if is_clear else f"{line}，差别不明显"
    ties = f", {one.ties} equal" if one.ties else ""
    sets = "seed set" if one.count == 1 else "seed sets"
    line = f"{one.winner} {'beats' if is_clear else 'is ahead of'} {one.loser} on {one.wins} of {one.count} {sets}{ties}, {gain}"
    return line if is_clear else f"{line}: no clear difference"


def _heading(setting: Setting, *, chinese: bool) -> str:
    title = setting.topic_title.get("zh" if chinese else "en", "")
    topic = f"{setting.topic} ({title})" if title and title != setting.topic else setting.topic
    judge = setting.judged_by
    if not setting.is_evidence:
        judge += f"（{NOT_EVIDENCE.zh}）" if chinese else f" ({NOT_EVIDENCE.en})"
    pages, last = f"{setting.pages_in_web:,}", f"{max(setting.checkpoints):,}"
    if chinese:
        text = f"演练：{setting.web}（{pages} 页），主题 {topic}，评判：{judge}；每次抓 {last} 页，{setting.repeats} 组种子"
    else:
        sets = "seed set" if setting.repeats == 1 else "seed sets"
        text = f"Rehearsal of {setting.web} ({pages} pages), topic {topic}, judged by {judge}; {last} pages a run, {setting.repeats} {sets}"
    return "\n".join(wrap(text, COLUMNS))


def _precision(results: Results, labels: Sequence[str], *, chinese: bool) -> str:
    title = "准确率 %：抓到的页面中命中的比例" if chinese else "Precision in %: hits among the pages fetched so far"
    return f"{title}\n{_at_checkpoints(results, labels, lambda one: one.precision, chinese=chinese)}"


def _discovery(results: Results, labels: Sequence[str], *, chinese: bool) -> str:
    title = "发现率 %：已找到的目标的比例" if chinese else "Discovery in %: the share of all targets that was found"
    return f"{title}\n{_at_checkpoints(results, labels, lambda one: one.discovery, chinese=chinese)}"


def _at_checkpoints(
    results: Results,
    labels: Sequence[str],
    figure: Callable[[PolicyFigures], Mapping[int, Mean]],
    *,
    chinese: bool,
) -> str:
    """A row a policy, a column a checkpoint; as many checkpoints as fit, the first and the last among them."""
    columns = {
        point: [f"{point:,}", *(_percent(figure(one)[point]) for one in results.policies)]
        for point in results.setting.checkpoints
    }
    names = ["页数" if chinese else "pages", *labels]
    points = _fitting(
        {point: max(map(width, cells)) for point, cells in columns.items()}, COLUMNS - max(map(width, names))
    )
    rows = list(zip(names, *(columns[point] for point in points), strict=True))
    return table(rows, right=range(1, len(points) + 1), columns=COLUMNS, gap=2)


def _fitting(widths: Mapping[int, int], room: int) -> list[int]:
    """The most of the checkpoints, evenly spread, that fit in ``room`` columns."""
    points = list(widths)
    for count in range(len(points), 1, -1):
        chosen = [points[round(i * (len(points) - 1) / (count - 1))] for i in range(count)]
        if sum(widths[point] + 2 for point in chosen) <= room:
            return chosen
    return points[-1:]


def _summary(results: Results, labels: Sequence[str], *, chinese: bool) -> str:
    """Areas relative to perfect and to the oracle, pages for shares of the targets, hosts with hits."""
    if chinese:
        title = "收获曲线下的面积（对完美、对先知），找到各比例目标所需页数，有命中的主机数"
        names = ("", "对完美", "对先知", *(f"{share} %" for share in SHARES), "主机")
    else:
        title = "Area under the harvest curve, pages needed for a share of the targets, hosts with hits"
        names = ("", "of perfect", "of oracle", *(f"{share} %" for share in SHARES), "hosts")
    rows = [names]
    for label, one in zip(labels, results.policies, strict=True):
        pages = (_pages(one.pages_for[share]) for share in SHARES)
        rows.append((label, _area(one.auc_perfect), _area(one.auc_oracle), *pages, f"{one.hosts_with_hits.value:,.0f}"))
    return "\n".join([*wrap(title, COLUMNS), _narrowed(rows)])


def _narrowed(rows: Sequence[tuple[str, ...]]) -> str:
    """The table without empty columns, and with one blank between columns where two are too many."""
    kept = [i for i in range(len(rows[0])) if i == 0 or any(row[i] not in ("", "–") for row in rows[1:])]
    cells = [tuple(row[i] for i in kept) for row in rows]
    right = range(1, len(kept))
    widest = max(width(line) for line in table(cells, right=right, columns=10**6, gap=2).splitlines())
    return table(cells, right=right, columns=COLUMNS, gap=2 if widest <= COLUMNS else 1)


def _percent(mean: Mean) -> str:
    text = f"{100 * mean.value:.1f}"
    return f"{text}±{100 * mean.half_width:.1f}" if mean.is_with_interval else text


def _area(mean: Mean | None) -> str:
    if mean is None:
        return "–"
    return f"{mean.value:.3f}±{mean.half_width:.3f}" if mean.is_with_interval else f"{mean.value:.3f}"


def _pages(mean: Mean | None) -> str:
    return "–" if mean is None else f"{mean.value:,.0f}"
