"""scrapyd's runner, in a process group of its own: Ctrl-C on scrapyd in a terminal reaches no crawl but by scrapyd."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """``runner = topicspider.scrapyd_runner`` in scrapyd's configuration.

    A terminal sends Ctrl-C to the whole group of processes that stands in front, so that each crawl had two signals: the terminal's and
    the launcher's. scrapyd's runner takes this process's place, so that none of us is imported before an egg is.
    """
    os.setpgrp()
    os.execv(sys.executable, [sys.executable, "-m", "scrapyd.runner", *sys.argv[1:]])  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
