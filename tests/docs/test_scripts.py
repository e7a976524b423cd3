"""docs/scripts.md: its examples run, its tables have every key, query and expectation."""

from __future__ import annotations

import json
import re

import pytest

from ctxtui.core.errors import Refused
from ctxtui.core.formats.source import MIB, MOST_BYTES
from ctxtui.core.recipes import read_recipe
from ctxtui.core.scripts import KINDS, Script, ScriptExpectation, ScriptQuery
from ctxtui.core.values.models import to_camel
from ctxtui.files.opening import read_conversation
from ctxtui.files.reading import MOST_RECIPE_BYTES
from tests.docs.pages import SAMPLES, code_in, page

SCRIPTS = page("docs/scripts.md")


def firsts(heading: str) -> list[str]:
    return [code_in(row[0])[0] for row in SCRIPTS.table(heading)]


def test_the_script_passes() -> None:
    (example,) = SCRIPTS.section("Scripts").blocks("json")
    script = Script.from_dict(json.loads(example))
    assert [report.error for report in script.take(script.start())] == [None] * 5


def test_the_recipe_runs_on_a_sample() -> None:
    (example,) = SCRIPTS.section("Recipes").blocks("json")
    trip = read_conversation(str(SAMPLES / "trip.openai.json")).conversation
    assert len(trip.execute(list(read_recipe(json.loads(example)))).steps) == 2


def test_the_tables_have_every_key_of_a_script_and_every_expectation() -> None:
    assert firsts("key") == list(Script.model_fields)
    assert firsts("expects") == [to_camel(name) for name in ScriptExpectation.model_fields]


@pytest.mark.parametrize("row", SCRIPTS.table("kind"), ids=lambda row: row[0])
def test_the_table_of_queries_says_what_each_takes(row: list[str]) -> None:
    (kind,), needs, may = code_in(row[0]), *(re.findall(r"\w+", cell) for cell in row[1:3])
    needed, more = KINDS[kind]
    assert (needs, may) == (list(needed), [to_camel(name) for name in more])
    for missing in needs:
        with pytest.raises(Refused, match=f"has no {missing}"):
            ScriptQuery.from_dict({"kind": kind, **dict.fromkeys({*needs} - {missing}, 0)})


def test_the_table_of_queries_has_all_kinds() -> None:
    assert firsts("kind") == list(KINDS)


def test_the_tables_of_samples_name_every_file() -> None:
    samples = page("sample_sessions/README.md")
    rows = [*samples.table("file"), *samples.table("in a folder")]
    told = {name for row in rows for name in code_in(row[0])}
    there = {path.relative_to(SAMPLES).as_posix() for path in SAMPLES.rglob("*.json*")}
    others = {name for name in there if name.startswith("lessons/")}
    assert told == there - others - {"index.json"}


def test_the_limits_are_those_of_the_code() -> None:
    limits = SCRIPTS.section("Limits").text
    assert f"{MOST_BYTES // MIB // 1024} GiB" in limits
    assert f"{MOST_RECIPE_BYTES // MIB} MiB" in limits
