"""docs/engine.md: its code runs, and its tables have every name of a conversation."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

from ctxtui.core import Conversation
from ctxtui.core.engine.calls import Call
from ctxtui.core.engine.queries import Query
from ctxtui.core.values.models import public_fields
from tests.docs.pages import all_pages, code_in, page

ENGINE = page("docs/engine.md")


def named(found: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, found))


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_its_code_runs() -> None:
    for code in ENGINE.blocks("python"):
        exec(compile(code, ENGINE.name, "exec"), {})


def test_its_tables_have_every_name_of_a_conversation() -> None:
    tables = ("to change it", "to read it", "to keep it")
    cells = " ".join(row[0] for heading in tables for row in ENGINE.table(heading))
    assert named(cells, r"\b(?:c|Conversation)\.(\w+)") == public(Conversation)


def test_its_table_of_questions_has_all_of_them() -> None:
    cells = " ".join(row[0] for row in ENGINE.table("question"))
    assert named(cells, r"\bc\.query\.(\w+)") == public(Query)


def test_its_table_of_a_call_has_all_that_readers_see() -> None:
    cells = " ".join(row[0] for row in ENGINE.table("of a call"))
    assert named(cells, r"\bcall\.(\w+)") == set(public_fields(Call))


def test_names_in_other_sentences_exist() -> None:
    prose = " ".join(code for one in all_pages() for code in one.code)
    assert named(prose, r"(?<![\w.])c\.(\w+)") <= public(Conversation)


def test_each_row_of_the_tables_is_a_call_that_python_understands() -> None:
    for heading in ("to change it", "to read it", "to keep it", "question"):
        for row in ENGINE.table(heading):
            for call in code_in(row[0]):
                compile(call, ENGINE.name, "eval")


def names_in(module: str) -> set[str]:
    """Return the names that a module defines or imports, without importing it."""
    found = find_spec(module)
    assert found is not None
    assert found.origin is not None
    tree = ast.parse(Path(found.origin).read_text(encoding="utf-8"))
    names = {one.name for one in ast.walk(tree) if isinstance(one, ast.ClassDef | ast.FunctionDef)}
    names |= {one.name for one in ast.walk(tree) if isinstance(one, ast.alias)}
    folder = Path(found.origin).parent if Path(found.origin).stem == "__init__" else None
    return names | ({path.stem for path in folder.iterdir()} if folder else set())


def test_every_import_that_a_document_shows_exists() -> None:
    blocks = [block for one in all_pages() for block in one.blocks("python")]
    shown = [
        (one.module, alias.name)
        for block in blocks
        for one in ast.walk(ast.parse(block))
        if isinstance(one, ast.ImportFrom) and (one.module or "").startswith("ctxtui.")
        for alias in one.names
    ]
    assert len(shown) > 20
    assert [one for one in shown if one[1] not in names_in(one[0] or "")] == []
