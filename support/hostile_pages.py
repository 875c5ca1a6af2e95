"""Pages made to cost a parser time or memory. Each is built when it is asked for, because some are large."""

from __future__ import annotations

from collections.abc import Callable

PAGES_OF_100_KB = 12
"""The most that a page may cost: as much as so many ordinary pages of 100 kB. Linear costs reach 9, as most pages have 1 or 4 MB."""
LD = "<script type='application/ld+json'>"
ARTICLE = "<title>云台山春季旅游指南</title><h1>云台山春季旅游指南</h1><p>云台山位于河南省焦作市，是一处以山水景观闻名的旅游胜地，每年春天都有许多游客前来登山赏花。</p>"


def _attributes(count: int) -> str:
    return "<div " + " ".join(f"a{i}=1" for i in range(count)) + ">x</div>"


def _repeated(piece: str, size: int = 1_000_000) -> str:
    """An article with a paragraph of ``size`` bytes that repeats ``piece``."""
    return ARTICLE + "<p>" + piece * (size // len(piece.encode())) + "</p>"


PAGES: dict[str, Callable[[], str | bytes]] = {
    "349 kB of attributes in one tag": lambda: _attributes(40_000),
    "1.9 MB of attributes in one tag": lambda: _attributes(200_000),
    "100,000 nested divs": lambda: "<div>" * 100_000,
    "100,000 nested spans": lambda: "<span>" * 100_000 + "x",
    "100,000 nested tables": lambda: "<table><tr><td>" * 33_000,
    "100,000 nested lists": lambda: "<ul><li>" * 50_000,
    "100,000 nested bold and italic": lambda: "<b><i>" * 50_000 + "<p>x" * 10,
    "7,900 nested divs": lambda: "<div>" * 7_900 + "云台山",
    "7,900 nested fonts around paragraphs": lambda: "<font><p>" * 3_950 + "云台山",
    "7,900 nested links": lambda: "<a href=/1><b>" * 3_950,
    "7,900 nested tables": lambda: "<table><td>" * 3_950,
    "7,900 forms and selects": lambda: "<form><select><option>" * 2_630,
    "100,000 links": lambda: "".join(f"<a href='/p/{i}'>链接{i}</a>" for i in range(100_000)),
    "7,000 links in one paragraph, with arrows": lambda: "<p>" + "".join(f"<a href='/p/{i}'>链接{i}</a> » " for i in range(7_000)),
    "7,000 long links": lambda: "".join(f"<a href='/p/{'路' * 60}{i}?a=1&b={i}'>链接{i}</a>" for i in range(7_000)),
    "100 MB title": lambda: b"<title>" + b"x" * 100_000_000,
    "9 MB Chinese title": lambda: "<title>" + "标题" * 3_000_000,
    "4 MB of NUL": lambda: b"<html>" + b"\0" * 4_000_000,
    "NUL between letters": lambda: b"<html><p>" + b"a\0" * 1_000_000,
    "4 MB of bytes that are no text": lambda: b"<html>" + bytes(range(128, 256)) * 31_000,
    "4 MB of broken UTF-8": lambda: b"<html><meta charset=utf-8>" + "云".encode()[:2] * 2_000_000,
    "4 MB of UTF-8 with errors": lambda: b"<html>" + ("云台山".encode() + b"\xff") * 400_000,
    "4 MB of GBK": lambda: b"<meta charset=gbk><p>" + "云台山，旅游。".encode("gbk") * 280_000,
    "4 MB of UTF-16": lambda: "<html><p>云台山".encode("utf-16") + "旅游".encode("utf-16-le") * 900_000,
    "ISO-2022-JP escapes": lambda: b"<html>" + b"\x1b$B\x1b(B" * 600_000,
    "HZ escapes": lambda: b"<html>" + b"~{VPND~}" * 500_000,
    "HZ that never ends": lambda: b"<html>" + b"~{" + b"VP" * 1_900_000,
    "open tags": lambda: "<a " * 300_000,
    "quotes that hide tags": lambda: "<a x=\"<b y='<c " * 70_000,
    "an unclosed quote": lambda: '<a href="' + "x " * 1_900_000,
    "unclosed quotes": lambda: "<a href='/1\">" * 7_000 + "x" * 2_000_000,
    "an unclosed comment": lambda: ARTICLE + "<!--" + "<p>云台山" * 250_000,
    "comments that begin": lambda: "<!--" * 200_000,
    "comments that almost end": lambda: "<!--" + "--!" * 1_000_000,
    "declarations": lambda: "<!doctype " * 300_000,
    "CDATA": lambda: "<svg><![CDATA[" * 200_000,
    "meta that declare nothing": lambda: "<meta charset='" * 200_000,
    "tags of many attributes": lambda: ("<a " * 127 + ">") * 3_000,
    "attributes behind a long value": lambda: "<p a='" + "x" * 9_000 + "' " + "b c d " * 100_000 + ">",
    "attributes that begin with =": lambda: "<p " + "=a " * 100_000 + ">",
    "attributes without space": lambda: "<p " + 'a="1"' * 100_000 + ">",
    "the same 64 attributes in 7,900 tags": lambda: ("<p " + " ".join(f"a{i}=1" for i in range(63)) + ">") * 7_900,
    "long classes": lambda: "".join(f"<div class='{'nav ' * 200}{i}'>云台山</div>" for i in range(3_000)),
    "long styles": lambda: "".join(f"<p style='{'color:red;' * 100}'>云台山{i}</p>" for i in range(3_000)),
    "a giant style sheet": lambda: "<style>" + "p,div{font-size:12px}" * 150_000 + "</style>" + ARTICLE,
    "less-than signs": lambda: "<" * 1_000_000,
    "greater-than signs": lambda: ">" * 3_000_000,
    "entities": lambda: "<p>" + "&amp;" * 780_000,
    "entities without an end": lambda: "<p>" + "&a" * 1_900_000,
    "numeric entities": lambda: "<p>" + "&#x110000;" * 390_000,
    "a giant script in one line": lambda: ARTICLE + "<script>" + "var a=function(b){return b+1};" * 130_000 + "</script>",
    "scripts that never end": lambda: "<script>" * 7_900 + "</scrip" * 300_000,
    "many small scripts": lambda: "<script>a</script>" * 100_000,
    "styles and scripts alternating": lambda: "<style>a</style><script>" * 60_000,
    "a meta of 4 MB": lambda: "<meta name=keywords content='" + "旅游," * 570_000 + "'>" + ARTICLE,
    "60,000 meta": lambda: "<meta name=x content=y>" * 60_000,
    "7,900 link elements": lambda: "<link rel='next canonical alternate' hreflang=zh href='/云台山'>" * 7_900,
    "JSON-LD of brackets": lambda: LD + "[" * 100_000 + "</script>",
    "JSON-LD of nested objects": lambda: LD + '{"a":' * 30_000 + "1" + "}" * 30_000 + "</script>",
    "JSON-LD nested to the limit": lambda: LD + '{"@graph":[' * 400 + "]}" * 400 + "</script>",
    "JSON-LD of many objects": lambda: (LD + "[" + ",".join(['{"@type":"Book","name":"游记","isbn":"9787108009821"}'] * 3_500) + "]</script>") * 8,
    "JSON-LD of 4 MB": lambda: LD + '{"@type":"NewsArticle","headline":"' + "标题" * 600_000 + '"}</script>',
    "JSON-LD of long numbers": lambda: LD + '{"price":' + "9" * 100_000 + "}</script>",
    "JSON-LD that is none": lambda: (LD + "ld+json" * 20_000) * 8,
    "microdata": lambda: "<div itemscope itemtype='http://schema.org/Book' itemprop=a>" * 7_900,
    "microdata of flat properties": lambda: "<div itemscope itemtype='http://schema.org/Product'>" + "<b itemprop=name>云台山</b>" * 7_900,
    "headings": lambda: "<h1>标题啊标题</h1>" * 50_000,
    "7,900 headings": lambda: "<h2>标题啊标题，标题</h2>" * 3_950,
    "7,900 paragraphs": lambda: "<title>山</title>" + "<p>云台山位于河南省，是旅游胜地，春天有许多游客。" * 7_900,
    "paragraphs that differ": lambda: "".join(f"<p>云台山第{i}处景观，春天有许多游客来这里登山。" for i in range(7_900)),
    "one paragraph of 1.3 million characters": lambda: ARTICLE + "<p>" + "云台山位于河南省，是旅游胜地。" * 90_000,
    "one sentence of 1.3 million characters": lambda: ARTICLE + "<p>" + "云台山位于河南省是旅游胜地" * 100_000,
    "one English word of 1.5 million letters": lambda: ARTICLE + "<p>" + "x" * 1_500_000,
    "words that all differ": lambda: ARTICLE + "<p>" + " ".join(f"w{i:x}" for i in range(200_000)),
    "lines": lambda: "<pre>" + "云\n" * 400_000,
    "breaks": lambda: "<p>" + "云<br>" * 7_800,
    "endings": lambda: ARTICLE + "<p>相关新闻</p><div>相关阅读</div>" * 1_900,
    "notices of copyright": lambda: ARTICLE + "<p>版权所有</p>" * 3_900,
    "spaces": lambda: "<p>" + " " * 3_000_000,
    "spaces of other kinds": lambda: _repeated("\u3000\xa0"),
    "spaces in a title": lambda: "<title>" + " " * 3_000_000 + "山",
    "dots in a path": lambda: "<a href='" + "/.." * 500_000 + "'>x</a>",
    "percent signs in links": lambda: "".join(f"<a href='/{'%E4%BA' * 200}{i}'>山</a>" for i in range(2_000)),
    "queries": lambda: "".join(f"<a href='/?{'&'.join(f'k{j}={i}' for j in range(90))}'>山</a>" for i in range(2_000)),
    "hosts": lambda: "".join(f"<a href='http://www.h{i}.example.com.cn/'>山</a>" for i in range(3_900)),
    "numbered links": lambda: "".join(f"<a href='?page={i}'>{i}</a>" for i in range(3_900)),
    "separators in a title": lambda: "<title>" + "_ - " * 100_000,
    "parts of a title": lambda: "<title>" + "云台山_" * 1_200 + "</title><h1>云台山</h1>" + "<h1>山</h1>" * 2_000,
    "misnested formatting": lambda: "<b><i><p>" * 20_000,
    "misnested tables": lambda: "<table><p><tr><b><td>" * 1_900,
    "raw text in svg": lambda: "<svg><style><div " + "a " * 200_000,
    "templates": lambda: "<template><div>" * 3_900,
    "frames": lambda: "<iframe src='/1'></iframe>" * 3_900 + "<frame src=/2>" * 100,
    "noscript": lambda: "<noscript><p>" * 3_900 + "请开启JavaScript" * 100_000,
    "plain text": lambda: "<plaintext>" + "<div>" * 300_000,
    "marks of direction": lambda: _repeated("\u202e\u200b"),
    "lone surrogates": lambda: "<p>" + "&#xd800;" * 480_000,
    "combining marks": lambda: _repeated("e\u0301\u0300\u0302"),
    "regional letters": lambda: _repeated("İıſK"),
}  # fmt: skip

# the patterns of page/ look for pieces such as these; a text repeats one, some of them beginnings that never end
_RUNS = (
    "2024年", "2024年1月", "2024-01-01 ", "2024-", "20240101", "1", "12:30 ", "5月1日", "昨天", "3天前", "Jan ", "1 January 2024, ", "作者：", "作者:李四 ",
    "来源：", "记者", "by ", "By John Smith ", "责任编辑：", "编辑", "http://", "www.", "a@b.", "@", "ISBN ", "978-7-", "9787", "定价：", "￥12.50 ", "$1,", "元",
    "电话：", "010-", "1381234", "+86 ", "地址：", "出版社", "《", "》", "（", "）", "“", "。", "，", "、", "...", "…", "-", "_", "|", "—", "·", ">>", "&gt;",
    "下一页", "第1页", "1/", "版权所有", "Copyright ", "©", "请输入验证码", "404 ", "请开启JavaScript", "登录", "\n", "\t ", "a b ", "A", "aB", "字 ", "{", "}", "[", "\\", '"',
    "'", "`", "#", "%", ";", "：", ":", "=", "ld+json", "<!---", "<p><", "</", "url=", "0;url=", "charset=", "display:", "font-size:",
)  # fmt: skip
PAGES |= {f"1 MB of {run!r}": (lambda run=run: _repeated(run)) for run in _RUNS}
PAGES |= {
    f"{run!r} in title, meta and attributes": (
        lambda run=run: "<title>" + run * 50_000 + "</title>"
        + "".join(f'<meta name="{name}" property="{name}" content="{(run * 2_000).replace(chr(34), "")}">'
                  for name in ("author", "keywords", "description", "og:title", "article:published_time", "date", "refresh", "og:site_name"))
        + '<meta http-equiv=refresh content="' + (run * 2_000).replace('"', "") + '">'
        + "".join(f'<p class="{(run * 300).replace(chr(34), "")}" style="{(run * 300).replace(chr(34), "")}"><a title="{(run * 300).replace(chr(34), "")}" href="{(run * 300).replace(chr(34), "")}">'
                  f'{run * 100}</a><time datetime="{(run * 300).replace(chr(34), "")}">{run * 40}</time></p>' for _ in range(200))
        + ARTICLE
    )
    for run in _RUNS
}  # fmt: skip
