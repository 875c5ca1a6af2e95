"""What is declared about the package is true: its layers, its requirements, packages without code."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "topicspider"
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "__init__.py"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]
REQUIREMENTS = [
    line
    for line in (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
]
KNOW_SCRAPY = {"cli", "commands", "middlewares", "pipelines", "extensions", "spiders"}


def test_every_package_is_named_by_the_contract_against_scrapy():
    (contract,) = [one for one in CONTRACTS if "Scrapy" in one["name"]]
    folders = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - KNOW_SCRAPY
    assert {f"topicspider.{name}" for name in folders} <= set(contract["source_modules"])


def test_packages_hold_no_code_and_modules_say_their_job():
    for path in PACKAGE.rglob("__init__.py"):
        body = ast.parse(path.read_text(encoding="utf-8")).body
        # the package's own hands on what it has for Python when that is first used
        assert path.parent == PACKAGE or all(isinstance(node, ast.Assign | ast.Expr) for node in body), path
    for path in MODULES:
        first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]
        assert first.endswith("."), path


def test_every_requirement_is_pinned_and_declared_once():
    assert [line for line in REQUIREMENTS if not re.match(r"[a-z0-9-]+==[^=<>~]+(;.*)?$", line)] == []
    assert PROJECT["tool"]["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}
