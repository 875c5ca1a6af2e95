"""A topic is compiled to near words, a direction and spellings; from a name alone too."""

from __future__ import annotations

import pytest

from topicspider.relevance.interfaces import PageWords
from topicspider.relevance.page_judge import PageJudge
from topicspider.text.segment import make_segmenter
from topicspider.topic.compiling import compile_topic, protect_words
from topicspider.topic.learning import learn
from topicspider.topic.profile import Topic

TEA = "绿茶 红茶 乌龙茶 普洱茶 花茶 龙井茶 茶农 茶园 茶树 采茶 泡茶 饮茶 品茶 喝茶 茶道 茶具 茶壶 茶杯 茶馆 茶楼 名茶 茶香 茶商 茶汤 新茶"
ARCHAEOLOGY = "考古学 考古队 考古学家 文物 出土 出土文物 发掘 挖掘 遗址 遗迹 古墓 墓葬 墓穴 墓室 陵墓 化石 文物局 博物馆 历史博物馆 古迹 古代 石窟 甲骨文 历史学家 史学家"
CARS = "电动 电动车 纯电动 混动 充电桩 充电站 动力电池 锂电池 锂电 车企 整车 轿车 电动机 电机 电池 蓄电池 充电 动力 发动机 太阳能 燃料 能源 节能 功率 大功率 电力 新车 小汽车 轿车 汽车业 引擎 驱动力 车型 机动车 氢 能耗"
FAR = "足球 股票 小说 演员 法院 大学 音乐 数学 手术 选举"
# What shares a character with the name, and nothing else


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "topicspider" / "compiled"


def profile(title=None, **keys):
    named = {"title": {"zh": title}} if title else {}
    return learn(Topic(name="t", **named, **keys), make_segmenter())


def model(title=None, **keys):
    return compile_topic(profile(title, **keys))


# How many of which words are near, and what shares a character with the name and nothing else
NAMES = [
    ("茶叶", 8, TEA, "茶几 叶片 落叶 树叶"),
    ("考古", 8, ARCHAEOLOGY, "考试 高考 考生 古怪 古板"),
    ("新能源汽车", 8, CARS, "汽水 汽笛 源头 能人 新闻"),
    ("新能源汽车", 5, "充电桩 动力电池 锂电池 混合动力 纯电动", ""),
    ("房地产", 3, "二手房 学区房 楼市", ""),
    ("AI 芯片", 4, "人工智能 机器人 处理器 手机芯片", ""),
]


@pytest.mark.parametrize(("name", "least", "plausible", "look_alike"), NAMES)
def test_a_name_alone_gives_a_sensible_list(name, least, plausible, look_alike):
    near = set(model(name).expansion)
    assert len(near) >= 40
    assert len(near & set(plausible.split())) >= least
    assert not near & set(f"{FAR} {look_alike}".split())


@pytest.mark.parametrize(
    ("name", "of_the_field", "beside_it"),
    [
        ("量子计算", "量子通信 量子纠缠 算力 超算", "脑门 占卜 算命 星座运势 生肖 微积分 素数"),
        ("区块链", "比特币 加密货币 数字货币 挖矿", "块儿 锁骨 堵车 坑坑洼洼 部门 隧道 砖窑"),
        ("天文学", "恒星 行星 彗星 宇宙学", "占卜 星座运势 影星 歌星 五星 克星 追星"),
        ("编织", "手工艺 纺织品", "地缝 眯缝 乱弹琴 布下 演唱会 唱歌"),
        ("观鸟", "鸟类 候鸟 栖息地", "经济学家 拓扑 尾气 撸猫 畜牧业"),
        ("围棋", "象棋 棋手 棋盘", "篮板 铅球 足球青训 三分球"),
        ("婚礼", "婚纱 新娘 彩礼", "姑夫 入籍 经籍 时装 筵宴"),
        ("货运", "海运 集装箱 港口 物流", "赝品 钢铁 送走 上送"),
        ("潜水", "浮潜 潜水员 潜水器", "冲绳 潮流 配速 船身 长拳"),
        ("高考", "志愿填报 分数线 考研", "考古 面试"),
    ],
)
def test_words_near_a_name_are_of_its_field(name, of_the_field, beside_it):
    near = set(model(name).expansion)
    assert set(of_the_field.split()) <= near
    assert not near & set(beside_it.split())


def test_pages_are_cut_so_that_near_words_are_found():
    segmenter = make_segmenter()
    found = compile_topic(learn(Topic(name="t", title={"zh": "新能源汽车"}), segmenter))
    assert "充电桩" in found.expansion
    assert "充电桩" not in segmenter.words("小区里的充电桩")
    protect_words(found, segmenter)
    assert segmenter.words("小区里的充电桩")[-1] == "充电桩"
    assert segmenter.words("新能源汽车的充电桩") == ["新能源汽车", "充电桩"]
    again = make_segmenter(segmenter.own_words)
    assert all(again.cut(word) == segmenter.cut(word) == [word] for word in segmenter.own_words)


def test_a_word_of_the_topic_is_not_hidden_in_a_near_word():
    segmenter = make_segmenter()
    found = compile_topic(learn(Topic(name="t", terms={"旅游": 10.0, "景区": 5.0}), segmenter))
    protect_words(found, segmenter)
    assert "旅游攻略" in found.expansion
    assert segmenter.words("旅游攻略") == ["旅游", "攻略"]


