"""Tokens, sessions, names of hosts and origins, without a server."""

from __future__ import annotations

import pytest

from topicspider.serve.access import (
    FAILURE_SECONDS,
    MOST_FAILURES,
    MOST_SESSIONS,
    Access,
    TooManyFailures,
    WrongToken,
    is_own_host,
    is_own_origin,
)

HERE = "127.0.0.1:8321"


def test_the_token_of_the_link_opens_one_session_and_the_other_as_many_as_are_asked_for():
    access = Access()
    link = access.link_token
    session = access.log_in(link, "a")
    assert access.session(session.key) is session
    with pytest.raises(WrongToken):
        access.log_in(link, "a")
    with pytest.raises(WrongToken):
        access.log_in("", "a")
    assert access.log_in(access.token, "a").key != access.log_in(access.token, "a").key


def test_after_five_wrong_tokens_not_even_the_right_one_is_looked_at_for_a_minute():
    now = [0.0]
    access = Access(lambda: now[0])
    for _try in range(MOST_FAILURES):
        with pytest.raises(WrongToken):
            access.check_bearer("Bearer wrong", "a")
    with pytest.raises(TooManyFailures) as caught:
        access.log_in(access.token, "a")
    assert caught.value.seconds == FAILURE_SECONDS
    access.check_bearer(f"bearer {access.token}", "another")
    now[0] = FAILURE_SECONDS
    access.log_in(access.token, "a")


def test_the_oldest_session_is_closed_for_the_newest():
    access = Access()
    first, *_others, last = (access.log_in(access.token, "a") for _one in range(MOST_SESSIONS + 1))
    assert (access.session(first.key), access.session(last.key)) == (None, last)


@pytest.mark.parametrize("header", ["", "Bearer", "Bearer ", "Basic abc", "Bearer 密码", "Bearer \udcff"])
def test_what_brings_no_token_is_refused(header):
    with pytest.raises(WrongToken):
        Access().check_bearer(header, "a")


@pytest.mark.parametrize(
    ("header", "host", "is_own"),
    [
        (HERE, "127.0.0.1", True),
        ("localhost:8321", "127.0.0.1", True),
        ("LOCALHOST:8321", "127.0.0.1", True),
        ("[::1]:8321", "::1", True),
        ("127.0.0.1", "127.0.0.1", False),
        ("127.0.0.1:80", "127.0.0.1", False),
        ("evil.example:8321", "127.0.0.1", False),
        ("127.0.0.1.evil.example:8321", "127.0.0.1", False),
        ("", "127.0.0.1", False),
        ("10.0.0.7:8321", "0.0.0.0", True),
        ("evil.example:8321", "0.0.0.0", False),
    ],
)
def test_only_the_name_that_is_served_is_answered(header, host, is_own):
    assert is_own_host(header, host, 8321) is is_own


@pytest.mark.parametrize(
    ("headers", "is_own"),
    [
        ({}, True),
        ({"Origin": f"http://{HERE}"}, True),
        ({"Origin": f"http://{HERE}", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Origin": "null", "Sec-Fetch-Site": "same-origin"}, True),
        ({"Origin": "null"}, False),
        ({"Origin": "null", "Sec-Fetch-Site": "cross-site"}, False),
        ({"Origin": "http://evil.example"}, False),
        ({"Origin": "http://127.0.0.1:1"}, False),
        ({"Sec-Fetch-Site": "same-site"}, False),
    ],
)
def test_only_a_page_of_ours_changes_something(headers, is_own):
    assert is_own_origin(headers, HERE) is is_own
