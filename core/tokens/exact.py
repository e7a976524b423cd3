"""Exact token counters: the vocabularies of real models, offline, from an optional package.

The package is imported when the first of these counters is used and each vocabulary when its own
name is, so that nobody pays for what they don't count with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import Refused, shown
from ..messages.message import Message

if TYPE_CHECKING:
    from splintr import AnyTokenizer

EXTRA = ".[tokens]"

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
        """Return the tokens of everything searchable in the message."""
        text = message.search_text
        try:
            return len(self._encode(text))
        except UnicodeEncodeError:
            return len(self._encode(_well_formed(text)))


def _well_formed(text: str) -> str:
    """Return a text whose surrogate pairs are joined and whose lone surrogates are replaced."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def load(name: str) -> Vocabulary:
    """Return the counter of a vocabulary, or refuse it where the package can't give it."""
    try:
        from splintr import Tokenizer  # noqa: PLC0415 - optional, and only for those who count so
    except ImportError:
        raise _refused(
            name, f"needs a package; pip install '{EXTRA}' in a checkout brings it"
        ) from None
    try:
        return Vocabulary(name, Tokenizer.from_pretrained(VOCABULARIES[name]))
    except ValueError:
        newer = f"pip install -U '{EXTRA}' in a checkout brings a newer one"
        why = f"is not in the installed splintr-rs; {newer}"
        raise _refused(name, why) from None


def _refused(name: str, why: str) -> Refused:
    return Refused(
        f"counter {shown(name)} {why}", field="counter", value=name, legal="an installed one"
    )
