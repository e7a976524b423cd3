"""Token counters: the estimate that is always there, and exact ones from an optional package.

The package is imported when the first exact counter is used and each vocabulary with its own
counter, so that a counter costs nothing until it is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from ..errors import Refused, format_value
from ..values.frozen import thaw
from ..values.packages import optional_module
from .messages import Message

if TYPE_CHECKING:
    from splintr import AnyTokenizer

VOCABULARIES = {
    "cl100k": "cl100k_base",
    "o200k": "o200k_base",
    "gpt-oss": "gpt-oss",
    "llama2": "llama2",
    "llama3": "llama3",
    "qwen3": "qwen3",
    "deepseek-v3": "deepseek_v3",
    "glm4": "glm4",
    "kimi-k2": "kimi_k2",
    "mistral-v1": "mistral_v1",
    "mistral-v2": "mistral_v2",
    "mistral-v3": "mistral_v3",
    "gemma2": "gemma2",
    "gemma3": "gemma3",
    "gemma4": "gemma4",
    "phi4": "phi4",
    "olmo2": "olmo2",
}
"""The counters by name, and what the package calls their vocabularies."""


class Vocabulary:
    """Counts the tokens of ``search_text``: what one model's own vocabulary makes of a message.

    Roles and the marks a chat template puts around a message add nothing. Text that looks like a
    special token, such as ``<|endoftext|>``, is text: a message can't make itself look shorter.
    """

    exact = True

    def __init__(self, name: str, tokenizer: AnyTokenizer) -> None:
        self.name = name
        self._encode = tokenizer.encode_ordinary

    def count(self, message: Message) -> int:
        text = message.search_text
        try:
            return len(self._encode(text))
        except UnicodeEncodeError:
            # Surrogate pairs are joined, and lone surrogates replaced.
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            return len(self._encode(text))


def load(name: str) -> Vocabulary:
    """Return the counter of a vocabulary, or refuse it if the package doesn't have it."""
    feature, legal = f"counter {format_value(name)}", "an installed one"
    refusal = {"field": "counter", "value": name, "legal": legal}
    splintr = optional_module("splintr", feature, "splintr-rs", "tokens", **refusal)
    try:
        return Vocabulary(name, splintr.Tokenizer.from_pretrained(VOCABULARIES[name]))
    except ValueError:
        newer = "pip install -U '.[tokens]' in a checkout brings a newer one"
        sentence = f"{feature} is not in the installed splintr-rs; {newer}"
        raise Refused(sentence, "counter", name, legal) from None


class Counter(Protocol):
    """Counts the tokens of one message; ``exact`` is False if the number is an estimate."""

    @property
    def name(self) -> str: ...

    @property
    def exact(self) -> bool: ...

    def count(self, message: Message) -> int: ...


class BytesQuarter:
    """A quarter of the UTF-8 bytes: close in any language, free, and never exact."""

    name = "bytes/4"
    exact = False

    def count(self, message: Message) -> int:
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
    return tuple(dict.fromkeys((DEFAULT.name, *VOCABULARIES, *_COUNTERS)))


def counter_named(name: str) -> Counter:
    """Return a counter by name, loading an exact one on first use; refuse an unknown name."""
    if name not in _COUNTERS:
        if name not in VOCABULARIES:
            legal = ", ".join(counter_names())
            raise Refused(
                f"counter {format_value(name)} is not known here; known are {legal}",
                field="counter",
                value=name,
                legal=legal,
            )
        register(load(name))
    return _COUNTERS[name]


def counting(name: str) -> Callable[[Message], int]:
    """Return how a counter counts messages; what stands for a longer summary counts as that."""
    count = counter_named(name).count

    def weighed(message: Message) -> int:
        tokens = count(message)
        return tokens if message.metadata is None else max(tokens, message.tokens_at_least)

    return weighed


def is_exact(name: str) -> bool:
    """Return whether a counter gives exact numbers; an unknown one is not trusted.

    An exact one that isn't installed is: what it counted elsewhere is still right.
    """
    found = _COUNTERS.get(name)
    return name in VOCABULARIES if found is None else found.exact


SENT = ("name", "description", "parameters", "data")
"""What a model receives about a tool; its notes are not sent."""


def count_tools(tools: object, counter: str) -> int:
    """Return the tokens that a conversation's ``meta.tools`` take, by a counter; 0 for none."""
    if not isinstance(tools, Sequence) or isinstance(tools, str) or not tools:
        return 0
    sent = [
        {key: tool[key] for key in SENT if key in tool} if isinstance(tool, Mapping) else tool
        for tool in thaw(tools)
    ]
    return count_definitions(sent, counter)


def count_definitions(definitions: Sequence[Any], counter: str) -> int:
    """Return the tokens of definitions as a request had them, by a counter; 0 for none."""
    if not definitions:
        return 0
    text = json.dumps(definitions, ensure_ascii=False, separators=(",", ":"))
    return counter_named(counter).count(Message("system", text))
