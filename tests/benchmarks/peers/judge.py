"""The judge of cuts: does what is left have a tool result without its call, or the reverse?

Two judges that share no code: lint with the profile ``openai``, and ten plain lines.
"""

from __future__ import annotations

from collections.abc import Sequence

from ctxtui.core.formats import load
from tests.benchmarks.peers.rows import Row

PAIRING = ("G1", "G2", "G3", "G4")


def is_broken(rows: Sequence[Row]) -> bool:
    """Tell whether a call and its result were parted, by reading the rows one after the other."""
    waiting: set[str] = set()
    for row in rows:
        if row["role"] == "tool":
            if row["tool_call_id"] not in waiting:
                return True
            waiting.remove(row["tool_call_id"])
        elif waiting:
            return True
        else:
            waiting = {call["id"] for call in row.get("tool_calls") or ()}
    return bool(waiting)


def lint_objects(rows: Sequence[Row]) -> bool:
    """Tell whether lint finds parted calls and results, at whatever severity."""
    if not rows:
        return False
    found = load(list(rows), "openai").conversation.lint("openai")
    return any(one.rule in PAIRING for one in found)
