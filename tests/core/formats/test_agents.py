"""Transcripts of coding agents: what was sent last, what was hidden, and what requests cost."""

import json
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from ctxtui.core import Conversation
from ctxtui.core.curation.purging import squash_session
from ctxtui.core.engine.messages import DataPart
from ctxtui.core.formats import Source, format_named, load, load_all
from ctxtui.core.formats.folders import folder_source
from ctxtui.core.formats.warnings import sentences
from ctxtui.core.storage import Library
from tests.core.formats.vectors import FOLDER
from tests.core.samples import refusal
from tests.storage.samples import numbered, ticking


def read(name: str) -> list[Conversation]:
    return [one.conversation for one in load_all(Source.of_path(FOLDER / name))]


def words(talk: Conversation) -> list[str]:
    """Return what is visible, in short: the role, and the text or what else is said."""
    return [
        f"{one.role}: {one.text or ', '.join(part.type for part in one.parts)}"
        for one in talk.visible
    ]


def lines(*rows: Any) -> Source:
    return Source.of_text("".join(f"{json.dumps(row)}\n" for row in rows))


VISIBLE: dict[str, list[str]] = {
    "pi/session.jsonl": [
        "user: The conversation history before this point was compacted into the following "
        "summary:\n\n<summary>\nThe harbour is on sheet 12, drawn in green.\n</summary>",
        "user: Draw it in green instead.",
        "assistant: It is drawn in green now.",
        "user: And what is on sheet 13?",
        "assistant: Sheet 13 shows the old town.",
        "user: Ran `ls sheets`\n```\nsheet-12.svg\nsheet-13.svg\n```",
    ],
    "gemini-cli/session.jsonl": [
        "user: <state_snapshot>The harbour is on sheet 12, in green.</state_snapshot>",
        "user: Draw it in green instead.",
        "assistant: It is drawn in green now.",
        "user: Thank you very much for that.",
    ],
    "gemini-cli/session.json": [
        "user: Which sheets show the harbour?",
        "assistant: I will read the catalogue of sheets.",
        "tool: tool_result",
        "assistant: Sheet 12 shows the harbour.",
    ],
    "qwen-code/session.jsonl": [
        "user: The harbour is on sheet 12; it is to be green.",
        "assistant: Got it. Thanks for the additional context!",
        "user: Please go on with that.",
        "assistant: It is drawn in green now.",
    ],
    "opencode/export.json": [
        "user: What did we do so far?",
        "assistant: The harbour is on sheet 12, the old town on sheet 13.",
        "user: Thank you very much for that.",
    ],
    "cline/roo.json": [
        "user: The harbour is on sheet 12; all sheets are in the catalogue.",
        "user: Draw it in blue, please.",
        "user: Earlier messages were left out here.",
        "assistant: It is drawn in green now.",
    ],
    "copilot/events.jsonl": [
        "system: You draw maps for the harbour.",
        "user: The sheets that show the harbour were looked for.",
        "assistant: Sheet 12 shows the harbour.",
        "assistant: tool_use",
        "tool: tool_result",
    ],
    "goose/session.jsonl": [
        "user: The harbour is on sheet 12 of the catalogue.",
        "assistant: tool_use",
        "tool: tool_result",
        "assistant: Sheet 12 shows the harbour.",
    ],
    "aider/history.md": ["user: And the old town?", "assistant: It is on sheet 13."],
    "openhands/events.jsonl": [
        "system: You draw maps for the harbour.\n\nThe folder is called maps.",
        "user: Which sheets show the harbour?",
        "user: The catalogue says that sheet 12 shows the harbour.",
        "assistant: Sheet 12 shows the harbour.",
    ],
    "openhands/older.json": [
        "user: Which sheets show the harbour?",
        "user: The folder holds the catalogue.",
        "assistant: There is only a catalogue.",
    ],
    "strands/session.json": [
        "user: The catalogue says that sheet 12 shows the harbour.",
        "assistant: Sheet 12 shows the harbour.",
        "user: Draw it in blue, please.",
    ],
    "atif/trajectory.json": [
        "system: You draw maps for the harbour.",
        "system: The context was compacted.",
        "user: The harbour is on sheet 12 of the catalogue. Draw it.",
        "assistant: ",
        "tool: tool_result",
    ],
}


