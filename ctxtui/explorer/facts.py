"""What is so in an explorer right now, for the line of keys: only keys that can act are shown.

Everything here is known already or looked up in no time, whatever the length of the log: it is
asked for at every move of a cursor.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.core.engine.meta_fields import other_fields
from ctxtui.explorer.ways_out import way_out
from ctxtui.models.causes import helping
from ctxtui.models.look import Look, is_on_path
from ctxtui.words import plural

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer

Told = dict[str, str | bool]


def explorer_facts(explorer: Explorer) -> Told:
    """Return what can be done from where the explorer stands."""
    look, panes, found = explorer.look, explorer.panes, explorer.searching.found
    out = way_out(explorer)
    return {
        "message": explorer.raw is not None,
        "earlier": explorer.travelling.neighbour(-1) is not None,
        "later": explorer.travelling.neighbour(1) is not None,
        "batches": len(explorer.conversation.batches) > 1,
        "switchable": look.batch.operation is not None,
        "found": plural(len(found), "match", "matches") if found else False,
        "out": out is not None and out.word,
        "out_short": out is not None and out.short,
        "zoomed": explorer.screen.maximized is not None,
        "markdown": panes.is_markdown,
        "parts": explorer.views.current in ("roles", "lint-view"),
        "anchor": explorer.selection.anchor is not None,
        "calls": len(explorer.conversation.calls.all) > 0,
        "following": explorer.following.is_on,
        "fields": bool(other_fields(explorer.conversation.meta)),
        "news": f"{explorer.following.news:,}" if explorer.following.news else False,
        **_present(explorer),
        **_past(explorer.travelling.looked_at),
    }


def _past(look: Look) -> Told:
    """Return what is so only while an earlier batch is looked at."""
    if look.is_live:
        return {}
    batch, conversation = look.batch, look.conversation
    return {
        "past": str(batch.number),
        "now": str(conversation.batch.number),
        "on_path": is_on_path(conversation, batch),
    }


def _present(explorer: Explorer) -> Told:
    """Return what can be done to messages, which is only possible now."""
    look, raw = explorer.travelling.looked_at, explorer.raw
    if not look.is_live:
        return {"changing": False, "undo": False, "redo": False, "offer": False}
    count = len(explorer.selection.raws)
    if raw is None or raw >= look.log_size:
        return {"selected": str(count) if count else False}
    position = look.view.position(raw)
    findings = [] if position is None else look.findings_at.get(position, [])
    repairs: Told = {repair: True for finding in findings for repair in helping(finding)}
    return {
        **repairs,
        "hidden": position is None,
        "selected": str(count) if count else False,
    }
