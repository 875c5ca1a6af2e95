"""``scrapy topics new --from-urls``: pages of the web are fetched as a crawl would, and their hosts are the seeds."""

from __future__ import annotations

from support.crawling import environment, scrapy
from support.site import page, small_web
from topicspider.topic.loading import check_topic, load_topic

TEXT = "普洱茶是云南的茶。普洱茶要陈放，茶客喜欢老茶的香气。采普洱茶的茶农住在山里，春天采茶，夏天休息。" * 4
WEB = {
    "http://tea.example/a": page("普洱茶", TEXT),
    "http://tea.example/b": page("老茶", TEXT),
    "http://shop.example/": page("空", ""),
}


def new(folder, web, *arguments):
    env = environment(web.proxy, TOPICSPIDER_TOPICS_DIR=str(folder / "topics"), XDG_CACHE_HOME=str(folder / "cache"))
    delays = ["-s", "TOPICSPIDER_DELAY_MIN=0", "-s", "TOPICSPIDER_DELAY_FACTOR=0"]
    return scrapy(["topics", "new", *arguments, *delays], folder, env)


def test_terms_come_from_the_pages_and_seeds_from_their_hosts(tmp_path):
    (tmp_path / "topics").mkdir()
    urls = [*WEB, "http://gone.example/"]
    with small_web(WEB) as web:
        ended = new(tmp_path, web, "普洱", "--from-urls", *urls)
    assert ended.exit_code == 0, ended.err
    file = tmp_path / "topics" / "普洱.yaml"
    assert check_topic(file) == []
    topic = load_topic(str(file))
    assert topic.terms["普洱"] == 10
    assert {"普洱茶", "茶客"} & set(topic.terms)
    assert topic.seeds == ("http://tea.example/",)
    left_out = [line for line in ended.err.splitlines() if line.startswith("left out: ")]
    assert len(left_out) == 2
    assert "http://shop.example/" in left_out[0]
    assert "http://gone.example/" in left_out[1]


def test_no_page_is_one_line_and_no_file(tmp_path):
    (tmp_path / "topics").mkdir()
    with small_web(WEB) as web:
        ended = new(tmp_path, web, "普洱", "--from-urls", "http://gone.example/")
    assert ended.exit_code == 3
    (_left_out, error) = ended.err.splitlines()
    assert error.startswith("topicspider: http://gone.example/: could not be read")
    assert list((tmp_path / "topics").iterdir()) == []