@pytest.mark.parametrize("name", VISIBLE)
def test_after_a_compaction_what_was_sent_next_is_visible_and_the_rest_hidden(name: str) -> None:
    talk = read(name)[0]
    said = [line.removesuffix("text") if line.endswith(": text") else line for line in words(talk)]
    assert said == VISIBLE[name]
    if not name.startswith("atif"):  # Whose last step observes what no call asked for.
        assert [one for one in talk.lint() if one.severity == "error"] == []


BATCHES: dict[str, list[str]] = {
    "pi/session.jsonl": ["branch 1 of 2", "branch 2 of 2", "compaction"],
    "gemini-cli/session.jsonl": ["branch 1 of 2", "branch 2 of 2", "compression"],
    "qwen-code/session.jsonl": ["branch 1 of 2", "branch 2 of 2", "compression"],
    "opencode/export.json": ["pruning", "compaction"],
    "cline/roo.json": ["condense", "truncation"],
    "copilot/events.jsonl": [
        "truncation of 1 messages, by their number",
        "compaction of 3 messages, by their number",
    ],
    "goose/session.jsonl": ["compaction"],
    "strands/session.json": ["SummarizingConversationManager"],
    "aider/history.md": ["/clear"],
    "openhands/events.jsonl": ["condensation"],
    "atif/trajectory.json": ["compaction"],
    "cline/session.json": [],
    "pi/straight.jsonl": [],
}


@pytest.mark.parametrize("name", BATCHES)
def test_branches_and_compactions_are_batches(name: str) -> None:
    talk = read(name)[0]
    assert [batch.description for batch in talk.batches[1:]] == BATCHES[name]


USAGE: dict[str, list[tuple[int | None, ...]]] = {
    "pi/session.jsonl": [(155 + n + 0, 50, 5, 10 + n) for n in (1, 2, 3, 4, 5)],
    "gemini-cli/session.jsonl": [
        (900, 400, None, 12),
        (950, 400, None, 8),
        (980, 400, None, 7),
        (990, 400, None, 7),
    ],
    "qwen-code/session.jsonl": [(900, 300, None, 12)] * 4,
    "opencode/export.json": [(146, 40, 6, 12)] * 4,
    "cline/session.json": [(900, 400, 0, 12)],
    "copilot/events.jsonl": [(None, None, None, 12), (None, None, None, 7)],
    "aider/history.md": [(2_100, None, None, 345), (1_204, 1_000, None, 12)],
    "openhands/events.jsonl": [(900, 300, 0, 12), (1_100, 600, 0, 18)],
    "atif/trajectory.json": [(900, 300, None, 12), (950, None, None, 8)],
    "goose/session.jsonl": [],
}


@pytest.mark.parametrize("name", USAGE)
def test_what_each_request_cost_is_a_call_with_all_that_went_in(name: str) -> None:
    talk = read(name)[0]
    usages = [call.usage for call in talk.calls.all if call.usage is not None]
    assert [(one.input, one.cached, one.written, one.output) for one in usages] == USAGE[name]
    answers = {
        raw
        for call in talk.calls.all
        for raw in [len(talk.at(talk.revisions[call.revision]).view)]
        if raw >= 0
    }
    assert answers or not usages


def test_a_call_is_recorded_where_its_answer_comes_next() -> None:
    talk = read("pi/straight.jsonl")[0]
    (call,) = talk.calls.all
    before = talk.at(talk.revisions[call.revision])
    assert [one.text for one in before.visible] == ["How many sheets are there?"]
    assert call.model == "maps-1"


