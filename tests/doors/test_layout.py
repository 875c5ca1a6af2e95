"""The layout of the project: everything has its place, files stay short, each says its one job."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "topicspider"
MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path.name != "__init__.py"]
MOST_LINES = 400
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = PROJECT["tool"]["importlinter"]["contracts"]
DESIGN_CARD = ("scrapy", "scrapy-redis", "jieba", "gensim", "pymysql", "itemadapter")


def name_of(path):
    return str(path.relative_to(PACKAGE))


def requirements():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def test_the_top_level_is_the_one_of_the_design():
    assert {"run", "scrapy.cfg", "requirements.txt", "topicspider", "topics", "tests", "deploy"} <= {
        path.name for path in ROOT.iterdir()
    }


def test_every_module_and_folder_has_its_layer():
    (layers,) = [contract for contract in CONTRACTS if contract.get("containers") == ["topicspider"]]
    placed = {name for line in layers["layers"] for name in re.split(r"\s*[:|]\s*", line)}
    present = {
        path.stem
        for path in PACKAGE.iterdir()
        if path.name not in ("__init__.py", "__pycache__") and (path.suffix == ".py" or path.is_dir())
    }
    assert layers["exhaustive"]
    assert present == placed | {"settings"}


def test_a_room_is_a_folder_that_the_contract_against_scrapy_names():
    (rooms,) = [contract for contract in CONTRACTS if "Scrapy" in contract["name"]]
    doors = {"commands", "middlewares", "pipelines", "extensions", "spiders"}
    folders = {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert {f"topicspider.{name}" for name in folders - doors} <= set(rooms["source_modules"])


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_file_is_short(path):
    """Tables of words or settings at the top of a file are data, and do not count."""
    text = path.read_text(encoding="utf-8")
    data = sum(
        (node.end_lineno or node.lineno) - node.lineno
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign | ast.AnnAssign)
    )
    assert len(text.splitlines()) - data <= MOST_LINES


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_file_says_its_one_job_in_one_sentence(path):
    first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n")[0]
    assert first.endswith(".")
    assert not re.search(r"[.!?]\s+[A-Z]", first)


@pytest.mark.parametrize("name", ["utils", "helpers", "common", "manager", "base"])
def test_no_folder_and_no_file_has_a_name_that_says_nothing(name):
    assert not [path for path in PACKAGE.rglob("*") if path.stem == name]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("__init__.py")), ids=name_of)
def test_packages_hold_no_code(path):
    body = ast.parse(path.read_text(encoding="utf-8")).body
    assert all(_is_text_or_version(node) for node in body)


@pytest.mark.parametrize("package", DESIGN_CARD)
def test_the_packages_of_the_design_card_are_required_and_imported(package):
    assert any(line.startswith(f"{package}==") for line in requirements())
    module = package.replace("-", "_")
    pattern = re.compile(rf"^\s*(?:import|from) {module}\b", re.MULTILINE)
    assert any(pattern.search(path.read_text(encoding="utf-8")) for path in MODULES)


def test_every_requirement_is_pinned():
    assert [line for line in requirements() if not re.match(r"[a-z0-9-]+==[^=<>~]+(;.*)?$", line)] == []


def test_setup_declares_the_dependencies_once():
    assert PROJECT["tool"]["setuptools"]["dynamic"]["dependencies"] == {"file": ["requirements.txt"]}


def _is_text_or_version(node: ast.stmt) -> bool:
    is_version = isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__version__"
    return is_version or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
