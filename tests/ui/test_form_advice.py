"""Forms that help: a start to choose from, hints, warnings with a key each, words of the form."""

from __future__ import annotations

from typing import Any

import pytest
from textual.pilot import Pilot

from ctxtui.core import Conversation
from ctxtui.core.engine.operations import ALL, Replace
from ctxtui.core.what_if import WhatIf
from ctxtui.forms.screen import FormScreen
from ctxtui.forms.widgets import FieldRow, OperationBox
from ctxtui.help.palette import sentence
from ctxtui.widgets.footer import KeyFooter
from ctxtui.widgets.prompt import NumberInput, SafeInput
from tests.cases import case
from tests.ui.hostility import HOSTILE
from tests.ui.opening import opened, painted, tour

SIZES = [(80, 24), (120, 40), (200, 60)]


async def settle(pilot: Pilot[str]) -> None:
    await pilot.pause()
    await pilot.app.workers.wait_for_complete()
    await pilot.pause()


async def typed(pilot: Pilot[str], *keys: str) -> FormScreen:
    for key in keys:
        await pilot.press(key)
        await settle(pilot)
    return form(pilot)


def form(pilot: Pilot[str]) -> FormScreen:
    screen = pilot.app.screen
    assert isinstance(screen, FormScreen)
    return screen


def shown(pilot: Pilot[str]) -> str:
    pane = form(pilot).pane
    return "\n".join(pane.render_line(y).text for y in range(pane.size.height))


def entered(pilot: Pilot[str]) -> dict[str, Any]:
    return form(pilot).read()


def button(pilot: Pilot[str]) -> str:
    box = form(pilot).query_one("#apply")
    return box.render_line(0).text


# The start


async def test_an_empty_cut_starts_with_cuts_to_choose_from() -> None:
    async with opened() as (pilot, screen):
        start = (await typed(pilot, "t")).start
        assert start is not None
        assert not start.is_looking
        assert "Fill in one field to see what goes." in shown(pilot)
        assert "16 messages" in shown(pilot)
        what_if = WhatIf(screen.conversation)
        for one in start.suggestions:
            assert one.outcome.to_dict() == what_if.outcome(one.operation).to_dict()
        assert "nothing to do yet" in button(pilot)
        await typed(pilot, "ctrl+n", "ctrl+f")
        wanted = start.suggestions[1].operation
        assert entered(pilot) == wanted
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.conversation.journal[-1].operations[0].to_dict() == wanted


async def test_the_last_cut_is_followed_by_the_first() -> None:
    async with opened() as (pilot, _):
        start = (await typed(pilot, "t")).start
        assert start is not None
        screen = await typed(pilot, *["ctrl+n"] * len(start.suggestions))
        assert screen.start is not None
        assert screen.start.chosen == 0


async def test_a_field_that_alone_says_nothing_is_no_mistake() -> None:
    async with opened() as (pilot, _):
        screen = await typed(pilot, "t")
        screen.query_one("#row-keepSystem", FieldRow).entry.value = True  # type: ignore[attr-defined]
        await settle(pilot)
        assert not screen.query(".-wrong")
        assert "Or start from one of these" in shown(pilot)


async def test_where_nothing_is_visible_nothing_is_suggested() -> None:
    empty = Conversation([{"role": "user", "content": "hi"}])
    empty.execute({"operation": "CLEAR"})
    async with opened(empty) as (pilot, _):
        await typed(pilot, "t")
        assert "nothing to cut: no message is visible" in shown(pilot)


# What would happen


async def test_the_button_has_a_price_and_the_edge_the_batch() -> None:
    async with opened() as (pilot, _):
        screen = await typed(pilot, "t", "tab", "3")
        assert "13 go, 1 error comes" in button(pilot)
        assert screen.leads_to == "opens batch 4"
        assert '"keepLast": 3' in screen.query_one(OperationBox).text


async def test_the_hint_is_taken_with_one_key_and_leaves_no_error() -> None:
    async with opened() as (pilot, _):
        screen = await typed(pilot, "t", "tab", "3")
        assert screen.prospect is not None
        hint = screen.prospect.hint
        assert hint is not None
        assert f"keep last {hint.best.value} keeps that pair" in shown(pilot)
        await typed(pilot, "ctrl+f")
        assert entered(pilot)["keepLast"] == hint.best.value
        assert screen.prospect is not None
        assert screen.prospect.outcome.error_count == 0


