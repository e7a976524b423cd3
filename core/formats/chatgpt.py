"""What messages of ChatGPT's export say: contents of many types, to and from parts of core."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import Any
from uuid import NAMESPACE_URL, uuid5

from ..conversation.conversation import Conversation
from ..engine.journal import Noted
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
from ..engine.meta_fields import is_bare_node
from ..engine.operations import Checkout
from ..errors import Refused, wrong_type
from ..values.frozen import freeze, freeze_object, same_json, thaw
from .base import Confidence, JsonFormat, Loaded, Written
from .fields import ROLES, core_role, is_object, read_timestamp
from .format_metadata import FormatMetadata, PartField, Shape, inner, merged, without
from .json_text import parsed
from .losses import Holds, conversation_losses
from .transcripts import TreeNode, build_tree
from .warnings import FormatWarning, WarningCollector, as_role, without_values

NOTES = FormatMetadata("chatgpt")
Row = dict[str, Any]
PARTS, THOUGHTS, DATA, NONE = "parts", "thoughts", "data", "none"
TEXT_KEYS = ("text", "content", "result")
"""The keys under which contents of one text have it."""
POINTER = Shape(
    ImagePart, {"content_type": "image_asset_pointer", "asset_pointer": PartField("url")}
)
WITHIN = "within"
"""The key of the notes that says where in a content the parts were."""


def read_content(row: Mapping[str, Any]) -> tuple[list[Part], Row]:
    """Return the parts of a message's content, and what is to be noted of it."""
    content: Any = row.get("content")
    match content:
        case {"parts": list(items)}:
            return [_read_item(item) for item in items], _noted(content, PARTS)
        case {"thoughts": [_, *_] as thoughts} if all(
            is_object(one) and isinstance(one.get("content"), str) for one in thoughts
        ):
            return [
                ThinkingPart(one["content"], None, NOTES.frozen(without(one, "content")))
                for one in thoughts
            ], _noted(content, THOUGHTS)
        case Mapping():
            key = next((key for key in TEXT_KEYS if isinstance(content.get(key), str)), None)
            if key is not None:
                return [TextPart(content[key])], _noted(content, key)
            return [NOTES.data(content)], {WITHIN: DATA}
    given = {"given": content} if "content" in row else {}
    return [], {WITHIN: NONE, **given}


def write_content(parts: Sequence[Part], noted: Row) -> Row | None:
    """Return the content entry of a message, or None where the parts don't fit what was noted."""
    where, rest = noted.get(WITHIN), without(noted, WITHIN)
    is_blank = not parts or list(parts) == [TextPart("")]
    match where:
        case "parts" if all(map(is_item, parts)):
            is_empty = noted.get("empty") and is_blank
            items = [] if is_empty else [_write_item(part) for part in parts]
            return {"content": merged({PARTS: items}, without(rest, "empty"))}
        case "thoughts" if parts and all(isinstance(part, ThinkingPart) for part in parts):
            return {"content": merged({THOUGHTS: list(map(_write_item, parts))}, rest)}
        case "data" if len(parts) == 1 and isinstance(parts[0], DataPart):
            return {"content": thaw(parts[0].data)}
        case "none" if is_blank:
            return {"content": rest["given"]} if "given" in rest else {}
        case "text" | "content" | "result":
            if len(parts) == 1 and isinstance(parts[0], TextPart):
                return {"content": merged({where: parts[0].text}, rest)}
    return None


def usual_content(parts: Sequence[Part]) -> Row:
    """Return the content of parts of other formats: text and images, or thinking."""
    if _are_thoughts(parts):
        noted = {WITHIN: THOUGHTS, "content_type": THOUGHTS}
    else:
        plain = all(isinstance(part, TextPart) for part in parts)
        noted = {WITHIN: PARTS, "content_type": "text" if plain else "multimodal_text"}
    return write_content(parts, noted) or {}


def _are_thoughts(parts: Sequence[Part]) -> bool:
    return bool(parts) and isinstance(parts[0], ThinkingPart)


def is_item(part: Part) -> bool:
    """Return whether a part can be in a list of parts."""
    if isinstance(part, DataPart):
        return NOTES.is_in(part.metadata)
    return isinstance(part, TextPart | ImagePart)


