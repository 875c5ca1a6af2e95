"""The servers of the tests are real, private, survive a kill, and are missed loudly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
import redis

from support import servers
from support.servers import MysqlServer, RedisServer, fresh_database, run_sql


def test_redis_keeps_its_data_over_a_kill(redis_server: RedisServer) -> None:
    for number in range(2):
        with redis.Redis.from_url(redis_server.url) as client:
            client.set(f"kept:{number}", "山水")
        redis_server.kill()
        redis_server.start()
    with redis.Redis.from_url(redis_server.url, decode_responses=True) as client:
        assert client.mget("kept:0", "kept:1") == ["山水", "山水"]
        client.flushdb()


def test_mysql_keeps_its_data_over_a_kill(mysql_server: MysqlServer) -> None:
    with fresh_database(mysql_server.url) as url:
        run_sql(url, "CREATE TABLE t (x INTEGER)", "INSERT INTO t VALUES (1)")
        mysql_server.kill()
        mysql_server.start()
        assert run_sql(url, "SELECT x FROM t") == ((1,),)


def test_every_test_has_a_database_and_keys_of_its_own(
    mysql_url: str, mysql_database: str, redis_url: str, redis_prefix: str
) -> None:
    with fresh_database(mysql_url) as other:
        assert other != mysql_database
        assert run_sql(other, "SHOW TABLES") == ()
    with redis.Redis.from_url(redis_url) as client:
        assert list(client.scan_iter(f"{redis_prefix}*")) == []


def test_without_any_program_a_server_is_missing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(servers.shutil, "which", lambda name, path=None: None)
    with pytest.raises(servers.NoServerError, match="mariadbd or mysqld is not on PATH"):
        servers.make_mysql_server(tmp_path)


@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_server_skips_and_on_ci_fails(
    monkeypatch: pytest.MonkeyPatch, ci: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises(outcome, match="no server for this test: why"):
        servers.give_up("why")


def test_the_count_of_tests_without_a_server_is_told_loudly(tmp_path: Path) -> None:
    import subprocess
    import sys

    root = Path(__file__).parents[1]
    (tmp_path / "conftest.py").write_text((root / "tests" / "conftest.py").read_text("utf-8"), "utf-8")
    (tmp_path / "test_it.py").write_text(
        "from support import servers\nimport pytest\n\n@pytest.fixture(scope='session')\ndef gone():\n"
        "    servers.give_up('nothing here' + servers.INSTALL + 'mariadb-server')\n\ndef test_a(gone):\n    pass\n\ndef test_b(gone):\n    pass\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(root), "CI": ""}
    command = [sys.executable, "-m", "pytest", "-q", "-c", os.devnull, "--rootdir", str(tmp_path), str(tmp_path)]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "NOT TESTED" in done.stdout, done.stdout + done.stderr
    assert "2 test(s) did not run" in done.stdout
    assert "apt-get install -y --no-install-recommends mariadb-server" in done.stdout
