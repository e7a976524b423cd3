"""The screens a picture can be taken of, and the keys that lead to each."""

from __future__ import annotations

from textual.keys import Keys, key_to_character

from ctxtui.core.errors import wrong_type

KEYS = frozenset(key.value for key in Keys)
"""Names of keys that write no character."""

SCREENS: dict[str, tuple[str, ...]] = {
    "inspector": (),
    "raw": ("1",),
    "visible": ("2",),
    "message": ("3",),
    "timeline": ("4",),
    "roles": ("5",),
    "mark-map": ("5", "5"),
    "state": ("5", "5", "W"),
    "journal": ("5", "5", "5"),
    "tokens": ("5", "5", "5", "5"),
    "lint": ("L",),
    "diff": ("equals_sign",),
    "what-if": ("w",),
    "over-run": ("w", "tab"),
    "sweep": ("w", "tab", "tab"),
    "call": ("I",),
    "operations": ("o",),
    "help": ("question_mark",),
    "library": (),
}
"""Screens of the app by the name a command knows them by."""

LIBRARY = "library"
"""The one screen that shows no conversation, but all of a file's."""
CALL = "call"
"""The one screen that shows what was really sent, and so needs a recorded call."""
OF_TWO_BATCHES = ("diff",)
"""Screens that compare the batch that is looked at with now: the one before, unless it is said."""


def read_keys(text: str) -> tuple[str, ...]:
    """Return the keys of a text with spaces between them; a name that no key has is refused."""
    keys = tuple(text.split())
    for key in keys:
        if len(key) > 1 and key not in KEYS and key_to_character(key) is None:
            raise wrong_type("keys", key, "a key, such as j, enter, ctrl+s or question_mark")
    return keys