async def test_system_messages_and_marks_that_would_go_are_kept_with_one_key() -> None:
    async with opened() as (pilot, _):
        screen = await typed(pilot, "t", "tab", "4")
        assert "3 system messages would go, the first too" in shown(pilot)
        assert "★ instruction would go" in shown(pilot)
        await typed(pilot, "ctrl+y")
        assert "system messages would go" not in shown(pilot)
        await typed(pilot, "ctrl+k")
        assert "instruction would go" not in shown(pilot)
        assert entered(pilot) == {
            "operation": "TRUNCATE",
            "keepLast": 4,
            "keepSystem": True,
            "keepMarks": ["instruction"],
        }
        assert screen.prospect is not None
        assert not screen.prospect.outcome.lost


async def test_keys_that_have_nothing_to_do_are_left_to_the_field() -> None:
    async with opened() as (pilot, _):
        await typed(pilot, "t", "tab", *"12", "home")
        await typed(pilot, "ctrl+k")
        assert form(pilot).query_one("#entry-keepLast", NumberInput).value == ""


async def test_filter_keeps_system_messages_by_role() -> None:
    async with opened() as (pilot, _):
        screen = await typed(pilot, "f", "right", "space")
        assert entered(pilot)["roles"] == ["user"]
        await typed(pilot, "ctrl+y")
        assert entered(pilot)["keepRoles"] == ["system"]
        assert screen.prospect is not None
        assert not screen.prospect.outcome.system_lost


async def test_arrows_count_and_elsewhere_move() -> None:
    async with opened() as (pilot, _):
        await typed(pilot, "t", "tab", "up", "up", "up", "down")
        assert entered(pilot)["keepLast"] == 2
        await typed(pilot, "down", "down", "down")
        assert entered(pilot)["keepLast"] == 0
        screen = await typed(pilot, *["tab"] * 6)
        assert screen.focused is not None
        assert screen.focused.id == "entry-role"
        await typed(pilot, "down")
        assert screen.focused.id == "entry-keepOthers"
        await typed(pilot, "up", "up")
        assert screen.focused.id == "entry-maxTokens"


async def test_the_line_of_keys_has_what_acts_now() -> None:
    async with opened(size=(200, 50)) as (pilot, _):
        screen = await typed(pilot, "t")

        def keys() -> set[str]:
            return {key.keys for group in screen.query_one(KeyFooter).keys for key in group}

        assert {"ctrl+n", "ctrl+f"} <= keys()
        await typed(pilot, "tab", "3")
        assert {"ctrl+f", "ctrl+y", "ctrl+k", "↑ ↓"} <= keys()
        assert "ctrl+n" not in keys()


# Words of the form


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        (("t", "tab", *"-3"), "keep last must be 0 or more"),
        (("t", "tab", "x"), "keep last 'x' names x"),
    ],
)
async def test_refusals_use_the_words_of_the_form(keys: tuple[str, ...], told: str) -> None:
    async with opened() as (pilot, _):
        screen = await typed(pilot, *keys)
        complaint = screen.query_one("#row-keepLast", FieldRow).complaint
        assert complaint is not None
        assert complaint.startswith(told)
        assert told in painted(screen)
        assert "fix the red field first" in button(pilot)


async def test_the_preview_of_the_last_legal_value_stays() -> None:
    async with opened() as (pilot, _):
        await typed(pilot, "t", "tab", "3", "x")
        assert "of the last legal value" in shown(pilot)
        assert "13 messages would go" in shown(pilot)


async def test_a_cut_that_cuts_nothing_says_why() -> None:
    async with opened() as (pilot, _):
        await typed(pilot, "t", "tab", *"99")
        assert "nothing would be cut: only 16 messages are visible" in shown(pilot)


async def test_compress_without_a_summary_says_what_that_means() -> None:
    async with opened() as (pilot, _):
        await typed(pilot, "space", "space", "s")
        assert "2 messages go and nothing stands in for them" in shown(pilot)
        await typed(pilot, *"short")
        assert "nothing stands in" not in shown(pilot)


