"""One operation in each of the forms it can be asked in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctxtui import core
from tests.core.naive import Step
from tests.core.naive_messages import Fields

FORMS = ("object", "flat", "flat lower", "nested", "nested lower")
MODIFIED = {"indices", "data", "batch"}


def snake(name: str) -> str:
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name)


def respelled(fields: Fields) -> Fields:
    """Return fields with snake_case names, also inside select, range and compressionConfig."""
    inner = ("select", "positions", "compressionConfig")
    return {
        snake(key): respelled(value) if key in inner and isinstance(value, dict) else value
        for key, value in fields.items()
    }


@dataclass(frozen=True)
class Ask:
    """An operation, and the form in which the engine is asked for it."""

    name: str
    fields: Fields
    form: str
    snake: bool = False

    def given(self) -> Any:
        """Return what the engine gets; making the object form may be refused already."""
        fields = respelled(self.fields) if self.snake else self.fields
        lower = self.form.endswith("lower")
        if self.form == "object":
            title = "".join(word.capitalize() for word in self.name.split("_"))
            return getattr(core, title)(**fields)
        if self.form.startswith("nested"):
            name = self.name.lower() if lower else self.name
            return {"operation": name, name: fields}
        if self.form == "modification":
            return {"operation": self.name, **fields}
        ambiguous = fields.keys() <= MODIFIED
        return {"operation": self.name.lower() if lower and not ambiguous else self.name, **fields}

    def meant(self) -> Step:
        """Return what the naive model gets."""
        fields = self.fields
        if self.form == "modification":
            return self._modification()
        if self.form.startswith("nested") and self.name == "INSERT":
            position = fields.get("position")
            if type(position) is int and position == -1:
                return Step("APPEND", {k: v for k, v in fields.items() if k != "position"})
        return Step(self.name, fields)

    def _modification(self) -> Step:
        indices, number = self.fields.get("indices"), self.fields.get("batch")
        data = self.fields.get("data")
        many = data if isinstance(data, list) else [data]
        match self.name:
            case "insert":
                return Step("APPEND", {"messages": many})
            case "delete":
                return Step("DELETE", {"indices": indices}, lenient=True)
            case "replace":
                return Step("REPLACE", {"indices": indices, "messages": many}, lenient=True)
            case "compress":
                summary = {} if data is None else {"summary": data}
                return Step("COMPRESS", {"indices": indices, **summary}, lenient=True)
            case "batch_start":
                boundary = {"boundary": indices[0]} if indices else {}
                return Step("BATCH_START", boundary, number=number)
        return Step("ROLLBACK", {"targetBatchIndex": indices[0] if indices else number})