def test_english_words_have_english_neighbours_and_stand_for_their_plurals():
    topic = profile(terms={"museum": 1.0, "city": 1.0, "boxes": 0.5, "tea": 1.0}, languages=("en",), near={"teas": 0.0})
    plurals = {"museums": "museum", "cities": "city", "box": "boxes"}
    assert plurals.items() <= topic.synonyms.items()
    assert "teas" not in topic.synonyms
    assert all(word.isascii() for word in compile_topic(topic).expansion)


def test_an_english_form_that_the_table_lacks_is_placed_by_its_stem():
    near = model("baking", languages=("en",)).expansion
    assert {"bake", "cake", "dough"} <= near.keys()


@pytest.mark.parametrize("word", ["обжарка", "футбол", "pênalti", "กาแฟ", "تحميص", "nożna"])
def test_a_word_of_another_alphabet_is_no_sum_of_short_words_in_it(word):
    """The letters об and бар are words, and the topic stood near denn, cui and üzerine."""
    found = model(word, terms={word: 1.0}, languages=("ru",))
    assert (found.expansion, found.vector) == ({}, ())
    assert model("кофе", terms={"лист": 1.0, "город": 1.0}).vector


def test_a_topic_of_which_the_vectors_know_one_stray_word_has_no_direction():
    words = {"Wandern": 10.0, "Wanderweg": 8.0, "Bergtour": 7.0, "Rucksack": 5.0}
    assert not model(terms=words, languages=("de",)).vector
    assert model(terms=words | {"hiking": 10.0, "trail": 8.0}, languages=("de", "en")).vector


def test_what_the_topic_file_says_of_near_words_wins():
    assert {"茶馆", "茶壶"} <= set(model("茶叶").expansion)
    edited = model("茶叶", near={"茶馆": 0.0, "茶壶": 0.9, "冲泡": 0.5}).expansion
    assert "茶馆" not in edited
    assert (edited["茶壶"].weight, edited["茶壶"].of) == (0.9, "")
    assert edited["冲泡"].weight == 0.5


def test_negative_words_and_synonyms_are_not_near():
    found = model(terms={"茶叶": 1.0}, negative={"茶几": 0.5}, synonyms={"茶叶": ("名茶",)})
    assert not {"茶几", "名茶"} & set(found.expansion)


def test_words_with_accents_and_in_cyrillic_are_spelt_in_latin_letters_in_addresses():
    spelt = model(terms=dict.fromkeys(("Rösterei", "café", "кофейня", "커피"), 1.0), languages=("de",)).url_words
    expected = {"roesterei": "rösterei", "rosterei": "rösterei", "cafe": "café", "kofeynya": "кофейня"}
    assert expected.items() <= spelt.items()
    assert "cafe" not in model(terms={"café": 1.0, "cafe": 1.0}).url_words


def test_words_in_addresses():
    found = model("旅游")
    assert found.url_words["lvyou"] == "旅游"
    assert found.url_words["tourism"] == "旅游"
    assert not any(len(spelling) < 3 for spelling in found.url_words)
    assert not set(found.url_words) & set(found.profile.weights)


TOGETHER = "semantic of every part"


BOTH_AND_HALF = [
    ("乡村旅游", ("山村民宿住满游客", "古村的农家乐让村民吃上旅游饭，游客来摘杨梅。"), ("巴黎铁塔门票涨价", "游客登顶要先预约，酒店旺季涨价。")),
    ("儿童文学", ("写给小学生的童话", "作家为孩子写的小说和童话，孩子爱读。"), ("儿童安全座椅怎么装", "孩子坐车要系好，冬天脱掉外套。")),
    ("machine learning", ("Learning algorithms for machines", "Computers learn from training data."), ("Learning Spanish", "The teacher speaks slowly, pupils learn words.")),
    ("AI芯片", ("AI 芯片算力翻倍", "GPU 和 AI 芯片一起训练神经网络，算力翻倍。"), ("Chips and dips", "Potato snacks with 番茄 sauce")),
]  # fmt: skip


@pytest.mark.parametrize(("name", "both", "half"), BOTH_AND_HALF)
def test_a_page_on_one_part_alone_stands_back(name: str, both: tuple[str, str], half: tuple[str, str]) -> None:
    judge, pages = judged(name, both, half)
    scores = [judge.judge(page).value for page in pages]
    assert scores[0] > scores[1]
    parts = [dict(judge.explain(page)) for page in pages]
    assert parts[0].get(TOGETHER, 0.0) > max(parts[1].get(TOGETHER, 0.0), 0.0)
    assert sum(parts[0].values()) == pytest.approx(scores[0], abs=1e-9)


def judged(name: str, *texts: tuple[str, str]) -> tuple[PageJudge, list[PageWords]]:
    segmenter = make_segmenter()
    profile = learn(Topic(name="t", title={"zh": name}), segmenter)
    model = compile_topic(profile)
    protect_words(model, segmenter)
    pages = [PageWords(tuple(segmenter.words(title)), tuple(segmenter.words(body))) for title, body in texts]
    return PageJudge(profile, "learned", model=model), pages
