"""What is legal in a field just now, in a few words: how many messages, which batches."""

from __future__ import annotations

from ctxtui.core.engine.operations import Operation
from ctxtui.core.values.models import ROLES
from ctxtui.forms.fields import FormField
from ctxtui.models.look import Look
from ctxtui.render.text.numbers import tokens
from ctxtui.words import plural

TUNED = (
    *("keepFirst", "keepLast", "removeFirst", "removeLast", "exceptLast", "start", "end"),
    *("maxTokens", "position", "boundary"),
)
"""Numbers of which the ones beside them are worth trying."""


def legal(operation: type[Operation], field: FormField, look: Look) -> str:
    """Return the range of a field where it has one, else what its help says."""
    size, name = len(look.view), field.path[-1]
    batches = len(look.conversation.path) - 1
    if name in ("keepFirst", "keepLast", "removeFirst", "removeLast", "exceptLast"):
        return f"0–{size:,} messages"
    if field.path[0] == "range" or "positions" in field.path:
        return f"positions 0–{size:,}"
    known = {
        "position": f"0–{size:,}",
        "index": f"0–{max(0, size - 1):,}",
        "maxTokens": f"now {tokens(look.total)}{_limit(look)}",
        "targetBatchIndex": f"0–{batches}",
        "boundary": f"raw 0–{look.log_size:,}",
        "batch": f"id 0–{len(look.conversation.batches) - 1}",
        "revision": f"id 0–{len(look.conversation.revisions) - 1}",
        "skip": "ids of revisions of this path",
        "tokenLimit": "tokens; empty: no limit",
        "threshold": "tokens",
        "targetTokens": "tokens",
        "keepSystem": _system(look),
        "keepSystemMessage": _system(look),
        "keepPairs": "tool calls",
        "keepRoles": "",
        "role": "",
        "roles": "",
        "profile": "",
        "keepOthers": "other roles",
        "ignoreCase": "capital and small letters alike",
        "enabled": "",
        "policy": "",
        "contentContains": "words, with commas between them",
        "contentExcludes": "words, with commas between them",
        "description": "what the new batch is called",
        "keepMarks": "labels, with commas between them",
    }
    if field.kind == "indices" and name == "indices":
        return "raw indices such as 3, 5–9"
    return known.get(name, field.help)


def _system(look: Look) -> str:
    """Return how many system messages are visible, and what they take."""
    count = look.view.column(look.state.log.roles).count(ROLES.index("system"))
    return f"{plural(count, 'message')}, {tokens(look.role_tokens['system'])} tokens"


def _limit(look: Look) -> str:
    limit = look.conversation.settings.token_limit
    return f", limit {tokens(limit)}" if limit else ""
