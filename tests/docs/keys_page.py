"""The lists of keys in docs/keys.md, made from the registry: ``python -m tests.docs.keys_page``."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ctxtui.calls.keys import CALL
from ctxtui.commands.command import GROUPS, Command
from ctxtui.commands.common import LISTS
from ctxtui.diff.keys import DIFF
from ctxtui.forms.keys import ANOTHER, FORM
from ctxtui.inspector.keys import FOLLOWING, INSPECTING, PLAYER, TEXT_VIEW
from ctxtui.lessons.keys import LESSON, LESSONS
from ctxtui.library.keys import BULK, LEAVING_OUT, LIBRARY
from ctxtui.loom.keys import LOOM
from ctxtui.settings.keys import SETTINGS
from ctxtui.watch.keys import WATCH
from ctxtui.what_if.keys import BILL, SWEEP, WHAT_IF
from tests.docs.pages import ROOT

PATH = ROOT / "docs" / "keys.md"
BEGIN, END = "<!-- made from the registry by make keys -->", "<!-- end -->"
SCREENS: dict[str, tuple[Command, ...]] = {
    "Text": TEXT_VIEW,
    "Journal": PLAYER,
    "Forms": (*FORM, ANOTHER),
    "Calls": CALL,
    "Diff": DIFF,
    "Loom": LOOM,
    "What-if": WHAT_IF,
    "Sweep": SWEEP,
    "Bill": BILL,
    "Library": LIBRARY,
    "Many sessions": (*BULK, *LEAVING_OUT),
    "Sessions that others write": FOLLOWING,
    "Watch": WATCH,
    "Lessons": LESSONS,
    "A lesson": LESSON,
    "Settings": SETTINGS,
}
"""The keys of each screen and part of a screen, but for those of lists."""
EVERYWHERE = (
    *(
        "help",
        "app.command_palette",
        "app.quit",
        "picture",
        "app.ascii",
        "app.notices",
        "seen",
        "bill",
    ),
    *("app.focus_next", "app.focus_previous"),
)
"""Commands that are listed once, with the inspector's, since they are the same on all screens."""


def lists() -> str:
    """Return the lists of all keys."""
    own = (*INSPECTING, *LISTS)
    groups = {title: [one for one in own if one.group == g] for g, title in GROUPS.items()}
    for title, commands in SCREENS.items():
        groups[title] = [one for one in commands if one.action not in EVERYWHERE]
    return "\n".join(f"\n### {title}\n\n{_rows(some)}" for title, some in groups.items())


def _rows(commands: Iterable[Command]) -> str:
    """Return a line for each command; keys that do the same, or choose one of several, share it."""
    keys: dict[str, list[str]] = {}
    for command in commands:
        about = re.sub(r"(strategy|answer) [A-F1-4]\b", r"\1 …", command.about)
        keys.setdefault(about, []).extend(command.shown_keys().split())
    lines = (
        f"{' '.join(f'`{key}`' for key in some) or '*palette*'} {about[0].lower()}{about[1:]}"
        for about, some in keys.items()
    )
    return "\\\n".join(lines)  # A line ends with a break, without the sign of a list.


def with_lists(text: str) -> str:
    """Return a page with the lists as they are now."""
    pattern = rf"(?<={re.escape(BEGIN)}\n).*(?=\n{re.escape(END)})"
    return re.sub(pattern, lambda _: lists(), text, flags=re.DOTALL)


if __name__ == "__main__":
    PATH.write_text(with_lists(PATH.read_text(encoding="utf-8")), encoding="utf-8")
