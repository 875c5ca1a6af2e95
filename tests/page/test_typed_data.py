"""Typed data: what a page declares, and what its labels say."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.page.made import article
from topicspider.items import KINDS
from topicspider.page.page import Page
from topicspider.page.structured_data import _KINDS as READ

URL = "http://www.example.cn/a/1.html"
BOOK = {
    "kind": "book",
    "title": "山里的年",
    "author": "吴远山",
    "publisher": "云岭人民出版社",
    "isbn": "9787560023441",
    "price": "45.00",
    "currency": "CNY",
}


def page(body: str, head: str = "", url: str = URL) -> Page:
    return Page(
        url, f"<html><head><title>山里的年</title>{head}</head><body>{body}</body></html>".encode(), "text/html"
    )


def ld(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value, ensure_ascii=False)}</script>'


@pytest.mark.parametrize(
    "markup",
    [
        "<p>书名：《山里的年》 作者：吴远山 出版社：云岭人民出版社 ISBN：978-7-5600-2344-1 定价：45.00元</p>",
        "书　名：山里的年<br>作　者：吴远山 著<br>出 版 社：云岭人民出版社<br>I S B N：9787560023441<br>定　价：￥45.00",
        (
            "<table><tr><td>书名</td><td>山里的年</td><td>作者</td><td>吴远山</td></tr><tr><td>出版社</td><td>云岭人民出版社</td><td>ISBN</td>"
            "<td>9787560023441</td></tr><tr><td>售价</td><td>45.00</td></tr></table>"
        ),
        (
            "<dl><dt>书名</dt><dd>山里的年</dd><dt>作者</dt><dd>吴远山</dd><dt>出版社</dt><dd>云岭人民出版社</dd><dt>ISBN</dt><dd>9787560023441</dd>"
            "<dt>价格</dt><dd>¥45.00</dd></dl>"
        ),
        "<ul><li>【书名】山里的年</li><li>【作者】吴远山</li><li>【出版社】云岭人民出版社</li><li>【ISBN】9787560023441</li><li>【定价】45.00元</li></ul>",
        "<p>書名：山里的年</p><p>作者：吴远山</p><p>出版社：云岭人民出版社</p><p>國際標準書號：9787560023441</p><p>售价：RMB 45.00</p>",
    ],
    ids=["one line", "spaced", "table", "dl", "brackets", "traditional"],
)
def test_a_book_is_read_from_every_layout(markup):
    assert page(f"<h1>山里的年</h1>{markup}").data == BOOK


def test_why_names_the_label_of_each_field():
    read = page("<h1>山里的年</h1><p>作者：吴远山</p><p>出版社：云岭人民出版社</p><p>ISBN：9787560023441</p>")
    assert read.data_why == {"kind": "text", "title": "text", "author": "作者", "publisher": "出版社", "isbn": "isbn"}
    assert set(read.data_why) == set(read.data)


def test_an_isbn_with_a_wrong_check_digit_is_none():
    read = page(
        "<h1>山里的年</h1><p>作者：吴远山</p><p>出版社：云岭人民出版社</p><p>ISBN：9787560023442</p><p>定价：45元</p>"
    )
    assert "isbn" not in read.data


COMPANY = {
    "kind": "company",
    "name": "青禾食品有限公司",
    "products": "稻米、杂粮",
    "contact": "罗女士",
    "phone": "0571-88886666",
    "fax": "0571-88886667",
    "email": "info@qinghe.example",
    "address": "杭州市余杭区良渚街道1号",
    "postcode": "311113",
    "website": "www.qinghe.example",
}


@pytest.mark.parametrize(
    "markup",
    [
        (
            "<p>公司名称：青禾食品有限公司</p><p>主营产品：稻米、杂粮</p><p>联系人：罗女士 电话：(0571)88886666 传真：0571-88886667</p><p>地址：杭州市余杭区良渚街道1号 邮编：311113</p>"
            "<p>邮箱：info@qinghe.example 网址：www.qinghe.example</p>"
        ),
        (
            "<table><tr><th>企业名称</th><td>青禾食品有限公司</td></tr><tr><th>主营产品</th><td>稻米、杂粮</td></tr><tr><th>联系人</th><td>罗女士</td></tr><tr><th>联系电话</th><td>0571-88886666</td></tr>"
            "<tr><th>传真</th><td>0571-88886667</td></tr><tr><th>详细地址</th><td>杭州市余杭区良渚街道1号</td></tr><tr><th>邮政编码</th><td>311113</td></tr>"
            "<tr><th>电子邮箱</th><td>info@qinghe.example</td></tr><tr><th>公司网址</th><td>www.qinghe.example</td></tr></table>"
        ),
    ],
    ids=["lines", "table"],
)
def test_a_company_is_read_from_every_layout(markup):
    assert page(f"<h1>公司档案</h1>{markup}").data == COMPANY


def test_a_contact_page_names_its_company_above_the_phone():
    read = page(
        "<h2>联系我们</h2><p><b>青禾食品有限公司</b></p><p>电话：0571-88886666</p><p>地址：杭州市余杭区1号</p>",
        url="http://www.qinghe.example/contact.html",
    )
    assert (read.data["kind"], read.data["name"]) == ("company", "青禾食品有限公司")


def test_the_columns_of_an_export_are_the_fields_that_are_read():
    assert {kind: KINDS[kind] for kind in READ} == {kind: tuple(fields) for kind, fields in READ.items()}


def test_a_footer_is_no_company():
    foot = "<div class='footer'>公司名称：山水网有限公司 电话：0571-88886666 地址：杭州市余杭区1号</div>"
    assert Page(URL, article(after=foot).encode(), "text/html").data == {}


@pytest.mark.parametrize(
    ("kind", "fields", "value"),
    [
        (
            "product",
            {
                "name": "龙井茶",
                "brand": "雾里青",
                "sku": "LJ-1",
                "price": "1249.00",
                "currency": "CNY",
                "seller": "青禾商店",
            },
            {
                "@type": "Product",
                "name": "龙井茶",
                "brand": {"name": "雾里青"},
                "sku": "LJ-1",
                "offers": {
                    "@type": "Offer",
                    "price": "1,249.00",
                    "priceCurrency": "CNY",
                    "seller": {"name": "青禾商店"},
                },
            },
        ),
        (
            "product",
            {"name": "龙井茶", "price": "88", "currency": "TWD"},
            {
                "@type": "Product",
                "name": "龙井茶",
                "offers": {"@type": "AggregateOffer", "lowPrice": 88, "highPrice": 99, "priceCurrency": "TWD"},
            },
        ),
        (
            "company",
            {
                "name": "山里的年客栈",
                "phone": "0571-88886666",
                "address": "浙江省杭州市良渚街道1号",
                "postcode": "311113",
            },
            {
                "@type": "Hotel",
                "name": "山里的年客栈",
                "telephone": "0571-88886666",
                "address": {
                    "addressRegion": "浙江省",
                    "addressLocality": "杭州市",
                    "streetAddress": "良渚街道1号",
                    "postalCode": "311113",
                },
            },
        ),
    ],
)
def test_declared_objects_are_read(kind, fields, value):
    read = page(
        "<h1>山里的年客栈</h1><p>龙井茶</p>", ld({"@graph": [{"@type": "WebSite"}, value]}), "http://www.example.cn/"
    )
    assert read.data == {"kind": kind} | fields
    assert set(read.data_why.values()) == {"declared"}


def test_the_publisher_of_an_article_is_no_company():
    organisation = ld({"@type": "Organization", "name": "山水网", "telephone": "0571-88886666", "address": "杭州"})
    assert Page(URL, article(head=organisation).encode(), "text/html").data == {}


def test_of_several_products_the_one_that_the_title_names_is_meant():
    things = [{"@type": "Product", "name": name, "offers": {"price": "5"}} for name in ("红茶", "山里的年", "绿茶")]
    assert page("<h1>山里的年</h1>", ld(things)).data["name"] == "山里的年"
    assert page("<h1>茶</h1>", ld([things[0], things[2]])).data == {}


def test_a_newspapers_subscription_is_no_product():
    paywall = ld({"@type": "Product", "name": "山水网", "sku": "basic"})
    text = article(head=paywall, before="<p>2024年5月1日</p>")
    assert Page(URL, text.encode(), "text/html").data.get("kind") != "product"


def test_microdata_are_read_with_what_lies_within_them():
    read = page(
        '<div itemscope itemtype="https://schema.org/Book"><h1 itemprop="name">山里的年</h1><a itemprop="author" href="/a">吴远山</a>'
        '<span itemprop="publisher" itemscope itemtype="https://schema.org/Organization"><meta itemprop="name" content="云岭人民出版社"></span>'
        '<meta itemprop="isbn" content="978-7-5600-2344-1"><div itemprop="offers" itemscope><b itemprop="price">45.00</b>'
        '<meta itemprop="priceCurrency" content="CNY"></div></div>'
    )
    assert read.data == BOOK
    assert read.data_why["publisher"] == "declared"


def test_open_graph_tags_are_read():
    head = (
        '<meta property="og:type" content="product"><meta property="og:title" content="龙井茶"><meta property="product:price:amount" content="1.249,00">'
        '<meta property="product:price:currency" content="eur"><meta property="product:brand" content="雾里青">'
    )
    assert page("", head).data == {
        "kind": "product",
        "name": "龙井茶",
        "brand": "雾里青",
        "price": "1249.00",
        "currency": "EUR",
    }


@pytest.mark.parametrize(
    ("markup", "price"),
    [
        ("<p>原价：￥199.00</p><p>现价：￥128.00</p><p>品牌：雾里青</p>", ("128.00", "CNY")),
        ("<p>優惠價：NT$1,280</p><p>品牌：鹿谷</p>", ("1280", "TWD")),
    ],
)
def test_the_selling_price_is_the_price(markup, price):
    read = page(f"<h1>山里的年</h1>{markup}").data
    assert (read["kind"], read["price"], read["currency"]) == ("product", *price)


def test_a_list_of_goods_or_of_books_is_none():
    goods = "".join(
        f"<li><a href='/{n}'>茶{n}</a><p>￥{n}8.00</p><a href='/cart'>加入购物车</a></li>" for n in range(1, 7)
    )
    books = "".join(f"<div><h3>书{n}</h3><p>作者：张{n} 出版社：第{n}出版社 定价：{n}元</p></div>" for n in range(1, 5))
    assert page(f"<ul>{goods}</ul>").data == {}
    assert page(books).data == {}


@pytest.mark.parametrize("line", ["来源：东湖晚报 记者：孙嘉木 作者：李四 出版社：山水", "天气：晴"])
def test_a_story_has_no_typed_fields(line):
    assert Page(URL, article(before=f"<p>2024年05月01日 08:30 {line}</p>").encode(), "text/html").data == {}


@pytest.mark.parametrize(
    "body",
    [
        "作者：" * 20_000,
        "<p>" + "电话：" * 100_000,
        "<td>书名</td>" * 5_000,
        "<div itemscope itemtype='Product'><b itemprop='name'>" * 2_000,
        "<div itemprop='name' itemscope itemtype='Book'>" * 5_000 + "x" * 100_000,
        "<p>价格：" + "1" * 100_000,
        "<p>" + "9 " * 100_000 + "：",
        "<p>ISBN" + "978-" * 50_000,
        "<p>品牌</p>" * 7_000,
        "<table><tr>" + ("<td></td>" * 9 + "<td>型号</td><td>x</td>") * 2_000,
    ],
)
def test_hostile_fields_cost_little_and_stay_bounded(body):
    read = page(body)
    _ = (read.body, read.type, read.published, read.author)
    started = time.process_time()
    assert all(len(text) <= 500 for text in read.data.values())
    assert time.process_time() - started < 1.0


PIECES = [
    "<p>", "<br>", "<td>", "<tr>", "<table>", "<dt>", "<dd>", "<li>", "<span>", "</span>", "<h1>", "书名", "作者", "出版社", "ISBN", "定价", "公司名称", "电话", "地址",
    "来源", "型号", "品牌", "Price", "Tel", "：", ":", " ", "　", "【", "】", "￥45.00", "978-7-302-12341-5", "9" * 40, "2024年5月1日", "张三", "《书》", "(", "1.2.3,4",
    "<div itemscope itemtype='http://schema.org/Product'>", "<b itemprop='name offers @type'>", "</div>", "<meta itemprop=price content='x'>",
    "<meta property='og:type' content='product'>", "<meta property='article:published_time' content='2024-05-01T25:99'>", "加入购物车", "\u200e", "\ud800", "版权所有",
    '<script type="application/ld+json">', '{"@type":["Book","Hotel"],"name":', '{"address":[{}],"offers":[[{"price":[1]}]]}', '"x"}', "</script>",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60))
def test_any_labels_and_declarations_are_read(pieces):
    """Promise P1: nothing raises, every field is a bounded text, and each says why."""
    read = Page(URL, "".join(pieces).encode("utf-8", "surrogatepass"), "text/html")
    assert all(isinstance(text, str) and 0 < len(text) <= 500 for text in read.data.values())
    assert set(read.data) == set(read.data_why)
    assert not read.data or read.data["kind"] in {"book", "company", "product"}
