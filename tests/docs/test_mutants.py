"""tests/mutants.md: its figures add up, and what it explains is in the code."""

from __future__ import annotations

import json
from pathlib import Path

from tests.docs.pages import ROOT, code_in, page
from tests.mutants import outcomes

PAGE = page("tests/mutants.md")


def test_the_figures_of_each_module_add_up() -> None:
    rows = PAGE.table("module")
    assert rows
    for module, mutants, *parts in rows:
        for name in code_in(module):
            assert (ROOT / name).is_file(), name
        assert int(mutants) == sum(map(int, parts)), module
    total, survivors = (sum(int(row[at]) for row in rows) for at in (1, 3))
    assert f"Of {total:,} mutants {survivors} survive" in page("docs/mutants.md").text


def test_what_survives_is_explained_where_it_stands() -> None:
    rows = PAGE.table("where")
    assert rows
    for where, *_ in rows:
        for name in code_in(where):
            path, _, qualified = name.partition(" ")
            function = qualified.rpartition(".")[2]
            assert f"def {function}(" in (ROOT / path).read_text(encoding="utf-8"), name


def test_outcomes_are_told_by_module(tmp_path: Path) -> None:
    codes = {"a.x__mutmut_1": 1, "a.x__mutmut_2": 0, "a.x__mutmut_3": None, "a.x__mutmut_4": -24}
    (tmp_path / "rules").mkdir()
    for name, found in (("a", codes), ("empty", {})):
        path = tmp_path / "rules" / f"{name}.py.meta"
        path.write_text(json.dumps({"exit_code_by_key": found}), encoding="utf-8")
    assert outcomes(tmp_path) == {
        "rules/a.py": {
            "a.x__mutmut_1": "killed",
            "a.x__mutmut_2": "survived",
            "a.x__mutmut_3": "not run",
            "a.x__mutmut_4": "endless",
        }
    }
