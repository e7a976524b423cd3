"""One line of text for each message and batch."""

from __future__ import annotations

from dataclasses import dataclass

from core import Batch, Conversation, Message
from core.parts import ToolResultPart, ToolUsePart, leaves
from ctxtui.render.symbols import visible

GLYPHS = {"system": "§", "user": "❯", "assistant": "◆", "tool": "↳"}
WORDS = {"system": "sys", "user": "user", "assistant": "asst", "tool": "tool"}
PREVIEW = 400


@dataclass(frozen=True, slots=True)
class Row:
    """A line of a list: what goes before, the text that may be cut, and what goes behind."""

    role: str
    lead: str
    text: str
    tail: str
    dim: bool = False


def preview(message: Message) -> str:
    """Return the start of a message: its text, then the tools it calls, or their results."""
    words = [message.text[:PREVIEW]] if message.text else []
    for part in message.parts:
        if isinstance(part, ToolUsePart):
            words.append(f"→ {part.name} {' '.join(leaves(part.input))[:PREVIEW]}")
        elif isinstance(part, ToolResultPart):
            words.append(part.content[:PREVIEW] if isinstance(part.content, str) else "…")
    return visible(" ".join(words), PREVIEW)


def tokens(count: int) -> str:
    """Return a number of tokens in a few cells: 940, 2.4k, 214k."""
    if count < 1_000:  # noqa: PLR2004
        return str(count)
    return f"{count / 1_000:.1f}k" if count < 100_000 else f"{count // 1_000}k"  # noqa: PLR2004


def raw_rows(conversation: Conversation) -> list[Row]:
    """Return a row for every message of the log; hidden ones name what hid them."""
    return [_raw_row(conversation, raw) for raw in range(len(conversation.log))]


def _raw_row(conversation: Conversation, raw: int) -> Row:
    message = conversation.log[raw]
    position = conversation.query.to_visible(raw)
    lead = f"{raw:>4} {GLYPHS[message.role]} {WORDS[message.role]:<4} "
    if position is not None:
        count = conversation.log.tokens(raw, conversation.settings.counter)
        return Row(message.role, lead, preview(message), f"{tokens(count):>6} → {position:>3}")
    hidden = conversation.blame(raw)
    if hidden is None or hidden.operation is None or hidden.batch is None:
        tail = "other branch"
    else:
        tail = f"{hidden.operation.title.lower()} {hidden.batch.number}"
    return Row(message.role, lead, preview(message), tail, dim=True)


def visible_rows(conversation: Conversation) -> list[Row]:
    """Return a row for every message a model would be sent."""
    rows = []
    for position, raw in enumerate(conversation.view):
        message = conversation.log[raw]
        count = conversation.log.tokens(raw, conversation.settings.counter)
        lead = f"{position:>4} {raw:>4} {GLYPHS[message.role]} {WORDS[message.role]:<4} "
        rows.append(Row(message.role, lead, preview(message), f"{tokens(count):>6}"))
    return rows


def batch_rows(conversation: Conversation) -> list[Row]:
    """Return a row for every batch, the abandoned ones dimmed."""
    on_path = {batch.id for batch in conversation.path}
    return [_batch_row(conversation, batch, batch.id in on_path) for batch in conversation.batches]


def _batch_row(conversation: Conversation, batch: Batch, on_path: bool) -> Row:
    view = conversation.snapshot(id=batch.id)
    assert view is not None
    now = batch.id == conversation.batch.id
    glyph = "◉" if now else "○" if on_path else "◌"
    lead = f" {glyph} {batch.number:>3} "
    name = batch.operation.title if batch.operation else "START"
    text = batch.description
    text = visible(text if text.startswith(name) else f"{name} {text}")
    tail = f"{view.message_count:>4} visible" + ("" if on_path else ", abandoned")
    return Row("", lead, text, tail, dim=not on_path)
