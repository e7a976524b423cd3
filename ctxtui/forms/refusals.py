"""Refusals in the words of a form: its labels instead of JSON names, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxtui.core import Refused
from ctxtui.core.errors import format_value
from ctxtui.forms.fields import FormField
from ctxtui.forms.words import label_of

_NAME = re.compile(r"\b[a-z]+(?:[A-Z][a-z]+)+\b")


def refusal_told(refusal: Refused, fields: Sequence[FormField]) -> str:
    """Return why not, as somebody would say it who has only seen the form."""
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
    """Return the field a refusal is about: the one it names, or one beside it."""
    name = refusal.field or ""
    inner = name.split("[", maxsplit=1)[0].split(".")
    exact = [one for one in fields if inner[-1] in (one.path[-1], one.id)]
    near = [one for one in fields if one.path[0] == inner[0]]
    return next(iter(exact or near), None)