def test_results_that_were_cleared_later_are_so_from_then_on() -> None:
    talk = read("opencode/export.json")[0]
    pruned = talk.at(talk.newest(talk.batches[1])).visible
    assert pruned[2].parts[0].content == "[Old tool result content cleared]"  # type: ignore[union-attr]
    assert talk.log[2].parts[0].content.startswith("sheet 12")  # type: ignore[union-attr]
    failed = next(one for one in talk.log if "c2" in one.results)
    assert failed.parts[0].is_error is True  # type: ignore[union-attr]


def test_sub_agents_are_conversations_of_their_own() -> None:
    main, counter = read("copilot/events.jsonl")
    assert counter.meta["title"] == "sub-agent: counter"
    assert words(counter) == ["assistant: There are forty-two sheets in it."]
    main, counter = read("atif/sub-agents.json")
    assert counter.meta["title"] == "sub-agent: counter"
    assert main.marks == {"mask": main.marks["mask"]}
    assert list(main.marks["mask"]) == [0]


def test_labels_and_titles_of_a_session_are_kept() -> None:
    talk = read("pi/session.jsonl")[0]
    assert talk.meta["title"] == "Sheets of the harbour"
    assert [talk.log[raw].text for raw in talk.marks["good"]] == ["It is drawn in green now."]
    assert read("qwen-code/session.jsonl")[0].meta["title"] == "Sheets of the harbour"


def test_pieces_of_one_message_are_one_and_so_are_the_calls_of_one_answer() -> None:
    qwen = read("qwen-code/session.jsonl")[0]
    assert [part.type for part in qwen.log[1].parts] == ["thinking", "text", "tool_use"]
    hands = read("openhands/events.jsonl")[0]
    assert [part.type for part in hands.log[2].parts] == [
        *("thinking", "text", "tool_use", "tool_use")
    ]


def test_a_history_that_only_restates_adds_nothing_and_what_it_adds_is_added() -> None:
    head = {"sessionId": "g", "projectHash": "h"}
    first = {"id": "a", "type": "user", "content": [{"text": "Which sheets show it?"}]}
    second = {"id": "b", "type": "user", "content": [{"text": "And which show the town?"}]}
    again = [{**first, "id": "c"}, second]
    talk = load(lines(head, first, {"$set": {"messages": again}})).conversation
    assert words(talk) == ["user: Which sheets show it?", "user: And which show the town?"]
    assert len(talk.batches) == 1


def test_roo_shows_messages_again_whose_summary_is_gone() -> None:
    rows = [
        {"role": "user", "content": "Which sheets show it?", "ts": 1, "condenseParent": "gone"},
        {"role": "assistant", "content": "Sheet 12.", "ts": 2, "truncationParent": "gone"},
    ]
    talk = load(rows).conversation
    assert (words(talk), len(talk.batches)) == (
        ["user: Which sheets show it?", "assistant: Sheet 12."],
        1,
    )


def test_pi_keeps_nothing_where_the_first_kept_line_is_unknown() -> None:
    header = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/maps"}
    said = {"role": "user", "content": "Which sheets show it?"}
    rows: list[dict[str, Any]] = [
        {"type": "message", "id": "a", "parentId": None, "message": said},
        {"type": "compaction", "id": "b", "parentId": "a", "summary": "x", "firstKeptEntryId": "z"},
    ]
    talk = load(lines(header, *rows)).conversation
    assert len(talk.view) == 1
    rows[1]["firstKeptEntryId"] = "a"
    talk = load(lines(header, *rows)).conversation
    assert [one.text[-5:] for one in talk.visible] == ["mary>", "w it?"]


LINE: dict[str, Any] = {"isSidechain": False, "sessionId": "s", "timestamp": "2026-03-01T08:00:00Z"}


def claude(uuid: str, parent: str | None, role: str, text: str, **more: Any) -> dict[str, Any]:
    body = {"role": role, "content": text, **more.pop("message", {})}
    return {**LINE, "type": role, "uuid": uuid, "parentUuid": parent, "message": body, **more}


