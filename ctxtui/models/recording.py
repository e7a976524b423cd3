"""Recording batches of the path as a recipe: what to ask, and what to do with the answer."""

from __future__ import annotations

import re

from ctxtui.core import Conversation, Refused
from ctxtui.core.errors import format_value, out_of_range
from ctxtui.core.recipes import record_recipe
from ctxtui.files.recipes import save_recipe
from ctxtui.models.look import Look
from ctxtui.models.told import Told, done
from ctxtui.words import plural

_STRETCH = re.compile(r"(\d{1,9})\s*(?:[-–…]|\.\.+)\s*(\d{1,9})\s+(\S.*)", re.ASCII)


NOTHING_YET = "only batch 0: there is no operation to record yet"


def recording_hint(conversation: Conversation) -> str:
    """Return what an answer looks like."""
    last = conversation.batch.number
    if last == 0:
        return NOTHING_YET
    return f"batches of the path (1–{last}) and a name, such as 1-{last} window"


def recording_start(look: Look) -> str:
    """Return the batches that are most likely meant: from the one that is looked at to the last."""
    last = look.conversation.batch.number
    if last == 0:
        return ""
    first = min(last, max(1, look.batch.number if not look.is_live else 1))
    return f"{first}-{last} "


def record_batches(conversation: Conversation, text: str) -> Told:
    """Save the batches that ``2-5 name`` means as a recipe; return what to say about it."""
    found = _STRETCH.fullmatch(text.strip())
    last = conversation.batch.number
    if last == 0:
        raise Refused(NOTHING_YET, field="record")
    if found is None:
        legal = f"two batches of 1…{last} and a name, such as 1-{last} window"
        raise Refused(f"{format_value(text)} is not {legal}", field="record", legal=legal)
    start, end = int(found[1]), int(found[2])
    for number in (start, end):
        if not 1 <= number <= last:
            raise out_of_range("batch", number, f"1…{last}")
    opened = conversation.path[start].opened
    recipe = record_recipe(conversation, opened, conversation.on_path(end).id)
    path = save_recipe(found[3], recipe)
    return done(f"Recorded {plural(len(recipe), 'operation')}", f"In {path}.", ("w", "tries it"))
