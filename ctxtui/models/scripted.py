"""What is said of a conversation that a script has made, when it is opened."""

from __future__ import annotations

from ctxtui.core import Conversation
from ctxtui.core.scripts.recorded import KEY
from ctxtui.models.told import Told, note
from ctxtui.words import plural


def story_told(conversation: Conversation) -> Told | None:
    """Return where the steps of a script can be seen; nothing where there is no script."""
    steps = conversation.meta.get(KEY)
    if not isinstance(steps, list | tuple):
        return None
    about = conversation.meta.get("about")
    detail = f"{about} " if isinstance(about, str) else ""
    told = f"A script of {plural(len(steps), 'step')}"
    return note(told, f"{detail}The journal plays it, step by step.")
