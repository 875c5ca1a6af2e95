"""Pages that lead to others are kept and followed; they are no hits, in no feed, and no search finds them that does not ask for them."""

from __future__ import annotations

import pytest

from support.crawling import crawl, items, scrapy
from support.site import Answer, small_web

TAG = "http://w0.example/tag/%E6%97%85%E6%B8%B8"
GUIDES = [f"http://w0.example/p{number}.html" for number in range(6)]


def web() -> dict[str, Answer]:
    """A tag of six travel diaries."""
    listed = "".join(f"<h2><a href='{url}'>旅游日记第{n}篇，景区门票</a></h2>" for n, url in enumerate(GUIDES))
    hub = Answer(
        f"<html><head><title>旅游</title></head><body><h1>旅游</h1><p>旅行攻略，景点。</p>{listed}</body></html>"
    )
    places = ("云台山", "丽江", "三亚", "黄山", "九寨沟", "敦煌")
    pages = {
        url: Answer(
            f"<html><head><title>{place}旅游日记</title></head><body><h1>{place}旅游日记</h1>"
            f"<p>我们去{place}旅游，景区门票{n + 40}元，{place}的客栈和美食让游客难忘。{place}第{n}天的行程最好。</p></body></html>"
        )
        for n, (url, place) in enumerate(zip(GUIDES, places, strict=True))
    }
    return {TAG: hub, **pages}


@pytest.mark.parametrize(("said", "is_hit"), [("apart", False), ("hits", True)])
def test_a_tag_on_topic_is_a_hit_where_the_topic_says_so(tmp_path, said, is_hit):
    topics = tmp_path / "topics"
    topics.mkdir()
    (topics / "trips.yaml").write_text(
        f"name: 旅行\nterms: [旅游, 旅行, 景区, 门票, 游客]\nhubs: {said}\n", encoding="utf-8"
    )
    with small_web(web()) as served:
        ended = crawl(
            tmp_path, served.proxy, "-O", "hits.jsonl", "-a", "topic=trips", seeds=TAG, TOPICSPIDER_TOPICS_DIR=topics
        )
    assert ended.exit_code == 0, ended.err
    found = {item["url"] for item in items(tmp_path / "hits.jsonl")}
    assert found == {*GUIDES, *([TAG] if is_hit else [])}
    assert (", 1 list)" in ended.out + ended.err) is not is_hit
    where = ("-s", f"TOPICSPIDER_TOPICS_DIR={topics}")
    listed = scrapy(["hits", "--topic", "trips", "--json", "--limit", "20", *where], tmp_path)
    assert (f'"url": "{TAG}"' in listed.out) is is_hit
    assert all(url in listed.out for url in GUIDES)
    hubs = scrapy(["hits", "--topic", "trips", "--json", "type:hub", *where], tmp_path)
    assert (f'"url": "{TAG}"' in hubs.out) is not is_hit
