"""What all commands share: options, exit codes, and errors that are printed as one line on stderr.

Scrapy imports every module of commands/ whenever any command is typed. Therefore those modules import at the top only what their help and
options need, which are small modules with few imports; everything else is imported when the command runs.
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
"""Its name, its function, its help text, and its arguments: keyword arguments of add_argument by argument name."""
INTERRUPTED, PIPE_CLOSED = 128 + signal.SIGINT, 128 + signal.SIGPIPE  # the exit codes that shells use

BESIDE_THE_CRAWL = {"frontier": "memory:", "store": "memory:", "model": "", "live": "off", "serve": "0"}
"""Options of a fetch that leaves no trace in the topic's crawl. The fetch also needs a folder of its own, for its status, log etc."""

_HELD = "\ue000"
"""Stands for a blank at which no line may be broken."""


class HelpFormatter(ScrapyHelpFormatter):
    """``--help`` in the reader's language. Lines are filled by display columns (a Chinese character takes two); words are not broken."""

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
            if set(part.strip()) in ({"="}, {"-"}):  # the underline of a heading, as long as the heading
                parts[number] = f"\n{part[1] * width(parts[number - 1])}\n"
        if parts and parts[0].startswith("Usage\n"):
            parts[0] = f"{_('Usage')}\n{'=' * width(_('Usage'))}\n{parts[0].split(chr(10), 2)[2]}"
        return parts

    def _get_help_string(self, action: argparse.Action) -> str | None:
        return action.help and _(action.help)

    def _split_lines(self, text: str, width: int) -> list[str]:
        from topicspider.text.terminal import wrap

        # keep an option and its value on one line
        joined = re.sub(r"(?<![\w-])(-\w) (?=\w+=)", rf"\1{_HELD}", " ".join(text.split()))
        return [line.replace(_HELD, " ") for line in wrap(joined, width)]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in self._split_lines(text, width - len(indent)))


class PlainCommand(ScrapyCommand):
    """A command with help in the reader's language, which reports wrong options in one line."""

    settings: Settings  # Scrapy sets these attributes before it calls any method
    crawler_process: CrawlerProcess
    option_begin = "-"
    """Arguments that begin with this must be options. Commands that take a query use ``--``: in a query, ``-word`` excludes a word."""
    _parser: argparse.ArgumentParser | None = None

    @property
    def name(self) -> str:
        """The word by which the command is called on the command line."""
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

    def _refuse(self, message: str) -> NoReturn:
        """End the process with the parser's error message as one line."""
        assert self._parser is not None
        _tell(self, _complaint(self._parser, message), ConfigError.exit_code)
        sys.exit(self.exitcode)

    @contextmanager
    def ending(self) -> Iterator[None]:
        """As ``one_line_errors``, but an error ends the process."""
        with one_line_errors(self):
            yield
        if self.exitcode:
            sys.exit(self.exitcode)

    def check_arguments(self, args: Sequence[str]) -> None:
        """Raises ConfigError for an unknown option, which Scrapy's parser leaves in ``args``. Arguments after ``--`` are no options."""
        for arg in args:
            if arg == "--":
                return
            if arg.startswith(self.option_begin) and arg != "-":
                allowed = _("the options of `scrapy {command} --help`", command=self.name)
                raise ConfigError(self.name, arg, allowed, self.meant(arg))

    def crawl(self, crawler: Crawler, components: CrawlComponents, arguments: Mapping[str, str]) -> Any:
        """Run ``crawler`` with ``components``. Returns the reason why the crawl ended; None when it did not begin or was aborted."""
        components.adopt(crawler)
        self.crawler_process.crawl(crawler, **arguments)
        self.crawler_process.start()
        return None if self.crawler_process.bootstrap_failed else crawler.stats.get_value("finish_reason")

    def set_option(self, option: str, value: object) -> None:
        """Set one of our options as ``-s`` would; an empty ``value`` changes nothing."""
        if value != "":
            self.settings.set(setting_name(option), value, priority="cmdline")

    def meant(self, option: str) -> str:
        """A hint at what was probably meant by an unknown option; "" when nothing is similar."""
        return _instead(option, self._parser)


