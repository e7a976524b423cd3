"""What the borders of the panes say: what each is, how much of it there is, and what to press."""

from __future__ import annotations

from ctxtui.models.frame import Frame
from ctxtui.models.look import Look
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.numbers import tokens
from ctxtui.symbols import visible
from ctxtui.words import plural


def raw_about(look: Look) -> Line:
    """Return what the raw array is, and how long."""
    words = "everything ever added " if look.is_live else f"at batch {look.batch.number} "
    if isinstance(look, Frame):
        words = f"after record {look.place} "
    return [Piece(words, "muted"), Piece(f"{look.log_size:,}", "bright")]


def raw_foot(look: Look) -> Line:
    """Return how many messages are not sent."""
    return [Piece(f"{look.log_size - len(look.view):,} hidden", "muted")]


def visible_about(look: Look) -> Line:
    """Return what the projection is, and how long; while stepping what it is compared with."""
    words = "what the model is sent "
    if isinstance(look, Frame):
        return _against_record(look)
    if not look.is_live:
        words = f"in batch {look.batch.number} "
        if look.before is not None:
            before = look.state.batches[look.before.batch].number
            words = f"in batch {look.batch.number}, against batch {before} "
    return [Piece(words, "muted"), Piece(f"{len(look.view):,}", "bright")]


def _against_record(frame: Frame) -> Line:
    """Return how many messages are sent after a record, and how many were before it."""
    now = Piece(f"{len(frame.view):,}", "bright")
    if frame.before is None or frame.is_still:
        return [Piece(f"after record {frame.place} ", "muted"), now]
    words = f"against record {frame.place - 1} "
    return [Piece(words, "muted"), Piece(f"{len(frame.before.view):,} → ", "muted"), now]


def tokens_foot(frame: Frame) -> Line:
    """Return the tokens that are sent after a record, and those before it."""
    now = Piece(tokens(frame.total), "bright")
    word = Piece(" tokens", "muted")
    if frame.before is None or frame.is_still:
        return [now, word]
    before = tokens(frame.state.total(frame.before))
    return [Piece(f"{before} → ", "muted"), now, word]


def scroll_foot(first: int, last: int, whole: int) -> Line:
    """Return which lines of a list are in sight."""
    if not whole:
        return []
    if first == 0 and last >= whole - 1:
        return [Piece(f"all {whole:,}", "muted")]
    return [Piece(f"{first:,}–{last:,} of {whole:,}", "muted")]


def timeline_about(look: Look) -> Line:
    """Return how many batches there are, and how many were left."""
    batches = len(look.conversation.batches)
    abandoned = batches - len(look.conversation.path)
    words = plural(batches, "batch", "batches")
    return [Piece(f"{words}, {abandoned:,} abandoned" if abandoned else words, "muted")]


def timeline_foot(look: Look) -> Line:
    """Return what the signs mean where there is room, and the keys that lead through time."""
    keys = [("[ ]", "step")] if len(look.conversation.batches) > 1 else []
    if not look.is_live:
        keys.append(("R", "roll back"))
    return [*legend(), *keys_foot(*keys)]


def nothing_there(look: Look) -> dict[str, str]:
    """Return what empty lists say: what there is to do about it."""
    if not len(look.state.log):
        first = "No messages yet. a appends the first."
        return {"raw": first, "visible": first}
    back = f", [ looks at batch {look.batch.number - 1}" if look.batch.number else ""
    return {"raw": "", "visible": f"Nothing is sent. u undoes{back}."}


def keys_foot(*keys: tuple[str, str]) -> Line:
    """Return a few keys with what they do."""
    line: Line = []
    for key, words in keys:
        line += [
            Piece("  " if line else "", "muted"),
            Piece(key, "key"),
            Piece(f" {words}", "muted"),
        ]
    return line


def legend() -> Line:
    """Return what the signs of batches mean; it goes as a whole where there is no room."""
    return [Piece("◉ now  ○ on the path  ◌ abandoned  ! over limit   ", "faint")]


def range_foot(anchor: int) -> Line:
    """Return where a range began, and how to end it."""
    return [Piece(f"from raw {anchor:,}, ", "text"), *keys_foot(("v", "ends the range"))]


def message_about(look: Look, raw: int) -> Line:
    """Return where the message under the cursor stands."""
    position = look.view.position(raw) if raw < look.log_size else None
    place = "hidden" if position is None else f"position {position:,}"
    return [Piece(f"raw {raw:,}  ", "muted"), Piece(place, "muted")]


def chosen_foot(count: int) -> Line:
    """Return how many messages are selected, and how to let go of them."""
    return [Piece(f"{count:,} selected, ", "text"), *keys_foot(("esc", "lets go"))]


def narrowed_foot(count: int, text: str) -> Line:
    """Return how many messages hold a text, and how to see all of them."""
    told = f"{count:,} with '{visible(text, 20)}', "
    return [Piece(told, "text"), *keys_foot(("esc", "shows all"))]
