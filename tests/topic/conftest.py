"""``scrapy topics`` through Scrapy's own command line."""

from __future__ import annotations

import pytest
from scrapy import cmdline
from scrapy.settings import Settings

from topicspider.commands.topics import Command


@pytest.fixture
def scrapy_topics(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    """Runs it with arguments and settings; gives exit code, stdout, stderr."""
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(cmdline, "_get_commands_dict", lambda _settings, _inproject: {"topics": Command()})

    def run(*arguments: str, **settings: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as ended:
            cmdline.execute(["scrapy", "topics", *arguments], Settings({"TOPICSPIDER_LANGUAGE": "en", **settings}))
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return run
