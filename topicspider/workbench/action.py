"""What one action of ``scrapy topics`` is, and what it gets to work with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from topicspider.cli.pages import LocalPage
    from topicspider.defaults import Options


@dataclass(frozen=True, slots=True)
class Desk:
    """The settings, how to speak, how wide the terminal is, and the way to pages of the web.

    ``agent``: who the crawler says it is to robots.txt. ``fetch`` gets each URL as a crawl would (robots.txt, politeness, guard), in the order given, and can be called once: a page that
    cannot be had is one with ``trouble``.
    """

    options: Options
    chinese: bool
    columns: int
    agent: str
    fetch: Callable[[Sequence[str]], list[LocalPage]]


@dataclass(frozen=True, slots=True)
class Action:
    """One action: ``scrapy topics NAME …``.

    ``syntax`` is its line in the usage, ``about`` its sentences in the help. ``wanted``: what is wrong with the arguments after the name
    ("" when nothing is). ``run`` prints and returns the exit code; it may raise TopicSpiderError. ``add_options`` declares options of its
    own in the group of the parser that is its own; their names are shared by all actions.
    """

    name: str
    syntax: str
    about: str
    wanted: Callable[[Sequence[str]], str]
    run: Callable[[Sequence[str], argparse.Namespace, Desk], int]
    add_options: Callable[[argparse._ArgumentGroup], None] | None = None
