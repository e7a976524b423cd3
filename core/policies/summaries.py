"""Summaries a policy writes: from a template, or from whatever a program gives instead."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import Refused, not_a
from ..history.state import State
from ..messages.message import Message
from ..operations import Compress
from ..rules.changing import to_compress
from ..values.models import read_role_field, read_text
from ..values.roles import Role

Summarise = Callable[[Sequence[Message]], str]
"""Gives the text that stands for some messages."""

EXCERPT_CHARACTERS = 240
PIECE_CHARACTERS = 60
USUAL_ROLE: Role = "user"
_BLANK = re.compile(r"\{(count|tokens|excerpt)\}")


class Template(NamedTuple):
    """Who says a summary, and its text with ``{count}``, ``{tokens}`` and ``{excerpt}``."""

    role: Role
    text: str

    @classmethod
    def read(cls, data: Mapping[str, Any]) -> Template:
        """Return a template from JSON data, or refuse it."""
        for key in data:
            if key not in ("role", "template"):
                raise Refused(
                    f"{key!r} stands beside a template; only role may",
                    field=f"summary.{key}",
                    value=data[key],
                    legal="role, template",
                )
        role = read_role_field(data.get("role", USUAL_ROLE), "summary.role")
        return cls(role, read_text(data["template"], "summary.template"))

    def filled(self, messages: Sequence[Message], tokens: int) -> str:
        """Return the text for some messages."""
        values = {"count": str(len(messages)), "tokens": str(tokens), "excerpt": excerpt(messages)}
        return _BLANK.sub(lambda found: values[found[1]], self.text)


class Summary(NamedTuple):
    """A COMPRESS whose summary is written when it is known what goes."""

    operation: Compress
    template: Template | None

    def written(self, state: State, summarise: Summarise | None) -> Compress:
        """Return the operation with the summary of what it would hide here."""
        going = to_compress(state, self.operation).indices
        if not going:
            return self.operation
        going = sorted(going, key=lambda raw: state.view.position(raw) or 0)
        messages = [state.log[raw] for raw in going]
        role = USUAL_ROLE if self.template is None else self.template.role
        if summarise is not None:
            text = summarise(messages)
            if not isinstance(text, str):
                raise not_a("summarise", text, "a function that gives text")
        else:
            assert self.template is not None
            tokens = sum(state.log.tokens(raw, state.counter) for raw in going)
            text = self.template.filled(messages, tokens)
        return self.operation.model_copy(
            update={"summary": (Message(role, text),)},
        )


def excerpt(messages: Sequence[Message]) -> str:
    """Return the first words of what some messages say, as far as there is room."""
    pieces: list[str] = []
    room = EXCERPT_CHARACTERS
    for message in messages:
        words = " ".join(message.text[: 4 * PIECE_CHARACTERS].split())
        if not words:
            continue
        piece = words if len(words) <= PIECE_CHARACTERS else f"{words[: PIECE_CHARACTERS - 1]}…"
        room -= len(piece) + 3
        if room < 0:
            pieces.append("…")
            break
        pieces.append(piece)
    return " / ".join(pieces)
