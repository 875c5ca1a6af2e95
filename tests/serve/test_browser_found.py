"""What was found, in a real browser: searched, opened, explained, labelled, exported, followed; and hostile content that does nothing."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import pytest

from support.crawling import crawl
from support.found import SCORER, hit, judged, led, put, snapshots
from support.recrawling import HUB, OVERDUE, a_while_later, recrawl, travel_site
from support.serving import opened, web_server
from support.site import small_web
from tests.page.standard_cases import naughty_strings
from topicspider.url import canonicalize

sync_api = pytest.importorskip("playwright.sync_api")

SCORED = ("-s", f"TOPICSPIDER_PAGE_SCORER={SCORER}")
WIDTHS = (390, 1024, 1600)
VIEWS = (
    "hits?q=" + quote("旅游"),
    "labels",
    "changes",
    "map",
    "topics?q=" + quote("旅游"),
    "catalogue",
    "rehearsals",
    "start?topic=F59",
)
MORE = ("crawls", "crawl?crawl=tourism", "crawl/hosts?crawl=tourism", "start", "start?topic=K87,G8", "start?topic=turism", "start?topic=tea&seeds=x", "hits?q=zzz", "hits?q=after:x", "topics?q=zzz", "catalogue?q=zzz", "suggestions?q=" + quote("旅"), "nothing")  # fmt: skip
WORDS = {
    "en-US": {"search": "Search", "why": "Why?", "changes": "Changes", "export": "Export these", "yes": "Yes", "no": "No"},
    "zh-CN": {"search": "搜索", "why": "为什么？", "changes": "变化", "export": "导出这", "yes": "是", "no": "否"},
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A crawl whose pages were visited again, and beside what it found, pages to be labelled."""
    folder = tmp_path_factory.mktemp("browser")
    site = travel_site()
    with small_web(site.get) as web:
        given = {"TOPICSPIDER_SNAPSHOTS": "hits", "TOPICSPIDER_PAGE_SCORER": SCORER}
        first = crawl(folder, web.proxy, seeds=HUB, **given)
        a_while_later(site)
        again = recrawl(folder, web.proxy, *OVERDUE, **given)
    assert (first.exit_code, again.exit_code) == (0, 0), first.err + again.err
    far = "http://far.example/" + "a-long-way-" * 40
    put(folder / "data", [judged(place) for place in range(60)], [led(far, "http://w0.example/hub", "旅游" * 99)])
    return folder


@pytest.mark.parametrize("language", WORDS)
def test_search_open_why_label_export_and_changes(browser, folder, language, complaints):
    words = WORDS[language]
    expect = sync_api.expect
    (folder / "data/tourism/tuned.json").unlink(missing_ok=True)
    with web_server(folder, *SCORED) as server:
        page = opened(browser, server, complaints, locale=language, accept_downloads=True)
        page.goto(f"http://{server.address}/hits")
        page.fill("#q", "旅")
        expect(page.locator("#suggested option").first).to_have_attribute("value", "旅游")
        page.fill("#q", "旅游 漓江 -竹筏")
        page.get_by_role("button", name=words["search"], exact=True).click()
        expect(page.locator("li.hit mark").first).to_have_text("旅游")
        page.locator("details.export summary").click()
        with page.expect_download() as download:
            page.get_by_role("link", name=".csv", exact=True).click()
        assert "漓江" in download.value.path().read_text(encoding="utf-8-sig")

        page.locator("li.hit h2 a").first.click()
        frame = page.frame_locator("iframe.snapshot")
        expect(frame.locator("body")).to_contain_text("古镇和雪山")
        page.get_by_role("link", name=words["why"], exact=True).click()
        expect(page.locator("svg.sum rect").first).to_be_attached()
        page.locator("details summary").first.click()
        expect(page.locator(".marked mark").first).to_be_visible()

        page.goto(f"http://{server.address}/labels")
        before = page.locator("#threshold").inner_text()
        for number in range(1, 11):
            page.wait_for_load_state()  # keys are heard from then on
            is_yes = "旅游" in page.locator(".ask h3").inner_text()
            page.keyboard.press("y" if is_yes else "n")
            expect(page.locator(".figures dd").first).to_contain_text(str(number))
        expect(page.locator("#threshold")).not_to_have_text(before)
        expect(page.locator("svg .overall")).to_be_attached()

        page.goto(f"http://{server.address}/hits?q={quote('攻略')}")
        page.keyboard.press("j")
        pressed = page.locator("li.hit [data-key=y]").first
        if pressed.get_attribute("aria-pressed") == "true":  # it was drawn above: the same answer takes it back
            page.keyboard.press("y")
            expect(pressed).to_have_attribute("aria-pressed", "false")
        page.keyboard.press("y")
        expect(pressed).to_have_attribute("aria-pressed", "true")
        expect(page.locator("li.hit output").first).to_contain_text("%")

        page.get_by_role("link", name=words["changes"], exact=True).click()
        expect(page.locator(".change.changed ins")).to_contain_text(["沿海步道"])
        expect(page.locator(".change.gone h2")).to_contain_text(["客栈"])
        expect(page.locator(".change.new h2")).to_contain_text(["新的路线"])


