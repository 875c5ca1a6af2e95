"""``topicspider COMMAND`` and ``python -m topicspider COMMAND``: every command from any folder; the data is in that folder."""

from __future__ import annotations

import os
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.interrupt import end_at_ctrl_c

end_at_ctrl_c()  # the imports take a second
from scrapy.cmdline import execute  # noqa: E402
from scrapy.utils.project import ENVVAR, get_project_settings  # noqa: E402

if TYPE_CHECKING:
    from scrapy.settings import Settings

COMMAND = "TOPICSPIDER_COMMAND"
OURS = "topicspider.settings"


def main() -> None:
    """Do what was typed; ends the process with its exit code."""
    program = Path(sys.argv[0]).stem
    os.environ.setdefault(COMMAND, "python -m topicspider" if program == "__main__" else program)
    settings = command_settings()
    if any(not word.startswith("-") for word in sys.argv[1:]):
        execute(settings=settings)
    shown = StringIO()
    try:
        with redirect_stdout(shown):
            execute(settings=settings)
    finally:
        print(shown.getvalue().replace("scrapy <command>", f"{os.environ[COMMAND]} <command>"), end="")


def command_settings() -> Settings:
    """Those of the Scrapy project that this folder is in, if it has the add-on or the environment names it; else our own."""
    is_named = ENVVAR in os.environ
    settings = get_project_settings()
    if not (is_named or any("TopicSpiderAddon" in str(addon) for addon in settings.getdict("ADDONS"))):
        os.environ[ENVVAR] = OURS  # also for processes that are started here
        settings = get_project_settings()
    settings.set("COMMANDS_MODULE", "topicspider.commands", priority="cmdline")
    return settings


if __name__ == "__main__":
    main()
