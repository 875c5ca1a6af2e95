"""The replay server, asked by real clients in another process's place."""

from __future__ import annotations

import gzip
import http.client
import re
import signal
import socket
import ssl
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from support.replaying import RunningReplay, replay_server, write_warc
from topicspider.errors import UnavailableError
from topicspider.rehearsal.replay.server import replay_process
from topicspider.setting_names import package_environment

HTML = "text/html; charset=utf-8"
LARGE = "黄山四千仞，三十二莲峰。".encode() * 30_000
PAGES = {
    "http://a.example/": (HTML, "旅游首页".encode()),
    "http://a.example/游记?页=1": (HTML, "第一页".encode()),
    "http://a.example/gzip": (200, {"Content-Type": HTML, "Content-Encoding": "gzip"}, gzip.compress("压缩".encode())),
    "http://a.example/moved": (301, {"Location": "http://b.example:8080/"}, b""),
    "http://a.example/gone": (410, {"Content-Type": HTML}, b"gone"),
    "http://b.example:8080/": (HTML, b"other port"),
    "https://s.example/": (HTML, "加密".encode()),
    "http://large.example/": (HTML, LARGE),
}


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_warc(tmp_path_factory.mktemp("replay") / "pages.warc.gz", PAGES, gzip=True)


@pytest.fixture(scope="module")
def server(recording: Path) -> Iterator[RunningReplay]:
    with replay_server(recording) as running:
        yield running


def fetch(server: RunningReplay, url: str) -> tuple[int, bytes]:
    trusting = ssl.create_default_context()
    trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
    proxies = urllib.request.ProxyHandler({"http": server.proxy_url, "https": server.proxy_url})
    opener = urllib.request.build_opener(proxies, urllib.request.HTTPSHandler(context=trusting))
    try:
        with opener.open(url, timeout=20) as response:
            return response.status, response.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, error.read()


def connected(server: RunningReplay) -> http.client.HTTPConnection:
    return http.client.HTTPConnection("127.0.0.1", urlsplit(server.proxy_url).port or 0, timeout=20)


@pytest.mark.parametrize(
    ("url", "status", "body"),
    [
        ("http://a.example/", 200, "旅游首页"),
        ("http://a.example/%E6%B8%B8%E8%AE%B0?%E9%A1%B5=1", 200, "第一页"),
        ("https://a.example/", 200, "旅游首页"),
        ("https://s.example/", 200, "加密"),
        ("http://s.example/", 200, "加密"),
        ("http://a.example/moved", 200, "other port"),
        ("http://a.example/gone", 410, "gone"),
        ("http://a.example/gzip", 200, "压缩"),
        ("http://a.example/nothing", 404, None),
        ("http://a.example/robots.txt", 404, None),
        ("http://nobody.example/", 404, None),
        ("http://a.example:8080/", 404, None),
    ],
)
def test_recorded_urls_are_answered_and_others_are_404(
    server: RunningReplay, url: str, status: int, body: str | None
) -> None:
    got_status, got = fetch(server, url)
    assert got_status == status
    if body is not None:
        assert got.decode() == body


def test_a_tunnel_to_an_unknown_host_is_404_at_once(server: RunningReplay) -> None:
    with pytest.raises(urllib.error.URLError, match="404"):
        fetch(server, "https://nobody.example/")


def test_head_has_the_headers_and_no_body(server: RunningReplay) -> None:
    connection = connected(server)
    connection.request("HEAD", "http://large.example/")
    response = connection.getresponse()
    assert (response.status, int(response.headers["Content-Length"]), response.read()) == (200, len(LARGE), b"")
    connection.request("POST", "http://a.example/", body=b"a=1" * 1000)
    response = connection.getresponse()
    response.read()
    assert response.status == 405
    connection.request("GET", "http://a.example/")
    assert connection.getresponse().read().decode() == "旅游首页"
    connection.close()


def test_the_log_says_who_asked_what_and_for_how_long(recording: Path) -> None:
    with replay_server(recording, latency=0.05) as server:
        fetch(server, "http://a.example/")
        fetch(server, "http://b.example:8080/x?y=1")
        fetch(server, "http://large.example/")
        first, second, third = server.log(at_least=3)
    assert {"connection", "method", "scheme"} <= first.keys()
    assert (first["host"], first["path"], first["status"]) == ("a.example", "/", 200)
    assert (second["host"], second["path"], second["status"]) == ("b.example:8080", "/x?y=1", 404)
    assert third["bytes"] == len(LARGE)
    assert len({line["connection"] for line in (first, second, third)}) == 3
    for line in (first, second, third):
        assert line["end"] - line["start"] >= 0.049
    assert second["start"] > first["end"]


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET http://a.example/ HTTP/3\r\n\r\n", b"400"),
        (b"POST http://a.example/ HTTP/1.1\r\nConnection: close\r\nContent-Length: 0\r\n\r\n", b"405"),
        (b"GET http://a.example/ HTTP/1.1\r\nX: " + b"x" * 70_000, b""),
        (b"CONNECT a.example:80 HTTP/1.1\r\n\r\nGET /gone HTTP/1.1\r\nConnection: close\r\n\r\n", b"410"),
    ],
)
def test_what_is_no_request_ends_its_connection_only(server: RunningReplay, sent: bytes, answered: bytes) -> None:
    with socket.create_connection(("127.0.0.1", urlsplit(server.proxy_url).port or 0), timeout=20) as client:
        client.sendall(sent)
        received = b""
        try:
            while part := client.recv(65536):
                received += part
        except ConnectionResetError:
            pass
    assert answered in received
    assert fetch(server, "http://a.example/")[0] == 200


