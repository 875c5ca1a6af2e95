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

from topicspider.errors import ConfigError, RecordingError
from topicspider.rehearsal.evaluation.comparisons import labels_of
from topicspider.rehearsal.evaluation.notes import NOT_EVIDENCE
from topicspider.rehearsal.evaluation.result_records import plain, restored
from topicspider.rehearsal.evaluation.results import Results
from topicspider.text.csv_escape import escape_formula
from topicspider.whole_file import write_whole

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from topicspider.rehearsal.evaluation.results import Checkpoint, MachineFigures, RunFigures

FORMAT = 1
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


def write_results(folder: Path, results: Results, machine: MachineFigures | None = None) -> list[Path]:
    """Write every file into ``folder``, each whole or not at all; gives their paths. Raises ConfigError.

    Of the results that lay there before, the files of policies and seed sets that are no more are removed.
    """
    make_folder(folder)
    contents = {folder / RESULTS_JSON: results_json(results), folder / RESULTS_CSV: results_csv(results)}
    contents |= {folder / path: harvest_csv(run) for path, run in _harvest_files(results)}
    if machine is not None:
        contents[folder / MACHINE_JSON] = _document({"format": FORMAT, **_notice(results), **plain(machine)})
    _remove_old(folder, kept=contents)  # first: after the new results.json nobody knows what there was
    for path, data in contents.items():
        write_file(path, data)
    return list(contents)


def _harvest_files(results: Results) -> Iterator[tuple[Path, RunFigures]]:
    """Where each run's file stands below the folder: one a policy, as ACHE has it; further seed sets stand below it."""
    ending = "" if results.setting.is_evidence else SELF_JUDGED
    for label, policy in zip(labels_of(results.policies), results.policies, strict=True):
        own = Path(f"{label}{ending}")
        for number, run in enumerate(policy.runs):
            yield (own if number == 0 else own / f"repeat-{run.repeat}") / HARVEST_CSV, run


def _remove_old(folder: Path, kept: Collection[Path]) -> None:
    """Remove the runs' files that the results.json in ``folder`` names, and the folders that are empty then; nothing else."""
    try:
        named = [path for path, _run in _harvest_files(read_results(folder / RESULTS_JSON))]
    except RecordingError:  # there is none, or somebody else's
        return
    # a name in a file that anybody may have written must not lead out of the folder
    inside = [path for path in named if not path.is_absolute() and ".." not in path.parts and len(path.parts) <= 3]
    for path in inside:
        if folder / path not in kept:
            with suppress(OSError, ValueError):  # not there, or not ours to remove
                (folder / path).unlink()
    for parent in sorted({folder / above for path in inside for above in path.parents[:-1]}, reverse=True):
        with suppress(OSError, ValueError):  # not empty, or not there
            parent.rmdir()


def read_results(path: Path) -> Results:
    """The results in a results.json, equal to those written (see result_records.rounded); raises RecordingError."""
    try:
        data = json.loads(path.read_bytes())
        if data["format"] != FORMAT:
            raise ValueError(f"format {data['format']}, not {FORMAT}")
        return restored(Results, data)
    except OSError as error:
        raise RecordingError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise RecordingError(f"{path} is no {RESULTS_JSON} of a rehearsal ({type(error).__name__}: {error})") from None


def results_json(results: Results) -> bytes:
    """Everything, keys sorted, in UTF-8."""
    return _document({"format": FORMAT, **_notice(results), **plain(results)})


def results_csv(results: Results) -> bytes:
    """A line for each policy, repeat and checkpoint; with the mark that makes spreadsheets read it as UTF-8."""
    text = io.StringIO(newline="")
    table = csv.writer(text)
    table.writerow(_COLUMNS)
    for policy in results.policies:
        for run in policy.runs:
            table.writerows([_cell(value) for value in _row(results, run, one)] for one in run.checkpoints)
    return b"\xef\xbb\xbf" + text.getvalue().encode("utf-8", "replace")  # a file's name may be no text


def harvest_csv(run: RunFigures) -> bytes:
    """The run as ACHE writes data_monitor/harvestinfo.csv: relevant pages, pages, milliseconds; tabs, no header.

    One line for each point of the curve but the first, where ACHE has one for each page; time is virtual, from 0.
    """
    points = [(hits, pages, round(seconds * 1000)) for pages, hits, seconds in run.curve if pages]
    return "".join(f"{hits}\t{pages}\t{milliseconds}\n" for hits, pages, milliseconds in points).encode()


def write_file(path: Path, data: bytes) -> None:
    """Write a file of the report, whole or not at all; raises ConfigError."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise _unwritable(path, error) from None


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError("--out", str(path), f"a place that can be written ({error.strerror})")


def _notice(results: Results) -> dict[str, str]:
    return {} if results.setting.is_evidence else {"notice": NOT_EVIDENCE}


def _row(results: Results, run: RunFigures, one: Checkpoint) -> tuple[object, ...]:
    setting = results.setting
    known = run.targets > 0
    return (
        run.policy, run.server_policy, run.repeat, one.pages, "yes" if one.reached else "no", one.hits, one.misses,
        one.precision, one.discovery if known else "", run.targets if known else "", one.hosts, one.hosts_with_hits,
        one.seconds, run.auc_perfect, "" if run.auc_oracle is None else run.auc_oracle, setting.topic, setting.web,
        setting.judged_by, "yes" if setting.is_evidence else NOT_EVIDENCE,
    )  # fmt: skip


def _cell(value: object) -> object:
    """Numbers as they are; a text that a spreadsheet would take for a formula gets an apostrophe."""
    return escape_formula(value) if isinstance(value, str) else plain(value)


def _document(data: dict[str, Any]) -> bytes:
    return f"{''.join(_lines(data, 0))}\n".encode("utf-8", "replace")


def _lines(value: Any, depth: int) -> Iterator[str]:
    """JSON with objects over several lines and lists of plain values on one, so that curves do not fill the screen."""
    if isinstance(value, (dict, list)) and any(isinstance(one, (dict, list)) for one in _parts(value)):
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        yield opening
        names = [f"{_text(key)}: " for key in sorted(value)] if isinstance(value, dict) else [""] * len(value)
        for number, (name, part) in enumerate(zip(names, _parts(value), strict=True)):
            yield f"{',' if number else ''}\n{' ' * (depth + 1)}{name}"
            yield from _lines(part, depth + 1)
        yield f"\n{' ' * depth}{closing}"
    else:
        yield _text(value)


def _parts(value: dict[str, Any] | list[Any]) -> list[Any]:
    return [value[key] for key in sorted(value)] if isinstance(value, dict) else value


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, allow_nan=False)
