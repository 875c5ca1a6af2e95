"""The report of a rehearsal: one file that needs nothing else, whole in both languages, safe whatever pages are called."""

from __future__ import annotations

import base64
import json
import re
import shutil
import subprocess
from hashlib import sha256
from html.parser import HTMLParser

import pytest

from tests.rehearsal.made_results import HOSTILE, MACHINE, POINTS, SKILL, results
from topicspider.errors import ConfigError
from topicspider.rehearsal.report.page import report_page
from topicspider.rehearsal.report.palette import KEY_POLICIES, STYLES
from topicspider.rehearsal.report.wording import POLICIES, TEXTS
from topicspider.rehearsal.report.write import write_report
from topicspider.rehearsal.simulator.policies import POLICY_NAMES

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
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
    return report_page(results(), MACHINE)


@pytest.fixture(scope="module")
def read(page):
    return Read(page)


def test_the_page_is_well_formed(read):
    assert read.problems == []
    assert read.open == []


def test_ids_are_unique_and_every_reference_to_one_leads_somewhere(read):
    ids = [attrs["id"] for _tag, attrs in read.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    for tag, attrs in read.elements:
        if tag == "a" and attrs["href"].startswith("#"):
            assert attrs["href"][1:] in ids
        assert attrs.get("aria-labelledby", ids[0]) in ids


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
    (style,), (_data, script) = read.inside["style"], read.inside["script"]
    for text in (style, script):
        assert f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" in policy


def test_titles_urls_and_names_of_others_are_text_and_never_markup(page, read):
    assert "img" not in {tag for tag, _attrs in read.elements}
    assert len(read.inside["script"]) == 2
    assert HOSTILE not in page
    assert HOSTILE in read.text("en")
    assert not [a for t, a in read.elements if t == "a" and a["href"].startswith("javascript:")]


def test_hostile_names_of_policies_topics_and_webs_stay_inside_the_data():
    made = results(("bfs", HOSTILE), topic=HOSTILE, topic_title={}, web=HOSTILE, judged_by=HOSTILE)
    read = Read(report_page(made, MACHINE))
    assert read.problems == []
    assert len(read.inside["script"]) == 2
    data = json.loads(read.inside["script"][0])
    assert data["policies"][1]["name"]["en"] == HOSTILE
    assert data["title"]["zh"] == f"演练：{HOSTILE}"


def test_a_lone_surrogate_or_a_control_character_in_a_title_does_not_stop_the_report(tmp_path):
    write_report(
        tmp_path, results(("bfs", "ipagerank"), topic_title={"zh": "旅\ud800游\x00", "en": "a\x1b[2J$x$_{"}), MACHINE
    )
    assert "演练" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", TEXTS)
def test_every_text_is_there_in_both_languages_with_the_same_names_in_braces(key):
    english, chinese = TEXTS[key]
    assert english.strip()
    assert chinese.strip()
    assert sorted(re.findall(r"\{(\w+)\}", english)) == sorted(re.findall(r"\{(\w+)\}", chinese))
    assert not re.search(r"[\u4e00-\u9fff]", english)


@pytest.mark.parametrize("policy", [*POLICY_NAMES, "learned"])
def test_every_policy_has_name_explanation_and_look(policy):
    name, explanation = POLICIES[policy]
    assert name.en
    assert re.search(r"[\u4e00-\u9fff]", explanation.zh)
    assert explanation.en.endswith(".")
    assert policy in STYLES


def test_the_oracle_is_not_called_a_bound(read):
    told = {language: read.text(language) for language in ("en", "zh")}
    assert "nearest target: usually hard to beat, though no proof" in told["en"]
    assert "总是奔向最近的目标：通常难以超越，但并无证明" in told["zh"]
    assert not any(words in told["en"] for words in ("the most that can be reached", "as good as it gets"))
    assert not any(words in told["zh"] for words in ("上限", "1 为最好"))


def test_no_two_policies_look_alike():
    looks = list(STYLES.values())
    assert len({look.light for look in looks}) == len({look.dark for look in looks}) == len(looks)
    assert len({(look.dash, look.marker) for look in looks}) >= len(looks) - 2, (
        "dash and marker tell most apart without colour"
    )


def test_every_text_of_the_wording_is_used():
    from importlib.resources import files

    folder = files("topicspider.rehearsal.report")
    sources = [folder / "templates" / "report.html", *(one for one in folder.iterdir() if one.name.endswith(".py"))]
    used = "".join(one.read_text(encoding="utf-8") for one in sources if one.name != "wording.py")
    for key in TEXTS:
        assert f'"{key}"' in used or key.startswith("ended_"), key


def test_the_english_page_has_no_chinese_but_that_of_pages_and_topic(read):
    said = re.sub(r"黄山三日游攻略|黄山|攻略|旅游|中文", "", read.text("en"))
    assert not re.search(r"[\u4e00-\u9fff]", said), re.findall(r".{20}[\u4e00-\u9fff]+.{20}", said)


def test_the_chinese_page_says_what_was_found(read):
    text = read.text("zh")
    assert "在线学习" in text
    assert "抓取 500 页时" in text
    assert "先知" in text
    assert "Breadth-first" not in text


def test_the_finding_is_said_in_words(read):
    found = results()
    by_name = {one.policy: one for one in found.policies}
    hits, base = by_name["learned"].hits[500].value, by_name["bfs"].hits[500].value
    assert (
        f"Within 500 pages, learned found {hits / base:.1f} times as many pages on topic as breadth-first: {hits:,.0f} against {base:,.0f}."
        in read.text("en")
    )


@pytest.mark.parametrize("policy", SKILL)
def test_tables_hold_the_figures_of_every_policy(read, policy):
    one = next(one for one in results().policies if one.policy == policy)
    text = read.text("en")
    for point in POINTS:
        assert f"{100 * one.precision[point].value:.1f}" in text
        assert f"{100 * one.discovery[point].value:.1f}" in text
    assert f"{one.auc_perfect.value:.3f}" in text
    assert f" {policy} " in text, "the name to type"


def test_every_chart_has_a_table(page):
    figures = re.findall(r'<figure class="chart".*?</figure>', page, re.DOTALL)
    assert len(figures) == 4
    for figure in figures:
        assert figure.count("<tr>") == len(SKILL) + 1


def test_charts_show_the_main_policies_first_when_there_are_many(read):
    pressed = [a["aria-pressed"] == "true" for t, a in read.elements if t == "button" and "data-policy" in a]
    assert (len(pressed), sum(pressed)) == (len(SKILL), len(KEY_POLICIES & set(SKILL)))
    few = Read(report_page(results(("bfs", "rw", "opic")), MACHINE))
    assert all(a["aria-pressed"] == "true" for t, a in few.elements if t == "button" and "data-policy" in a)


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium on PATH")
@pytest.mark.parametrize(
    ("address", "language"),
    [("#zh", "zh"), ("#en", "en"), ("#zh/charts", "zh"), ("#en/method", "en"), ("#zh/nothing", "zh")],
)
def test_the_language_is_kept_in_the_address_and_by_the_contents(page, tmp_path, address, language):
    (tmp_path / "report.html").write_text(page, encoding="utf-8")
    shown = subprocess.run(
        [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom",
         (tmp_path / "report.html").as_uri() + address],
        capture_output=True, timeout=60, check=True,
    )  # fmt: skip
    elements = Read(shown.stdout.decode()).elements
    assert next(attrs["data-lang"] for tag, attrs in elements if tag == "html") == language
    ids = {attrs.get("id") for _tag, attrs in elements}
    hrefs = [attrs["href"] for tag, attrs in elements if tag == "a" and attrs.get("href", "").startswith("#")]
    assert len(hrefs) >= 5
    assert all(href.startswith(f"#{language}/") and href.partition("/")[2] in ids for href in hrefs)


def test_a_self_judged_rehearsal_says_so_at_the_top_in_both_languages(read):
    own = Read(report_page(results(is_evidence=False, judged_by="bm25"), MACHINE))
    for language, said in (("en", "Self-judged, not evidence"), ("zh", "自评，不可作为证据")):
        assert said in own.text(language)[:700]
        assert said not in read.text(language)


def test_machine_figures_are_in_the_foot(read):
    assert "61.2 s, of which 12.5 s reading" in read.text("en")


def test_a_run_that_ended_early_is_marked_and_never_the_best():
    read = Read(report_page(results(("learned", "bfs"), ended_at={"learned": 700}), MACHINE))
    cells = [a["class"] for t, a in read.elements if t == "td" and a.get("class", "").startswith("h")]
    learned, bfs = cells[:4], cells[4:8]
    assert ["best" in cell for cell in learned] == [True, False, False, False]
    assert ["best" in cell for cell in bfs] == [False, True, True, True]
    assert "* A run had ended before" in read.text("en")


@pytest.mark.parametrize(
    "made",
    [
        results(("bfs",), 1),
        results(("oracle",), 1),
        results(("bfs", "rw"), 1, targets=0),
        results(("rw", "opic"), servers=("bfs", "quality")),
        results(("bfs", "my_own"), 2, web="小网.warc", judged_by="标注.jsonl"),
        results((), 1),
    ],
    ids=["one", "oracle alone", "targets unknown", "server policies", "unknown policy", "none"],
)
def test_a_report_is_made_of_less_too(made, tmp_path):
    write_report(tmp_path, made, MACHINE)
    read = Read((tmp_path / "report.html").read_text(encoding="utf-8"))
    assert read.problems == []
    json.loads(read.inside["script"][0])


def test_with_several_server_policies_each_line_has_its_own_name_and_colour():
    data = json.loads(
        Read(report_page(results(("rw", "opic"), servers=("bfs", "quality")), MACHINE)).inside["script"][0]
    )
    assert [one["name"]["en"] for one in data["policies"]] == [
        "RW + bfs",
        "RW + quality",
        "OPIC + bfs",
        "OPIC + quality",
    ]
    assert len({one["light"] for one in data["policies"]}) == 4


def test_a_folder_that_cannot_be_written_is_one_clear_line(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConfigError, match="--out"):
        write_report(tmp_path / "file", results(("bfs",), 1), MACHINE)


def test_templates_scripts_and_licence_are_part_of_the_package():
    from setuptools import find_packages

    import topicspider

    root = topicspider.__path__[0]
    packages = {f"topicspider.{one}" for one in find_packages(root)}
    assert {"topicspider.rehearsal.report.static", "topicspider.rehearsal.report.templates"} <= packages
