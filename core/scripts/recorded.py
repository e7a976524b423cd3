"""Scripts that are stored in the meta of the conversation they made."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.journal import Create
from ..engine.meta_fields import SCRIPT
from ..errors import Refused
from ..values.frozen import thaw
from . import Script


def keep_steps(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a script as JSON data whose conversation will remember its steps."""
    meta = data.get("meta") or {}
    if not isinstance(meta, Mapping):
        return dict(data)
    return {**data, "meta": {**meta, SCRIPT: data.get("steps")}}


def kept_script(conversation: Conversation) -> Script | None:
    """Return the script that a conversation was made by, if it remembers one."""
    given, create = conversation.meta.get(SCRIPT), conversation.journal[0].operations[0]
    if given is None or not isinstance(create, Create):
        return None
    start = {"messages": create.messages, "settings": create.settings}
    try:
        return Script.from_dict({**start, "steps": thaw(given)})
    except Refused:
        return None  # Somebody else's notes under the same name.
