"""``ctxtui calls``: recorded calls as a table, one at length, and as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ctxtui.core import Conversation
from tests.cli.conftest import SAMPLES, Run
from tests.ui.hostility import called
from tests.ui.sent_calls import coder

TOUR = SAMPLES / "tour.json"
VECTORS = Path(__file__).parents[1] / "vectors"
RECORDING = VECTORS / "requests" / "ag_headtail.jsonl"


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    """Return the calls of an agent as a file of this program."""
    path = tmp_path / "coder.json"
    path.write_text(json.dumps(coder().to_dict()), encoding="utf-8")
    return path


def test_each_call_is_a_row_with_figures_explanation_and_cause(run: Run, agent: Path) -> None:
    told = run("calls", agent)
    assert told.code == 0
    head, *rows = told.out.splitlines()
    assert head.split()[:9] == [
        *("call", "model", "outcome", "messages", "counted", "kept", "in", "cached", "out"),
    ]
    assert len(rows) == 5
    assert rows[0].split()[:9] == ["1", "m", "complete", "2", "632", "–", "650", "0", "40"]
    assert rows[4].split()[5:9] == ["305", "965", "256", "40"]
    assert "TRUNCATE, APPEND (likely)" in rows[4]
    assert "breaks in the tools: run_tests vanished" in rows[4]


@pytest.mark.parametrize("key", ["9" * 5_000, "²", "٣", "-1", ""])
def test_keys_of_a_call_that_only_look_like_places_are_passed_over(
    key: str, run: Run, tmp_path: Path
) -> None:
    conversation = Conversation([{"role": "user", "content": "Hello"}])
    wire = {"rows": {key: [{"at": ["name"], "set": "x"}]}}
    for _ in range(2):
        conversation.record_call(usage={"input": 5}, wire=wire)
        conversation.append("assistant", "Hi")
    path = tmp_path / "odd.json"
    path.write_text(json.dumps(conversation.to_dict()), encoding="utf-8")
    assert len(run("calls", path, "--json").data["calls"]) == 2
    assert run("calls", path, "--call", "2").code == 0


def test_a_recording_is_read_as_it_is(run: Run) -> None:
    data = run("calls", RECORDING, "--json").data["calls"]
    assert [one["call"] for one in data] == list(range(1, 10))
    assert data[3]["explained"][0] == {
        "operation": "COMPRESS",
        "reason": "raw 2–5 were removed, and one message is in their place",
        "certainty": "likely",
    }
    assert data[3]["measured"] == {"input": 104, "cached": 64, "output": 7}
    assert (data[3]["cache"]["breaks"], data[3]["cache"]["position"]) == ("message", 2)
    assert data[0]["cache"]["kept"] is None


def test_one_call_is_told_at_length(run: Run, agent: Path) -> None:
    told = run("calls", agent, "--call", "5")
    assert told.code == 0
    for title in ("Prompt cache", "Request", "Usage", "Tools", "The operation", "Lint of"):
        assert title in told.out
    assert "generic  ✖1" in told.out
    assert "CALL 5 of 5" in told.out
    assert "←" not in told.out
    data = run("calls", agent, "--call", "5", "--json").data
    assert data["facts"][0] == "raw 1–2 were sent in call 4 and are not in call 5"
    assert [row["name"] for row in data["tools"] if row["change"] == "vanished"] == ["run_tests"]
    assert data["lint"]["generic"] == {"errors": 1, "warnings": 0}


@pytest.mark.parametrize("number", ["0", "6", "-1", "x", "9" * 5000, ""])
def test_a_call_that_is_not_there_is_refused(run: Run, agent: Path, number: str) -> None:
    told = run("calls", agent, f"--call={number}")
    assert (told.code, told.out) == (2, "")
    assert "1…5" in told.err
    assert len(told.err) < 200


def test_without_calls_that_is_said(run: Run) -> None:
    assert run("calls", TOUR).out == "no call was recorded on this path\n"
    assert run("calls", TOUR, "--json").data == {"calls": [], "findings": []}
    assert run("calls", TOUR, "--call", "1").code == 2


def test_hostile_calls_are_only_text(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "evil.json"
    path.write_text(json.dumps(called().to_dict()), encoding="utf-8")
    for more in ((), ("--call", "3")):
        told = run("calls", path, *more)
        assert told.code == 0
        assert "\x1b" not in told.out
        assert "\u202e" not in told.out


def test_diff_tells_what_was_measured(run: Run, agent: Path) -> None:
    told = run("diff", agent, "0", "1")
    assert told.out.splitlines()[-1] == "measured: 256 of 965 tokens served in call 5, 27 %"
    data = run("diff", agent, "0", "1", "--json").data
    assert data["measured"] == {"call": 5, "cached": 256, "input": 965}
    assert run("diff", TOUR, "0", "1", "--json").data["measured"] is None


def test_what_was_removed_before_a_call_was_stored_is_shown(run: Run, tmp_path: Path) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "api_key": "hunter2"}
    path = tmp_path / "one.requests.jsonl"
    record = {"path": "/v1/chat/completions", "request": body, "response": {"choices": []}}
    path.write_text(json.dumps(record), encoding="utf-8")
    (one,) = run("calls", path, "--json").data["calls"]
    assert one["warnings"] == [{"code": "removed", "count": 1, "paths": ["api_key"]}]
    assert "1 value removed: api_key" in run("calls", path, "--call", "1").out
    assert run("calls", RECORDING, "--json").data["calls"][0]["warnings"] == []


def test_json_has_the_calls_of_all_threads_in_the_order_of_the_file(run: Run) -> None:
    data = run("calls", VECTORS / "threads" / "lc-summ.jsonl", "--json").data
    calls = data["calls"]
    assert [one["record"] for one in calls] == list(range(22))
    assert {one["thread"] for one in calls} == {0}
    sides = [one["record"] for one in calls if one["purpose"] == "side"]
    assert sides == [6, 10, 13, 16, 19]
    lost = [one for one in data["findings"] if one["kind"] == "questionVanished"]
    assert lost == [
        {"kind": "questionVanished", "call": 7, "operation": "COMPRESS", "certainty": "proven"}
    ]


def test_json_has_what_the_model_saw_of_each_call(run: Run) -> None:
    data = run("calls", VECTORS / "seen" / "a_tools_grow.jsonl", "--json").data
    seen = [one["seen"] for one in data["calls"]]
    assert [len(one["cleared"]) for one in seen] == [0, 0, 0, 1, 2, 3, 4, 5, 5, 6]
    assert {one["certainty"] for one in seen} == {"proven"}
    (edit,) = seen[3]["edits"]
    assert (edit["kind"], edit["by"], edit["pieces"]) == (
        *("CLEAR_RESULTS", "provider", ["messages.2.content.0"]),
    )
    assert edit["reported"]["cleared_tool_uses"] == edit["replayed"]["cleared_tool_uses"] == 1
    cuts = [one["call"] for one in data["findings"] if one["kind"] == "providerCut"]
    assert cuts == [3, 4, 5, 6, 7, 9]


def test_json_has_the_calls_of_other_branches_too(run: Run) -> None:
    data = run("calls", VECTORS / "seen" / "o_chain.jsonl", "--json").data["calls"]
    assert [one["record"] for one in data] == list(range(7))
    assert [one["thread"] for one in data] == [0, 0, 0, 0, 0, 0, 1]
    assert [one["seen"]["before"] for one in data] == ["nothing", *["known"] * 5, "unknown"]


def test_the_table_says_what_was_not_seen_and_nothing_where_all_was(run: Run) -> None:
    head, *rows = run("calls", VECTORS / "seen" / "a_tools_grow.jsonl").out.splitlines()
    assert "seen" in head.split()
    assert "\u22125 results" in rows[7]
    assert "seen" not in run("calls", RECORDING).out.splitlines()[0].split()


@pytest.mark.parametrize(
    ("name", "expected", "code"),
    [
        ("a_tools_grow", ["providerCut=6", "loop=0"], 0),
        ("a_tools_grow", ["providerCut=0"], 1),
        ("o_chain", ["promptVanished=1"], 0),
    ],
)
def test_findings_can_be_expected(run: Run, name: str, expected: list[str], code: int) -> None:
    told = run("calls", VECTORS / "seen" / f"{name}.jsonl", "--expect", *expected)
    assert told.code == code
    assert ("providerCut is 6; expected is providerCut=0" in told.out) == (code == 1)


def test_a_finding_that_is_unknown_counts_unless_that_is_allowed(run: Run, tmp_path: Path) -> None:
    rows = [{"role": "user", "content": "Why?"}]
    for n in range(4):
        use = {"type": "tool_use", "id": f"u{n}", "name": "read", "input": {"n": n}}
        rows.append({"role": "assistant", "content": [use]})  # type: ignore[dict-item]
        told = {"type": "tool_result", "tool_use_id": f"u{n}", "content": "lines"}
        rows.append({"role": "user", "content": [told]})  # type: ignore[dict-item]
    edits = {"edits": [{"type": "clear_tool_uses_20250919"}]}
    body = {"model": "claude-opus-5-5", "messages": rows, "context_management": edits}
    record = {"path": "/v1/messages", "request": body, "response": {"id": "m", "content": []}}
    path = tmp_path / "one.requests.jsonl"
    path.write_text(json.dumps(record), encoding="utf-8")
    assert run("calls", path, "--expect", "providerCut=0").code == 1
    assert run("calls", path, "--expect", "providerCut=0", "--allow-unknown").code == 0


def test_a_named_text_that_vanishes_is_found(run: Run) -> None:
    path = VECTORS / "requests" / "lc_trim.jsonl"
    question = json.loads(path.read_text("utf-8").splitlines()[0])["request"]["messages"][1]
    told = run("calls", path, "--text", question["content"][:20], "--expect", "textVanished=0")
    assert told.code == 1
    assert [line.split()[:3] for line in told.out.splitlines() if "textVanished  " in line] == [
        ["3", "textVanished", "TRUNCATE"]
    ]
    assert run("calls", path, "--text", "no such", "--expect", "textVanished=0").code == 0
    assert run("calls", path, "--expect", "shown=1").code == 2


def test_why_says_which_calls_sent_a_message_and_since_when_the_model_did_not_see_it(
    run: Run,
) -> None:
    path = VECTORS / "seen" / "a_tools_grow.jsonl"
    assert run("why", path, "3").out.splitlines() == [
        "raw 3 is visible at position 3",
        "  sent in calls 2–10",
        "  not shown to the model by the provider since call 4: CLEAR_RESULTS (proven)",
    ]
    data = run("why", path, "3", "--json").data
    assert data["calls"] == list(range(2, 11))
    assert data["notSeen"] == {"call": 4, "kind": "CLEAR_RESULTS", "certainty": "proven"}
    assert run("why", path, "1", "--json").data["notSeen"] is None


def test_why_finds_messages_by_a_text(run: Run) -> None:
    path = VECTORS / "requests" / "lc_trim.jsonl"
    found = run("why", path, "Question 0").out.splitlines()
    assert found[0].startswith("raw 1 is hidden by batch")
    assert found[1] == "  sent in calls 1–3"
    data = run("why", path, "0", "--text", "--json").data
    assert data["count"] >= len(data["messages"]) > 1
    assert run("why", path, "0", "--json").data["rawIndex"] == 0


def test_what_was_seen_is_not_exported_where_it_is_unknown(run: Run, tmp_path: Path) -> None:
    file, out = VECTORS / "seen" / "o_chain.jsonl", tmp_path / "out"
    out.mkdir()
    done = run("export", file, "--seen", "--to", "native", "-o", out)
    assert done.code == 1
    assert "what the model saw is not known: it goes on from resp_older" in done.err
    assert len(list(out.iterdir())) == 1


def test_the_table_says_why_nothing_was_served_though_nothing_broke(run: Run) -> None:
    rows = run("calls", VECTORS / "seen" / "a_compact_pause.jsonl").out.splitlines()[1:]
    assert "The first call of this path" in rows[0]
    assert rows[2].endswith("this kind of request has to ask for it, and did not.")
    assert "breaks before position 1" in rows[5]
