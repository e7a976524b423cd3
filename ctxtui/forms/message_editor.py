"""An editor for messages: whose it is, and its parts as fields; or all of it as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ctxtui.commands.command import Conditions
from ctxtui.core.errors import Refused
from ctxtui.core.formats import read_json
from ctxtui.core.values.models import ROLES
from ctxtui.forms.keys import ANOTHER
from ctxtui.forms.message_parts import (
    TAKES,
    WORDS,
    PartDraft,
    content_of,
    is_plain,
    new_part,
    pretty,
    read_parts,
)
from ctxtui.text.icons import ERROR
from ctxtui.text.lines import Line, Piece
from ctxtui.text.message import GLYPHS
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import escaped, printable
from ctxtui.widgets.choices import ChoiceBar, ValueStyle
from ctxtui.widgets.prompt import LONGEST_CHARACTERS, SafeInput, SafeTextArea
from ctxtui.widgets.styled import Styled

# The fields of a tool call or a result: the tool's name and the call's id, on one line.

NAME, CALL, RESULT = "name ", " id ", "result of "
"""What is before each field."""


class PartFields(Styled, Widget):
    """Shows the fields that a kind of part has; a text has none, and then there is no line."""

    def __init__(self, part: PartDraft, *, id: str) -> None:
        super().__init__(id=id)
        self.name_of_tool = SafeInput(part.name, id=f"{id}-name", compact=True, placeholder="tool")
        self.id_of_call = SafeInput(part.id, id=f"{id}-call", compact=True, placeholder="call_1")
        self._part = part
        self._lay_out()

    def compose(self) -> ComposeResult:
        yield self.name_of_tool
        yield self.id_of_call

    def show(self, part: PartDraft) -> None:
        self._part = part
        with self.prevent(SafeInput.Changed):
            self.name_of_tool.value, self.id_of_call.value = part.name, part.id
        self._lay_out()
        self.refresh()

    def _lay_out(self) -> None:
        kind = self._part.kind
        self.display = kind in ("tool_use", "tool_result")
        self.name_of_tool.display = kind == "tool_use"
        self.name_of_tool.styles.margin = (0, 0, 0, len(NAME))
        before = CALL if kind == "tool_use" else RESULT
        self.id_of_call.styles.margin = (0, 0, 0, len(before))

    def render_line(self, y: int) -> Strip:
        return self.strip(self._line() if y == 0 else [], "plain", self.size.width)

    def _line(self) -> Line:
        if self._part.kind == "tool_result":
            return [Piece(RESULT, "muted")]
        gap = self.id_of_call.region.x - self.region.x - len(NAME) - len(CALL)
        return [Piece(NAME, "muted"), Piece(" " * max(0, gap)), Piece(CALL, "muted")]


JSON = "JSON"
ADD = "+"
ROLE_WORDS = {role: f"{GLYPHS[role]} {role}" for role in ROLES}
EXAMPLE = [
    {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "Let me look."},
            {
                "type": "tool_use",
                "tool_use": {"id": "call_1", "name": "search", "input": {"query": "…"}},
            },
        ],
    },
    {
        "role": "tool",
        "content": [
            {
                "type": "tool_result",
                "tool_result": {"tool_use_id": "call_1", "content": "found"},
            }
        ],
    },
]


class MessageEditor(Vertical):
    """Edits one message or several; parts as fields, or everything as JSON."""

    BINDINGS: ClassVar[list[BindingType]] = [ANOTHER.binding()]

    @dataclass
    class Changed(Message):
        """What was written is another now."""

    def __init__(self, value: Any, *, is_one: bool, id: str) -> None:
        super().__init__(id=id)
        self._is_one = is_one
        self._done: list[dict[str, Any]] = []
        self._parts = [PartDraft()]
        self._at = 0
        self._was_list = False
        self._wrong: str | None = None
        given = value if isinstance(value, list) else [value] if value else []
        parts = read_parts(given[0]) if len(given) == 1 else None
        if parts is not None:
            self._role, self._parts = str(given[0]["role"]), parts
            self._was_list = isinstance(given[0]["content"], list)
            self._text = parts[0].text
        elif given:
            self._role, self._text = JSON, pretty(given[0] if is_one else given)
        else:
            self._role, self._text = "user", ""
        self._held = self._text if len(self._text) > LONGEST_CHARACTERS else None

    def compose(self) -> ComposeResult:
        words = ValueStyle(ROLE_WORDS)
        yield ChoiceBar.field((*ROLES, JSON), [self._role], style=words, id=f"{self.id}-role")
        bar = ChoiceBar.field((0, ADD), [0], id=f"{self.id}-parts")
        bar.offer((*range(len(self._parts)), ADD), 0, self._part_words())
        bar.display = self._role != JSON
        yield bar
        fields = PartFields(self._parts[0], id=f"{self.id}-fields")
        fields.display = fields.display and self._role != JSON
        yield fields
        yield SafeTextArea(
            self._text if self._held is None else _too_long(self._text),
            id=f"{self.id}-text",
            soft_wrap=True,
            tab_behavior="focus",
            read_only=self._held is not None,
        )
        yield Static(self._hint, classes="hint", markup=False)

    # What is shown

    def key_conditions(self) -> Conditions:
        return {"text": True, "another": not self._is_one and self._role != JSON}

    def load(self, text: str) -> None:
        """Show another text, as JSON where it holds what can't be shown: nothing of it is lost.

        One that is too long to be edited here is kept aside.
        """
        part = self._parts[self._at]
        if self._role == JSON or part.is_json:
            text = escaped(text)
        elif not is_plain(text):
            before, after = self._parts[: self._at], self._parts[self._at + 1 :]
            text = self._as_json([*before, part.written(text, part.name, part.id), *after])
            self._role = JSON
            self.query_one(ChoiceBar).pick(JSON)
            self._show_parts()
        self._held = text if len(text) > LONGEST_CHARACTERS else None
        self.area.read_only = self._held is not None
        self.area.load_text(text if self._held is None else _too_long(text))

    @property
    def area(self) -> TextArea:
        return self.query_one(TextArea)

    @property
    def text(self) -> str:
        if self._held is not None:
            return self._held
        return self.area.text if self.is_mounted else self._text

    def complain(self, sentence: str | None) -> None:
        self._wrong = sentence
        text = self._hint if sentence is None else printable(ERROR.text(sentence), 300)
        self.query_one(".hint", Static).update(text)

    @property
    def _hint(self) -> str:
        if self._done:
            return f"{plural(len(self._done), 'message')} before this one"
        part = self._parts[self._at]
        first = "" if self._role == JSON or part.kind == "text" else f"{TAKES[part.kind]} · "
        more = "" if self._is_one else "ctrl+n another message · "
        return f"{first}{more}ctrl+e $EDITOR"

    def _part_words(self) -> dict[Any, str]:
        words = (part.name or WORDS[part.kind] for part in self._parts)
        return {**{at: f"{at + 1} {word}" for at, word in enumerate(words)}, ADD: "+ part"}

    def _show_parts(self) -> None:
        bar, fields = self.query(ChoiceBar).last(ChoiceBar), self.query_one(PartFields)
        bar.offer((*range(len(self._parts)), ADD), self._at, self._part_words())
        fields.show(self._parts[self._at])
        is_json = self._role == JSON
        bar.display = not is_json
        fields.display = fields.display and not is_json
        self.complain(self._wrong)

    # What was written

    @property
    def _drafts(self) -> list[PartDraft]:
        if not self.is_mounted:
            return self._parts
        fields = self.query_one(PartFields)
        here = self._parts[self._at].written(
            self.text, fields.name_of_tool.value, fields.id_of_call.value
        )
        return [*self._parts[: self._at], here, *self._parts[self._at + 1 :]]

    def _own(self, parts: list[PartDraft]) -> list[dict[str, Any]]:
        """Return the message that is edited, if anything was written."""
        content = content_of(parts, as_list=self._was_list)
        return [{"role": self._role, "content": content}] if content or self._is_one else []

    @property
    def value(self) -> Any:
        """Return the messages as JSON; text that is no JSON is refused by ``problem``."""
        if self._role != JSON:
            messages: list[Any] = [*self._done, *self._own(self._drafts)]
        else:
            try:
                data = read_json(self.text)
            except Refused:
                return None
            messages = list(data) if isinstance(data, list) else [data]
        if self._is_one:
            return messages[0] if len(messages) == 1 else messages
        return messages

    @property
    def problem(self) -> str | None:
        if self._role != JSON:
            return next((one.problem for one in self._drafts if one.problem), None)
        if not self.text.strip():
            return None
        try:
            read_json(self.text)
        except Refused as refusal:
            return str(refusal)
        return None

    def _as_json(self, parts: list[PartDraft]) -> str:
        """Return all that was written so far as JSON, or an example where there is nothing."""
        own = [] if all(part.is_empty for part in parts) else self._own(parts)
        messages = [*self._done, *own] or EXAMPLE
        self._done = []
        return pretty(messages[0] if self._is_one else messages)

    # What is done to it

    @on(ChoiceBar.Chosen)
    def _picked(self, event: ChoiceBar.Chosen) -> None:
        event.stop()
        if event.bar is self.query_one(ChoiceBar):
            self._role_picked(event.bar.value)
        else:
            self._part_picked(event.bar.value)
        self.post_message(self.Changed())

    def _role_picked(self, role: str) -> None:
        old = self._role
        if role == JSON and old != JSON:
            text = self._as_json(self._drafts)
            self._role = JSON
            self.load(text)
        elif old == JSON and role != JSON:
            self._role = role
            self._parts, self._was_list = _read_back(self.text)
            self._at = 0
            self.load(self._parts[0].text)
        self._role = self._role if self._role == JSON else role
        self._show_parts()

    def _part_picked(self, at: int | str) -> None:
        self._parts = self._drafts
        if at == ADD:
            self._parts.append(new_part(self._role))
            at = len(self._parts) - 1
        assert isinstance(at, int)
        self._at = at
        self._show_parts()
        self.load(self._parts[at].text)

    @on(TextArea.Changed)
    @on(Input.Changed)
    def _text_changed(self, event: TextArea.Changed | Input.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    @on(SafeTextArea.TooLong)
    def _pasted_much(self, event: SafeTextArea.TooLong) -> None:
        event.stop()
        self.load(self.text + event.text)
        self.post_message(self.Changed())

    def action_another(self) -> None:
        own = self._own(self._drafts) if self._role != JSON else []
        if self._is_one or not own:
            return
        self._done += own
        self._parts, self._at, self._was_list = [PartDraft()], 0, False
        self._show_parts()
        self.load("")
        self.post_message(self.Changed())


def _too_long(text: str) -> str:
    return f"{len(text):,} characters are too many to edit here: ctrl+e opens $EDITOR."


def _read_back(text: str) -> tuple[list[PartDraft], bool]:
    """Return the parts of a message that was written as JSON; nothing of it is thrown away."""
    try:
        data = read_json(text)
    except Refused:
        data = None
    one = data[0] if isinstance(data, list) and len(data) == 1 else data
    parts = read_parts(one)
    if parts is None:
        return [PartDraft(text=text)], False
    assert isinstance(one, dict)
    return parts, isinstance(one["content"], list)
