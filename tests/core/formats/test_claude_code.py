"""Claude Code in detail: one answer in several lines, forks, sub-agents, compaction, changes."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from ctxtui.core import Conversation
from ctxtui.core.formats import Layout, Source, dump_json, format_named, load, load_all, read_json
from ctxtui.core.formats.warnings import WarningCollector, sentences
from tests.core.formats.projecting import projected
from tests.core.formats.vectors import FOLDER
from tests.core.message_strategies import beginnings
from tests.core.samples import said
from tests.core.test_formats_random import conversations

CLAUDE_CODE = format_named("claude-code")
SESSION = FOLDER / "claude-code" / "session.jsonl"
Row = dict[str, Any]


def line(uuid: str, parent: str | None, content: Any, role: str = "user", **more: Any) -> Row:
    message = {"role": role, "content": content, **more.pop("message", {})}
    return {"type": role, "uuid": uuid, "parentUuid": parent, "message": message, **more}


def use(id: str) -> Row:
    return {"type": "tool_use", "id": id, "name": "f", "input": {}}


def result(id: str) -> Row:
    return {"type": "tool_result", "tool_use_id": id, "content": f"did {id}"}


def source(*rows: Row) -> Source:
    return Source.of_text("".join(f"{json.dumps(row)}\n" for row in rows))


def read(*rows: Row) -> Conversation:
    return load(source(*rows), "claude-code").conversation


def texts(conversation: Conversation) -> list[str]:
    return [message.text for message in conversation.visible]


def test_a_session_becomes_a_conversation_and_one_for_its_sub_agent() -> None:
    main, side = (one.conversation for one in load_all(Source.of_path(SESSION)))
    assert main.meta["title"] == "Counting the sheets of two catalogues"
    assert side.meta["title"] == "sub-agent: Sort the sheets by place."
    assert [message.role for message in side.visible] == ["user", "assistant", "tool", "assistant"]
    assert [(batch.parent, batch.description) for batch in main.batches[1:]] == [
        (0, "branch 1 of 2"),
        (0, "branch 2 of 2"),
        (2, "compaction"),
    ]
    assert texts(main)[1:] == ["And which is the oldest?", "Gand, of 1786."]
    assert main.log[0].timestamp == 1_759_482_001_120
    assert main.log[0].id == "u1"
    assert [finding.rule for finding in side.lint("anthropic") if finding.severity == "error"] == []


def test_lines_that_share_an_id_are_one_message_and_its_results_follow_it() -> None:
    main = load(Source.of_path(SESSION)).conversation
    before = main.at(main.newest(main.batches[0])).visible
    assert [message.role for message in before] == [
        "user",
        "assistant",
        "tool",
        "tool",
        "assistant",
    ]
    assert [part.type for part in before[1].parts] == ["thinking", "text", "tool_use", "tool_use"]
    assert [message.results for message in before[2:4]] == [("t1",), ("t2",)]


def test_an_answer_may_go_on_after_its_first_result() -> None:
    shared = {"message": {"id": "m"}}
    rows = [
        line("u", None, "go"),
        line("a1", "u", [use("1")], "assistant", **shared),
        line("r1", "a1", [result("1")]),
        line("a2", "r1", [use("2")], "assistant", **shared),
        line("r2", "a2", [result("2")]),
        line("b", "r1", "done", "assistant"),
    ]
    found = read(*rows)
    assert [message.role for message in found.visible] == [
        *("user", "assistant", "tool", "tool", "assistant")
    ]
    assert [one for one in found.lint() if one.severity == "error"] == []
    assert CLAUDE_CODE.write(found).data == rows


def test_a_call_that_is_answered_twice_is_a_fork() -> None:
    rows = [
        line("a", None, [use("1")], "assistant"),
        line("r1", "a", [result("1")]),
        line("r2", "a", [result("1")]),
    ]
    found = read(*rows)
    assert len(found.visible) == 2
    assert len(found.batches) == 3
    assert CLAUDE_CODE.write(found).data == rows


def test_a_transcript_that_went_on_keeps_its_lines() -> None:
    given = [value for _, value in Source.of_path(SESSION).records()]
    main = load(Source.of_path(SESSION)).conversation
    main.append(said("user", "Thanks."))
    written = CLAUDE_CODE.write(main)
    assert [row for row in given if not row.get("isSidechain")] == [
        row for row in written.data if row.get("message") != said("user", "Thanks.")
    ]
    (added,) = (row for row in written.data if row.get("message") == said("user", "Thanks."))
    assert (added["type"], added["parentUuid"]) == ("user", "a9")
    again = next(CLAUDE_CODE.read(source(*written.data))).conversation
    assert projected(again) == projected(main)


def test_what_was_hidden_is_not_written_and_told() -> None:
    main = load(Source.of_path(SESSION)).conversation
    main.execute({"operation": "ROLLBACK", "targetBatchIndex": 0})
    main.execute({"operation": "DELETE", "indices": [0]})
    written = CLAUDE_CODE.write(main)
    assert sentences(written.warnings)[0].startswith("hidden messages are left out (")
    again = load(source(*written.data)).conversation
    assert projected(again) == projected(main)
    rows = [row for row in written.data if "uuid" in row]
    assert [row["parentUuid"] for row in rows[1:]] == [row["uuid"] for row in rows[:-1]]
    assert rows[0]["parentUuid"] is None


def test_changed_messages_are_written_as_they_are_now() -> None:
    main = load(
        source(line("a", None, "secret"), line("b", "a", [use("1")], "assistant"))
    ).conversation
    main.execute({"operation": "REDACT", "indices": [0], "text": "gone"})
    assert CLAUDE_CODE.write(main).data[0]["message"]["content"] == "gone"


def test_in_a_file_without_parents_each_line_follows_the_one_before() -> None:
    found = load(Source.of_path(FOLDER / "claude-code" / "flat.jsonl")).conversation
    assert [message.role for message in found.visible] == ["user", "assistant", "assistant"]
    assert len(found.batches) == 1


def test_a_web_export_is_one_document_with_a_batch_for_its_compaction() -> None:
    (found,) = load_all(Source.of_path(FOLDER / "claude-code" / "web.json"))
    assert found.layout is Layout.DOCUMENT
    assert [batch.description for batch in found.conversation.batches[1:]] == ["compaction"]
    assert texts(found.conversation) == ["A legend was added.", "", "Thanks."]


def test_two_sessions_in_one_file_are_two_conversations_and_go_back_there() -> None:
    rows = [line("a", None, "x", sessionId="1"), line("b", None, "y", sessionId="2")]
    rows.append(line("c", "a", "z", "assistant", sessionId="1"))
    found = [one.conversation for one in load_all(source(*rows))]
    assert [texts(one) for one in found] == [["x", "z"], ["y"]]
    text = "".join(CLAUDE_CODE.write_all(found, Layout.ITEMS, WarningCollector()))
    assert [value for _, value in Source.of_text(text).records()] == rows


def test_parents_may_come_later_and_lead_in_a_circle() -> None:
    rows = [line("b", "a", "second", "assistant"), line("a", None, "first")]
    assert texts(read(*rows)) == ["first", "second"]
    around = [
        {"type": "progress", "uuid": "p", "parentUuid": "q"},
        {"type": "progress", "uuid": "q", "parentUuid": "p"},
        line("a", "q", "x"),
    ]
    assert texts(read(*around)) == ["x"]


def test_what_a_transcript_has_no_place_for_is_told() -> None:
    tools = {"tools": [{"name": "f"}], "title": "t"}
    made = Conversation([said("system", "a"), said("user", "b", timestamp=1_000)], meta=tools)
    written = CLAUDE_CODE.write(made)
    assert [row["timestamp"] for row in written.data] == ["1970-01-01T00:00:01.000Z"]
    assert sentences(written.warnings) == (
        "fields of the conversation are left out: tools, title",
        "system messages are left out (message 0)",
    )


@given(conversations())
def test_any_conversation_is_written_in_a_way_that_can_be_read(conversation: Conversation) -> None:
    rows: list[Row] = read_json(dump_json(CLAUDE_CODE.write(conversation).data))  # type: ignore[assignment]
    if rows:
        again = load(source(*rows), "claude-code").conversation
        said_by_people = [one for one in conversation.visible if one.role != "system"]
        assert len(again.visible) == len(said_by_people)


@given(beginnings)
def test_what_is_not_reported_is_held(messages: list[Any]) -> None:
    conversation = Conversation(messages)
    written = CLAUDE_CODE.write(conversation)
    if written.data and not sentences(written.warnings):
        assert projected(load(source(*written.data), "claude-code").conversation) == projected(
            conversation
        )


@st.composite
def transcripts(draw: st.DrawFn) -> list[Row]:
    """Return lines that follow each other in any way, some of one answer, some side by side."""
    rows: list[Row] = []
    for i in range(draw(st.integers(1, 9))):
        names = [row["uuid"] for row in rows] or [None]
        kind = draw(st.sampled_from(["user", "call", "result", "system", "boundary"]))
        parent = draw(st.sampled_from([names[-1], None, *names, "nobody"]))
        id = draw(st.sampled_from(["1", "2"]))
        more: Row = {"isSidechain": True} if draw(st.integers(0, 5)) == 5 else {}
        match kind:
            case "user":
                row = line(f"n{i}", parent, draw(st.sampled_from(["x", "", None, []])), **more)
            case "call":
                row = line(f"n{i}", parent, [use(id)], "assistant", message={"id": id}, **more)
            case "result":
                row = line(f"n{i}", parent, [result(id)], **more)
            case _:
                row = {"type": "system", "uuid": f"n{i}", "parentUuid": parent, **more}
                row |= {"subtype": "compact_boundary"} if kind == "boundary" else {}
        rows.append(row)
    return rows


@given(transcripts())
def test_any_transcript_comes_back_line_by_line(rows: list[Row]) -> None:
    if not any("message" in row for row in rows):
        return
    found = [one.conversation for one in load_all(source(*rows), "claude-code")]
    assert all(one.check() == [] for one in found)
    told = WarningCollector()
    text = "".join(CLAUDE_CODE.write_all(found, Layout.ITEMS, told))
    assert [value for _, value in Source.of_text(text).records()] == rows
    assert sentences(told.found()) == ()
