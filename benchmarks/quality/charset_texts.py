"""Texts of our own in many languages, the encodings in which such pages are written, and the encodings that pages declare."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Written:
    """A text in one language, a title of a few characters, and the encodings in which it is written (Python's names)."""

    language: str
    title: str
    text: str
    codecs: tuple[str, ...]


TEXTS = (
    Written(
        "zh-Hans",
        "春游指南",
        "云台山位于河南省焦作市，是著名的旅游胜地，每年春天都有许多游客来这里登山赏花。景区全年开放，门票一百二十元，老人和儿童可以免票。"
        "“最好的季节是四月和十月，”导游说，“那时天气凉爽，山间的瀑布水量充足。”记者了解到，今年的游客比去年多了三成，其中大部分来自北京、上海和广州。",
        ("gbk", "gb18030", "utf-8", "hz"),
    ),
    Written(
        "zh-Hant",
        "賞花路線",
        "陽明山國家公園位於臺北市，是著名的旅遊勝地，每年春天都有許多遊客來這裡登山賞花。園區全年開放，不收門票，停車場就在遊客中心旁邊。"
        "「最好的季節是三月和四月，」導遊說，「那時櫻花盛開，山上的溫泉也很舒服。」記者了解，今年的遊客比去年多了三成，其中大部分來自香港、日本和韓國。",
        ("big5", "gbk", "gb18030", "utf-8"),
    ),
    Written(
        "ja",
        "京都の桜",
        "京都は日本の古い都です。春になると、たくさんの人が桜を見にやって来ます。市内には寺や神社が多く、歩いて回るだけでも一日では足りません。"
        "「一番いい季節は四月です」とガイドさんは言います。ホテルの予約はインターネットで早めにすませましょう。バスと地下鉄の一日券も便利です。",
        ("cp932", "euc_jp", "iso2022_jp", "utf-8"),
    ),
    Written(
        "ko",
        "서울여행",
        "서울은 대한민국의 수도이며 가장 큰 도시입니다. 봄에는 많은 관광객이 벚꽃을 보러 찾아옵니다. 시내에는 궁궐과 박물관이 많아서 하루에 다 볼 수 없습니다. "
        "안내원은 가장 좋은 계절이 사월이라고 말했습니다. 호텔은 인터넷으로 미리 예약하는 것이 좋고, 지하철을 타면 어디든지 쉽게 갈 수 있습니다.",
        ("euc_kr", "cp949", "utf-8"),
    ),
    Written(
        "ru",
        "Весна",
        "Москва — столица России, крупнейший по численности населения город страны и её главный центр. Каждую весну сюда приезжает множество туристов. "
        "«Лучшее время года — май», — говорит экскурсовод. Гостиницу следует заказать заранее, а по городу удобнее всего ездить на метро.",
        ("cp1251", "koi8-r", "iso8859-5", "cp866", "utf-8"),
    ),
    Written(
        "uk",
        "Їжа і дім",
        "Київ є столицею України та найбільшим містом країни. Щовесни сюди приїздить багато туристів, які хочуть побачити квітучі каштани. "
        "Найкраща пора року — травень, каже екскурсовод. Готель слід замовити заздалегідь, а містом зручніше їздити на метро.",
        ("cp1251", "koi8-u", "utf-8"),
    ),
    Written(
        "el",
        "Άνοιξη",
        "Η Αθήνα είναι η πρωτεύουσα της Ελλάδας και η μεγαλύτερη πόλη της χώρας. Κάθε άνοιξη έρχονται πολλοί τουρίστες για να δουν τα αρχαία μνημεία. "
        "Η καλύτερη εποχή είναι ο Μάιος, λέει ο ξεναγός. Το ξενοδοχείο πρέπει να κλείνεται νωρίς.",
        ("cp1253", "iso8859-7", "utf-8"),
    ),
    Written(
        "de",
        "Frühling",
        "Der Käse schmeckt schön, und die Straße führt über die Brücke nach München. Jedes Frühjahr kommen viele Gäste, um die blühenden Gärten zu sehen. "
        "Die schönste Zeit ist der Mai, erklärt die Führerin. Für größere Gruppen müssen die Plätze früh bestellt werden; Schüler zahlen die Hälfte.",
        ("cp1252", "iso8859-15", "utf-8"),
    ),
    Written(
        "fr",
        "Été à Lyon",
        "La ville a été fondée il y a très longtemps et reste l’une des plus visitées. À chaque printemps, de nombreux élèves y découvrent les musées, les théâtres et les forêts. "
        "Le meilleur moment est le mois de mai, précise la guide. L’hôtel doit être réservé à l’avance, où que vous alliez.",
        ("cp1252", "utf-8"),
    ),
    Written(
        "pl",
        "Żółw",
        "Zażółć gęślą jaźń, a potem pójdź do domu i śpij spokojnie. Każdej wiosny przyjeżdża tu wielu turystów, żeby zobaczyć kwitnące łąki i świeżą zieleń. "
        "Najlepszą porą jest maj, mówi przewodniczka. Nocleg trzeba zamówić wcześniej, a po mieście najłatwiej jeździć tramwajem; bilet całodzienny kosztuje dziesięć złotych.",
        ("cp1250", "iso8859-2", "utf-8"),
    ),
    Written(
        "cs",
        "Příroda",
        "Příliš žluťoučký kůň úpěl ďábelské ódy. Každé jaro sem přijíždí mnoho turistů, kteří chtějí vidět kvetoucí třešně. "
        "Nejlepší dobou je květen, říká průvodkyně. Ubytování je třeba objednat včas a po městě se nejlépe jezdí tramvají.",
        ("cp1250", "iso8859-2", "utf-8"),
    ),
    Written(
        "tr",
        "Güneş",
        "İstanbul Türkiye'nin en büyük şehridir ve her ilkbahar pek çok turist çiçek açan ağaçları görmeye gelir. "
        "Rehber, en güzel ayın mayıs olduğunu söylüyor. Otel için önceden yer ayırtmak gerekir; şehir içinde ulaşım için tramvay, vapur ve metro kullanışlıdır.",
        ("cp1254", "iso8859-9", "utf-8"),
    ),
    Written(
        "he",
        "אביב",
        "ירושלים היא עיר הבירה של ישראל והעיר הגדולה ביותר בה. בכל אביב באים אליה תיירים רבים כדי לראות את הפריחה. "
        "העונה הטובה ביותר היא חודש מאי, אומרת המדריכה. את המלון כדאי להזמין מראש.",
        ("cp1255", "iso8859-8", "utf-8"),
    ),
    Written(
        "ar",
        "الربيع",
        "القاهرة هي عاصمة مصر وأكبر مدنها، ويأتي إليها في كل ربيع كثير من السياح لمشاهدة الآثار والمتاحف القديمة. "
        "أفضل وقت للزيارة هو شهر مايو كما تقول المرشدة. يجب حجز الفندق مسبقا، والتنقل في المدينة سهل بواسطة المترو.",
        ("cp1256", "iso8859-6", "utf-8"),
    ),
    Written(
        "th",
        "ท่องเที่ยว",
        "กรุงเทพมหานครเป็นเมืองหลวงของประเทศไทยและเป็นเมืองที่ใหญ่ที่สุด ทุกปีมีนักท่องเที่ยวจำนวนมากมาเยี่ยมชมวัดและพิพิธภัณฑ์ "
        "ช่วงเวลาที่ดีที่สุดคือเดือนธันวาคม ควรจองโรงแรมล่วงหน้า และการเดินทางด้วยรถไฟฟ้าสะดวกที่สุด",
        ("cp874", "utf-8"),
    ),
    Written(
        "vi",
        "Hà Nội",
        "Hà Nội là thủ đô của Việt Nam. Mỗi mùa xuân có rất nhiều du khách đến đây để ngắm hoa đào và thăm phố cổ.",
        ("utf-8",),
    ),
    Written(
        "en",
        "It’s here",
        "The guide says it’s best to come in May, when the gardens are in bloom and the “old town” isn’t crowded. Hotels should be booked early — the buses run all day.",
        ("cp1252", "utf-8"),
    ),
)  # fmt: skip

DECLARATIONS = (
    "",
    "utf-8",
    "iso-8859-1",
    "gb2312",
    "gbk",
    "big5",
    "shift_jis",
    "euc-kr",
    "euc-jp",
    "windows-1251",
    "utf-16",
    "no-such",
)
LABELS = {"cp932": "shift_jis", "cp949": "euc-kr", "hz": "hz-gb-2312"}
TELLING = ("zh-Hans", "zh-Hant", "ja", "ko", "ru", "uk", "ar", "th")
"""Languages in which a title of a few characters is enough to find the encoding without a right declaration. A word such as
Frühling has one byte beyond ASCII: only a declaration can say which letter that is."""

SIZES = ("title", "line", "page", "long")


def page(text: Written, size: str, label: str = "") -> str:
    """A page with ``text`` in one of SIZES, which declares the encoding ``label`` in its markup ("": none)."""
    meta = f'<meta charset="{label}">' if label else ""
    body = {"title": "1", "line": text.text[:50], "page": text.text, "long": text.text * 4}[size]
    return f"<html><head>{meta}<title>{text.title}</title></head><body><p>{body}</p></body></html>"
