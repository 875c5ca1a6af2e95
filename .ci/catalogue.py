"""Brings the catalogues in topicspider/locale up to date with the messages in the code, and compiles them.

Beside what stands in _(…) and N_(…), also in templates of the web page, these are messages: the literals that errors are made of (topicspider/errors.py looks them up), the
help of our commands with what Scrapy and argparse add to it (cli/command.py), and the complaints of argparse.

python .ci/catalogue.py          new messages are added without a translation, those that are gone are dropped
python .ci/catalogue.py --check  changes nothing; exit code 1 when something is missing, untranslated or not compiled
"""

from __future__ import annotations

import argparse
import ast
import io
import os
import re
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "topicspider"
sys.path.insert(0, str(ROOT))

from topicspider.download.outcome import Outcome  # noqa: E402 - of this checkout, wherever it is called from

KEYWORDS = {"_": None, "gettext": None, "N_": None, "ngettext": (1, 2)}
FLAG = re.compile(rb"^#, .*\n", re.MULTILINE)
FIELD = re.compile(r"\{(\w+)")


ERRORS = {
    "ConfigError": 2,
    "TopicError": 3,
    "UnknownTopic": 2,
    "BadRow": 2,
}  # where what is allowed stands; then the hint
ERRORS |= dict.fromkeys(
    (
        "UnavailableError",
        "StoreUnavailable",
        "StoreRefused",
        "FrontierUnavailable",
        "FrontierRefused",
        "RedisRefused",
        "NoSeedReachable",
    ),
    0,
)
ERRORS |= dict.fromkeys(("UsageError", "CrawlRunning", "RecordingError", "TopicSpiderError"), 0)
OF_OTHERS = (
    "argument %(argument_name)s: %(message)s", "invalid choice: %(value)r (choose from %(choices)s)", "expected one argument",
    "expected at least one argument", "the following arguments are required: %s", "unrecognized arguments: %s", "usage: ",
    "%(prog)s: error: %(message)s\n", "pages", "links", "seconds", "percent", "Invalid -a value, use -a NAME=VALUE", "Invalid -s value, use -s NAME=VALUE", "Usage",
    "Name or service not known", "Temporary failure in name resolution", "Connection refused", "Permission denied",
    "No such file or directory", "No space left on device", "Is a directory", "Network is unreachable",
    "Run quick benchmark test", "Check spider contracts", "Edit spider", "Fetch a URL using the Scrapy downloader",
    "Generate new spider using pre-defined templates", "Get settings values", "Interactive scraping console", "List available spiders",
    "Run a spider from a Python file, no project required", "Create new project", "Print Scrapy version",
    "Open URL in browser, as seen by Scrapy", "Parse URL (using its spider) and print the results", "Usage:", "Available commands:",
    'Use "{program} <command> -h" to see more info about a command',
)  # fmt: skip
OF_PRUNING = (
    "depth", "home", "host_denied", "host_not_allowed", "low_chance", "low_parent", "low_rw", "low_yield", "nofollow", "pagination", "trap_calendar",
    "trap_length", "trap_parameters", "trap_repeated", "trap_segments", "trap_shapes",
)  # fmt: skip
"""Why links were pruned; Outcome says why there was no page. The closing table has both."""


def messages_in_code() -> list[str | tuple[str, ...]]:
    found = extract_from_dir(PACKAGE, [("**.py", "python"), ("serve/templates/*.html", "jinja2")], keywords=KEYWORDS)
    messages = {message for _name, _line, message, _comments, _context in found}
    for path in PACKAGE.rglob("*.py"):
        messages |= set(of_errors(ast.parse(path.read_text(encoding="utf-8"))))
    return sorted({*messages, *OF_OTHERS, *OF_PRUNING, *map(str, Outcome), *of_help()}, key=str)


