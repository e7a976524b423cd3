"""docs/engine.md: its code runs, and its tables have every name of a conversation."""

from __future__ import annotations

import re

from ctxtui.core import Conversation
from ctxtui.core.engine.queries import Query
from tests.docs.pages import all_pages, code_in, page

ENGINE = page("docs/engine.md")


def named(found: str, pattern: str) -> set[str]:
    return set(re.findall(pattern, found))


def public(cls: type) -> set[str]:
    return {name for name in dir(cls) if not name.startswith("_")}


def test_its_code_runs() -> None:
    for code in ENGINE.blocks("python"):
        exec(compile(code, ENGINE.name, "exec"), {})


def test_every_import_that_a_page_shows_works() -> None:
    lines = {
        line.strip()
        for one in all_pages()
        for code in (*one.blocks("python"), *one.blocks("pycon"))
        for line in code.splitlines()
        if re.match(r"\s*(>>> )?(from ctxtui|import ctxtui)\b", line)
    }
    assert len(lines) > 8
    for line in lines:
        try:
            exec(line.removeprefix(">>> "), {})
        except ImportError as problem:  # A framework need not be installed.
            if (problem.name or "").split(".")[0] == "ctxtui":
                raise


def test_its_tables_have_every_name_of_a_conversation() -> None:
    tables = ("to change it", "to read it", "to keep it")
    cells = " ".join(row[0] for heading in tables for row in ENGINE.table(heading))
    assert named(cells, r"\b(?:c|Conversation)\.(\w+)") == public(Conversation)


def test_its_table_of_questions_has_all_of_them() -> None:
    cells = " ".join(row[0] for row in ENGINE.table("question"))
    assert named(cells, r"\bc\.query\.(\w+)") == public(Query)


def test_names_in_other_sentences_exist() -> None:
    prose = " ".join(code for one in all_pages() for code in one.code)
    assert named(prose, r"(?<![\w.])c\.(\w+)") <= public(Conversation)


def test_each_row_of_the_tables_is_a_call_that_python_understands() -> None:
    for heading in ("to change it", "to read it", "to keep it", "question"):
        for row in ENGINE.table(heading):
            for call in code_in(row[0]):
                compile(call, ENGINE.name, "eval")
