"""Copies with small changes have near simhashes; other pages do not, also of the same column."""

from __future__ import annotations

import random
import subprocess
import sys
from itertools import pairwise

import pytest

from topicspider.page.near_duplicate import FEWEST_WORDS, NEAR, distance, simhash
from topicspider.page.page import Page
from topicspider.rehearsal.synthetic.web import SyntheticWeb
from topicspider.setting_names import package_environment
from topicspider.text.segment import make_segmenter

TEXT = (
    "清晨我们从古镇的石桥出发，沿着溪水走了两个小时，才看见山腰上的梯田。民宿的老板说，旺季这里一房难求，最好提前半个月预订，"
    "也可以住到河对岸的村子里去。午后下起了小雨，导游带大家到茶馆里听当地人唱山歌，顺便尝了尝新炒的茶。傍晚雨停，云海从谷底涌上来，"
    "摄影爱好者都跑到观景台上去了，我们却留在院子里烤火，听老人讲这座寺院的来历。第二天坐班车回城，门票和车费一共花了三百多元。"
)
OTHER = (
    "市中级法院昨天公布了去年审结的十起知识产权案件，其中四起涉及软件著作权，两起涉及商标。承办法官表示，赔偿数额的确定要看侵权人获得的利益，"
    "权利人应当保存好合同和账目。有律师建议企业在产品上市之前就做好专利检索，以免陷入漫长的诉讼。记者了解到，今年这类案件的受理数量仍在增加，"
    "法院将为此设立专门的审判庭，并邀请技术专家出庭说明。下个月起，部分案件的庭审会在网上直播，公众可以预约旁听。"
)
SEGMENTER = make_segmenter()
GOLDEN = -6652661546983549082
"""Stored hashes of earlier crawls stay comparable only while this does not change."""


def words(text: str) -> list[str]:
    return SEGMENTER.words(text)


CHANGES = {
    "nothing": lambda text: text,
    "a word": lambda text: text.replace("溪水", "小河"),
    "a number": lambda text: text.replace("三百", "四百"),
    "a note at the end": lambda text: text + "（原文刊于三月五日，略有改动）",
    "a byline": lambda text: "作者：王小明　" + text,
    "half a sentence less": lambda text: text.replace("也可以住到河对岸的村子里去。", ""),
    "other punctuation": lambda text: text.replace("，", ", ").replace("。", "\n"),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_copy_with_a_small_change_is_near(change: str) -> None:
    assert distance(simhash(words(TEXT)), simhash(words(CHANGES[change](TEXT)))) <= NEAR


def test_another_text_is_not_near() -> None:
    assert distance(simhash(words(TEXT)), simhash(words(OTHER))) > 2 * NEAR


def test_the_same_words_in_another_order_are_another_text() -> None:
    shuffled = words(TEXT)
    random.Random(4).shuffle(shuffled)
    assert distance(simhash(words(TEXT)), simhash(shuffled)) > NEAR


@pytest.fixture(scope="module")
def column() -> list[tuple[str, bool, int]]:
    """The articles of a made web in order: column, whether it repeats the article before it, simhash."""
    web = SyntheticWeb.read("pages=1500,hosts=10,seed=3")
    found = []
    for url, truth in web.labels():
        address = web._pages.addresses.find(url.split("/")[2], "/" + url.split("/", 3)[3])
        if truth.kind != "page" or address is None or address.kind != "article":
            continue
        response = web.find(url)
        assert response is not None
        page = Page(url, response.body, dict(response.headers)["Content-Type"], SEGMENTER)
        is_copy = web._pages.matter(address).copy_of is not None
        found.append((f"{address.site}/{address.section}", is_copy, simhash(page.body_words)))
    return found


def test_copies_in_the_made_web_are_near(column: list[tuple[str, bool, int]]) -> None:
    distances = [distance(a, b) for (_, _, a), (_, is_copy, b) in pairwise(column) if is_copy]
    assert len(distances) > 20
    assert sum(bits <= NEAR for bits in distances) >= 0.95 * len(distances)


def test_two_articles_of_one_column_are_not_near(column: list[tuple[str, bool, int]]) -> None:
    neighbours = [
        distance(a, b) for (one, _, a), (other, is_copy, b) in pairwise(column) if one == other and not is_copy
    ]
    assert len(neighbours) > 500
    assert sum(bits <= NEAR for bits in neighbours) <= 0.002 * len(neighbours)


@pytest.mark.parametrize("count", [0, 1, FEWEST_WORDS - 1])
def test_too_few_words_tell_nothing(count: int) -> None:
    assert simhash(words(TEXT)[:count]) == 0


@pytest.mark.parametrize("given", [["旅游"] * 50, ["\ud800坏"] * 30, [""] * 40, ["词" * 1000] * 25, ["a"] * 20_000])
def test_odd_words_have_a_hash_of_64_bits(given: list[str]) -> None:
    assert -(2**63) <= simhash(given) < 2**63
    assert simhash(given) != 0


def test_it_is_the_same_everywhere() -> None:
    given = [f"词{number % 17}" for number in range(40)]
    program = f"from topicspider.page.near_duplicate import simhash\nprint(simhash({given!r}))"
    environment = package_environment() | {"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"}
    other = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    ).stdout
    assert int(other) == simhash(given) == GOLDEN


@pytest.mark.parametrize(
    ("a", "b", "bits"), [(0, 0, 0), (-1, 0, 64), (-1, 1, 63), (5, 3, 2), (-(2**63), 0, 1), (2**63 - 1, -1, 1)]
)
def test_distance_counts_bits_of_signed_numbers(a: int, b: int, bits: int) -> None:
    assert distance(a, b) == distance(b, a) == bits