def test_a_robots_file_is_every_hosts(recording: Path) -> None:
    text = "User-agent: *\nDisallow: /禁止\n"
    with replay_server(recording, robots=text) as server:
        assert fetch(server, "http://a.example/robots.txt") == (200, text.encode())
        assert fetch(server, "https://s.example/robots.txt") == (200, text.encode())


def outcomes(recording: Path, seed: int) -> list[int]:
    found = []
    with replay_server(recording, errors=0.5, seed=seed) as server:
        for i in range(40):
            try:
                found.append(fetch(server, f"http://a.example/?{i}")[0])
            except (urllib.error.URLError, http.client.HTTPException, ConnectionError):
                found.append(0)
        log = server.log(at_least=40)
    assert {line["fault"] for line in log} == {"", "503", "reset"}
    return found


def test_errors_come_in_their_share_and_are_the_same_for_the_same_seed(recording: Path) -> None:
    first = outcomes(recording, seed=1)
    assert set(first) == {0, 404, 503}
    assert 10 <= sum(status != 404 for status in first) <= 30
    assert outcomes(recording, seed=1) == first
    assert outcomes(recording, seed=2) != first


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_when_it_is_ready_and_ends_quietly(recording: Path, number: signal.Signals) -> None:
    command = [sys.executable, "-m", "topicspider.rehearsal", str(recording)]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=package_environment()
    ) as process:
        assert process.stdout is not None
        line, _ready, words = (process.stdout.readline() for _line in range(3))
        process.send_signal(number)
        rest, errors = process.communicate(timeout=20)
    assert line.startswith("replay: http://127.0.0.1:")
    assert line.endswith("(8 pages of 4 hosts)\n")
    assert "http_proxy=" in words
    assert re.search(r"-a seeds=http://[\w.]+/$", words)
    assert (process.returncode, rest, errors) == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["/no/such.warc"], "no such file"),
        (["made:pages=3"], "made web"),
        (["made:", "--port", "x"], "--port"),
        (["made:", "--port", "70000"], "--port"),
        (["made:", "--latency", "soon"], "--latency"),
        (["made:", "--latency", "lognormal:1:2:3"], "--latency"),
        (["made:", "--errors", "2"], "--errors"),
        (["made:", "--robots", "/no/such"], "--robots"),
        (["made:", "--log", "/no/such/log"], "--log"),
    ],
)
@pytest.mark.parametrize("program", [["topicspider.rehearsal"], ["scrapy", "replay"]], ids=["module", "scrapy"])
def test_bad_arguments_are_one_line(program: list[str], arguments: list[str], words: str) -> None:
    environment = package_environment() | {"SCRAPY_SETTINGS_MODULE": "topicspider.settings"}
    done = subprocess.run(
        [sys.executable, "-m", *program, *arguments],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_in_use_is_one_line(server: RunningReplay, recording: Path) -> None:
    port = str(urlsplit(server.proxy_url).port)
    with pytest.raises(UnavailableError, match=f"--port: {port}"), replay_process(str(recording), "--port", port):
        pass


def test_it_listens_on_the_loopback_address_only(server: RunningReplay) -> None:
    port = urlsplit(server.proxy_url).port or 0
    others = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), port, socket.AF_INET)} | {"127.0.0.2"}
    for address in others - {"127.0.0.1"}:
        with socket.socket() as client:
            client.settimeout(5)
            assert client.connect_ex((str(address), port)) != 0


def test_a_client_that_goes_away_is_logged_and_hurts_nobody() -> None:
    with replay_server("made:pages=300,hosts=3", latency=0.3) as server:
        client = socket.create_connection(("127.0.0.1", urlsplit(server.proxy_url).port or 0), timeout=20)
        client.sendall(b"GET http://start.made.example/ HTTP/1.1\r\n\r\n")
        client.close()
        (line,) = server.log(at_least=1)
        assert (line["fault"], line["status"]) == ("gone", 0)
        assert fetch(server, "http://start.made.example/")[0] == 200
