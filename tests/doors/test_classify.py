"""``scrapy classify``: lines and pages in, classes with chances and reasons out."""

from __future__ import annotations

import io
import json
from types import SimpleNamespace

import pytest
from scrapy import cmdline
from scrapy.settings import Settings

from topicspider.commands.classify import Command

LINES = '国家队在世界杯小组赛取得首胜\n{"title": "央行下调利率", "body": "银行贷款利率下降，股市上涨。"}\n\n{"anchor": "新生儿护理"}\n'


@pytest.fixture
def classify(monkeypatch, capsys):
    """Runs it with arguments and what is piped in; gives exit code, stdout, stderr."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(cmdline, "_get_commands_dict", lambda _settings, _inproject: {"classify": Command()})

    def run(*arguments, piped=""):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(piped.encode()), isatty=lambda: False))
        with pytest.raises(SystemExit) as ended:
            cmdline.execute(["scrapy", "classify", *arguments], Settings({"TOPICSPIDER_LANGUAGE": "en"}))
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run


def test_each_line_gets_one_line_of_json_with_its_classes_best_first(classify):
    code, out, _err = classify("--json", "-", piped=LINES)
    records = list(map(json.loads, out.splitlines()))
    assert code == 0
    assert [one["classes"][0]["number"] if one["classes"] else one["error"] for one in records] == [
        "G8",
        "F8",
        "empty",
        "R72",
    ]
    first = records[0]["classes"]
    assert set(first[0]) == {"number", "title", "chance", "parts"}
    assert (first[0]["title"], len(first)) == ("体育", 3)
    assert first[0]["chance"] > first[1]["chance"]
    assert "word:世界杯" in first[0]["parts"]


def test_letters_have_the_chances_of_all_below_them(classify):
    code, out, _err = classify("--json", "--level", "1", "--top", "22", "-", piped=LINES)
    (first, *_) = map(json.loads, out.splitlines())
    assert code == 0
    assert first["classes"][0]["number"] == "G"
    assert sum(one["chance"] for one in first["classes"]) == pytest.approx(1.0, abs=0.01)


def test_a_page_is_read_and_named_with_its_title(classify, tmp_path):
    text = "三星堆遗址出土青铜器面具，考古发掘继续。"
    for name, content in (
        ("a.html", f"<title>三星堆考古</title><p>{text}</p>" * 2),
        ("a.md", f"# 三星堆考古\n\n{text}" * 2),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        code, out, _err = classify(str(tmp_path / name))
        head, first, *_more = out.splitlines()
        assert (code, "三星堆考古" in head, "neither" in head) == (0, True, False)
        assert "K87    Chinese Archaeology" in first


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ((), "FILE: '' is not valid; allowed: one URL, file or -"),
        (("a.html", "b.html"), "allowed: one URL, file or -"),
        (("missing.txt",), "No such file"),
        (("missing.html",), "a file, a WARC recording"),
        (("--top", "0", "-"), "--top: 0 is not valid; allowed: a whole number, 1 or more"),
    ],
)
def test_a_wrong_argument_is_one_line(classify, arguments, says):
    code, out, err = classify(*arguments)
    assert (code, out) == (2, "")
    assert says in err
    assert len(err.splitlines()) == 1
