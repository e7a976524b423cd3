"""The fields of a form, found out from an operation's model: what each takes, and its words."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from ctxtui.core import Conversation, Refused
from ctxtui.core.engine.amounts import read_amount, read_signed
from ctxtui.core.engine.messages import (
    read_message_or_messages,
    read_one_message,
    read_some_messages,
)
from ctxtui.core.engine.operation import Operation
from ctxtui.core.engine.rewriting import has_template
from ctxtui.core.engine.selection import ADVANCED, KeepFields, read_count_or_cut
from ctxtui.core.engine.settings import read_description, read_limit
from ctxtui.core.errors import format_value
from ctxtui.core.values.models import (
    ROLES,
    Checked,
    Model,
    public_fields,
    read_count,
    read_flag,
    read_indices,
    read_label,
    read_number,
    read_role,
    read_text,
    to_camel,
)
from ctxtui.inspector.models.look import Look
from ctxtui.text.numbers import shown_indices, tokens
from ctxtui.text.plurals import plural

# The words of a form: what fields and groups of them are called, and what belongs together.

LABELS = {
    "description": "name",
    "role": "only role",
    "index": "position",
    "keepSystemMessage": "keep system",
    "contentContains": "contains",
    "contentExcludes": "leaves out",
    "targetBatchIndex": "batch number",
    "initialTools": "show the tools",
    "range-start": "range",
    "range-end": "to",
    "select-roles": "roles",
    "select-marks": "marks",
    "select-contentContains": "contains",
    "select-contentExcludes": "leaves out",
    "select-positions-start": "positions",
    "select-positions-end": "to",
    "select-exceptLast": "all but last",
    "compressionConfig-enabled": "offer a cut",
    "compressionConfig-threshold": "from",
    "compressionConfig-targetTokens": "down to",
    "compressionConfig-keepPairs": "keep pairs",
    "compressionConfig-keepRoles": "keep roles",
    "compressionConfig-keepMarks": "keep marks",
}
"""What a field is called where the name it has in JSON does not say it."""


class Group(NamedTuple):
    """Fields under a heading, by the first part of their path or by their whole id."""

    title: str
    about: str
    names: tuple[str, ...]


PICKING = (
    Group("Which messages", "by raw index", ("indices",)),
    Group("Or by what they are", "instead of raw indices", ("select",)),
)
NEVER = ("keepOthers", "keepSystem", "keepSystemMessage", "keepPairs", "keepMarks", "keepRoles")
GROUPS: dict[str, tuple[Group, ...]] = {
    "TRUNCATE": (
        Group(
            "What stays",
            "in this order; empty ones do nothing",
            ("keepFirst", "keepLast", "removeFirst", "removeLast", "range", "maxTokens"),
        ),
        Group("What is never cut", "", ("role", *NEVER)),
    ),
    "CLEAR": (Group("What is never cut", "", NEVER),),
    "FILTER": (
        Group(
            "What passes",
            "all that is given must hold",
            ("roles", "contentContains", "contentExcludes", "marks", "ignoreCase"),
        ),
        Group("What is never cut", "", NEVER),
    ),
    "DELETE": PICKING,
    "REDACT": (
        *PICKING,
        Group("Replacement text", "tool calls, names and ids are kept", ("text",)),
    ),
    "MARK": (Group("The mark", "", ("label",)), *PICKING),
    "UNMARK": (Group("The mark", "", ("label",)), *PICKING),
    "COMPRESS": (*PICKING, Group("What is never cut", "", NEVER)),
    "CONFIGURE": (
        Group("What it is held against", "", ("tokenLimit", "counter", "profile")),
        Group(
            "When a cut is offered",
            "never automatically",
            ("compressionConfig",),
        ),
        Group("What the model is told", "", ("toolDescription",)),
    ),
}
"""How the fields of an operation belong together; those that no group names come as they are."""


def label_of(path: tuple[str, ...]) -> str:
    """Return what a field is called, from its path in the operation's JSON."""
    known = LABELS.get("-".join(path)) or LABELS.get(path[-1])
    return known or re.sub(r"[A-Z]", lambda found: f" {found[0].lower()}", " ".join(path))


FieldKind = Literal[
    "number",
    "flag",
    "text",
    "choice",
    "roles",
    "words",
    "labels",
    "indices",
    "message",
    "messages",
]