class CliCommand(PlainCommand):
    """A command that is implemented by the module of the same name in cli/, which is loaded when the command is typed.

    That module defines SYNTAX and ABOUT for the help, and ``run(command, args, opts)``, which prints and returns the exit code (None: 0).
    Its ``add_options(parser)`` declares options; its ``actions()`` returns a parser with one sub-parser for each action.
    The docstring of a command class is its line in ``scrapy --help``.
    """

    requires_project = False
    requires_crawler_process = False
    default_settings = {"LOG_ENABLED": False}  # noqa: RUF012
    logs_errors = False
    """Whether errors are logged, which needs LOG_ENABLED. A log level given on the command line is used instead of ERROR."""
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
        if hasattr(self.module, "actions"):  # the action parser prints their help
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
        if "--" in args and not hasattr(self.module, "actions"):
            args.remove("--")
        with one_line_errors(self):
            self.exitcode = self.module.run(self, args, opts) or 0

    def options(self, *, topic: str = "") -> Options:
        """The command's options, with ``topic`` as the topic unless it is ""."""
        self.set_option("topic", topic)
        return Options.read(self.settings)

    def fetch(self, urls: Sequence[str]) -> list[LocalPage]:
        """The pages at ``urls`` (canonical), in that order, fetched as a crawl fetches them; works once in a process."""
        from scrapy.crawler import AsyncCrawlerProcess

        from topicspider.cli.pages import fetched

        self.settings.set(setting_name("topic"), "", priority="cmdline")  # with one, the add-on would start its crawl
        return fetched(AsyncCrawlerProcess(self.settings), urls)