def of_errors(module: ast.Module) -> Iterator[str]:
    """The literals that are handed to errors, themselves or by a variable of this module."""
    assigned: dict[str, list[ast.expr]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                assigned.setdefault(target.id if isinstance(target, ast.Name) else "", []).append(node.value)
    for call in (node for node in ast.walk(module) if isinstance(node, ast.Call)):
        first = ERRORS.get(getattr(call.func, "id", getattr(call.func, "attr", "")))
        for argument in call.args[first:] if first is not None else ():
            values = assigned.get(argument.id, ()) if isinstance(argument, ast.Name) else [argument]
            for value in values:
                yield from _literals(value)


def _literals(node: ast.expr) -> Iterator[str]:
    """Text with words in it; of a choice, all."""
    if isinstance(node, ast.IfExp):
        yield from (*_literals(node.body), *_literals(node.orelse))
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.search("[A-Za-z'][A-Za-z] ", node.value):
        yield node.value


def of_help() -> Iterator[str]:
    """What ``--help`` of our commands has: theirs, Scrapy's and argparse's."""
    from scrapy.cmdline import ScrapyArgumentParser, _get_commands_from_module
    from scrapy.settings import Settings

    from topicspider.cli.command import PlainCommand

    os.environ["LC_ALL"] = "C"
    for command in _get_commands_from_module("topicspider.commands", inproject=True).values():
        if not isinstance(command, PlainCommand):
            continue
        command.settings = Settings({"LOG_LEVEL": "INFO"})
        parser = ScrapyArgumentParser(description=command.long_desc(), conflict_handler="resolve")
        command.add_options(parser)
        yield command.short_desc()
        yield from _of_parser(parser)
        if hasattr(getattr(command, "module", None), "actions"):
            yield from _of_parser(command.module.actions())


def _of_parser(parser: argparse.ArgumentParser) -> Iterator[str]:
    groups = [group.title for group in parser._action_groups]
    yield from filter(None, (parser.description, parser.epilog, *groups, *(action.help for action in parser._actions)))
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            yield from filter(None, (choice.help for choice in action._choices_actions))
            for own in action.choices.values():
                yield from _of_parser(own)


def updated(old: Catalog) -> Catalog:
    """The catalogue of today's messages, with the translations that there are; without dates, which would differ each time."""
    new = Catalog(locale=old.locale)
    for message in messages_in_code():
        known = old.get(message if isinstance(message, str) else message[0])
        text = known.string if known is not None else ""
        new.add(message, string=_as_plural(text) if isinstance(message, tuple) else text)
    return new


def _as_plural(text: str | tuple[str, ...]) -> tuple[str, ...]:
    return text if isinstance(text, tuple | list) else (text,)


def po_bytes(catalog: Catalog) -> bytes:
    out = io.BytesIO()
    write_po(out, catalog, width=0, no_location=True, sort_output=True, omit_header=True, include_previous=False)
    header = f'# Messages of topicspider in {catalog.locale}; `python .ci/catalogue.py` keeps them up to date\nmsgid ""\nmsgstr ""\n'
    header += (
        '"Content-Type: text/plain; charset=utf-8\\n"\n"Language: zh\\n"\n"Plural-Forms: nplurals=1; plural=0;\\n"\n\n'
    )
    return header.encode() + FLAG.sub(b"", out.getvalue())


def mo_bytes(po: bytes) -> bytes:
    out = io.BytesIO()
    catalog = read_po(io.BytesIO(po), locale="zh")
    catalog.creation_date = catalog.revision_date = datetime(
        2026, 1, 1, tzinfo=UTC
    )  # the same bytes whenever it is compiled
    write_mo(out, catalog)
    return out.getvalue()


def faults(catalog: Catalog) -> list[str]:
    """Messages without a translation, and translations with a field that the message has not."""
    found = []
    for message in catalog:
        if not message.id:
            continue
        ids = message.id if isinstance(message.id, tuple) else (message.id,)
        texts = message.string if isinstance(message.string, tuple) else (message.string,)
        if not all(texts):
            found.append(f"not translated: {ids[0]!r}")
        unknown = {field for text in texts for field in FIELD.findall(text)} - _fields(message)
        if unknown:
            found.append(f"{ids[0]!r}: no field {', '.join(sorted(unknown))}")
    return found


def _fields(message: Message) -> set[str]:
    ids = message.id if isinstance(message.id, tuple) else (message.id,)
    own = {"count"} if isinstance(message.id, tuple) else set()
    return own | {field for text in ids for field in FIELD.findall(text)}


def main() -> int:
    is_check = "--check" in sys.argv
    bad = []
    for path in sorted(PACKAGE.glob("locale/*/LC_MESSAGES/*.po")):
        before = path.read_bytes()
        with io.BytesIO(before) as stream:
            catalog = updated(read_po(stream, locale="zh"))
        po, compiled = po_bytes(catalog), path.with_suffix(".mo")
        mo = mo_bytes(po)
        bad += faults(catalog)
        if not is_check:
            path.write_bytes(po)
            compiled.write_bytes(mo)
        elif po != before or not compiled.exists() or compiled.read_bytes() != mo:
            bad.append(f"{path.name} is not what the code has: run python .ci/catalogue.py")
    print("\n".join(bad) or "the catalogues are up to date")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
