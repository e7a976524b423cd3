"""The base of all our screens: background work, help, pictures, toasts and styles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, TypeVar

from textual import events
from textual.await_complete import AwaitComplete
from textual.command import Provider
from textual.message import Message
from textual.screen import ModalScreen, Screen

from ctxtui.background import Background
from ctxtui.commands.command import Command
from ctxtui.notify import notify
from ctxtui.widgets.styled import STYLE_CLASSES
from ctxtui.widgets.toasts import Toasts

T = TypeVar("T")


@dataclass
class OpenHelp(Message):
    """The help of a screen should be shown: its commands, and the keys of where the focus is."""

    commands: Sequence[Command]


def _command_provider() -> type[Provider]:
    from ctxtui.help.palette import CommandProvider

    return CommandProvider


class BaseScreen(Screen[T]):
    """A screen with a runner for work in threads; two keys in a row leave it only once."""

    ALLOW_IN_MAXIMIZED_VIEW = "KeyFooter"
    COMMANDS: ClassVar[set[type[Provider] | Callable[[], type[Provider]]]] = {_command_provider}
    COMPONENT_CLASSES: ClassVar[set[str]] = STYLE_CLASSES
    HELP_COMMANDS: ClassVar[Sequence[Command]] = ()
    """The commands that the help explains."""
    URGENT: ClassVar[tuple[str, ...]] = ("ctrl+q",)
    """Keys that need not wait for work in the background."""
    HOME: ClassVar[str] = "library"
    """What a session that was opened here calls the way back."""

    def on_mount(self) -> None:
        self.mount(Toasts())

    def dismiss(self, result: T | None = None) -> AwaitComplete:
        """Leave this screen; a second time, when another one is on top, nothing happens."""
        return super().dismiss(result) if self.is_current else AwaitComplete()

    @cached_property
    def background(self) -> Background:
        return Background(self, self.waiting_changed)

    def waiting_changed(self) -> None:
        """Show that keys wait for something, or no longer do."""
        self.refresh_bindings()

    def accepts_key(self, event: events.Event) -> bool:
        """Return whether an event may be handled now: work that keys wait for has ended."""
        return not self.background.holds_keys

    def skips_queue(self, event: events.Event) -> bool:
        """Return whether an event need not wait."""
        return isinstance(event, events.Key) and event.key in self.URGENT

    def help_commands(self) -> Sequence[Command]:
        return self.HELP_COMMANDS

    def palette_commands(self) -> Sequence[Command]:
        """Return the commands that the palette lists: moving in a list is done by keys."""
        return [one for one in self.help_commands() if one.group != "list"]

    def action_help(self) -> None:
        self.post_message(OpenHelp(self.help_commands()))

    def action_picture(self) -> None:
        from ctxtui.clipboard import save_picture

        notify(self, save_picture(self.app))

    # Sent or seen: the same choice on all screens that show calls

    _shown_as_seen = False

    @property
    def shows_seen(self) -> bool:
        """Return whether what a model saw is shown, where that is known, and not what was sent."""
        return self.app.has_class("-seen")

    def action_seen(self) -> None:
        self.app.set_class(not self.shows_seen, "-seen")
        self._read_again()

    def on_screen_resume(self) -> None:
        """Follow what was chosen on another screen."""
        if self._shown_as_seen != self.shows_seen:
            self._read_again()

    def _read_again(self) -> None:
        self._shown_as_seen = self.shows_seen
        self.reading_changed()

    def reading_changed(self) -> None:
        """Show again what was sent or what was seen."""

    def action_leave(self) -> None:
        self.dismiss()


class ModalBase(ModalScreen[T], BaseScreen[T]):
    """A screen above another one, which stays visible."""

    COMPONENT_CLASSES: ClassVar[set[str]] = STYLE_CLASSES  # Textual inherits from the first base.