def _noted(content: Mapping[str, Any], key: str) -> Row:
    empty = {"empty": True} if content[key] == [] else {}
    return {WITHIN: key, **empty, **without(content, key, WITHIN, "empty")}


def _read_item(item: Any) -> Part:
    if isinstance(item, str):
        return TextPart(item)
    if not is_object(item):
        return DataPart(freeze_object({"item": item}, "data"), NOTES.frozen({"is": "item"}))
    return POINTER.read(NOTES, item) or NOTES.data(item)


def _write_item(part: Part) -> Any:
    notes = NOTES.of(part.metadata)
    match part:
        case TextPart():
            return part.text
        case ImagePart():
            return POINTER.write(NOTES, part)
        case ThinkingPart():
            return merged(
                {"content": part.text}, notes if NOTES.is_in(part.metadata) else {"summary": ""}
            )
        case DataPart():
            data = thaw(part.data)
            return data.get("item") if notes.get("is") == "item" else data
    raise AssertionError("only parts that can be in a list are written")


EVERYBODY = "all"
ID = "tool_call_id"
"""The key of a message's metadata that names a call where the tree does not say it."""
USUAL: Row = {"status": "finished_successfully", "weight": 1.0, "metadata": {}}
"""What a message has in addition to its content, where nothing is stored."""


def is_call(row: Mapping[str, Any]) -> bool:
    """Return whether a message is for a tool: what an assistant says to a named recipient."""
    recipient = row.get("recipient")
    author = row.get("author")
    role = author.get("role") if is_object(author) else None
    is_named = isinstance(recipient, str) and recipient not in ("", EVERYBODY)
    return is_named and role == "assistant" and _call_text(read_content(row)[0]) is not None


def read_message(
    row: Mapping[str, Any],
    key: str,
    call: str | None,
    node: Row,
    place: int,
    warnings: WarningCollector,
) -> Message:
    """Return the message of the node ``key``, which makes or, as a tool's, answers ``call``."""
    author = row.get("author")
    if not is_object(author) or not isinstance(author.get("role"), str):
        raise wrong_type("author", author, f"an object with a role: {', '.join(ROLES)}")
    role = core_role(author["role"])
    if author["role"] not in ROLES:
        warnings.add("role-read-as", place, as_role(author["role"], role))
    parts, noted = read_content(row)
    if noted[WITHIN] == DATA:
        warnings.add("content-kept-as-data", place)
    notes = {**without(row, "id", "content"), "author": dict(author), "content": noted}
    content: Sequence[Part] = parts
    text = _call_text(parts)
    if is_call(row) and text is not None:
        given = _input(text)
        if _text_of(given) != text:
            notes["content"] = {**noted, "call": text}
        content = [ToolUsePart(call or key, row["recipient"], freeze(given, "input"))]
    elif role == "tool" and call is not None and not _are_thoughts(parts):
        content = [ToolResultPart(call, text if text is not None else tuple(parts))]
    id = row["id"] if isinstance(row.get("id"), str) else None
    if "id" in row and id is None:
        notes["id"] = row["id"]
    time = read_timestamp(row.get("create_time"))
    return NOTES.message(role, content, {"node": node, "message": notes}, id=id, timestamp=time)


def write_message(
    message: Message, raw: int, warnings: WarningCollector
) -> list[tuple[Row, str | None]]:
    """Return the messages for one of core, the first with what was noted.

    Each has the id of the call that it makes or answers; their own ids are those of nodes.
    """
    LOSSES.report(message, raw, warnings)
    for part in message.parts:
        if isinstance(part, ToolUsePart):
            given = thaw(part.input)
            if not same_json(_input(_text_of(given)), given):
                warnings.add("input-becomes-text", raw)
            if part.name in ("", EVERYBODY):
                warnings.add("call-becomes-text", raw)
    noted = inner(NOTES.of(message.metadata), "message")
    whole = _whole(message.parts, inner(noted, "content"))
    pieces = [whole] if whole is not None else list(_pieces(message.parts))
    # Of a message of which nothing can be held, its place is kept.
    pieces = pieces or [(None, None, usual_content([]), None)]
    if len(pieces) > 1:
        warnings.add("message-split", raw)
    rows = []
    for number, (role, recipient, content, call) in enumerate(pieces):
        notes = noted if number == 0 else {}
        author = merged({"role": role or message.role}, {"name": None, "metadata": {}})
        said = inner(notes, "author")
        if said and core_role(str(said.get("role"))) == author["role"]:
            author = said
        row = {"author": author, **content, **_time(message, notes)}
        recipient = recipient or (None if notes else EVERYBODY)
        if recipient is not None:
            row["recipient"] = recipient
        elif notes.get("recipient") not in (None, EVERYBODY) and message.calls:
            row["recipient"] = EVERYBODY
        rest = without(notes, "author", "content", "create_time")
        rows.append((merged(row, rest if notes else USUAL), call))
    return rows


