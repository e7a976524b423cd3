"""Models: values read from JSON in either spelling, with a refusal for each thing that is wrong."""

from __future__ import annotations

import unicodedata
from abc import ABCMeta
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    JsonValue,
    ValidationError,
    ValidationInfo,
)
from pydantic.alias_generators import to_camel as slow_to_camel
from pydantic_core import ErrorDetails, core_schema

from ..errors import (
    Refused,
    format_value,
    key_name,
    not_one_of,
    refusals_at,
    too_small,
    unknown_key,
    wrong_type,
)
from .frozen import MOST_BITS

T = TypeVar("T")

Role = Literal["system", "user", "assistant", "tool"]

ROLES: tuple[Role, ...] = ("system", "user", "assistant", "tool")


def read_role(value: object, field: str = "role") -> Role:
    """Return a role, or refuse it."""
    if isinstance(value, str) and value in ROLES:
        return value
    raise not_one_of(field, value, ROLES)


@cache
def to_camel(name: str) -> str:
    """Return a name as JSON has it; one that Python uses itself ends with an underscore here."""
    return slow_to_camel(name.rstrip("_"))


LABEL_LENGTH = 64
MOST_MESSAGES = 2**32
"""A view holds raw indices in four bytes each."""
INTERNAL: dict[str, JsonValue] = {"internal": True}
"""Marks a field that dialects and the journal use, and no form or sentence names."""


if TYPE_CHECKING:

    class ModelType(ABCMeta):
        """For type checkers, the type of models.

        They derive what a pydantic model takes from the types of its fields, unless its class has
        another type than pydantic's own. Models take more: lists for tuples, data for messages.
        """

else:
    ModelType = type(BaseModel)


class Model(BaseModel, metaclass=ModelType):  # type: ignore[metaclass]
    """An immutable value with camelCase names in JSON and snake_case names in Python."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        arbitrary_types_allowed=True,
        defer_build=True,  # Half the start-up time: most programs use few of the models.
    )
    title: ClassVar[str] = ""
    null_counts: ClassVar[bool] = False
    """Whether a null that was given says something, and so must be written again."""

    def __init__(self, /, **data: Any) -> None:
        known = _names(type(self))  # type: ignore[arg-type]
        refusals = [_unknown(type(self), key, data[key]) for key in data if key not in known]
        if refusals:
            data = {key: value for key, value in data.items() if key in known}
        try:
            super().__init__(**data)
        except ValidationError as error:
            refusals += [_refusal(type(self), one) for one in error.errors(include_url=False)]
        if refusals:
            # Pydantic's error holds the refusal, and no garbage collector sees into it: a refusal
            # raised while it is handled would point back to it and keep every frame for ever.
            try:
                raise Refused.combined(refusals)
            finally:
                del refusals

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        if not isinstance(data, Mapping):
            raise wrong_type(cls.title, data, "an object")
        return cls(**{key_name(key): value for key, value in data.items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the fields that were given, as JSON-ready data."""
        return {
            to_camel(name): plain(value)
            for name, value in self
            if name in self.model_fields_set and (value is not None or self.null_counts)
        }


def plain(value: Any) -> Any:
    """Return a field's value as JSON-ready data."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(item) for item in value]
    return value


def _refusal(model: type[Model], problem: ErrorDetails) -> Refused:
    cause = problem.get("ctx", {}).get("error")
    if isinstance(cause, Refused):
        return cause
    field = str(problem["loc"][-1]) if problem["loc"] else model.title
    fields = ", ".join(to_camel(name) for name in public_fields(model))
    if problem["type"] == "missing":
        return Refused(f"{model.title} has no {field}; it takes {fields}", field, legal=fields)
    sentence = f"{model.title} has both {to_camel(field)} and {field}; give one of them"
    return Refused(sentence, field, problem["input"], fields)


@cache
def _names(model: type[Model]) -> frozenset[str]:
    """Return the names of a model's fields, in both spellings."""
    return frozenset(model.model_fields).union(map(to_camel, model.model_fields))


def _unknown(model: type[Model], key: str, value: object) -> Refused:
    return unknown_key(key, value, model.title, map(to_camel, public_fields(model)))


def public_fields(model: type[Model]) -> list[str]:
    """Return the fields that people fill in; the others only serve the journal."""
    return [name for name, info in model.model_fields.items() if info.json_schema_extra != INTERNAL]


class Checked:
    """Reads a field, as the annotation of its type; called with the JSON name of the field.

    ``item`` reads one of a list, ``legal`` are the only values there are.
    """

    def __init__(
        self,
        read: Callable[[object, str], Any],
        *,
        item: Callable[[object, str], Any] | None = None,
        legal: tuple[Any, ...] = (),
    ) -> None:
        self.read = read
        self.item = item
        self.legal = legal

    def __call__(self, value: object, info: ValidationInfo) -> Any:
        return self.read(value, to_camel(info.field_name or ""))

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        # Unlike PlainValidator it builds no schema of the field's type, which takes far longer.
        return core_schema.with_info_plain_validator_function(self)


_adapters: dict[object, Any] = {}


def read_as(kind: type[T], data: object) -> T | None:
    """Return data that this program stored as what it was, or None if it has another shape."""
    from pydantic import TypeAdapter  # noqa: PLC0415 - most programs read nothing in this way

    if kind not in _adapters:
        _adapters[kind] = TypeAdapter(kind)
    try:
        return _adapters[kind].validate_python(data)  # type: ignore[no-any-return]
    except ValidationError:
        return None


