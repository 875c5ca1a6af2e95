"""A URL is shown without what is secret in it."""

from __future__ import annotations

import pytest

from topicspider.url.display import masked


@pytest.mark.parametrize("name", ["pass", "PWD", "passwd", "password", "passphrase", "secret", "access_token"])
def test_a_secret_in_the_query_is_not_shown(name: str) -> None:
    shown = masked(f"mysql://db.example/pages?{name}=桂林zz7&ssl=on")
    assert shown == f"mysql://db.example/pages?{name}=***&ssl=on"


def test_other_values_are_shown() -> None:
    assert masked("http://a.example/?passage=1&word=桂林") == "http://a.example/?passage=1&word=桂林"
