"""Twelve short texts of our own in every script that pages have: six on tourism, six on other things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.relevance.topics import SEGMENTER
from topicspider.relevance.interfaces import PageWords

if TYPE_CHECKING:
    from topicspider.text.segment import Segmenter


@dataclass(frozen=True)
class SmallText:
    """A title and a body; ``script`` is simplified, traditional, english, mixed or fullwidth (letters as wide as a Chinese character)."""

    name: str
    script: str
    is_tourism: bool
    title: str
    body: str

    def words(self, segmenter: Segmenter = SEGMENTER) -> PageWords:
        """As a page's words come to a scorer."""
        return PageWords(tuple(segmenter.words(self.title)), tuple(segmenter.words(self.body)))


TEXTS = (
    SmallText(
        "island",
        "simplified",
        True,
        "海岛旅游三日行程",
        "第一天坐船上岛，住海边的酒店；第二天去灯塔和沙滩两个景点，门票合起来六十元；第三天逛渔村，下午返回。旅游旺季要提前订船票。",
    ),
    SmallText(
        "mountain",
        "simplified",
        True,
        "秋天的山里人少，红叶正好",
        "我们从北门进景区，沿着溪水走了四个小时，到观景台时云海刚散开。游客中心可以寄存行李，下山有班车。这次旅行花得不多，一家人都很满意。",
    ),
    SmallText(
        "hot_spring",
        "traditional",
        True,
        "溫泉小鎮旅遊攻略",
        "搭火車一個半小時就到，車站旁邊有遊客中心。老街的景點都能走到，晚上住有露天風呂的旅館，隔天再去瀑布。旅遊平日去門票便宜，房價也低。",
    ),
    SmallText(
        "alps",
        "english",
        True,
        "Three days of travel in the Alps",
        "Take the early train to the valley, leave your bags at the hotel and ride the cable car up to the lake. Travel is cheapest in June, when "
        "the passes open and tourists are still few. Guided walks to the glacier start every morning.",
    ),
    SmallText(
        "kyoto",
        "mixed",
        True,
        "京都 Kyoto 自由行 travel guide",
        "JR Pass 可以坐新干线 Shinkansen 到京都，酒店推荐车站附近。第一天 Kiyomizu temple，第二天岚山 Arashiyama，景点之间坐 bus 就好。",
    ),
    SmallText(
        "harbour",
        "fullwidth",
        True,
        "港口城市旅游：ＴＲＡＶＥＬ　２０２６",
        "邮轮码头对面就是老城，免费的ＴＲＡＭ绕一圈三十分钟。景点周一休息，ＯＮＬＩＮＥ订门票打九折，旅行团在广场集合。",
    ),
    SmallText(
        "compiler",
        "simplified",
        False,
        "编译器为什么报内存错误",
        "指针在函数返回以后仍然指向栈上的数组，再次读取就会越界。打开警告，或者用检查工具运行测试，能看到出错的那一行。修改时把数组放到堆上。",
    ),
    SmallText(
        "surgery",
        "simplified",
        False,
        "膝关节手术以后怎样康复",
        "手术后一周以消肿和活动脚踝为主，第二周开始练习抬腿。医生会复查切口和肌肉力量，通常三个月可以慢跑。疼痛加重或者发热要马上就诊。",
    ),
    SmallText(
        "election",
        "traditional",
        False,
        "議會三讀通過年度預算",
        "議會昨晚完成表決，教育與社福支出增加，國防經費持平。反對黨批評舉債過高，財政部長說稅收優於預期，赤字會逐年下降。",
    ),
    SmallText(
        "chess",
        "english",
        False,
        "How to play a rook ending",
        "Put the rook behind the passed pawn and bring the king to the centre. The defender should check from the side and never give up the sixth "
        "rank too early. Most endings with one extra pawn on the same wing are drawn.",
    ),
    SmallText(
        "database",
        "mixed",
        False,
        "PostgreSQL 索引 index 失效的原因",
        "WHERE 条件里对字段用了函数，planner 就不会走 B-tree index。先看 EXPLAIN 的结果，再考虑 partial index 或者表达式索引，最后 ANALYZE 更新统计。",
    ),
    SmallText(
        "camera",
        "fullwidth",
        False,
        "ＣＭＯＳ传感器的噪声从哪里来",
        "读出噪声和暗电流是两个来源。ＩＳＯ越高，放大的不只是信号。降温能减少暗电流，多帧平均能压低随机噪声，ＲＡＷ文件保留了全部数据。",
    ),
)

TOURISM = tuple(text for text in TEXTS if text.is_tourism)
OTHERS = tuple(text for text in TEXTS if not text.is_tourism)
