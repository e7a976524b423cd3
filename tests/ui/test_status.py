"""The status line and the viewing bar: their numbers fit together."""

from __future__ import annotations

from ctxtui.core import Conversation
from ctxtui.inspector.drawing.head import status, viewing
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Line
from tests.ui.opening import lines, opened

FIVE = [{"role": "user", "content": str(number)} for number in range(5)]


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def branched() -> Conversation:
    """Return a conversation in batch 0 that has left a branch of three batches, and another."""
    conversation = Conversation(FIVE)
    for keep in (4, 3, 2):
        conversation.execute({"operation": "TRUNCATE", "keepLast": keep})
    conversation.rollback(0)
    conversation.execute({"operation": "CLEAR"})
    conversation.rollback(0)
    return conversation


def test_an_abandoned_batch_is_not_counted_among_those_of_the_path() -> None:
    conversation = branched()
    assert conversation.batch.number == 0
    told = [text(viewing(Look.at_batch(conversation, id), 200)) for id in (1, 2, 3, 4)]
    for line, number in zip(told, (1, 2, 3, 1), strict=True):
        assert f"VIEWING BATCH {number} ON AN ABANDONED BRANCH  " in line
        assert "return to 0" in line
    assert "batch 2 on an abandoned branch " in text(status(Look.at_batch(conversation, 2), 200))


def test_a_batch_of_the_path_is_counted_on_the_path() -> None:
    conversation = branched()
    conversation.checkout(batch=2)
    assert "VIEWING BATCH 1 OF 2  " in text(viewing(Look.at_batch(conversation, 1), 200))
    left = text(viewing(Look.at_batch(conversation, 3), 200))
    assert "VIEWING BATCH 3 ON AN ABANDONED BRANCH" in left


async def test_an_empty_session_has_no_error() -> None:
    async with opened(Conversation()) as (pilot, screen):
        assert "error" not in lines(screen, "status")[0]
        assert "passes" in lines(screen, "status")[0]
        screen.change({"operation": "APPEND", "messages": FIVE[:1]}, "Appended")
        await pilot.pause()
        screen.change({"operation": "DELETE", "indices": [0]}, "Deleted")
        await pilot.pause()
        assert "✖ 1 error" in lines(screen, "status")[0]
    assert "error" not in text(status(Look(screen.conversation, 0), 200))
