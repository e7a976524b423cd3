"""Hits of a dry run: what stands around them, also in JSON, and as much of it as there is room."""

from __future__ import annotations

import json
from typing import Any

import pytest
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.library.drawing.bulk import place_lines
from ctxtui.library.models.replacing import HitPlace, ReplaceQuery, dry_run
from ctxtui.progress import TaskProgress

MAIL = "kb@mail.example.org"
INDENT = 18


def places(*messages: dict[str, Any]) -> list[HitPlace]:
    library = MemoryLibrary()
    with library.create(Conversation(list(messages)), title="one"):
        pass
    run = dry_run(library, library.list(), ReplaceQuery(), TaskProgress())
    return [place for touched in run.touched for place in touched.places]


def said(text: str) -> list[HitPlace]:
    return places({"role": "user", "content": text})


def answered(content: object) -> list[HitPlace]:
    call = {"tool_use": {"id": "c1", "name": "look_up", "input": {}}, "type": "tool_use"}
    result = {"type": "tool_result", "tool_result": {"tool_use_id": "c1", "content": content}}
    return places({"role": "assistant", "content": [call]}, {"role": "tool", "content": [result]})


def drawn(place: HitPlace, width: int) -> tuple[str, str]:
    old, new = place_lines(place, width, is_chosen=True)
    texts = ("".join(piece.text for piece in line) for line in (old, new))
    first, second = texts
    return first[INDENT:], second[INDENT:]


@pytest.mark.parametrize(
    "content",
    [
        json.dumps({"ticket": 7, "mail": MAIL, "open": True}),
        [{"type": "text", "text": json.dumps({"ticket": 7, "mail": MAIL, "open": True})}],
    ],
    ids=["text", "parts"],
)
def test_a_hit_in_a_json_result_has_the_tool_and_the_json_around_it(content: object) -> None:
    (place,) = answered(content)
    assert drawn(place, 120) == (
        f'look_up  {{"ticket": 7, "mail": "{MAIL}", "open": true}}',
        'look_up  {"ticket": 7, "mail": "[mail]", "open": true}',
    )


def test_json_within_json_is_shown_from_its_outside() -> None:
    (place,) = answered(json.dumps({"body": json.dumps({"to": f"{MAIL} or nobody"})}))
    assert drawn(place, 120)[1] == 'look_up  {"body": "{"to": "[mail] or nobody"}"}'


def test_a_plain_result_has_the_tool_before_it() -> None:
    (place,) = answered(f"queued for {MAIL}")
    assert drawn(place, 120)[0] == f"look_up  queued for {MAIL}"


def test_a_result_without_a_call_has_its_text_alone() -> None:
    result = {"type": "tool_result", "tool_result": {"tool_use_id": "x", "content": f"to {MAIL}"}}
    (place,) = places({"role": "tool", "content": [result]})
    assert drawn(place, 120)[0] == f"to {MAIL}"


def test_all_of_a_text_is_shown_where_it_fits() -> None:
    before = "The answer about the parcel in Bergen went out to "
    (place,) = said(f"{before}{MAIL} today.")
    assert drawn(place, 120)[0] == f"{before}{MAIL} today."
    assert drawn(place, 60)[0].startswith("…")


@pytest.mark.parametrize("letter", ["x", "漢"])
def test_the_hit_is_in_sight_and_both_lines_begin_alike(letter: str) -> None:
    (place,) = said(f"{letter * 400} {MAIL} {letter * 400}")
    for width in (62, 96, 156):
        old, new = drawn(place, width)
        assert old[: old.index(MAIL)] == new[: new.index("[mail]")]
        assert old.startswith("…")
        lead = cell_len(old[: old.index(MAIL)])
        assert (width - INDENT - len(MAIL)) // 2 - 2 <= lead <= width - INDENT - len(MAIL)


def test_what_is_far_before_is_cut_and_that_is_told_exactly() -> None:
    assert said("a" * 159 + f" {MAIL}")[0].is_cut is False
    assert said("a" * 160 + f" {MAIL}")[0].is_cut is True
    (place,) = answered(json.dumps({"a": "b" * 300, "mail": MAIL}))
    assert place.is_cut
    assert place.before.endswith('bbb", "mail": "')
