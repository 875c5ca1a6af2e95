"""The files of deploy/ agree with the code: names of metrics and settings, secrets, ports, and that nothing is open to others."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
from pathlib import Path

import pytest
import redis
import yaml
from redis.backoff import ConstantBackoff
from redis.retry import Retry

from support.crawling import ROOT
from support.servers import NoServerError, find_program, free_port, give_up
from topicspider.frontier import factory
from topicspider.metrics.endpoint import Place
from topicspider.metrics.exposition import COUNTER, FIGURES, PREFIX, Exposition
from topicspider.options import Options
from topicspider.setting_names import from_environment
from topicspider.steering.model_store import check_model_store
from topicspider.store import location

DEPLOY = ROOT / "deploy"
COMPOSE = DEPLOY / "compose.yaml"
DEPLOYMENT = (ROOT / "docs" / "deployment.md").read_text(encoding="utf-8")
METRIC = re.compile(r"\b(?:topicspider|process)_[a-z_]+\b(?!\.|-)")
UNITS = sorted((DEPLOY / "systemd").iterdir())
NO_METRICS = {"topicspider"}


def told_names():
    """Every name of a sample that the endpoint has, or would have once there is something to count."""
    names = {f"{PREFIX}{one.name}{'_total' if one.kind is COUNTER else ''}" for one in FIGURES}
    downloads = {f"{PREFIX}download_seconds_{what}" for what in ("bucket", "sum", "count")}
    text = Exposition("x", {}, dict).text()[0].decode()
    return {"topicspider_crawl_info"} | names | downloads | set(re.findall(r"^(process_\w+) ", text, re.MULTILINE))


@pytest.fixture(scope="module")
def compose():
    return yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def secrets(tmp_path_factory):
    """A folder of secrets, made twice: what is there stays."""
    folder = tmp_path_factory.mktemp("deploy") / "geheim 秘密"
    for _ in range(2):
        subprocess.run([DEPLOY / "make-secrets", folder], check=True, capture_output=True)
        made = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    again = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert made == again
    return folder


@pytest.mark.parametrize(
    "file", ["prometheus/alerts.yml", "prometheus/alerts_test.yml", "grafana/topicspider.json"], ids=str
)
def test_every_metric_that_is_mentioned_exists(file):
    mentioned = set(METRIC.findall((DEPLOY / file).read_text(encoding="utf-8"))) - NO_METRICS
    assert len(mentioned) > 8
    assert mentioned <= told_names()


def test_every_alert_says_how_bad_and_what():
    rules = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))["groups"][0]["rules"]
    assert all(rule["labels"]["severity"] in ("page", "warning", "info") for rule in rules)
    assert all(rule["annotations"]["summary"] for rule in rules)


def test_nothing_is_open_but_on_this_machine(compose):
    for name, service in compose["services"].items():
        for port in service.get("ports", ()):
            assert str(port).startswith("127.0.0.1:"), name
        assert "privileged" not in service
        assert service.get("network_mode") != "host"
    assert compose["networks"]["inside"]["internal"] is True
    for server in ("redis", "mariadb"):
        assert compose["services"][server]["networks"] == ["inside"]
        assert "ports" not in compose["services"][server]


def test_no_password_stands_in_the_file_and_every_secret_is_made(compose, secrets):
    made = {path.name for path in secrets.iterdir()}
    assert {one["file"] for one in compose["secrets"].values()} == {f"secrets/{name}" for name in compose["secrets"]}
    assert set(compose["secrets"]) <= made
    for service in compose["services"].values():
        assert set(service.get("secrets", ())) <= set(compose["secrets"])
        for name, value in service.get("environment", {}).items():
            if any(word in name for word in ("PASSWORD", "TOKEN", "USERNAME")):
                assert value.lstrip("@").startswith("/run/secrets/"), name
                assert Path(value).name in service["secrets"]


def test_only_their_owner_enters_the_folder_of_secrets_and_each_is_another(secrets):
    assert stat.S_IMODE(secrets.stat().st_mode) == 0o700
    values = [path.read_text(encoding="utf-8") for path in secrets.iterdir() if "password" in path.name]
    assert len(set(values)) == len(values) == 4
    assert all(re.fullmatch(r"[0-9a-f]{48}", value) for value in values)


def test_a_nodes_settings_are_settings_and_are_valid_with_the_secrets(compose, secrets, tmp_path):
    given = compose["services"]["node1"]["environment"]
    ours = {name: value for name, value in given.items() if name.startswith("TOPICSPIDER_")}
    local = {name: str(value).replace("/run/secrets", str(secrets)) for name, value in ours.items()}
    assert from_environment(local) == local
    options = Options.read({**local, "TOPICSPIDER_CONTACT": "https://example.org/crawler"})
    store = location.parse(options.store, tmp_path)
    assert isinstance(store, location.MysqlPlace)
    assert (store.host, store.database, store.user) == ("mariadb", "topicspider", "topicspider")
    assert factory.file_of(options.frontier, tmp_path) is None
    check_model_store(options.model)
    place = Place.read(options)
    assert place is not None
    assert len(place.token) == 48


@pytest.mark.parametrize("way", ["compose", "three machines"])
def test_redis_starts_with_its_password_and_a_log(way, compose, secrets, tmp_path):
    """As compose.yaml has it, and as docs/deployment.md makes one file of it."""
    file, port = tmp_path / "redis.conf", free_port()
    lines = [(DEPLOY / "redis.conf").read_text(encoding="utf-8")]
    if way == "compose":
        places = {"/etc/redis.conf": str(file), "/data": str(tmp_path)}
        given = [places.get(one, one) for one in compose["services"]["redis"]["command"][1:]]
        given = [one.replace("/run/secrets", str(secrets)) for one in given]
    else:
        assert "{ cat deploy/redis.conf deploy/secrets/redis_auth; echo dir" in DEPLOYMENT
        lines += [(secrets / "redis_auth").read_text(encoding="utf-8"), f"dir {tmp_path}\n", "bind 127.0.0.1\n"]
        given = [str(file)]
    file.write_text("".join(lines), encoding="utf-8")
    password = (secrets / "redis_password").read_text(encoding="utf-8")
    with (tmp_path / "log").open("wb") as log:
        server = subprocess.Popen([redis_server(), *given, "--port", str(port)], cwd="/", stdout=log, stderr=log)
    try:
        with redis.Redis(port=port, password=password, retry=Retry(ConstantBackoff(0.1), 300)) as client:
            assert client.ping()
            assert client.config_get("dir", "appendonly") == {"dir": str(tmp_path), "appendonly": "yes"}
        with redis.Redis(port=port) as client, pytest.raises(redis.AuthenticationError):
            client.ping()
    finally:
        server.kill()
        server.wait()


def redis_server():
    try:
        return find_program(("redis-server",), "redis-server")
    except NoServerError as missing:
        give_up(str(missing))


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.name)
def test_units_set_settings_that_exist(unit):
    text = unit.read_text(encoding="utf-8")
    names = set(re.findall(r"^Environment=(TOPICSPIDER_\w+)=", text, re.MULTILINE)) - {"TOPICSPIDER_PYTHON"}
    assert set(from_environment(dict.fromkeys(names, "1"))) == names
    assert "%i" not in text, "systemd escapes what is not ASCII, a Chinese topic: %i is the name as it is escaped"
    if unit.suffix == ".service":
        assert "KillSignal=" not in text, (
            "SIGTERM, systemd's own, gives a crawl its time to drain; SIGINT half a second"
        )
        for line in ("NoNewPrivileges=yes", "ProtectSystem=strict", "User=topicspider", "CapabilityBoundingSet=\n"):
            assert line in text


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not on PATH")
def test_systemd_understands_its_units(tmp_path):
    """With the programs that they start in a place that exists here; a template needs a name."""
    program = tmp_path / "program"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    copies = []
    for unit in UNITS:
        text = re.sub(r"^ExecStart=\S+", f"ExecStart={program}", unit.read_text(encoding="utf-8"), flags=re.MULTILINE)
        copies.append(tmp_path / unit.name.replace("@", "@tourism"))
        copies[-1].write_text(text, encoding="utf-8")
    command = ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *copies]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, "topicspider" in done.stderr) == (0, False), done.stderr


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not on PATH")
@pytest.mark.parametrize(
    "check", [("check", "rules", "alerts.yml"), ("test", "rules", "alerts_test.yml")], ids=" ".join
)
def test_the_alerts_are_rules_and_fire_when_they_must(check):
    done = subprocess.run(["promtool", *check], cwd=DEPLOY / "prometheus", capture_output=True, text=True, check=False)
    assert (done.returncode, "SUCCESS" in done.stdout) == (0, True), done.stdout + done.stderr


@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool is not on PATH")
def test_the_figures_are_named_and_told_as_prometheus_wants_them():
    labelled = {one.name: {"timeout": 3, "dns": 1} for one in FIGURES if one.label}
    text = Exposition("旅游", {"version": "1"}, lambda: labelled).text()[0]
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
