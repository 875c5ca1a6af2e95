"""Downloads that are broken off together: at once, and none begun after."""

from __future__ import annotations

import asyncio

import pytest

from topicspider.download.cancellation import DownloadCancelled, Downloads


async def download(downloads: Downloads, ended: list[str], name: str, seconds: float, host: str = "") -> None:
    async with downloads.one(host):
        await asyncio.sleep(seconds)
    ended.append(name)


def in_a_loop(test):
    def run():
        asyncio.run(test())

    return run


@in_a_loop
async def test_those_under_way_end_at_once_and_none_begins_any_more():
    downloads, ended = Downloads(), []
    await download(downloads, ended, "quick", 0.0)
    slow = [asyncio.ensure_future(download(downloads, ended, f"慢{n}", 600.0)) for n in range(3)]
    await asyncio.sleep(0)
    assert downloads.cancel_all() == 3
    told = await asyncio.gather(*slow, return_exceptions=True)
    assert [type(one) for one in told] == [DownloadCancelled] * 3
    assert ended == ["quick"]
    with pytest.raises(DownloadCancelled):
        await download(downloads, ended, "late", 0.0)
    assert downloads.is_over
    assert downloads.cancel_all() == 0
