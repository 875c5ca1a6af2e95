"""What was found, as programs and readers ask for it: hits, a page, why, labels, changes, map, topics; over a real socket."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace
from types import SimpleNamespace
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from support.found import SCORER, hit, judged, led, put, snapshots
from support.serving import web_server
from support.site import TRAVEL
from support.store_rows import page as stored
from topicspider.cli.crawl_data import DEMO
from topicspider.errors import UnavailableError
from topicspider.options import Options
from topicspider.serve import stored as stored_searches
from topicspider.store.rows import LinkRow

A, B, COPY, MISS, NEVER = (f"http://{name}.example/" for name in ("a", "b", "copy", "miss", "never"))
SNAPSHOT = (
    '<html><head><meta http-equiv=refresh content="0;url=http://evil.example/"><link rel=preconnect href=//evil.example>'
    "<base href=//evil.example></head><body><a href=/>旅游</a></body></html>"
)
SCORED = ("-s", f"TOPICSPIDER_PAGE_SCORER={SCORER}")


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("found")
    data = folder / "data"
    place = snapshots(data, {A: SNAPSHOT, MISS: "%PDF-1.7"})
    put(
        data,
        [
            hit(
                A,
                "古镇旅游攻略",
                snapshot=place[A],
                referrer=B,
                published="2025-03-01",
                data={"offers": {"price": 88.5}},
            ),
            hit(B, "雪山旅游日记", published="2026-01-02", link_count=7, language="en", status=410),
            hit(COPY, "古镇旅游攻略 转载", duplicate_of=A, published="2025-01-01"),
            stored(MISS, False, title="联赛战报", referrer=A, host="miss.example", relevance=0.1, snapshot=place[MISS]),
        ],
        [
            led(A, MISS, "比赛", 0.2, pruned="low_chance"),
            led(B, A, "旅游攻略"),
            led(A, NEVER, "还没抓的"),
            led(A, A, "本页"),
            replace(led(A, COPY, "转载", 0.0), parts={}),
        ],
    )
    with web_server(folder, *SCORED) as server:
        server.log_in()
        yield server


def test_hits_are_searched_narrowed_and_sorted(server):
    def urls(query: str) -> list[str]:
        return [one["url"] for one in server.json(f"/hits.json?{query}").data["hits"]]

    assert set(urls("q=" + quote("旅遊"))) == {A, B}
    assert urls("copies=1&q=" + quote("转载")) == [COPY]
    assert urls("year=2026") == urls("site=b.example") == urls("language=en") == [B]
    assert urls("sort=date") == [B, A]
    assert urls("topic=sport") == []
    assert urls("site=b.example&q=" + quote('"旅游')) == [B]
    found = server.json("/hits.json?q=" + quote("旅游")).data
    assert (found["total"], found["facets"]["year"]) == (2, {"2026": 1, "2025": 1})
    assert found["hits"][0]["copies"] + found["hits"][1]["copies"] == 1
    assert "<mark>旅游</mark>" in found["hits"][0]["title_html"]
    shown = [server.ask(f"/hits?q={quote(words)}").text for words in ("旅游", "旅游 火星")]
    assert all(shown[0].count(piece) == 1 for piece in ("<span>gone</span>", 'class="snippet" dir="auto" lang="zh"'))
    assert ["/hits.export" in text for text in shown] == [True, False]  # an export has pages with all of the words


def test_the_demo_s_hits_are_reached_after_a_crawl_of_ones_own(tmp_path):
    data, demo, chosen = tmp_path / "data", f"{DEMO}/tourism", f"crawl={quote(DEMO, '')}%2Ftourism"
    put(data / DEMO, [hit(A, "古镇旅游攻略"), *map(judged, range(60))])
    with web_server(tmp_path, *SCORED) as server:
        server.log_in()
        assert server.json("/hits.json").data["demo"] == ""  # nothing hides them
        put(data, [hit(B, "雪山旅游日记")])
        for path in ("/hits", "/labels", "/map", "/changes", "/topics", "/catalogue"):
            assert f'href="{path}?{chosen}"' in server.ask(path).text
            assert f'href="{path}"' in server.ask(f"{path}?{chosen}").text
            assert server.json(f"{path}.json").data["demo"] == demo
        assert [one["url"] for one in server.json("/hits.json").data["hits"]] == [B]
        assert A in [
            one["url"] for one in server.json(f"/hits.json?{chosen}&topic=tourism&q=" + quote("攻略")).data["hits"]
        ]
        assert f'href="/page?{chosen}&amp;topic=tourism&amp;url=' in server.ask(f"/hits?{chosen}").text
        assert A in server.ask(f"/hits.export?format=.csv&{chosen}").text
        assert len(server.json(f"/map.json?{chosen}").data["sites"]) == 2
        assert f'name="crawl" value="{demo}"' in server.ask(f"/labels?{chosen}").text
        assert server.tell("/label.json", {"url": A, "crawl": demo, "answer": "yes"}).data["labels"] == 1
        assert server.tell("/label.json", {"url": A, "answer": "yes"}).status == 404


@pytest.mark.parametrize("wrong", ["sort=worst", "page=0", "page=x", "year=26", "q=after:yesterday"])
def test_what_cannot_be_asked_is_one_line_and_stays_in_the_box(server, wrong):
    got = server.ask(f"/hits?{wrong}")
    name, _equals, value = wrong.partition("=")
    assert (got.status, 'class="error"' in got.text) == (200, True)
    told = server.json(f"/hits.json?{wrong}")
    assert (told.status, value.rpartition(":")[2] in told.data["error"]) == (400, True)
    assert name != "q" or f'value="{value}"' in got.text


def test_words_are_suggested_as_one_types(server):
    found = server.json("/suggestions.json?q=" + quote("雪山 旅")).data
    assert "雪山 旅游" in found["queries"]
    assert server.json("/suggestions.json?q=").data["words"] == []
    assert "旅游" in server.ask("/suggestions?q=" + quote("旅")).text


@pytest.mark.parametrize("ending", [".jsonl", ".csv", ".xlsx", ".parquet", ".html", ".rss", ".warc.gz"])
def test_exactly_this_query_is_exported_in_every_format(server, ending):
    got = server.ask(f"/hits.export?format={ending}&year=2025&q=" + quote("旅游"))
    assert (got.status, f'filename="hits{ending}"' in got.headers["Content-Disposition"]) == (200, True)
    if ending == ".jsonl":
        assert [json.loads(line)["url"] for line in got.text.splitlines()] == [A]
    if ending == ".xlsx":
        assert zipfile.is_zipfile(io.BytesIO(got.body))
    assert got.body


def test_what_no_format_is_called_is_refused(server):
    assert server.ask("/hits.export?format=.exe").status == 400
    assert server.json("/hits.export?format=.exe").data["error"].startswith("format: '.exe'")
    assert server.ask("/hits.export?format=.csv&year=x").status == 400


def test_a_page_shows_what_is_known_who_linked_to_it_and_where_it_leads(server):
    found = server.json(f"/page.json?url={A}").data
    assert (found["page"]["title"], found["facts"]) == ("古镇旅游攻略", [["offers.price", "88.5"]])
    assert [one["from"] for one in found["linked"]] == [B]
    assert {one["url"]: one["pruned"] for one in found["leads"]} == {MISS: "low_chance", NEVER: "", COPY: ""}
    assert found["copies"] == [COPY]
    assert server.json(f"/page.json?url={COPY}").data["copies"] == [A]
    text = server.ask(f"/page?url={A}").text
    assert "<iframe" in text
    assert 'sandbox title="' in text


@pytest.mark.parametrize("path", ["page", "why", "page.snapshot"])
def test_a_page_that_no_store_has_is_told_so(server, path):
    got = server.ask(f"/{path}?url=http://nowhere.example/")
    assert (got.status, "nowhere.example" in got.text) == (404, True)
    assert server.ask(f"/{path}?url=javascript:1").status == 400
    assert server.ask(f"/{path}?topic=sport&url={A}").status == 404


def test_a_snapshot_is_fenced_in_and_loads_nothing_before_any_policy_is_asked(server):
    got = server.ask(f"/page.snapshot?url={A}")
    policy = got.headers["Content-Security-Policy"]
    assert all(part in policy for part in ("default-src 'none'", "sandbox;", "form-action 'none'", "base-uri 'none'"))
    assert not [tag for tag in ("<meta", "<link", "<base", "<a ") if tag in got.text]
    assert got.headers["Content-Type"] == "text/html; charset=utf-8"
    assert TRAVEL in server.ask(f"/page.snapshot?url={B}").text
    assert f"read --snapshot {MISS}" in server.ask(f"/page.snapshot?url={MISS}").text


def test_why_adds_up_and_says_what_would_change_the_verdict(server):
    (page,) = server.json(f"/why.json?url={A}").data["pages"]
    assert sum(part["value"] for part in page["words"]) == pytest.approx(page["score"], abs=1e-6)
    shown = page["bar"]["segments"]
    assert sum(part["value"] for part in shown) == pytest.approx(page["score"], abs=1e-6)
    assert page["on_topic"]
    assert page["turning"]["words"]
    assert "fetched before" in server.ask(f"/why?url={COPY}").text
    assert not page["turning"]["on_topic"]
    assert any(sign > 0 and "旅游" in text for text, sign in page["text"])


@pytest.mark.parametrize("url", [A, B, COPY, MISS])
def test_why_and_the_page_have_the_same_links_and_chances(server, url):
    answers = [server.json(f"/{view}.json?url={url}").data[key] for view, key in (("page", "linked"), ("why", "links"))]
    page, why = ([(one["from"], one["score"], one["pruned"]) for one in answer] for answer in answers)
    assert page == why
    shown = f">{round(100 * page[0][1])}%<" if page and page[0][1] else ""
    assert shown in server.ask(f"/why?url={url}").text


def test_why_tells_of_a_miss_and_of_a_link_that_was_never_followed(server):
    miss = server.json(f"/why.json?url={MISS}").data
    assert (miss["pages"][0]["bar"], miss["links"][0]["pruned"]) == (None, "low_chance")
    (link,) = server.json(f"/why.json?url={NEVER}").data["links"]
    assert (link["score"], [one["value"] for one in link["bar"]["segments"]]) == (0.6, [0.5, 0.2, -0.1])
    assert "<svg" in server.ask(f"/why?url={NEVER}").text


def test_sites_are_circles_and_links_are_lines(server):
    found = server.json("/map.json").data
    counts = {"a.example": (1, 1), "b.example": (1, 1), "copy.example": (0, 1), "miss.example": (0, 1)}
    assert {one["host"]: (one["hits"], one["pages"]) for one in found["sites"]} == counts
    names = [one["host"] for one in found["sites"]]
    assert {(names[one["source"]], names[one["target"]]) for one in found["links"]} == {
        ("b.example", "a.example"),
        ("a.example", "miss.example"),
    }
    assert [server.ask(f"/{view}?topic=sport").status for view in ("map", "changes.json")] == [400, 400]


def test_topics_are_listed_and_searched(server):
    found = server.json("/topics.json?q=" + quote("旅游")).data
    assert [one["hits"] for one in found["topics"] if one["name"] == "tourism"] == [2]  # without the copy
    assert [one["name"] for one in server.json("/topics.json?q=F59").data["topics"]] == ["tourism"]
    assert "zzz" in server.ask("/topics?q=zzz").text


def test_labels_are_kept_and_the_threshold_follows(tmp_path):
    put(tmp_path / "data", [judged(place) for place in range(60)])

    def answer(place: int, verdict: str) -> dict[str, object]:
        url = f"http://judged.example/{place}"
        got = server.tell("/label.json", {"topic": "tourism", "url": url, "answer": verdict})
        assert got.status == 200, got.text
        return got.data

    with web_server(tmp_path, *SCORED) as server:
        for place in range(20, 60, 4):
            told = answer(place, "yes" if place >= 45 else "no")
        assert (told["labels"], told["yes"], 0.6 < told["threshold"] < 0.8) == (10, 3, True)
        assert told["precision"] == 1.0
        assert answer(56, "none")["labels"] == 9
        assert answer(52, "no")["yes"] == 1
        (hit_there,) = server.json("/hits.json?q=" + quote("攻略48")).data["hits"]
        assert hit_there["label"] is True
        shown = server.json("/labels.json").data
        assert shown["ask"]["url"] not in {one["url"] for one in shown["recent"]}
        assert shown["effect"]["paths"]["precision"].startswith("M0 ")
        for wrong in ({"answer": "maybe", "url": A}, {"answer": "yes", "url": ""}, {"answer": "yes"}):
            assert server.tell("/label.json", wrong).status == 400
        assert server.tell("/label.json", {"answer": "yes", "url": A}).status == 404
    assert len(json.loads((tmp_path / "data/tourism/tuned.json").read_text())["labels"]) == 9


def test_before_the_first_crawl_every_view_says_so(tmp_path):
    (tmp_path / "data").mkdir()
    with web_server(tmp_path) as server:
        server.log_in()
        for path in ("hits", "hits?q=x", "labels", "changes", "map", "topics", "suggestions?q=x"):
            assert server.ask(f"/{path}").status == 200, path
        assert server.ask(f"/page?url={A}").status == 404
        assert ElementTree.fromstring(server.ask("/changes.rss").text).tag == "rss"


def test_a_crawl_that_is_begun_anew_is_searched_anew(tmp_path):
    data = tmp_path / "data"
    put(data, [hit(A, "旅游一")])
    with web_server(tmp_path) as server:
        assert server.json("/hits.json").data["total"] == 1
        put(data, [hit(B, "旅游二")])
        assert server.json("/hits.json").data["total"] == 2
        for file in (data / "tourism").glob("pages.db*"):
            file.unlink()
        put(data, [hit(COPY, "旅游三")])
        assert [one["url"] for one in server.json("/hits.json").data["hits"]] == [COPY]


def test_a_topic_whose_file_is_gone_still_shows_what_was_said_then(tmp_path):
    row = hit(A, "旅游")
    row.item.topic = "never_heard_of"
    data = tmp_path / "data"
    put(data, [row], [LinkRow("never_heard_of", B, A, "旅游", 0.5, "")])
    with web_server(tmp_path) as server:
        (page,) = server.json(f"/why.json?topic=never_heard_of&url={A}").data["pages"]
        assert (page["score"], page["bar"]) == (0.8, None)
        assert server.json("/hits.json").data["total"] == 1


def test_nobody_waits_for_a_first_index(monkeypatch, tmp_path):
    put(tmp_path, [hit(A, "旅游")])
    monkeypatch.setattr(stored_searches, "PATIENCE_SECONDS", 0.05)
    searches = stored_searches.OpenSearches()
    site = SimpleNamespace(options=Options.read({"TOPICSPIDER_DATA": str(tmp_path)}))
    with searches._lock, pytest.raises(UnavailableError, match="being indexed, 0 of 0 pages"):
        searches.ask(site, lambda search: search, [tmp_path / "tourism"])
