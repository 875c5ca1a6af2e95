"""One word makes all the choices of a published system, and what is set beside it wins."""

from __future__ import annotations

import json
import sqlite3
from itertools import pairwise

import pytest
from scrapy.settings import BaseSettings, Settings

from support.crawling import NO_DELAYS, crawl, environment, scrapy, stored
from support.site import TRAVEL, page, small_web, travel_web
from topicspider.addon import TopicSpiderAddon
from topicspider.errors import ConfigError
from topicspider.modes import MODES, SCRAPY_MODES
from topicspider.options import Options
from topicspider.spiders.arguments import apply_arguments

EACH = pytest.mark.parametrize("mode", sorted(MODES))
SEED = "http://w0.example/p0.html"


@EACH
def test_a_mode_makes_the_choices_of_its_paper(mode):
    options = Options.read({"TOPICSPIDER_MODE": mode})
    assert {name: getattr(options, name) for name in MODES[mode]} == dict(MODES[mode])


@EACH
def test_each_choice_of_a_mode_is_a_value_that_its_setting_allows(mode):
    settings = {f"TOPICSPIDER_{name.upper()}": value for name, value in MODES[mode].items()}
    read = Options.read(settings)
    assert {name: getattr(read, name) for name in MODES[mode]} == dict(MODES[mode])


def test_what_the_user_says_wins():
    given = {"TOPICSPIDER_MODE": "thesis2011", "TOPICSPIDER_MAX_DEPTH": "7", "TOPICSPIDER_LINK_POLICY": "hard_focus"}
    options = Options.read(given)
    assert (options.max_depth, options.link_policy, options.page_scorer) == (7, "hard_focus", "a4bc")


def test_an_unknown_mode_is_one_line_that_names_those_there_are():
    with pytest.raises(
        ConfigError, match=r"-a mode: 'li2003' is not valid; allowed: thesis2011, li2002, cao, broder, x"
    ):
        apply_arguments(BaseSettings(), {"mode": "li2003"})


@EACH
def test_the_connections_of_a_mode_give_way_to_the_users_own(mode):
    for given, expected in (({}, SCRAPY_MODES[mode].get("CONCURRENT_REQUESTS", 16)), ({"CONCURRENT_REQUESTS": 3}, 3)):
        settings = Settings()
        settings.update({"TOPICSPIDER_TOPIC": "tourism", "TOPICSPIDER_MODE": mode, **given}, priority="project")
        TopicSpiderAddon().update_settings(settings)
        assert settings.getint("CONCURRENT_REQUESTS") == expected


@pytest.mark.slow
@EACH
def test_the_five_modes_crawl_a_web(tmp_path, mode):
    with small_web(travel_web(pages=14), latency=0.01) as web:
        ended = crawl(tmp_path, web.proxy, "-a", f"mode={mode}", seeds=SEED)
        pages = web.pages()
    assert ended.exit_code == 0, ended.err
    assert set(stored(tmp_path)) == set(pages) >= {SEED}
    assert len(pages) == len(set(pages))
    with sqlite3.connect(tmp_path / "data" / "tourism" / "pages.db") as database:
        (told,) = database.execute("SELECT settings FROM crawls").fetchone()
    assert json.loads(told)["TOPICSPIDER_MODE"] == mode


def test_a_mode_mistyped_ends_before_anything_is_fetched(tmp_path):
    ended = scrapy(["crawl", "topic", "-a", "topic=tourism", "-a", "mode=xu"], tmp_path, environment())
    assert ended.exit_code == 2
    assert "allowed: thesis2011, li2002, cao, broder, xu2007" in ended.err


def test_the_next_urls_of_a_host_go_one_after_the_other_over_one_connection(tmp_path):
    with small_web(travel_web(pages=30, hosts=2), latency=0.02) as web:
        ended = scrapy(
            ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", "-a", "mode=cao", *NO_DELAYS],
            tmp_path,
            environment(web.proxy),
        )
        asked, pages = web.asked, web.pages()
    assert ended.exit_code == 0, ended.err
    assert sorted(pages) == sorted(travel_web(pages=30, hosts=2))
    for host in ("w0.example", "w1.example"):
        visits = sorted((one for one in asked if one.host == host), key=lambda one: one.start)
        assert all(before.end <= after.start for before, after in pairwise(visits))


@pytest.mark.parametrize("kind", ["sqlite", "redis"])
def test_all_pages_of_a_host_come_over_one_connection(tmp_path, kind, request):
    """(c) Cao, keep-alive: not through a proxy, whose connections serve all hosts."""
    frontier = {"TOPICSPIDER_FRONTIER": request.getfixturevalue("redis_url")} if kind == "redis" else {}
    links = {f"/p{number}.html": f"旅游攻略{number}" for number in range(1, 25)}
    pages = {url: page("旅游日记", TRAVEL) for url in links} | {"/": page("旅游", TRAVEL, links)}
    with small_web(pages) as web:
        env = environment(TOPICSPIDER_ALLOW_PRIVATE="1", **frontier)
        arguments = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={web.proxy}/", "-a", "mode=cao", *NO_DELAYS]
        ended = scrapy(arguments, tmp_path, env)
    assert ended.exit_code == 0, ended.err
    assert sorted(web.pages()) == sorted(pages)
    assert len({one.connection for one in web.asked}) == 1


def test_between_the_urls_of_one_lease_the_host_rests(tmp_path):
    rests = ("-s", "TOPICSPIDER_DELAY_MIN=0.3", "-s", "TOPICSPIDER_DELAY_FACTOR=0")
    with small_web(travel_web(pages=6, hosts=1)) as web:
        ended = crawl(tmp_path, web.proxy, "-a", "mode=cao", *rests, seeds=SEED)
        visits = sorted(web.asked, key=lambda one: one.start)
    assert ended.exit_code == 0, ended.err
    assert len(visits) == 7
    assert all(after.start - before.end >= 0.25 for before, after in pairwise(visits))
