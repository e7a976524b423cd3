"""Calls and results of ChatGPT's export: which result answers which call.

There a result follows its call and names none, and the id of a call is the key of its node. What
that can't tell, as for calls that were made at once elsewhere, is said in a message's metadata.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..notes import inner
from ..roles import core_role
from .messages import ID, is_call, own_id

Row = dict[str, Any]


def answered(mapping: Mapping[str, Any], parents: Mapping[str, str | None]) -> dict[str, str]:
    """Return the id of the call that each node makes or, as a tool's, answers.

    A result that names none answers the call it follows, with nothing but results and nodes
    without a message between.
    """
    after: dict[str, str | None] = {}
    found: dict[str, str] = {}
    for start in mapping:
        chain: list[str] = []
        key: str | None = start
        while key is not None and key not in after and key in mapping:
            after[key] = None
            chain.append(key)
            key = parents.get(key)
        for key in reversed(chain):
            parent = parents.get(key)
            call = after.get(parent) if parent is not None else None
            row = _message(mapping[key])
            if row is not None and is_call(row):
                call = found[key] = own_id(row) or key
            elif row is not None:
                is_tool = core_role(str(inner(row, "author").get("role"))) == "tool"
                call = call if is_tool else None
                id = own_id(row) or call
                if is_tool and id is not None:
                    found[key] = id
            after[key] = call
    return found


def put_ids(
    mapping: Mapping[str, Any], parents: Mapping[str, str | None], wanted: Mapping[str, str]
) -> None:
    """Let the nodes that would be read as another call's say which one they make or answer."""
    for makes_calls in (True, False):
        read = answered(mapping, parents)
        for key, id in wanted.items():
            row = _message(mapping[key])
            if row is not None and is_call(row) == makes_calls and read.get(key) != id:
                row["metadata"] = {**inner(row, "metadata"), ID: id}


def _message(node: object) -> Any:
    row = node.get("message") if isinstance(node, Mapping) else None
    return row if isinstance(row, Mapping) else None
