"""Rewriting of messages: REDACT where a short text took the place of theirs, else REPLACE."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ..errors import shown
from ..messages.message import Message
from ..messages.parts import TextPart, ToolResultPart
from ..operations import Redact, Replace
from .asked import Sent
from .change import Certainty, Change, Step
from .identity import key_of
from .likeness import ALIKE_SHARE, How, has_shrunk
from .matching import Match
from .wording import raws

PLACEHOLDER = re.compile(r"\s*(?:\[.*\]|<.*>|\(.*\)|\{.*\}|\*.*\*)\s*", re.DOTALL)
"""What stands for something that was said: results may be replaced by any text, others not."""
SAID = {
    How.BY_ID: "another content, for the same calls",
    How.VOLATILE: "only times, ids or numbers differ",
    How.GREW: "something was added behind it",
    How.SHRANK: "some of its parts went",
    How.ALIKE: "it was written anew",
}


def rewritten(change: Change) -> Iterator[Step]:
    """Yield a step for each text that took the place of others, and for each new content."""
    texts: dict[str, list[Match]] = {}
    others: list[Match] = []
    for match in change.matches:
        if match.how is How.SAME:
            continue
        text = redaction(change.old[match.old].message, change.new[match.new])
        if text is None:
            others.append(match)
        else:
            texts.setdefault(text, []).append(match)
    for text, some in texts.items():
        named = change.raws_of([match.old for match in some])
        said = f"{raws(named)} {'reads' if len(named) == 1 else 'read'} {shown(text)} now"
        yield Step(Redact(indices=named, text=text), said, _certainty(some))
    for run in _runs(others):
        named = change.raws_of([match.old for match in run])
        said = f"{raws(named)}: {_said(change, run[0])}"
        news = [change.fresh(match.new) for match in run]
        yield Step(Replace(indices=named, messages=news), said, _certainty(run))


def _said(change: Change, match: Match) -> str:
    """Return what became of a message."""
    if match.how is How.BY_ID and has_shrunk(change.old[match.old], change.new[match.new]):
        return "some of its calls or results went"
    return SAID[match.how]


def redaction(old: Message, new: Sent) -> str | None:
    """Return the text that took the place of a message's own, if that is all that happened."""
    text = _text_of(new.message)
    if not text or len(text) >= len(old.search_text):
        return None
    if not old.results and not PLACEHOLDER.fullmatch(text):
        return None
    words, before = set(text.split()), set(old.search_text.split())
    if len(words & before) >= ALIKE_SHARE * len(words):
        return None
    return text if key_of(old.redacted(text)) == new.key else None


def _text_of(message: Message) -> str:
    """Return the text of a message's first result, or of its first text."""
    for part in message.parts:
        match part:
            case ToolResultPart(content=str(text)) | TextPart(text):
                return text
            case ToolResultPart(content=(TextPart(text),)):
                return text
    return ""


def _certainty(matches: Sequence[Match]) -> Certainty:
    return "proven" if all(match.how is How.BY_ID for match in matches) else "likely"


def _runs(matches: Sequence[Match]) -> Iterator[list[Match]]:
    """Yield matches that follow each other in both orders together: one REPLACE does for them."""
    run: list[Match] = []
    for match in matches:
        if run and (run[-1].old + 1, run[-1].new + 1, run[-1].how) != tuple(match):
            yield run
            run = []
        run.append(match)
    if run:
        yield run
