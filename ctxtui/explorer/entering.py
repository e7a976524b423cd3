"""What enter does in an explorer: it opens what the cursor is on, in whichever list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ctxtui.explorer.batch_pane import BatchPane

if TYPE_CHECKING:
    from ctxtui.explorer.explorer import Explorer


def enter(explorer: Explorer, name: str, key: int) -> None:
    """Open an item of a list: a message, a finding, a batch, a record or a snapshot."""
    travelling = explorer.travelling
    if name == "lint":
        raw = explorer.look.findings[key].raw_index
        if raw is not None:
            explorer.go_to_raw(raw)
    elif name == "batch" and key < 0:
        number = explorer.panes.batch_pane.call
        if number is not None:
            # From here: what a pane posts while its explorer is at work ends there.
            explorer.post_message(BatchPane.CallChosen(number))
    elif name.startswith("role-") or name == "batch":
        if key >= 0:
            explorer.go_to_raw(key)
    elif name in ("raw", "visible", "timeline"):
        explorer.action_pane("message")
    elif name == "records":
        travelling.look_at_record(explorer.views.player.beat.record)
    elif name.startswith("played-"):
        travelling.look_at_record(explorer.views.player.beat.record)
        explorer.go_to_raw(key)
    elif name == "snapshots":
        travelling.look_at_batch(explorer.look.state.path[key].id)
