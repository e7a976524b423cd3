"""Plain: small immutable values that turn into JSON-ready data, and most of them back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields
from typing import Any, ClassVar, Self

from ..errors import Refused, key_name, not_a, shown
from .models import plain, to_camel

Readers = Mapping[str, Callable[[Any], Any]]


class Told:
    """The base of dataclasses that only tell of something: nobody makes one from data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready data, with their camelCase names."""
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return {to_camel(name): plain(getattr(self, name)) for name in names}


class Plain(Told):
    """The base of those that can be read too; ``READERS`` read fields that are no plain JSON."""

    __slots__ = ()
    READERS: ClassVar[Readers] = {}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the value from JSON data in either spelling, or refuse it."""
        what = cls.__name__
        if not isinstance(data, Mapping):
            raise not_a(what, data, "an object")
        names = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
        spelt = {**{name: name for name in names}, **{to_camel(name): name for name in names}}
        given = {}
        for key, value in data.items():
            if key not in spelt:
                raise Refused(
                    f"{shown(key)} is not a field of {what}", field=key_name(key), value=value
                )
            name = spelt[key]
            if name in given:
                raise Refused(f"{what} has both spellings of {to_camel(name)}", field=key_name(key))
            try:
                given[name] = cls.READERS.get(name, _same)(value)
            except (TypeError, ValueError, OverflowError) as error:
                if isinstance(error, Refused):
                    raise
                raise not_a(to_camel(name), value, f"what {what} holds there") from None
        missing = {n for n, field in names.items() if field.default is MISSING} - given.keys()
        if missing:
            raise Refused(f"{what} has no {to_camel(min(missing))}", field=to_camel(min(missing)))
        return cls(**given)


def _same(value: Any) -> Any:
    return value
