"""The summary of an import of mixed files: read by format, refused by name."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run
from tests.core.samples import said

PAIR = {"prompt": "Which one?", "chosen": "Sheet 81.", "rejected": "Any of them."}


def test_a_folder_of_mixed_files_is_told_by_format_and_by_what_was_refused(
    run: Run, tmp_path: Path
) -> None:
    (tmp_path / "pairs.jsonl").write_text(f"{json.dumps(PAIR)}\n{json.dumps(PAIR)}\n")
    (tmp_path / "talk.json").write_text(json.dumps({"messages": [said("user", "hi")]}))
    (tmp_path / "table.csv").write_text("question,answer\nWhich one?,Sheet 81.\n")
    (tmp_path / "store.db").write_bytes(b"SQLite format 3\0" + bytes(100))
    (tmp_path / "notes.json").write_text(json.dumps({"colour": "red"}))
    told = run("import", str(tmp_path))
    assert told.code == 1
    assert told.err.splitlines()[-1] == (
        "ctxtui: 5 files: 4 sessions (2 trl, 1 prompt-completion, 1 openai) made, "
        "2 files not imported; refused: notes.json, store.db"
    )


def test_the_store_of_a_program_in_a_folder_is_imported_as_one(run: Run, tmp_path: Path) -> None:
    event = {"kind": "MessageEvent", "id": "a", "timestamp": "2026-01-01T00:00:00"}
    said_so = {"source": "user", "llm_message": said("user", [{"type": "text", "text": "hi"}])}
    records = {
        "opencode/session/p/ses_1.json": {"id": "ses_1", "projectID": "p", "directory": "/x"},
        "opencode/message/ses_1/msg_1.json": {"id": "msg_1", "sessionID": "ses_1", "role": "user"},
        "opencode/part/msg_1/prt_1.json": {"id": "prt_1", "type": "text", "text": "Hello."},
        "openhands/events/event-00000-a.json": event | said_so,
    }
    for name, record in records.items():
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(json.dumps(record))
    told = run("import", str(tmp_path))
    assert told.code == 0
    assert told.err.splitlines()[-1].startswith(
        "ctxtui: 2 files: 2 sessions (1 opencode, 1 openhands) made"
    )
    assert ", 2 in the library already" in run("import", str(tmp_path)).err