_ExportedRow = tuple[str | None, str | None, Row, str | None]
"""A role unless it is the message's, to whom unless noted, the content entry, and which call."""


def _whole(parts: Sequence[Part], noted: Row) -> _ExportedRow | None:
    """Return a message as the one it was, if it still fits."""
    within = without(noted, "call")
    match parts:
        case [ToolUsePart() as call]:
            text = _text_of(thaw(call.input))
            before = noted.get("call")
            if isinstance(before, str) and same_json(_input(before), thaw(call.input)):
                text = before
            content = write_content([TextPart(text)], within)
            return None if content is None else ("assistant", call.name, content, call.id)
        case [ToolResultPart() as result]:
            content = write_content(_result_parts(result), within)
            return None if content is None else ("tool", None, content, result.tool_use_id)
    content = write_content(parts, within)
    return None if content is None else (None, None, content, None)


def _pieces(parts: Sequence[Part]) -> Iterator[_ExportedRow]:
    """Yield what parts from elsewhere are in an export: one thing in each message."""
    said: list[Part] = []
    for part in parts:
        if said and (isinstance(part, ThinkingPart) != isinstance(said[0], ThinkingPart)):
            yield None, None, usual_content(said), None
            said = []
        if isinstance(part, ThinkingPart) or is_item(part):
            said.append(part)
            continue
        if said:
            yield None, None, usual_content(said), None
            said = []
        if isinstance(part, ToolUsePart):
            text = {"text": _text_of(thaw(part.input))}
            code = {"content_type": "code", "language": "unknown", **text}
            yield "assistant", part.name, {"content": code}, part.id
        elif isinstance(part, ToolResultPart):
            held = [one for one in _result_parts(part) if is_item(one)]
            yield "tool", None, usual_content(held), part.tool_use_id
    if said:
        yield None, None, usual_content(said), None


def _result_parts(result: ToolResultPart) -> Sequence[Part]:
    content = result.content
    return (TextPart(content),) if isinstance(content, str) else content


def _time(message: Message, notes: Row) -> Row:
    """Return the time as it was written, as long as it is the message's."""
    given = notes.get("create_time")
    if notes and read_timestamp(given) == message.timestamp:
        return {"create_time": given} if "create_time" in notes else {}
    return {"create_time": None if message.timestamp is None else message.timestamp / 1_000}


def _call_text(parts: Sequence[Part]) -> str | None:
    return parts[0].text if len(parts) == 1 and isinstance(parts[0], TextPart) else None


def _input(text: str) -> Any:
    """Return what a tool is given: an object of JSON, or the text as the one thing in it."""
    value = parsed(text)[1]
    return value if isinstance(value, dict) else {"text": text}


def _text_of(given: object) -> str:
    match given:
        case {"text": str(text)} if _input(text) == given:
            return text
        case str():
            return given
    return json.dumps(given, ensure_ascii=False)


LOSSES = Holds(
    NOTES,
    lambda part, _: isinstance(part, ToolUsePart | ThinkingPart) or is_item(part),
    id=True,
    timestamp=True,
    foreign_call="call-becomes-assistant",
    foreign_result="result-becomes-tool",
)


