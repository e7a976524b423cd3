"""Copying what an explorer shows; a large text goes to a file that the toast names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.clipboard import copy_text
from ctxtui.core.formats import dump_json
from ctxtui.render.message.content import content_text
from ctxtui.telling import tell

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer


def copy_message(explorer: Explorer) -> None:
    """Copy the message under the cursor."""
    raw = explorer.raw
    if raw is not None:
        text = content_text(explorer.look.state.log[raw])
        tell(explorer, copy_text(explorer.app, f"raw-{raw}", text))


def copy_projection(explorer: Explorer) -> None:
    """Copy everything visible as a list of messages."""
    look = explorer.look
    shown = [look.state.log[raw].to_dict() for raw in look.view]
    tell(explorer, copy_text(explorer.app, "projection", dump_json(shown)))
