"""The seen-set on disk: exact at every moment of a sweep, after rollbacks and after reopening (F7)."""

from __future__ import annotations

import random
import sqlite3

import pytest

from topicspider.frontier.sqlite.seen_set import SeenSet


@pytest.fixture
def database():
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute("CREATE TABLE seen (fingerprint INTEGER PRIMARY KEY, url_id INTEGER NOT NULL)")
    connection.execute("CREATE TABLE seen_recent (id INTEGER PRIMARY KEY, pairs BLOB NOT NULL)")
    yield connection
    connection.close()


def _add(seen, database, fingerprints):
    database.execute("BEGIN")
    seen.add(database, fingerprints)
    database.execute("COMMIT")
    seen.confirm()


def _numbers(rng, count):
    """Fingerprints with ids of their own."""
    return {rng.getrandbits(64) - 2**63: rng.randrange(1, 2**40) for _ in range(count)}


@pytest.mark.parametrize("slice_from", [1, 7, 100, 10_000])
def test_f7_it_knows_exactly_what_was_added_whatever_is_swept_rolled_back_or_reopened(database, slice_from):
    rng = random.Random(slice_from)
    seen, model = SeenSet(database, slice_from), {}
    for step in range(300):
        fresh = _numbers(rng, rng.randrange(8))
        if step % 5 == 4:
            database.execute("BEGIN")
            seen.add(database, fresh)
            database.execute("ROLLBACK")
            seen.forget()
        else:
            _add(seen, database, fresh)
            model.update(fresh)
        if step % 40 == 39:
            seen = SeenSet(database, slice_from)
        asked = [*fresh, *rng.sample(sorted(model), min(10, len(model)))]
        assert seen.among(database, asked) == {one: model[one] for one in asked if one in model}
    assert seen.among(database, list(model)) == model
