"""Claude Code: transcripts as JSONL, and as the web exports them.

A message notes the lines it was read from in ``metadata.claude-code``, all but what it holds
itself; lines that are no messages are another field. So a transcript that was only read, or went
on, is given back line by line. Where messages were hidden or changed, the visible ones are written
as one chain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...conversation.conversation import Conversation
from ...queries.fields import WEB_LINES, other_fields
from ...values.frozen import thaw
from ..base import Format, Layout, Loaded, Sureness, Written
from ..json_text import dump_json
from ..notes import without
from ..recognising import CLAUDE_CODE, recognise
from ..source import NO_OBJECTS, Sample, Source
from ..transcripts import in_order, what_is_said
from ..warnings import FormatWarning, WarningCollector, beside_messages
from .growing import NOTES
from .lines import Line, title_of
from .reading import read_log
from .writing import all_lines, chain

WEB = WEB_LINES

__all__ = ["ClaudeCode"]


class ClaudeCode(Format):
    """A tree of lines; sub-agents are conversations of their own, compactions are batches."""

    name = NOTES.key
    about = "a Claude Code transcript, as JSONL or from the web"
    lies_mixed = True
    suffixes = (".claude-code.jsonl", ".claude-code.json")
    kinds = (CLAUDE_CODE,)

    def sureness(self, sample: Sample) -> Sureness:
        """Tell whether the first lines are a transcript's."""
        data = list(sample.items) if sample.is_lines else sample.items[0]
        return Sureness.LOOKS_LIKE if recognise(data) == CLAUDE_CODE else Sureness.NO

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield the conversation of the lines and those of sub-agents; each web export has its."""
        layout = Layout.ITEMS
        if not source.is_lines and isinstance(source.document(), list):
            layout = Layout.LIST
        lines: list[Line] = []
        for number, row in source.rows():
            if isinstance(row.get(WEB), list):
                web = Layout.LINES if source.is_lines else Layout.DOCUMENT
                inside = _web_lines(row[WEB], source.collector)
                for made in read_log(inside, source.collector, without(row, WEB)):
                    yield Loaded(made, self.name, layout=web, place=number)
            else:
                lines.append(Line(number, row))
        for made in read_log(lines, source.collector):
            yield Loaded(made, self.name, layout=layout)

    def write(self, conversation: Conversation) -> Written:
        """Return the lines it was read from and what was added, or the visible messages."""
        rows = in_order(all_lines(conversation))
        adapted = _told_of(rows, [conversation])
        if adapted is not None:
            return _written(rows, conversation, adapted[0])
        warnings = WarningCollector()
        rows = chain(conversation, warnings)
        held = _held(conversation, title_of([Line(0, row) for row in rows]))
        told = (*beside_messages(conversation, *held), *warnings.found())
        return _written(rows, conversation, told)

    def write_all(
        self, conversations: Iterable[Conversation], layout: Layout, warnings: WarningCollector
    ) -> Iterator[str]:
        """Yield the lines of all; those of one file, as of sub-agents, lie as they lay there.

        Only web exports can lie in one file with others: lines would be read as one tree.
        """
        number, are_lines = 1, False
        for together in _by_file(conversations):
            rows = in_order(line for one in together for line in all_lines(one))
            adapted = _told_of(rows, together)
            if adapted is not None:
                written = [_written(rows, together[0], ())]
            else:
                written = [self.write(one) for one in together]
                adapted = [one.warnings for one in written]
            is_first, were_lines = number == 1, are_lines
            are_lines = any(one.layout is Layout.ITEMS for one in written)
            if not is_first and (were_lines or are_lines):
                raise self.holds_only_one()
            for told in adapted:
                for warning in told:
                    warnings.include(warning, number)
                number += 1
            if layout is Layout.LIST and are_lines:
                yield dump_json([row for one in written for row in one.data]) + "\n"
            else:
                yield from (one.text for one in written)


def _told_of(
    rows: list[Any], together: list[Conversation]
) -> list[tuple[FormatWarning, ...]] | None:
    """Return what lines leave out of each conversation; nothing if they are read as others."""
    found = list(read_log([Line(i, row) for i, row in enumerate(rows)], WarningCollector()))
    if list(map(what_is_said, found)) != list(map(what_is_said, together)):
        return None
    return [
        beside_messages(one, *_held(one, again.meta.get("title")), again=again)
        for one, again in zip(together, found, strict=True)
    ]


def _by_file(conversations: Iterable[Conversation]) -> Iterator[list[Conversation]]:
    """Yield the conversations whose lines can have lain in one file: no two at the same place."""
    together: list[Conversation] = []
    taken: set[tuple[int, int]] = set()
    for one in conversations:
        places = {at for at, _ in all_lines(one)}
        is_apart = bool(together) and _web(together[-1]) != _web(one)
        if together and (is_apart or taken & places):
            yield together
            together, taken = [], set()
        together.append(one)
        taken |= places
    if together:
        yield together


def _web(conversation: Conversation) -> Any:
    """Return what a web export had beside its lines, or nothing for other transcripts."""
    is_web = isinstance(NOTES.of(conversation.meta).get("web"), Mapping)
    return thaw(without(other_fields(conversation.meta), WEB)) if is_web else None


def _written(
    rows: list[Any], conversation: Conversation, adapted: tuple[FormatWarning, ...]
) -> Written:
    """Return lines, or the web export that they came in."""
    web = _web(conversation)
    if isinstance(web, Mapping):
        return Written({WEB: rows, **without(web, WEB)}, adapted)
    return Written(rows, adapted, Layout.ITEMS)


def _web_lines(rows: list[object], warnings: WarningCollector) -> list[Line]:
    lines = []
    for number, row in enumerate(rows, 1):
        if isinstance(row, Mapping):
            lines.append(Line(number, row))
        else:
            warnings.add(NO_OBJECTS, number)
    return lines


def _held(conversation: Conversation, title: object) -> tuple[str, ...]:
    """Return the meta keys that lines hold."""
    held = NOTES.held(conversation.meta)
    return (*held, "title") if conversation.meta.get("title") == title else held
