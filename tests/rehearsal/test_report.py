"""The report of a rehearsal: one file that needs nothing else, whole in both languages, safe whatever pages are called."""

from __future__ import annotations

import base64
import re
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from tests.rehearsal.example_results import HOSTILE, POINTS, SKILL, results
from topicspider.rehearsal.report.page import policies_of, report_page
from topicspider.rehearsal.simulator.policies import POLICY_NAMES

VOID = {"meta", "br", "wbr", "line", "circle", "rect", "path", "img", "link", "input", "hr"}
RESOURCES = {"src", "srcset", "data", "poster", "action", "formaction", "background", "xlink:href"}


class Read(HTMLParser):
    """The elements of a page, with the text that each language shows."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.open, self.texts, self.problems = [], [], {"en": [], "zh": []}, []
        self.inside = {"script": [], "style": []}
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in self.inside:
            self.inside[tag].append("")
        if tag not in VOID:
            self.open.append((tag, dict(attrs).get("class") or ""))

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        if not self.open or self.open[-1][0] != tag:
            self.problems.append((tag, self.getpos(), self.open[-3:]))
        else:
            self.open.pop()

    def handle_data(self, data):
        tags = [tag for tag, _class in self.open]
        if tags and tags[-1] in self.inside:
            self.inside[tags[-1]][-1] += data
            return
        classes = {one for _tag, classes in self.open for one in classes.split()}
        for language, other in (("en", "zh"), ("zh", "en")):
            if other not in classes:
                self.texts[language].append(data)

    def text(self, language):
        return " ".join(" ".join(self.texts[language]).split())


@pytest.fixture(scope="module")
def page():
    return report_page(results()).decode()


@pytest.fixture(scope="module")
def read(page):
    return Read(page)


def test_the_page_is_well_formed(read):
    assert read.problems == []
    assert read.open == []


def test_the_page_loads_nothing_from_anywhere(read):
    assert not {"link", "iframe", "object", "embed", "base", "form"} & {tag for tag, _attrs in read.elements}
    for tag, attrs in read.elements:
        assert not RESOURCES & set(attrs), (tag, attrs)
        assert "style" not in attrs, "the content policy forbids it"
        assert not [name for name in attrs if name.startswith("on")], (tag, attrs)
    for style in read.inside["style"]:
        assert not re.search(r"@import|url\(", style)


def test_the_only_links_out_are_to_pages_and_give_nothing_away(read):
    links = [attrs for tag, attrs in read.elements if tag == "a" and not attrs["href"].startswith("#")]
    assert links
    for attrs in links:
        assert re.match(r"https?://", attrs["href"]), attrs
        assert {"noopener", "noreferrer"} <= set(attrs["rel"].split())


def test_the_content_policy_allows_the_scripts_and_styles_of_the_page_and_no_others(read):
    policy = next(a["content"] for t, a in read.elements if t == "meta" and "http-equiv" in a)
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy
    (style,), (script,) = read.inside["style"], read.inside["script"]
    for text in (style, script):
        assert f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" in policy


def test_titles_urls_and_names_of_others_are_text_and_never_markup(page, read):
    assert "img" not in {tag for tag, _attrs in read.elements}
    assert len(read.inside["script"]) == 1
    assert HOSTILE not in page
    assert HOSTILE in read.text("en")
    assert not [a for t, a in read.elements if t == "a" and a["href"].startswith("javascript:")]


def test_a_lone_surrogate_or_a_control_character_in_a_title_does_not_stop_the_report():
    made = results(("bfs", "ipagerank"), topic_title={"zh": "旅\ud800游\x00", "en": "a\x1b[2J$x$_{"})
    assert "演练" in report_page(made).decode()


def test_the_english_page_has_no_chinese_but_that_of_pages_and_topic(read):
    said = re.sub(r"黄山三日游攻略|黄山|攻略|旅游|中文", "", read.text("en"))
    assert not re.search(r"[\u4e00-\u9fff]", said), re.findall(r".{20}[\u4e00-\u9fff]+.{20}", said)


@pytest.mark.parametrize("policy", SKILL)
def test_tables_hold_the_figures_of_every_policy(read, policy):
    one = next(one for one in results().policies if one.policy == policy)
    text = read.text("en")
    for point in POINTS:
        assert f"{100 * one.precision[point].value:.1f}" in text
        assert f"{100 * one.discovery[point].value:.1f}" in text
    assert f"{one.auc_perfect.value:.3f}" in text
    assert f" {policy} " in text, "the name to type"


def test_a_self_judged_rehearsal_says_so_at_the_top_in_both_languages(read):
    own = Read(report_page(results(is_evidence=False, judged_by="bm25")).decode())
    for language, said in (("en", "Self-judged, not evidence"), ("zh", "自评，不可作为证据")):
        assert said in own.text(language)[:700]
        assert said not in read.text(language)


@pytest.mark.parametrize(
    "made",
    [
        results(("bfs",), 1),
        results(("oracle",), 1),
        results(("bfs", "rw"), 1, targets=0),
        results(("bfs", "my_own"), 2, web="小网.warc", judged_by="标注.jsonl"),
        results((), 1),
    ],
    ids=["one", "oracle alone", "targets unknown", "unknown policy", "none"],
)
def test_a_report_is_made_of_less_too(made):
    read = Read(report_page(made).decode())
    assert read.problems == []


def test_hostile_names_of_policies_topics_and_webs_are_text():
    made = results(("bfs", HOSTILE), topic=HOSTILE, topic_title={}, web=HOSTILE, judged_by=HOSTILE)
    read = Read(report_page(made).decode())
    assert read.problems == []
    assert len(read.inside["script"]) == 1
    assert f"Rehearsal: {HOSTILE}" in read.text("en")


@pytest.mark.parametrize("policy", POLICY_NAMES)
def test_every_policy_has_a_name_an_explanation_and_a_colour_of_its_own(policy):
    views = policies_of(results(POLICY_NAMES, 1))
    view = next(view for view in views if view.figures.policy == policy)
    assert re.search(r"[\u4e00-\u9fff]", view.explanation.zh)
    assert view.explanation.en.endswith(".")
    assert [view.light, view.dark] not in [[other.light, other.dark] for other in views if other is not view]
