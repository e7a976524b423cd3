"""What all operations have in common: a name, fields, and how they read as a sentence."""

from collections.abc import Mapping
from typing import Any, ClassVar, Self

from ..errors import format_value
from ..values.models import Model

PHRASE_ITEMS = 5
PHRASE_CHARACTERS = 40
UNSPOKEN = ("description", "skipHidden", "asCopies", "templates")


class Operation(Model):
    """A change of a conversation, as requested."""

    opens_batch: ClassVar[bool] = False

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Return the operation from its fields; its name may be among them."""
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
        return f"{self.title} {self.arguments_text()}".strip()

    def arguments_text(self) -> str:
        """Return its fields in plain words, such as ``keepLast 5``."""
        fields = super().to_dict()
        return ", ".join(_phrase(name, fields[name]) for name in fields if name not in UNSPOKEN)


def _phrase(name: str, value: Any) -> str:
    """Return a field in words: its name and value, or only how many messages it holds."""
    match value:
        case True:
            return name
        case {} if not value:
            return f"{name} every message"
        case dict() if "role" in value:
            return f"{value['role']} {name}"
        case dict():
            return f"{name} " + " ".join(_phrase(k, v) for k, v in value.items())
        case list() if name == "summary":
            return name
        case list() if name in ("messages", "indices") and _is_long(value):
            return "1 message" if len(value) == 1 else f"{len(value)} messages"
        case list():
            return f"{name} {', '.join(map(_item, value))}"
        case str():
            short = len(value) <= PHRASE_CHARACTERS and value.isprintable()
            return f"{name} {value if short else format_value(value)}"
        case _:
            return f"{name} {format_value(value)}"


def _item(value: Any) -> str:
    """Return an entry of a list in words."""
    if not isinstance(value, dict):
        return str(value)
    return " ".join(_phrase(name, inner) for name, inner in value.items()) or "every message"


def _is_long(value: list[Any]) -> bool:
    return len(value) > PHRASE_ITEMS or any(isinstance(item, dict) for item in value[:1])
