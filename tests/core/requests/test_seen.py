"""What a model saw of recorded requests, against what the recordings' maker knows of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.messages import ToolResultPart
from ctxtui.core.engine.seen import HIDING, PLACEHOLDER, Seen, SentPiece
from ctxtui.core.formats.bodies import BodyReader, run_calls
from ctxtui.core.formats.registry import load_all
from ctxtui.core.formats.source import Source
from ctxtui.core.lint import lint_seen
from ctxtui.core.requests import Recorder
from ctxtui.core.requests.as_seen import CLEARED, as_seen
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.requests.provider_rules import kept_thinking_turns, smallest_cached
from ctxtui.core.requests.seen import SeenReader
from tests.core.requests.test_revising import VECTORS
from tests.core.requests.traffic import Row, exchange_of
from tests.core.samples import facts, refusal

NAMES = sorted(path.stem for path in (VECTORS / "seen").glob("*.jsonl"))


def seen_in(exchanges: Iterable[Exchange]) -> list[Seen]:
    """Return what was seen of each of some exchanges."""
    reader = SeenReader()
    return [reader.read(exchange) for exchange in exchanges]


def played(name: str) -> list[tuple[Row, Seen]]:
    """Return the expected answer for each call of a recording, and ours."""
    folder: Path = VECTORS / "seen"
    rows = [json.loads(line) for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()]
    expected = json.loads((folder / f"{name}.expected.json").read_text("utf-8"))["calls"]
    return list(zip(expected, seen_in(map(exchange_of, rows)), strict=True))


def reference(piece: SentPiece) -> str:
    return f"L{piece.record}.{piece.path}"


@pytest.mark.parametrize("name", NAMES)
def test_certainty_and_purpose_are_those_of_the_recording(name: str) -> None:
    for expected, seen in played(name):
        assert (seen.certainty, seen.purpose) == (expected["certainty"], expected["purpose"])
        assert seen.why


@pytest.mark.parametrize("name", NAMES)
def test_the_model_saw_what_the_recording_says(name: str) -> None:
    for expected, seen in played(name):
        wanted = expected.get("seen")
        if wanted is None:
            assert seen.view is None
            continue
        assert seen.view is not None
        shown = [
            {
                "ref": reference(one.piece)
                + (f" -> {reference(one.target)}" if one.target is not None else ""),
                "as": one.shown,
            }
            for one in seen.view
        ]
        assert shown == wanted


@pytest.mark.parametrize("name", NAMES)
def test_what_is_hidden_and_replaced_is_named_by_its_path(name: str) -> None:
    for expected, seen in played(name):
        line = f"L{expected['line']}."
        assert [line + path for path in seen.hidden] == [
            one["ref"] for one in expected.get("hidden", [])
        ]
        instead = {line + path: what for edit in seen.edits for path, what in edit.instead.items()}
        assert instead == {one["ref"]: PLACEHOLDER for one in expected.get("instead", [])}
        assert [line + path for path in seen.cleared] == list(instead)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_in_front_is_known_or_said_to_be_unknown(name: str) -> None:
    for expected, seen in played(name):
        front = [edit for edit in seen.edits if edit.kind == "PUT_IN_FRONT"]
        given = expected.get("put_in_front")
        if given is not None:
            assert [reference(piece) for edit in front for piece in edit.pieces] == given["known"]
        assert (seen.before == "unknown") == expected.get("unknown_before", False)
        assert (seen.before == "nothing") == (not front)


@pytest.mark.parametrize("name", NAMES)
def test_the_provider_counted_what_was_seen(name: str) -> None:
    for expected, seen in played(name):
        if seen.purpose == "answer":
            assert seen.read == expected["provider_tokens"]["seen"]
        if seen.counted is not None and seen.purpose == "answer":
            assert seen.counted == expected["provider_tokens"]["sent"]


# Cases that no recording has

CLEAR: Row = {"type": "clear_tool_uses_20250919", "keep": {"type": "tool_uses", "value": 2}}
MODEL = "claude-opus-5-5"


def use(n: int, name: str = "read", type: str = "tool_use") -> Row:
    block = {"type": type, "id": f"u{n}", "name": name, "input": {"path": f"{n}.log"}}
    return {"role": "assistant", "content": [block]}


def told(n: int, text: str = "some lines of a log") -> Row:
    block = {"type": "tool_result", "tool_use_id": f"u{n}", "content": text}
    return {"role": "user", "content": [block]}


def exchanges(count: int, name: str = "read") -> list[Row]:
    rows: list[Row] = [{"role": "user", "content": "Why is it slow?"}]
    for n in range(count):
        rows += [use(n, name), told(n)]
    return rows


def asks(
    rows: list[Row],
    *edits: Row,
    applied: Any = None,
    answer: Row | None = None,
    status: int = 200,
    path: str = "/v1/messages",
    **more: Any,
) -> Exchange:
    """Return a request with edits of its context; ``applied`` is what the answer reports."""
    body: Row = {"model": MODEL, "system": "You look.", "messages": rows, **more}
    if edits:
        body["context_management"] = {"edits": list(edits)}
    said: Row = {"id": "m1", "content": [{"type": "text", "text": "So it is."}]}
    said |= {"usage": {"input_tokens": 900}} | (answer or {})
    if applied is not None:
        said["context_management"] = {"applied_edits": applied}
    return Exchange(body, said, "messages", path, status=status)


def cleared(count: Any, tokens: int = 100) -> list[Row]:
    return [{"type": CLEAR["type"], "cleared_tool_uses": count, "cleared_input_tokens": tokens}]


def sees(*given: Exchange) -> Seen:
    """Return what was seen of the last of some calls."""
    return seen_in(given)[-1]


def found(seen: Seen) -> tuple[str, list[str], list[str]]:
    return seen.certainty, list(seen.hidden), list(seen.cleared)


FIRST, SECOND = "messages.2.content.0", "messages.4.content.0"
CLEARINGS: list[tuple[str, Exchange, tuple[str, list[str], list[str]]]] = [
    ("reported as nothing", asks(exchanges(3), CLEAR, applied=[]), ("proven", [], [])),
    ("as the rule gives", asks(exchanges(3), CLEAR, applied=cleared(1)), ("proven", [], [FIRST])),
    (
        "another number than the rule gives",
        asks(exchanges(3), CLEAR, applied=cleared(2)),
        ("proven", [], [FIRST, SECOND]),
    ),
    ("more than there are", asks(exchanges(1), CLEAR, applied=cleared(2)), ("unknown", [], [])),
    ("less than none", asks(exchanges(3), CLEAR, applied=cleared(-1)), ("unknown", [], [])),
    ("no number", asks(exchanges(3), CLEAR, applied=cleared("1")), ("unknown", [], [])),
    ("not reported, no candidate", asks(exchanges(0), CLEAR), ("as sent", [], [])),
    ("not reported, all are kept", asks(exchanges(2), CLEAR), ("likely", [], [])),
    ("not reported, some could go", asks(exchanges(3), CLEAR), ("unknown", [], [])),
    (
        "a trigger in uses that is not reached",
        asks(exchanges(3), {**CLEAR, "trigger": {"type": "tool_uses", "value": 9}}),
        ("likely", [], []),
    ),
    (
        "a trigger in tokens proves nothing",
        asks(exchanges(3), {**CLEAR, "trigger": {"type": "input_tokens", "value": 10**6}}),
        ("unknown", [], []),
    ),
    (
        "an excluded tool",
        asks(exchanges(3), {**CLEAR, "exclude_tools": ["read"]}),
        ("as sent", [], []),
    ),
    (
        "the oldest that is not excluded",
        asks(
            [*exchanges(1, "look"), *exchanges(3)[3:]],
            {**CLEAR, "exclude_tools": ["look"]},
            applied=cleared(1),
        ),
        ("proven", [], [SECOND]),
    ),
    (
        "a use without a result is no candidate",
        asks([*exchanges(1), use(7)], CLEAR, applied=cleared(2)),
        ("unknown", [], []),
    ),
    (
        "a server tool",
        asks([*exchanges(3), use(9, type="server_tool_use")], CLEAR, applied=cleared(1)),
        ("likely", [], [FIRST]),
    ),
    (
        "an edit nobody knows",
        asks(exchanges(1), CLEAR, applied=[{"type": "clear_all"}]),
        ("unknown", [], []),
    ),
    ("an unknown edit asked for", asks(exchanges(1), {"type": "clear_all"}), ("unknown", [], [])),
    ("refused", asks(exchanges(3), CLEAR, status=400), ("as sent", [], [])),
    (
        "counted",
        asks(exchanges(3), CLEAR, path="/v1/messages/count_tokens"),
        ("as sent", [], []),
    ),
]


@pytest.mark.parametrize(
    ("exchange", "wanted"), [one[1:] for one in CLEARINGS], ids=[one[0] for one in CLEARINGS]
)
def test_clearing_of_results(exchange: Exchange, wanted: tuple[str, list[str], list[str]]) -> None:
    assert found(sees(exchange)) == wanted


def test_results_that_were_sent_together_are_cleared_one_by_one() -> None:
    both = {"role": "assistant", "content": use(0)["content"] + use(1)["content"]}
    results = {"role": "user", "content": told(0)["content"] + told(1)["content"]}
    seen = sees(asks([*exchanges(0), both, results], CLEAR, applied=cleared(1)))
    assert found(seen) == ("proven", [], ["messages.2.content.0"])


def test_arguments_that_go_too_are_likely_and_lower_nothing() -> None:
    rule = {**CLEAR, "clear_tool_inputs": True}
    seen = sees(asks(exchanges(3), rule, applied=cleared(1)))
    assert (seen.certainty, seen.inputs_cleared) == ("proven", ("messages.1.content.0",))
    assert [edit.certainty for edit in seen.edits] == ["proven", "likely"]
    assert sees(asks(exchanges(3), {**rule, "clear_tool_inputs": ["other"]})).inputs_cleared == ()


def test_results_that_were_smaller_than_what_was_cleared_are_only_likely() -> None:
    first = asks(exchanges(2), CLEAR, applied=[], answer={"usage": {"input_tokens": 100}})
    more = {"usage": {"input_tokens": 40}}
    second = asks(exchanges(3), CLEAR, applied=cleared(1, 90), answer=more)
    assert sees(first, second).certainty == "proven"
    third = asks(exchanges(3), CLEAR, applied=cleared(1, 900), answer=more)
    assert sees(first, third).certainty == "likely"


def thinks(text: str) -> Row:
    thought = {"type": "thinking", "thinking": text, "signature": f"sig-{text}"}
    return {"role": "assistant", "content": [thought, {"type": "text", "text": text}]}


def turns(count: int, *, has_next: bool = True) -> list[Row]:
    rows: list[Row] = []
    for n in range(count):
        rows += [{"role": "user", "content": f"Question {n}?"}, thinks(f"{n}")]
    return [*rows, {"role": "user", "content": "And now?"}] if has_next else rows


KEEP_ONE: Row = {
    "type": "clear_thinking_20251015",
    "keep": {"type": "thinking_turns", "value": 1},
}
THOUGHT = "messages.1.content.0"
GONE = [{"type": KEEP_ONE["type"], "cleared_thinking_turns": 1, "cleared_input_tokens": 9}]
TOO_MANY = [{**GONE[0], "cleared_thinking_turns": 3}]
THINKING: list[tuple[str, Exchange, tuple[str, list[str], list[str]]]] = [
    ("a new model keeps all", asks(turns(2)), ("as sent", [], [])),
    (
        "an older one the last turn",
        asks(turns(2), model="claude-haiku-4-5"),
        ("likely", [THOUGHT], []),
    ),
    (
        "of an older one the only turn",
        asks(turns(1), model="claude-haiku-4-5"),
        ("as sent", [], []),
    ),
    ("a model that is not known", asks(turns(2), model="other"), ("unknown", [], [])),
    ("reported", asks(turns(2), KEEP_ONE, applied=GONE), ("proven", [THOUGHT], [])),
    ("reported too often", asks(turns(2), KEEP_ONE, applied=TOO_MANY), ("unknown", [], [])),
    ("reported as nothing", asks(turns(2), KEEP_ONE, applied=[]), ("proven", [], [])),
    ("asked for, not reported", asks(turns(2), KEEP_ONE), ("unknown", [], [])),
    ("asked for, only one turn", asks(turns(1), KEEP_ONE), ("likely", [], [])),
    ("all are kept", asks(turns(2), {**KEEP_ONE, "keep": "all"}), ("as sent", [], [])),
    (
        "dropped, by its path",
        asks(
            turns(2),
            answer={
                "input_transformations": [
                    {
                        "type": "thinking_dropped",
                        "path": THOUGHT,
                        "reason": "model_binding_mismatch",
                    }
                ]
            },
        ),
        ("proven", [THOUGHT], []),
    ),
    (
        "dropped, where no thinking is",
        asks(
            turns(1),
            answer={"input_transformations": [{"type": "thinking_dropped", "path": "messages.0"}]},
        ),
        ("unknown", [], []),
    ),
    (
        "allowed",
        asks(
            turns(1),
            answer={"input_transformations": [{"type": "thinking_mismatch_allowed"}]},
        ),
        ("proven", [], []),
    ),
    (
        "transformed in a way nobody knows",
        asks(turns(1), answer={"input_transformations": [{"type": "turned_round"}]}),
        ("likely", [], []),
    ),
]


@pytest.mark.parametrize(
    ("exchange", "wanted"), [one[1:] for one in THINKING], ids=[one[0] for one in THINKING]
)
def test_thinking(exchange: Exchange, wanted: tuple[str, list[str], list[str]]) -> None:
    assert found(sees(exchange)) == wanted


def test_thinking_of_another_model_may_have_been_dropped() -> None:
    first = asks(turns(0), answer={"model": "claude-opus-4-8", "content": thinks("0")["content"]})
    assert sees(first, asks(turns(1), model="claude-opus-4-8")).certainty == "as sent"
    seen = sees(first, asks(turns(1)))
    assert found(seen) == ("unknown", [], [])
    assert [piece.path for edit in seen.edits for piece in edit.pieces] == [THOUGHT]
    exact = asks(turns(0), answer={"model": f"{MODEL}-20261101", "content": thinks("0")["content"]})
    assert sees(exact, asks(turns(1))).certainty == "as sent"
    reported = asks(turns(1), answer={"input_transformations": []})
    assert sees(first, reported).certainty == "proven"


def block(content: str | None) -> Row:
    return {"role": "assistant", "content": [{"type": "compaction", "content": content}]}


COMPACT: Row = {"type": "compact_20260112", "trigger": {"type": "input_tokens", "value": 50_000}}
FULL = {"usage": {"input_tokens": 60_000}}
OLD = ["messages.0", "messages.1.content.0", "messages.2.content.0"]
COMPACTIONS: list[tuple[str, Exchange, tuple[str, list[str], list[str]]]] = [
    ("before a block", asks([*exchanges(1), block("All.")]), ("proven", OLD, [])),
    ("a failed block", asks([*exchanges(1), block(None)]), ("as sent", [], [])),
    ("a block in front", asks([block("All."), *exchanges(1)]), ("as sent", [], [])),
    (
        "the newest of two",
        asks([block("A"), *exchanges(0), block("B"), *exchanges(0)]),
        ("proven", ["messages.0.content.0", "messages.1"], []),
    ),
    (
        "in the middle of a message",
        asks([*exchanges(0), {**use(1), "content": use(1)["content"] + block("A")["content"]}]),
        ("proven", ["messages.0", "messages.1.content.0"], []),
    ),
    (
        "in the answer",
        asks(exchanges(1), COMPACT, applied=[], answer={"content": block("A")["content"]}),
        ("proven", OLD, []),
    ),
    ("without a report, below its trigger", asks(exchanges(1), COMPACT), ("likely", [], [])),
    (
        "without a report, above its trigger",
        asks(exchanges(1), COMPACT, answer=FULL),
        ("unknown", [], []),
    ),
    (
        "for one turn",
        asks([{"role": "system", "content": "Now.", "clear_at": "next_user_message"}, *turns(1)]),
        ("likely", ["messages.0"], []),
    ),
    (
        "for this turn",
        asks([*turns(1), {"role": "system", "content": "Now.", "clear_at": "next_user_message"}]),
        ("as sent", [], []),
    ),
    (
        "for one turn, before results",
        asks(
            [
                *exchanges(0),
                {"role": "system", "content": "Now.", "clear_at": "next_user_message"},
                *exchanges(1)[1:],
            ]
        ),
        ("as sent", [], []),
    ),
]


@pytest.mark.parametrize(
    ("exchange", "wanted"), [one[1:] for one in COMPACTIONS], ids=[one[0] for one in COMPACTIONS]
)
def test_compactions_and_messages_for_one_turn(
    exchange: Exchange, wanted: tuple[str, list[str], list[str]]
) -> None:
    assert found(sees(exchange)) == wanted


def test_a_result_before_a_compaction_is_hidden_and_not_cleared() -> None:
    rows = [*exchanges(1), block("All."), *exchanges(3)[3:]]
    seen = sees(asks(rows, CLEAR, applied=cleared(1)))
    assert found(seen) == ("proven", OLD, ["messages.5.content.0"])


# Responses

ITEM: Row = {"type": "compaction", "id": "c1", "encrypted_content": "gAAA"}
QUESTION: Row = {"role": "user", "content": "Which one restarts?"}
SAID: Row = {"type": "message", "role": "assistant", "content": "That one."}


def responds(
    given: Any, *, output: list[Row] | None = None, path: str = "/v1/responses", **more: Any
) -> Exchange:
    answer = more.pop("answer", {})
    body = {"model": "gpt-6", "input": given, **more}
    response = {"id": "r1", "output": [SAID] if output is None else output}
    response |= {"usage": {"input_tokens": 500}} | answer
    return Exchange(body, response, "responses", path, status=200)


def test_an_item_of_the_compaction_endpoint_leaves_what_users_said() -> None:
    made = responds([QUESTION, SAID], output=[QUESTION, ITEM], path="/v1/responses/compact")
    assert seen_in([made])[0].purpose == "compact"
    seen = sees(made, responds([QUESTION, SAID, ITEM, QUESTION]))
    assert found(seen) == ("likely", ["input.1"], [])
    assert found(sees(made, responds([QUESTION, ITEM, QUESTION]))) == ("likely", [], [])


def test_an_item_that_a_request_asked_for_is_alone_in_its_answer() -> None:
    made = responds([QUESTION, SAID, {"type": "compaction_trigger"}], output=[ITEM])
    first, second = seen_in([made, responds([QUESTION, SAID, ITEM])])
    assert (first.purpose, first.certainty, first.view) == ("compact", "proven", None)
    assert found(second) == ("likely", ["input.1"], [])


def test_an_item_of_unknown_origin_hides_what_cannot_be_known() -> None:
    seen = sees(responds([QUESTION, ITEM, QUESTION]))
    assert (found(seen), seen.before) == (("unknown", [], []), "nothing")
    assert found(sees(responds([ITEM, QUESTION]))) == ("as sent", [], [])


def test_the_content_of_an_item_names_its_origin_without_an_id() -> None:
    made = responds([QUESTION], output=[ITEM, SAID])
    bare = {key: value for key, value in ITEM.items() if key != "id"}
    assert found(sees(made, responds([QUESTION, bare, QUESTION]))) == ("likely", ["input.0"], [])


def test_truncation_is_judged_by_the_counts() -> None:
    long = [QUESTION, SAID, QUESTION]
    first = responds([QUESTION], truncation="auto", answer={"usage": {"input_tokens": 400}})
    assert sees(first).certainty == "likely"
    assert sees(first, responds(long, truncation="auto")).certainty == "likely"
    short = responds(long, truncation="auto", answer={"usage": {"input_tokens": 300}})
    seen = sees(first, short)
    assert found(seen) == ("unknown", [], [])
    assert "at least 100 tokens were left out" in seen.why
    assert sees(responds(long)).certainty == "as sent"


def test_what_only_an_id_names_is_in_front() -> None:
    first = responds("one", instructions="Be brief.")
    second = responds("two", previous_response_id="r1", answer={"previous_response_id": "r1"})
    seen = sees(first, second)
    assert (seen.certainty, seen.before) == ("proven", "known")
    assert seen.view is not None
    assert [reference(one.piece) for one in seen.view] == ["L0.input", "L0.output.0", "L1.input"]
    silent = responds("two", previous_response_id="r1")
    assert (sees(first, silent).certainty, sees(first, silent).before) == ("likely", "known")
    unstored = responds("one", store=False)
    assert (sees(unstored, second).certainty, sees(unstored, second).before) == (
        "unknown",
        "unknown",
    )


@pytest.mark.parametrize(
    ("exchange", "before"),
    [
        (responds("one", conversation="conv_1"), "unknown"),
        (responds("one", prompt={"id": "p1"}), "unknown"),
        (responds("one", prompt={"id": "p1"}, answer={"instructions": [QUESTION]}), "known"),
        (
            Exchange(
                {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "cachedContent": "c/1"},
                {"candidates": []},
                "gemini",
            ),
            "unknown",
        ),
    ],
)
def test_what_a_provider_stores_is_unknown_unless_the_answer_lists_it(
    exchange: Exchange, before: str
) -> None:
    seen = sees(exchange)
    assert seen.before == before
    assert (seen.certainty == "unknown") == (before == "unknown")


def test_reasoning_is_never_as_sent() -> None:
    thought = {"type": "reasoning", "id": "rs1", "summary": []}
    given = [QUESTION, thought, SAID, QUESTION]
    assert sees(responds(given)).certainty == "likely"
    assert sees(responds(given, answer={"input_transformations": []})).certainty == "proven"
    gone = {"id": "rs1", "type": "reasoning", "action": "removed", "reason": "turn_boundary"}
    reported = responds(given, answer={"input_transformations": [gone]})
    assert found(sees(reported)) == ("proven", ["input.1"], [])
    other = responds(given, answer={"input_transformations": [{**gone, "id": "rs9"}]})
    assert found(sees(other)) == ("unknown", [], [])


@pytest.mark.parametrize("name", NAMES)
def test_all_that_was_seen_was_sent_or_carried_or_made(name: str) -> None:
    made: set[str] = set()
    for expected, seen in played(name):
        made |= {f"L{expected['line']}.{start}" for start in ("response", "output")}
        sent = {ref.split(" -> ")[0] for ref in expected["sent"]}
        for one in seen.view or ():
            ref = reference(one.piece)
            is_made = ref.startswith(tuple(made))
            assert ref in sent or is_made or one.piece.record < seen.record
        if seen.certainty == "as sent" and seen.view is not None:
            assert {reference(one.piece) for one in seen.view} == sent


JUNK: tuple[Any, ...] = (None, 0, -1, True, 1.5, "", "x", [], [None], [[]], {}, {"type": []})


def spoiled(value: Any, chance: Random) -> Any:
    """Return a value with some of what is in it replaced by something else."""
    if chance.random() < 0.02:
        return chance.choice(JUNK)
    if isinstance(value, dict):
        return {key: spoiled(one, chance) for key, one in value.items()}
    if isinstance(value, list):
        return [spoiled(one, chance) for one in value]
    return value


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(6))
def test_bodies_of_any_shape_are_seen_in_some_way(name: str, seed: int) -> None:
    chance = Random(seed)
    lines = (VECTORS / "seen" / f"{name}.jsonl").read_text("utf-8").splitlines()
    rows = [exchange_of(json.loads(line)) for line in lines]
    odd = [
        replace(one, request=request, response=response if isinstance(response, dict) else None)
        for one in rows
        if isinstance(request := spoiled(one.request, chance), dict)
        for response in [spoiled(one.response, chance)]
    ]
    for seen in seen_in(odd):
        assert json.loads(json.dumps(seen.to_dict()))["certainty"] == seen.certainty
        if seen.certainty == "unknown":
            assert (seen.hidden, seen.cleared) == ((), ())


# In a conversation


def loaded(name: str) -> list[Conversation]:
    source = Source.of_path(VECTORS / "seen" / f"{name}.jsonl")
    return [one.conversation for one in load_all(source, "requests")]


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_says_the_same_of_its_calls_also_when_it_was_saved(name: str) -> None:
    talks = loaded(name)
    by_number = {one.record: one for _, one in played(name)}
    for talk in talks:
        again = Conversation.from_dict(talk.to_dict())
        for call, same in zip(talk.calls.all, again.calls.all, strict=True):
            assert talk.seen(call).edits == again.seen(same).edits
    found = run_calls(talks)
    for number, one in enumerate(found):
        assert one.record == number
        assert one.seen.to_dict() == by_number[number].to_dict()
    assert len(found) == len(by_number)


def test_pieces_name_messages_of_the_log_and_their_parts() -> None:
    (talk,) = loaded("a_tools_grow")
    seen = talk.seen(talk.calls.all[4])
    (edit,) = seen.edits
    for piece in edit.pieces:
        assert piece.raw is not None
        assert piece.part is not None
        assert isinstance(talk.log[piece.raw].parts[piece.part], ToolResultPart)
    assert talk.seen(talk.calls.all[4]) is seen
    with pytest.raises(Refused, match="this call is not one of the conversation"):
        Conversation().seen(talk.calls.all[4])


# The rules alone


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        *(("claude-opus-4-5-20251101", "all"), ("claude-opus-4-1-20250805", 1)),
        *(("claude-sonnet-4-6", "all"), ("claude-sonnet-4-20250514", 1)),
        *(("claude-sonnet-5", "all"), ("claude-3-7-sonnet-20250219", 1)),
        *(("claude-haiku-4-5", 1), ("claude-fable-5-1", "all"), ("claude-mythos", "all")),
        *(("gpt-6", None), (None, None), ("claude-opus", None)),
    ],
)
def test_how_much_thinking_a_model_keeps_by_default(model: str | None, kept: object) -> None:
    assert kept_thinking_turns(model) == kept


@pytest.mark.parametrize(
    ("model", "smallest"),
    [
        *(("claude-opus-4-5-20251101", 4_096), ("claude-opus-4-7", 2_048)),
        *(("claude-opus-4-8", 1_024), ("claude-opus-5-5", 512), ("claude-fable-5", 512)),
        *(("claude-haiku-4-5", 4_096), ("claude-sonnet-4-6", 1_024), ("gpt-6", 1_024)),
    ],
)
def test_the_smallest_prefix_that_a_cache_keeps(model: str, smallest: int) -> None:
    assert smallest_cached(model) == smallest


@pytest.mark.parametrize("name", NAMES)
def test_a_conversation_can_be_had_as_the_model_saw_it(name: str) -> None:
    shown = 0
    for one in run_calls(loaded(name)):
        if one.seen.view is None:
            assert facts(refusal(partial(as_seen, one.conversation, one.call)))[0] == "seen"
            continue
        found = as_seen(one.conversation, one.call)
        wanted = {piece.piece.raw for piece in one.seen.view if piece.shown == "sent"} - {None}
        kept = [raw for raw in found.view if raw < len(one.conversation.log)]
        assert wanted - set(kept) == set()
        hidden = {
            piece.raw
            for edit in one.seen.edits
            if edit.kind in HIDING
            for piece in edit.pieces
            if piece.raw is not None
        }
        assert not hidden & set(kept)
        cleared = [m for m in found.visible if CLEARED in m.search_text]
        assert len(cleared) == len(one.seen.cleared)
        assert found.check() == []
        shown += bool(hidden or cleared)
    assert (shown > 0) == (name in ("a_tools_grow", "o_compact"))


def test_what_the_model_did_not_see_is_warned_of() -> None:
    (talk,) = loaded("a_tools_grow")
    talk.execute({"operation": "MARK", "indices": [1, 3], "label": "must"})
    calls = list(talk.calls)
    found = [
        [(one.rule, one.raw_index, one.severity) for one in lint_seen(at.moment, talk.seen(call))]
        for call in calls
        for at in [talk.at(call.revision)]
    ]
    assert found == [[]] * 3 + [[("P1", 3, "warning")]] * 7


def test_thinking_of_the_current_loop_that_was_dropped_is_warned_of() -> None:
    thinking = {"type": "thinking", "thinking": "Let me look.", "signature": "s1"}
    use = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "found"}
    rows: list[Row] = [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": [thinking, use]},
        {"role": "user", "content": [result]},
    ]
    dropped = {
        "type": "thinking_dropped",
        "path": "messages.1.content.0",
        "reason": "model_binding_mismatch",
    }
    reply = {"id": "m1", "content": [{"type": "text", "text": "ok"}], "role": "assistant"}
    body = {"model": "claude-opus-5-5", "messages": rows}
    recorder = Recorder(BodyReader())
    recorder.record(Exchange(body, {**reply, "input_transformations": [dropped]}, "messages"))
    talk = recorder.conversation(0)
    assert talk is not None
    (call, *_) = talk.calls
    found = lint_seen(talk.at(call.revision).moment, talk.seen(call))
    assert [(one.rule, one.raw_index) for one in found] == [("P2", 1)]


def test_an_edit_that_cannot_be_known_is_warned_of_and_colours_nothing() -> None:
    talk = loaded("o_chain")[-1]
    unknown = [call for call in talk.calls if talk.seen(call).certainty == "unknown"]
    assert unknown
    for call in unknown:
        found = lint_seen(talk.at(call.revision).moment, talk.seen(call))
        assert [(one.rule, one.raw_index) for one in found] == [("P3", None)]


def test_a_compaction_comes_first_without_an_error() -> None:
    (talk,) = loaded("a_compact_pause")
    (first,) = [
        talk.at(call.revision)
        for call in talk.calls
        if "compaction" in str(talk.log[talk.revisions[call.revision].view[1]].to_dict())
    ][:1]
    assert "A2" not in [one.rule for one in first.lint("anthropic")]


def test_a_compaction_item_is_a_message_of_its_own() -> None:
    (talk,) = loaded("o_compact")
    items = [m for m in talk.log if '"compaction"' in json.dumps(m.to_dict())]
    assert len(items) == 2
    assert all(len(message.parts) == 1 for message in items)
