"""A crawl compares the pages of a host: the name of the site is cut off titles that do not tell it by themselves."""

from __future__ import annotations

from support.crawling import crawl, items
from support.site import Answer, small_web

PLACES = ("桂林漓江", "阳朔西街", "龙脊梯田", "象鼻山", "银子岩", "遇龙河")
NAME = "老周带您看遍天下旅游风景名胜"


def chain() -> dict[str, Answer]:
    """Pages of one host, each with one link: to the next."""
    web = {}
    for number, place in enumerate(PLACES):
        text = f"<p>我们去{place}旅游，门票便宜，旅游的人不多，景点的风景让人难忘，酒店也不贵，第{number}天。</p>" * 3
        link = f"<a href='/{number + 1}.html'>旅游攻略</a>" if number + 1 < len(PLACES) else ""
        web[f"http://w.example/{number}.html"] = Answer(f"<title>{NAME} - {place}</title><body>{text}{link}</body>")
    return web


def test_titles_of_later_pages_lose_the_name_of_the_site(tmp_path):
    with small_web(chain()) as served:
        ended = crawl(tmp_path, served.proxy, "-O", "hits.jsonl", seeds="http://w.example/0.html")
    assert ended.exit_code == 0, ended.err
    titles = [item["title"] for item in items(tmp_path / "hits.jsonl")]
    assert titles == [NAME] * 3 + list(PLACES[3:])


def test_the_visual_rule_is_a_setting(tmp_path):
    page = (
        f"<title>别的标题</title><center><font size=5>旅游日记</font></center><p>{'旅游的景点和酒店都很好，' * 8}</p>"
    )
    with small_web({"http://w.example/": Answer(page)}) as served:
        rule = ("-s", "TOPICSPIDER_EXTRACTION=published")
        ended = crawl(tmp_path, served.proxy, "-O", "hits.jsonl", *rule, seeds="http://w.example/")
    assert ended.exit_code == 0, ended.err
    assert [item["title"] for item in items(tmp_path / "hits.jsonl")] == ["旅游日记"]
