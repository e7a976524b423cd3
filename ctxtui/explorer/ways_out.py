"""What escape does in an explorer: one step out, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from ctxtui.models.frame import Frame
from ctxtui.widgets.choice_bar import ChoiceBar

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer


class WayOut(NamedTuple):
    """One step out: what is said about it in the line of keys, and what it does."""

    word: str
    short: str
    go: Callable[[], object]


def way_out(explorer: Explorer) -> WayOut | None:
    """Return the next step out: of a search, the whole screen, the past, a view, the selection."""
    if explorer.searching.is_running:
        return WayOut("stop the search", "stop", explorer.searching.stop)
    if explorer.screen.maximized is not None:
        return WayOut("smaller", "smaller", explorer.minimize)
    view = explorer.views.current or "inspector"
    if isinstance(explorer.screen.focused, ChoiceBar):
        return WayOut("to the list", "list", lambda: explorer.action_view(view))
    out_of_time = _out_of_time(explorer)
    if out_of_time is not None:
        return out_of_time
    if view != "inspector":
        return WayOut("to the panes", "panes", lambda: explorer.action_view("inspector"))
    if explorer.pane == "message":
        pane = "raw" if explorer.has_class("-raw-first") else "visible"
        return WayOut("to the list", "list", lambda: explorer.action_pane(pane))
    return _out_of_lists(explorer)


def _out_of_lists(explorer: Explorer) -> WayOut | None:
    """Return what there is to let go of in the lists."""
    panes = explorer.panes
    if explorer.selection:
        return WayOut("let go", "let go", panes.clear_selection)
    if panes.finder is not None:
        return WayOut("end the search", "end", lambda: explorer.light(None))
    if panes.is_narrowed:
        return WayOut("show all", "all", lambda: explorer.narrow("", None))
    return None


def _out_of_time(explorer: Explorer) -> WayOut | None:
    """Return the step out of a batch or record, or out of the past."""
    if explorer.travelling.is_inside:
        place = "journal" if isinstance(explorer.look, Frame) else "timeline"
        return WayOut(f"to the {place}", place, explorer.travelling.leave)
    player = explorer.views.player
    if explorer.views.current == "journal" and not player.is_at_now:
        return WayOut("to now", "now", player.return_to_now)
    if not explorer.look.is_live:
        number = explorer.conversation.batch.number
        return WayOut(f"return to {number}", "return", explorer.show_now)
    return None
