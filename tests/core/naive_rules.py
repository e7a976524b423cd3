"""What each operation does to the naive model; every function changes the state it is given."""

from __future__ import annotations

import copy
from collections.abc import Callable

from tests.core import naive_messages as says
from tests.core.naive_fields import CUTS, check_settings, need
from tests.core.naive_messages import Fields
from tests.core.naive_state import Batch, Revision, State


def add(state: State, messages: list[Fields]) -> list[int]:
    """Put messages into the log and return their raw indices."""
    state.log += copy.deepcopy(messages)
    return list(range(len(state.log) - len(messages), len(state.log)))


def revise(state: State, name: str, view: list[int], batch: int) -> None:
    made = Revision(state.head.revision, batch, name, list(view), len(state.log))
    state.revisions.append(made)
    state.head.revision = len(state.revisions) - 1


def open_batch(
    state: State, name: str, fields: Fields, view: list[int], boundary: int | None = None
) -> None:
    if boundary is None:
        boundary = min(view) if view else len(state.log)
    parent = state.here.batch
    number = state.batches[parent].number + 1
    state.batches.append(Batch(number, parent, boundary, fields.get("description")))
    revise(state, name, view, len(state.batches) - 1)


def swap(view: list[int], old: list[int], new: list[int]) -> list[int]:
    """Return a view where the new ones stand in the place of the first-standing old one."""
    place = min(view.index(raw) for raw in old)
    marked = [*view[:place], *new, *view[place:]]
    return [raw for raw in marked if raw not in old]


def append(state: State, fields: Fields) -> None:
    revise(state, "APPEND", state.view + add(state, fields["messages"]), state.here.batch)


def insert(state: State, fields: Fields) -> None:
    view, at = state.view, fields["position"]
    need(0 <= at <= len(view), "position")
    view[at:at] = add(state, fields["messages"])
    open_batch(state, "INSERT", fields, view)


def replace(state: State, fields: Fields, lenient: bool) -> None:
    view = state.view
    given = {"index", "message", "indices", "messages"} & fields.keys()
    if given == {"index", "message"}:
        need(0 <= fields["index"] < len(view), "index")
        old, messages = [view[fields["index"]]], [fields["message"]]
    else:
        need(given == {"indices", "messages"}, "one way or the other")
        old, messages = state.picked(fields, lenient), fields["messages"]
        need(old, "nothing visible to replace")
    open_batch(state, "REPLACE", fields, swap(view, old, add(state, messages)))


def truncate(state: State, fields: Fields) -> None:
    need(fields.keys() & set(CUTS), "no cut")
    need("role" in fields or not fields.get("keepOthers"), "keepOthers needs a role")
    view, role = state.view, fields.get("role")
    firm = [raw for raw in view if state.stays(raw, fields)]
    others = [raw for raw in view if role and state.role(raw) != role]
    aside = [raw for raw in view if raw in firm or (fields.get("keepOthers") and raw in others)]
    rest = [raw for raw in view if raw not in aside and raw not in others]
    if "keepFirst" in fields:
        rest = rest[: fields["keepFirst"]]
    if "keepLast" in fields:
        rest = rest[max(0, len(rest) - fields["keepLast"]) :]
    if "removeFirst" in fields:
        rest = rest[fields["removeFirst"] :]
    if "removeLast" in fields:
        rest = rest[: max(0, len(rest) - fields["removeLast"])]
    if "range" in fields:
        rest = rest[fields["range"]["start"] : fields["range"]["end"]]
    if "maxTokens" in fields:
        while rest and state.total(aside + rest) > fields["maxTokens"]:
            rest = rest[1:]
    kept = {*aside, *rest}
    if fields.get("keepPairs", False):
        extend = fields["keepPairs"] == "extend" and "maxTokens" not in fields
        for group in says.exchanges({raw: state.log[raw] for raw in view}):
            if group & kept and group - kept:
                whole = group & set(firm) or (extend and group & set(rest))
                kept = kept | group if whole else kept - group
    open_batch(state, "TRUNCATE", fields, [raw for raw in view if raw in kept])


def clear(state: State, fields: Fields) -> None:
    stay = {**fields, "keepSystem": fields.get("keepSystemMessage", True)}
    view = [raw for raw in state.view if state.stays(raw, stay)]
    open_batch(state, "CLEAR", fields, with_tools(state, view))


def with_tools(state: State, view: list[int]) -> list[int]:
    """Return a view, with the tool description behind it unless a system message has one."""
    wanted = state.head.settings["toolDescription"]
    systems = [state.log[raw] for raw in view if state.role(raw) == "system"]
    if wanted is None or any(says.describes_tools(one, wanted) for one in systems):
        return view
    return view + add(state, [{"role": "system", "content": wanted}])


