"""The one registry of what a user can do: keys, footers, palette, help and docs come from it.

``command.py`` says what a command is; each feature has its commands and footers in ``keys.py``.
"""

from __future__ import annotations

from ctxtui.calls.keys import FOOTERS as CALLS
from ctxtui.commands.command import Footer
from ctxtui.commands.dialogs import FOOTERS as DIALOGS
from ctxtui.diff.keys import FOOTERS as DIFF
from ctxtui.forms.keys import FOOTERS as FORMS
from ctxtui.inspector.keys import FOOTERS as INSPECTOR
from ctxtui.lessons.keys import FOOTERS as LESSONS
from ctxtui.library.keys import FOOTERS as LIBRARY
from ctxtui.loom.keys import FOOTERS as LOOM
from ctxtui.settings.keys import FOOTERS as SETTINGS
from ctxtui.watch.keys import FOOTERS as WATCH
from ctxtui.what_if.keys import FOOTERS as WHAT_IF

CONTEXTS: dict[str, Footer] = {
    **INSPECTOR,
    **FORMS,
    **LIBRARY,
    **LESSONS,
    **SETTINGS,
    **WATCH,
    **DIFF,
    **CALLS,
    **LOOM,
    **WHAT_IF,
    **DIALOGS,
}
"""The footers, by what has the focus."""
