"""No page may hold a crawl up by its text: the time of every compiled pattern grows as the text does."""

from __future__ import annotations

import importlib
import pkgutil
import re
import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from re import _constants as code  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]

import pytest

import topicspider
from topicspider.page.rewriting import bounded

FAST = 0.0005  # seconds for 10,000 characters: what is quadratic takes longer
NEVER = 0.05  # seconds for 1,000 characters: 10,000 of them would take minutes
MOST = 25  # times as long for ten times the text; linear is 10, quadratic 100
FIXED = ((" ", ""), ("a", ""), ("中", ""), ("<A", ""), ("1", " "))


@cache
def patterns() -> dict[str, tuple[re.Pattern, frozenset[str]]]:
    """By module and name: each pattern of the package, and the methods by which its module uses it."""
    found = {}
    for module in pkgutil.walk_packages(topicspider.__path__, "topicspider."):
        if not module.name.endswith("__main__"):
            loaded = importlib.import_module(module.name)
            source = Path(str(loaded.__file__)).read_text("utf-8")
            for name, value in vars(loaded).items():
                for number, pattern in enumerate(_patterns_in(value)):
                    used = re.findall(
                        rf"\b{name}(?:\[[^]]*\])?\.(search|match|fullmatch|finditer|findall|sub|split)\(", source
                    )
                    if re.search(rf"^{name}\b", source, re.MULTILINE):
                        found[f"{module.name}.{name}[{number}]"] = (pattern, frozenset(used or ["search"]))
    return found


def _patterns_in(value: object) -> Iterator[re.Pattern]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, dict | tuple | list | set | frozenset):
        for part in [*value.values(), *value] if isinstance(value, dict) else value:
            yield from _patterns_in(part)


def nearly_matching(pattern: re.Pattern) -> list[str]:
    """What begins as a match does, and breaks off behind one part or another."""
    text = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    tree = parser.parse(text, pattern.flags if isinstance(pattern.pattern, str) else 0)
    begun = {"".join(parts[:end])[:40] for parts in _samples(tree) for end in range(1, len(parts) + 1)}
    return sorted(begun - {""})


def _samples(tree) -> Iterator[list[str]]:
    """A text for each part of the pattern, and of each pattern within it."""
    yield [_sample(*part) for part in tree]
    for name, value in tree:
        inner = {code.BRANCH: lambda v: v[1], code.SUBPATTERN: lambda v: [v[3]], code.ATOMIC_GROUP: lambda v: [v]}
        repeats = {code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT}
        for part in [value[2]] if name in repeats else inner.get(name, lambda v: [])(value):
            yield from _samples(part)


def _sample(name, value) -> str:
    if name is code.LITERAL:
        return chr(value)
    if name is code.IN:
        return next(
            (
                char
                for char in 'a1 -<.:/"x中年%' + chr(value[-1][1] if value[-1][0] is code.LITERAL else 97)
                if re.match(_class(value), char)
            ),
            "",
        )
    if name is code.BRANCH:
        return "".join(_sample(*part) for part in value[1][0])
    if name in (code.SUBPATTERN, code.ATOMIC_GROUP):
        return "".join(_sample(*part) for part in (value[3] if name is code.SUBPATTERN else value))
    if name in (code.MAX_REPEAT, code.MIN_REPEAT, code.POSSESSIVE_REPEAT):
        return "".join(_sample(*part) for part in value[2]) * min(max(value[0], 1), 20)
    return "a" if name in (code.ANY, code.NOT_LITERAL) else ""


def _class(parts) -> str:
    """A character class, written again."""
    kinds = {code.CATEGORY_DIGIT: r"\d", code.CATEGORY_NOT_DIGIT: r"\D", code.CATEGORY_SPACE: r"\s", code.CATEGORY_NOT_SPACE: r"\S", code.CATEGORY_WORD: r"\w", code.CATEGORY_NOT_WORD: r"\W"}  # fmt: skip
    write = {
        code.NEGATE: lambda _: "^",
        code.LITERAL: lambda char: re.escape(chr(char)),
        code.RANGE: lambda ends: f"{re.escape(chr(ends[0]))}-{re.escape(chr(ends[1]))}",
        code.CATEGORY: kinds.__getitem__,
    }
    return f"[{''.join(write[name](value) for name, value in parts)}]"


