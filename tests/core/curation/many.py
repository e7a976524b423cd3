"""Libraries of any size, made in no time: one session file under many ids, sealed anew."""

from __future__ import annotations

from pathlib import Path

from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from ctxtui.core.storage.checksummed import END, SEAL, TAIL, digest
from tests.storage.samples import said, ticking

TEXTS = (
    "How do I repot a fern without breaking its roots?",
    "Water it the day before; then tip the pot and let it slide out.",
    "And when does it need a larger pot, number 0000000?",
    "Once a year, in spring, as soon as roots show at the bottom.",
)
NAME, TITLE, NUMBER = "session00000", "talk 0000000", "number 0000000"


def many(folder: Path, count: int) -> Library:
    """Return a library with so many small sessions, each with a title and a text of its own."""
    messages = [said("assistant" if i % 2 else "user", text) for i, text in enumerate(TEXTS)]
    conversation = Conversation(messages, clock=ticking())
    library = Library(folder, ids=lambda: NAME, clock=ticking())
    library.create(conversation, title=TITLE).close()
    template = (folder / f"{NAME}.json").read_bytes()[:-TAIL]
    for number in range(1, count):
        id = f"s{number:011}"
        body = template.replace(NAME.encode(), id.encode())
        body = body.replace(TITLE.encode(), f"talk {number:07}".encode())
        body = body.replace(NUMBER.encode(), f"number {number:07}".encode())
        (folder / f"{id}.json").write_bytes(body + SEAL + digest(body).encode() + END)
    return Library(folder)
