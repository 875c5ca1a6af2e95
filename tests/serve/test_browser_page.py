"""The views of a crawl in a real browser: how one gets in, screens of any width, hostile titles."""

from __future__ import annotations

import pytest

from support.serving import ENDLESS_SEED, QUICK, endless_web, opened, web_server
from support.site import small_web

sync_api = pytest.importorskip("playwright.sync_api")

WIDTHS = (390, 1024, 1600)
SECONDS = 60_000  # ms


def test_the_link_opens_the_page_at_once_and_leaves_no_token_in_the_history(browser, tmp_path):
    with web_server(tmp_path) as server:
        page = browser.new_page()
        page.goto(server.link)
        page.wait_for_url("**/crawls")
        page.go_back()
        assert "token=" not in page.url


@pytest.mark.parametrize("language", ["en-US", "zh-CN"])
def test_no_page_is_wider_than_the_screen_and_every_field_has_a_name(browser, tmp_path, language, look, complaints):
    with small_web(endless_web) as web, web_server(tmp_path, *QUICK, proxy=web.proxy) as server:
        server.tell("/start.json", {"topic": "tourism", "seeds": ENDLESS_SEED, "max_pages": "40"})
        page = opened(browser, server, complaints, locale=language)
        page.goto(f"http://{server.address}/crawl?crawl=tourism")
        sync_api.expect(page.locator("[data-part=head] .state.ended")).to_be_attached(timeout=SECONDS)
        for path in (
            "crawls",
            "crawl?crawl=tourism",
            "crawl/hosts?crawl=tourism",
            "crawl/log?crawl=tourism",
            "start?topic=tea",
        ):
            page.goto(f"http://{server.address}/{path}")
            assert look(page, *WIDTHS) == {}, path
            for field in page.locator("main input:visible, main select:visible, main textarea:visible").all():
                assert field.evaluate("field => field.labels.length"), field.evaluate("field => field.outerHTML")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_while_a_node_crawls(browser, tmp_path, redis_url, axe, scheme, look, complaints):
    queue = ("-s", f"TOPICSPIDER_FRONTIER={redis_url}")
    with small_web(endless_web) as web, web_server(tmp_path, *QUICK, *queue, proxy=web.proxy) as server:
        server.tell("/start.json", {"topic": "tourism", "seeds": ENDLESS_SEED})
        page = opened(browser, server, complaints, color_scheme=scheme)
        page.goto(f"http://{server.address}/crawl?crawl=tourism")
        page.locator("[data-part=found] a").first.wait_for(timeout=SECONDS)
        for path in ("crawl?crawl=tourism", "crawl/nodes?crawl=tourism", "crawl/log?crawl=tourism", "crawls"):
            page.goto(f"http://{server.address}/{path}")
            assert (axe(page), look(page, *WIDTHS)) == ([], {}), path
            assert page.locator("tbody tr").count() or "/log" in path
        server.tell("/crawl/order.json", {"crawl": "tourism", "do": "stop"})
        page.goto(f"http://{server.address}/crawl?crawl=tourism")
        sync_api.expect(page.locator("[data-part=head] .state.ended")).to_be_attached(timeout=SECONDS)


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
