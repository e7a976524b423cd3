"""A program that uses the engine passes mypy --strict, without any plugin of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from ctxtui.core.engine.operations import ALL

ROOT = Path(__file__).parents[2]
PROGRAM = """
from ctxtui.core import *
from ctxtui.core import Conversation, Message, Refused, Result, Truncate

MESSAGE = {"role": "user", "content": "hi"}
READY = Message("user", "hi")

OPERATIONS = [
    Append(messages=[MESSAGE, READY]),
    Append(messages=(READY,)),
    Insert(position=0, messages=[MESSAGE], description="first"),
    Replace(index=0, message=MESSAGE),
    Replace(indices=[1, 2], messages=[READY]),
    Truncate(keep_last=5, role="user", keep_others=True, keep_roles=["tool"], keep_marks=["a"]),
    Truncate(range={"start": 0, "end": 2}, keep_pairs="drop"),
    Clear(keep_system_message=False),
    Filter(roles=["user"], content_contains=["x"], marks=["a"], ignore_case=True),
    Select(indices=[2, 0]),
    Delete(indices=range(3)),
    Delete(select={"roles": ["tool"], "positions": {"start": 1}, "exceptLast": 2}),
    Compress(indices=[1], summary=MESSAGE, keep_pairs=True),
    Compress(indices=(1, 2), summary=[READY]),
    Redact(select={"marks": ["a"]}, text="-"),
    Repair(policy="stub"),
    BatchStart(boundary=1, initial_tools=True),
    Rollback(target_batch_index=0),
    BatchEnd(targetBatchIndex=0),
    Checkout(batch=0),
    Toggle(skip=[1]),
    Undo(),
    Redo(),
    Mark(indices=[1], label="a"),
    Unmark(select={"roles": ["user"]}, label="a"),
    Describe(batch=0, text="start"),
    Configure(token_limit=None, compression_config={"enabled": False}, profile="openai"),
]

def use(c: Conversation) -> Result:
    c.append("user", "hi", id="a", timestamp=1, metadata={"n": 1})
    c.append(READY)
    c.append(MESSAGE)
    c.append("user")  # type: ignore[call-overload]
    c.append(READY, "hi")  # type: ignore[call-overload]
    messages: tuple[Message, ...] = Append(messages=[MESSAGE]).messages
    past = c.at(0)
    indices: list[int] = past.query.recent(2) + list(past.view)
    again: Conversation = Conversation.from_dict(c.to_dict())
    try:
        again.preview([Truncate(keep_last=1), {"operation": "UNDO"}])
    except Refused as refused:
        print(refused.field, messages, indices)
    result = c.execute({"operation": "CLEAR"})
    return result if result.changed else c.execute([Clear()])

use(Conversation([MESSAGE, READY], {"tokenLimit": 5}, meta={"title": "t"}))
"""


def test_a_program_that_uses_every_operation_passes_mypy_strict(tmp_path: Path) -> None:
    assert all(f"{name}(" in PROGRAM for name in ("BatchEnd", *(one.__name__ for one in ALL)))
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    # From the sources: an installation for development has a copy of core, which may be older.
    config = "[mypy]\n[mypy-ctxtui.*]\nfollow_imports = silent\n"
    (tmp_path / "mypy.ini").write_text(config, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--cache-dir", tmp_path / "cache", program],
        cwd=tmp_path,
        env={**os.environ, "MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("Success: no issues found in 1 source file\n", 0)
