"""Results as files: results.json, results.csv, a harvestinfo.csv for each policy, machine.json.

All but machine.json are the same bytes whenever the same thing is rehearsed, on every machine.
"""

from __future__ import annotations

import csv
import io
import json
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicspider.errors import ConfigError
from topicspider.files import atomic_write
from topicspider.rehearsal.evaluation.comparisons import display_names
from topicspider.rehearsal.evaluation.notes import NOT_EVIDENCE
from topicspider.rehearsal.evaluation.results import plain
from topicspider.rehearsal.simulator.policies import POLICY_NAMES
from topicspider.text.csv_escape import escape_formula

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from topicspider.rehearsal.evaluation.results import Checkpoint, MachineFigures, Results, RunFigures

FORMAT = 2
SELF_JUDGED = ".self-judged-not-evidence"
"""Ends the name of a policy's folder where no independent label judged: its file has no room to say so."""

RESULTS_JSON, RESULTS_CSV, HARVEST_CSV, MACHINE_JSON = "results.json", "results.csv", "harvestinfo.csv", "machine.json"
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


def write_results(folder: Path, results: Results, machine: MachineFigures) -> list[Path]:
    """Write every file into ``folder``, each whole or not at all; returns their paths. Raises ConfigError.

    Of an earlier rehearsal there, the harvestinfo.csv of policies and seed sets that are no more are removed.
    """
    make_folder(folder)
    contents = {folder / RESULTS_JSON: results_json(results), folder / RESULTS_CSV: results_csv(results)}
    contents |= {folder / path: harvest_csv(run) for path, run in _harvest_files(results)}
    contents[folder / MACHINE_JSON] = _document(results, machine)
    _remove_old(folder, kept=contents)
    for path, data in contents.items():
        write_file(path, data)
    return list(contents)


def _harvest_files(results: Results) -> Iterator[tuple[Path, RunFigures]]:
    """Where each run's file stands below the folder: one a policy, as ACHE has it; further seed sets stand below it."""
    ending = "" if results.setting.is_evidence else SELF_JUDGED
    for label, policy in zip(display_names(results.policies), results.policies, strict=True):
        for number, run in enumerate(policy.runs):
            own = Path(f"{label}{ending}")
            yield (own if number == 0 else own / f"repeat-{run.repeat}") / HARVEST_CSV, run


def _remove_old(folder: Path, kept: Collection[Path]) -> None:
    """Remove harvestinfo.csv from folders called after a policy, and such folders that are empty then; nothing else."""
    for path in [*folder.glob(f"*/{HARVEST_CSV}"), *folder.glob(f"*/repeat-*/{HARVEST_CSV}")]:
        policy = path.relative_to(folder).parts[0].removesuffix(SELF_JUDGED).partition("+")[0]
        if policy in POLICY_NAMES and path not in kept:
            with suppress(OSError):  # not ours to remove, or the folder is not empty
                path.unlink()
                path.parent.rmdir()
                if path.parent.parent != folder:
                    path.parent.parent.rmdir()


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


def harvest_csv(run: RunFigures) -> bytes:
    """The run as ACHE writes data_monitor/harvestinfo.csv: relevant pages, pages, milliseconds; tabs, no header.

    One line for each point of the curve but the first, where ACHE has one for each page; time is virtual, from 0.
    """
    lines = (f"{hits}\t{pages}\t{round(seconds * 1000)}\n" for pages, hits, seconds in run.curve if pages)
    return "".join(lines).encode()


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
