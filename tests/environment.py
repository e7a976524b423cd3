"""A pytest plugin that removes what a developer's shell may say about colours and screens.

It is loaded with `-p` (see pyproject.toml), before the snapshot plugin imports Textual: Textual
takes its theme, animations and frame rate from the environment while it is imported.
"""

import atexit
import os
import shutil
import tempfile
import time

SIZE_AND_COLOUR = {"COLUMNS", "LINES", "NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "ESCDELAY"}

for name in list(os.environ):
    # The snapshot plugin passes its processes the folder for their results.
    is_ours = name.startswith("TEXTUAL_SNAPSHOT")
    if name in SIZE_AND_COLOUR or (name.startswith("TEXTUAL") and not is_ours):
        del os.environ[name]

# Times of day are the same everywhere, so that pictures are.
os.environ["TZ"] = "UTC"
if hasattr(time, "tzset"):
    time.tzset()

os.environ["TERM"] = "xterm-256color"
os.environ["COLORTERM"] = "truecolor"
# The developer's own preferences are neither read nor written.
_preferences = tempfile.mkdtemp(prefix="ctxtui-test-")
os.environ["CTXTUI_CONFIG"] = _preferences
atexit.register(shutil.rmtree, _preferences, ignore_errors=True)