def filter_(state: State, fields: Fields) -> None:
    need(fields.keys() & {"roles", "contentContains", "contentExcludes", "marks"}, "no condition")
    folded = fields.get("ignoreCase", False)

    def passes(raw: int) -> bool:
        message = state.log[raw]
        if "roles" in fields and message["role"] not in fields["roles"]:
            return False
        if "marks" in fields and not state.carries(raw, fields["marks"]):
            return False
        wanted, unwanted = fields.get("contentContains"), fields.get("contentExcludes")
        if wanted and not says.contains(message, wanted, folded):
            return False
        return not (unwanted and says.contains(message, unwanted, folded))

    view = [raw for raw in state.view if state.stays(raw, fields) or passes(raw)]
    open_batch(state, "FILTER", fields, view)


def select(state: State, fields: Fields) -> None:
    open_batch(state, "SELECT", fields, state.picked(fields, lenient=False))


def delete(state: State, fields: Fields, lenient: bool) -> None:
    gone = state.picked(fields, lenient)
    if gone:
        open_batch(state, "DELETE", fields, [raw for raw in state.view if raw not in gone])


def compress(state: State, fields: Fields, lenient: bool) -> None:
    gone = {raw for raw in state.picked(fields, lenient) if not state.stays(raw, fields)}
    if fields.get("keepPairs", False):
        for group in says.exchanges({raw: state.log[raw] for raw in state.view}):
            if group & gone and group - gone:
                stays = any(state.stays(raw, fields) for raw in group)
                whole = stays or fields["keepPairs"] == "extend"
                gone = gone - group if whole else gone | group
    if gone:
        summary = fields.get("summary", [])
        new = add(state, summary if isinstance(summary, list) else [summary])
        open_batch(state, "COMPRESS", fields, swap(state.view, list(gone), new))


def redact(state: State, fields: Fields) -> None:
    old, view = state.picked(fields, lenient=False), state.view
    for raw in old:
        copied = says.redacted(state.log[raw], fields.get("text", "[cleared]"))
        view = swap(view, [raw], add(state, [copied]))
    if old:
        open_batch(state, "REDACT", fields, view)


def batch_start(state: State, fields: Fields) -> None:
    boundary, view = fields.get("boundary"), state.view
    if boundary is not None:
        need(state.batches[state.here.batch].boundary <= boundary <= len(state.log), "boundary")
        view = [raw for raw in view if raw >= boundary]
    if fields.get("initialTools", False):
        view = with_tools(state, view)
    open_batch(state, "BATCH_START", fields, view, boundary)


def rollback(state: State, fields: Fields) -> None:
    number = fields["targetBatchIndex"]
    need(0 <= number < len(state.path()), "not on the path")
    state.head.revision = state.left_at(number)


def checkout(state: State, fields: Fields) -> None:
    need(len(fields) == 1, "a batch or a revision")
    if "revision" in fields:
        need(0 <= fields["revision"] < len(state.revisions), "no such revision")
        state.head.revision = fields["revision"]
    else:
        of_batch = [i for i, one in enumerate(state.revisions) if one.batch == fields["batch"]]
        need(of_batch, "no such batch")
        state.head.revision = of_batch[-1]


def mark(state: State, fields: Fields) -> None:
    found = state.picked(fields, lenient=False, hidden_too=True)
    if found:
        state.head.marks.setdefault(fields["label"], set()).update(found)


def unmark(state: State, fields: Fields) -> None:
    found = state.picked(fields, lenient=False, hidden_too=True)
    left = state.head.marks.pop(fields["label"], set()) - set(found)
    if left:
        state.head.marks[fields["label"]] = left


def describe(state: State, fields: Fields) -> None:
    batch = fields["batch"]
    need(0 <= batch < len(state.batches), "no such batch")
    if state.description(batch) != fields["text"]:
        state.head.names[batch] = fields["text"]


def configure(state: State, fields: Fields) -> None:
    new = copy.deepcopy(fields)
    old = state.head.settings
    new["compressionConfig"] = {**old["compressionConfig"], **new.get("compressionConfig", {})}
    if new.get("tokenLimit") == 0:
        new["tokenLimit"] = None
    state.head.settings = {**old, **new}
    check_settings(state.head.settings)


RULES: dict[str, Callable[[State, Fields], None]] = {
    "APPEND": append,
    "INSERT": insert,
    "TRUNCATE": truncate,
    "CLEAR": clear,
    "FILTER": filter_,
    "SELECT": select,
    "REDACT": redact,
    "BATCH_START": batch_start,
    "ROLLBACK": rollback,
    "CHECKOUT": checkout,
    "MARK": mark,
    "UNMARK": unmark,
    "DESCRIBE": describe,
    "CONFIGURE": configure,
}
LENIENT_RULES: dict[str, Callable[[State, Fields, bool], None]] = {
    "REPLACE": replace,
    "DELETE": delete,
    "COMPRESS": compress,
}
"""The operations that have a form which skips what is already hidden."""
