"""The prompt at the bottom of a screen: asks for one thing, and stays until it can be taken."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar, NamedTuple

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from ctxtui.background import BackgroundTask, background_of
from ctxtui.commands import Facts
from ctxtui.commands.dialogs import LEAVE_PROMPT
from ctxtui.models.told import failed, sentence_of
from ctxtui.render.text.severity import ERROR
from ctxtui.symbols import visible
from ctxtui.telling import tell
from ctxtui.widgets.inputs import SafeInput


class Later(NamedTuple):
    """What an answer leads to in the background, and what is done with its result."""

    work: Callable[[BackgroundTask], Any]
    then: Callable[[Any], object]
    queue: str = ""


Then = Callable[[str], Later | None]
"""What is done with an answer; any exception keeps the prompt open with the reason."""


class Prompt(Vertical):
    """Asks for a line of text; an answer that is refused stays there to be mended."""

    BINDINGS: ClassVar[list[BindingType]] = [LEAVE_PROMPT.binding()]

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self._then: Then | None = None
        self._takes_nothing = False
        self._verb = ""
        self._before: Widget | None = None

    def compose(self) -> ComposeResult:
        """Lay out the line, and below it why an answer was refused."""
        yield SafeInput(id="ask")
        yield Static("", id="why-not", markup=False)

    @property
    def line(self) -> Input:
        """Return where the answer is typed."""
        return self.query_one("#ask", Input)

    @property
    def is_open(self) -> bool:
        """Tell whether something is being asked."""
        return self._then is not None

    def ask(
        self,
        what: str,
        hint: str,
        then: Then,
        *,
        verb: str,
        value: str = "",
        takes_nothing: bool = False,
    ) -> None:
        """Come up and ask; ``verb`` says what enter does with an answer.

        ``takes_nothing`` means that an empty answer is one, too.
        """
        if not self.is_open:
            self._before = self.screen.focused
        self._then, self._takes_nothing, self._verb = then, takes_nothing, verb
        self.line.border_title = Content(what)
        self.line.placeholder = visible(hint)
        self.line.value = value
        self.line.cursor_position = len(value)
        self.complain("")
        self.display = True
        self.screen.set_focus(self.line)
        self.refresh_bindings()

    def complain(self, reason: str) -> None:
        """Say why the answer can't be taken; an empty reason says nothing."""
        why = self.query_one("#why-not", Static)
        why.update(visible(ERROR.text(reason), 400) if reason else "")
        why.display = bool(reason)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.complain("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        then, later = self._then, None
        if then is None:
            return  # The second of two keys in a row.
        if event.value.strip() or self._takes_nothing:
            try:
                later = then(event.value)
            except Exception as problem:
                self._failed(then, sentence_of(problem, self._verb))
                return
        if later is None:
            self._taken(then)
            return

        def finish(result: Any) -> None:
            later.then(result)
            self._taken(then)

        background_of(self).run(
            self._verb,
            later.work,
            finish,
            failed=partial(self._failed, then),
            queue=later.queue,
            holds_keys=True,
        )

    def _taken(self, then: Then) -> None:
        if self._then is then:  # Else the answer led to another question.
            self.close()

    def _failed(self, then: Then, sentence: str) -> None:
        if self._then is then:
            self.complain(sentence)
        else:
            tell(self, failed(sentence))

    def action_leave_prompt(self) -> None:
        """Go away without an answer."""
        self.close()

    def key_facts(self) -> Facts:
        """Return what an answer leads to, for the line of keys."""
        return {"answer": self._verb}

    def close(self) -> None:
        """Go away, and give the focus back unless the answer has moved it."""
        self._then = None
        self.display = False
        if self.screen.focused in (self.line, None) and self._before is not None:
            self.screen.set_focus(self._before)
        self._before = None
