"""A command: something a user can do, with its keys, its words and the action it runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from textual.binding import Binding

SIGNS = {
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "slash": "/",
    "colon": ":",
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
"""What commands are for, in the order in which help tells of them."""


@dataclass(frozen=True)
class Command:
    """Something a user can do; whether a line of keys shows it is said by hints."""

    keys: str
    action: str
    title: str
    about: str
    group: Group
    first: bool = field(default=False, kw_only=True)
    """Whether the key is for this command even where a field would use it."""

    def shown_keys(self) -> str:
        """Return the keys as they stand on a keyboard."""
        return " ".join(SIGNS.get(key, key) for key in self.keys.split(","))

    def binding(self) -> Binding:
        """Return the command as a key binding."""
        return Binding(
            self.keys,
            self.action,
            self.title,
            show=False,
            tooltip=self.about,
            id=self.action,
            priority=self.first,
        )


# Hints: which keys the line at the bottom shows, and what it says they do there.

Conditions = Mapping[str, str | bool]
"""What is so right now, by name; words of hints may hold what is said of it, as ``{now}``."""

SHORT_KEYS = {"escape": "esc"}
ALWAYS = 0
"""The rank of what never goes: the ways to everything else."""
LUXURY = 7
"""The rank from which on a key goes before any other gets a shorter word."""


class Hint(NamedTuple):
    """A key that is worth a place: what it does there, and when it can."""

    command: Command
    keys: str
    word: str
    short: str
    when: tuple[str, ...] = ()
    """Conditions that must all be so."""
    rank: int = 5
    """How much it matters, from 0 (never goes) to 9 (goes first) where there is little room."""


Footer = tuple[tuple[Hint, ...], ...]
"""The hints of a context, in groups from left to right."""


class Key(NamedTuple):
    """A key as it is shown now: a hint whose facts are so, with its words filled in."""

    command: Command
    keys: str
    word: str
    short: str
    rank: int


Keys = tuple[tuple[Key, ...], ...]
"""The keys that are shown, in groups."""


class Hinting:
    """Makes hints for the commands of a screen, each named by its action."""

    def __init__(self, *registries: Iterable[Command]) -> None:
        commands = (command for registry in registries for command in registry)
        self._commands = {command.action: command for command in commands}

    def __call__(
        self,
        action: str,
        word: str = "",
        short: str = "",
        *,
        when: str = "",
        rank: int = 5,
        keys: str = "",
    ) -> Hint:
        """Return a hint; without a word it is the command's title, without keys its first one."""
        command = self._commands[action]
        word = word or command.title.lower()
        first = command.shown_keys().split()[0]
        shown = keys or SHORT_KEYS.get(first, first)
        return Hint(command, shown, word, short or word, tuple(when.split()), rank)


def keys_now(footer: Footer, facts: Conditions) -> Keys:
    """Return the keys that can act, each command once: the first of its hints that fits."""
    told: set[str] = set()
    groups = []
    for group in footer:
        keys = []
        for hint in group:
            if hint.command.action not in told and all(facts.get(one) for one in hint.when):
                told.add(hint.command.action)
                word, short = hint.word.format_map(facts), hint.short.format_map(facts)
                keys.append(Key(hint.command, hint.keys, word, short, hint.rank))
        groups.append(tuple(keys))
    return tuple(group for group in groups if group)


def said_keys(keys: Keys, say: Callable[[str], str]) -> Keys:
    """Return keys with other words, such as those of another language."""
    return tuple(
        tuple(key._replace(word=say(key.word), short=say(key.short)) for key in group)
        for group in keys
    )
