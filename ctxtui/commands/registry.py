"""The one registry of what a user can do: keys, footers, palette, help and docs come from it.

``command.py`` says what a command is; each feature has its commands and footers in ``keys.py``.
"""

from __future__ import annotations

from ctxtui.calls.keys import CALL, FOOTERS
from ctxtui.commands.command import (
    GROUPS,
    Command,
    Conditions,
    Footer,
    Group,
    Key,
    Keys,
    keys_now,
)
from ctxtui.commands.common import LISTS, TEXT
from ctxtui.commands.dialogs import FOOTERS as DIALOGS_FOOTERS
from ctxtui.diff.keys import DIFF
from ctxtui.diff.keys import FOOTERS as DIFF_FOOTERS
from ctxtui.forms.keys import FOOTERS as FORMS_FOOTERS
from ctxtui.forms.keys import FORM
from ctxtui.inspector.keys import (
    EXPLORER,
    FOLLOWING,
    INSPECTING,
    INSPECTOR,
    KEYS_OF_OPERATIONS,
    KEYS_OF_REPAIRS,
    PANES,
    PLAYER,
)
from ctxtui.inspector.keys import FOOTERS as INSPECTOR_FOOTERS
from ctxtui.lessons.keys import FOOTERS as LESSONS_FOOTERS
from ctxtui.lessons.keys import LESSON, LESSONS
from ctxtui.library.keys import BULK, BULK_FOOTERS, LEAVING_OUT, LIBRARY, LIBRARY_FOOTERS
from ctxtui.loom.keys import FOOTERS as LOOM_FOOTERS
from ctxtui.loom.keys import LOOM
from ctxtui.settings.keys import FOOTERS as SETTINGS_FOOTERS
from ctxtui.settings.keys import SETTINGS
from ctxtui.watch.keys import FOOTERS as WATCH_FOOTERS
from ctxtui.watch.keys import WATCH
from ctxtui.what_if.keys import FOOTERS as WHAT_IF_FOOTERS
from ctxtui.what_if.keys import SWEEP, WHAT_IF

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
    "LOOM",
    "PANES",
    "PLAYER",
    "SETTINGS",
    "SWEEP",
    "TEXT",
    "WATCH",
    "WHAT_IF",
    "Command",
    "Conditions",
    "Footer",
    "Group",
    "Key",
    "Keys",
    "keys_now",
]

CONTEXTS: dict[str, Footer] = {
    **INSPECTOR_FOOTERS,
    **FORMS_FOOTERS,
    **LIBRARY_FOOTERS,
    **LESSONS_FOOTERS,
    **SETTINGS_FOOTERS,
    **BULK_FOOTERS,
    **WATCH_FOOTERS,
    **DIFF_FOOTERS,
    **LOOM_FOOTERS,
    **FOOTERS,
    **WHAT_IF_FOOTERS,
    **DIALOGS_FOOTERS,
}
"""The footers, by what has the focus."""
