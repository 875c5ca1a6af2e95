"""Writes a rehearsal down as one HTML page that needs nothing but itself: styles, scripts, data and charts are inside."""

from __future__ import annotations

import base64
import json
import re
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from topicspider.rehearsal.evaluation.comparisons import ORACLE
from topicspider.rehearsal.evaluation.measures import SHARES
from topicspider.rehearsal.evaluation.notes import in_chinese
from topicspider.rehearsal.report import views
from topicspider.rehearsal.report.chart_data import chart_data
from topicspider.rehearsal.report.curves import mean_targets
from topicspider.rehearsal.report.summary import summary
from topicspider.rehearsal.report.wording import TEXTS, Phrase

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from jinja2 import Environment
    from markupsafe import Markup

    from topicspider.rehearsal.evaluation.results import MachineFigures, Results
    from topicspider.rehearsal.report.views import PolicyView

_TINTS = 8
_BREAKS = re.compile(r"(?<=[/,;?&=_-])(?=[^/])")
_MARKERS = {
    "circle": '<circle cx="15" cy="6" r="3.4"/>',
    "square": '<rect x="11.8" y="2.8" width="6.4" height="6.4"/>',
    "triangle": '<path d="M15 1.8 19 9.4H11z"/>',
    "diamond": '<path d="M15 1.6 19.2 6 15 10.4 10.8 6z"/>',
}
_SECTIONS = ("charts", "overview", "checkpoints", "pairs", "hosts", "examples", "method")


def report_page(results: Results, machine: MachineFigures) -> str:
    """The page as HTML. What others wrote (titles, URLs, anchors, names of files) is text in it, never markup."""
    from markupsafe import Markup

    policies = views.policies_of(results)
    title = Phrase(*_each(TEXTS["title"], topic=views.topic_title(results.setting)))
    style = _resource("static/uPlot.min.css") + _resource("static/report.css") + _colours(policies)
    script = f"{_resource('static/uPlot.iife.min.js')}\n{_resource('static/report.js')}"
    environment = _environment()
    environment.globals.update(_figures(results, policies))
    return environment.from_string(_resource("templates/report.html")).render(
        titles=title,
        policy_header=_content_policy(style, script),
        style=Markup(style),  # noqa: S704 - our own files
        script=Markup(script),  # noqa: S704 - our own files
        markers={name: Markup(drawn) for name, drawn in _MARKERS.items()},  # noqa: S704 - our own
        licence=_resource("static/uPlot.LICENSE.txt"),
        data=_json(chart_data(results, policies, title)),
        machine=machine,
    )


def _figures(results: Results, policies: Sequence[PolicyView]) -> dict[str, Any]:
    """Everything of the results that the template names."""
    setting = results.setting
    examples, pairs = views.examples_of(results.examples, policies), views.pairs_of(results.comparisons, policies)
    shown = {"pairs": pairs, "hosts": results.hosts, "examples": examples}
    keys = {"checkpoints": "at_checkpoints"}
    return {
        "results": results,
        "setting": setting,
        "policies": policies,
        "ranked": views.ranked(policies),
        "topic": views.topic_title(setting),
        "judge": views.judge_name(setting),
        "sets": views.sets_phrase(setting),
        "interval": views.interval_phrase(setting),
        "sentences": summary(results),
        "targets": round(mean_targets(results.policies)),
        "has_oracle": any(one.auc_oracle is not None for one in results.policies),
        "has_ended": any(view.has_ended(point) for view in policies for point in setting.checkpoints),
        "all_are_shown": all(view.is_key for view in policies),
        "shares": SHARES,
        "pairs": pairs,
        "examples": examples,
        "notes": [Phrase(note[:1].upper() + note[1:], in_chinese(note)) for note in results.notes],
        "settings": views.settings_of(setting),
        "seed_sets": views.seed_sets_of(results),
        "sections": [(name, keys.get(name, name)) for name in _SECTIONS if shown.get(name, True)],
        "tint": _tint(policies),
        "is_best": _is_best(policies),
    }  # fmt: skip


def _environment() -> Environment:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True)
    environment.globals.update(t=_text, show=_show, number=_number, is_web=_is_web, breakable=_breakable)
    return environment


def _text(key: str, **values: object) -> Markup:
    """A text of wording.TEXTS in both languages, with ``values`` filled in; the page shows one of the two."""
    return _show(TEXTS[key], **values)


def _show(phrase: Phrase, **values: object) -> Markup:
    from markupsafe import Markup

    if phrase.en == phrase.zh and not values:
        return Markup("<span>{}</span>").format(phrase.en)
    english, chinese = _each(phrase, **values)
    return Markup('<span class="en" lang="en">{}</span><span class="zh" lang="zh-CN">{}</span>').format(
        english, chinese
    )


def _each(phrase: Phrase, **values: object) -> list[str]:
    """The phrase filled in, in English and Chinese; phrases among ``values`` in the same language."""
    return [
        text.format(**{key: value[at] if isinstance(value, Phrase) else value for key, value in values.items()})
        for at, text in enumerate(phrase)
    ]


def _number(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}"


def _is_web(url: str) -> bool:
    """Whether a link to ``url`` is safe to offer: ``javascript:`` and others are shown as text."""
    return url.startswith(("http://", "https://"))


def _breakable(text: str) -> Markup:
    """A long name or URL that may be broken after its own marks, before it is broken anywhere."""
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in _BREAKS.split(text))


def _tint(policies: Sequence[PolicyView]) -> Callable[[float, str], int]:
    """How dark a cell is, 0 to _TINTS, by its share of the largest value of the table."""
    largest = {
        figure: max((mean.value for view in policies for mean in getattr(view.figures, figure).values()), default=0.0)
        for figure in ("precision", "discovery")
    }
    return lambda value, figure: round(_TINTS * value / largest[figure]) if largest.get(figure) else 0


def _is_best(policies: Sequence[PolicyView]) -> Callable[[PolicyView, str, int], bool]:
    """Whether a policy has the largest value at a checkpoint, the oracle and those that had ended apart."""

    def is_best(view: PolicyView, figure: str, pages: int) -> bool:
        fair = [one for one in policies if one.figures.policy != ORACLE and not one.has_ended(pages)]
        most = max((getattr(one.figures, figure)[pages].value for one in fair), default=0.0)
        return view in fair and getattr(view.figures, figure)[pages].value == most > 0

    return is_best


def _colours(policies: Sequence[PolicyView]) -> str:
    """A class for each policy, with its colour on light and dark ground."""
    light = "".join(f".c{view.number}{{--c:{view.style.light}}}" for view in policies)
    dark = "".join(f".c{view.number}{{--c:{view.style.dark}}}" for view in policies)
    return f"{light}@media screen and (prefers-color-scheme:dark){{{dark}}}"


def _content_policy(style: str, script: str) -> str:
    """Nothing from outside, and no style or script but the two that this page was written with."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}"


def _json(data: dict[str, Any]) -> Markup:
    """JSON that can stand between script tags: no ``<``, ``>`` or ``&`` in it ends them or begins a comment."""
    from markupsafe import Markup

    text = json.dumps(data, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))  # noqa: S704


def _resource(name: str) -> str:
    return files("topicspider.rehearsal.report").joinpath(name).read_text(encoding="utf-8")
