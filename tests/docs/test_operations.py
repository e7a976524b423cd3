"""docs/operations.md has every operation, field and setting as the models have them."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.dialects import read_operation
from ctxtui.core.engine.operations import ALL
from ctxtui.core.engine.selection import MessageSelection
from ctxtui.core.engine.settings import Compression, Settings
from ctxtui.core.values.models import Model, public_fields, to_camel
from tests.docs.pages import code_in, page

OPERATIONS = page("docs/operations.md")
NOT_TOLD = {"description", "skipHidden", "number", "asCopies", "templates"}
"""What every batch takes, and what only a context modification asks for."""


def test_the_table_matches_the_models() -> None:
    rows = {name: rest for name, *rest in OPERATIONS.table("operation")}
    assert list(rows) == [operation.title for operation in ALL]
    for operation in ALL:
        does, fields, opens = rows[operation.title]
        told = set(re.findall(r"\w+", fields)) - {"or", "and"}
        names = {field.alias or "" for field in operation.model_fields.values()}
        assert told == names - NOT_TOLD, operation.title
        assert does == (operation.__doc__ or "").split("\n", 1)[0]
        assert opens == ("yes" if operation.opens_batch else "no")


@pytest.mark.parametrize(
    ("heading", "model"),
    [("select", MessageSelection), ("setting", Settings), ("compressionConfig", Compression)],
)
def test_the_tables_of_inner_fields_match_their_models(heading: str, model: type[Model]) -> None:
    told = [name for row in OPERATIONS.table(heading) for name in code_in(row[0])]
    assert sorted(told) == sorted(map(to_camel, public_fields(model)))


@pytest.mark.parametrize("row", OPERATIONS.table("form"), ids=lambda row: row[0])
def test_each_example_of_a_form_is_read_as_the_table_says(row: list[str]) -> None:
    (example,) = code_in(row[1])
    assert read_operation(json.loads(example)).title == row[2]


@pytest.mark.parametrize("count", ["true", "2.0", '"5"'])
def test_counts_that_are_no_whole_numbers_are_refused(count: str) -> None:
    assert f"`{count}`" in OPERATIONS.text
    with pytest.raises(Refused):
        read_operation({"operation": "TRUNCATE", "keepLast": json.loads(count)})


def test_the_sentence_of_the_example_is_what_is_said() -> None:
    said: dict[str, Any] = {"role": "user", "content": "Hi"}
    with pytest.raises(Refused) as refusal:
        Conversation([said]).execute({"operation": "INSERT", "position": 9, "messages": [said]})
    assert f"`{refusal.value}`" in OPERATIONS.section("Limits").text
