"""``scrapy rehearse``: crawls a recorded or simulated web again under every policy, judged by independent labels."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from topicspider.cli.command import PlainCommand, on_terminal, one_line_errors, one_of, whole_number
from topicspider.errors import ConfigError, with_hints
from topicspider.i18n import N_, labelled
from topicspider.i18n import gettext as _
from topicspider.options import Options
from topicspider.setting_rules import lines_of, setting_name

if TYPE_CHECKING:
    import argparse

    from scrapy.settings import BaseSettings

    from topicspider.rehearsal.rehearse import RehearsalConfig

POLITE_CONNECTIONS = 16
LATENCY = "constant:0.2"


class Command(PlainCommand):
    """Answers "did focus help on my topic?" offline, in minutes."""

    requires_project = False
    requires_crawler_process = False

    def syntax(self) -> str:
        return "--web FILE.warc|made:SPEC|crawl.db --topic TOPIC [options]"

    def short_desc(self) -> str:
        return _("Crawl a recorded or simulated web again under every policy, offline, and compare")

    def add_options(self, parser: argparse.ArgumentParser) -> None:
        from topicspider.rehearsal.simulator.policies import ALL, POLICY_NAMES, USUAL

        super().add_options(parser)
        add = parser.add_argument_group("rehearsal").add_argument
        add("--web", default="", metavar="WEB", help="FILE.warc[.gz], made:SPEC (see replay), or a crawl's crawl.db")
        add("--topic", default="", help="a name, a path to a YAML file, or a class number")
        add("--labels", default="", metavar="FILE.jsonl", help="what each page is about, a JSON object a line with url, topics and kind; a simulated web knows it by itself. Without labels a second scorer judges: no evidence")  # fmt: skip
        add("--policies", default=",".join(USUAL), help=f"link policies joined by commas, or {ALL}; there are {', '.join(POLICY_NAMES)} (default {','.join(USUAL)})")  # fmt: skip
        add("--pages", default="", help="checkpoints, the last is the length (default 500,1000,…,4000 or less)")
        add("--seeds", default="", help="start pages, URLs joined by commas or @FILE (default the web's own)")
        add("--on-topic-seeds", default="3", metavar="N", help="pages on topic added to each seed set (default 3)")
        add("--repeat", default="1", metavar="N", help="how many seed sets (default 1)")
        add("--latency", default=LATENCY, help="of the hosts: constant:S, lognormal:MEDIAN[:SIGMA] or recorded")
        add("--polite", action="store_true", help=f"with the crawl's delays and {POLITE_CONNECTIONS} downloads at a time; without, one at a time and a policy's order undisturbed")  # fmt: skip
        add("--experiment", default="", metavar="PAPER", help="that of a paper, by its own choices: thesis2011, li2002, cao, broder or xu2007; its table is printed, too")  # fmt: skip
        add("--processes", default=str(os.cpu_count() or 1), metavar="N", help="how many to use (default one a CPU)")
        add("--out", default="", metavar="DIR", help="folder of the report (default rehearsals/… in TOPICSPIDER_DATA)")

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        with one_line_errors(self):
            if args:
                raise ConfigError("rehearse", args[0], "options only", "The web is given by --web")
            if opts.experiment:
                _check_experiment(self.settings, opts)
            options = _options(self.settings, opts)
            plan = _plan(options, opts)
            _rehearse(plan, _folder(options, opts), opts.experiment)


def _check_experiment(settings: BaseSettings, opts: argparse.Namespace) -> None:
    """Sets the mode of the experiment, and its policies unless others were named."""
    from topicspider.rehearsal.experiments import EXPERIMENTS
    from topicspider.rehearsal.simulator.policies import USUAL

    settings.set(setting_name("mode"), one_of("--experiment", opts.experiment, EXPERIMENTS), priority="cmdline")
    if opts.policies == ",".join(USUAL):
        opts.policies = ",".join(EXPERIMENTS[opts.experiment].policies)
    if opts.experiment == "cao" and opts.latency == LATENCY:  # if all servers are alike, their order does not matter
        opts.latency = "lognormal:0.5"


def _rehearse(plan: RehearsalConfig, out: Path, experiment: str) -> None:
    from topicspider.rehearsal.evaluation.result_files import make_folder, result_table, results_json, write_file
    from topicspider.rehearsal.experiments import run_experiment
    from topicspider.rehearsal.rehearse import rehearse
    from topicspider.rehearsal.report.page import report_page

    is_new = not out.exists()
    make_folder(out)
    try:
        results, shown = run_experiment(experiment, plan, _say) if experiment else (rehearse(plan, _say)[0], "")
    except BaseException:
        if is_new:
            with suppress(OSError):
                out.rmdir()
        raise
    print(result_table(results))
    if shown:
        print(f"\n{_('experiment')} {experiment}\n{shown}")
        write_file(out / "experiment.txt", f"{shown}\n".encode())
    write_file(out / "results.json", results_json(results))
    write_file(out / "report.html", report_page(results))
    print("\n" + labelled(_("report"), out / "report.html"))


def _say(line: str) -> None:
    print(on_terminal(labelled(_("rehearsal"), line), sys.stderr), file=sys.stderr, flush=True)


def _options(settings: BaseSettings, opts: argparse.Namespace) -> Options:
    options = Options.read(settings)
    options = replace(options, topic=opts.topic or options.topic)
    if not options.topic:
        hint = "" if opts.web else N_("--web is missing, too.")
        raise ConfigError("--topic", None, "a topic's name", with_hints(_("`scrapy topics list` shows them"), hint))
    if "," in options.topic:
        raise ConfigError("--topic", options.topic, N_("one topic"))
    if not opts.polite:
        options = replace(options, delay_min=0.0, delay_factor=0.0, delay_max=0.0)
    return options


def _plan(options: Options, opts: argparse.Namespace) -> RehearsalConfig:
    from topicspider.rehearsal.rehearse import RehearsalConfig
    from topicspider.rehearsal.replay.conditions import HostLatency
    from topicspider.rehearsal.simulator.policies import read_policy_names

    if not opts.web:
        raise ConfigError("--web", None, "FILE.warc[.gz], made:SPEC, or a crawl's crawl.db")
    labels = Path(opts.labels).expanduser() if opts.labels else None
    if labels and not labels.is_file():
        raise ConfigError("--labels", opts.labels, "a file with a JSON object a line", "There is no such file")
    HostLatency.read(opts.latency)
    lengths = filter(None, map(str.strip, opts.pages.split(",")))  # without any, they follow from the web's size
    return RehearsalConfig(
        web=opts.web,
        options=options,
        labels=labels,
        policies=read_policy_names(opts.policies),
        checkpoints=tuple(sorted({whole_number("--pages", length, 10_000_000) for length in lengths})),
        start_pages=tuple(lines_of("--seeds", opts.seeds)) if opts.seeds else (),
        on_topic_seeds=whole_number("--on-topic-seeds", opts.on_topic_seeds, 1000, least=0),
        repeats=whole_number("--repeat", opts.repeat, 1000),
        connections=POLITE_CONNECTIONS if opts.polite else 1,
        latency=opts.latency,
        processes=whole_number("--processes", opts.processes, 256),
    )


def _folder(options: Options, opts: argparse.Namespace) -> Path:
    """The folder for the results: the one that was named, else one with topic and web in its name."""
    if opts.out:
        return Path(opts.out).expanduser()
    web = "".join(c if c.isalnum() or c in "-._" else "-" for c in Path(opts.web).name)
    topic = Path(options.topic).stem or "topic"
    return Path(options.data).expanduser() / "rehearsals" / f"{topic}-{web}"[:100]
