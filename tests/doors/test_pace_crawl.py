"""With a limit of pages a crawl waits for the good links of a host that rests; a fast one takes what other hosts have meanwhile."""

from __future__ import annotations

import pytest

from support.crawling import crawl
from support.site import TRAVEL, page, small_web

HOME = "http://w0.example/"
GOOD = {f"{HOME}{number}": "桂林旅游景点攻略" for number in range(8)}
JUNK = {f"http://w{number}.example/": "编译器报错" for number in range(1, 9)}
WEB = {
    HOME: page("网址导航", "常用网址大全。", GOOD | JUNK),
    **{url: page(f"旅游攻略{url[-1]}", TRAVEL + f"第{url[-1]}天去漓江。" * 9) for url in GOOD},
    **{url: page("程序", "编译器报错，指针数组。" * 12) for url in JUNK},
}
RESTS = ("-s", "TOPICSPIDER_DELAY_MIN=1", "-a", "max_pages=5")


@pytest.mark.parametrize(("pace", "junk"), [((), {0}), (("-a", "pace=fast"), {3, 4})], ids=["auto", "fast"])
def test_what_other_hosts_have_is_left_for_better_links(tmp_path, pace, junk):
    with small_web(WEB) as served:
        ended = crawl(tmp_path, served.proxy, *RESTS, *pace, seeds=HOME)
        pages = served.pages()
    assert ended.exit_code == 0, ended.err
    assert len(pages) == 5
    assert len([one for one in pages if one in JUNK]) in junk