def read_count(value: object, field: str) -> int:
    """Return a whole number of 0 or more; true, 2.0 and "5" are refused."""
    if read_number(value, field) < 0:
        raise too_small(field, value, 0)
    return value  # type: ignore[return-value]


def read_number(value: object, field: str) -> int:
    """Return a whole number, negative ones too; it must be short enough to be written down."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(field, value, "a whole number")
    if value.bit_length() > MOST_BITS:
        raise wrong_type(field, value, f"a number of at most {MOST_BITS // 4:,} digits")
    return value


def read_indices(value: object, field: str) -> tuple[int, ...]:
    """Return raw indices, in the order given."""
    if isinstance(value, range) and max(abs(value.start), abs(value.stop)) < MOST_MESSAGES:
        value = list(value)
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of raw indices")
    if not value:
        raise Refused(f"{field} [] names no message", field, [], "one raw index or more")
    return tuple([read_count(index, field) for index in value])


def read_flag(value: object, field: str) -> bool:
    """Return true or false; 0, 1 and "yes" are neither."""
    if not isinstance(value, bool):
        raise wrong_type(field, value, "true or false")
    return value


def read_text(value: object, field: str) -> str:
    """Return a text that says something."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
    if not value:
        raise Refused(f"{field} '' is empty", field, "", "1 character or more")
    return value


def read_label(value: object, field: str) -> str:
    """Return a mark's label: short, and safe to show anywhere."""
    if not isinstance(value, str):
        raise wrong_type(field, value, "text")
    if not 1 <= len(value) <= LABEL_LENGTH:
        raise Refused(
            f"{field} {format_value(value)} has {len(value)} characters; 1 to 64 are legal",
            field=field,
            value=value,
            legal="1 to 64 characters",
        )
    if any(unicodedata.category(c) in ("Cc", "Zl", "Zp") for c in value):
        raise Refused(
            f"{field} {format_value(value)} holds a control character",
            field=field,
            value=value,
            legal="1 to 64 characters, no control characters",
        )
    return value


def listed(read: Callable[[object, str], Any], what: str) -> Checked:
    """Return a validator for a non-empty list of something."""

    def read_list(value: object, field: str) -> tuple[Any, ...]:
        if not isinstance(value, list | tuple):
            raise wrong_type(field, value, f"a list of {what}")
        if not value:
            raise Refused(f"{field} [] is empty", field, [], f"one of {what}")
        return tuple(read(item, field) for item in value)

    return Checked(read_list, item=read)


def read_each(values: Iterable[Any], field: str, read: Callable[[Any], T]) -> tuple[T, ...]:
    """Return values as they are read, or refuse all that are wrong at once, each with its index."""
    found, refusals = [], []
    for i, value in enumerate(values):
        try:
            found.append(read(value))
        except Refused as refusal:
            refusals.append(refusal.prefixed(f"{field}[{i}]"))
    if refusals:
        raise Refused.combined(refusals)
    return tuple(found)


def read_choice(value: object, field: str, legal: tuple[Any, ...]) -> Any:
    """Return one of a few values."""
    for choice in legal:
        if type(value) is type(choice) and value == choice:
            return choice
    raise not_one_of(field, value, (format_value(one).strip("'") for one in legal))


def one_of(*legal: object) -> Checked:
    """Return a validator for one of a few values."""

    def read(value: object, field: str) -> Any:
        return read_choice(value, field, legal)

    return Checked(read, legal=legal)


def some_of(*legal: object) -> Checked:
    """Return a validator for one of a few values, or a list of them."""

    def read(value: object, field: str) -> tuple[Any, ...]:
        given = value if isinstance(value, list | tuple) and value else (value,)
        return tuple(read_choice(one, field, legal) for one in given)

    return Checked(read)


def nested(model: type[Model]) -> Checked:
    """Return a validator for a model within a model."""

    def read_nested(value: object, field: str) -> Model:
        if isinstance(value, model):
            return value
        with refusals_at(field):
            return model.from_dict(value)  # type: ignore[arg-type]

    return Checked(read_nested)


KeepPairs = Annotated[Literal["drop", "extend"] | bool, one_of("drop", "extend", True, False)]
Count = Annotated[int, Checked(read_count)]
Number = Annotated[int, Checked(read_number)]
Flag = Annotated[bool, Checked(read_flag)]
Text = Annotated[str, Checked(read_text)]
Label = Annotated[str, Checked(read_label)]
Indices = Annotated[tuple[int, ...], Checked(read_indices)]
RoleName = Annotated[Role, Checked(read_role)]
Roles = Annotated[tuple[Role, ...], listed(read_role, "roles")]
Words = Annotated[tuple[str, ...], listed(read_text, "words")]
Labels = Annotated[tuple[str, ...], listed(read_label, "labels")]


def fields_dict(record: Any) -> dict[str, Any]:
    """Return the fields of a named tuple as JSON-ready data, with their camelCase names."""
    return {to_camel(name): plain(getattr(record, name)) for name in record._fields}


class JsonRecord:
    """The base of dataclasses that are reported, and never read from data."""

    __slots__ = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready data, with their camelCase names."""
        names = [field.name for field in fields(self)]  # type: ignore[arg-type]
        return {to_camel(name): plain(getattr(self, name)) for name in names}
