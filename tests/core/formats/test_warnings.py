"""Warnings are data: a code with names and places, of bounded size, said in words at the edge."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Refused, formats
from ctxtui.core.curation.dataset import SummedWarnings
from ctxtui.core.formats.warnings import (
    FIELDS_LEFT_OUT,
    LONGEST_NAME,
    MOST_NAMES,
    MOST_PLACES,
    TEMPLATES,
    FormatWarning,
    WarningCollector,
    read_warnings,
    said,
    sentence,
    sentences,
)

NOTING = {"add", "count", "leave_out", "FormatWarning", "of"}


def codes_in(path: Path) -> set[str]:
    """Return the codes that a module notes, as far as they are written where they are noted."""
    calls = (
        one for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.Call)
    )
    found = set()
    for call in calls:
        name = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        match call.args[:1]:
            case [ast.Constant(value=str(code))] if name in NOTING and "-" in code:
                found.add(code)
    return found


def test_every_code_that_is_noted_has_a_sentence() -> None:
    folder = Path(formats.__file__).parent
    found = {code for path in folder.rglob("*.py") for code in codes_in(path)}
    assert len(found) > 20
    assert found <= set(TEMPLATES)


def test_a_code_is_one_warning_with_all_its_names_and_places() -> None:
    found = WarningCollector("line")
    found.add("line-not-json", 3, "Expecting value")
    found.add("line-not-json", 7, "Extra data")
    found.count("steps-left-out", 1_200)
    assert [one.to_dict() for one in found.found()] == [
        {
            "code": "line-not-json",
            "names": ["Expecting value", "Extra data"],
            "places": [3, 7],
            "noun": "line",
        },
        {"code": "steps-left-out", "count": 1_200},
    ]
    assert sentences(found.found()) == (
        "lines that are not JSON were left out: Expecting value, Extra data (lines 3, 7)",
        "the steps were left out; the history has the messages (1,200)",
    )


@pytest.mark.parametrize(
    "warning",
    [
        FormatWarning("metadata-left-out"),
        FormatWarning.of("keys-kept", ["a", "b"], [1, 2], "row", 5),
        FormatWarning.of("keys-kept", map(str, range(1_000)), range(2_000)),
        FormatWarning.of("of a newer version", ["x"]),
    ],
)
def test_a_warning_is_the_same_after_it_was_stored(warning: FormatWarning) -> None:
    assert FormatWarning.from_dict(json.loads(json.dumps(warning.to_dict()))) == warning


def test_a_hostile_file_can_not_make_a_warning_huge() -> None:
    collector = WarningCollector()
    for place in range(5_000):
        collector.add("role-read-as", place, f"{place} {'x' * 10_000}")
    (found,) = collector.found()
    assert (found.all_names, found.all_places) == (5_000, 5_000)
    assert (len(found.names), len(found.places)) == (MOST_NAMES, MOST_PLACES)
    stored = {"code": "c" * 10_000, "names": ["y" * 10_000] * 10_000, "places": [1] * 10_000}
    for one in (found, FormatWarning.from_dict(stored)):
        assert len(json.dumps(one.to_dict())) < MOST_NAMES * (LONGEST_NAME + 20)
        assert FormatWarning.from_dict(one.to_dict()).all_names == one.all_names
    assert "and 4,980 more" in sentence(found)
    assert sentence(found).endswith("(messages 0, 1, 2, 3, 4 and 4,995 more)")


@pytest.mark.parametrize(
    "data",
    [
        5,
        [5],
        [{}],
        [{"code": 5}],
        [{"code": "a", "names": "b"}],
        [{"code": "a", "names": [5]}],
        [{"code": "a", "places": [True]}],
        [{"code": "a", "noun": 5}],
        [{"code": "a", "count": "5"}],
    ],
)
def test_what_is_no_list_of_warnings_is_refused(data: Any) -> None:
    with pytest.raises(Refused, match="warnings"):
        read_warnings(data)


def test_names_of_a_file_are_made_printable_where_they_are_shown() -> None:
    warning = FormatWarning.of("role-read-as", ["a\nb\x1b[31m\u202e as user"])
    assert warning.names == ("a\nb\x1b[31m\u202e as user",)
    assert sentence(warning).isprintable()
    assert FormatWarning.of("\x1b new").code == "\x1b new"
    assert said("\x1b new").isprintable()


def test_of_many_conversations_names_are_said_by_how_many_have_them() -> None:
    summed = SummedWarnings()
    for place, names in enumerate(
        (["title"], ["title", "openai.model"], ["openai.model", "title"])
    ):
        summed.include(FormatWarning.of(FIELDS_LEFT_OUT, names), place)
    summed.include(FormatWarning.of("metadata-left-out", [], [3, 4]), 9)
    summed.include(FormatWarning("history-left-out", count=2), 9)
    assert sentences(summed.found()) == (
        "fields of the conversation are left out: title, openai.model (3 conversations)",
        "metadata is left out (1 conversation)",
        "the history is left out (changes: 2) (1 conversation)",
    )
