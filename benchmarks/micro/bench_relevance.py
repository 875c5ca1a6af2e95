"""What judging a page and its links costs, beside cutting the same page into words.

python -m benchmarks.micro.bench_relevance
"""

from __future__ import annotations

import random
import time
import timeit
from collections.abc import Callable

from topicspider.page.links import Link
from topicspider.relevance.interfaces import PageWords, Parent
from topicspider.relevance.page_judge import PAGE_SCORERS, PageJudge
from topicspider.relevance.published_link_policies import LINK_POLICIES, make_link_policy
from topicspider.text.segment import make_segmenter
from topicspider.topic.compiling import compile_topic
from topicspider.topic.profile import Topic, TopicModel, TopicProfile
from topicspider.url import fingerprint

_TRAVEL = (
    "旅游 旅行 景区 景点 游客 旅行社 自驾游 自由行 攻略 游记 导游 行程 门票 度假 度假村 民宿 酒店 古镇 名胜 古迹 风景 风光 观光 出境游 签证 "
    "客栈 温泉 海滩 徒步 登山 国家公园 世界遗产 目的地 travel tourism tourist itinerary sightseeing vacation hotel"
)
_ELSE = (
    "清晨 我们 坐车 进山 雾 散 栈道 松树 水珠 停车场 入口 公里 中午 山脚 小店 山药 烩面 老板 周末 客人 提前 订房 瀑布 水量 去年 拍照 时候 "
    "编译 程序 数据 网络 足球 比赛 球员 股票 市场 公司 经济 学生 老师 考试 医院 医生 药品 汽车 发动机 房价 小区 种植"
)
FEATURES, OTHERS = _TRAVEL.split(), _ELSE.split()
WORDS, LINKS, PAGES = 1000, 60, 400


def milliseconds(work: Callable[[], object], repeat: int = 5) -> float:
    """The best time of one call, by the processor's clock: others may work beside it."""
    timer = timeit.Timer(work, timer=time.process_time)
    number, _ = timer.autorange()
    return 1e3 * min(timer.repeat(repeat, number)) / number


def main() -> None:
    """One line for each measurement."""
    profile = TopicProfile(
        Topic("tourism"),
        {word: 1.0 - position / 50 for position, word in enumerate(FEATURES)},
        {"游玩": "旅游", "旅客": "游客", "胜地": "景点"},
        {"旅游鞋": 0.5},
        dict.fromkeys(FEATURES, 7.0),
        "made for measuring",
    )
    model = compile_topic(profile)
    pages(profile, model)
    links(profile, model)


def made_body(rng: random.Random) -> tuple[str, ...]:
    """The words of a page, some of them about travel."""
    vocabulary = OTHERS + FEATURES[:12] + [a + b for a in OTHERS[:24] for b in OTHERS[:12]]
    return tuple(rng.choice(vocabulary) for _ in range(WORDS))


def pages(profile: TopicProfile, model: TopicModel) -> None:
    """A page of 1,000 words, with every part that an item holds, and the cutting that comes before."""
    body, segmenter = made_body(random.Random(1)), make_segmenter()
    words, text = PageWords(body[:12], body), "".join(body)
    cutting = milliseconds(lambda: segmenter.words(text))
    print(f"cut a page of {len(text)} characters: {cutting:.3f} ms")
    for name in PAGE_SCORERS:
        judge = PageJudge(profile, name, model=model)
        judging = milliseconds(lambda judge=judge: judge.judge(words))  # type: ignore[misc]
        print(f"judge {WORDS} words, {name:8s}: {judging:.3f} ms, {judging / cutting:.2f} of the cutting")


def links(profile: TopicProfile, model: TopicModel) -> None:
    """60 links a page, on a site that grows: 20 of the menu, 40 of 4,000 others; first visit and later ones."""
    segmenter = make_segmenter(FEATURES)
    site = [_page(number) for number in range(PAGES)]
    for name in LINK_POLICIES:
        policy = make_link_policy(name, profile, segmenter, model=model)

        def visit(policy=policy) -> None:  # type: ignore[no-untyped-def]
            for parent, given in site:
                policy.judge(parent, given)
                policy.promotions()

        first = 1e3 * timeit.timeit(visit, number=1) / PAGES
        later = 1e3 * min(timeit.repeat(visit, number=1, repeat=3)) / PAGES
        print(f"{LINKS} links, {name:10s}: {first:.3f} ms a page with new words, {later:.3f} ms with known words")


def _page(number: int) -> tuple[Parent, list[tuple[int, Link]]]:
    rng = random.Random(number)
    url = f"http://www.example.com/a/{number}.html"
    menu = [Link(f"http://www.example.com/menu/{n}", FEATURES[n] + OTHERS[n], block="nav") for n in range(20)]
    own = []
    for _ in range(LINKS - len(menu)):
        target = rng.randrange(4000)
        words = random.Random(target)
        anchor = "".join(words.sample(OTHERS, 4) + words.sample(FEATURES, 1) * (target % 3 == 0))
        before = f"{words.choice(OTHERS)}的{words.choice(OTHERS)}"
        own.append(Link(f"http://www.example.com/a/{target}.html", anchor, before=before, heading=words.choice(OTHERS)))
    parent = Parent(url, fingerprint(url), 0.1, number % 3 == 0, 2)
    return parent, [(fingerprint(link.url), link) for link in menu + own]


if __name__ == "__main__":
    main()