READS: dict[Callable[..., Any], FieldKind] = {
    read_count: "number",
    read_number: "number",
    read_amount: "number",
    read_signed: "number",
    read_count_or_cut: "number",
    read_limit: "number",
    read_flag: "flag",
    read_text: "text",
    read_label: "text",
    read_description: "text",
    read_indices: "indices",
    read_one_message: "message",
    read_some_messages: "messages",
    read_message_or_messages: "messages",
}
"""How a value is entered, by the function of the engine that reads it."""

NONE = "–"
"""The choice of nothing."""


class FormField(NamedTuple):
    """One field of a form: its path in the operation's JSON, and how it is entered."""

    path: tuple[str, ...]
    label: str
    help: str
    kind: FieldKind
    choices: tuple[Any, ...] = ()
    default: Any = None
    is_required: bool = False
    words: Mapping[Any, str] = {}
    """What choices are called where their values don't say it."""
    is_stepped: bool = False
    """Whether only the chosen value is shown, since there are too many."""

    @property
    def id(self) -> str:
        return "-".join(self.path)


def fields_of(operation: type[Operation]) -> list[FormField]:
    """Return the fields of an operation: what it is about first, the new batch's name last."""
    order = (*KeepFields.model_fields, "description")
    late = [to_camel(name) for name in order]
    found = [_for_later(operation, field) for field in _fields(operation, ())]
    return sorted(found, key=lambda one: late.index(one.path[0]) + 1 if one.path[0] in late else 0)


def _for_later(operation: type[Operation], field: FormField) -> FormField:
    """Return a field as it is entered: settings name labels that nothing may carry as yet."""
    is_later = operation.null_counts and field.kind == "labels"
    return field._replace(kind="words") if is_later else field


def _fields(model: type[Model], path: tuple[str, ...]) -> Iterator[FormField]:
    for name in public_fields(model):
        info = model.model_fields[name]
        if info.json_schema_extra == ADVANCED:
            continue
        inner, reader = _type_of(info)
        here = (*path, to_camel(name))
        if isinstance(inner, type) and issubclass(inner, Model):
            yield from _fields(inner, here)
        else:
            yield _field(here, info, reader)


def _field(path: tuple[str, ...], info: FieldInfo, reader: Checked) -> FormField:
    default = None if info.is_required() else info.default
    kind, choices = _fields_entered(reader)
    required = info.is_required() and len(path) == 1
    help = info.description or ""
    return FormField(path, label_of(path), help, kind, choices, default, required)


def _fields_entered(reader: Checked) -> tuple[FieldKind, tuple[Any, ...]]:
    if reader.legal:
        return "choice", _told_apart(reader.legal)
    if reader.read is read_role:
        return "choice", ROLES
    if reader.item is read_role:
        return "roles", ROLES
    if reader.item is not None:
        return ("labels" if reader.item is read_label else "words"), ()
    return READS[reader.read], ()


def _type_of(info: FieldInfo) -> tuple[Any, Checked]:
    for reader in info.metadata:
        if isinstance(reader, Checked):
            return info.annotation, reader
    for part in get_args(info.annotation):
        if get_origin(part) is Annotated:
            inner, reader = get_args(part)[:2]
            return inner, reader
    raise TypeError(f"{info} is a field no form knows")


