"""Values of typed fields: prices, ISBN, phones, moments and names as pages write them."""

from __future__ import annotations

import pytest

from topicspider.page.typed.labels import field_of, spelled
from topicspider.page.typed.text_fields import yuan_of
from topicspider.page.typed.values import (
    amount_of,
    author_name,
    book_day_of,
    clean,
    currency_of,
    is_isbn,
    isbn_of,
    mail_of,
    moment_of,
    pages_of,
    person_of,
    phone_of,
    postcode_of,
    price_of,
    prices_in,
    site_of_text,
    writer_of,
)


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("￥45.00元", ("45.00", "CNY")),
        ("¥1,299", ("1299", "CNY")),
        ("人民币 300 元", ("300", "CNY")),
        ("RMB 88", ("88", "CNY")),
        ("NT$1,280", ("1280", "TWD")),
        ("HK$ 99.5", ("99.5", "HKD")),
        ("US$1,249.00", ("1249.00", "USD")),
        ("1.249,00 €", ("1249.00", "EUR")),
        ("€12,50", ("12.50", "EUR")),
        ("1980円", ("1980", "JPY")),
        ("3.8万元", ("38000", "CNY")),
        ("￥１２８", ("128", "CNY")),
        ("￥0.00", ("", "")),
        ("面议", ("", "")),
        ("68", ("", "")),
        ("", ("", "")),
    ],
)
def test_prices(text, price):
    assert price_of(text, "CNY") == price


def test_a_number_alone_is_a_price_only_where_a_label_says_so():
    assert price_of("5,980", "TWD", bare=True) == ("5980", "TWD")
    assert price_of("79折 356元", "TWD", bare=True) == ("356", "TWD")
    assert price_of("第3版", "CNY", bare=True) == ("", "")
    assert prices_in("￥42.50 ￥59.00") == [("42.50", "CNY"), ("59.00", "CNY")]


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("1,249.00", "1249.00"),
        ("1.249,00", "1249.00"),
        ("12,5", "12.5"),
        ("1.234.567", "1234567"),
        ("007", "7"),
        ("x", ""),
        ("9" * 30, ""),
    ],
)
def test_amounts_have_a_decimal_point(text, amount):
    assert amount_of(text) == amount


@pytest.mark.parametrize(
    ("text", "code"), [("rmb", "CNY"), ("￥", "CNY"), ("usd", "USD"), ("NTD", "TWD"), ("人民币", "CNY"), ("12", "")]
)
def test_currencies_have_iso_codes(text, code):
    assert currency_of(text) == code


@pytest.mark.parametrize(
    ("url", "text", "code"),
    [
        ("http://www.shop.tw/1", "", "TWD"),
        ("http://www.shop.hk:80/1", "价", "HKD"),
        ("http://shop.example/1", "購物車與書價", "TWD"),
        ("http://shop.example/1", "购物车与书价", "CNY"),
        ("http://shop.example/1", "cart", ""),
    ],
)
def test_yuan_are_those_of_the_country_or_the_script(url, text, code):
    assert yuan_of(text, url) == code


@pytest.mark.parametrize(
    ("text", "isbn"),
    [
        ("978-7-302-12341-5", "9787302123415"),
        ("ISBN 978 0 521 52352 3", "9780521523523"),
        ("0-201-63361-2 / 978-7-302-12341-5", "9787302123415"),
        ("711112345x", "711112345X"),
        ("9787302123416", ""),
        ("1234567890", ""),
        ("0000000000", ""),
    ],
)
def test_isbn_have_a_right_check_digit(text, isbn):
    assert isbn_of(text) == isbn
    assert not isbn or is_isbn(isbn)


@pytest.mark.parametrize(
    ("text", "phone"),
    [
        ("010-12345678", "010-12345678"),
        ("（0571）8888 8888", "0571-88888888"),
        ("86-0757-86677001", "0757-86677001"),
        ("+86 10 1234 5678", "+86 10 1234 5678"),
        ("400-800-8888（免费）", "400-800-8888"),
        ("13812345678 张先生", "13812345678"),
        ("0571-88888888/87654321", "0571-88888888"),
        ("(555) 010-7744", "(555) 010-7744"),
        ("2024-05-01", ""),
        ("12345", ""),
        ("123456789012345678", ""),
    ],
)
def test_phones(text, phone):
    assert phone_of(text) == phone


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2024-05-16T09:12:33+08:00", "2024-05-16T09:12+08:00"),
        ("2024-05-16T09:12:33Z", "2024-05-16T09:12+00:00"),
        ("2024年5月1日 8时30分", "2024-05-01T08:30"),
        ("2024-05-01", "2024-05-01"),
        ("昨天", ""),
    ],
)
def test_moments(text, moment):
    assert moment_of(text) == moment


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2019年3月第1版", "2019-03"),
        ("March 2019", "2019-03"),
        ("1985", "1985"),
        ("2019/03/15", "2019-03-15"),
        ("再版", ""),
    ],
)
def test_days_of_books(text, day):
    assert book_day_of(text) == day


def test_names_lose_what_is_no_name():
    assert author_name("[美] 海明威 著") == "[美] 海明威"
    assert author_name("何舟 编著") == "何舟"
    assert person_of("麦国强 先生") == "麦国强"
    assert person_of("钱先生 13952600055") == "钱先生"
    assert writer_of("本报记者 李四") == "李四"
    assert writer_of("【打印】") == ""
    assert clean("2013-04-12 ]") == "2013-04-12"


def test_addresses_and_numbers():
    assert mail_of("mailto:a.b@mail.example.cn") == "a.b@mail.example.cn"
    assert mail_of("a(at)b.example") == "a@b.example"
    assert site_of_text("官网：www.qinghe.example。") == "www.qinghe.example"
    assert site_of_text("a@b.example") == ""
    assert postcode_of("邮编 311113") == "311113"
    assert postcode_of("WH2 6TT") == "WH2 6TT"
    assert pages_of("455页") == "455"


def test_labels_are_known_however_they_are_spelled():
    assert [field_of(spelled(label)) for label in ("出 版 社", "E-mail", "ISBN-13", "Item model number", "作　者")] == [
        "publisher",
        "email",
        "isbn",
        "model",
        "author",
    ]
    assert field_of("南窗价") == "price"
    assert field_of("累计评价") == ""
    assert field_of("性价") is None
    assert field_of("某某") is None
