"""Settings from the environment, and passwords from files."""

from __future__ import annotations

from dataclasses import fields

import pytest

from support.crawling import ROOT, crawl, environment, scrapy
from support.site import small_web, travel_web
from topicspider.errors import ConfigError
from topicspider.options import Options
from topicspider.setting_names import check_names, from_environment, without_settings
from topicspider.setting_rules import setting_name
from topicspider.spiders.arguments import SECRETS

SEED = "http://w0.example/p0.html"
SECRET = "redis://:p@ss密码@127.0.0.1:1/0"


def test_variables_with_the_names_of_settings_are_settings_and_others_are_not():
    given = {"TOPICSPIDER_DELAY_MIN": "3", "TOPICSPIDER_COMMAND": "./run", "PATH": "/bin", "TOPICSPIDER_TOPIC": "旅游"}
    assert from_environment(given) == {"TOPICSPIDER_DELAY_MIN": "3", "TOPICSPIDER_TOPIC": "旅游"}
    assert without_settings(given) == {"TOPICSPIDER_COMMAND": "./run", "PATH": "/bin"}


@pytest.mark.parametrize("name", ["STOER", "STORE_URL", "DELAYMIN"])
def test_a_name_that_is_nearly_one_of_a_setting_is_refused_and_its_value_not_shown(name):
    for given in (({f"TOPICSPIDER_{name}": SECRET}, {}), ({}, {f"TOPICSPIDER_{name}": SECRET})):
        with pytest.raises(
            ConfigError, match=rf"setting: 'TOPICSPIDER_{name}' is not valid; .+ Did you mean TOPICSPIDER_"
        ) as error:
            check_names(*given)
        assert SECRET not in str(error.value)


def test_any_other_name_is_refused_as_a_setting_but_may_be_a_variable():
    check_names({"TOPICSPIDER_STORE": "", "SPIDER": "旅游"}, {"TOPICSPIDER_COMMAND": "./run", "PATH": "/bin"})
    with pytest.raises(ConfigError, match="TOPICSPIDER_旅游"):
        check_names({"TOPICSPIDER_旅游": ""}, {})
    check_names(
        {},
        dict.fromkeys(
            ("TOPICSPIDER_HOME", "TOPICSPIDER_", "TOPICSPIDER_CONTAINER", "TOPICSPIDER_IMAGE", "TOPICSPIDER_旅游"), ""
        ),
    )


@pytest.mark.parametrize("of_a_service", ["SERVICE_PORT_WEB", "PORT", "PORT_80_TCP_ADDR", "STORE_SERVICE_PORT"])
def test_the_variables_of_a_kubernetes_service_are_no_settings(of_a_service):
    check_names({}, {f"TOPICSPIDER_{of_a_service}": "tcp://10.0.0.1:80"})


def test_parse_stays_beside_the_crawl_whatever_the_environment_says(tmp_path):
    """A Redis and a database where nobody listens: it would say so if it asked them."""
    nobody = {"TOPICSPIDER_FRONTIER": "redis://127.0.0.1:1", "TOPICSPIDER_STORE": "mysql://u@127.0.0.1:1/d"}
    with small_web(travel_web(3)) as web:
        env = environment(web.proxy, **nobody, TOPICSPIDER_MODEL="redis://127.0.0.1:1")
        ended = scrapy(
            ["parse", SEED, "--spider=topic", "-a", "topic=tourism", "-s", "TOPICSPIDER_DELAY_MIN=0"], tmp_path, env
        )
    assert ended.exit_code == 0, ended.err
    assert "127.0.0.1:1" not in ended.err
    assert SEED in ended.out


def test_the_environment_is_heard_and_the_command_line_wins(tmp_path):
    with small_web(travel_web(20)) as web:
        env = environment(web.proxy, TOPICSPIDER_MAX_PAGES="4", TOPICSPIDER_DATA="数据", TOPICSPIDER_DELAY_MIN="x")
        given = ["crawl", "topic", "-a", "topic=tourism", "-a", f"seeds={SEED}", "-s", "TOPICSPIDER_DELAY_FACTOR=0"]
        wrong = scrapy(given, tmp_path, env)
        ended = scrapy([*given, "-s", "TOPICSPIDER_DELAY_MIN=0"], tmp_path, env)
    assert wrong.exit_code == 2
    assert "TOPICSPIDER_DELAY_MIN: 'x' is not valid; allowed: a number" in wrong.err
    assert ended.exit_code == 0, ended.err
    assert len(web.pages()) == 4
    assert (tmp_path / "数据" / "tourism" / "pages.db").is_file()


@pytest.mark.parametrize("option", SECRETS)
def test_what_may_hold_a_password_may_stand_in_a_file(tmp_path, option):
    path = tmp_path / "秘密"
    path.write_text(f"\ufeff{SECRET}\n", encoding="utf-8")
    assert getattr(Options.read({f"TOPICSPIDER_{option.upper()}": f" @{path}"}), option) == SECRET


@pytest.mark.parametrize(("content", "why"), [(b"", "It has 0"), (b"a\nb\n", "It has 2"), (b"\xff\xfe", "UTF-8")])
def test_a_file_that_cannot_be_the_value_is_named_and_what_is_in_it_is_not(tmp_path, content, why):
    path = tmp_path / "secret"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=why) as caught:
        Options.read({"TOPICSPIDER_STORE": f"@{path}"})
    assert str(path) in str(caught.value)


def test_a_password_from_a_file_is_neither_shown_nor_kept(tmp_path):
    """The server does not answer: what the crawl says of it is without the password, and so is the record of the run."""
    path = tmp_path / "secret"
    path.write_text(SECRET, encoding="utf-8")
    more = ("-s", f"TOPICSPIDER_FRONTIER=@{path}", "-s", "TOPICSPIDER_CONNECT_WAIT=0")
    with small_web({}) as web:
        ended = crawl(tmp_path, web.proxy, *more, seeds=SEED)
    assert ended.exit_code == 3, ended.err
    assert "ss密码" not in ended.err + ended.out
    assert "127.0.0.1:1" in ended.err


@pytest.mark.parametrize("name", [setting_name(field.name) for field in fields(Options)])
def test_every_setting_is_documented(name):
    assert f"## {name}\n" in (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("value", "expected"), [("200", 200), (200, 200), ("2e2", 200), ("+7", 7)])
def test_whole_numbers_are_read_as_people_write_them(value, expected):
    assert Options.read({"TOPICSPIDER_MAX_PAGES": value}).max_pages == expected
