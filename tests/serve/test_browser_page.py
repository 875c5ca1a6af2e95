"""The page in a real browser, in both languages: a crawl is started by a bare name, watched, paused, resumed and stopped."""

from __future__ import annotations

import pytest

from support.serving import ENDLESS_SEED, QUICK, endless_web, opened, web_server
from support.site import small_web

sync_api = pytest.importorskip("playwright.sync_api")

WIDTHS = (390, 1024, 1600)
WORDS = {
    "en-US": {
        "start": "Start",
        "preview": "Preview",
        "pause": "Pause",
        "resume": "Resume",
        "stop": "Stop",
        "ended": "ended",
    },
    "zh-CN": {"start": "开始", "preview": "预览", "pause": "暂停", "resume": "继续", "stop": "停止", "ended": "已结束"},
}
SECONDS = 60_000  # ms


@pytest.mark.parametrize("language", WORDS)
def test_a_crawl_is_started_by_a_bare_name_watched_paused_resumed_and_stopped(browser, tmp_path, language, complaints):
    words = WORDS[language]

    def button(name):
        return page.get_by_role("button", name=words[name], exact=True)

    topics = tmp_path / "topics"  # where the file of the bare name is written
    topics.mkdir()
    with (
        small_web(endless_web) as web,
        web_server(tmp_path, *QUICK, proxy=web.proxy, TOPICSPIDER_TOPICS_DIR=str(topics)) as server,
    ):
        page = opened(browser, server, complaints, locale=language)
        page.goto(f"http://{server.address}/start")
        page.fill("#topic", "自由行")
        page.fill("#seeds", ENDLESS_SEED)
        button("preview").click()
        sync_api.expect(page.locator(".words").first).to_contain_text("自由行")
        button("start").click()
        page.wait_for_url("**/crawl?**")
        line = page.locator(".chart .overall")
        line.wait_for(state="attached")
        before = line.get_attribute("points")
        page.wait_for_function(
            "before => document.querySelector('.chart .overall')?.getAttribute('points') !== before", arg=before
        )
        sync_api.expect(page.locator("[data-part=found] a").first).to_be_visible(timeout=SECONDS)
        button("pause").click()
        button("resume").wait_for()
        button("resume").click()
        button("pause").wait_for()
        button("stop").click()
        sync_api.expect(page.locator("[data-part=head] .state")).to_have_text(words["ended"], timeout=SECONDS)


def test_the_link_opens_the_page_at_once_and_leaves_no_token_in_the_history(browser, tmp_path):
    with web_server(tmp_path) as server:
        page = browser.new_page()
        page.goto(server.link)
        page.wait_for_url("**/crawls")
        page.go_back()
        assert "token=" not in page.url


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_is_wider_than_the_screen_and_every_field_has_a_name(browser, tmp_path, scheme, complaints):
    with small_web(endless_web) as web, web_server(tmp_path, *QUICK, proxy=web.proxy) as server:
        server.tell("/start.json", {"topic": "tourism", "seeds": ENDLESS_SEED, "max_pages": "40"})
        page = opened(browser, server, complaints, color_scheme=scheme)
        page.goto(f"http://{server.address}/crawl?crawl=tourism")
        sync_api.expect(page.locator("[data-part=head] .state")).to_have_text("ended", timeout=SECONDS)
        for path in (
            "crawls",
            "crawl?crawl=tourism",
            "crawl/hosts?crawl=tourism",
            "crawl/log?crawl=tourism",
            "start?topic=tea",
        ):
            page.goto(f"http://{server.address}/{path}")
            for width in WIDTHS:
                page.set_viewport_size({"width": width, "height": 800})
                assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            for field in page.locator("main input:visible, main select:visible, main textarea:visible").all():
                assert field.evaluate("field => field.labels.length"), field.evaluate("field => field.outerHTML")


def test_hostile_titles_run_nothing_and_load_nothing(browser, tmp_path, complaints):
    from support.site import page as html

    title = "旅游<script>document.title='fired'</script><img src=http://127.0.0.1:1/x onerror=document.title='fired'>&quot;'\\"
    web = {
        "http://e0.example/0.html": html(
            title.replace("<", "&lt;"), "旅游攻略，景区门票与酒店住宿，导游带游客自由行。" * 5
        )
    }
    with small_web(web) as served, web_server(tmp_path, *QUICK, proxy=served.proxy) as server:
        server.tell("/start.json", {"topic": "tourism", "seeds": ENDLESS_SEED})
        page = opened(browser, server, complaints)
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"http://{server.address}/crawl?crawl=tourism")
        sync_api.expect(page.locator("[data-part=decisions] td").first).to_contain_text("<script>", timeout=SECONDS)
        assert "fired" not in page.title()
        assert all(url.startswith(f"http://{server.address}/") for url in asked)
