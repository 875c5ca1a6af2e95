"""Through a proxy, which looks up names itself: no spelling of a private address and no local name is ever asked for (promise G1)."""

from __future__ import annotations

import socket

from support.crawling import crawl
from support.site import Answer, page, small_web
from topicspider.download import reachability

NUMBERS = ["127.0.0.1", "10.0.0.8", "172.16.3.4", "192.168.1.1", "169.254.169.254", "100.100.100.200", "168.63.129.16", "0.0.0.0", "161.26.0.10"]  # fmt: skip
NAMES = ["localhost", "metadata.google.internal", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local", "printer.local", "router.lan", "db", "vault.service.consul", "host.docker.internal", "LOCALHOST.", "ｌｏｃａｌｈｏｓｔ", "intranet.corp"]  # fmt: skip


def spellings():
    for text in NUMBERS:
        parts = [int(part) for part in text.split(".")]
        whole = int.from_bytes(bytes(parts))
        high, low = whole >> 16, whole & 0xFFFF
        yield from (text, f"{text}.", str(whole), hex(whole), f"0{whole:o}", ".".join(map(hex, parts)))
        yield from (".".join(f"0{part:o}" for part in parts), f"{parts[0]}.{whole & 0xFFFFFF}", text.replace(".", "。"))
        yield from (
            f"[::ffff:{text}]",
            f"[::{high:x}:{low:x}]",
            f"[64:ff9b::{high:x}:{low:x}]",
            f"[2002:{high:x}:{low:x}::1]",
        )
        yield from (
            "".join(f"%{ord(char):02x}" for char in text),
            text.translate({48 + n: 0xFF10 + n for n in range(10)}),
        )
        yield from (f"good.example@{text}", f"{text}:80")
    yield from (*NAMES, "[::1]", "[fd00:ec2::254]", "[fe80::1%25eth0]", "[::]")


def test_no_private_address_and_no_local_name_is_asked_for_through_a_proxy(tmp_path):
    places = list(spellings())
    links = {f"http://{place}/a.html": "旅游攻略" for place in places}
    moved = {f"http://moved{at}.example/": Answer("", 302, {"Location": f"http://{place}/"}) for at, place in enumerate(places) if place.isascii()}  # fmt: skip
    text = "我们去海边旅游，看了古镇和雪山，景点门票不贵。"
    web = {"http://good.example/": page("旅游", text, {**links, **dict.fromkeys(moved, "旅游攻略")}), **moved}
    asked = []

    def find(url):
        asked.append(url)
        return web.get(url)

    with small_web(find) as served:
        ended = crawl(tmp_path, served.proxy, "-s", "TOPICSPIDER_LINK_THRESHOLD=0", seeds="http://good.example/", TOPICSPIDER_ATTEMPTS=1)  # fmt: skip
    assert ended.exit_code == 0, ended.err
    assert len(places) > 160
    hosts = {url.split("/")[2] for url in asked}
    assert len(hosts) > len(moved)
    assert [host for host in hosts if not host.endswith(".example")] == []


def test_the_doctor_looks_a_name_up_once(monkeypatch):
    """What it checked is what it asks: a name that leads elsewhere a moment later gains nothing."""
    looked_up = []
    real = socket.getaddrinfo

    def rebound(host, port, *more, **options):
        if host == "rebound.example":
            looked_up.append(host)
            host = "127.0.0.1" if len(looked_up) == 1 else "127.0.0.9"
        return real(host, port, *more, **options)

    monkeypatch.setattr(socket, "getaddrinfo", rebound)
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with small_web({}) as served:
        port = served.proxy.rpartition(":")[2]
        (found,) = reachability.reach_all([f"http://rebound.example:{port}/"], 5.0, allow_private=True, agent="me")
    assert (found.failed, found.robots_status) == ("page", 404)
    assert looked_up == ["rebound.example"]
