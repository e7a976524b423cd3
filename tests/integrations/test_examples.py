"""docs/integrations.md: each example runs where its framework is installed."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, code_in, page

PAGE = page("docs/integrations.md")
SECTIONS = {
    "LangChain": "langchain",
    "OpenAI Agents SDK": "agents",
    "Pydantic AI": "pydantic_ai",
    "Agent Framework": "agent_framework",
}
"""Each section with an example, and the package that it needs."""


@pytest.mark.parametrize("title", SECTIONS)
def test_the_example_runs(title: str, tmp_path: Path) -> None:
    pytest.importorskip(SECTIONS[title])
    (code,) = PAGE.section(title).blocks("python")
    exec(compile(code, f"{PAGE.name} {title}", "exec"), {"folder": tmp_path})


def test_every_integration_has_an_example() -> None:
    assert len(PAGE.blocks("python")) == len(SECTIONS)
    assert set(SECTIONS) <= set(PAGE.headings)


def test_the_table_names_extras_and_files_there_are() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    rows = PAGE.table("framework")
    extras = {code_in(row[1])[0] for row in rows}
    assert extras <= project["optional-dependencies"].keys()
    for row in rows:
        for name in code_in(row[2]):
            assert (ROOT / f"core/integrations/{name.split('.')[0]}.py").is_file()


def test_no_integration_is_missing_from_the_table() -> None:
    told = {name.split(".")[0] for row in PAGE.table("framework") for name in code_in(row[2])}
    frameworks = {
        path.stem
        for path in (ROOT / "core/integrations").glob("*.py")
        if "Needs the extra" in path.read_text(encoding="utf-8")
    }
    assert told == frameworks