class ActionParser(argparse.ArgumentParser):
    """The parser of a command with actions; its errors are one line, without passwords."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options, formatter_class=HelpFormatter, allow_abbrev=False)

    def error(self, message: str) -> NoReturn:
        """Raises UsageError."""
        raise UsageError(_complaint(self, message))


def _complaint(parser: argparse.ArgumentParser, message: str) -> str:
    """The error without passwords, with hints: which option was probably meant, and how to get help."""
    message = re.sub(r"(://[^\s:/@']*):[^\s/@']*@", r"\1:***@", message)
    hints = [_instead(word, parser) for word in message.split() if word.startswith("--")]
    more = _("`{command} --help` says more", command=parser.prog)
    return with_hints(f"{parser.prog.partition(' ')[2]}: {message}", *hints, more)


def action_parser(command: str, which: str, actions: Sequence[Action]) -> ActionParser:
    """The parser of ``command`` with a sub-parser for each of ``actions``; the first action is run when none is named."""
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
    """A hint if ``word`` is similar to an option of ``parser`` but is none; else ""."""
    name, known = word.partition("=")[0].rstrip(":,"), _options_of(parser) if parser else ()
    return "" if name in known else did_you_mean(name, known)


def _options_of(parser: argparse.ArgumentParser) -> list[str]:
    """The options of ``parser`` and of its sub-parsers."""
    nested = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    parsers = [one for action in nested for one in action.choices.values()]
    return [*parser._option_string_actions, *(option for one in parsers for option in _options_of(one))]


@dataclass(frozen=True, slots=True)
class CommandResult:
    """The result of an action, as plain data and as text for a reader; ``is_good`` is False when something is wrong."""

    data: Any
    text: str
    is_good: bool = True

    def show(self, *, as_json: bool) -> int:
        """Print the result; returns the exit code: 0, or 1 when it is not good."""
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
    """``text`` as a whole number from ``least`` to ``most`` (None: no upper limit); raises ConfigError for any other text."""
    number = int(text[:12]) if text.isascii() and text.isdigit() else -1
    if number < least or (most is not None and number > most):
        words = N_("a whole number above 0") if most is None else N_("a whole number from {least} to {most}")
        raise ConfigError(option, text, _(words, least=least, most=most), hint)
    return number


def one_of(what: str, value: str, known: Collection[str]) -> str:
    """Returns ``value`` if it is one of ``known``; raises ConfigError if not."""
    if value not in known:
        raise ConfigError(what, value or None, ", ".join(known) or _("none"))
    return value


def one_topic(command: str, args: Sequence[str], option: str) -> str:
    """The topic of a command that takes it as ``--topic NAME`` or as its only argument; "" for none; raises UsageError for several."""
    if len(args) > 1 or (args and option):
        text = _("say one topic: `scrapy {command} --topic NAME`; of several join the names by commas", command=command)
        raise UsageError(text)
    return args[0] if args else option


def print_json(data: Any) -> None:
    """Print ``data`` as one line of JSON; characters outside ASCII are escaped unless the output is in UTF-8 or the like."""
    print(json.dumps(data, ensure_ascii=not str(sys.stdout.encoding).lower().startswith("utf")))


def begin_log(settings: BaseSettings) -> None:
    """Set up the log, in JSON if wanted. While there is a live line, only warnings are logged, unless a log level was asked for."""
    from topicspider.text.terminal import draws_live

    is_said = (settings.getpriority("LOG_LEVEL") or 0) >= SETTINGS_PRIORITIES["cmdline"]
    if draws_live(str(settings.get(setting_name("live"), "auto"))) and not is_said:
        settings.set("LOG_LEVEL", "WARNING", priority="cmdline")
    if json_log.is_wanted(settings):
        json_log.install(settings)


@contextmanager
def one_line_errors(command: PlainCommand) -> Iterator[None]:
    """Print a TopicSpiderError as one line on stderr, and make its exit code that of the command."""
    use_language(str(command.settings.get(setting_name("language")) or "auto"))
    try:
        yield
        sys.stdout.flush()
    except TopicSpiderError as error:
        _tell(command, str(error), error.exit_code)
    except UsageError as error:
        if not str(error):
            raise  # Scrapy prints the help
        _tell(command, _(str(error)), ConfigError.exit_code)
    except BrokenPipeError:
        leave_pipe()
        command.exitcode = PIPE_CLOSED
    except KeyboardInterrupt:
        _tell(command, _("interrupted"), INTERRUPTED)


def leave_pipe() -> None:
    """Connect stdout to /dev/null after its reader (as in `… | head`) has closed it, so that flushing it at exit raises no error."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _tell(command: PlainCommand, text: str, exit_code: int) -> None:
    """Print ``text`` on stderr and add it to LOG_FILE, the only output that the sender of a scrapyd job can read."""
    is_json = json_log.is_wanted(command.settings)
    text = as_typed(text)
    line = json_log.error_line(text) if is_json else f"topicspider: {text}"
    print(line if is_json else on_terminal(line, sys.stderr), file=sys.stderr)
    if path := command.settings.get("LOG_FILE"):
        with suppress(OSError), Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
    command.exitcode = exit_code


def on_terminal(line: str, stream: IO[str]) -> str:
    """``line`` wrapped for the terminal, which itself would break it inside words; unchanged if ``stream`` is no terminal."""
    from topicspider.text.terminal import wrap

    return "\n".join(wrap(line, terminal_columns())) if stream.isatty() else line


def print_anything(stream: IO[str]) -> None:
    """Make ``stream`` print characters that its encoding lacks (an emoji on a terminal in GBK) as escapes, instead of raising an error."""
    is_utf = str(getattr(stream, "encoding", "")).lower().startswith("utf")
    # in the C locale, Python prints the surrogates that stand for bytes of file names, but still raises an error for other characters
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "" if is_utf else "surrogateescape"):
        stream.reconfigure(errors="backslashreplace")


def terminal_columns() -> int:
    """The width of printed output in columns: that of the terminal, at most 120."""
    return min(120, shutil.get_terminal_size((80, 24)).columns)
