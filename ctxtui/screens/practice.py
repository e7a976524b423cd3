"""A practice copy in the inspector: everything can be tried on it, and nothing of it is kept."""

from __future__ import annotations

from ctxtui.core import Conversation
from ctxtui.core.storage import MemoryLibrary
from ctxtui.models.desk import Desk
from ctxtui.models.told import note
from ctxtui.screens.inspector import InspectorScreen
from ctxtui.screens.saving import BackgroundSaving
from ctxtui.telling import tell

WAYS_OUT = (("O", "goes back to the lesson"), ("e", "writes a file"))
TITLE, DETAIL = "A practice copy", "Nothing of it is kept."


class PracticeSaving(BackgroundSaving):
    """Saves nothing, and says so."""

    def start(self) -> None:
        """Say what this is, and how to leave it."""
        self.fold()
        self.show()

    def fold(self) -> None:
        """Say that nothing is kept, to whoever wants to save."""
        tell(self._screen, note(TITLE, DETAIL, *WAYS_OUT))

    def save_soon(self) -> None:
        """Say in the head line what this is."""
        self.show()

    def show(self) -> None:
        """Say in the head line what this is."""
        self._screen.explorer.tabs.show_practice(self._screen.session.title)


class PracticeScreen(InspectorScreen):
    """The inspector of a conversation that is forgotten when it is left."""

    def __init__(self, conversation: Conversation, title: str) -> None:
        library = MemoryLibrary()
        super().__init__(library.create(conversation, title=title), desk=Desk(library))
        self.saving = PracticeSaving(self, self.workspace.saver)