def _told_apart(legal: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return choices of which no two mean the same: beside words for it, true is one of them."""
    words = [one for one in legal if not isinstance(one, bool)]
    return (False, *words) if words and False in legal else legal


# The rows of a form under their headings, in the order in which they are filled in.

WRITTEN = ("message", "messages")
"""Kinds of fields that take an editor."""


SHORT = ("number", "flag")
"""Kinds of fields that take half a line."""


class FormSection(NamedTuple):
    """Rows under a heading; a start and its end share a row."""

    title: str
    about: str
    rows: list[tuple[FormField, ...]]


def sections(operation: type[Operation], fields: Sequence[FormField]) -> list[FormSection]:
    """Return the rows of a form: the texts to write, then each group, then all the rest."""
    left = list(fields)
    groups = GROUPS.get(operation.title, ())
    known = [
        field
        for field in left
        if any(_named(field, name) for group in groups for name in group.names)
    ]
    loose = [field for field in left if field not in known and field.path != ("description",)]
    late = [field for field in left if field.path == ("description",)]
    made = [FormSection("", "", _rows(loose))] if loose else []
    for group in groups:
        members = [field for name in group.names for field in known if _named(field, name)]
        if members:
            made.append(FormSection(group.title, group.about, _rows(members)))
    return [*made, FormSection("", "", _rows(late))] if late else made


def halved(section: FormSection) -> list[tuple[FormField, ...]]:
    """Return the rows that are side by side in a small terminal: short ones, two and two."""
    found: list[tuple[FormField, ...]] = []
    for is_short, run in groupby(section.rows, key=lambda row: row[0].kind in SHORT):
        rows = list(run)
        if is_short:
            found += rows[: len(rows) - len(rows) % 2]
    return found


def _named(field: FormField, name: str) -> bool:
    return name in (field.path[0], field.id)


def _rows(fields: Iterable[FormField]) -> list[tuple[FormField, ...]]:
    rows: list[tuple[FormField, ...]] = []
    for field in fields:
        last = rows[-1][-1] if rows else None
        if last is not None and _is_end_of(field, last):
            rows[-1] = (*rows[-1], field)
        else:
            rows.append((field,))
    return rows


def _is_end_of(field: FormField, start: FormField) -> bool:
    same = field.path[:-1] == start.path[:-1] and len(field.path) > 1
    return same and (start.path[-1], field.path[-1]) == ("start", "end")


# What is legal in a field just now, in a few words: how many messages, which batches.

TUNED = (
    *("keepFirst", "keepLast", "removeFirst", "removeLast", "exceptLast", "start", "end"),
    *("maxTokens", "position", "boundary"),
)
"""Numbers whose neighbours are worth trying."""


def legal(operation: type[Operation], field: FormField, look: Look) -> tuple[str, ...]:
    """Return the range of a field where it has one, else its help; then shorter ways to say it."""
    size, name = len(look.view), field.path[-1]
    batches, limit = len(look.conversation.path) - 1, look.conversation.settings.token_limit
    if name in ("keepFirst", "keepLast", "removeFirst", "removeLast", "exceptLast"):
        return f"0–{size:,} messages", f"0–{size:,}"
    if field.path[0] == "range" or "positions" in field.path:
        return f"positions 0–{size:,}", f"0–{size:,}"
    if name == "maxTokens":
        now = f"now {tokens(look.total)}"
        return (f"{now}, limit {tokens(limit)}", now) if limit else (now,)
    if name == "tokenLimit":
        return "tokens; empty: no limit", "tokens"
    known = {
        "position": f"0–{size:,}",
        "index": f"0–{max(0, size - 1):,}",
        "targetBatchIndex": f"0–{batches}",
        "boundary": f"raw 0–{look.log_size:,}",
        "batch": f"id 0–{len(look.conversation.batches) - 1}",
        "revision": f"id 0–{len(look.conversation.revisions) - 1}",
        "skip": "ids of revisions of this path",
        "threshold": "tokens",
        "targetTokens": "tokens",
        "keepSystem": _system(look),
        "keepSystemMessage": _system(look),
        "keepPairs": "tool calls",
        "keepRoles": "",
        "role": "",
        "roles": "",
        "profile": "",
        "keepOthers": "other roles",
        "ignoreCase": "capital and small letters alike",
        "enabled": "",
        "policy": "",
        "contentContains": "words, with commas between them",
        "contentExcludes": "words, with commas between them",
        "description": "what the new batch is called",
        "keepMarks": "labels, with commas between them",
    }
    if field.kind == "indices" and name == "indices":
        return ("raw indices such as 3, 5–9",)
    return (known.get(name, field.help),)


def _system(look: Look) -> str:
    count = look.view.column(look.state.log.roles).count(ROLES.index("system"))
    return f"{plural(count, 'message')}, {tokens(look.role_tokens['system'])} tokens"


# Refusals in the words of a form: its labels instead of JSON names, and what to do about it.

_NAME = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b")


def refusal_text(refusal: Refused, fields: Sequence[FormField]) -> str:
    """Return why not, in the words of the form."""
    field = field_of(refusal, fields)
    sentence = str(refusal)
    if field is not None and field.kind == "number":
        if refusal.legal == "0 or more":
            return f"{field.label} must be 0 or more"
        if refusal.legal == "a whole number":
            return f"{field.label} must be a whole number, not {format_value(refusal.value)}"
    labels = {one.path[-1]: one.label for one in fields}
    name, space, rest = sentence.partition(" ")
    sentence = f"{labels.get(name, name)}{space}{rest}"
    return _NAME.sub(lambda found: labels.get(found[0], label_of((found[0],))), sentence)


def field_of(refusal: Refused, fields: Sequence[FormField]) -> FormField | None:
    """Return the field a refusal is about: the one it names, or a related one."""
    name = refusal.field or ""
    inner = name.split("[", maxsplit=1)[0].split(".")
    exact = [one for one in fields if inner[-1] in (one.path[-1], one.id)]
    near = [one for one in fields if one.path[0] == inner[0]]
    return next(iter(exact or near), None)


# The first words of a form: what to fill in, and what that will show.

CUTTING = ("TRUNCATE", "FILTER")
"""Operations of which every field says what goes."""
FOLLOWS = "Rows, ribbon, cache and lint follow every key you type."


def start_words(
    operation: type[Operation], fields: Sequence[FormField], look: Look
) -> tuple[str, str]:
    """Return a sentence that says what to do first, and one that says what comes of it."""
    if operation.title in CUTTING:
        if not len(look.view):
            return "There is nothing to cut: no message is visible.", ""
        return "Fill in one field to see what goes.", FOLLOWS
    if any(field.kind in WRITTEN for field in fields):
        return "Write a message to see its position.", FOLLOWS
    if operation.null_counts:
        return "Change a field to see what that means.", ""
    if any(field.id == "indices" for field in fields) and not any(
        field.is_required for field in fields
    ):
        return "Say which messages are meant to see what happens to them.", FOLLOWS
    needed = [field.label for field in fields if field.is_required]
    named = " and ".join(needed) or "a field"
    return f"Fill in {named} to see what would happen.", ""


# From what was entered to an operation's JSON; the engine judges it, in its own sentences.

DIGITS = 18
"""More digits than any number in a conversation has; longer ones stay text and are refused."""
_RUN = re.compile(r"(\d{1,9})–(\d{1,9})", re.ASCII)
_DASH = re.compile(r"(?<=\d)\s*(?:-|–|…|\.\.+)\s*(?=\d)", re.ASCII)
MOST = 1_000_000


def number_of_text(text: str) -> Any:
    """Return a whole number; anything else stays the text it is."""
    short = text.strip()
    if re.fullmatch(rf"[-−]?\d{{1,{DIGITS}}}", short, re.ASCII):
        return int(short.replace("−", "-"))
    return short


def indices_of_text(text: str) -> list[Any]:
    """Return raw indices from ``3, 5-9``; what is no number stays text."""
    found: list[Any] = []
    for part in re.split(r"[,;\s]+", _DASH.sub("–", text).strip()):
        run = _RUN.fullmatch(part)
        if run and int(run[1]) <= int(run[2]) < int(run[1]) + MOST:
            found += range(int(run[1]), int(run[2]) + 1)
        elif part:
            found.append(number_of_text(part))
    return found


def read_words(text: str) -> list[str]:
    """Return what is between commas."""
    return [word.strip() for word in text.split(",") if word.strip()]


def read_value(field: FormField, entered: Any) -> Any:
    """Return a field's value as JSON, or None where nothing was entered."""
    match field.kind:
        case "number":
            return number_of_text(entered) if str(entered).strip() else None
        case "indices":
            return indices_of_text(entered) or None
        case "words":
            return read_words(entered) or None
        case "roles" | "labels":
            return list(entered) or None
        case "flag":
            return bool(entered) if bool(entered) != bool(field.default) else None
        case "choice":
            chosen = None if entered == NONE else entered
            return None if chosen == field.default and field.default is not None else chosen
        case "text":
            return entered if entered else None
        case _:
            return entered or None


def assembled(
    operation: type[Operation],
    fields: Iterable[FormField],
    entered: Mapping[str, Any],
    initial: Mapping[str, Any],
) -> dict[str, Any]:
    """Return the operation as JSON, with only the fields that say something.

    Where empty is a value too, as in CONFIGURE, those are the fields that were changed.
    """
    made: dict[str, Any] = {"operation": operation.title}
    for field in fields:
        given = entered.get(field.id)
        value = read_value(field, given)
        if operation.null_counts:
            if given == initial.get(field.id):
                continue
            if value is None and field.kind in ("flag", "choice"):
                value = given
        elif value is None:
            continue
        inside = made
        for name in field.path[:-1]:
            inside = inside.setdefault(name, {})
        inside[field.path[-1]] = value
    return made


# What a form holds when it comes up: from the cursor, the selection and the settings.


class FormContext(NamedTuple):
    """Where the user is when a form comes up."""

    look: Look
    raw: int | None = None
    selected: frozenset[int] = frozenset()

    @property
    def chosen(self) -> list[int]:
        """Return the selected messages, or the one under the cursor."""
        if self.selected:
            return sorted(self.selected)
        return [] if self.raw is None else [self.raw]

    @property
    def position(self) -> int | None:
        return None if self.raw is None else self.look.view.position(self.raw)


def prefilled(
    operation: type[Operation],
    fields: list[FormField],
    context: FormContext,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what each field holds at first; ``given`` is an operation that was offered."""
    known = dict(given or _from_place(operation.title, context))
    return {field.id: _prefill_entered(field, _at(known, field.path)) for field in fields}


def fits_form(operation: type[Operation], given: Mapping[str, Any], context: FormContext) -> bool:
    """Return whether a form shows all of an operation, so that applying it loses nothing."""
    every = fields_of(operation)
    fields = [one for one in every if one.kind not in WRITTEN]
    names = {one.id for one in every if one.kind in WRITTEN}
    written = {key: value for key, value in given.items() if key in names}
    if any(map(has_template, written.values())):
        return False  # An editor of messages has no place for it.
    entered = prefilled(operation, fields, context, given)
    try:
        asked = operation.from_dict({**assembled(operation, fields, entered, {}), **written})
        drops = {"keepPairs": "drop"} if given.get("keepPairs") is True else {}  # It is the same.
        return asked == operation.from_dict({**given, **drops})
    except Refused:
        return False


def _at(data: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = data
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _prefill_entered(field: FormField, value: Any) -> Any:
    value = field.default if value is None else value
    match field.kind:
        case "flag":
            return bool(value)
        case "roles" | "labels":
            return tuple(value or ())
        case "indices":
            return shown_indices(value or ())
        case "words":
            return ", ".join(value or ())
        case "number":
            return "" if value is None else str(value)
        case "message" | "messages":
            return value
        case "choice":
            if value is True and True not in field.choices:
                return next(one for one in field.choices if one is not False)
            return value
        case _:
            return "" if value is None else str(value)


def _from_place(title: str, context: FormContext) -> dict[str, Any]:
    look, chosen = context.look, context.chosen
    visible = [raw for raw in chosen if look.view.position(raw) is not None]
    suggest: dict[str, Callable[[], dict[str, Any]]] = {
        "INSERT": lambda: {
            "position": len(look.view) if context.position is None else context.position
        },
        "REPLACE": lambda: _replacing(context),
        "DELETE": lambda: {"indices": visible},
        "REDACT": lambda: {"indices": visible},
        "COMPRESS": lambda: {"indices": visible},
        "MARK": lambda: {"indices": chosen},
        "UNMARK": lambda: {"indices": chosen},
        "SELECT": lambda: {"indices": _kept(context)},
        "DESCRIBE": lambda: {"batch": look.batch.id, "text": look.batch.name or ""},
        "ROLLBACK": lambda: {"targetBatchIndex": _target(look.conversation, look)},
        "CHECKOUT": lambda: {"batch": look.batch.id},
        "TOGGLE": lambda: {"skip": [look.batch.opened]},
        "CONFIGURE": look.conversation.settings.to_dict,
    }
    return suggest.get(title, dict)()


def _kept(context: FormContext) -> list[int]:
    view = context.look.view
    return [raw for raw in view if raw in context.selected] if context.selected else list(view)


def _replacing(context: FormContext) -> dict[str, Any]:
    """Return what REPLACE takes: several messages by raw index, or the one under the cursor."""
    visible = [raw for raw in context.look.view if raw in context.selected]
    if len(visible) > 1:
        return {"indices": visible}
    if context.position is None or context.raw is None:
        return {}
    message = context.look.state.log[context.raw].to_dict()
    return {"index": context.position, "message": {k: message[k] for k in ("role", "content")}}


def _target(conversation: Conversation, look: Look) -> int:
    if look.is_live:
        return max(0, conversation.batch.number - 1)
    return look.batch.number
