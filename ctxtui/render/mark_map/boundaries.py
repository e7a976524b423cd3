"""Where the batches of a path begin, in columns, and why the newest one begins there."""

from __future__ import annotations

from ctxtui.core.engine.operations import BatchStart
from ctxtui.core.engine.state import State
from ctxtui.models.index_arrays import IndexArrays
from ctxtui.render.text.lines import Line, Piece
from ctxtui.render.text.sections import cropped, head
from ctxtui.render.text.wrap import wrap

NAME_CELLS = 17
GAP_CELLS = 3
NEW = "ok"
RULE = "A boundary is the smallest raw index visible when its batch began; it never descends."


def boundary_lines(arrays: IndexArrays, width: int) -> list[Line]:
    """Return the boundaries and numbers of the batches, the newest ones if there are many."""
    path = arrays.path
    count = len(path)
    cell = max(len(str(path[-1].boundary)), len(str(count)), len("new")) + GAP_CELLS
    room = width - NAME_CELLS
    fitting = max(1, room // cell)
    before = ""
    if fitting < count:
        before = f"… {count:,} "
        fitting = max(1, (room - len(before)) // cell)
        before = f"… {count - fitting:,} "
    shown = [path[number] for number in range(max(0, count - fitting), count)]
    fresh = arrays.was_batch is not None
    tops = [[Piece(" " * (NAME_CELLS + len(before) + cell * (len(shown) - 1)))]]
    tops[0].append(Piece(f"{'+ new':>{cell}}", NEW) if fresh else Piece(""))
    bounds = [Piece("batchBoundaries".ljust(NAME_CELLS), "muted"), Piece(before, "faint")]
    numbers = [
        Piece("boundaryToBatch".ljust(NAME_CELLS), "muted"),
        Piece(" " * len(before), "faint"),
    ]
    for at, batch in enumerate(shown):
        last = at + 1 == len(shown)
        kind = NEW if last and fresh else "bright" if last else "text"
        lead = "≤" if at else " "
        bounds += [
            Piece(f" {lead} ", "faint"),
            Piece(f"{batch.boundary:^{cell - GAP_CELLS}}", kind),
        ]
        numbers += [Piece(" " * GAP_CELLS), Piece(f"{batch.number:^{cell - GAP_CELLS}}", kind)]
    current = [Piece("currentBatch".ljust(NAME_CELLS), "muted"), Piece(" " * GAP_CELLS)]
    if arrays.was_batch is not None:
        current += [Piece(str(arrays.was_batch.number), "struck"), Piece(" → ", "muted")]
    current.append(Piece(str(path[-1].number), NEW if fresh else "bright"))
    about = "one column for each batch of the path"
    lines = [head("batchBoundaries", [Piece(about, "faint")], width), *(tops if fresh else [])]
    lines += [bounds, numbers, current, []]
    lines += [[Piece(row, "text")] for row in wrap(reason(arrays.state), width)]
    lines += [[Piece(row, "faint")] for row in wrap(RULE, width)]
    return cropped(lines, width)


def reason(state: State) -> str:
    """Return the sentence that says why the boundary of a state's batch is that number."""
    batch = state.batch
    said = f"Boundary {batch.boundary:,}:"
    if batch.operation is None:
        return f"{said} batch 0 begins where the log begins."
    opened = state.revisions[batch.opened]
    if isinstance(batch.operation, BatchStart) and batch.operation.boundary is not None:
        return f"{said} BATCH_START asked for it, and hid every raw index below."
    low = opened.view.low
    if low is None:
        return (
            f"{said} nothing was visible when batch {batch.number} began, "
            f"so it is the length the log had then."
        )
    if batch.boundary < low:
        return (
            f"{said} the operation was done again by a TOGGLE, "
            f"and the log had only {batch.boundary:,} messages when it was first done."
        )
    what = f"raw {low:,}, {'an' if (role := state.log[low].role) == 'assistant' else 'a'} {role}"
    return f"{said} {what} message, was the smallest index visible when batch {batch.number} began."
