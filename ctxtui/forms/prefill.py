"""What a form holds when it comes up: from the cursor, the selection and the settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ctxtui.core import Conversation
from ctxtui.core.engine.operations import Operation
from ctxtui.forms.fields import FormField
from ctxtui.models.look import Look
from ctxtui.render.text.indices import shown_indices


class FormContext(NamedTuple):
    """Where the user stands when a form comes up."""

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
        """Return where the message under the cursor stands."""
        return None if self.raw is None else self.look.view.position(self.raw)


def prefilled(
    operation: type[Operation],
    fields: list[FormField],
    context: FormContext,
    given: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return what each field holds at first; ``given`` is an operation that was offered."""
    known = dict(given or _from_place(operation.title, context))
    return {field.id: _entered(field, _at(known, field.path)) for field in fields}


def _at(data: Mapping[str, Any], path: tuple[str, ...]) -> Any:
    found: Any = data
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def _entered(field: FormField, value: Any) -> Any:
    """Return a JSON value as it would have been entered."""
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
            return _named_choice(field) if value is True and True not in field.choices else value
        case _:
            return "" if value is None else str(value)


def _named_choice(field: FormField) -> Any:
    """Return what yes stands for where the ways to do it have names."""
    return next(one for one in field.choices if one is not False)


def _from_place(title: str, context: FormContext) -> dict[str, Any]:
    """Return the fields of an operation that the cursor and the selection suggest."""
    look, chosen = context.look, context.chosen
    visible = [raw for raw in chosen if look.view.position(raw) is not None]
    suggest: dict[str, Callable[[], dict[str, Any]]] = {
        "INSERT": lambda: {"position": _or(context.position, len(look.view))},
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


def _or(value: int | None, other: int) -> int:
    return other if value is None else value


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
