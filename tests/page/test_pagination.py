"""Pagination is told by anchor and address, in the words of many sites."""

from __future__ import annotations

import pytest

from topicspider.page.links import is_pagination, is_piece_of

LIST = "http://www.example.com.cn/lvyou/list.html"
SECOND = "http://www.example.com.cn/lvyou/list_2.html"
POST = "http://www.example.com.cn/2024/05/01/yuntaishan/"


@pytest.mark.parametrize(
    ("text", "rel", "url", "page"),
    [
        ("下一页", "", SECOND, LIST),
        ("下一頁 >>", "", SECOND, LIST),
        ("【上一页】", "", LIST, SECOND),
        ("下十页", "", SECOND, LIST),
        ("最后一页", "", SECOND, LIST),
        ("第 3 页", "", SECOND, LIST),
        ("次のページ", "", SECOND, LIST),
        ("Next Page »", "", SECOND, LIST),
        ("Следующая", "", SECOND, LIST),
        *((text, "", SECOND, LIST) for text in ("Anterior", "Próximo", "Pagina successiva", "Następna strona", "Sonraki", "Volgende", "التالي")),
        *((text, "", SECOND, LIST) for text in ("الصفحة التالية", "הבא", "Επόμενη", "अगला", "ถัดไป", "Trang sau", "Weiter", "Далее")),
        ("2", "", SECOND, LIST),
        ("1", "", LIST, SECOND),
        ("3", "", "http://www.example.com.cn/lvyou/?start=40", "http://www.example.com.cn/lvyou/"),
        ("2", "", "http://www.example.com.cn/lvyou/2.html", "http://www.example.com.cn/lvyou/1.html"),
        ("2000", "", "http://www.example.com.cn/lvyou/?page=2000", "http://www.example.com.cn/lvyou/?page=3"),
        ("›", "", SECOND, LIST),
        ("", "", "http://www.example.com.cn/%E6%97%85%E6%B8%B8/page/2/", "http://www.example.com.cn/%E6%97%85%E6%B8%B8/"),
        ("加载更多", "", "http://www.example.com.cn/lvyou/?page=2", "http://www.example.com.cn/lvyou/"),
        ("更多>>", "", SECOND, LIST),
        ("看下去", "next", SECOND, LIST),
    ],
)  # fmt: skip
def test_another_page_of_the_same_list(text, rel, url, page):
    assert is_pagination(text, rel, url, "level", page)


@pytest.mark.parametrize(
    ("text", "rel", "url", "page"),
    [
        ("首页", "", "http://www.example.com.cn/", LIST),
        ("更多>>", "", "http://www.example.com.cn/meishi/", LIST),
        ("查看更多", "", "http://www.example.com.cn/lvyou/", LIST),
        ("上一篇", "prev", "http://www.example.com.cn/2024/04/30/hongshixia/", POST),
        ("下一篇：云台山", "next", POST, "http://www.example.com.cn/2024/04/30/hongshixia/"),
        ("春天的红石峡瀑布和秋天的红叶", "next", POST, "http://www.example.com.cn/2024/04/30/hongshixia/"),
        ("下一页的风景", "", SECOND, LIST),
        ("0", "", POST, LIST),
        ("12", "", POST, LIST),
        ("1", "", "http://www.example.com.cn/2024/05/01", "http://www.example.com.cn/2024/05/"),
        ("2017", "", "http://www.example.com.cn/archives/2017", "http://www.example.com.cn/archives/"),
        ("[1]", "", "http://www.example.com.cn/lvyou/notes.html", LIST),
        ("", "", "http://www.example.com.cn/?p=12", "http://www.example.com.cn/"),
        ("<-", "", "http://www.example.com.cn/", LIST),
        ("", "", LIST, LIST),
    ],
)
def test_what_leads_elsewhere(text, rel, url, page):
    assert not is_pagination(text, rel, url, "level", page)


@pytest.mark.parametrize("kind", ["outward", "frame"])
def test_another_site_is_no_next_page(kind):
    assert not is_pagination("Next", "", "http://other.example/?page=2", kind, LIST)


@pytest.mark.parametrize(
    ("url", "page", "is_piece"),
    [
        (SECOND, LIST, True),
        (LIST, SECOND, False),
        (SECOND, SECOND, False),
        ("http://a.cn/lvyou/page/2/", "http://a.cn/lvyou", True),
        ("http://a.cn/lvyou/page/2/", "http://a.cn/lvyou/page/7", True),
        ("http://a.cn/s?q=%E6%97%85&page=2", "http://a.cn/s?q=%E6%97%85", True),
        ("http://a.cn/s?page=2&q=%E6%97%85", "http://a.cn/s?page=1&q=%E6%97%85", True),
        ("http://a.cn/s?q=%E8%8C%B6&page=2", "http://a.cn/s?q=%E6%97%85", False),
        ("http://a.cn/a-2.html", "http://a.cn/a.html", True),
        ("http://a.cn/2.html", "http://a.cn/1.html", False),
    ],
)
def test_pieces_differ_in_the_number_of_a_page_only(url, page, is_piece):
    assert is_piece_of(url, page) is is_piece
