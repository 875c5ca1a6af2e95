"""The log as JSON: one object a line, in UTF-8, with the exception inside."""

from __future__ import annotations

import json
import logging
import os
import socket
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

SETTING, WORD = "TOPICSPIDER_LOG_FORMAT", "json"
_BREAKS = {ord(char): f"\\u{ord(char):04x}" for char in "\x7f\x85\u2028\u2029"}  # some readers end a line at these


def said_by(record: logging.LogRecord) -> str:
    """The message of ``record``; if its arguments do not fit, the unformatted message and arguments, since logging must not fail."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError, AttributeError):
        return f"{record.msg} {record.args}"


class JsonLines(logging.Formatter):
    """``time`` (UTC), ``level``, ``logger``, ``message``, ``crawl`` ("" until it is known), ``node``; ``exception`` and ``stack`` where there is one."""

    crawl, node = "", f"{socket.gethostname()}-{os.getpid()}"  # of the process

    def format(self, record: logging.LogRecord) -> str:
        said = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": said_by(record),
            "crawl": self.crawl,
            "node": self.node,
        }
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        if record.exc_text:
            said["exception"] = record.exc_text
        if record.stack_info:
            said["stack"] = record.stack_info
        return as_line(said)


def is_wanted(settings: Mapping[str, Any]) -> bool:
    return str(settings.get(SETTING, "")).strip() == WORD


def install(settings: Mapping[str, Any]) -> None:
    """Write everything that is logged in this process to one handler, as LOG_FILE, LOG_LEVEL and LOG_ENABLED of ``settings`` say."""
    path = str(settings.get("LOG_FILE") or "")
    handler = next((one for one in logging.root.handlers if isinstance(one.formatter, JsonLines)), None)
    if handler is None or handler.name != path:
        if handler is not None:
            logging.root.removeHandler(handler)
        mode = "a" if _is_true(settings.get("LOG_FILE_APPEND", True)) else "w"
        if hasattr(sys.stderr, "reconfigure"):  # in any locale
            sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")
        handler = logging.FileHandler(path, mode, "utf-8") if path else logging.StreamHandler(sys.stderr)
        handler.name = path
        handler.setFormatter(JsonLines())
        logging.root.addHandler(handler)
    is_enabled = _is_true(settings.get("LOG_ENABLED", True)) or path
    handler.setLevel(settings.get("LOG_LEVEL") or "DEBUG" if is_enabled else logging.CRITICAL + 1)
    logging.root.setLevel(logging.NOTSET)


def name_crawl(crawl: str, node: str) -> None:
    """Set the crawl and the node that all later lines of the log name."""
    JsonLines.crawl, JsonLines.node = crawl, node


def error_line(message: str) -> str:
    """The error that ends a command, as a line of the log."""
    return JsonLines().format(logging.LogRecord("topicspider", logging.ERROR, "", 0, message, None, None))


def as_line(said: Mapping[str, Any]) -> str:
    """``said`` as JSON on one line; lone surrogates, which no file can hold, are escaped."""
    text = json.dumps(said, ensure_ascii=False, default=str).translate(_BREAKS)
    return text.encode("utf-8", "backslashreplace").decode()


def _is_true(value: object) -> bool:
    return str(value).strip().lower() not in ("0", "false", "none", "")
