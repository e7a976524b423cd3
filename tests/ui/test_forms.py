"""Forms made from the operation models: fields, ranges, prefilling, reading what was entered."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.engine.operations import ALL, Configure, Mark, Replace, Truncate
from ctxtui.core.engine.selection import ADVANCED
from ctxtui.core.values.models import public_fields
from ctxtui.core.what_if import WhatIf
from ctxtui.forms.drawing import outcome_lines
from ctxtui.forms.models import (
    FormContext,
    FormField,
    assembled,
    fields_of,
    fits_form,
    legal,
    prefilled,
    read_words,
)
from ctxtui.forms.models import indices_of_text as read_indices
from ctxtui.forms.models import number_of_text as read_number
from ctxtui.forms.preview import prospect_of
from ctxtui.inspector.models.look import Look
from ctxtui.text.numbers import shown_indices
from tests.ui.opening import tour


@pytest.mark.parametrize("operation", ALL, ids=lambda one: one.title)
def test_every_operation_has_a_field_for_each_of_its_own(operation: Any) -> None:
    fields = fields_of(operation)
    assert len({field.id for field in fields}) == len(fields)
    names = {field.path[0] for field in fields}
    shown = {
        name
        for name in public_fields(operation)
        if operation.model_fields[name].json_schema_extra != ADVANCED
    }
    assert len(names) == len(shown)


@pytest.mark.parametrize("operation", ALL, ids=lambda one: one.title)
def test_a_form_as_it_comes_up_asks_for_what_the_engine_can_judge(operation: Any) -> None:
    conversation = tour()
    place = FormContext(Look(conversation), 10, frozenset({10, 11}))
    fields = fields_of(operation)
    initial = prefilled(operation, fields, place)
    asked = assembled(operation, fields, initial, initial)
    assert asked["operation"] == operation.title
    for field in fields:
        ways = legal(operation, field, place.look)
        assert ways == tuple(sorted(ways, key=len, reverse=True)), "the fullest way is first"


def by_id(fields: list[FormField]) -> dict[str, FormField]:
    return {field.id: field for field in fields}


def test_kinds_and_choices_come_from_the_model() -> None:
    fields = by_id(fields_of(Truncate))
    assert fields["keepLast"].kind == "number"
    assert fields["range-start"].path == ("range", "start")
    assert fields["role"].choices == ("system", "user", "assistant", "tool")
    assert fields["keepPairs"].choices == (False, "drop", "extend")
    assert fields["keepMarks"].kind == "labels"
    assert fields["keepRoles"].kind == "roles"
    assert fields["keepSystem"].kind == "flag"
    assert fields["keepLast"].label == "keep last"
    assert next(reversed(fields)) == "description"


def test_only_what_says_something_is_asked_for() -> None:
    fields = fields_of(Truncate)
    initial = prefilled(Truncate, fields, FormContext(Look(tour())))
    entered = {**initial, "keepLast": "5", "keepSystem": True, "keepRoles": ("tool",), "role": "–"}
    assert assembled(Truncate, fields, entered, initial) == {
        "operation": "TRUNCATE",
        "keepLast": 5,
        "keepSystem": True,
        "keepRoles": ["tool"],
    }
    entered = {**initial, "range-start": "1", "range-end": "x", "keepPairs": "drop"}
    assert assembled(Truncate, fields, entered, initial) == {
        "operation": "TRUNCATE",
        "range": {"start": 1, "end": "x"},
        "keepPairs": "drop",
    }


def test_settings_are_filled_in_and_only_changes_are_asked_for() -> None:
    conversation = Conversation(settings={"tokenLimit": 1000, "profile": "openai"})
    fields = fields_of(Configure)
    initial = prefilled(Configure, fields, FormContext(Look(conversation)))
    assert (initial["tokenLimit"], initial["profile"]) == ("1000", "openai")
    entered = {**initial, "tokenLimit": "", "profile": "generic"}
    asked = assembled(Configure, fields, entered, initial)
    assert asked == {"operation": "CONFIGURE", "tokenLimit": None, "profile": "generic"}
    conversation.execute(asked)
    assert conversation.settings.token_limit is None
    assert conversation.settings.profile == "generic"


def test_what_an_offer_keeps_can_be_set_and_cleared() -> None:
    config = {"keepPairs": "drop", "keepRoles": ["tool"], "keepMarks": ["gold"]}
    conversation = Conversation(settings={"compressionConfig": config})
    fields = fields_of(Configure)
    initial = prefilled(Configure, fields, FormContext(Look(conversation)))
    kept = ("keepPairs", "keepRoles", "keepMarks")
    assert [initial[f"compressionConfig-{name}"] for name in kept] == ["drop", ("tool",), "gold"]
    news = {"keepPairs": "extend", "keepRoles": (), "keepMarks": "gold, silver"}
    entered = {**initial, **{f"compressionConfig-{name}": news[name] for name in kept}}
    conversation.execute(assembled(Configure, fields, entered, initial))
    now = conversation.settings.to_dict()["compressionConfig"]
    assert [now[name] for name in kept] == ["extend", None, ["gold", "silver"]]


OFFERED: list[tuple[dict[str, Any], bool]] = [
    ({"operation": "TRUNCATE", "maxTokens": 900, "keepPairs": "drop", "keepRoles": ["tool"]}, True),
    ({"operation": "TRUNCATE", "keepLast": "85% * messages", "keepSystem": True}, True),
    ({"operation": "TRUNCATE", "keepLast": {"turns": 2}}, False),
    ({"operation": "TRUNCATE", "max": {"tokens": 900}}, False),
    ({"operation": "TRUNCATE", "keepLast": 4, "aside": {"roles": ["user"]}}, False),
    ({"operation": "DELETE", "select": {"roles": ["tool"], "exceptLast": 2}}, True),
    ({"operation": "DELETE", "select": {"positions": {"start": 1, "end": -1}}}, True),
    ({"operation": "DELETE", "select": [{"roles": ["tool"]}, {"made": True}]}, False),
    ({"operation": "DELETE", "select": {"roles": ["tool"], "tools": ["sh"]}}, False),
    ({"operation": "REDACT", "indices": [3, 4], "text": "gone"}, True),
    ({"operation": "REDACT", "indices": [3, 4], "parts": ["results"]}, False),
    ({"operation": "COMPRESS", "indices": [3], "summary": {"role": "user", "content": "x"}}, True),
    ({"operation": "COMPRESS", "indices": [3], "summary": {"template": "{count}"}}, False),
    ({"operation": "COMPRESS", "indices": [3], "each": "exchange"}, False),
    ({"operation": "INSERT", "position": 1, "messages": [{"role": "user", "content": "x"}]}, True),
]


@pytest.mark.parametrize(("offered", "fits"), OFFERED)
def test_what_a_form_can_not_show_is_edited_as_json(offered: dict[str, Any], fits: bool) -> None:
    context = FormContext(Look(tour()), 10)
    operation = next(one for one in ALL if one.title == offered["operation"])
    assert fits_form(operation, offered, context) == fits


def test_the_selection_or_the_cursor_is_filled_in() -> None:
    look = Look(tour())
    mark = prefilled(Mark, fields_of(Mark), FormContext(look, 10))
    assert mark["indices"] == "10"
    mark = prefilled(Mark, fields_of(Mark), FormContext(look, 10, frozenset({2, 3, 4, 8})))
    assert mark["indices"] == "2–4, 8"
    old = prefilled(Replace, fields_of(Replace), FormContext(look, 10))
    assert (old["index"], old["message"]["role"]) == ("5", "user")
    several = prefilled(Replace, fields_of(Replace), FormContext(look, 10, frozenset({10, 11})))
    assert several["indices"] == "10–11"


@given(st.lists(st.integers(0, 500), unique=True))
def test_indices_are_read_as_they_are_shown(indices: list[int]) -> None:
    assert read_indices(shown_indices(indices)) == indices


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("3, 5-9", [3, 5, 6, 7, 8, 9]),
        ("1 2;3", [1, 2, 3]),
        ("4 – 6", [4, 5, 6]),
        ("1..3", [1, 2, 3]),
        ("9-7", ["9–7"]),
        ("x, 1", ["x", 1]),
        ("0-999999999", ["0–999999999"]),
        ("", []),
    ],
)
def test_indices_are_read_as_people_write_them(text: str, expected: list[Any]) -> None:
    assert read_indices(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("5", 5), ("-3", -3), ("−3", -3), ("x", "x"), ("9" * 30, "9" * 30)]
)
def test_what_is_no_number_is_left_for_the_engine_to_refuse(text: str, expected: Any) -> None:
    assert read_number(text) == expected


def test_words_stand_between_commas() -> None:
    assert read_words(" a, b c ,, 好") == ["a", "b c", "好"]


def shown(conversation: Conversation, operation: dict[str, Any], width: int = 80) -> str:
    look = Look(conversation)
    result = conversation.preview(operation)
    outcome = WhatIf(conversation).judge(result)
    lines = outcome_lines(prospect_of(look, operation, result, outcome, ()), width)
    return "\n".join("".join(piece.text for piece in line) for line in lines)


def test_a_preview_tells_counts_rows_lint_marks_and_the_cache() -> None:
    told = shown(tour(), {"operation": "TRUNCATE", "keepLast": 3})
    assert "16 →     3" in told
    assert "breaks at 0" in told
    assert "13 messages would go" in told
    assert "Lint   ✓ → ✖ 1" in told
    assert "✖ appears G1" in told
    assert "3 system messages would go, the first too" in told
    assert "★ instruction would go: Makes sense" in told


def test_a_preview_tells_what_comes_and_what_gets_better() -> None:
    broken = tour()
    broken.execute({"operation": "TRUNCATE", "keepLast": 3})
    told = shown(broken, {"operation": "REPAIR", "policy": "restore"})
    assert "would come" in told
    assert "✓ goes    G1" in told
    appended = {"operation": "APPEND", "messages": [{"role": "user", "content": "hi"}]}
    assert "holds, 1 new" in shown(broken, appended)
    marked = shown(broken, {"operation": "MARK", "indices": [0], "label": "x"})
    assert "What is sent stays the same." in marked


@pytest.mark.parametrize("width", [20, 40, 200])
def test_a_preview_of_hostile_text_is_safe(width: int) -> None:
    hostile = Conversation([{"role": "user", "content": "[/b]\x1b[2J\u202e\ud800" * 30}])
    told = shown(hostile, {"operation": "CLEAR"}, width)
    assert not set("\x1b\u202e\ud800") & set(told)
