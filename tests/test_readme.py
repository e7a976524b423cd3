"""The README is kept true: its code runs, its tables match the code."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core import Conversation
from core.operations import ALL
from core.scripts import Script
from core.storage import Library
from ctxtui.cli import COMMANDS
from ctxtui.commands import FORM, INSPECTING, LIBRARY, LISTS, Command

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[list[str]]:
    """Return the cells of the first table that begins with a heading."""
    start = README.index(f"| {heading} |")
    rows = README[start:].split("\n\n", 1)[0].splitlines()[2:]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]


def sample(**settings: Any) -> Conversation:
    """Return the conversation the method table speaks of."""
    roles = ("system", "user", "assistant", "user")
    c = Conversation(
        [{"role": r, "content": f"m{i}", "timestamp": i * 1000} for i, r in enumerate(roles)],
        settings,
    )
    c.execute({"operation": "MARK", "indices": [3], "label": "important"})
    return c


EXPECTED: dict[str, Callable[[Conversation, Any], bool]] = {
    "addMessage(m)": lambda c, r: c.visible[-1].text == "hi",
    "getMessages()": lambda c, r: [m.text for m in r] == ["m0", "m1", "m2", "m3"],
    "getAllMessages()": lambda c, r: len(r) == 4,
    "getMarkMap()": lambda c, r: r.batch_boundaries == [0] and r.current_batch == 0,
    "getCurrentBatchIndices()": lambda c, r: r == [0, 1, 2, 3],
    "getRecentMessages(n)": lambda c, r: [m.text for m in r] == ["m2", "m3"],
    "getMessagesByRange(start, end)": lambda c, r: [m.text for m in r] == ["m1", "m2"],
    "getMessagesByRole(role)": lambda c, r: [m.text for m in r] == ["m1", "m3"],
    "getIndicesByRole(role)": lambda c, r: r == [1, 3],
    "getRecentMessagesByRole(role, n)": lambda c, r: [m.text for m in r] == ["m3"],
    "getRecentMessagesByRoles(roles, n)": lambda c, r: [m.text for m in r] == ["m1", "m2", "m3"],
    "getMessagesByRoleRange(role, start, end)": lambda c, r: [m.text for m in r] == ["m2"],
    "getMessageCountByRole(role)": lambda c, r: r == 2,
    "getMessagesByRoleAndTimeRange(role, start, end)": lambda c, r: len(r) == 2,
    "getAllTypeIndices()": lambda c, r: r["user"] == [1, 3] and r["tool"] == [],
    "markMessage(index, label)": lambda c, r: c.marks == {"important": [1, 3]},
    "getMarkedMessagesByRole(role, label)": lambda c, r: [m.text for m in r] == ["m3"],
    "execute(operation)": lambda c, r: c.view == [2, 3] and r.created_batch,
    "handleBatchOperations(operations)": lambda c, r: c.view == [0, 1, 2, 3] and len(r.steps) == 2,
    "markCompressed(indices)": lambda c, r: c.view == [0, 2, 3],
    "setOriginalIndices(indices)": lambda c, r: c.view == [2, 0],
    "clearMessages(keepSystemMessage)": lambda c, r: c.view == [0],
    "startNewBatchWithInitialTools(boundary)": lambda c, r: c.view == [2, 3, 4],
    "startNewBatch(boundary)": lambda c, r: c.view == [2, 3] and c.batch.boundary == 2,
    "rollbackToBatch(batch)": lambda c, r: r.affected_batch_index == 0,
    "getState()": lambda c, r: r.total_message_count == 4 and len(r.batch_snapshots) == 1,
    "getStats()": lambda c, r: r.total_messages == 4,
    "getBatchSnapshot(batch)": lambda c, r: r.message_count == 4,
    "isModified(index)": lambda c, r: r is False,
    "checkConsistency()": lambda c, r: r is True,
    "checkTokenUsage()": lambda c, r: r == (),
    "cleanupCompressedMessages()": lambda c, r: len(r.log) == 4 and r is not c,
    "clone()": lambda c, r: r == c and r is not c,
    "reset()": lambda c, r: c.view == [] and len(c.log) == 4,
}


@pytest.mark.parametrize("row", table("their method"), ids=lambda row: row[0])
def test_each_method_of_the_source_documents_has_the_twin_the_table_names(row: list[str]) -> None:
    theirs, ours = re.findall(r"`([^`]+)`", row[0])[0], row[1].strip("`")
    c = sample(toolDescription="Available tools: none") if "Tools" in theirs else sample()
    outcome = eval(ours, {"c": c, "q": c.query})
    assert EXPECTED[theirs](c, outcome)


def test_messages_and_indices_of_a_role_are_asked_for_in_the_same_scope() -> None:
    ours = {name: row[1].strip("`") for row in table("their method") for name in row[0].split("`")}
    indices, messages = ours["getIndicesByRole(role)"], ours["getMessagesByRole(role)"]
    assert messages == f"c.messages({indices})"


def test_the_code_of_the_engine_in_a_minute_runs() -> None:
    code = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(code) == 1
    for block in code:
        exec(compile(block, "README.md", "exec"), {})


def test_the_operation_table_matches_the_models() -> None:
    rows = {name: (fields, opens) for name, fields, opens in table("operation")}
    assert list(rows) == [operation.title for operation in ALL]
    for operation in ALL:
        fields, opens = rows[operation.title]
        told = set(re.findall(r"\w+", fields)) - {"or", "and"}
        names = {field.alias or "" for field in operation.model_fields.values()}
        assert told == names - {"description", "skipHidden", "number"}, operation.title
        assert opens == ("yes" if operation.opens_batch else "no")


def test_the_command_table_matches_the_commands() -> None:
    told = [re.findall(r"`ctxtui (\w+)", row[0])[0] for row in table("command")]
    assert told == ["FILE", *(command.name for command in COMMANDS)]


def test_the_table_of_samples_names_every_file() -> None:
    told = {row[0].strip("`") for row in table("in `sample_sessions`")}
    folder = Path(__file__).parents[1] / "sample_sessions"
    assert told == {str(path.relative_to(folder)) for path in folder.rglob("*.json")}


def test_the_script_of_the_readme_passes() -> None:
    scripts = re.findall(r"```json\n(.*?)```", README, re.DOTALL)
    assert len(scripts) == 1
    script = Script.from_dict(json.loads(scripts[0]))
    assert [report.error for report in script.take(script.start())] == [None] * 5


@pytest.mark.parametrize(
    ("heading", "commands"),
    [("key", (*INSPECTING, *LISTS)), ("in a form", FORM), ("in the library", LIBRARY)],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_the_key_tables_match_the_bindings(heading: str, commands: tuple[Command, ...]) -> None:
    told = [key for row in table(heading) for key in re.findall(r"`([^`]+)`", row[0])]
    bound = {key for command in commands for key in command.shown_keys().split()}
    assert sorted(told) == sorted(bound)


def test_the_example_of_the_library_reads_a_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = (Path(__file__).parents[1] / "docs" / "library.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    with Library(tmp_path).create(sample(), title="an example") as session:
        pass
    exec(compile(code, "library.md", "exec"), {"path": tmp_path / f"{session.id}.json"})
    assert capsys.readouterr().out == "an example 4 2\n"
