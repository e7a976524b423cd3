"""The rows that every library is given: plain OpenAI chat messages, made up and repeatable."""

from __future__ import annotations

import json
from typing import Any, Literal

Row = dict[str, Any]
Kind = Literal["plain", "tools"]
PARALLEL = 3
"""Calls of one message in the conversation whose cuts are judged."""


def rows_of(kind: Kind, size: int) -> list[Row]:
    """Return so many rows of a kind."""
    return plain_rows(size) if kind == "plain" else tool_rows(size)


def plain_rows(size: int) -> list[Row]:
    """Return questions and answers of one text each."""
    return [
        {
            "role": "assistant" if i % 2 else "user",
            "content": f"message {i} says a few plain words, and then some more of them",
        }
        for i in range(size)
    ]


def tool_rows(size: int, parallel: int = 2) -> list[Row]:
    """Return turns of an agent: a question, calls side by side, their results, an answer."""
    made: list[Row] = []
    turn = 0
    while len(made) < size:
        calls = [_call(turn, i) for i in range(parallel)]
        made.append({"role": "user", "content": f"Question {turn}: why does the upload fail?"})
        made.append({"role": "assistant", "content": None, "tool_calls": calls})
        made += [_result(call["id"], turn) for call in calls]
        made.append({"role": "assistant", "content": f"It fails in line {turn}: see the trace."})
        turn += 1
    return made[:size]


def judged_rows(turns: int = 20) -> list[Row]:
    """Return whole turns with parallel calls, more rows than the longest cut keeps."""
    return tool_rows(turns * (PARALLEL + 3), PARALLEL)


def fresh_text(number: int) -> str:
    """Return the text of a message that a change adds."""
    return f"something new, number {number}, which nobody has said before"


def _call(turn: int, number: int) -> Row:
    # Without spaces, as models write their arguments.
    arguments = json.dumps({"path": f"src/module_{turn}.py", "line": turn}, separators=(",", ":"))
    function = {"name": "read_file", "arguments": arguments}
    return {"id": f"call_{turn}_{number}", "type": "function", "function": function}


def _result(id: str, turn: int) -> Row:
    text = f"def upload_{turn}(path):\n    return open(path).read()"
    return {"role": "tool", "tool_call_id": id, "content": text}
