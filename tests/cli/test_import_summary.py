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