def test_answers_are_given_without_scripts(browser, folder, complaints):
    with web_server(folder, *SCORED) as server:
        page = opened(browser, server, complaints, java_script_enabled=False)
        page.goto(f"http://{server.address}/hits?q={quote('攻略50')}")
        page.locator("li.hit [data-key=n]").click()
        assert "/hits?" in page.url
        sync_api.expect(page.locator("li.hit [data-key=n]")).to_have_attribute("aria-pressed", "true")


@pytest.mark.parametrize("language", WORDS)
def test_no_view_is_wider_than_the_screen_and_nothing_is_cut(browser, folder, language, look, complaints):
    with web_server(folder, *SCORED) as server:
        page = opened(browser, server, complaints, locale=language)
        for path in views_of(server):
            page.goto(f"http://{server.address}/{path}")
            assert look(page, *WIDTHS) == {}, path


def views_of(server) -> list[str]:
    one = server.json("/hits.json?q=" + quote("漓江 -竹筏")).data["hits"][0]
    urls = (one["url"], "http://w0.example/hub")
    return [*VIEWS, *(address(view, url) for view in ("page", "why") for url in urls)]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious(browser, folder, axe, scheme, complaints):
    with web_server(folder, *SCORED) as server:
        page = opened(browser, server, complaints, color_scheme=scheme)
        for path in [*MORE, *views_of(server)]:
            page.goto(f"http://{server.address}/{path}")
            assert axe(page) == [], path
        page.context.clear_cookies()
        page.goto(f"http://{server.address}/login")
        assert axe(page) == []
    complaints[:] = [one for one in complaints if "status of 40" not in one]  # those of MORE that are none


FIRED = "window.fired=1;document.title='fired'"


def attacks(canary: str) -> list[str]:
    """What would fire or load something where it was taken for more than text."""
    return [
        f"<script>{FIRED}</script>",
        f"<img src={canary}/img onerror={FIRED}>",
        f"\"><svg onload={FIRED}><image href='{canary}/svg'>",
        f"'><iframe src={canary}/frame>",
        f"</title><style>@import '{canary}/css'</style>",
        f"</textarea></script><link rel=preconnect href={canary}>",
        f"<meta http-equiv=refresh content='0;url={canary}/refresh'>",
        f"<form action={canary}/form><button autofocus>旅游",
        f"javascript:{FIRED}",
        f"data:text/html,<script>{FIRED}</script>",
        "{{ 7 * 7 }}{% raw %}${7*7}#{7*7}<%= 7*7 %>",
        "{{ cycler.__init__.__globals__.os.system('id') }}",
        "\u202eyttam\u202c \u2066x\u2069 \u200b\ufeff",
        "a\x00b\x1b[31mred\x07\r\nSet-Cookie: x=1",
        "旅" * 3000,
        "x" * 3000,
        "مرحبا 旅游 שלום",
        "👩‍👩‍👧‍👦🏳️‍🌈" * 20,
        "\ud800",
        "]]><!--<![CDATA[",
        '<a href="javascript:1" ping=/x>旅游</a>',
        "&lt;script&gt;&#60;img&#62;&amp;amp;",
        *naughty_strings(),
    ]


def snapshot_of(canary: str) -> str:
    return f"""<!doctype html><html><head><title>旅游</title><base href="{canary}/">
<meta http-equiv="refresh" content="0;url={canary}/refresh"><META HTTP-EQUIV=refresh CONTENT=0>
<link rel="stylesheet" href="{canary}/style.css"><link rel=preconnect href="{canary}"><link rel=prefetch href="{canary}/pre">
<style>@import url({canary}/import.css); body {{ background: url({canary}/background.png) }} @font-face {{ font-family: x; src: url({canary}/font) }} p {{ font-family: x }}</style>
<script src="{canary}/script.js"></script><script>parent.fired = top.fired = 1; fetch("{canary}/fetch")</script></head>
<body onload="parent.fired=1" background="{canary}/old.png"><p style="background:url({canary}/inline.png)">旅游攻略</p>
<img src="{canary}/image.png" srcset="{canary}/set.png 2x" onerror="parent.fired=1"><svg><image href="{canary}/svg.png"/><script>parent.fired=1</script></svg>
<video src="{canary}/video" poster="{canary}/poster" autoplay></video><audio src="{canary}/audio" autoplay></audio><object data="{canary}/object"></object>
<embed src="{canary}/embed"><iframe src="{canary}/frame"></iframe><iframe srcdoc="<script>top.fired=1</script>"></iframe>
<form action="{canary}/form" target="_top"><input name=x autofocus onfocus="parent.fired=1"><button id=send>go</button></form>
<a id=out href="{canary}/link" ping="{canary}/ping" target="_top">out</a><a id=js href="javascript:parent.fired=1">js</a></body></html>"""


