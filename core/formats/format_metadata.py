"""What a format stores in metadata, so that it gives back equal data, and two-way shapes of parts.

What core has no field for is stored under the format's own key in ``metadata``: a patch between
what the format would write and what it read. A key that would not be written is there with its
value; one that would be written otherwise with the form it had (``"arguments": '{"a":1}'``). An
edited copy of a message or part keeps no such form, so that nothing outlives what it was about.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ..engine.messages import DataPart, Message, Part, TextPart, of_parts
from ..engine.meta_fields import FIELDS, other_fields
from ..errors import wrong_type
from ..values.frozen import FrozenDict, freeze, freeze_object, of_frozen, thaw
from ..values.models import Role
from ..values.patches import is_patch, patch_between, patched
from .fields import core_role, is_object
from .json_text import arguments_text, parsed
from .warnings import WarningCollector, kind_name

GIVEN_VALUE = {"given": "value"}
"""The form of arguments that were a value where JSON text is usual."""
GIVEN_NOT = {"given": "absent"}
"""The form of a key that was missing."""
PATCH = "patch"
"""The key of the edits that make what was read of what is written of a message."""
MADE_ID = "made_id"
"""The key that says that a call had no id, and whether it had null instead."""
ABSENT, NULL, TEXT, LIST, EMPTY_LIST = "absent", "null", "text", "list", "empty list"
"""The forms of the content of a message."""
BLANK_CONTENT: dict[str, dict[str, Any]] = {
    ABSENT: {},
    NULL: {"content": None},
    EMPTY_LIST: {"content": []},
}
"""What a message without content is written as, by the form that it had."""


class FormatMetadata:
    """The metadata of one format, under its name."""

    def __init__(self, key: str) -> None:
        self.key = key

    def entry(self, notes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the metadata of a message or part as data, or nothing where there is none."""
        return {"metadata": {self.key: dict(notes)}} if notes else {}

    def frozen(self, notes: Mapping[str, Any] | None) -> FrozenDict | None:
        """Return the metadata of a message or part; an empty one says what it was read from."""
        return None if notes is None else freeze_object({self.key: notes}, "metadata")

    def data(self, block: Mapping[str, Any]) -> DataPart:
        """Return a part that is written again as it is."""
        return DataPart(freeze_object(block, "data"), of_frozen({self.key: of_frozen({})}))

    def message(
        self, role: Role, content: str | Sequence[Part], notes: Mapping[str, Any], **fields: Any
    ) -> Message:
        """Return a message of parts that are read already; an empty one has an empty text."""
        metadata = self.frozen(notes or None)
        if isinstance(content, str) and content:
            return Message(role, content, metadata=metadata, **fields)
        parts = BLANK if isinstance(content, str) or not content else tuple(content)
        return of_parts(role, parts, metadata=metadata, **fields)

    def meta(self, layout: Mapping[str, Any], fields: Mapping[str, Any]) -> dict[str, Any]:
        """Return the meta of a conversation: the layout of its file, and its other fields."""
        return {self.key: dict(layout), **({FIELDS: dict(fields)} if fields else {})}

    def fields_of(self, meta: Mapping[str, Any]) -> dict[str, Any]:
        """Return the other fields of a conversation if it was read from this format."""
        is_own = isinstance(meta.get(self.key), Mapping)
        return {key: thaw(value) for key, value in other_fields(meta).items()} if is_own else {}

    def held(self, meta: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the keys of meta that this format writes again, in addition to its tools."""
        return (self.key, FIELDS) if isinstance(meta.get(self.key), Mapping) else ()

    def of(self, metadata: FrozenDict | None) -> dict[str, Any]:
        """Return what is stored for a message, a part or a conversation (its meta)."""
        found = metadata and metadata.get(self.key)
        return thaw(found) if isinstance(found, Mapping) else {}

    def with_patch(self, message: Message, written: Any, given: Any) -> Message:
        """Return a message with the patch between what is written of it and what was given.

        An edited copy of the message loses it, as all that a format stores.
        """
        patch = patch_between(written, given)
        if not patch:
            return message
        notes = {**self.of(message.metadata), PATCH: patch}
        metadata = {**(message.metadata or {}), self.key: notes}
        return replace(message, metadata=freeze_object(metadata, "metadata"))

    def as_given(self, message: Message, written: Any) -> Any:
        """Return what is written of a message as it was given, as far as that is known."""
        patch: Any = self.of(message.metadata).get(PATCH)
        return patched(written, patch) if is_patch(patch) else written

    def is_in(self, metadata: FrozenDict | None) -> bool:
        """Return whether something was read from this format, even if nothing is stored."""
        return metadata is not None and isinstance(metadata.get(self.key), Mapping)

    def has_others(self, metadata: FrozenDict | None) -> bool:
        """Return whether there is metadata that this format has no place for."""
        return metadata is not None and len(metadata) > self.is_in(metadata)


def without(data: Mapping[str, Any], *known: str) -> dict[str, Any]:
    """Return an object without some of its keys."""
    return {key: value for key, value in data.items() if key not in known}


def inner(notes: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the object under a key, or an empty one."""
    found = notes.get(key)
    return dict(found) if isinstance(found, Mapping) else {}


def written_role(role: Role, notes: Mapping[str, Any], usual: str | None = None) -> str:
    """Return the name that a role was read by, as long as it is that of the role."""
    noted = notes.get("role")
    return noted if isinstance(noted, str) and core_role(noted) == role else usual or role


def merged(row: Mapping[str, Any], notes: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object with the keys that were only stored; its own values count."""
    return {**row, **without(notes, *row)}


class PartField(NamedTuple):
    """The value of a field of a part within a shape.

    Kinds: ``text`` must be there, ``id`` is made where it is missing or null, ``optional`` and
    ``flag`` are left out where there is none, ``value`` may be anything, ``json`` is the text of a
    value, ``object`` a value that may be such a text, ``raw`` a text that is not parsed, and
    ``given`` one that the format reads and writes itself.
    """

    name: str
    kind: str = "text"


class Usual(NamedTuple):
    """A text that a shape has under a key, and that may be missing."""

    text: str


BLANK = (TextPart(""),)
"""What an empty message is read as."""
TYPES = {"optional": str, "flag": bool}


class Shape:
    """How a format writes a kind of part: an object of texts, fields of the part, and such objects.

    Reading and writing are the same table, so what is read is written again: keys that the shape
    lacks, and forms that it would not write, are stored with the part.
    """

    def __init__(self, part: type[Part], layout: Mapping[str, Any]) -> None:
        self.part, self.layout = part, layout

    def read(
        self,
        own: FormatMetadata,
        data: Mapping[str, Any],
        made: str = "",
        given: Mapping[str, Any] = {},
        **more: Any,
    ) -> Any:
        """Return the part of some data, or None where that has another shape.

        ``made`` is the id for one without, ``given`` has fields that are read elsewhere, ``more``
        is stored with the part.
        """
        fields, notes = dict(given), dict[str, Any]()
        if not _read(self.layout, data, fields, notes, made):
            return None
        notes |= more
        return self.part(**fields, metadata=own.frozen(notes) if notes else None)

    def write(self, own: FormatMetadata, part: Part) -> dict[str, Any]:
        return self.write_with(own.of(part.metadata), part)

    def write_with(self, notes: Mapping[str, Any], part: Part) -> dict[str, Any]:
        return _written(self.layout, part, notes)


class ContentBlocks:
    """The parts of a content by their type, each with its shape; all others are stored as data."""

    def __init__(self, own: FormatMetadata, shapes: Mapping[str, Shape]) -> None:
        self.own, self.shapes = own, shapes
        self._written = {shape.part: shape for shape in reversed(list(shapes.values()))}

    def read(self, blocks: object, place: int, warnings: WarningCollector) -> list[Part]:
        """Return the parts of a content, a text or a list; none for an empty one."""
        if isinstance(blocks, str):
            return [TextPart(blocks)] if blocks else []
        if not isinstance(blocks, list):
            return []
        return [self.read_one(block, i, place, warnings) for i, block in enumerate(blocks)]

    def read_one(self, block: object, index: int, place: int, warnings: WarningCollector) -> Part:
        if not is_object(block):
            raise wrong_type(f"content[{index}]", block, "an object with a type")
        found = self.part_of(block, place, warnings)
        if found is None:
            warnings.add("part-kept-as-data", place, kind_name(block.get("type")))
            return self.own.data(block)
        return found

    def part_of(
        self, block: Mapping[str, Any], place: int, warnings: WarningCollector
    ) -> Part | None:
        """Return the part that a block is, or None for one of another shape."""
        type = block.get("type")
        shape = self.shapes.get(type) if isinstance(type, str) else None
        return None if shape is None else shape.read(self.own, block)

    def write(self, part: Part) -> Any:
        if isinstance(part, DataPart):
            return thaw(part.data)
        return self._written[type(part)].write(self.own, part)


def _read(  # noqa: PLR0912 - a case for each kind of entry
    layout: Mapping[str, Any],
    data: Mapping[str, Any],
    fields: dict[str, Any],
    notes: dict[str, Any],
    made: str,
) -> bool:
    """Fill in the fields of a part and what is stored with it; return whether the shape fits."""
    known = 0
    for key, wanted in layout.items():
        kind = type(wanted)
        value = data.get(key)
        known += key in data
        if kind is PartField:
            name, how = wanted
            if how == "text":
                if type(value) is not str:
                    return False
                fields[name] = value
            elif how == "id":
                if value is None and made:
                    notes[MADE_ID], value = None if key in data else GIVEN_NOT, made
                if type(value) is not str:
                    return False
                fields[name] = value
            elif how != "given":
                _read_value(wanted, key, data, fields, notes)
        elif kind is dict:
            inside: dict[str, Any] = {}
            if not is_object(value) or not _read(wanted, value, fields, inside, made):
                return False
            if inside:
                notes[key] = inside
        elif kind is Usual and key not in data:
            notes[key] = None
        elif value != (wanted.text if kind is Usual else wanted):
            return False
    if len(data) > known:
        notes |= {key: value for key, value in data.items() if key not in layout}
    return True


def _read_value(
    wanted: PartField,
    key: str,
    data: Mapping[str, Any],
    fields: dict[str, Any],
    notes: dict[str, Any],
) -> None:
    name, kind = wanted
    value = data.get(key)
    if kind in TYPES:
        if isinstance(value, TYPES[kind]):
            fields[name] = value
        elif key in data:
            notes[key] = value
        return
    if key not in data:
        value, notes[key] = {}, GIVEN_NOT
    elif kind in ("json", "object") and isinstance(value, str):
        text, value = value, parsed(value)[1]
        # Compact text is not written here, and is ruled out without writing it.
        is_compact = type(value) is dict and value and '": ' not in text
        if kind == "object" or is_compact or arguments_text(value) != text:
            notes[key] = text
    elif kind in ("json", "raw") and not isinstance(value, str):
        notes[key] = GIVEN_VALUE
    fields[name] = freeze(value, key)


def _written(layout: Mapping[str, Any], part: Part, notes: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key, wanted in layout.items():
        kind = type(wanted)
        if kind is PartField:
            _write_field(row, key, wanted, part, notes)
        elif kind is dict:
            row[key] = _written(wanted, part, inner(notes, key))
        elif kind is not Usual:
            row[key] = wanted
        elif notes.get(key, wanted) is not None:
            row[key] = wanted.text
    for key, note in notes.items():
        wanted = layout.get(key)
        is_extra = key not in layout or (type(wanted) is PartField and wanted.kind in TYPES)
        is_mark = key == MADE_ID and note in (None, True, GIVEN_NOT)
        if key not in row and is_extra and not is_mark:
            row[key] = note
    return row


def _write_field(
    row: dict[str, Any], key: str, wanted: PartField, part: Part, notes: Mapping[str, Any]
) -> None:
    value, kind, form = getattr(part, wanted.name), wanted.kind, notes.get(key)
    if kind == "given":
        if key in notes:
            row[key] = form
    elif kind == "id" and MADE_ID in notes and is_made(value):
        if notes[MADE_ID] is None:
            row[key] = None
    elif kind in ("text", "id"):
        row[key] = value
    elif kind in TYPES:
        if value is not None:
            row[key] = value
    elif value != {} or form not in (GIVEN_NOT, ABSENT):
        row[key] = _written_value(thaw(value), kind, form)


def _written_value(value: Any, kind: str, form: object) -> Any:
    """Return a value in its usual form, or in the stored one as long as that says the same."""
    if kind == "value" or form == GIVEN_VALUE:
        return value
    if isinstance(form, str) and arguments_text(parsed(form)[1]) == arguments_text(value):
        return form
    is_own = kind == "object" or (kind == "raw" and isinstance(value, str))
    return value if is_own else arguments_text(value)


def is_made(id: str) -> bool:
    """Return whether an id may be one that was made here."""
    return id.startswith("call_")


def form_of(row: Mapping[str, Any]) -> str:
    """Return in which form a message has its content, or refuse it."""
    if "content" not in row:
        return ABSENT
    match row["content"]:
        case None:
            return NULL
        case str():
            return TEXT
        case []:
            return EMPTY_LIST
        case list():
            return LIST
    raise wrong_type("content", row["content"], "text, a list of parts or null")


def content_entry(items: list[Any], text: str | None, *forms: object) -> dict[str, Any]:
    """Return the content of a message in the first of some forms that is still possible.

    ``items`` are its parts as written, ``text`` what a plain text would say, None where parts say
    more than that.
    """
    for form in forms:
        if form == LIST:
            break
        if isinstance(form, str) and form in BLANK_CONTENT and (not items or text == ""):
            return dict(BLANK_CONTENT[form])
        if form == TEXT and (text is not None or not items):
            return {"content": text or ""}
    return {"content": items}


def plain_text(own: FormatMetadata, parts: Sequence[Part]) -> str | None:
    """Return the text that some parts are; None where they are more than a text."""
    if len(parts) != 1 or not isinstance(parts[0], TextPart) or own.of(parts[0].metadata):
        return None
    return parts[0].text
