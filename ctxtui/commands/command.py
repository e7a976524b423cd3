"""A command: something a user can do, with its keys, its words and the action it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

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
