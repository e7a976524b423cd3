"""The one registry of what a user can do: keys, footers, palette, help and docs come from it.

Start with ``command.py`` (what a command is) and ``hints.py`` (which keys are shown where); then
there is one file for each screen, with its commands and its footers.
"""

from __future__ import annotations

from ctxtui.commands import (
    bulk,
    call,
    dialogs,
    diff,
    forms,
    inspecting_footers,
    lessons,
    library,
    over_run,
    settings,
    sweep,
    watch,
    what_if,
)
from ctxtui.commands.bulk import BULK, LEAVING_OUT
from ctxtui.commands.call import CALL
from ctxtui.commands.command import GROUPS, SIGNS, Command, Group
from ctxtui.commands.diff import DIFF
from ctxtui.commands.following import FOLLOWING
from ctxtui.commands.forms import FORM
from ctxtui.commands.hints import Facts, Footer, Key, Keys, keys_now
from ctxtui.commands.inspecting import (
    EXPLORER,
    INSPECTING,
    INSPECTOR,
    KEYS_OF_OPERATIONS,
    KEYS_OF_REPAIRS,
    PANES,
)
from ctxtui.commands.lessons import LESSON, LESSONS
from ctxtui.commands.library import LIBRARY
from ctxtui.commands.lists import LISTS, TEXT
from ctxtui.commands.over_run import OVER_RUN
from ctxtui.commands.player import PLAYER
from ctxtui.commands.settings import SETTINGS
from ctxtui.commands.sweep import SWEEP
from ctxtui.commands.watch import WATCH
from ctxtui.commands.what_if import WHAT_IF

__all__ = [
    "BULK",
    "CALL",
    "CONTEXTS",
    "DIFF",
    "EXPLORER",
    "FOLLOWING",
    "FORM",
    "GROUPS",
    "INSPECTING",
    "INSPECTOR",
    "KEYS_OF_OPERATIONS",
    "KEYS_OF_REPAIRS",
    "LEAVING_OUT",
    "LESSON",
    "LESSONS",
    "LIBRARY",
    "LISTS",
    "OVER_RUN",
    "PANES",
    "PLAYER",
    "SETTINGS",
    "SIGNS",
    "SWEEP",
    "TEXT",
    "WATCH",
    "WHAT_IF",
    "Command",
    "Facts",
    "Footer",
    "Group",
    "Key",
    "Keys",
    "keys_now",
]

CONTEXTS: dict[str, Footer] = {
    **inspecting_footers.FOOTERS,
    **forms.FOOTERS,
    **library.FOOTERS,
    **lessons.FOOTERS,
    **settings.FOOTERS,
    **bulk.FOOTERS,
    **watch.FOOTERS,
    **diff.FOOTERS,
    **call.FOOTERS,
    **what_if.FOOTERS,
    **over_run.FOOTERS,
    **sweep.FOOTERS,
    **dialogs.FOOTERS,
}
"""What the line of keys shows, by what has the focus."""