PAID = {"input_tokens": 20, "cache_read_input_tokens": 500, "cache_creation_input_tokens": 80}
COMPACTED = [
    claude("a", None, "user", "Which sheets show the harbour?"),
    {
        **LINE,
        "type": "attachment",
        "uuid": "b",
        "parentUuid": "a",
        "attachment": {"type": "skill_listing", "content": "- draw: draws a sheet"},
    },
    {
        **LINE,
        "type": "attachment",
        "uuid": "h",
        "parentUuid": "b",
        "attachment": {"type": "hook_x"},
    },
    *[
        claude(
            uuid,
            parent,
            "assistant",
            text,
            message={"id": "m1", "model": "m", "usage": {**PAID, "output_tokens": 9}},
        )
        for uuid, parent, text in (("c", "h", "Sheet 12"), ("d", "c", "Sheet 12 shows it."))
    ],
    {
        **LINE,
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "e",
        "parentUuid": None,
        "logicalParentUuid": "d",
        "compactMetadata": {"preservedMessages": {"anchorUuid": "f", "uuids": ["d"]}},
    },
    claude("f", "e", "user", "A summary of what was said.", isCompactSummary=True),
    claude("g", "f", "user", "Go on, please."),
]


def test_claude_code_keeps_the_preserved_messages_behind_the_summary() -> None:
    talk = load(lines(*COMPACTED)).conversation
    assert words(talk) == [
        "user: A summary of what was said.",
        "assistant: Sheet 12 shows it.",
        "user: Go on, please.",
    ]
    assert [batch.description for batch in talk.batches[1:]] == ["compaction"]
    written = format_named("claude-code").write(talk)
    assert (written.data, sentences(written.warnings)) == (COMPACTED, ())


def test_claude_code_attachments_are_system_messages_of_data_but_those_of_hooks_are_not() -> None:
    talk = load(lines(*COMPACTED)).conversation
    assert [one.role for one in talk.log[:2]] == ["user", "system"]
    (part,) = talk.log[1].parts
    assert isinstance(part, DataPart)
    assert part.data["type"] == "skill_listing"
    assert "draw" in talk.log[1].search_text


def test_claude_code_counts_the_usage_of_one_answer_once() -> None:
    talk = load(lines(*COMPACTED)).conversation
    (call,) = talk.calls.all
    assert call.usage is not None
    assert call.usage.to_dict() == {"input": 600, "cached": 500, "written": 80, "output": 9}
    assert call.model == "m"


def rollout(type: str, payload: dict[str, Any]) -> dict[str, Any]:
    return {"timestamp": "2026-03-01T08:00:00.000Z", "type": type, "payload": payload}


