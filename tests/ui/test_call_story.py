"""Calls in the batch pane: what explains the first one, what broke its cache, how many followed."""

from __future__ import annotations

from typing import Any

import pytest

from ctxtui.calls.models.call import calls_in
from ctxtui.core import Conversation
from ctxtui.core.formats import Source, load_all
from ctxtui.inspector.drawing.batch import call_lines
from ctxtui.inspector.models.look import Look
from tests.docs.pages import ROOT

RECORDING = ROOT / "tests" / "vectors" / "requests" / "lc_summarize.jsonl"


def told(look: Look, width: int = 100) -> list[str]:
    return ["".join(piece.text for piece in line) for _, line in call_lines(calls_in(look), width)]


def test_a_recorded_compression_is_told_with_its_proof_and_what_it_cost() -> None:
    conversation = next(load_all(Source.of_bytes(RECORDING.read_bytes()))).conversation
    lines = told(Look(conversation, conversation.on_path(1).id))
    assert lines[0].startswith("call 4  gpt-x  105 in, 64 cached")
    assert lines[1].startswith("COMPRESS proven  raw 1–5 became one message, which holds")
    assert "cache: message 1 changed: the cache breaks there" in lines
    assert lines[-1].startswith("then 1 call more, the newest 106 in")


def test_a_batch_without_calls_says_nothing() -> None:
    assert told(Look(Conversation([{"role": "user", "content": "hi"}]))) == []


@pytest.mark.parametrize(
    "wire",
    [
        {},
        {"explained": "all of it"},
        {"explained": [1, {"operation": 2}, {"operation": "X"}], "cache": [1]},
        {"cache": {"cause": 7}},
    ],
)
def test_notes_of_another_shape_are_passed_over(wire: dict[str, Any]) -> None:
    conversation = Conversation([{"role": "user", "content": "hi"}])
    conversation.record_call(wire=wire)
    assert told(Look(conversation)) == ["call 1  "]


def test_nothing_a_recording_says_can_act_on_the_terminal() -> None:
    conversation = Conversation([{"role": "user", "content": "hi"}])
    evil = "\x1b[2J[/red]\u202e日本"
    one = {"operation": evil, "reason": evil, "certainty": evil}
    conversation.record_call(model=evil, wire={"explained": [one], "cache": {"cause": evil}})
    for width in (12, 40, 100):
        text = "\n".join(told(Look(conversation), width))
        assert "\x1b" not in text
        assert "\u202e" not in text
