"""Sessions of threads: their places and titles follow what is found out later."""

from __future__ import annotations

from pathlib import Path

from ctxtui.capture.thread_sessions import ThreadSessions
from ctxtui.core.requests.exchange import Exchange
from ctxtui.core.storage import Library
from tests.core.requests.traffic import Row, answer, chat, said

POET = said("system", "You are a poet who writes about rivers and lakes.")
CRITIC = said("system", "You judge what others have written, line by line.")
ASKED = said("user", "Write a poem about the river that runs past the old mill.")
POEM = "Slowly the river runs past the mill, and never comes back."
VERDICT = "A fine start, but the second line needs another word."
BETTER = "Softly the river runs past the mill, and never turns round."


def test_a_side_call_that_continues_becomes_a_conversation(tmp_path: Path) -> None:
    library = Library(tmp_path)
    sessions = ThreadSessions(library, "talk.py")

    def send(exchange: Exchange) -> str:
        return sessions.save(sessions.record(exchange).thread)

    def told(text: str) -> Row:
        return said("user", f"The other one says: {text}")

    poet = send(chat(POET, ASKED, response=answer(POEM)))
    critic = send(chat(CRITIC, told(POEM), response=answer(VERDICT)))
    place = library.open(critic, read_only=True).details.thread
    assert place is not None
    assert (place.role, library.open(critic, read_only=True).title.split(":")[0]) == (
        "sideCalls",
        "side calls",
    )
    more = [said("assistant", POEM), told(VERDICT)]
    assert send(chat(POET, ASKED, *more, response=answer(BETTER))) == poet
    assert send(chat(CRITIC, told(POEM), said("assistant", VERDICT), told(BETTER))) == critic
    list(sessions.close())
    with library.open(critic, read_only=True) as session:
        place = session.details.thread
        assert place is not None
        assert (place.role, place.parent) == ("main", None)
        assert session.title.startswith("The other one says: Slowly")
        assert len(session.conversation.calls.all) == 2