async def test_settings_show_what_profiles_find_and_what_a_limit_means() -> None:
    async with opened() as (pilot, screen):
        await typed(pilot, "comma")
        assert "now 297 of 1,000: 30 %; no batch was above 1,000" in shown(pilot)
        assert "• generic" in shown(pilot)
        assert "strict-template" in shown(pilot)
        await typed(pilot, *["backspace"] * 4, *"290")
        above = sum(
            screen.conversation.at(screen.conversation.newest(one).id).tokens.total > 290
            for one in screen.conversation.batches
        )
        assert above > 1
        assert f"now 297 of 290: 102 %; {above} batches were above 290" in shown(pilot)


# Every form, everywhere


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_every_form_is_drawn_whole_at_every_size(size: tuple[int, int]) -> None:
    async with opened(size=size) as (pilot, screen):
        for operation in ALL:
            with case(operation.title):
                screen.action_operate(operation.title)
                await settle(pilot)
                drawn = painted(form(pilot))
                assert operation.title in drawn
                assert "Traceback" not in drawn
                assert form(pilot).pane.region.height >= 4
                rows = form(pilot).rows
                for row in rows if size == SIZES[0] else rows[-1:]:
                    form(pilot).set_focus(row.target)
                    await pilot.pause()
                    area = form(pilot).query_one("#fields").region
                    assert row.target.region.overlaps(area), row.field.id
                await pilot.press("escape")
                assert screen.is_current


@pytest.mark.parametrize("title", ["TRUNCATE", "FILTER", "MARK", "DELETE", "CONFIGURE", "REPLACE"])
async def test_hostile_text_in_every_field_is_only_shown(title: str) -> None:
    async with opened(size=(120, 40)) as (pilot, screen):
        screen.action_operate(title)
        await settle(pilot)
        for entry in form(pilot).query(SafeInput):
            if entry.display:
                entry.value = HOSTILE
                await settle(pilot)
                drawn = painted(form(pilot))
                assert not set("\x1b\x07\x9b\x9d\u202e\u2066\ud800\x00") & set(drawn)
        await pilot.press("ctrl+s")
        await settle(pilot)
        drawn = painted(pilot.app.screen)
        assert not set("\x1b\x07\x9b\x9d\u202e\u2066\ud800\x00") & set(drawn)


async def test_the_ribbons_of_a_long_log_stand_above_each_other() -> None:
    long = Conversation([{"role": "user", "content": f"question {at}"} for at in range(12_000)])
    async with opened(long) as (pilot, _):
        await typed(pilot, "t", "tab", "5", "0", "0", "0")
        now, after = (
            next(line for line in shown(pilot).splitlines() if line.strip().startswith(word))
            for word in ("now ", "after ")
        )
        assert now.split()[1] == "12.0k"
        assert after.split()[1] == "5.0k"
        assert now.index("▆") == after.index("▂")
        assert len(now.rstrip()) == len(after.rstrip())
        assert "…" not in now
        assert "0–12,000 messages" in painted(form(pilot))


async def test_the_neighbours_of_the_place_are_in_sight_before_anything_is_inserted() -> None:
    async with opened() as (pilot, _):
        await typed(pilot, "i")
        assert "Around position 0" in shown(pilot)
        assert "You are a careful coding agent." in shown(pilot)
        form(pilot).query(NumberInput).first().focus()
        await settle(pilot)
        assert "↑ ↓ by one" in painted(form(pilot))
        await pilot.press("escape")
        await typed(pilot, "a")
        assert "↑ ↓ by one" not in painted(form(pilot))


async def test_the_newest_messages_are_in_sight_before_anything_is_written() -> None:
    async with opened(size=(80, 24)) as (pilot, screen):
        await typed(pilot, "a")
        assert "What is sent last" in shown(pilot)
        newest = screen.conversation.view[-1]
        assert f" {newest} " in shown(pilot)


async def test_what_each_operation_does_is_told_whole_in_a_small_terminal() -> None:
    async with opened(size=(80, 24)) as (pilot, _):
        await pilot.press("o")
        widget = pilot.app.screen.query_one("#picks")
        drawn = " ".join(
            " ".join(widget.render_line(y).text.split()) for y in range(widget.size.height)
        )
        assert sentence(Replace) in drawn


async def test_a_form_of_many_labels_has_a_box_for_each() -> None:
    conversation = tour()
    labels = [f"label {number}" for number in range(12)]
    for label in labels:
        conversation.execute({"operation": "MARK", "indices": [0], "label": label})
    async with opened(conversation) as (pilot, _):
        await typed(pilot, "t")
        drawn = painted(form(pilot))
        assert all(label in drawn for label in labels)