@contextmanager
def hostile(folder: Path):
    """Pages whose every field is an attack, a page that links to all of them, one whose snapshot is; and what counts the requests."""
    with small_web({}) as canary:
        texts = attacks(canary.proxy)
        urls = [
            canonicalize(f"http://h{number}.example/?t={quote(text[:40].encode('utf-8', 'replace'))}") or ""
            for number, text in enumerate(texts)
        ]
        hub = "http://hub.example/"
        place = snapshots(folder / "data", {hub: snapshot_of(canary.proxy)})[hub]
        rows = [
            hit(url, text, body=f"旅游 {text}", summary=text, keywords=[text], author=text, site_name=text, language=text[:9],
                published=text, type=text[:20], data={text: [text]}, referrer=hub)
            for url, text in zip(urls, texts, strict=True)
        ]  # fmt: skip
        put(
            folder / "data",
            [hit(hub, "旅游目录", snapshot=place, relevance=0.99), *rows],
            [led(hub, url, text, pruned=text[:30]) for url, text in zip(urls, texts, strict=True)],
        )
        yield texts, urls, hub, canary


def test_hostile_content_fires_nothing_and_loads_nothing(browser, tmp_path):
    with hostile(tmp_path) as (texts, urls, hub, canary), web_server(tmp_path, *SCORED) as server:
        page = opened(browser, server, [])
        asked: list[str] = []
        page.on("response", lambda answer: asked.append(answer.url))
        page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
        some = [address("page", url) for url in urls[:22]] + [address("why", url) for url in urls[:8]]
        queries = [f"hits?q={quote(text[:200].encode('utf-8', 'replace'))}" for text in texts[:14]]
        views = [address("page", hub), "hits", "hits?sort=date", "labels", "changes", "map", *some, *queries]
        for path in views:
            page.goto(f"http://{server.address}/{path}")
            assert page.evaluate("window.fired") is None, path
            assert "fired" not in page.title().partition(" · ")[0][:5], path
        assert [url for url in asked if not url.startswith(f"http://{server.address}/")] == []
        assert canary.asked == []


def test_a_hostile_snapshot_fires_nothing_and_loads_nothing_also_when_it_is_clicked(browser, tmp_path):
    with hostile(tmp_path) as (_texts, _urls, hub, canary), web_server(tmp_path) as server:
        page = opened(browser, server, [])
        asked: list[str] = []
        page.on("response", lambda answer: asked.append(answer.url))
        for path in (address("page", hub), address("page.snapshot", hub)):
            page.goto(f"http://{server.address}/{path}")
            where = page.frame_locator("iframe.snapshot") if path.startswith("page?") else page
            sync_api.expect(where.locator("p")).to_have_text("旅游攻略")
            for what in ("#send", "#out", "#js"):
                where.locator(what).click(force=True, no_wait_after=True)
                where.locator(what).press("Enter", no_wait_after=True)
            page.wait_for_timeout(1500)  # a refresh would have happened
            assert page.url == f"http://{server.address}/{path}"
            assert page.evaluate("window.fired") is None
        assert {url for url in asked if not url.startswith(f"http://{server.address}/")} == set()
        assert canary.asked == []


def test_every_naughty_string_is_answered_as_title_and_as_query(tmp_path):
    with hostile(tmp_path) as (texts, urls, _hub, canary), web_server(tmp_path, *SCORED) as server:
        server.log_in()
        for number, (text, url) in enumerate(zip(texts, urls, strict=True)):
            asked = quote(text[:300].encode("utf-8", "replace"))
            more = [f"hits?site={asked}", f"suggestions?q={asked}", f"topics?q={asked}", address("why", url)]
            for path in (address("page", url), f"hits?q={asked}", *(more if number < 22 else ())):
                got = server.ask(f"/{path}")
                assert got.status == 200, (path, got.text[-300:])
                shown = got.text.partition("<main")[2]
                assert not [
                    tag for tag in ("<script", "<img", "<iframe src", "<meta", "<link", "<style") if tag in shown
                ], path
        for ending in (".html", ".rss", ".csv"):
            assert server.ask(f"/hits.export?format={ending}").status == 200
        assert canary.asked == []


def address(view: str, url: str) -> str:
    return f"{view}?topic=tourism&url={quote(url, safe='')}"
