"""Lines of a transcript: what each is, and which line it follows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ..conversation.conversation import Conversation
from ..engine.messages import DataPart, Message, Part, ToolResultPart, ToolUsePart
from ..engine.meta_fields import LINES, WEB_LINES, other_fields
from ..engine.operations import DescribeMeta
from ..errors import Refused
from ..values.frozen import thaw
from ..values.models import Role
from .anthropic import read_turn, report_part_losses, write_blocks, write_content
from .base import Format, Layout, Loaded, Written
from .fields import is_object, read_timestamp, write_timestamp
from .format_metadata import FormatMetadata, without
from .json_text import dump_json
from .losses import conversation_losses
from .source import NO_OBJECTS, Source
from .transcripts import (
    Placed,
    Row,
    TreeNode,
    build_tree,
    compaction,
    in_order,
    is_line,
    others_of,
    stored_lines,
    visible_content,
)
from .usage import ANTHROPIC_USAGE, call_of
from .warnings import FormatWarning, WarningCollector, without_values

TITLES = (("custom-title", "customTitle"), ("ai-title", "aiTitle"), ("summary", "summary"))
"""Lines that name the conversation, the best one first, and the key of the name."""
UNSENT = ("hook_", "command_permissions")
"""How the names of attachments begin that were not sent."""
UNKNOWN = -2
"""The line that a line names as its parent, but that is not there."""
NOTHING = -1
"""What the first line follows."""

Key = tuple[object, ...]


class Line:
    """A line of a transcript, its number in the file, and what is asked of it again and again.

    ``uuid`` is what other lines call it by, ``parent`` the line it says it follows.
    """

    __slots__ = (
        *("data", "is_attachment", "is_boundary", "is_message", "is_side", "number", "parent"),
        "uuid",
    )

    def __init__(self, number: int, data: Mapping[str, Any]) -> None:
        self.number = number
        self.data = data
        self.uuid = _text(data.get("uuid"))
        self.parent = _text(data.get("parentUuid"))
        is_said = is_object(data.get("message"))
        self.is_attachment = data.get("type") == "attachment" and _is_sent(data.get("attachment"))
        """Whether it is data of which a message of the system was made."""
        self.is_message = (is_said and data.get("type") in ("user", "assistant")) or (
            self.is_attachment
        )
        self.is_boundary = data.get("subtype") == "compact_boundary"
        """Whether the lines before it were compacted."""
        self.is_side = data.get("isSidechain") is True
        """Whether a sub-agent wrote it."""

    @property
    def said(self) -> object:
        return self.data.get("attachment" if self.is_attachment else "message")

    @property
    def message_id(self) -> str | None:
        """Return the id of the answer of which it may be one of several blocks."""
        return _text(self.said.get("id")) if self.is_message and is_object(self.said) else None

    @property
    def preserved(self) -> tuple[str, ...]:
        """Return the lines that stayed visible behind the summary of a compaction."""
        match self.data.get("compactMetadata"):
            case {"preservedMessages": {"uuids": list(uuids)}}:
                return tuple(uuid for uuid in uuids if isinstance(uuid, str))
        return ()


def _is_sent(attachment: object) -> bool:
    """Return whether data next to the messages was sent; that of hooks was not."""
    kind = attachment.get("type") if is_object(attachment) else None
    return isinstance(kind, str) and not kind.startswith(UNSENT)


def links(lines: Sequence[Line]) -> list[int]:
    """Return for each line the place of the one it follows.

    In a file in which no line names another, each follows the one before.
    """
    places: dict[str, int] = {}
    for place, line in enumerate(lines):
        if line.uuid is not None:
            places.setdefault(line.uuid, place)
    is_flat = all(line.parent is None for line in lines)
    before = {True: NOTHING, False: NOTHING}
    found = []
    for place, line in enumerate(lines):
        link = NOTHING if line.parent is None else places.get(line.parent, UNKNOWN)
        if line.is_boundary:
            logical = _text(line.data.get("logicalParentUuid"))
            link = places.get(logical, NOTHING) if logical is not None else NOTHING
        is_loose = "parentUuid" not in line.data and line.is_message
        if link == NOTHING and (is_flat or line.is_boundary or line.uuid is None or is_loose):
            link = before[line.is_side]
        found.append(NOTHING if link == place else link)
        if line.is_message:
            before[line.is_side] = place
    return found


def sorted_out(lines: Sequence[Line], follows: Sequence[int]) -> dict[Key, list[int]]:
    """Return the places of each conversation's lines: the main ones and those of sub-agents.

    Lines that are no messages and that no line follows belong to the first.
    """
    keys: dict[int, Key] = {}
    found: dict[Key, list[int]] = {}
    loose: list[int] = []
    for place, line in enumerate(lines):
        link = follows[place]
        if line.uuid is None and not line.is_message:
            loose.append(place)
            continue
        key = keys.get(link)
        if key is None or key[0] is not line.is_side:
            name = _text(line.data.get("agentId")) if line.is_side else None
            whose = name or (place if line.is_side else _text(line.data.get("sessionId")))
            key = (line.is_side, whose)
        keys[place] = key
        found.setdefault(key, []).append(place)
    if loose:
        first = next(iter(found), (False, None))
        found[first] = sorted([*found.get(first, ()), *loose])
    return found


def title_of(lines: Sequence[Line]) -> str | None:
    """Return what lines call the conversation; the last name of the best kind counts."""
    for kind, key in TITLES:
        for line in reversed(lines):
            if line.data.get("type") == kind and _text(line.data.get(key)):
                return str(line.data[key])
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


NOTES = FormatMetadata("claude-code")
COMPACTION = "compaction"


@dataclass(slots=True)
class DraftNode:
    """A node while it is made: its lines, and the place of its first among the nodes it follows."""

    place: int
    role: Role
    content: str | list[Part]
    form: str | None
    parent: int
    opens: bool
    keeps: tuple[str, ...]
    message: Message | None
    """What it holds, as long as it is of one line."""
    entries: list[dict[str, Any]] = field(default_factory=list)
    answers: set[str] = field(default_factory=set)
    """The calls whose results it holds."""
    results: list[int] = field(default_factory=list)
    """The places of the results of its calls."""
    said: list[Mapping[str, Any]] = field(default_factory=list)
    """The answers of a model that it is made of, as they lie in the lines."""


class NodeBuilder:
    """The nodes of one conversation, and the lines of it that are none."""

    def __init__(
        self, lines: Sequence[Line], follows: Sequence[int], warnings: WarningCollector
    ) -> None:
        self._lines, self._follows, self._warnings = lines, follows, warnings
        self._nodes: dict[int, DraftNode] = {}
        self._owner: dict[int, int] = {}
        self._ways: dict[int, tuple[int, int]] = {}
        self._counted: set[str] = set()
        self._said: dict[str, object] = {}
        self.others: list[Line] = []

    def add(self, place: int) -> None:
        line = self._lines[place]
        if not line.is_message or self._is_twice(line):
            self.others.append(line)
            return
        try:
            role, content, form = _turn(line, self._warnings)
            entry = _entry(line, content)
            message = _message(role, content, form, [entry], line)
        except Refused as refusal:
            self._warnings.add("message-unreadable", line.number, without_values(refusal))
            self.others.append(line)
            return
        parent, crossed = self._way(self._follows[place])
        opens = line.data.get("isCompactSummary") is True or crossed != NOTHING
        keeps = self._lines[crossed].preserved if crossed != NOTHING else ()
        joined = self._same_answer(line, parent) if isinstance(content, list) else None
        if joined is not None and form is None and not opens:
            self._owner[place] = joined.place
            joined.content += content  # type: ignore[operator]
            joined.entries.append(entry)
            joined.said.append(line.data["message"])
            joined.message = None
            return
        node = DraftNode(place, role, content, form, parent, opens, keeps, message, [entry])
        node.said += [line.data["message"]] if role == "assistant" else []
        self._owner[place] = place
        self._nodes[place] = node
        if role == "tool":
            self._follow_results(node)

    def nodes(self) -> list[TreeNode]:
        """Return all nodes; what follows one result of an answer follows the last of them."""
        return [self._made(node) for node in self._nodes.values()]

    @property
    def is_silent(self) -> bool:
        return not self._nodes

    @property
    def side_title(self) -> str:
        """Return what the conversation of a sub-agent is called: by its first words."""
        first = next(iter(self._nodes.values()))
        words = " ".join(NOTES.message(first.role, first.content, {}).text.split())
        short = words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1] + "…"
        return f"sub-agent: {short}" if short else "sub-agent"

    def _is_twice(self, line: Line) -> bool:
        if line.uuid is None:
            return False
        if line.uuid not in self._said:
            self._said[line.uuid] = line.said
            return False
        is_same = bool(self._said[line.uuid] == line.said)
        self._warnings.add("message-repeated" if is_same else "id-repeated", line.number)
        return is_same

    def _way(self, place: int) -> tuple[int, int]:
        """Return the node that leads to a place, and the place of a compaction between them."""
        path: list[int] = []
        seen: set[int] = set()
        while place >= 0 and place not in self._owner and place not in self._ways:
            if place in seen:
                place = NOTHING
                break
            seen.add(place)
            path.append(place)
            place = self._follows[place]
        found, crossed = self._ways.get(place, (self._owner.get(place, place), NOTHING))
        for step in reversed(path):
            crossed = step if self._lines[step].is_boundary else crossed
            self._ways[step] = found, crossed
        return found, crossed

    def _same_answer(self, line: Line, parent: int) -> DraftNode | None:
        """Return the node of the answer that a line continues; results may be between them."""
        if line.message_id is None:
            return None
        node = self._nodes.get(parent)
        node = node if node is None or node.role != "tool" else self._asked(node)
        if node is None or node.role != "assistant" or isinstance(node.content, str):
            return None
        same = self._lines[node.place].message_id == line.message_id
        return node if same and node.form is None else None

    def _asked(self, result: DraftNode) -> DraftNode | None:
        node: DraftNode | None = result
        while node is not None and node.role == "tool":
            node = self._nodes.get(node.parent)
        return node

    def _follow_results(self, node: DraftNode) -> None:
        """Put results behind those of the same answer, unless they answer the same calls again."""
        if isinstance(node.content, str):
            return  # A plain text under the name of a tool result.
        results = [part for part in node.content if isinstance(part, ToolResultPart)]
        node.answers = {part.tool_use_id for part in results}
        asked = self._asked(node)
        if asked is None or isinstance(asked.content, str):
            return
        calls = {one.id for one in asked.content if isinstance(one, ToolUsePart)}
        given = {one for place in asked.results for one in self._nodes[place].answers}
        if node.answers <= calls and not node.answers & given:
            if asked.results:
                node.parent = asked.results[-1]
            asked.results.append(node.place)

    def _made(self, node: DraftNode) -> TreeNode:
        parent = self._nodes.get(node.parent)
        asked = None if parent is None else self._asked(parent)
        results = asked.results if asked is not None else []
        if parent is not None and parent.place in results and node.place not in results:
            parent = self._nodes[results[-1]]
        first = self._lines[node.place]
        name = None if parent is None else str(parent.place)
        if node.parent == UNKNOWN:
            name = "?"
        keeps = self._owners(node.keeps)
        is_act = bool(keeps) and first.data.get("isCompactSummary") is True
        return TreeNode(
            str(node.place),
            name,
            [node.message or _message(node.role, node.content, node.form, node.entries, first)],
            COMPACTION if node.opens and not is_act else None,
            node.opens and not is_act,
            first.number,
            compaction(COMPACTION, keeps) if is_act else None,
            self._calls(node, first),
        )

    def _owners(self, uuids: Sequence[str]) -> list[str]:
        """Return the nodes that lines became, by the ids of the lines."""
        if not uuids:
            return []
        places = {line.uuid: place for place, line in enumerate(self._lines) if line.uuid in uuids}
        found = [self._owner.get(places[uuid]) for uuid in uuids if uuid in places]
        return [str(place) for place in dict.fromkeys(found) if place is not None]

    def _calls(self, node: DraftNode, first: Line) -> list[Row]:
        """Return the call that an answer is of; every line of it repeats what it cost."""
        if not node.said:
            return []
        body = node.said[-1]
        if first.message_id is not None:
            if first.message_id in self._counted:
                return []
            self._counted.add(first.message_id)
        more = {"request": first.data.get("requestId"), "model": body.get("model")}
        time = read_timestamp(first.data.get("timestamp"))
        return call_of(body.get("usage"), ANTHROPIC_USAGE, time, **more)


def _turn(line: Line, warnings: WarningCollector) -> tuple[Role, str | list[Part], str | None]:
    """Return the role and the content of a line; of an attachment its words are not known."""
    if line.is_attachment:
        return "system", [NOTES.data(line.data["attachment"])], None
    return read_turn(line.data["message"], line.number, warnings)


def _entry(line: Line, content: str | list[Part]) -> dict[str, Any]:
    """Return what is noted of a line: everything but what the message itself holds."""
    if line.is_attachment:
        return {"at": line.number, "line": without(line.data, "attachment"), "parts": 1}
    body: Mapping[str, Any] = line.data["message"]
    kept = {**line.data, "message": without(body, "content")}
    return {"at": line.number, "line": kept, "parts": len(content)}


def _message(
    role: Role,
    content: str | list[Part],
    form: str | None,
    entries: list[dict[str, Any]],
    first: Line,
) -> Message:
    """Return the message of some lines, with the id and the time of the first."""
    notes: dict[str, Any] = {"lines": entries}
    if first.is_attachment:
        notes["rebuilt"] = True  # The words that were sent are not in the file.
    if form is not None:
        notes["content"] = form
    time = read_timestamp(first.data.get("timestamp"))
    return NOTES.message(role, content, notes, id=first.uuid, timestamp=time)


LONGEST_TITLE = 60


def read_log(
    lines: Sequence[Line], warnings: WarningCollector, web: Mapping[str, Any] | None = None
) -> Iterator[Conversation]:
    """Yield each conversation of a log; ``web`` is what a web export has besides lines."""
    follows = links(lines)
    builders: list[tuple[object, NodeBuilder]] = []
    for (is_side, _), places in sorted_out(lines, follows).items():
        builder = NodeBuilder(lines, follows, warnings)
        for place in _parents_first(places, follows):
            builder.add(place)
        builders.append((is_side, builder))
    # Lines of a chain without messages are stored with the first that has some.
    homeless = [line for _, builder in builders if builder.is_silent for line in builder.others]
    for is_side, builder in builders:
        if builder.is_silent:
            continue
        others, homeless = [*builder.others, *homeless], []
        field = LINES if web is None else WEB_LINES
        kept = stored_lines([(one.number, one.data) for one in others], warnings, field)
        meta = NOTES.meta({} if web is None else {"web": {}}, {**(web or {}), **kept})
        title = builder.side_title if is_side else title_of(lines)
        if title is not None:
            meta["title"] = title
        yield build_tree(builder.nodes(), warnings, meta=meta)


def _parents_first(places: Sequence[int], follows: Sequence[int]) -> Iterator[int]:
    """Yield places in order of appearance, but each after the one it follows."""
    waiting = set(places)
    for place in places:
        path: list[int] = []
        while place in waiting:
            waiting.remove(place)
            path.append(place)
            place = follows[place]
        yield from reversed(path)


def all_lines(conversation: Conversation) -> list[Placed]:
    """Return every line that was read, and those of visible messages that were added since."""
    placed = _others_of(conversation)
    for message in conversation.log:
        placed += noted_lines(message)
    at, uuid = (0, 0), None
    for raw, message in zip(conversation.view, conversation.visible, strict=True):
        own = noted_lines(message)
        if own:
            at, uuid = own[-1][0], _uuid_of(own[-1][1])
        else:
            at = (at[0], at[1] + 1)
            row = new_line(message, raw, uuid)
            placed.append((at, row))
            uuid = row["uuid"]
    return sorted(placed, key=lambda one: one[0])


def chain(conversation: Conversation, warnings: WarningCollector) -> list[Row]:
    """Return the visible messages, each after the other, and the lines that name them all."""
    types = [type for type, _ in TITLES]
    rows = [row for _, row in _others_of(conversation) if row.get("type") in types]
    before: str | None = None
    used: set[object] = set()
    is_first = True
    for raw, message in zip(conversation.view, conversation.visible, strict=True):
        report_part_losses(message, raw, warnings)
        if message.role == "system" and not noted_lines(message):
            warnings.add("system-left-out", raw)
            continue
        for _, row in noted_lines(message) or [((0, 0), new_line(message, raw, before))]:
            if row.get("uuid") in used:
                row["uuid"] = _made_uuid(raw, message)
            used.add(row.get("uuid"))
            if "uuid" in row:
                row["parentUuid"] = before
                before = _uuid_of(row)
            if not is_first:
                row.pop("isCompactSummary", None)
            rows.append(row)
        is_first = False
    return rows


def _others_of(conversation: Conversation) -> list[Placed]:
    """Return the lines that are no messages; a web export has them under a name of its own."""
    is_web = isinstance(NOTES.of(conversation.meta).get("web"), Mapping)
    return others_of(NOTES, conversation, WEB_LINES if is_web else LINES)


def noted_lines(message: Message) -> list[Placed]:
    """Return the lines that a message was read from, with what it says now."""
    notes = NOTES.of(message.metadata)
    found = notes.get("lines")
    entries = [
        one
        for one in (found if isinstance(found, list) else ())
        if isinstance(one, Mapping) and is_line(one.get("at"), one.get("line"))
    ]
    if len(entries) == 1 and entries[0]["line"].get("type") == "attachment":
        (part,) = message.parts
        given = thaw(part.data) if isinstance(part, DataPart) else {"text": message.text}
        return [((entries[0]["at"], 0), {**entries[0]["line"], "attachment": given})]
    if len(entries) == 1:
        return [_line(entries[0], write_content(message, notes.get("content")))]
    counts = [one.get("parts") for one in entries]
    if not all(isinstance(count, int) for count in counts) or sum(counts) != len(message.parts):  # type: ignore[arg-type]
        return [_line(entries[0], write_content(message, None))] if entries else []
    placed, start = [], 0
    for one in entries:
        blocks = write_blocks(message.parts[start : start + one["parts"]])
        placed.append(_line(one, {"content": blocks}))
        start += one["parts"]
    return placed


def _line(entry: Mapping[str, Any], content: Row) -> Placed:
    row = entry["line"]
    body = row.get("message")
    body = body if isinstance(body, Mapping) else {}
    return (entry["at"], 0), {**row, "message": {**body, **content}}


def new_line(message: Message, raw: int, before: str | None) -> Row:
    """Return the line of a message that was not read from one."""
    role = "assistant" if message.role == "assistant" else "user"
    row: Row = {
        "parentUuid": before,
        "isSidechain": False,
        "type": role,
        "message": {"role": role, **write_content(message, None)},
        "uuid": message.id or _made_uuid(raw, message),
    }
    if message.timestamp is not None:
        row["timestamp"] = write_timestamp(message.timestamp)
    return row


def _made_uuid(raw: int, message: Message) -> str:
    """Return an id that is the same whenever the same message is written."""
    return str(uuid5(NAMESPACE_URL, f"ctxtui:{raw}:{message.role}:{message.text!a}"))


def _uuid_of(row: Row) -> str | None:
    return row["uuid"] if isinstance(row.get("uuid"), str) else None


class ClaudeCode(Format):
    """A tree of lines; sub-agents are conversations of their own, compactions are batches."""

    name = NOTES.key
    about = "a Claude Code transcript, as JSONL or from the web"
    lies_mixed = True
    suffixes = (".claude-code.jsonl", ".claude-code.json")
    kinds = ("a Claude Code transcript",)
    signs = (
        {"type": str, "uuid": str, "message": {"role": object}},
        {"type": str, "uuid": str, "sessionId": str},
        {"leafUuid": object},
        {"loglines": list},
    )

    def read(self, source: Source) -> Iterator[Loaded]:
        """Yield the conversation of the lines and those of sub-agents; each web export has its."""
        layout = Layout.ITEMS
        if not source.is_lines and isinstance(source.document(), list):
            layout = Layout.LIST
        lines: list[Line] = []
        for number, row in source.rows():
            if isinstance(row.get(WEB_LINES), list):
                web = Layout.LINES if source.is_lines else Layout.DOCUMENT
                inside = []
                for place, line in enumerate(row[WEB_LINES], 1):
                    if is_object(line):
                        inside.append(Line(place, line))
                    else:
                        source.collector.add(NO_OBJECTS, place)
                for made in read_log(inside, source.collector, without(row, WEB_LINES)):
                    yield Loaded(made, self.name, layout=web, place=number)
            else:
                lines.append(Line(number, row))
        for made in read_log(lines, source.collector):
            yield Loaded(made, self.name, layout=layout)
        if lines and source.path is not None:
            yield from self._sub_agents(source, source.path.stem)

    def _sub_agents(self, source: Source, session: str) -> Iterator[Loaded]:
        """Yield the conversations of the sub-agents whose files are in the folder of a session."""
        about = {
            path.name.removesuffix(".meta.json"): other.document()
            for path, other in source.beside(f"{session}/subagents/agent-*.meta.json")
        }
        for path, other in source.beside(f"{session}/subagents/agent-*.jsonl"):
            rows = [Line(number, row) for number, row in other.rows()]
            named = about.get(path.stem)
            title = named.get("description") if is_object(named) else None
            for made in read_log(rows, other.collector):
                if isinstance(title, str) and title:
                    made.execute(DescribeMeta(meta={"title": f"sub-agent: {title}"}))
                yield Loaded(made, self.name, other.warnings, Layout.ITEMS)

    def write(self, conversation: Conversation) -> Written:
        rows = in_order(all_lines(conversation))
        adapted = _losses_of(rows, [conversation])
        if adapted is not None:
            return _written(rows, conversation, adapted[0])
        warnings = WarningCollector()
        rows = chain(conversation, warnings)
        held = _held(conversation, title_of([Line(0, row) for row in rows]))
        losses = (*conversation_losses(conversation, *held), *warnings.found())
        return _written(rows, conversation, losses)

    def write_all(
        self, conversations: Iterable[Conversation], layout: Layout, warnings: WarningCollector
    ) -> Iterator[str]:
        """Yield the lines of all; those of one file, as of sub-agents, are in their old order.

        Only web exports can be in one file with others: lines would be read as one tree.
        """
        number, are_lines = 1, False
        for together in _by_file(conversations):
            rows = in_order(line for one in together for line in all_lines(one))
            adapted = _losses_of(rows, together)
            if adapted is not None:
                written = [_written(rows, together[0], ())]
            else:
                written = [self.write(one) for one in together]
                adapted = [one.warnings for one in written]
            is_first, were_lines = number == 1, are_lines
            are_lines = any(one.layout is Layout.ITEMS for one in written)
            if not is_first and (were_lines or are_lines):
                raise self.holds_only_one()
            for losses in adapted:
                for warning in losses:
                    warnings.include(warning, number)
                number += 1
            if layout is Layout.LIST and are_lines:
                yield dump_json([row for one in written for row in one.data]) + "\n"
            else:
                yield from (one.text for one in written)


def _losses_of(
    rows: list[Any], together: list[Conversation]
) -> list[tuple[FormatWarning, ...]] | None:
    """Return what lines leave out of each conversation; nothing if they are read as others."""
    found = list(read_log([Line(i, row) for i, row in enumerate(rows)], WarningCollector()))
    if list(map(visible_content, found)) != list(map(visible_content, together)):
        return None
    return [
        conversation_losses(one, *_held(one, again.meta.get("title")), again=again)
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
    """Return what a web export had in addition to its lines, or None for other transcripts."""
    is_web = isinstance(NOTES.of(conversation.meta).get("web"), Mapping)
    return thaw(without(other_fields(conversation.meta), WEB_LINES)) if is_web else None


def _written(
    rows: list[Any], conversation: Conversation, adapted: tuple[FormatWarning, ...]
) -> Written:
    web = _web(conversation)
    if web is not None:
        return Written({WEB_LINES: rows, **web}, adapted)
    return Written(rows, adapted, Layout.ITEMS)


def _held(conversation: Conversation, title: object) -> tuple[str, ...]:
    held = NOTES.held(conversation.meta)
    return (*held, "title") if conversation.meta.get("title") == title else held
