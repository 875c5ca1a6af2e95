"""The size of the house: its figures beside what they may be, and small modules that exactly one other imports.

    python .ci/house.py

A small module that has a reason to be apart is named in APART with that reason; any other one fails the check, and so does a
figure above AT_MOST.
"""

from __future__ import annotations

import ast
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "topicspider"
SMALL = 60  # lines
# Scrapy components and commands: Scrapy loads these by name, nothing of ours imports them.
LOADED_BY_NAME = ("commands", "middlewares", "pipelines", "extensions", "spiders")
AT_MOST = {
    "lines": 48_696,
    "files": 330,
    "numeric constants per 1,000 lines": 7.7,
    "lines of tests": 36_424,
    "settings": 59,
    "kB of manual": 160,
    "median lines of a function": 6,
    "median branches of a function": 1,
}
"""Room for what is new since the redesign: the web page, the classes of the catalogue, the hostile suite, the papers' modes, and a manual in two languages.

Lines and files are those of the package with its Lua; the manual is README.md and docs/ without decisions and experiments."""
_BRANCHES = (
    ast.If,
    ast.For,
    ast.AsyncFor,
    ast.While,
    ast.ExceptHandler,
    ast.comprehension,
    ast.match_case,
)
APART: dict[str, str] = {
    f"{PACKAGE}.blas_threads": "must be imported before numpy, by whoever comes first",
    f"{PACKAGE}.lease_watch": "holds promise F2 beside the scheduler, which is long enough, and is tested alone",
    f"{PACKAGE}.serve.changes": "a view of the web page as its neighbours are; app.py only lists them",
}


def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name; packages' __init__ files are left out."""
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    return {
        ".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in files if path.name != "__init__.py"
    }


def imported(tree: ast.Module, names: set[str]) -> Iterator[str]:
    """The modules of the package that a module imports, at its top or inside a function."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (full for alias in node.names if (full := f"{node.module}.{alias.name}") in names)
            if node.module in names:
                yield node.module


def is_number(node: ast.expr | None) -> bool:
    """Whether an expression is made of numbers alone: 60, -1, 24 * 3600, (1, 2)."""
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.Tuple | ast.List | ast.Set):
        return bool(node.elts) and all(map(is_number, node.elts))
    return isinstance(node, ast.Constant) and type(node.value) in (int, float)


def numeric_constants(tree: ast.Module) -> int:
    """How many names a module binds to numbers at its top level."""
    values = (node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign))
    return sum(map(is_number, values))


def lines_in(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def importers(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for name, tree in trees.items():
        for target in imported(tree, set(trees)):
            if target != name:
                found[target].add(name)
    return found


def small_with_one_importer(trees: dict[str, ast.Module], paths: dict[str, Path]) -> list[tuple[str, str]]:
    """Modules shorter than SMALL lines, not LOADED_BY_NAME, that exactly one other imports, each with its importer."""
    return [
        (name, next(iter(by)))
        for name, by in sorted(importers(trees).items())
        if len(by) == 1 and lines_in(paths[name]) < SMALL and name.split(".")[1] not in LOADED_BY_NAME
    ]


def crossed_imports() -> list[str]:
    """Tests that import benchmarks, benchmarks that import tests, and anything of support/ that imports either."""
    forbidden = {"tests": ("benchmarks",), "benchmarks": ("tests",), "support": ("tests", "benchmarks")}
    return [
        f"{path.relative_to(ROOT)}:{node.lineno} imports {name}"
        for folder, others in forbidden.items()
        for path in sorted((ROOT / folder).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names])
        if name.partition(".")[0] in others
    ]


def functions(trees: Iterable[ast.Module]) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, kinds)]


def branches(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Places where a function's way parts, as McCabe counts them."""
    return sum(isinstance(node, _BRANCHES) for node in ast.walk(function))


def settings(trees: Iterable[ast.Module]) -> int:
    """How many fields the class Options has: a setting each."""
    classes = (
        node for tree in trees for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "Options"
    )
    return sum(isinstance(node, ast.AnnAssign) for node in next(classes).body)


def manual() -> list[Path]:
    """The pages of the manual, in English."""
    apart = {ROOT / "docs" / "experiments.md", *(ROOT / "docs" / "adr").iterdir(), *(ROOT / "docs" / "zh").iterdir()}
    return [ROOT / "README.md", *(path for path in (ROOT / "docs").rglob("*.md") if path not in apart)]


def figures(trees: dict[str, ast.Module]) -> dict[str, float]:
    """What AT_MOST limits."""
    files = [path for suffix in ("py", "lua") for path in (ROOT / PACKAGE).rglob(f"*.{suffix}")]
    lines = sum(map(lines_in, files))
    every = functions(trees.values())
    return {
        "lines": lines,
        "files": len(files),
        "numeric constants per 1,000 lines": round(1000 * sum(map(numeric_constants, trees.values())) / lines, 1),
        "lines of tests": sum(map(lines_in, (ROOT / "tests").rglob("*.py"))),
        "settings": settings(trees.values()),
        "kB of manual": round(sum(len(path.read_bytes()) for path in manual()) / 1000),
        "median lines of a function": median((node.end_lineno or 0) - node.lineno + 1 for node in every),
        "median branches of a function": median(map(branches, every)),
    }


def main() -> int:
    paths = modules()
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    faults = list(crossed_imports())
    for name, value in figures(trees).items():
        print(f"{name:34} {value:>8,} of at most {AT_MOST[name]:,}")
        if value > AT_MOST[name]:
            faults.append(f"{name}: {value:,} is more than {AT_MOST[name]:,}")
    for name, by in small_with_one_importer(trees, paths):
        print(f"{name} ({lines_in(paths[name])} lines): only {by} imports it; {APART.get(name, 'NO REASON GIVEN')}")
        if name not in APART:
            faults.append(f"{name} should be part of {by}, or have a reason in APART")
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
