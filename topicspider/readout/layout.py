"""Lays out the account of a page for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from topicspider.text.terminal import fit, pad, wrap

SHOWN_BODY = 1200
SHOWN_LINKS = 20
_INDENT = 13
_NAMES = {
    "title": "标题", "published": "发表", "modified": "修改", "author": "作者", "site_name": "网站", "type": "类型", "language": "语言",
    "encoding": "编码", "condition": "状况", "summary": "摘要", "keywords": "关键词", "data": "数据", "body": "正文", "links": "链接",
    "canonical": "规范网址", "robots": "robots", "refresh_url": "跳转", "alternates": "其他语言", "error": "错误",
}  # fmt: skip
_ENGLISH = {"site_name": "site", "refresh_url": "refresh", "keywords": "keywords"}


def laid_out(account: Mapping[str, Any], columns: int, *, chinese: bool) -> str:
    """``account`` as lines of at most ``columns`` columns: each field, and indented below it why it is so."""
    lines = [fit(str(account["url"] or account["file"]), columns)]
    for name, text, reasons in _fields(account, chinese):
        label = (_NAMES if chinese else _ENGLISH).get(name, name)
        lines += _labelled(label, text, columns)
        lines += [fit(" " * _INDENT + reason, columns) for reason in reasons]
    return "\n".join(lines)


def _fields(account: Mapping[str, Any], chinese: bool) -> Iterator[tuple[str, str, list[str]]]:
    why = account["why"]
    if account["error"]:
        yield "error", account["error"], []
    yield "title", account["title"] or "-", _candidates(why.get("title", []))
    for name in ("published", "modified"):
        if account[name]:
            yield name, account[name], [why[name]] if why.get(name) else []
    for name in ("author", "site_name", "language", "type"):
        if account[name]:
            yield name, account[name], []
    if account["encoding"]:
        yield "encoding", _encoding(account["encoding"], chinese), []
    if account["condition"]:
        yield "condition", account["condition"], [why["condition"]] if why.get("condition") else []
    for name in ("canonical", "refresh_url"):
        if account[name]:
            yield name, account[name], []
    if account["robots"]:
        yield "robots", ", ".join(account["robots"]), []
    for language, url in account["alternates"].items():
        yield "alternates", f"{language}  {url}", []
    if account["keywords"]:
        yield "keywords", "、".join(account["keywords"]) if chinese else ", ".join(account["keywords"]), []
    for field, value in account["data"].items():
        yield "data", f"{field}: {value}", [source] if (source := why.get("data", {}).get(field)) else []
    if account["summary"]:
        yield "summary", account["summary"], []
    yield "body", _body(account, chinese), [_confidence(account)]
    yield "links", _count_of_links(account), []
    for link in account["links"][:SHOWN_LINKS]:
        yield "", _link(link), []


def _labelled(label: str, text: str, columns: int) -> list[str]:
    lines: list[str] = []
    for part in text.split("\n"):
        lines += wrap(part, max(20, columns - _INDENT)) or [""]
    heads = [pad(fit(label, _INDENT - 1), _INDENT), *[" " * _INDENT] * (len(lines) - 1)]
    return [(head + line).rstrip() for head, line in zip(heads, lines, strict=True)]


def _candidates(candidates: list[Mapping[str, Any]]) -> list[str]:
    return [
        f"{'+' if one['is_chosen'] else '-'} {one['source']}: {one['text']}"
        + (f"  ({one['why']})" if one["why"] else "")
        for one in candidates
    ]


def _encoding(encoding: Mapping[str, Any], chinese: bool) -> str:
    declared = encoding["declared"] or ("未声明" if chinese else "nothing")
    repaired = f", {encoding['repaired']} repaired" if encoding["repaired"] else ""
    if chinese:
        repaired = f"，修复 {encoding['repaired']} 个字符" if encoding["repaired"] else ""
        return f"{encoding['used']}（声明：{declared}；依据：{encoding['why']}{repaired}）"
    return f"{encoding['used']} (declared: {declared}; why: {encoding['why']}{repaired})"


def _body(account: Mapping[str, Any], chinese: bool) -> str:
    body: str = account["body"]
    if len(body) <= SHOWN_BODY:
        return body or "-"
    rest = len(body) - SHOWN_BODY
    return body[:SHOWN_BODY] + (
        f"… （还有 {rest:,} 字，--json 显示全部）" if chinese else f"… ({rest:,} characters more; --json has all)"
    )


def _confidence(account: Mapping[str, Any]) -> str:
    parts = "  ".join(
        f"{name}={value:.3g}" if isinstance(value, float) else f"{name}={value}"
        for name, value in account["why"].get("body", {}).items()
    )
    return f"confidence {account['body_confidence']:.2f}  {parts}".rstrip()


def _count_of_links(account: Mapping[str, Any]) -> str:
    skipped = ", ".join(f"{name} {count}" for name, count in sorted(account["skipped_links"].items()))
    return f"{account['link_count']:,}" + (f"  (skipped: {skipped})" if skipped else "")


def _link(link: Mapping[str, Any]) -> str:
    marks = [
        link.get("block", ""),
        link.get("kind", ""),
        "pagination" if link.get("is_pagination") else "",
        link.get("rel", ""),
    ]
    return f"[{' '.join(mark for mark in marks if mark)}] {link.get('anchor') or link.get('title') or '-'}\n  {link['url']}"
