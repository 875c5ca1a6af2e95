"""What commands share: options, the exit code, and that an error is one line on stderr.

Scrapy imports every module of commands/ for each command that is typed. So at their top they import what their help and options
need, small modules that import next to nothing; what a command works with is imported when it runs.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NoReturn

from scrapy.commands import ScrapyCommand, ScrapyHelpFormatter
from scrapy.exceptions import UsageError
from scrapy.settings import SETTINGS_PRIORITIES, BaseSettings, Settings

from topicspider import json_log
from topicspider.errors import ConfigError, TopicSpiderError, did_you_mean, with_hints
from topicspider.i18n import N_, as_typed, program, use_language
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.scrapy_settings import check_scrapy_settings
from topicspider.setting_names import check_names
from topicspider.setting_rules import setting_name

if TYPE_CHECKING:
    from scrapy.crawler import Crawler, CrawlerProcess

    from topicspider.cli.pages import LocalPage
    from topicspider.crawl_components import CrawlComponents

Action = tuple[str, Callable[..., Any], str, Mapping[str, Mapping[str, Any]]]
"""Its name, what does it, its help, and its arguments as add_argument takes them."""
INTERRUPTED, PIPE_CLOSED = 128 + signal.SIGINT, 128 + signal.SIGPIPE  # as shells have it

BESIDE_THE_CRAWL = {"frontier": "memory:", "store": "memory:", "model": "", "live": "off", "serve": "0"}
"""Options of a fetch that leaves no trace in the crawl of the same topic; it has a folder of its own, too, for the status, the log and the like."""

_HELD = "\ue000"
"""A blank that no line is broken at."""


class HelpFormatter(ScrapyHelpFormatter):
    """``--help`` in the reader's language, with lines that are filled by columns (Chinese characters take two) and broken in no word."""

    def start_section(self, heading: str | None) -> None:
        super().start_section(heading and _(heading))

    def add_text(self, text: str | None) -> None:
        super().add_text(text and as_typed(_(text)))

    def add_usage(self, usage: str | None, actions: Any, groups: Any, prefix: str | None = None) -> None:
        for word in (N_("[options]"), N_("<url>")):
            usage = usage and usage.replace(word, _(word))
        usage = usage and "\n      ".join(self._split_lines(usage, self._width - 6))
        super().add_usage(usage, actions, groups, "usage: " if prefix is None else prefix)

    def format_part_strings(self, part_strings: list[str]) -> list[str]:
        from topicspider.text.terminal import width

        parts = super().format_part_strings(list(map(as_typed, part_strings)))
        for number, part in enumerate(parts):
            if set(part.strip()) in ({"="}, {"-"}):  # the line below a heading, one sign for each character of it
                parts[number] = f"\n{part[1] * width(parts[number - 1])}\n"
        if parts and parts[0].startswith("Usage\n"):
            parts[0] = f"{_('Usage')}\n{'=' * width(_('Usage'))}\n{parts[0].split(chr(10), 2)[2]}"
        return parts

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and _(action.help)

    def _split_lines(self, text: str, width: int) -> list[str]:
        from topicspider.text.terminal import wrap

        # an option stays with its value
        joined = re.sub(r"(?<![\w-])(-\w) (?=\w+=)", rf"\1{_HELD}", " ".join(text.split()))
        return [line.replace(_HELD, " ") for line in wrap(joined, width)]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in self._split_lines(text, width - len(indent)))


class PlainCommand(ScrapyCommand):
    """A command whose help is in the reader's language, and that says in one line what is wrong with its options."""

    settings: Settings  # Scrapy hands these over before anything else is asked
    crawler_process: CrawlerProcess
    option_begin = "-"
    """With what an argument begins that must be an option; a query may exclude a word by -."""
    _parser: argparse.ArgumentParser | None = None

    @property
    def name(self) -> str:
        """As it is typed."""
        return type(self).__module__.rpartition(".")[2]

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        use_language(str(self.settings.get(setting_name("language")) or "auto"))
        print_anything(sys.stdout)
        super().add_options(parser)
        parser.prog, parser.usage = f"{program(self.name)} {self.name}", as_typed(parser.usage or "") or None
        parser.formatter_class = HelpFormatter
        parser.allow_abbrev = False
        parser.error = self._refuse  # type: ignore[method-assign]
        self._parser = parser

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        with self.ending():
            super().process_options(args, opts)
            check_names(self.settings, os.environ)
            check_scrapy_settings(self.settings)
            self.check_arguments(args)
            if "--" in args:
                args.remove("--")

    def _refuse(self, message: str) -> NoReturn:
        """End the process with what the parser complains of, as one line."""
        assert self._parser is not None
        _tell(self, _complaint(self._parser, message), ConfigError.exit_code)
        sys.exit(self.exitcode)

    @contextmanager
    def ending(self) -> Iterator[None]:
        """As ``one_line_errors``; an error ends the process."""
        with one_line_errors(self):
            yield
        if self.exitcode:
            sys.exit(self.exitcode)

    def check_arguments(self, args: Sequence[str]) -> None:
        """Raises ConfigError for an option that the parser did not know; Scrapy hands it on. What follows -- is no option."""
        for arg in args:
            if arg == "--":
                return
            if arg.startswith(self.option_begin) and arg != "-":
                allowed = _("the options of `scrapy {command} --help`", command=self.name)
                raise ConfigError(self.name, arg, allowed, self.meant(arg))

    def crawl(self, crawler: Crawler, components: CrawlComponents, arguments: Mapping[str, str]) -> Any:
        """Have ``crawler`` crawl with ``components``; why it ended, None when it did not begin or was broken off."""
        components.adopt(crawler)
        self.crawler_process.crawl(crawler, **arguments)
        self.crawler_process.start()
        return None if self.crawler_process.bootstrap_failed else crawler.stats.get_value("finish_reason")

    def set_option(self, option: str, value: object) -> None:
        """Set one of our options as if by -s; nothing for a value that is empty."""
        if value != "":
            self.settings.set(setting_name(option), value, priority="cmdline")

    def meant(self, option: str) -> str:
        """What an unknown option may stand for, as a hint."""
        return _instead(option, self._parser)


