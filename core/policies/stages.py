"""The stages of a policy: when each is due, and the operations it runs as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self

from pydantic import model_validator

from ..errors import Refused, below, key_name, not_a, shown
from ..operations import Compress, Configure, Operation
from ..operations.dialects import read_operation
from ..values.models import Count, Flag, Model, checked, read_number, to_camel
from .summaries import Summary, Template

KEYS = ("when", "do")


def read_interval(value: object, field: str) -> int:
    """Return a number of calls, one at least."""
    if read_number(value, field) < 1:
        raise below(field, value, 1)
    return value  # type: ignore[return-value]


class When(Model):
    """What makes a stage due: any one of the conditions that are given; with none, always."""

    title: ClassVar[str] = "when"
    tokens_above: Count | None = None
    messages_above: Count | None = None
    every_calls: Annotated[int | None, checked(read_interval)] = None
    always: Flag = True

    @model_validator(mode="after")
    def _never(self) -> Self:
        if not self.always:
            raise Refused(
                "always false says nothing; leave it out or give another condition",
                field="always",
                value=False,
                legal="true",
            )
        return self

    @property
    def is_always(self) -> bool:
        """Tell whether the stage is due before every call."""
        return "always" in self.model_fields_set or (
            self.tokens_above is None and self.messages_above is None and self.every_calls is None
        )

    def is_due(self, messages: int, tokens: int, call: int) -> bool:
        """Tell whether a stage is due before a call, of which so much would be sent."""
        return (
            (self.messages_above is not None and messages > self.messages_above)
            or (self.tokens_above is not None and tokens > self.tokens_above)
            or (self.every_calls is not None and call % self.every_calls == 0)
            or self.is_always
        )

    def in_words(self) -> str:
        """Return the conditions in plain words."""
        if self.is_always:
            return "before every call"
        told = [
            f"above {self.tokens_above:,} tokens" if self.tokens_above is not None else "",
            f"above {self.messages_above:,} messages" if self.messages_above is not None else "",
            f"every {self.every_calls:,} calls" if self.every_calls is not None else "",
        ]
        return " or ".join(one for one in told if one)


ALWAYS = When()


@dataclass(frozen=True, slots=True)
class Stage:
    """What is done, as one change, where it is due."""

    when: When
    do: tuple[Operation | Summary, ...]

    def in_words(self) -> str:
        """Return what it does and when, in plain words."""
        done = [one if isinstance(one, Operation) else one.operation for one in self.do]
        told = ", then ".join(operation.sentence() for operation in done)
        return f"{told}, {self.when.in_words()}"


def read_stage(data: object, *, may_lack_template: bool) -> Stage:
    """Return a stage from JSON data, or refuse it.

    A COMPRESS without a summary of its own gets one where a program writes them.
    """
    if not isinstance(data, Mapping):
        raise not_a("stage", data, "an object with do, and when if it isn't always due")
    for key in data:
        if key not in KEYS:
            raise Refused(
                f"{shown(key)} is not a key of a stage ({', '.join(KEYS)})",
                field=key_name(key),
                value=data[key],
                legal=", ".join(KEYS),
            )
    when = ALWAYS if data.get("when") is None else When.from_dict(data["when"])
    do = data.get("do")
    if not isinstance(do, list | tuple):
        raise not_a("do", do, "a list of operations")
    if not do:
        raise Refused("do [] holds no operation", field="do", value=[], legal="one or more")
    read = []
    for place, one in enumerate(do):
        try:
            read.append(_read(one, may_lack_template))
        except Refused as refusal:
            raise refusal.inside(f"do[{place}]") from None
    return Stage(when, tuple(read))


def _read(data: Any, may_lack_template: bool) -> Operation | Summary:
    bare, template = _without_template(data)
    operation = read_operation(bare)
    if isinstance(operation, Configure):
        raise Refused(
            "CONFIGURE can't stand in a policy: settings are what its calls are judged by",
            field="operation",
            value=operation.title,
            legal="any operation but CONFIGURE",
        )
    if template is not None and not isinstance(operation, Compress):
        raise not_a("summary", data.get("summary"), f"part of {operation.title}")
    if not isinstance(operation, Compress) or operation.summary is not None:
        return operation
    has_text = template is not None or may_lack_template
    return Summary(operation, template) if has_text else operation


def _without_template(data: Any) -> tuple[Any, Template | None]:
    """Return an operation without the template of its summary, and the template."""
    if not isinstance(data, Mapping):
        return data, None
    for key, value in data.items():
        if key_name(key) == "summary" and isinstance(value, Mapping) and "template" in value:
            rest = {name: field for name, field in data.items() if name != key}
            return rest, Template.read(value)
        if isinstance(value, Mapping) and to_camel(key_name(key)).lower() == "compress":
            inner, template = _without_template(value)
            if template is not None:
                return {**data, key: inner}, template
    return data, None