def answered(mapping: Mapping[str, Any], parents: Mapping[str, str | None]) -> dict[str, str]:
    """Return the id of the call that each node makes or, as a tool's, answers.

    A result that names none answers the call it follows, with nothing but results and nodes
    without a message between.
    """
    after: dict[str, str | None] = {}
    found: dict[str, str] = {}
    for start in mapping:
        chain: list[str] = []
        key: str | None = start
        while key is not None and key not in after and key in mapping:
            after[key] = None
            chain.append(key)
            key = parents.get(key)
        for key in reversed(chain):
            parent = parents.get(key)
            call = after.get(parent) if parent is not None else None
            row = _message(mapping[key])
            id = inner(row or {}, "metadata").get(ID)
            own = id if isinstance(id, str) and id else None
            if row is not None and is_call(row):
                call = found[key] = own or key
            elif row is not None:
                is_tool = core_role(str(inner(row, "author").get("role"))) == "tool"
                call = call if is_tool else None
                if is_tool and (answer := own or call) is not None:
                    found[key] = answer
            after[key] = call
    return found


def put_ids(
    mapping: Mapping[str, Any], parents: Mapping[str, str | None], wanted: Mapping[str, str]
) -> None:
    """Let the nodes that would be read as another call's say which one they make or answer."""
    for makes_calls in (True, False):
        read = answered(mapping, parents)
        for key, id in wanted.items():
            row = _message(mapping[key])
            if row is not None and is_call(row) == makes_calls and read.get(key) != id:
                row["metadata"] = {**inner(row, "metadata"), ID: id}


def _message(node: object) -> Any:
    row = node.get("message") if isinstance(node, Mapping) else None
    return row if isinstance(row, Mapping) else None


MAPPING = "mapping"
Parents = dict[str, str | None]


def parents_of(mapping: Mapping[str, Any]) -> Parents:
    """Return the parent of each node: as it says itself, else as the children of others say."""
    found: Parents = {}
    for key, node in mapping.items():
        for child in _children(node):
            # Of several the least, since nodes are not always in the order of the file.
            found[child] = min(found.get(child) or key, key)
    for key, node in mapping.items():
        if is_object(node) and "parent" in node:
            found[key] = node["parent"] if isinstance(node["parent"], str) else None
    return {key: found.get(key) for key in mapping}


def nearest(key: str | None, parents: Parents, wanted: Container[str | None]) -> str | None:
    """Return a node or its nearest ancestor that is wanted; none where the way leads round."""
    seen: set[str] = set()
    while key is not None and key not in wanted:
        if key in seen or key not in parents:
            return None
        seen.add(key)
        key = parents[key]
    return key


class Forest:
    """A conversation by the nodes its messages were read from, and where those are now."""

    def __init__(self, conversation: Conversation) -> None:
        self.conversation = conversation
        notes = NOTES.of(conversation.meta)
        unread = inner(NOTES.fields_of(conversation.meta), MAPPING)
        self.empty = {**inner(notes, MAPPING), **unread}
        """Nodes without a message, as they were."""
        visible, view = conversation.visible, conversation.view
        self.path: list[tuple[int, str]] = []
        """The visible messages, each with the key of its node."""
        self.raw: dict[str, int] = {}
        """The message of each node, the visible one where there are several."""
        for raw, message in zip(view, visible, strict=True):
            key = _node(message.metadata).get("key")
            if not isinstance(key, str) or key in self.raw or key in self.empty:
                key = str(uuid5(NAMESPACE_URL, f"ctxtui:{raw}:{message.role}:{message.text!a}"))
            self.raw[key] = raw
            self.path.append((raw, key))
        self.noted = dict(self.empty)
        for message in conversation.log:
            node = _node(message.metadata)
            if isinstance(node.get("key"), str):
                self.noted.setdefault(node["key"], without(node, "key"))
        self.elsewhere = 0
        for raw in self._other_branches():
            key = _node(conversation.log[raw].metadata).get("key")
            if isinstance(key, str) and key not in self.raw and key not in self.empty:
                self.raw[key] = raw
                self.elsewhere += 1
        self.parents = self._parents()
        self.end = self.path[-1][1] if self.path else None

    def _other_branches(self) -> list[int]:
        """Return the messages that end branches other than the current one can see."""
        made = self.conversation
        above = {revision.parent for revision in made.revisions}
        found: set[int] = set()
        for revision in made.revisions:
            if revision.id not in above and revision.id != made.current.id:
                found.update(revision.view)
        return sorted(found)

    def _parents(self) -> Parents:
        before = parents_of(self.noted)
        kept = {**dict.fromkeys(self.empty), **dict.fromkeys(self.raw)}
        parents: Parents = {}
        for key in kept:
            parent = before.get(key)
            # A parent that never was there stays named, as it was.
            parents[key] = nearest(parent, before, kept) if parent in before else parent
        last: str | None = None
        for _, key in self.path:
            above = nearest(parents.get(key), parents, self.raw)
            if above != last or key not in before:
                parents[key] = last if last is not None else self.root
            last = key
        return parents

    @property
    def root(self) -> str | None:
        """Return the node without a message that everything hangs from, if there is one."""
        before = parents_of(self.noted)
        return next((key for key in self.empty if before.get(key) is None), None)


