"""Results as a file (results.json) and as a table for a terminal."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.i18n import gettext as _
from topicspider.rehearsal.evaluation.measures import NOT_EVIDENCE
from topicspider.rehearsal.evaluation.results import Comparison, Mean, Results, Setting, plain
from topicspider.text.terminal import table, wrap

COLUMNS = 80


def make_folder(folder: Path) -> None:
    """Make ``folder`` and see that files can be written there; raises ConfigError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def write_results(folder: Path, results: Results) -> None:
    """Write results.json into ``folder``, whole or not at all; raises ConfigError."""
    make_folder(folder)
    write_file(folder / "results.json", results_json(results))


def results_json(results: Results) -> bytes:
    """Everything, keys sorted, in UTF-8."""
    data: dict[str, Any] = {"format": 3, **plain(results)}
    if not results.setting.is_evidence:
        data["notice"] = NOT_EVIDENCE.en
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode("utf-8", "replace")


def write_file(path: Path, data: bytes) -> None:
    """Write a file of the report, whole or not at all; raises ConfigError."""
    try:
        atomic_write(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError("--out", str(path), _("a place that can be written ({why})", why=error.strerror))


def result_table(results: Results, *, chinese: bool = False) -> str:
    """What a rehearsal found, in lines of at most 80 columns; the figures at all checkpoints stand in the files."""
    parts = [_heading(results.setting, chinese=chinese), _summary(results, chinese=chinese)]
    comparisons = [comparison_line(one, chinese=chinese) for one in results.comparisons[:12]]
    notes = [f"! {note.zh if chinese else note.en}" for note in results.notes]
    parts += [
        "\n".join(part for line in lines for part in wrap(line, COLUMNS)) for lines in (comparisons, notes) if lines
    ]
    return "\n\n".join(parts)


def comparison_line(one: Comparison, *, chinese: bool) -> str:
    """``ipagerank beats bfs on 9 of 10 seed sets, +0.21 ± 0.04``; what may be chance is not called a win."""
    gain = f"{one.difference.value:+.3f}"
    if one.difference.is_with_interval:
        gain += f" ± {one.difference.half_width:.3f}"
    is_clear = round(one.difference.value, 3) > one.difference.half_width  # as it is shown: no +0.000 is a win
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


def _summary(results: Results, *, chinese: bool) -> str:
    """A row a policy: how it stood at the last checkpoint, and over the whole run."""
    last = max(results.setting.checkpoints)
    if chinese:
        title = f"抓取 {last:,} 页后，单位 %：准确率、发现率，收获曲线下的面积（对完美、对先知）"
        names = ("", "准确率", "发现率", "对完美", "对先知")
    else:
        title = f"After {last:,} pages, in %: precision, discovery, area under the harvest curve (of a perfect crawl's, of the oracle's)"
        names = ("", "precision", "discovery", "perfect", "oracle")
    rows: list[tuple[str, ...]] = [names]
    for one in results.policies:
        shares = (one.precision[last], one.discovery[last], one.auc_perfect, one.auc_oracle)
        rows.append((one.policy, *map(_percent, shares)))
    return "\n".join([*wrap(title, COLUMNS), table(rows, right=range(1, len(names)), columns=COLUMNS, gap=1)])


def _percent(mean: Mean | None) -> str:
    if mean is None:
        return "–"
    text = f"{100 * mean.value:.1f}"
    return f"{text}±{100 * mean.half_width:.1f}" if mean.is_with_interval else text
