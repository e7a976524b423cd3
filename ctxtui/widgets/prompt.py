"""The prompt at the bottom of a screen: asks for one thing, and stays until it can be taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple

from rich.cells import cell_len
from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.suggester import Suggester, SuggestFromList
from textual.widget import Widget
from textual.widgets import Input, Static, TextArea

from ctxtui.background import BackgroundTask, background_of
from ctxtui.commands.command import Conditions, bindings
from ctxtui.commands.dialogs import EARLIER, LATER, LEAVE_PROMPT
from ctxtui.notify import notify
from ctxtui.text.icons import ERROR, to_ascii
from ctxtui.text.plurals import plural
from ctxtui.text.symbols import escaped, printable
from ctxtui.text.toast import failed, sentence_of, warned

# Fields to type in: whatever their value is, they show symbols that a terminal only draws.

LONGEST_CHARACTERS = 50_000
"""Characters that a field of a screen takes without slowing down every key."""


def showable(text: str) -> str:
    """Return a text without the characters that a terminal would act on."""
    kept = (char for char in text if char in "\n\t" or printable(char) == char)
    return "".join(kept)


class SafeInput(Input):
    """A field of one line; its value stays what it is, a symbol represents each odd character.

    The cursor is counted in what is shown, since an escape has no width and its symbol has.
    """

    @property
    def _value(self) -> Text:
        return Text(printable(self.value), no_wrap=True, overflow="ignore", end="")

    def _position_to_cell(self, position: int) -> int:
        return cell_len(printable(self.value[:position]))

    def _cell_offset_to_index(self, offset: int) -> int:
        end = 0
        for index, char in enumerate(printable(self.value)):
            end += cell_len(char)
            if offset + self.scroll_offset.x < end:
                return index
        return len(self.value)

    def validate_placeholder(self, hint: str) -> str:
        return printable(hint)

    def _on_paste(self, event: events.Paste) -> None:
        event.text = showable(event.text)  # Textual's own handler comes next.


class NumberInput(SafeInput):
    """A short field for a whole number, which can be counted up and down."""

    def on_mount(self) -> None:
        """Show that it is empty with a sign that every terminal has, where that is wanted."""
        if self.app.has_class("-ascii"):
            self.placeholder = to_ascii(self.placeholder)

    def count(self, by: int) -> None:
        """Change the number by some; an empty field starts at nothing."""
        from ctxtui.forms.models import number_of_text

        number = number_of_text(self.value) if self.value.strip() else 0
        if isinstance(number, int):
            self.value = str(max(0, number + by) if number >= 0 else number + by)
            self.cursor_position = len(self.value)


class SafeTextArea(TextArea):
    """A field of many lines; what is too long for it is handed on.

    What can't be shown is written as JSON writes it, since texts that hold such characters are
    edited as JSON.
    """

    @dataclass
    class TooLong(Message):
        """A text was pasted that would slow every key down."""

        text: str

    def __init__(self, text: str = "", **settings: Any) -> None:
        super().__init__(escaped(text), **settings)

    def load_text(self, text: str) -> None:
        super().load_text(escaped(text))

    async def _on_paste(self, event: events.Paste) -> None:
        clean = showable(event.text)
        left = len(event.text) - len(clean)
        if left:
            title = f"{plural(left, 'control character was', 'control characters were')} left out"
            notify(self, warned(title, "JSON can hold them as \\u001b."))
        event.text = clean  # Textual's own handler comes next.
        if len(clean) + len(self.text) > LONGEST_CHARACTERS:
            event.prevent_default()
            event.stop()
            self.post_message(self.TooLong(clean))


class Later(NamedTuple):
    """What an answer leads to in the background, and what is done with its result."""

    work: Callable[[BackgroundTask], Any]
    then: Callable[[Any], object]
    queue: str = ""


@dataclass(frozen=True)
class Typing:
    """What happens while an answer is typed."""

    changed: Callable[[str], object] = lambda _: None
    """Called with the text after each key."""
    left: Callable[[], object] = lambda: None
    """Called when the prompt is left without an answer."""
    earlier: Sequence[str] = ()
    """Earlier answers, the newest last, which ``up`` recalls."""
    completions: Sequence[str] = ()
    """Texts that are completed: ``right`` takes what is suggested."""

    @property
    def suggester(self) -> Suggester | None:
        return SuggestFromList(self.completions) if self.completions else None


Then = Callable[[str], Later | None]
"""What is done with an answer; any exception keeps the prompt open with the reason."""


class Prompt(Vertical):
    """Asks for a line of text; an answer that is refused stays there to be corrected."""

    BINDINGS: ClassVar[list[BindingType]] = bindings((LEAVE_PROMPT, EARLIER, LATER))

    def __init__(self) -> None:
        super().__init__(id="prompt")
        self._then: Then | None = None
        self._typing = Typing()
        self._recalled = 0
        """How many answers back the one is that is shown; 0 is what was typed."""
        self._takes_nothing = False
        self._verb = ""
        self._before: Widget | None = None

    def compose(self) -> ComposeResult:
        yield SafeInput(id="ask")
        yield Static("", id="why-not", markup=False)

    @property
    def line(self) -> Input:
        return self.query_one("#ask", Input)

    @property
    def is_open(self) -> bool:
        return self._then is not None

    def ask(  # noqa: PLR0913 - each is a separate choice
        self,
        what: str,
        hint: str,
        then: Then,
        *,
        verb: str,
        value: str = "",
        takes_nothing: bool = False,
        typing: Typing | None = None,
    ) -> None:
        """Come up and ask; ``verb`` says what enter does with an answer.

        ``takes_nothing`` means that an empty answer is one, too.
        """
        if not self.is_open:
            self._before = self.screen.focused
        self._then, self._takes_nothing, self._verb = then, takes_nothing, verb
        self._typing = typing or Typing()
        self._recalled = 0
        self.line.suggester = self._typing.suggester
        self.line.border_subtitle = ""
        self.line.border_title = Content(what)
        self.line.placeholder = printable(hint)
        self.line.value = value
        self.line.cursor_position = len(value)
        self.complain("")
        self.display = True
        self.screen.set_focus(self.line)
        self.refresh_bindings()

    def complain(self, reason: str) -> None:
        why = self.query_one("#why-not", Static)
        why.update(printable(ERROR.text(reason), 400) if reason else "")
        why.display = bool(reason)

    @on(Input.Changed)
    def _changed(self, event: Input.Changed) -> None:
        event.stop()
        self.complain("")
        if self.is_open:
            self._typing.changed(event.value)

    def show_count(self, text: str) -> None:
        """Show in the border what was found so far."""
        self.line.border_subtitle = Content(text)

    def action_recall(self, by: int) -> None:
        """Show an earlier answer, or a later one."""
        earlier = self._typing.earlier
        self._recalled = max(0, min(self._recalled + by, len(earlier)))
        text = earlier[-self._recalled] if self._recalled else ""
        self.line.value = text
        self.line.cursor_position = len(text)

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
            notify(self, failed(sentence))

    def action_leave_prompt(self) -> None:
        left = self._typing.left
        self.close()
        left()

    def key_conditions(self) -> Conditions:
        return {"answer": self._verb, "earlier_answers": bool(self._typing.earlier)}

    def close(self) -> None:
        """Go away, and give the focus back unless the answer has moved it."""
        self._then = None
        self.display = False
        if self.screen.focused in (self.line, None) and self._before is not None:
            self.screen.set_focus(self._before)
        self._before = None