def write_nodes(forest: Forest, warnings: WarningCollector) -> tuple[Row, str | None]:
    """Return the mapping of a conversation, and the key of the node where its path ends."""
    before = parents_of(forest.noted)
    log = forest.conversation.log
    mapping: Row = {}
    heads: dict[str, str] = {}
    calls: dict[str, str] = {}
    for key in (*forest.empty, *sorted(forest.raw, key=forest.raw.__getitem__)):
        if key in forest.empty:
            mapping[key] = dict(forest.empty[key]) if is_object(forest.empty[key]) else None
            continue
        message = log[forest.raw[key]]
        rows = write_message(message, forest.raw[key], warnings)
        node = without(_node(message.metadata), "key") if key in before else {"id": key}
        for number, (row, call) in enumerate(rows):
            name = key if number == 0 else f"{key}-{number}"
            id = message.id if number == 0 and (key in before or message.id) else name
            row = {"id": id, **row} if id is not None else row
            if call is not None:
                calls[name] = call
            mapping[name] = {**(node if number == 0 else {"id": name}), "message": row}
            if number:
                mapping[name]["parent"] = heads.get(key, key)
                heads[key] = name
    for key, parent in forest.parents.items():
        at = heads.get(parent, parent) if parent is not None else None
        if mapping[key] is not None and (key not in before or before[key] != at):
            mapping[key]["parent"] = at
    _put_children(mapping, forest)
    put_ids(mapping, parents_of(mapping), calls)
    end = forest.end or forest.root
    odd = {key: node for key, node in forest.empty.items() if not is_object(node)}
    return {**mapping, **odd}, heads.get(end, end) if end is not None else None


def _put_children(mapping: Row, forest: Forest) -> None:
    """Give every node its children, where these are not what its own list says."""
    given = parents_of(mapping)
    before = parents_of(forest.noted)
    now: dict[str, list[str]] = {}
    then: dict[str, list[str]] = {}
    for tree, parents in ((now, given), (then, before)):
        for key, parent in parents.items():
            if parent is not None:
                tree.setdefault(parent, []).append(key)
    for key, node in mapping.items():
        if node is None:
            continue
        children = now.get(key, [])
        if key in before and set(children) == set(then.get(key, [])):
            continue
        old = [child for child in _children(node) if child in children]
        node["children"] = [*old, *(child for child in children if child not in old)]


def _children(node: object) -> list[str]:
    children = node.get("children") if is_object(node) else None
    found = children if isinstance(children, list) else []
    return [child for child in found if isinstance(child, str)]


def _node(metadata: Any) -> Row:
    return inner(NOTES.of(metadata), "node")


CURRENT = "current_node"
END = "end"
"""The note of the last node with a message on the branch that was current."""


