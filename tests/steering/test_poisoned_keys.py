"""Whatever stands in the keys of the models in Redis: nothing is raised, it is said, and models are shared again (promise 4)."""

from __future__ import annotations

import asyncio
import zlib

import pytest
import redis

from tests.steering.fakes import CountingLearner, view
from topicspider.relevance.interfaces import InlineFits
from topicspider.steering.model_store import open_model_store
from topicspider.steering.model_sync import ModelSync, ThreadFits, pack

DEEP = b'{"format":2,"cursor":"","states":' + b"[" * 100_000
BOMB = zlib.compress(b"0" * (80 << 20))
TEXTS = [
    b"",
    b"\xff\x00junk",
    b"-7",
    b"9" * 40,
    b"NaN",
    b"7:elsewhere",
    zlib.compress(b"[]"),
    zlib.compress(DEEP),
    BOMB,
]
KEYS = ["holder", "token", "newest", "examples"]


def write_text(client, key, text):
    client.set(key, text)


def write_fields(client, key, text):
    client.hset(key, mapping={"number": text, "state": text, "node": text})


def write_state(client, key, text):
    client.hset(key, mapping={"number": 41, "state": text})


def write_list(client, key, text):
    client.rpush(key, text)


def write_stream(client, key, text):
    client.xadd(key, {"node": text, "example": text})
    client.xadd(key, {"foreign": text})


@pytest.mark.parametrize("write", [write_text, write_fields, write_state, write_list, write_stream])
@pytest.mark.parametrize("key", KEYS)
def test_foreign_data_in_a_key_of_the_models_stops_nothing(redis_url, redis_prefix, tmp_path, key, write):
    crawl = f"{redis_prefix}旅游"
    with redis.Redis.from_url(redis_url) as client:
        for number, text in enumerate(TEXTS):
            name = f"topicspider:model:{{{crawl}{number}}}:{key}"
            write(client, name, text)
            learner = CountingLearner(executor=InlineFits())
            learner.see("景点", True)
            sync = ModelSync(lambda at=number: open_model_store(redis_url, "", tmp_path / "no.db", f"{crawl}{at}"), lambda at=learner: [view(at)], "甲", ThreadFits())  # fmt: skip
            sync.load()
            for _ in range(3):
                asyncio.run(sync.sync())
                learner.see("景点", True)
            asyncio.run(sync.close())
            store = open_model_store(redis_url, "", tmp_path / "no.db", f"{crawl}{number}")
            newest = store.latest()
            store.close()
            assert newest is not None, (key, text)
            assert newest.state.startswith(pack([view(learner)])[:20]), (key, text)
