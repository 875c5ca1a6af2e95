"""One walk through the page in a real browser, in both languages, as a user goes; the catalogue as a chooser; a rehearsal; a job for a node."""

from __future__ import annotations

import subprocess
import sys
from contextlib import contextmanager
from dataclasses import replace
from urllib.parse import quote, unquote

import pytest

from support.crawling import NO_DELAYS, environment, scrapy
from support.found import SCORER
from support.recrawling import OVERDUE
from support.servers import free_port
from support.serving import ENDLESS_SEED, QUICK, endless_web, opened, web_server
from support.site import small_web
from tests.serve.test_beside import wait

sync_api = pytest.importorskip("playwright.sync_api")

TOPIC = "自由行"
SCORED = ("-s", f"TOPICSPIDER_PAGE_SCORER={SCORER}", "-s", "TOPICSPIDER_SNAPSHOTS=hits")
SECONDS = 240_000  # ms
NEWS = "新的观景台今天开放，凭身份证免费参观。"
WORDS = {
    "en-US": {"start": "Start", "preview": "Preview", "check": "Fetch and check", "pause": "Pause", "resume": "Resume",
              "stop": "Stop", "ended": "ended", "hits": "Hits", "search": "Search", "why": "Why?", "changes": "Changes",
              "hit": "a hit", "together": "Crawl the chosen classes together", "rehearse": "Rehearse"},
    "zh-CN": {"start": "开始", "preview": "预览", "check": "抓取并检查", "pause": "暂停", "resume": "继续",
              "stop": "停止", "ended": "已结束", "hits": "命中", "search": "搜索", "why": "为什么？", "changes": "变化",
              "hit": "命中", "together": "一起抓取选中的类目", "rehearse": "开始演练"},
}  # fmt: skip


@contextmanager
def changing_web():
    """An endless web; what is put into ``news`` stands on each of its pages from then on."""
    news: list[str] = []

    def find(url):
        answer = endless_web(url)
        return answer and replace(answer, body=str(answer.body).replace("</p>", "".join(news) + "</p>"))

    with small_web(find) as web:
        yield web, news


@pytest.mark.parametrize("language", WORDS)
def test_a_user_starts_a_crawl_by_a_bare_name_and_walks_from_it_to_the_change_feed(browser, tmp_path, language, complaints):  # fmt: skip
    words, expect = WORDS[language], sync_api.expect
    topics = tmp_path / "topics"  # where the file of the bare name is written
    topics.mkdir()
    env = {"TOPICSPIDER_TOPICS_DIR": str(topics)}
    with changing_web() as (web, news), web_server(tmp_path, *QUICK, *SCORED, proxy=web.proxy, **env) as server:
        page = opened(browser, server, complaints, locale=language, accept_downloads=True)

        def button(name):
            return page.get_by_role("button", name=words[name], exact=True)

        # a topic by its bare name: what it becomes, what comes of an example page, whether it can begin there
        page.goto(f"http://{server.address}/start")
        page.fill("#topic", TOPIC)
        page.fill("#seeds", ENDLESS_SEED)
        page.fill("#examples", "http://e3.example/3.html")
        button("preview").click()
        expect(page.locator(".words").first).to_contain_text(TOPIC)
        assert "csrf" not in page.url
        button("check").click(no_wait_after=True)
        expect(page.locator(".preview .verdict").first).to_contain_text(words["hit"], timeout=SECONDS)
        expect(page.locator(".preview .score").first).to_be_visible()

        # it is started and watched, pauses, goes on and stops
        button("start").click()
        page.wait_for_url("**/crawl?**")
        line = page.locator(".chart .overall")
        line.wait_for(state="attached", timeout=SECONDS)
        before = line.get_attribute("points")
        expect(line).not_to_have_attribute("points", before or "", timeout=SECONDS)
        expect(page.locator("[data-part=found] a").first).to_be_visible(timeout=SECONDS)
        name = unquote(page.url.partition("crawl=")[2])
        wait(lambda: server.json(f"/crawl.json?crawl={quote(name)}").data["status"], lambda found: found["hits"] >= 40)
        button("pause").click()
        button("resume").click()
        button("pause").wait_for()
        button("stop").click()
        expect(page.locator("[data-part=head] .state")).to_have_text(words["ended"], timeout=SECONDS)

        # search, the page with its snapshot, why
        wait(lambda: server.json("/hits.json?q=%E6%97%85%E6%B8%B8").status, lambda status: status == 200)  # the index
        page.get_by_role("link", name=words["hits"], exact=True).click()
        page.fill("#q", "旅游")
        button("search").click()
        expect(page.locator("li.hit mark").first).to_have_text("旅游")
        page.locator("details.export summary").click()
        with page.expect_download() as download:
            page.get_by_role("link", name=".csv", exact=True).click()
        assert "自由行旅游日记" in download.value.path().read_text(encoding="utf-8-sig")
        page.locator("li.hit h2 a").first.click()
        expect(page.frame_locator("iframe.snapshot").locator("h1")).to_contain_text("旅游日记")
        page.get_by_role("link", name=words["why"], exact=True).click()
        expect(page.locator("ul.parts li").first).to_contain_text(TOPIC)
        page.locator("details summary").first.click()
        expect(page.locator(".marked mark").first).to_be_visible()

        # ten labels: whoever wants the better hits alone gets a higher threshold
        scores = sorted(hit["relevance"] for hit in server.json("/hits.json?sort=score&copies=1").data["hits"])
        page.goto(f"http://{server.address}/labels")
        threshold = page.locator("#threshold").inner_text()
        for number in range(1, 11):
            page.wait_for_load_state()
            page.keyboard.press("y" if server.json("/labels.json").data["ask"]["score"] >= scores[0] else "n")
            expect(page.locator(".figures dd").first).to_contain_text(str(number))
        expect(page.locator("#threshold")).not_to_have_text(threshold)

        # an edit of the topic, tried on what was crawled
        page.goto(f"http://{server.address}/start?topic={quote(TOPIC)}")
        page.locator("details summary").first.click()
        page.fill("#terms", "联赛 10\n战报 5")
        page.locator("button[name=try]").click()
        expect(page.locator(".preview details").first).to_be_visible(timeout=SECONDS)

        # what a recrawl found
        news.append(NEWS)
        order = ["recrawl", name, *NO_DELAYS, *OVERDUE, *SCORED]
        done = scrapy(order, tmp_path, environment(web.proxy, **env))
        assert done.exit_code == 0, done.err
        page.get_by_role("link", name=words["changes"], exact=True).click()
        expect(page.locator(".change.changed ins").first).to_contain_text("新的观景台")


