"""CONTRIBUTING.md has every target and every folder of tests."""

from __future__ import annotations

import ast
import re

from tests.docs.pages import ROOT, code_in, page

CONTRIBUTING = page("CONTRIBUTING.md")


def test_the_table_has_every_target_of_the_makefile() -> None:
    told = {code_in(row[0])[0] for row in CONTRIBUTING.table("target")}
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert told == {f"make {name}" for name in re.findall(r"^([a-z-]+):.*## ", makefile, re.M)}


def test_the_table_has_every_folder_of_tests() -> None:
    told = {code_in(row[0])[0] for row in CONTRIBUTING.table("folder")}
    folders = {path.parent.name for path in (ROOT / "tests").glob("*/__init__.py")}
    assert told == {f"tests/{name}" for name in folders}


def test_the_table_has_every_slow_test() -> None:
    told = {
        (code_in(row[0])[0], name)
        for row in CONTRIBUTING.section("Slow tests").table("file")
        for name in code_in(row[2])
    }
    files = {path: path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")}
    marked = {
        (path.relative_to(ROOT).as_posix(), node.name)
        for path, text in files.items()
        if "mark.slow" in text
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        if any("pytest.mark.slow" in ast.unparse(one) for one in node.decorator_list)
    }
    assert told == marked