class ChatGPT(JsonFormat):
    """A conversation with a mapping of nodes, each with a parent, children and perhaps a message.

    Keys next to the mapping are other fields, and so are the nodes whose message can't be
    read; the title is that of the conversation. Every branch is read, and written again.
    """

    name = "chatgpt"
    about = "a ChatGPT export: conversations with all their branches"
    suffixes = (".chatgpt.json",)
    kinds = ("a ChatGPT export",)
    signs = ({"mapping": dict},)

    def confidence_of(self, value: object) -> Confidence:
        mapping = value.get(MAPPING) if is_object(value) else None
        if not is_object(mapping):
            return Confidence.NO
        nodes = [node for node in mapping.values() if is_object(node)]
        is_own = any("message" in node for node in nodes)
        return Confidence.LIKELY if is_own else Confidence.NO

    def read_one(self, value: Any) -> Loaded:
        mapping = value.get(MAPPING) if is_object(value) else None
        if not is_object(mapping) or not mapping:
            raise wrong_type(MAPPING, mapping, "an object of nodes")
        warnings = WarningCollector()
        parents = parents_of(mapping)
        calls = answered(mapping, parents)
        empty: dict[str, Any] = {}
        nodes = []
        for place, (key, node) in enumerate(mapping.items()):
            messages = []
            row = node.get("message") if is_object(node) else None
            if is_object(row):
                rest = {"key": key, **without(node, "message", "key")}
                try:
                    messages = [read_message(row, key, calls.get(key), rest, place, warnings)]
                except Refused as refusal:
                    code = "message-unreadable"
                    warnings.add(code, place, without_values(refusal))
            if not messages:
                empty[key] = node
            nodes.append(TreeNode(key, parents.get(key), messages, line=place))
        said = {key: node for key, node in empty.items() if not is_bare_node(node)}
        bare = {key: node for key, node in empty.items() if key not in said}
        notes: dict[str, Any] = {MAPPING: bare} if bare else {}
        fields = {**without(value, MAPPING), **({MAPPING: said} if said else {})}
        meta: dict[str, Any] = {}
        if isinstance(value.get("title"), str) and value["title"]:
            meta["title"] = fields.pop("title")
        active = value.get(CURRENT)
        active = active if isinstance(active, str) else None
        full = {node.id for node in nodes if node.messages}
        above = set(parents.values())
        # If none is named, the current branch ends with the leaf that appears last.
        leaf = next((key for key in reversed(parents) if key not in above), None)
        end = nearest(active if active in mapping else leaf, parents, full)
        if end is not None:
            notes[END] = end
        meta |= NOTES.meta(notes, fields)
        made = build_tree(nodes, warnings, active=active, meta=meta)
        return Loaded(made, self.name, warnings.found())

    def write(self, conversation: Conversation) -> Written:
        warnings = WarningCollector()
        forest = Forest(conversation)
        mapping, current = write_nodes(forest, warnings)
        notes = NOTES.of(conversation.meta)
        data: dict[str, Any] = {MAPPING: mapping}
        if isinstance(conversation.meta.get("title"), str):
            data["title"] = conversation.meta["title"]
        if not NOTES.is_in(conversation.meta) or notes.get(END) != forest.end:
            data[CURRENT] = current
        data = merged(data, NOTES.fields_of(conversation.meta))
        again = self.read_one(data).conversation if mapping else Conversation()
        losses = [*_left_out(conversation, forest, again), *warnings.found()]
        return Written(data, tuple(losses))


def _left_out(
    conversation: Conversation, forest: Forest, again: Conversation
) -> list[FormatWarning]:
    """Return what is left out in addition to messages; other branches are not."""
    others = conversation_losses(conversation, *NOTES.held(conversation.meta), "title")
    found = {
        "off-branch-left-out": len(conversation.log) - len(conversation.view) - forest.elsewhere,
        "history-left-out": _changes(conversation, again),
    }
    return [
        *(FormatWarning(code, count=count) for code, count in found.items() if count > 0),
        *(one for one in others if one.code not in ("hidden-left-out", "history-left-out")),
    ]


def _changes(conversation: Conversation, again: Conversation) -> int:
    """Return how many changes were made in addition to those that reading the tree makes.

    Checking out another branch is none, since the tree says which one is current; nor is what is
    noted of requests.
    """
    made, known = (
        [type(op) for one in talk.journal for op in one.operations if not isinstance(op, Noted)]
        for talk in (conversation, again)
    )
    pairs = zip(made, known, strict=False)
    same = sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], pairs))
    return sum(kind is not Checkout for kind in made[same:])