def _made(pattern: re.Pattern, shape: tuple[str, str], length: int) -> str | bytes:
    """The first part once and the second to the end, or the first again and again where there is no second; nothing matches its end."""
    first, second = shape
    text = (first + second * (length // len(second)) if second else first * (length // len(first))) + "\x00"
    return text if isinstance(pattern.pattern, str) else text.encode()


def _calls(pattern: re.Pattern, methods: frozenset[str]) -> Iterator[Callable[[str | bytes], object]]:
    nothing = "" if isinstance(pattern.pattern, str) else b""
    for name in sorted(methods):
        method = getattr(pattern, name)
        yield {"sub": lambda text: method(nothing, text), "finditer": pattern.findall}.get(name, method)  # noqa: B023


def _seconds(call: Callable[[str | bytes], object], text: str | bytes) -> float:
    times = []
    for _ in range(2):
        began = time.thread_time()
        call(text)
        times.append(time.thread_time() - began)
    return min(times)


def growths(
    pattern: re.Pattern, methods: frozenset[str], shapes: list[tuple[str, str]]
) -> Iterator[tuple[object, int, float]]:
    """(shape, characters, how often as long as for a tenth of them), of what is not fast; first what grows fastest, and no further."""
    for call in _calls(pattern, methods):
        for shape in shapes:
            if (seconds := _seconds(call, _made(pattern, shape, 1_000))) > NEVER:
                yield shape, 1_000, seconds / FAST
                return
        slow = [
            (seconds, shape) for shape in shapes if (seconds := _seconds(call, _made(pattern, shape, 10_000))) > FAST
        ]
        for seconds, shape in sorted(slow)[-2:]:
            longer = _seconds(call, _made(pattern, shape, 100_000))
            yield shape, 100_000, longer / seconds
            if longer < MOST * seconds:
                yield shape, 1_000_000, _seconds(call, _made(pattern, shape, 1_000_000)) / longer


def _check(shapes_of: Callable[[re.Pattern], list[tuple[str, str]]], deadline: float) -> None:
    began, bad = time.monotonic(), []
    for name, (pattern, methods) in patterns().items():
        for shape, length, times in growths(pattern, methods, shapes_of(pattern)):
            if times > MOST:
                bad.append((name, shape, length, round(times)))
        assert time.monotonic() - began < deadline, name
    assert bad == []
    assert len(patterns()) > 150


def _ten(pattern: re.Pattern) -> list[tuple[str, str]]:
    """Five that fit any pattern, five of its own."""
    own = nearly_matching(pattern)
    chosen = own[:: max(1, len(own) // 3)][:3]
    return [*FIXED, *((text, "") for text in chosen), *((text, text[-1]) for text in chosen[:2])]


def test_the_time_of_every_pattern_grows_as_the_text_does():
    _check(_ten, 300)


@pytest.mark.nightly
@pytest.mark.timeout(0)
def test_it_does_for_all_that_nearly_matches():
    _check(lambda pattern: [(text, end) for text in nearly_matching(pattern) for end in ("", text[-1])], 1200)


@pytest.mark.parametrize(
    "shape", ["<A", "<a b", '<a b="<', "<a b='<a c=\"", "<a b=<a ", "< ", "<!--", "<script>", "</a", "<a b<c "]
)
def test_markup_is_bounded_in_linear_time(shape):
    """Where few "<" are, the tags are looked at for absurd ones; where many are, all is rewritten."""
    for length in (17_000, 1_000_000):
        began = time.thread_time()
        bounded(shape * (length // len(shape)))
        assert time.thread_time() - began < 0.02 + length / 1_000_000, length