@pytest.mark.parametrize("language", WORDS)
def test_classes_are_chosen_in_the_catalogue_and_show_what_was_found(browser, tmp_path, language, complaints):
    words, expect = WORDS[language], sync_api.expect
    with small_web(endless_web) as web, web_server(tmp_path, *QUICK, proxy=web.proxy) as server:
        page = opened(browser, server, complaints, locale=language)
        page.goto(f"http://{server.address}/catalogue")
        page.fill("#q", "旅游")
        page.keyboard.press("Enter")
        page.locator("#c-F59").check()
        page.get_by_role("button", name=words["together"], exact=True).click()
        expect(page.locator("#topic")).to_have_value("F59")
        page.fill("#topic", "F59,G8")
        page.fill("#seeds", ENDLESS_SEED)
        page.fill("#max_pages", "30")
        page.get_by_role("button", name=words["preview"], exact=True).click()
        expect(page.locator(".preview .words li")).to_have_count(2)
        page.get_by_role("button", name=words["start"], exact=True).click()
        page.wait_for_url("**/crawl?**")
        expect(page.locator("[data-part=head] .state")).to_have_text(words["ended"], timeout=SECONDS)
        page.goto(f"http://{server.address}/catalogue", wait_until="commit")
        found = page.locator("section", has=page.locator("#of-F")).locator(".found-of")
        expect(found).to_have_count(1, timeout=SECONDS)
        wait(lambda: server.json("/hits.json").status, lambda status: status == 200)  # the index
        found.locator("a").click()
        expect(page.locator("li.hit").first).to_be_visible()


@pytest.mark.parametrize("language", WORDS)
def test_a_rehearsal_is_started_seen_to_end_and_its_report_opened(browser, tmp_path, language, complaints):
    words, expect = WORDS[language], sync_api.expect
    with web_server(tmp_path) as server:
        page = opened(browser, server, complaints, locale=language)
        page.goto(f"http://{server.address}/rehearsals")
        page.fill("#topic", "tourism")
        page.fill("#pages", "60")
        page.get_by_role("button", name=words["rehearse"], exact=True).click()
        expect(page.locator(".state.running, .state.ended")).to_have_count(1)
        expect(page.locator(".state.ended")).to_have_count(1, timeout=2 * SECONDS)
        with page.expect_popup() as opened_report:
            page.locator("tbody a").click()
        expect(opened_report.value.locator("h1").first).to_be_visible()
    assert server.link  # closed by then


def test_a_crawl_is_started_as_a_job_of_a_node(tmp_path):
    port = free_port()
    (tmp_path / "scrapyd.conf").write_text(
        f"[scrapyd]\nhttp_port = {port}\nbind_address = 127.0.0.1\nusername = me\npassword = p@ss\npoll_interval = 0.2\n"
        "[settings]\ntopicspider = topicspider.settings\n"
    )
    node = f"http://me:p%40ss@127.0.0.1:{port}"
    with small_web(endless_web) as web:
        env = environment(web.proxy, SCRAPY_SETTINGS_MODULE="topicspider.settings", TOPICSPIDER_DELAY_MIN="0.05")
        process = subprocess.Popen([sys.executable, "-m", "scrapyd", "--pidfile="], cwd=tmp_path, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
        try:
            with web_server(tmp_path, "--node", node, proxy=web.proxy) as server:
                (shown,) = server.json("/start.json").data["nodes"]
                assert "p@ss" not in shown
                assert "p%40ss" not in shown
                order = {"topic": "我的路线", "terms": "旅游 10\n自由行 5", "seeds": ENDLESS_SEED, "max_pages": "9"}
                assert server.tell("/start.json", {**order, "node": "http://127.0.0.1:1"}).status == 400
                sent = wait(lambda: server.tell("/start.json", {**order, "node": shown}), lambda got: got.status == 200)
                log = tmp_path / f"logs/topicspider/topic/{sent.data['job']}.log"
                wait(lambda: log.read_text() if log.is_file() else "", lambda text: "Spider opened" in text, 240)
                assert sent.data["job"] in server.json(sent.data["next"].replace("/start?", "/start.json?")).text
        finally:
            process.terminate()
            process.wait(timeout=60)
