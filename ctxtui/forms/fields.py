"""The fields of a form, found out from an operation's model: what each takes, and its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

from pydantic.fields import FieldInfo

from ctxtui.core.engine.messages import (
    read_message_or_messages,
    read_one_message,
    read_some_messages,
)
from ctxtui.core.engine.operations import KeepFields, Operation
from ctxtui.core.engine.settings import read_description, read_limit
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
    read_role_field,
    read_text,
    to_camel,
)
from ctxtui.forms.words import label_of

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

    @property
    def id(self) -> str:
        """Return the field's name on the screen."""
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
        inner, reader = _type_of(info)
        here = (*path, to_camel(name))
        if isinstance(inner, type) and issubclass(inner, Model):
            yield from _fields(inner, here)
        else:
            yield _field(here, info, reader)


def _field(path: tuple[str, ...], info: FieldInfo, reader: Checked) -> FormField:
    default = None if info.is_required() else info.default
    kind, choices = _entered(reader)
    required = info.is_required() and len(path) == 1
    help = info.description or ""
    return FormField(path, label_of(path), help, kind, choices, default, required)


def _entered(reader: Checked) -> tuple[FieldKind, tuple[Any, ...]]:
    if reader.legal:
        return "choice", _told_apart(reader.legal)
    if reader.read is read_role_field:
        return "choice", ROLES
    if reader.item is read_role_field:
        return "roles", ROLES
    if reader.item is not None:
        return ("labels" if reader.item is read_label else "words"), ()
    return READS[reader.read], ()


def _type_of(info: FieldInfo) -> tuple[Any, Checked]:
    """Return a field's type without None, and its reader."""
    for validator in info.metadata:
        reader = getattr(validator, "func", None)
        if isinstance(reader, Checked):
            return info.annotation, reader
    for part in get_args(info.annotation):
        if get_origin(part) is Annotated:
            inner, validator = get_args(part)[:2]
            return inner, validator.func
    raise TypeError(f"{info} is a field no form knows")


def _told_apart(legal: tuple[Any, ...]) -> tuple[Any, ...]:
    """Return choices of which no two mean the same: beside words for it, true is one of them."""
    words = [one for one in legal if not isinstance(one, bool)]
    return (False, *words) if words and False in legal else legal
