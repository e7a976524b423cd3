"""Token counters: named plug-ins that turn a message into a number."""

from __future__ import annotations

from typing import Protocol

from ..errors import Refused, shown
from ..messages.message import Message
from . import exact


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


def counter_names() -> tuple[str, ...]:
    """Return every name a counter is known by, also of those that would have to be installed."""
    return tuple(dict.fromkeys((DEFAULT.name, *exact.VOCABULARIES, *_COUNTERS)))


def counter_named(name: str) -> Counter:
    """Return a counter by name, loading an exact one on first use; refuse a name nobody knows."""
    if name not in _COUNTERS:
        if name not in exact.VOCABULARIES:
            legal = ", ".join(counter_names())
            raise Refused(
                f"counter {shown(name)} is not known here; known are {legal}",
                field="counter",
                value=name,
                legal=legal,
            )
        register(exact.load(name))
    return _COUNTERS[name]


def is_exact(name: str) -> bool:
    """Tell whether a counter gives exact numbers; one that nobody knows here is not trusted.

    An exact one that isn't installed is: what it counted elsewhere is still right.
    """
    found = _COUNTERS.get(name)
    return name in exact.VOCABULARIES if found is None else found.exact
