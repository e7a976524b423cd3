"""What escape does in an explorer: one step out, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer


class WayOut(NamedTuple):
    """One step out: what is said about it in the line of keys, and what it does."""

    word: str
    short: str
    go: Callable[[], object]


def way_out(explorer: Explorer) -> WayOut | None:
    """Return the next step out: of a search, the whole screen, the past, a view, the selection."""
    panes, selection = explorer.panes, explorer.selection
    if explorer.searching.is_running:
        return WayOut("stop the search", "stop", explorer.searching.stop)
    if explorer.screen.maximized is not None:
        return WayOut("smaller", "smaller", explorer.minimize)
    if not explorer.look.is_live:
        number = explorer.conversation.batch.number
        return WayOut(f"return to {number}", "return", explorer.show_now)
    if explorer.views.current != "inspector":
        return WayOut("to the panes", "panes", lambda: explorer.action_view("inspector"))
    if explorer.pane == "message":
        pane = "raw" if explorer.has_class("-raw-first") else "visible"
        return WayOut("to the list", "list", lambda: explorer.action_pane(pane))
    if selection:
        return WayOut("let go", "let go", panes.clear_selection)
    if panes.finder is not None:
        return WayOut("end the search", "end", lambda: explorer.light(None))
    if panes.is_narrowed:
        return WayOut("show all", "all", lambda: explorer.narrow("", None))
    return None
