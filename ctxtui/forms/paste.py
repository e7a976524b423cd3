"""A list of operations in any dialect: pasted or loaded, previewed as one, applied as one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.widgets import Input, Static, TextArea

from ctxtui.commands.command import Conditions
from ctxtui.core import Refused
from ctxtui.core.formats import read_json
from ctxtui.core.storage import Session
from ctxtui.core.values.frozen import thaw
from ctxtui.files.reading import read_bytes, read_path
from ctxtui.files.sandbox import Unreadable
from ctxtui.forms.dialog import Asked, Drafts, PreviewScreen
from ctxtui.forms.editor import edit_text
from ctxtui.forms.models import FormContext
from ctxtui.notify import notify
from ctxtui.text.toast import failed
from ctxtui.widgets.prompt import SafeInput, SafeTextArea

LEAST_LINES = 20
NAME = "operations as JSON"
START = '[\n {"operation": "TRUNCATE", "keepLast": 10, "keepSystem": true}\n]'


class PasteScreen(PreviewScreen):
    """Takes JSON: one operation, or a list that is all or nothing."""

    title_words = "JSON"
    DEFAULT_CLASSES = "-writing"
    about_words = "one operation or a list, in any dialect; all of it or nothing"

    def __init__(
        self,
        context: FormContext,
        session: Session,
        drafts: Drafts,
        given: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(context, session, drafts)
        self._given = given

    def compose_fields(self) -> ComposeResult:
        if self._given is not None:
            text = json.dumps(thaw(self._given), indent=1, ensure_ascii=False)
            why = f"{self._given['operation']} has fields that its form lacks: edit it as JSON"
            yield Static(why, classes="label", markup=False)
            yield SafeTextArea(text, id="recipe", soft_wrap=True)
            return
        yield Static("load a file, with enter", classes="label", markup=False)
        yield SafeInput(placeholder="path of a recipe", id="recipe-path", compact=True)
        yield Static("or paste here", classes="label", markup=False)
        yield SafeTextArea(self.drafts.get(NAME, START), id="recipe", soft_wrap=True)

    @property
    def least_lines(self) -> int:
        return LEAST_LINES

    def on_mount(self) -> None:
        self.set_focus(self.area)
        self.refresh_preview()

    @property
    def area(self) -> TextArea:
        return self.query_one("#recipe", TextArea)

    def key_conditions(self) -> Conditions:
        return {"text": True}

    def read(self) -> Asked:
        data = read_json(self.area.text)
        if not isinstance(data, dict | list):
            raise Refused("JSON of an operation is an object, of several a list", field="list")
        return data

    @on(TextArea.Changed, "#recipe")
    def _edited(self) -> None:
        self.refresh_preview()

    @on(SafeTextArea.TooLong)
    def _pasted_much(self, event: SafeTextArea.TooLong) -> None:
        self.area.load_text(event.text)

    @on(Input.Submitted, "#recipe-path")
    def _load(self, event: Input.Submitted) -> None:
        try:
            text = read_bytes(str(read_path(event.value))).decode("utf-8")
        except (Unreadable, Refused, UnicodeDecodeError) as problem:
            notify(self, failed(str(problem)))
            return
        self.area.load_text(text)
        self.area.focus()

    def forget(self) -> None:
        self.drafts.pop(NAME, None)

    def keep(self) -> bool:
        text = self.area.text
        self.forget()
        if text.strip() and text != START:
            self.drafts[NAME] = text
            return True
        return False

    def action_editor(self) -> None:
        edit_text(self, self.area.text, self.area.load_text)
