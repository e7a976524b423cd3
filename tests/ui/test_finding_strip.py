"""The strip above a broken message: what is wrong, why, and only the keys that mend it."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.inspector.drawing.message import finding_strip
from ctxtui.inspector.keys import KEYS_OF_REPAIRS
from ctxtui.inspector.models.links import helping, links_of
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import ON, Line
from ctxtui.widgets.styled import KINDS, TINTS
from tests.core.exchanges import ASK, TELL, messages, result, use
from tests.core.samples import said
from tests.ui.opening import opened, painted


def text(lines: list[Line]) -> str:
    return "\n".join("".join(piece.text for piece in line).rstrip() for line in lines)


def keys(lines: list[Line]) -> set[str]:
    return {piece.text for line in lines for piece in line if piece.kind.startswith(f"key{ON}")}


def broken() -> Conversation:
    """Return a conversation whose call was cut off: raw 1 is hidden, its result is not."""
    start = [ASK, said("assistant", [use("a")]), said("tool", [result("a")]), TELL]
    conversation = Conversation(start)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2})
    return conversation


def test_it_says_what_is_wrong_why_and_which_keys_mend_it() -> None:
    strip = finding_strip(Look(broken()), 2, 70)
    told = text(strip)
    assert "✖ G1  This result has no call 'a' before it." in told
    assert "raw 1, is hidden by batch 1 TRUNCATE" in " ".join(told.split())
    assert keys(strip) == {"E", "X", "L"}
    assert {piece.kind.partition(ON)[2] for line in strip for piece in line} == {"finding"}


@pytest.mark.parametrize("width", range(30, 90))
def test_no_word_of_the_keys_is_cut(width: int) -> None:
    assert "…" not in text(finding_strip(Look(broken()), 2, width))


def test_what_is_fine_hidden_or_of_the_past_has_no_keys() -> None:
    conversation = broken()
    assert finding_strip(Look(conversation), 3, 70) == []
    assert finding_strip(Look(conversation), 0, 70) == []
    conversation.execute({"operation": "CLEAR"})
    past = finding_strip(Look(conversation, 1), 2, 70)
    assert "no call 'a'" in text(past)
    assert keys(past) == {"L"}


def test_a_call_that_waits_is_a_warning_that_no_repair_touches() -> None:
    strip = finding_strip(Look(Conversation([ASK, said("assistant", [use("a")])])), 1, 70)
    assert "▲ G2  Call 'a' is waiting for a result." in text(strip)
    assert keys(strip) == {"L"}
    assert {piece.kind.partition(ON)[2] for line in strip for piece in line} == {"warning"}


@given(messages, st.integers(0, 4))
def test_the_keys_offered_really_take_the_finding_away(
    start: list[dict[str, Any]], cut: int
) -> None:
    conversation = Conversation(start)
    conversation.execute({"operation": "TRUNCATE", "removeFirst": cut})
    for finding in conversation.lint():
        for policy in helping(finding):
            after = conversation.copy()
            after.execute({"operation": "REPAIR", "policy": policy})
            left = {(one.rule, one.raw_index) for one in after.lint() if one.severity == "error"}
            assert (finding.rule, finding.raw_index) not in left


@given(messages, st.integers(0, 4))
def test_the_other_half_is_one_of_the_same_exchange(start: list[dict[str, Any]], cut: int) -> None:
    conversation = Conversation(start)
    conversation.execute({"operation": "TRUNCATE", "removeFirst": cut})
    look = Look(conversation)
    for finding in look.findings:
        half = look.other_half(finding)
        if half is None or finding.raw_index is None:
            continue
        mine, its = (look.state.log.links(raw) for raw in (finding.raw_index, half.raw))
        shared = (mine.results, its.calls) if half.word == "call" else (mine.calls, its.results)
        assert set(shared[0]) & set(shared[1])
        assert (half.blame is None) == (half.raw in conversation.view)


@pytest.mark.parametrize("width", [12, 20, 41, 80, 200])
def test_hostile_ids_and_small_places_do_no_harm(width: int) -> None:
    evil = "[/x]\x1b[31m\u202e漢字\ud800\n"
    start = [ASK, said("assistant", [use(evil)]), said("tool", [result(evil)] * 9), TELL]
    conversation = Conversation(start)
    conversation.execute({"operation": "DELETE", "indices": [1], "description": evil})
    strip = finding_strip(Look(conversation), 2, width)
    assert strip
    for line in strip:
        shown = "".join(piece.text for piece in line)
        assert cell_len(shown) == width
        assert shown.isprintable()
        for piece in line:
            ink, _, paper = piece.kind.partition(ON)
            assert ink in KINDS
            assert paper in TINTS


def test_an_id_that_is_used_everywhere_is_looked_at_only_nearby() -> None:
    conversation = Conversation([said("assistant", [use("a")])] * 5_000)
    links = links_of(conversation)
    assert links.calls(["a", "a"], 2_500)[:4] == [2_499, 2_501, 2_498, 2_502]
    assert len(links.calls(["a"], 2_500)) < 200
    assert links.calls(["b"], 2_500) == []
    conversation.append("tool", [result("a")])
    assert links_of(conversation) is links
    assert links.results(["a"], 0) == [5_000]


async def test_the_keys_of_the_strip_act() -> None:
    async with opened(broken()) as (pilot, screen):
        screen.explorer.go_to_raw(2)
        await pilot.pause()
        assert "bring the call back" in painted(screen)
        await pilot.press(KEYS_OF_REPAIRS["restore"])
        assert screen.look.errors == 0
