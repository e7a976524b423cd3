"""Commands: what a user can do, with keys, words, and what the footer says of it and when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

from textual.binding import Binding, BindingType

SYMBOLS = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "slash": "/",
    "colon": ":",
    "apostrophe": "'",
    "quotation_mark": '"',
    "semicolon": ";",
    "at": "@",
    "question_mark": "?",
    "ampersand": "&",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "percent_sign": "%",
    "dollar_sign": "$",
    "down": "↓",
    "up": "↑",
    "right": "→",
    "left": "←",
    "comma": ",",
    "equals_sign": "=",
    "plus": "+",
    "minus": "-",
    "exclamation_mark": "!",
    "asterisk": "*",
    "tilde": "~",
    "delete": "del",
}
"""Keys whose names are not what is printed on them."""

Group = Literal["change", "time", "look", "panes", "list", "keep", "rest"]
GROUPS: dict[Group, str] = {
    "change": "Changing",
    "time": "Time",
    "look": "Looking",
    "panes": "Panes and views",
    "list": "In a list",
    "keep": "Keeping",
    "rest": "The rest",
}
"""What commands are for, in the order of the help."""


ALWAYS = 0
"""The rank of what is always shown: the ways to everything else."""
SHORT_KEYS = {"escape": "esc"}

Conditions = Mapping[str, str | bool]
"""What is true right now, by name; words of hints may hold a value, as ``{now}``."""


class Hint(NamedTuple):
    """What the footer says of a command, and when."""

    keys: str
    word: str
    when: tuple[str, ...] = ()
    """Conditions that must all be true."""
    rank: int = 5
    """How much it matters, from 0 (always shown) to 9 (dropped first) where width is short."""


@dataclass(frozen=True)
class Command:
    """Something a user can do: its keys, its words, its action, and what the footer says of it."""

    keys: str
    """The keys, separated by commas; none if the command is in the palette only."""
    action: str
    title: str
    about: str
    group: Group
    first: bool = field(default=False, kw_only=True)
    """Whether the key is for this command even where a field would use it."""
    hints: tuple[Hint, ...] = field(default=(), kw_only=True)

    def hint(self, word: str = "", *, when: str = "", rank: int = 5, keys: str = "") -> Command:
        """Return the command with one more hint; the first one whose conditions hold is shown.

        The word defaults to the command's title, the keys to its first one.
        """
        word = word or self.title.lower()
        first = self.shown_keys().split()[0]
        shown = keys or SHORT_KEYS.get(first, first)
        made = Hint(shown, word, tuple(when.split()), rank)
        return replace(self, hints=(*self.hints, made))

    def shown_keys(self) -> str:
        return " ".join(SYMBOLS.get(key, key) for key in self.keys.split(","))

    def binding(self) -> Binding:
        return Binding(
            self.keys,
            self.action,
            self.title,
            show=False,
            tooltip=self.about,
            id=self.action,
            priority=self.first,
        )


def bindings(commands: Iterable[Command]) -> list[BindingType]:
    """Return the key bindings of commands."""
    return [command.binding() for command in commands if command.keys]


Footer = tuple[tuple[Command, ...], ...]
"""The commands that a footer shows, in groups from left to right."""


def footer(commands: Iterable[Command], *groups: str | Sequence[str | Command]) -> Footer:
    """Return a footer of groups: actions without spaces, or commands with hints of their own."""
    known = {command.action.replace(" ", ""): command for command in commands}

    def found(part: str | Command) -> Iterator[Command]:
        if isinstance(part, Command):
            yield part
        else:
            yield from (known[action] for action in part.split())

    return tuple(
        tuple(
            command
            for part in ([group] if isinstance(group, str) else group)
            for command in found(part)
        )
        for group in groups
    )


class Key(NamedTuple):
    """A key as it is shown now: a hint whose conditions hold, with its words filled in."""

    command: Command
    keys: str
    word: str
    rank: int


Keys = tuple[tuple[Key, ...], ...]
"""The keys that are shown, in groups."""


def keys_now(footer: Footer, conditions: Conditions) -> Keys:
    """Return the keys that can act, each command once."""
    shown: set[str] = set()
    groups = []
    for group in footer:
        keys = []
        for command in group:
            fitting = (one for one in command.hints if all(map(conditions.get, one.when)))
            hint = None if command.action in shown else next(fitting, None)
            if hint is not None:
                shown.add(command.action)
                word = hint.word.format_map(conditions)
                keys.append(Key(command, hint.keys, word, hint.rank))
        groups.append(tuple(keys))
    return tuple(group for group in groups if group)


def translated(keys: Keys, translate: Callable[[str], str]) -> Keys:
    """Return keys with words of another language."""
    return tuple(tuple(key._replace(word=translate(key.word)) for key in group) for group in keys)
