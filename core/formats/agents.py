"""What the transcripts of coding agents have in common: nodes, other lines, calls and results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from ..conversation.conversation import Conversation
from ..engine.messages import (
    DataPart,
    ImagePart,
    Message,
    Part,
    TextPart,
    ThinkingPart,
    ToolResultPart,
    ToolUsePart,
)
from ..engine.operations import Mark
from ..errors import Refused
from ..values.frozen import freeze
from ..values.models import Role
from .fields import is_object, read_timestamp
from .format_metadata import ContentBlocks, FormatMetadata, PartField, Shape, without
from .transcripts import Act, Row, TreeNode, build_tree, stored_lines
from .warnings import WarningCollector, without_values

LONGEST_TITLE = 60
THINKING = Shape(
    ThinkingPart,
    {
        "type": "thinking",
        "thinking": PartField("text"),
        "signature": PartField("signature", "optional"),
    },
)
TEXT = Shape(TextPart, {"type": "text", "text": PartField("text")})


class ImageBlocks(ContentBlocks):
    """Blocks of a content, of which some are pictures in base64, with their media type."""

    def part_of(
        self, block: Mapping[str, Any], place: int, warnings: WarningCollector
    ) -> Part | None:
        match block:
            case {"type": "image", "data": str(data), "mimeType": str(kind)}:
                rest = without(block, "type", "data", "mimeType")
                return ImagePart(f"data:{kind};base64,{data}", self.own.frozen(rest or None))
        return super().part_of(block, place, warnings)


class TranscriptBuilder:
    """Collects the nodes of a transcript, and its lines that are none."""

    def __init__(self, own: FormatMetadata, warnings: WarningCollector) -> None:
        self.own, self.warnings = own, warnings
        self.nodes: list[TreeNode] = []
        self.at: str | None = None
        """The node that the next one follows."""
        self.title: str | None = None
        self.fields: Row = {}
        self.labels: list[tuple[str, str]] = []
        """The ids of messages, each with a label that it has."""
        self._others: list[tuple[int, Mapping[str, Any]]] = []

    def add(
        self,
        messages: Sequence[Message] = (),
        *,
        name: str | None = None,
        follows: str | None = "",
        line: int | None = None,
        act: Act | None = None,
        calls: Sequence[Mapping[str, Any]] = (),
    ) -> str:
        """Add a node, which follows the last one unless another is named; return its name."""
        name = name or f"node {len(self.nodes)}"
        parent = self.at if follows == "" else follows
        self.nodes.append(TreeNode(name, parent, messages, line=line, act=act, calls=calls))
        self.at = name
        return name

    def read(
        self, number: int, row: Mapping[str, Any], make: Callable[[], list[Message]]
    ) -> list[Message]:
        """Return the messages of a line; one that can't be read is reported and kept as it is."""
        try:
            return make()
        except Refused as refusal:
            self.warnings.add("message-unreadable", number, without_values(refusal))
            self.other(number, row)
            return []

    def other(self, number: int, row: Mapping[str, Any]) -> None:
        self._others.append((number, row))

    @property
    def has_messages(self) -> bool:
        return any(node.messages for node in self.nodes)

    def conversation(self, active: str | None = None) -> Conversation:
        """Return the conversation of all nodes, which ends at the last one or at ``active``."""
        lines = stored_lines(self._others, self.warnings)
        meta = self.own.meta({}, {**self.fields, **lines})
        if self.title:
            meta["title"] = self.title
        nodes, end = _pruned(self.nodes, active or self.at)
        made = build_tree(nodes, self.warnings, active=end, meta=meta)
        raws = {message.id: raw for raw, message in enumerate(made.log)}
        for id, label in self.labels:
            if id in raws:
                made.execute(Mark(indices=[raws[id]], label=label))
        return made


def _pruned(nodes: Sequence[TreeNode], end: str | None) -> tuple[list[TreeNode], str | None]:
    """Return nodes without the ends of branches that hold no message, and the end of the path."""
    needed: set[str | None] = set()
    kept: list[TreeNode] = []
    for node in reversed(nodes):
        if node.messages or node.act is not None or node.id in needed:
            needed.add(node.parent)
            kept.append(node)
    names = {node.id for node in kept}
    parents = {node.id: node.parent for node in reversed(nodes)}
    for _ in nodes:
        if end is None or end in names or end not in parents:
            break
        end = parents[end]
    return kept[::-1], end if end in names else None


def short(text: str) -> str:
    """Return the first words of a text, as a title."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_TITLE else words[: LONGEST_TITLE - 1] + "…"


def message(
    own: FormatMetadata,
    role: Role,
    content: str | Sequence[Part],
    notes: Mapping[str, Any],
    time: object = None,
    id: object = None,
) -> Message:
    """Return a message; an empty one has an empty text."""
    return own.message(
        role,
        content,
        notes,
        id=id if isinstance(id, str) and id else None,
        timestamp=read_timestamp(time),
    )


def result(  # noqa: PLR0913 - a result has so many parts
    own: FormatMetadata,
    call: str,
    content: object,
    notes: Mapping[str, Any] = {},
    *,
    is_error: bool = False,
    time: object = None,
    id: object = None,
    read: Callable[[object], Iterable[Part]] | None = None,
) -> Message:
    """Return the message of a tool with one result: a text, parts, or any data."""
    given: str | tuple[Part, ...]
    if isinstance(content, str):
        given = content
    elif isinstance(content, list) and read is not None:
        parts = tuple(read(content))
        is_fit = all(isinstance(part, TextPart | ImagePart | DataPart) for part in parts)
        given = parts if is_fit else (own.data({"content": content}),)
    elif content is None:
        given = ""
    else:
        given = (own.data(content if is_object(content) else {"content": content}),)
    part = ToolResultPart(call, given, is_error or None)
    return message(own, "tool", [part], notes, time, id)


def call(own: FormatMetadata, id: str, name: object, given: object, **notes: Any) -> ToolUsePart:
    """Return a call of a tool."""
    made = freeze({} if given is None else given, "input")
    kept = {key: value for key, value in notes.items() if value is not None}
    return ToolUsePart(
        id, name if isinstance(name, str) else "tool", made, own.frozen(kept or None)
    )


def texts_in(content: object) -> str:
    """Return the text that a content says: itself, or its parts of text."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    found = [one.get("text") for one in content if is_object(one)]
    return "\n".join(text for text in found if isinstance(text, str))
