"""The app as a browser shows it: a process for each, which reads the library and writes nothing.

The server starts it; Textual's web driver takes the place of the terminal.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace

from ctxtui.app import CtxtuiApp
from ctxtui.core.errors import Refused
from ctxtui.core.storage import Library, ReadOnlyLibrary, Session
from ctxtui.files.policies import policies_folder, recipes_folder
from ctxtui.files.preferences import Preferences
from ctxtui.files.samples import samples_folder
from ctxtui.files.sandbox import Unreadable, enter_sandbox
from ctxtui.files.sessions import library_folder, open_library, open_target

BAD_INPUT = 2
WRITE = "--write"
LOOK_SECONDS = 5.0


class VisitorApp(CtxtuiApp):
    """The app, as long as there is a server that shows it."""

    def on_mount(self) -> None:
        """Look now and then whether the server is still there."""
        server = os.getppid()
        self.set_interval(LOOK_SECONDS, lambda: None if os.getppid() == server else self.exit())


class GuestApp(VisitorApp):
    """The app for a visitor, who may view and try: their preferences are not saved."""

    keeps_preferences = False

    def load_preferences(self) -> Preferences:
        """Return what the owner has chosen, but not where the library is."""
        return replace(super().load_preferences(), library="")

    def save_preferences(self, preferences: Preferences) -> None:
        """Save nothing: these are the preferences of another user."""


def command(name: str | None, library: str | None, *, may_write: bool) -> list[str]:
    """Return what starts a visitor; modules come from where ours are, not from this folder."""
    words = [sys.executable, "-P", "-m", __name__, "--library", str(library_folder(library))]
    return [*words, *([WRITE] if may_write else []), *(["--", name] if name is not None else [])]


def visited(name: str | None, library: str) -> VisitorApp:
    """Return the app for a visitor, in a sandbox from now on."""
    found = ReadOnlyLibrary(library)
    start = _start(found, name)
    app = GuestApp(start, found)
    enter_sandbox([samples_folder(), recipes_folder(), policies_folder()])
    return app


def _start(library: Library, name: str | None) -> Session | None:
    return None if name is None else open_target(library, name)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the app for one browser."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", nargs="?")
    parser.add_argument("--library", required=True)
    parser.add_argument(WRITE, action="store_true")
    asked = parser.parse_args(arguments)
    if hasattr(os, "setpgrp"):
        os.setpgrp()  # ctrl+c is meant for the server, which lets its visitors end in peace.
    try:
        if asked.write:
            library = open_library(asked.library)
            app = VisitorApp(_start(library, asked.name), library)
        else:
            app = visited(asked.name, asked.library)
    except (Refused, Unreadable) as problem:
        print(problem, file=sys.stderr)  # noqa: T201 - the server prints it
        return BAD_INPUT
    app.run()
    return app.return_code or 0


if __name__ == "__main__":
    sys.exit(main())