class CliCommand(PlainCommand):
    """A command whose work is done by the module of its name in cli/, which is loaded when the command is typed.

    That module has SYNTAX and ABOUT for the help and ``run(command, args, opts)``, which prints and returns the exit code (None: 0).
    Options are declared by its ``add_options(parser)``, those of single actions by its ``actions()``: a parser with sub-parsers.
    The docstring of a command is its line in ``scrapy --help``.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012
    logs_errors = False
    """Whether errors are logged, with which LOG_ENABLED must not be off; all is if a log level was asked for."""
    module_name = "topicspider.cli.{command}"

    @property
    def module(self) -> Any:
        return import_module(self.module_name.format(command=self.name))

    def syntax(self) -> str:
        return str(self.module.SYNTAX)

    def short_desc(self) -> str:
        return _(str(type(self).__doc__))

    def long_desc(self) -> str:
        return str(self.module.ABOUT)

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        super().add_options(parser)
        if hasattr(self.module, "actions"):  # their help is printed by their own parser
            parser.add_argument("-h", "--help", action="store_true", dest="wants_help")
        if hasattr(self.module, "add_options"):
            self.module.add_options(parser)

    def check_arguments(self, args: Sequence[str]) -> None:
        if not hasattr(self.module, "actions"):
            super().check_arguments(args)

    def process_options(self, args: list[str], opts: argparse.Namespace) -> None:
        super().process_options(args, opts)
        if self.logs_errors and (self.settings.getpriority("LOG_LEVEL") or 0) < SETTINGS_PRIORITIES["cmdline"]:
            self.settings.set("LOG_LEVEL", "ERROR", priority="cmdline")
        if getattr(opts, "wants_help", False):
            with self.ending():
                self.module.actions().parse_args([*args, "--help"])

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        with one_line_errors(self):
            self.exitcode = self.module.run(self, args, opts) or 0

    def options(self, *, topic: str = "") -> Options:
        """The settings, with a topic that was named by an option."""
        self.set_option("topic", topic)
        return Options.read(self.settings)

    def fetch(self, urls: Sequence[str]) -> list[LocalPage]:
        """The pages at ``urls`` (canonical) as a crawl would get them, in their order; a process does this once."""
        from scrapy.crawler import AsyncCrawlerProcess

        from topicspider.cli.pages import fetched

        self.settings.set(setting_name("topic"), "", priority="cmdline")  # with one, the add-on would begin its crawl
        return fetched(AsyncCrawlerProcess(self.settings), urls)


class ActionParser(argparse.ArgumentParser):
    """The parser of a command with actions; its complaints are one line, without passwords."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, formatter_class=HelpFormatter, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raises UsageError."""
        raise UsageError(_complaint(self, message))


def _complaint(parser: argparse.ArgumentParser, message: str) -> str:
    """What is wrong (without passwords), what may be meant, and where more is said."""
    message = re.sub(r"(://[^\s:/@']*):[^\s/@']*@", r"\1:***@", message)
    hints = [_instead(word, parser) for word in message.split() if word.startswith("--")]
    more = _("`{command} --help` says more", command=parser.prog)
    return with_hints(f"{parser.prog.partition(' ')[2]}: {message}", *hints, more)


def action_parser(command: str, which: str, actions: Sequence[Action]) -> ActionParser:
    """The parser of ``command`` with a sub-parser for each of ``actions``; the first is done when none is named."""
    parser = ActionParser(prog=f"scrapy {command}", epilog=which)
    parser.set_defaults(action=actions[0][1])
    subparsers = parser.add_subparsers(metavar="ACTION", prog=f"scrapy {command}")
    for name, action, about, arguments in actions:
        own = subparsers.add_parser(name, help=about, description=about)
        own.set_defaults(action=action)
        for argument, values in arguments.items():
            own.add_argument(argument, **values)
    return parser


def _instead(word: str, parser: argparse.ArgumentParser | None) -> str:
    """What is said of an option that is nearly one of ``parser``, and is none; else ""."""
    name, known = word.partition("=")[0].rstrip(":,"), _options_of(parser) if parser else ()
    return "" if name in known else did_you_mean(name, known)


