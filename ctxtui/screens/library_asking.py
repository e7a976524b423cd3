"""What the library asks for in its prompt, and what is done with the answers."""

from __future__ import annotations

from asyncio import to_thread
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from core.curation.where import read_where
from core.storage import Entry
from ctxtui.files.paths import read_path
from ctxtui.files.reading import check_readable
from ctxtui.models.describing import describe, retag
from ctxtui.models.library_steps import take_in
from ctxtui.models.squash_many import read_word, squash_many
from ctxtui.models.told import note
from ctxtui.telling import tell
from ctxtui.widgets.prompt import Prompt, Then
from ctxtui.words import plural

if TYPE_CHECKING:
    from ctxtui.screens.library import LibraryScreen


class Ask(NamedTuple):
    """A question: what is asked for, what enter does then, and whether it is about sessions."""

    hint: str
    verb: str
    needs_session: bool = False


ASKS = {
    "import": Ask("the path of a conversation, such as ~/chat.json", "import it"),
    "rename": Ask("the session's new title", "rename it", True),
    "tags": Ask("tags, with commas between them; nothing takes all away", "give these tags", True),
    "note": Ask("a note about it; nothing takes it away", "write it down", True),
    "squash": Ask(
        "squash: new sessions of what is visible; purge: and the originals gone for good",
        "do it",
        True,
    ),
    "filter": Ask(
        "words of title, tags or note; tag: status: lint: format: dup:; nothing shows all",
        "show only these",
    ),
    "search": Ask("text to find in titles and messages of all sessions", "find"),
}
"""What each prompt asks for, and what enter does then."""
MANY_TAGS = Ask("tags to give, with commas between them; -tag takes one away", "change the tags")
MOST_HITS = 1_000


class LibraryAsking:
    """Asks, and does what is answered; what is refused stays in the prompt with the reason."""

    def __init__(self, screen: LibraryScreen) -> None:
        self._screen = screen

    def ask(self, what: str) -> None:
        """Ask for something to do with the sessions that are chosen, or to find."""
        screen, asked = self._screen, ASKS[what]
        if asked.needs_session:
            screen.end_range()
        chosen = screen.chosen if screen.panes.mode in ("library", "hits") else []
        if asked.needs_session and not chosen:
            return
        start, title = self._start(what, chosen), what
        if what == "tags" and len(chosen) > 1:
            asked = MANY_TAGS
        if asked.needs_session and len(chosen) > 1:
            title = f"{what} of {len(chosen):,} sessions"
        answers: dict[str, Then] = {
            "import": self._import,
            "rename": partial(self._rename, chosen[:1]),
            "tags": partial(self._tag, chosen),
            "note": partial(self._note, chosen),
            "squash": partial(self._squash, chosen),
            "filter": self._filter,
            "search": self._search,
        }
        screen.query_one(Prompt).ask(
            title, asked.hint, answers[what], verb=asked.verb, value=start, takes_nothing=True
        )

    def _start(self, what: str, chosen: list[Entry]) -> str:
        """Return what the prompt begins with: what is so already."""
        match what:
            case "filter":
                return self._screen.desk.shelf.where
            case "rename":
                return chosen[0].title
            case "tags" if len(chosen) == 1:
                return ", ".join(chosen[0].tags)
            case "note" if len(chosen) == 1:
                return chosen[0].note
        return ""

    def _import(self, text: str) -> None:
        path = str(read_path(text))
        check_readable(path)  # Now, while the path can still be mended.
        screen = self._screen
        screen.work.do(partial(take_in, screen.library, path), is_awaited=False)

    async def _rename(self, chosen: list[Entry], text: str) -> None:
        screen = self._screen
        await screen.work.run(partial(describe, screen.library, chosen, {"title": text.strip()}))

    async def _tag(self, chosen: list[Entry], text: str) -> None:
        screen = self._screen
        tags = [tag.strip() for tag in text.split(",") if tag.strip()]
        if len(chosen) == 1:
            act = partial(describe, screen.library, chosen, {"tags": tags})
        else:
            given = [tag.removeprefix("+").strip() for tag in tags if not tag.startswith("-")]
            taken = [tag[1:].strip() for tag in tags if tag.startswith("-")]
            act = partial(retag, screen.library, chosen, given, taken)
        await screen.work.run(act)

    async def _note(self, chosen: list[Entry], text: str) -> None:
        screen = self._screen
        await screen.work.run(partial(describe, screen.library, chosen, {"note": text.strip()}))

    def _squash(self, chosen: list[Entry], text: str) -> None:
        is_purging, screen = read_word(text), self._screen
        screen.selection.clear()
        watch = screen.work.watch("purging" if is_purging else "squashing", len(chosen))
        screen.work.do(partial(squash_many, screen.library, chosen, is_purging, watch))

    def _filter(self, text: str) -> None:
        screen = self._screen
        here = screen.desk.here
        screen.desk.shelf.arrange(text)
        screen.panes.turn_to("library")
        screen.selection.clear()
        screen.show()
        rows = screen.desk.shelf.rows
        if screen.desk.shelf.place(here) is None and rows:
            here = rows[0].entry.id  # What no longer fits gives way to the top of what does.
        screen.go_to(here)
        screen.desk.leave()
        if read_where(text).needs_digest:
            self._tell_unknown("They are not among these yet.")

    def _tell_unknown(self, what: str) -> None:
        """Say that some sessions were not looked into, where that makes a difference."""
        known = self._screen.desk.shelf.known.values()
        count = sum(row.digest is None and row.entry.problem is None for row in known)
        if count:
            title = f"{plural(count, 'session')} {'is' if count == 1 else 'are'} still looked into"
            tell(self._screen, note(title, what))

    async def _search(self, text: str) -> None:
        screen = self._screen
        if not text.strip():
            return
        found = await to_thread(partial(screen.desk.catalog.search, text, limit=MOST_HITS))
        screen.panes.show_hits(text, screen.desk.shelf.as_shelved(found))
        self._tell_unknown("Only their titles were searched.")
