"""Results as a file (results.json) and as a table for a terminal."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.i18n import N_, language, ngettext
from topicspider.i18n import gettext as _
from topicspider.rehearsal.evaluation.measures import NOT_EVIDENCE, Comparison, Mean, Results, Setting, plain
from topicspider.text.terminal import table, wrap

COLUMNS = 80


def make_folder(folder: Path) -> None:
    """Make ``folder`` and check that files can be written there; raises ConfigError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise _unwritable(folder, error) from None


def results_json(results: Results) -> bytes:
    """The contents of results.json, in UTF-8, keys sorted."""
    data: dict[str, Any] = {"format": 3, **plain(results)}
    if not results.setting.is_evidence:
        data["notice"] = NOT_EVIDENCE
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, allow_nan=False, separators=(",", ":"))
    return f"{text}\n".encode("utf-8", "replace")


def write_file(path: Path, data: bytes) -> None:
    """Write a file of the report, completely or not at all; raises ConfigError."""
    try:
        atomic_write(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError("--out", str(path), _("a place that can be written ({why})", why=error.strerror))


def result_table(results: Results) -> str:
    """What a rehearsal found, in lines of at most 80 columns; only the files have the figures at all checkpoints."""
    comparisons = map(comparison_line, results.comparisons[:12])
    notes = [f"! {note}" for note in results.notes]
    texts = ("\n".join(part for line in lines for part in wrap(line, COLUMNS)) for lines in (comparisons, notes))
    return "\n\n".join([_heading(results.setting), _summary(results), *filter(None, texts)])


def comparison_line(one: Comparison) -> str:
    """``ipagerank beats bfs on 9 of 10 seed sets, +0.21 ± 0.04``; a difference that may be chance is not called a win."""
    if one.ties == one.count:
        return _("{winner} and {loser} are equal", winner=one.winner, loser=one.loser)
    gain = f"{one.difference.value:+.3f}"
    if one.difference.is_with_interval:
        gain += f" ± {one.difference.half_width:.3f}"
    is_clear = round(one.difference.value, 3) > one.difference.half_width  # rounded as shown: +0.000 is no win
    words = (
        N_("{winner} beats {loser} on {wins} of {sets}{ties}, {gain}")
        if is_clear
        else N_("{winner} is ahead of {loser} on {wins} of {sets}{ties}, {gain}: no clear difference")
    )
    ties = _(", {ties} equal", ties=one.ties) if one.ties else ""
    sets = _seed_sets(one.count)
    return _(words, winner=one.winner, loser=one.loser, wins=one.wins, sets=sets, ties=ties, gain=gain)


def _seed_sets(count: int) -> str:
    return ngettext("{count} seed set", "{count} seed sets", count)


def _heading(setting: Setting) -> str:
    title = setting.topic_title.get(language(), "")
    judge = setting.judged_by + ("" if setting.is_evidence else _(" ({notice})", notice=_(NOT_EVIDENCE)))
    text = _(
        "Rehearsal of {web} ({pages:,} pages), topic {topic}, judged by {judge}; {last:,} pages a run, {sets}",
        web=setting.web,
        pages=setting.pages_in_web,
        topic=f"{setting.topic} ({title})" if title not in ("", setting.topic) else setting.topic,
        judge=judge,
        last=max(setting.checkpoints),
        sets=_seed_sets(setting.repeats),
    )
    return "\n".join(wrap(text, COLUMNS))


def _summary(results: Results) -> str:
    """A table with a row for each policy: its figures at the last checkpoint, and over the whole run."""
    last = max(results.setting.checkpoints)
    words = N_(
        "After {last:,} pages, in %: precision, discovery, area under the harvest curve (of a perfect crawl's, of the oracle's)"
    )
    rows: list[tuple[str, ...]] = [("", _("precision"), _("discovery"), _("perfect"), _("oracle"))]
    for one in results.policies:
        shares = (one.precision[last], one.discovery[last], one.auc_perfect, one.auc_oracle)
        rows.append((one.policy, *map(_percent, shares)))
    return "\n".join([*wrap(_(words, last=last), COLUMNS), table(rows, right=range(1, 5), columns=COLUMNS, gap=1)])


def _percent(mean: Mean | None) -> str:
    if mean is None:
        return "–"
    text = f"{100 * mean.value:.1f}"
    return f"{text}±{100 * mean.half_width:.1f}" if mean.is_with_interval else text
