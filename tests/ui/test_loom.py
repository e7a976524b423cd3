"""The loom: rows of history, threads of labelled messages, and its screen."""

from __future__ import annotations

from ctxtui.app import CtxtuiApp
from ctxtui.core import Conversation
from ctxtui.inspector.screen import InspectorScreen
from ctxtui.loom.drawing import LoomSource, loom_text, story_line
from ctxtui.loom.models import Loom
from ctxtui.loom.screen import LoomPlace, LoomScreen
from ctxtui.text.lines import Line
from tests.cases import case
from tests.ui.opening import kept, painted
from tests.ui.test_diff_render import whole_tour
from tests.ui.test_hostile import HOSTILE


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def short() -> Conversation:
    """Return four messages, of which a batch hides a labelled one, and an abandoned branch."""
    made = Conversation([{"role": "user", "content": f"number {at}"} for at in range(4)])
    made.execute({"operation": "MARK", "indices": [1], "label": "rule"})
    made.execute({"operation": "TRUNCATE", "keepLast": 3})
    made.rollback(0)
    made.append("assistant", "after the rollback")
    made.execute({"operation": "DELETE", "indices": [1, 2]})
    return made


def test_there_is_a_row_for_each_batch_and_one_for_now() -> None:
    rows = Loom(short()).rows
    assert [(row.batch.number, row.name, row.is_abandoned) for row in rows] == [
        (0, "START", False),
        (1, "TRUNCATE", True),
        (1, "DELETE", False),
    ]
    assert [list(row.went) for row in rows] == [[], [0], [1, 2]]


def test_states_between_batches_fill_the_room_and_a_return_is_named() -> None:
    names = [row.name for row in Loom(short(), rows=10).rows]
    assert names == ["START", "TRUNCATE", "back", "DELETE"]


def test_a_session_that_goes_on_ends_with_now() -> None:
    made = short()
    made.append("user", "one more")
    assert [row.name for row in Loom(made).rows][-1] == "now"


def test_the_batch_that_hid_most_labelled_messages_is_named() -> None:
    line = text(story_line(Loom(short()), 100)).strip()
    assert line == "batch 1 DELETE hid 1 of 1 labelled message: “number 1”"


def test_calls_made_without_a_labelled_message_are_counted() -> None:
    made = short()
    made.record_call(model="m")
    made.rollback(0)
    made.record_call(model="m")
    made.checkout(batch=2)
    assert "1 call without it." in text(story_line(Loom(made), 100))


def test_without_labels_the_batch_that_hid_most_tokens_is_named() -> None:
    made = Conversation([{"role": "user", "content": "x" * 40} for _ in range(3)])
    assert "No batch on this path hid a message." in text(story_line(Loom(made), 80))
    made.execute({"operation": "DELETE", "indices": [0, 1]})
    assert text(story_line(Loom(made), 100)).strip() == (
        "batch 1 DELETE hid the most: 2 messages, 20 tokens. No message has a label."
    )


def test_a_thread_runs_from_its_message_to_the_batch_that_hides_it() -> None:
    source = LoomSource(Loom(short()))
    width = 80
    at = source.lead(width) + source.axis(width).place(1)
    assert [text(source.line(row, width))[at] for row in range(3)] == ["★", "│", "✖"]
    assert source.loom.ends == [(2, 1)]


def test_messages_that_are_not_there_yet_leave_no_trace() -> None:
    source = LoomSource(Loom(short()))
    width = 80
    end = source.lead(width) + source.axis(width).place(4)
    assert text(source.line(0, width))[end] == " "
    assert text(source.line(2, width))[end] == "▆"


def test_as_text_it_has_every_batch_and_each_line_fits() -> None:
    for width in (80, 140):
        with case(str(width)):
            lines = loom_text(Loom(whole_tour(), 20), "tour", width).splitlines()
            assert all(len(line) <= width for line in lines)
            assert sum("TRUNCATE" in line for line in lines) == 3
            assert "6 batches" in lines[0]
            assert "1 abandoned" in lines[0]


async def test_keys_of_the_loom() -> None:
    app = CtxtuiApp(kept(short()))
    app.animation_level = "none"
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        await pilot.press("Z")
        screen = app.screen
        assert isinstance(screen, LoomScreen)
        assert screen.rows.cursor == len(screen.source) - 1
        await pilot.pause()
        title = painted(screen).splitlines()[0]
        assert title.startswith(" Library › ")
        assert " › Loom   " in title
        await pilot.press("right", "right", "left")
        assert screen.source.raw == 1
        await pilot.press("g", "n")
        assert (screen.rows.cursor, screen.source.raw) == (3, 1)
        await pilot.resize_terminal(80, 24)
        assert screen.source.loom.rows[screen.rows.cursor].name == "DELETE"
        assert screen._place() == LoomPlace(screen.conversation.current.id, 1)
        await pilot.press("g", "enter")
        assert isinstance(app.screen, InspectorScreen)
        assert app.screen.look.revision.id == 0
        assert app.screen.explorer.raw == 1


async def test_hostile_titles_and_empty_sessions_open() -> None:
    for title, made in (("none", Conversation()), (" ".join(HOSTILE), short())):
        with case(ascii(title)):
            app = CtxtuiApp(kept(made))
            app.animation_level = "none"
            async with app.run_test(size=(80, 24)) as pilot:
                await app.push_screen(LoomScreen(made, title))
                await pilot.press("n", "enter")
                if isinstance(app.screen, LoomScreen):
                    await pilot.press("escape")
                assert isinstance(app.screen, InspectorScreen)
