"""What a crawl has kept is taken over by judges outside of it, and named in one line."""

from __future__ import annotations

import pytest

from topicspider.cli.judge import load_judge, load_model
from topicspider.i18n import use_language
from topicspider.options import Options
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import pack

OPTIONS = Options(topic="tourism", page_scorer="learned", link_policy="learned")
FEW = ("游客 景区 石板路 民宿", "石板路 古镇 旅游 攻略", "联赛 战报 进球", "石板路 旅游 景区 门票", "股票 基金 行情")


def bench(options=OPTIONS):
    return load_judge("tourism", options)


def crawled(folder, crawl="tourism"):
    """A bench that has learned from pages, its state kept as a crawl keeps it in ``folder``."""
    one = bench()
    for number in range(60):
        words = one.words(f"第{number}篇", f"{FEW[number % len(FEW)]} {number}")
        one.view.judge.observe(words)
    board = open_model_store("", "", folder / "pages.db", crawl)
    board.publish("node", pack([one.view]))
    board.close()
    return one


def test_it_judges_as_the_crawl_does_and_says_by_which_model(tmp_path):
    theirs, ours = crawled(tmp_path), bench()
    words = ours.words("石板路", "石板路 青砖 景区")
    before = ours.judge(words).value
    found = load_model([ours.view], OPTIONS, tmp_path, "tourism")
    assert (found.number, found.why) == (1, "")
    assert ours.judge(words).value == pytest.approx(theirs.judge(words).value, abs=1e-6) != before
    assert ours.view.judge.version == theirs.view.judge.version
    assert "model 1" in found.words()


@pytest.mark.parametrize("crawl", ["", "tea+tourism"])
def test_without_a_model_it_judges_as_before_a_first_page_and_makes_no_file(tmp_path, crawl):
    if crawl:
        crawled(tmp_path, crawl)
    before = sorted(tmp_path.iterdir())
    ours = bench()
    found = load_model([ours.view], OPTIONS, tmp_path, "tourism")
    assert found.number == 0
    assert "before a first page" in found.words()
    use_language("zh")
    assert "抓第一页之前" in found.words()
    assert sorted(tmp_path.iterdir()) == before


def test_what_was_learned_for_another_version_of_the_topic_is_not_used(tmp_path):
    crawled(tmp_path)
    (tmp_path / "t.yaml").write_text("name: tourism\nterms: {旅游: 1, 石板路: 1}\n", encoding="utf-8")
    ours = load_judge(str(tmp_path / "t.yaml"), OPTIONS)
    version = ours.view.judge.version
    found = load_model([ours.view], OPTIONS, tmp_path, "tourism")
    assert (found.number, ours.view.judge.version) == (0, version)
    assert "another version of the topic" in found.words()


def test_a_damaged_model_is_said_and_not_used(tmp_path):
    board = open_model_store("", "", tmp_path / "pages.db", "tourism")
    board.publish("node", b"\xff{")
    board.close()
    found = load_model([bench().view], OPTIONS, tmp_path, "tourism")
    assert found.number == 0
    assert "(it is none" in found.words()


def test_a_board_that_does_not_answer_is_no_error(tmp_path):
    away = Options(topic="tourism", model="redis://127.0.0.1:1/0")
    found = load_model([bench().view], away, tmp_path, "tourism")
    assert found.number == 0
    assert "127.0.0.1:1" in found.words()
