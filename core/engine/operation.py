"""What all operations have in common: a name, fields, and how they read as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from ..errors import Refused, format_value
from ..values.models import Count, Indices, Labels, Model, Number, Roles, Text, Words, nested

PHRASE_ITEMS = 5
PHRASE_CHARACTERS = 40
UNSPOKEN = ("description", "skipHidden")


class Operation(Model):
    """A change of a conversation, as it was asked for."""

    opens_batch: ClassVar[bool] = False

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the operation from its fields; its name may stand among them."""
        if isinstance(data, Mapping):
            name = data.get("operation")
            own = isinstance(name, str) and name.upper() == cls.title
            data = {k: v for k, v in data.items() if k != "operation" or not own}
        return super().from_dict(data)

    def to_dict(self) -> dict[str, Any]:
        """Return the operation in the flat form: its name and the fields that were given."""
        return {"operation": self.title, **super().to_dict()}

    def sentence(self) -> str:
        """Return the operation in plain words, such as ``TRUNCATE keepLast 5``."""
        fields = super().to_dict()
        words = [_phrase(name, fields[name]) for name in fields if name not in UNSPOKEN]
        return " ".join([self.title, ", ".join(words)]).strip()


def _phrase(name: str, value: Any) -> str:
    """Return a field in words: its name and value, or only how many messages it holds."""
    match value:
        case True:
            return name
        case dict() if "role" in value:
            return f"{value['role']} {name}"
        case dict():
            return f"{name} " + " ".join(_phrase(k, v) for k, v in value.items())
        case list() if name == "summary":
            return name
        case list() if name in ("messages", "indices") and _is_long(value):
            return "1 message" if len(value) == 1 else f"{len(value)} messages"
        case list():
            return f"{name} {', '.join(str(item) for item in value)}"
        case str():
            short = len(value) <= PHRASE_CHARACTERS and value.isprintable()
            return f"{name} {value if short else format_value(value)}"
        case _:
            return f"{name} {format_value(value)}"


def _is_long(value: list[Any]) -> bool:
    return len(value) > PHRASE_ITEMS or any(isinstance(item, dict) for item in value[:1])


class BatchOperation(Operation):
    """An operation that opens a batch, and may name it."""

    opens_batch: ClassVar[bool] = True
    description: Text | None = Field(default=None, description="Name of the new batch")


class Positions(Model):
    """A half-open stretch of visible positions; negative ones count from the end."""

    title: ClassVar[str] = "positions"
    start: Number | None = None
    end: Number | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if self.start is None and self.end is None:
            raise Refused("positions names neither start nor end", field="positions", value={})
        return self


class Choice(Model):
    """A choice among the visible messages that also fits other conversations."""

    title: ClassVar[str] = "select"
    roles: Roles | None = None
    marks: Labels | None = None
    content_contains: Words | None = None
    content_excludes: Words | None = None
    positions: Annotated[Positions, nested(Positions)] | None = None
    except_last: Count | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if all(getattr(self, name) is None for name in Choice.model_fields):
            fields = "roles, marks, contentContains, contentExcludes, positions, exceptLast"
            raise Refused(
                f"select {{}} is no condition; give at least one of {fields}",
                field="select",
                value={},
                legal=fields,
            )
        return self


ChoiceField = Annotated[Choice, nested(Choice)]


class Picking(Model):
    """Fields of the operations that name messages: by raw index, or by a choice."""

    indices: Indices | None = Field(default=None, description="Raw indices of the messages")
    select: ChoiceField | None = Field(default=None, description="A choice among visible messages")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.indices is None) == (self.select is None):
            has = "neither indices nor" if self.indices is None else "both indices and"
            raise Refused(
                f"{self.title} has {has} select; give one of them",
                field="indices",
                value=self.indices,
                legal="indices or select",
            )
        return self


class Keeping(Model):
    """Fields that set messages aside, so that an operation doesn't touch them."""

    keep_roles: Roles | None = Field(default=None, description="Roles that always stay")
    keep_marks: Labels | None = Field(default=None, description="Marked messages that always stay")