def spoken(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


ROLLOUT = [
    rollout("session_meta", {"id": "r", "base_instructions": {"text": "You draw maps."}}),
    rollout("turn_context", {"model": "maps-1"}),
    rollout("response_item", spoken("user", "Which sheets show the harbour?")),
    rollout("response_item", {"type": "web_search_call", "id": "w", "action": {"query": "sheets"}}),
    rollout(
        "token_usage_record",
        {"response_id": "x", "usage": {"input_tokens": 90, "cached_input_tokens": 30}},
    ),
    rollout(
        "response_item", {"type": "agent_message", "content": [{"text": "Sheet 12, I think."}]}
    ),
    rollout("response_item", spoken("assistant", "Sheet 12 shows it.")),
    rollout(
        "event_msg",
        {
            "type": "token_count",
            "info": {"total_token_usage": {"n": 1}, "last_token_usage": {"input_tokens": 7}},
        },
    ),
]


def test_codex_begins_with_its_instructions_and_every_call_is_one() -> None:
    talk = load(lines(*ROLLOUT)).conversation
    assert words(talk)[:2] == ["system: You draw maps.", "user: Which sheets show the harbour?"]
    assert [[part.type for part in one.parts] for one in talk.log[2:]] == [
        ["tool_use"],
        ["text", "text"],
    ]
    assert "Sheet 12, I think." in talk.log[3].text
    written = format_named("codex").write(talk)
    assert (written.data, sentences(written.warnings)) == (ROLLOUT, ())


def test_codex_counts_records_of_usage_and_events_only_where_there_are_none() -> None:
    talk = load(lines(*ROLLOUT)).conversation
    assert [call.usage and call.usage.input for call in talk.calls.all] == [90]
    events = [row for row in ROLLOUT if row["type"] != "token_usage_record"]
    talk = load(lines(*events, events[-1])).conversation
    assert [call.usage and call.usage.input for call in talk.calls.all] == [7]


def test_codex_rollouts_of_2025_have_their_items_in_the_lines() -> None:
    head = {"id": "r", "timestamp": "2025-05-01T08:00:00Z", "instructions": "You draw maps."}
    rows = [head, {"record_type": "state"}, spoken("user", "Which sheets?")]
    talk = load(lines(*rows)).conversation
    assert words(talk) == ["system: You draw maps.", "user: Which sheets?"]
    assert format_named("codex").write(talk).data == rows
    assert "without the line that it begins with" in str(
        refusal(lambda: load(lines({"timestamp": "t", "type": "tool_call"}, rows[2])))
    )


def test_what_is_written_as_atif_can_be_read_again() -> None:
    talk = read("pi/session.jsonl")[0]
    written = format_named("atif").write(talk)
    again = load(written.data).conversation
    assert [(one.role, one.text) for one in again.visible] == [
        (one.role, one.text) for one in talk.visible
    ]
    assert "hidden messages are left out (6)" in sentences(written.warnings)


def test_an_edited_message_of_a_trajectory_keeps_nothing_of_what_it_said() -> None:
    talk = read("atif/trajectory.json")[0]
    talk.execute({"operation": "REDACT", "indices": list(talk.view), "text": "gone"})
    text = format_named("atif").write(talk).text
    assert "drawn in blue" not in text
    assert text.count("gone") == 5


def test_the_sub_agents_of_a_session_are_read_with_it_from_the_folder_next_to_it(
    tmp_path: Path,
) -> None:
    main = tmp_path / "5f0c.jsonl"
    main.write_text(json.dumps(claude("a", None, "user", "Which sheets show it?")) + "\n")
    folder = tmp_path / "5f0c" / "subagents"
    folder.mkdir(parents=True)
    row = claude("s", None, "user", "Count them.", isSidechain=True, agentId="x1")
    (folder / "agent-x1.jsonl").write_text(json.dumps(row) + "\n")
    (folder / "agent-x1.meta.json").write_text('{"description": "counting", "toolUseId": "t"}')
    found = [one.conversation for one in load_all(Source.of_path(main))]
    assert [words(one) for one in found] == [["user: Which sheets show it?"], ["user: Count them."]]
    assert found[1].meta["title"] == "sub-agent: counting"


def opened(path: Path) -> BinaryIO:
    return path.open("rb")


def test_the_storage_folder_of_opencode_is_read_as_its_export(tmp_path: Path) -> None:
    export = json.loads((FOLDER / "opencode" / "export.json").read_text())
    for name in ("session/p", "message/ses_maps", "part"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "session/p/ses_maps.json").write_text(json.dumps(export["info"]))
    for one in export["messages"]:
        id = one["info"]["id"]
        (tmp_path / f"message/ses_maps/{id}.json").write_text(json.dumps(one["info"]))
        (tmp_path / "part" / id).mkdir()
        for part in one["parts"]:
            (tmp_path / "part" / id / f"{part['id']}.json").write_text(json.dumps(part))
    talk = load(folder_source(tmp_path, opened)).conversation
    assert words(talk) == VISIBLE["opencode/export.json"]


def test_a_folder_of_openhands_events_is_read_in_their_order(tmp_path: Path) -> None:
    text = (FOLDER / "openhands/events.jsonl").read_text()
    rows = [json.loads(line) for line in text.splitlines()]
    (tmp_path / "events").mkdir()
    for number, row in enumerate(rows):
        (tmp_path / f"events/event-{number * 3:05d}-o{number}.json").write_text(json.dumps(row))
    talk = load(folder_source(tmp_path, opened)).conversation
    assert words(talk) == VISIBLE["openhands/events.jsonl"]


def test_a_strands_session_is_read_from_its_folder(tmp_path: Path) -> None:
    whole = json.loads((FOLDER / "strands/session.json").read_text())
    (agent,) = whole.pop("agents")
    folder = tmp_path / "agents" / "agent_mapper"
    (folder / "messages").mkdir(parents=True)
    (tmp_path / "session.json").write_text(json.dumps(whole))
    (folder / "agent.json").write_text(json.dumps(agent["agent"]))
    for number, row in enumerate(agent["messages"]):
        (folder / "messages" / f"message_{number}.json").write_text(json.dumps(row))
    talk = load(folder_source(tmp_path, opened)).conversation
    assert words(talk) == VISIBLE["strands/session.json"]
    assert [call.usage and call.usage.input for call in talk.calls.all] == [90, 120]


def test_other_folders_are_refused(tmp_path: Path) -> None:
    assert "it is a folder" in str(refusal(lambda: folder_source(tmp_path, opened)))


def test_a_gemini_part_alone_is_read_as_a_list_of_one() -> None:
    header = {"sessionId": "s", "projectHash": "h"}
    row = {"id": "1", "type": "user", "content": {"text": "A part that is in no list."}}
    loaded = load(Source.of_items([header, row]))
    assert [message.text for message in loaded.conversation.log] == ["A part that is in no list."]


def test_a_purged_session_has_none_of_the_lines_that_repeat_what_was_hidden(tmp_path: Path) -> None:
    (loaded,) = load_all(Source.of_path(FOLDER / "gemini-cli/session.jsonl"))
    assert "Draw it in green instead." in str(loaded.conversation.meta)
    library = Library(tmp_path, clock=ticking(1000), ids=numbered())
    with library.create(loaded.conversation, title="a talk") as session:
        old = session.id
    made = squash_session(library, old, is_purging=True)
    with library.open(made.new, read_only=True) as session:
        assert "lines" not in session.conversation.meta.get("fields", {})


def test_codex_results_of_every_kind_are_results() -> None:
    found = rollout(
        "response_item", {"type": "tool_search_output", "call_id": "s", "tools": [{"name": "draw"}]}
    )
    talk = load(lines(*ROLLOUT, found)).conversation
    assert talk.log[-1].results == ("s",)
    assert "draw" in talk.log[-1].search_text
    assert format_named("codex").write(talk).data == [*ROLLOUT, found]


def test_system_prompts_of_the_file_are_sent_after_a_compaction_too() -> None:
    replaced = rollout(
        "compacted",
        {"message": "", "replacement_history": [spoken("user", "A summary."), spoken("user", "b")]},
    )
    last = rollout("response_item", spoken("user", "Go on."))
    talk = load(lines(*ROLLOUT, replaced, last)).conversation
    assert words(talk) == [
        *("system: You draw maps.", "user: A summary.", "user: b", "user: Go on.")
    ]
    assert [batch.description for batch in talk.batches[1:]] == ["compaction"]
    assert format_named("codex").write(talk).data == [*ROLLOUT, replaced, last]
    rows = [
        {"role": "user", "content": "Which sheets?", "ts": 1, "condenseParent": "k"},
        {"role": "user", "content": "A summary.", "ts": 2, "isSummary": True, "condenseId": "k"},
    ]
    session = {"version": 1, "sessionId": "s", "agent": "lead", "system_prompt": "You draw maps."}
    talk = load({**session, "messages": rows}).conversation
    assert words(talk) == ["system: You draw maps.", "user: A summary."]
