"""An editor for messages: whose it is, and what it says; or all of it as JSON."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Static, TextArea

from core.errors import Refused
from core.formats import read_json
from core.values.roles import ROLES
from ctxtui.commands import Facts
from ctxtui.commands.forms import ANOTHER
from ctxtui.symbols import escaped, visible
from ctxtui.widgets.inputs import LONGEST_CHARACTERS, SafeTextArea
from ctxtui.widgets.pick_bar import PickBar
from ctxtui.words import plural

JSON = "JSON"
HINT = "ctrl+n another message · ctrl+e $EDITOR · JSON for tool calls and other parts"
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
    """Edits one message or several; plain ones as text, any as JSON."""

    BINDINGS: ClassVar[list[BindingType]] = [ANOTHER.binding()]

    @dataclass
    class Changed(Message):
        """What was written is another now."""

    def __init__(self, value: Any, *, is_one: bool, id: str) -> None:
        super().__init__(id=id)
        self._is_one = is_one
        self._done: list[dict[str, Any]] = []
        self._held: str | None = None
        given = value if isinstance(value, list) else [value] if value else []
        if len(given) == 1 and _is_plain(given[0].get("content")):
            self._role, self._text = str(given[0]["role"]), str(given[0]["content"])
        elif given:
            self._role, self._text = JSON, _pretty(given[0] if is_one else given)
        else:
            self._role, self._text = "user", ""

    def compose(self) -> ComposeResult:
        """Lay out roles, text and a hint."""
        yield PickBar((*ROLES, JSON), [self._role], id=f"{self.id}-role")
        yield SafeTextArea(id=f"{self.id}-text", soft_wrap=True, tab_behavior="focus")
        yield Static(HINT, classes="hint", markup=False)

    def on_mount(self) -> None:
        """Show the text there is."""
        self.load(self._text)

    def key_facts(self) -> Facts:
        """Return what can be done with the text, for the line of keys."""
        return {"text": True, "another": not self._is_one and self._role != JSON}

    def load(self, text: str) -> None:
        """Show another text, as JSON where it holds what can't be shown: nothing of it is lost.

        One that is too long to be edited here is kept aside.
        """
        if self._role == JSON:
            text = escaped(text)
        elif not _is_plain(text):
            text, self._role = self._as_json(self._role, text), JSON
            self.query_one(PickBar).pick(JSON)
        self._held = text if len(text) > LONGEST_CHARACTERS else None
        self.area.read_only = self._held is not None
        notice = f"{len(text):,} characters are too many to edit here: ctrl+e opens $EDITOR."
        self.area.load_text(text if self._held is None else notice)

    @property
    def area(self) -> TextArea:
        """Return the text area."""
        return self.query_one(TextArea)

    @property
    def text(self) -> str:
        """Return what was written."""
        if not self.is_mounted:
            return self._text
        return self.area.text if self._held is None else self._held

    @property
    def value(self) -> Any:
        """Return the messages as JSON; text that is no JSON is refused by ``problem``."""
        if self._role != JSON:
            own = [{"role": self._role, "content": self.text}] if self.text or self._is_one else []
            messages: list[Any] = [*self._done, *own]
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
        """Return what is wrong with the JSON, if anything."""
        if self._role != JSON or not self.text.strip():
            return None
        try:
            read_json(self.text)
        except Refused as refusal:
            return str(refusal)
        return None

    @on(PickBar.Changed)
    def _role_changed(self, event: PickBar.Changed) -> None:
        event.stop()
        old, self._role = self._role, event.bar.value
        if self._role == JSON and old != JSON:
            self.load(self._as_json(old, self.text))
        elif old == JSON and self._role != JSON:
            self.load(_words(self.text))
        self.post_message(self.Changed())

    def _as_json(self, role: str, text: str) -> str:
        """Return all that was written so far as JSON, or an example where there is nothing."""
        own = [{"role": role, "content": text}] if text else []
        messages = [*self._done, *own] or EXAMPLE
        self._done = []
        return _pretty(messages[0] if self._is_one else messages)

    @on(TextArea.Changed)
    def _text_changed(self, event: TextArea.Changed) -> None:
        event.stop()
        self.post_message(self.Changed())

    @on(SafeTextArea.TooLong)
    def _pasted_much(self, event: SafeTextArea.TooLong) -> None:
        event.stop()
        self.load(self.text + event.text)
        self.post_message(self.Changed())

    def action_another(self) -> None:
        """Keep this message and start another one after it."""
        if self._is_one or self._role == JSON or not self.text:
            return
        self._done.append({"role": self._role, "content": self.text})
        self.load("")
        kept = f"{plural(len(self._done), 'message')} before this one"
        self.query_one(".hint", Static).update(kept)
        self.post_message(self.Changed())


def _is_plain(content: Any) -> bool:
    """Tell whether a content is text that an editor can show as it is.

    Control characters and the like are shown as JSON writes them: a terminal would act on them.
    """
    if not isinstance(content, str):
        return False
    return all(visible(line) == line for line in content.expandtabs(1).split("\n"))


def _pretty(value: Any) -> str:
    return escaped(json.dumps(value, ensure_ascii=False, indent=1))


def _words(text: str) -> str:
    """Return the text of a message that was written as JSON; nothing of it is thrown away."""
    try:
        data = json.loads(text)
    except ValueError:
        return text
    one = data[0] if isinstance(data, list) and len(data) == 1 else data
    content = one.get("content") if isinstance(one, dict) else None
    return str(content) if _is_plain(content) else text
