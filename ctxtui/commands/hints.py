"""Hints: which keys the line at the bottom shows, and what it says they do there.

A *context* is what has the focus: a widget by its id (``#timeline``) or its class (``PickBar``), or
a screen by its class; the nearest one around the focus counts. Each context has a footer: hints in
groups, as they stand from left to right. A hint may need *facts*: what is so right now, told by the
widgets around the focus (``key_facts``). A key that can't act now is not shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from ctxtui.commands.command import Command

Facts = Mapping[str, str | bool]
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
    """Facts that must all be so."""
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


def keys_now(footer: Footer, facts: Facts) -> Keys:
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
