"""Token counters: named plug-ins that turn a message into a number."""

from __future__ import annotations

from typing import Protocol

from core.errors import Refused, shown
from core.messages import Message


class Counter(Protocol):
    """Counts the tokens of one message; ``exact`` is False where the number is an estimate."""

    @property
    def name(self) -> str:
        """Return the name that settings and figures call this counter by."""
        ...

    @property
    def exact(self) -> bool:
        """Tell whether the count is what the provider would charge."""
        ...

    def count(self, message: Message) -> int:
        """Return the tokens of a message."""
        ...


class BytesQuarter:
    """A quarter of the UTF-8 bytes: close in any language, free, and never exact."""

    name = "bytes/4"
    exact = False

    def count(self, message: Message) -> int:
        """Return the bytes of everything searchable in the message, divided by four, rounded up."""
        text = message.search_text
        # A lone surrogate has no UTF-8 form; it counts as the three bytes it would take.
        size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
        return -(-size // 4)


DEFAULT = BytesQuarter()
_COUNTERS: dict[str, Counter] = {DEFAULT.name: DEFAULT}


def register(counter: Counter) -> None:
    """Make a counter known under its name."""
    _COUNTERS[counter.name] = counter


def counter_named(name: str) -> Counter:
    """Return a counter by name, or refuse a name nobody registered."""
    try:
        return _COUNTERS[name]
    except KeyError:
        legal = ", ".join(_COUNTERS)
        raise Refused(
            f"counter {shown(name)} is not known here; known are {legal}",
            field="counter",
            value=name,
            legal=legal,
        ) from None


def is_exact(name: str) -> bool:
    """Tell whether a counter gives exact numbers; one that isn't installed is not trusted."""
    return name in _COUNTERS and _COUNTERS[name].exact
