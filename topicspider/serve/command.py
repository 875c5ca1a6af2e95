"""``scrapy serve``: opens the web page on a port of this machine, and prints how to log in."""

from __future__ import annotations

import asyncio
import webbrowser
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from topicspider.cli.command import CliCommand, whole_number
from topicspider.errors import ConfigError
from topicspider.i18n import gettext as _
from topicspider.url import masked

if TYPE_CHECKING:
    import argparse

    from topicspider.serve.app import WebPage

SYNTAX = "[--port N] [--host ADDRESS] [--open] [--data FOLDER] [--node URL]"
ABOUT = (
    "A page in your browser over the crawls of a data folder, running and ended, in Chinese and English. It is for this machine alone, and "
    "whoever opens it needs the link that is printed. Every page has a twin in JSON: its address with .json (docs/web-page.md)."
)
PORT = 8321


def add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", default=str(PORT), metavar="N", help="the port (default 8321; 0: any that is free)")
    parser.add_argument("--host", default="127.0.0.1", metavar="ADDRESS", help="who is answered: with 0.0.0.0 other machines, too (default 127.0.0.1)")  # fmt: skip
    parser.add_argument("--open", action="store_true", help="open it in the browser")
    parser.add_argument("--node", action="append", default=[], metavar="URL", help="start crawls on this scrapyd node, too, as http://NAME:PASSWORD@HOST:6800; may be given several times")  # fmt: skip
    parser.add_argument("--data", default="", metavar="FOLDER", help="the folder of results (default TOPICSPIDER_DATA)")


def run(command: CliCommand, _args: list[str], opts: argparse.Namespace) -> None:
    from topicspider.serve.app import serve
    from topicspider.serve.site import Site
    from topicspider.serve.starting import StartedCrawls, is_node

    port = whole_number("--port", opts.port, 65_535, least=0)
    if wrong := next((url for url in opts.node if not is_node(url)), None):
        raise ConfigError("--node", masked(wrong), "http://HOST:PORT or https://HOST:PORT of a scrapyd node")
    command.set_option("data", opts.data and str(Path(opts.data).expanduser().absolute()))
    site = Site.of(command.settings, opts.set, StartedCrawls(), opts.node)
    asyncio.run(serve(site, opts.host, port, lambda page: _greet(page, opens=opts.open)))


def _greet(page: WebPage, *, opens: bool) -> None:
    """Print how to log in. The browser is started in a thread, because some take long to return."""
    print(_("The page, for one browser:\n{link}", link=page.link))
    print(_("Token for programs and browsers: {token}", token=page.access.token))
    print(_("Ctrl-C ends it; crawls that were started from it go on."), flush=True)
    if opens:
        Thread(target=webbrowser.open, args=(page.link,), daemon=True).start()
