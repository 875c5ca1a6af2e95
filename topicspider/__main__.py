"""``topicspider COMMAND`` and ``python -m topicspider COMMAND``: every command from any folder; the data is in that folder."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider import __version__
from topicspider.errors import ConfigError, did_you_mean
from topicspider.i18n import N_, as_typed, labelled, use_language
from topicspider.i18n import gettext as _

if TYPE_CHECKING:
    from collections.abc import Mapping

    from scrapy.settings import Settings

COMMAND = "TOPICSPIDER_COMMAND"
OURS = "topicspider.settings"
OF_RUN = {
    "check": N_("Style, types, layers and documents of the checkout"),
    "gate": N_("Measure quality on every corpus that is there"),
    "test": N_("Run the tests"),
}
"""What ./run does itself."""


def main() -> None:
    """Do what was typed; ends the process with its exit code. Scrapy is loaded here, so that Ctrl-C meanwhile is no traceback."""
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:  # closed, as by `>&-`; and no file that is opened gets its number
            setattr(sys, name, Path(os.devnull).open("r+", encoding="utf-8"))  # noqa: SIM115
    program = Path(sys.argv[0]).stem
    os.environ.setdefault(COMMAND, "python -m topicspider" if program == "__main__" else program)
    try:
        try:
            _execute()
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        from topicspider.cli.command import PIPE_CLOSED, leave_pipe

        leave_pipe()
        sys.exit(PIPE_CLOSED)
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        print(f"topicspider: {_('interrupted')}", file=sys.stderr)
        sys.exit(130)
    finally:
        # all is said: one more Ctrl-C changes nothing, neither the exit code
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _execute() -> None:
    from scrapy.cmdline import _get_commands_dict, execute
    from scrapy.utils.project import inside_project

    settings = command_settings()
    name = next((word for word in sys.argv[1:] if not word.startswith("-")), "")
    commands = _get_commands_dict(settings, inside_project())
    use_language(str(settings.get("TOPICSPIDER_LANGUAGE") or "auto"))  # for the parser, too
    if name == "version" or sys.argv[1:] == ["--version"]:
        print(f"topicspider {__version__}")
        if not name:
            return
    if name in commands:
        execute(settings=settings)
    if name:
        from topicspider.cli.command import on_terminal

        error = ConfigError("command", name, f"`{os.environ[COMMAND]} --help`", did_you_mean(name, commands))
        print(on_terminal(f"topicspider: {error}", sys.stderr), file=sys.stderr)
        sys.exit(error.exit_code)
    print(_overview({name: command.short_desc() for name, command in commands.items()}))


def _overview(commands: Mapping[str, str]) -> str:
    from topicspider.cli.command import print_anything, terminal_columns
    from topicspider.text.terminal import wrap

    print_anything(sys.stdout)
    program = os.environ[COMMAND]
    commands = {**commands, **(OF_RUN if Path(program).name == "run" else {})}
    lines = []
    for name, about in sorted(commands.items()):
        first, *more = wrap(as_typed(_(about)), terminal_columns() - 16)
        lines += [f"  {name:<13} {first}", *(" " * 16 + line for line in more)]
    usage = labelled(_("Usage"), f"{program} " + _("<command> [options] [args]"))
    end = _('Use "{program} <command> -h" to see more info about a command', program=program)
    return "\n".join([usage, "", _("Available commands:"), *lines, "", end])


def command_settings() -> Settings:
    """Those of the Scrapy project that this folder is in, if it has the add-on or the environment names it; else our own."""
    from scrapy.utils.project import ENVVAR, get_project_settings

    from topicspider.setting_names import from_environment

    is_named = ENVVAR in os.environ
    settings = get_project_settings()
    if not (is_named or any("TopicSpiderAddon" in str(addon) for addon in settings.getdict("ADDONS"))):
        os.environ[ENVVAR] = OURS  # also for processes that are started here
        settings = get_project_settings()
    # the add-on does so, too, but too late for what a command reads first
    settings.setdict(from_environment(os.environ), priority="project")
    settings.set("COMMANDS_MODULE", "topicspider.commands", priority="cmdline")
    return settings


if __name__ == "__main__":
    main()