def _options_of(parser: argparse.ArgumentParser) -> list[str]:
    """Those of its actions, too."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    parsers = [one for action in nested for one in action.choices.values()]
    return [*parser._option_string_actions, *(option for one in parsers for option in _options_of(one))]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What an action has to say: as plain data, and as text for a reader; not ``is_good``: something is wrong."""

    data: Any
    text: str
    is_good: bool = True

    def show(self, *, as_json: bool) -> int:
        """Print it; the exit code."""
        if as_json:
            print_json(self.data)
        else:
            print(self.text)
        return 0 if self.is_good else 1


def add_topic_option(parser: argparse._ActionsContainer, default: str = "TOPICSPIDER_TOPIC") -> None:
    parser.add_argument("--topic", default="", metavar="NAME", help=f"the topic or topics of a crawl (default {default})")  # fmt: skip


def add_format_options(parser: argparse._ActionsContainer, *, csv: bool = False) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON instead")
    if csv:
        parser.add_argument("--csv", action="store_true", help="print a table as CSV instead")


def whole_number(option: str, text: str, most: int | None = None, hint: str = "", least: int = 1) -> int:
    """The number in ``text``, from ``least`` to ``most``; raises ConfigError."""
    number = int(text[:12]) if text.isascii() and text.isdigit() else -1
    if number < least or (most is not None and number > most):
        words = N_("a whole number above 0") if most is None else N_("a whole number from {least} to {most}")
        raise ConfigError(option, text, _(words, least=least, most=most), hint)
    return number


def one_of(what: str, value: str, known: Collection[str]) -> str:
    """``value`` when it is one of ``known``; raises ConfigError."""
    if value not in known:
        raise ConfigError(what, value or None, ", ".join(known) or _("none"))
    return value


def one_topic(command: str, args: Sequence[str], option: str) -> str:
    """The topic of a command that takes it as ``--topic NAME``, or as its one argument; raises UsageError for more."""
    if len(args) > 1 or (args and option):
        text = _("say one topic: `scrapy {command} --topic NAME`; of several join the names by commas", command=command)
        raise UsageError(text)
    return args[0] if args else option


def print_json(data: Any) -> None:
    """One line of JSON, with escapes where the terminal may lack a character."""
    print(json.dumps(data, ensure_ascii=not str(sys.stdout.encoding).lower().startswith("utf")))


def begin_log(settings: BaseSettings) -> None:
    """With a live line on the terminal only warnings are logged, unless a log level was asked for; in JSON if that was."""
    from topicspider.text.terminal import draws_live

    is_said = (settings.getpriority("LOG_LEVEL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
    if draws_live(str(settings.get(setting_name("live"), "auto"))) and not is_said:
        settings.set("LOG_LEVEL", "WARNING", priority="cmdline")
    if json_log.is_wanted(settings):
        json_log.install(settings)


@contextmanager
def one_line_errors(command: PlainCommand) -> Iterator[None]:
    """Print a TopicSpiderError as one line, and make its exit code the command's."""
    use_language(str(command.settings.get(setting_name("language")) or "auto"))
    try:
        yield
        sys.stdout.flush()
    except TopicSpiderError as error:
        _tell(command, str(error), error.exit_code)
    except UsageError as error:
        if not str(error):
            raise  # the help is the answer
        _tell(command, _(str(error)), ConfigError.exit_code)
    except BrokenPipeError:
        leave_pipe()
        command.exitcode = PIPE_CLOSED
    except KeyboardInterrupt:
        _tell(command, _("interrupted"), INTERRUPTED)


def leave_pipe() -> None:
    """`… | head` has read enough: nothing is left to complain at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(command: PlainCommand, text: str, exit_code: int) -> None:
    """Say it on stderr, and in LOG_FILE, which is all that the sender of a job can read of its output."""
    is_json = json_log.is_wanted(command.settings)
    text = as_typed(text)
    line = json_log.error_line(text) if is_json else f"topicspider: {text}"
    print(line if is_json else on_terminal(line, sys.stderr), file=sys.stderr)
    if path := command.settings.get("LOG_FILE"):
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    command.exitcode = exit_code


def on_terminal(line: str, stream: IO[str]) -> str:
    """``line`` in lines that fit when ``stream`` is a terminal: it would break them in words."""
    from topicspider.text.terminal import wrap

    return "\n".join(wrap(line, terminal_columns())) if stream.isatty() else line


def print_anything(stream: IO[str]) -> None:
    """Have ``stream`` print what its encoding lacks (an emoji on a terminal in GBK) as an escape, where it would raise."""
    is_utf = str(getattr(stream, "encoding", "")).lower().startswith("utf")
    # in the locale C Python lets half characters through that stand for the bytes of file names, and still raises for others
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "" if is_utf else "surrogateescape"):
        stream.reconfigure(errors="backslashreplace")


def terminal_columns() -> int:
    """How wide what is printed may be."""
    return min(120, shutil.get_terminal_size((80, 24)).columns)
