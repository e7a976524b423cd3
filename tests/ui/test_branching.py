"""Comparing and branching from the inspector: diff, what-if, toggle, recipes, the culprit."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Input

from ctxtui.core import Conversation
from ctxtui.diff.screen import DiffScreen
from ctxtui.files.policies import recipes_folder
from ctxtui.files.preferences import FOLDER
from ctxtui.inspector.models.lint import read_culprit
from ctxtui.progress import TaskProgress
from ctxtui.what_if.screen import WhatIfScreen
from tests.ui.opening import opened, refusal, tour
from tests.ui.test_call_models import seen_run
from tests.ui.test_operating import settle, told


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep recipes in a folder of this test's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path / "config"))


async def test_the_diff_is_of_the_newest_batch_or_of_the_one_looked_at() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("equals_sign")
        await settle(pilot)
        diff = pilot.app.screen
        assert isinstance(diff, DiffScreen)
        assert screen.look.before is not None
        assert (diff.sides.left.revision.id, diff.sides.right.revision.id) == (
            screen.look.before.id,
            screen.conversation.current.id,
        )
        diff.dismiss(10)
        await settle(pilot)
        assert screen.is_current
        assert screen.explorer.raw == 10
        await pilot.press("[", "[", "equals_sign")
        await settle(pilot)
        assert isinstance(pilot.app.screen, DiffScreen)
        assert pilot.app.screen.sides.left.revision.id == screen.look.revision.id


async def test_an_operation_is_switched_off_and_the_branch_shown_beside_the_old_one() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("4", "g", "j", "j")
        assert screen.look.batch.number == 1
        await pilot.press("T")
        await settle(pilot)
        assert isinstance(pilot.app.screen, DiffScreen)
        await pilot.press("escape")
        assert screen.conversation.batch.number == 2
        assert [batch.operation.title for batch in screen.conversation.path if batch.operation] == [
            "REDACT",
            "INSERT",
        ]
        assert screen.session.is_saved
        await pilot.press("u")
        assert screen.conversation.batch.number == 3
        await pilot.press("4", "g", "T")
        assert "batch 0 has no operation" in told(pilot)


async def test_a_recipe_is_tried_and_opened_as_a_branch() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("w")
        await settle(pilot)
        assert isinstance(pilot.app.screen, WhatIfScreen)
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.is_current
        assert screen.conversation.batch.number == 4
        assert screen.look.is_live
        assert len(screen.look.view) == 11
        assert screen.session.is_saved


async def test_recipes_are_tried_on_the_batch_that_is_looked_at() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("[", "[", "[")
        assert screen.look.batch.number == 0
        await pilot.press("w")
        await settle(pilot)
        what_if = pilot.app.screen
        assert isinstance(what_if, WhatIfScreen)
        ground = what_if.comparison.ground
        assert ground is not None
        assert len(ground.view) == 16
        await pilot.press("ctrl+s")
        await settle(pilot)
        assert screen.conversation.batch.number == 1
        assert list(screen.conversation.view) == [0, 1, *range(9, 16)]
        await pilot.press("u")
        assert screen.conversation.batch.number == 3


async def test_batches_are_recorded_as_a_recipe_that_what_if_offers() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("M")
        screen.query_one("#ask", Input).value = "2-3 my window"
        await pilot.press("enter")
        await settle(pilot)
        found = json.loads((recipes_folder() / "my-window.json").read_text(encoding="utf-8"))
        assert [one["operation"] for one in found] == ["REDACT", "INSERT"]
        await pilot.press("M")
        for bad, why in (("x", "is not two"), ("1-9 name", "batch 9 is outside 1…3")):
            screen.query_one("#ask", Input).value = bad
            await pilot.press("enter")
            await settle(pilot)
            assert why in refusal(screen)
            assert screen.query_one("#ask", Input).value == bad
        assert len(list(recipes_folder().iterdir())) == 1


async def test_nothing_is_recorded_of_a_conversation_without_operations() -> None:
    async with opened(Conversation([{"role": "user", "content": "hi"}])) as (pilot, screen):
        await pilot.press("M", *"1-2 x", "enter")
        assert "no operation to record" in refusal(screen)


@pytest.mark.parametrize(
    ("text", "batch"),
    [("error", 4), ("G1", 4), ("gone", 4), ("400", 0), ("999999", None), ('"never said"', None)],
)
async def test_the_first_batch_in_which_something_is_so_is_shown(
    text: str, batch: int | None
) -> None:
    conversation = tour()
    conversation.execute({"operation": "DELETE", "indices": [20]})
    async with opened(conversation) as (pilot, screen):
        await pilot.press("1", "g", *["j"] * 20, "B", *text, "enter")
        await settle(pilot)
        if batch is None:
            assert screen.look.is_live
            assert "No batch of the path" in told(pilot)
        else:
            assert screen.look.batch.number == batch
            assert f"Batch {batch}" in told(pilot)


def test_the_call_that_broke_the_cache_and_the_one_that_hid_a_message_are_found() -> None:
    edited = seen_run("a_tools_grow")
    found = {}
    log = '"Part0.log 04:00"'
    for text, raw in (("cache", None), ("gone", 3), ("gone", 1), (log, 0), ('"part0.log"', 0)):
        culprit = read_culprit(edited, raw, text)
        found[text, raw] = culprit.told(culprit.find(TaskProgress()))
    broken, hidden, sent, said, called = found.values()
    assert said.detail == hidden.detail
    assert called.title == "No batch of the path is without 'part0.log'"  # A tool call holds it.
    assert broken.title == "Batch 0 START is the first with a broken prompt cache"
    assert broken.detail == "call 4: the provider's CLEAR_RESULTS"
    assert "hid it in call 4: CLEAR_RESULTS (proven)" in hidden.detail
    assert sent.title == "No batch of the path is without raw 1"


async def test_a_rule_nobody_knows_is_refused() -> None:
    async with opened() as (pilot, screen):
        await pilot.press("B", *"G99", "enter")
        await settle(pilot)
        assert "G99" in refusal(screen)
        assert screen.look.is_live
