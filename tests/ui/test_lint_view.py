"""The lint view: findings with their cause, both halves and the cut, profiles, repairs."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from ctxtui.core import Conversation
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.what_if import WhatIf
from ctxtui.inspector.drawing.lint import REPAIRS, LintSource, cause_lines, repair_lines, why_lines
from ctxtui.inspector.models.lint import ProfileCount, count_profiles, pair_rows
from ctxtui.inspector.models.look import Look
from ctxtui.text.lines import Line
from ctxtui.widgets.styled import KINDS
from tests.core.exchanges import ASK, TELL, messages, result, use
from tests.core.samples import said
from tests.ui.opening import lines, listed, opened


def text(lines: list[Line]) -> list[str]:
    return ["".join(piece.text for piece in line).rstrip() for line in lines]


def cut(name: str = "a") -> Conversation:
    """Return a conversation whose call, raw 1, was cut off its result, raw 2."""
    start = [ASK, said("assistant", [use(name)]), said("tool", [result(name)]), TELL]
    conversation = Conversation(start)
    conversation.execute({"operation": "TRUNCATE", "keepLast": 2, "description": "keep two"})
    return conversation


def only(conversation: Conversation) -> tuple[Look, Any]:
    look = Look(conversation)
    (finding,) = [one for one in look.findings if one.severity == "error"]
    return look, finding


def test_both_halves_are_drawn_with_the_cut_between_them() -> None:
    look, finding = only(cut())
    drawn = text(why_lines(look, finding, 70))
    assert drawn[0] == "Providers pair every result with the call before it, by its id."
    assert drawn[1].split() == ["0", "❯", "user", "go", "hidden", "by", "1"]
    assert drawn[2].startswith("╭╌")
    assert drawn[2].endswith("hidden by 1")
    assert "batch 1 TRUNCATE cut here" in drawn[3]
    assert drawn[3].startswith("│")
    assert drawn[4].startswith("╰╌✖")
    assert drawn[4].endswith("position 0")
    assert len(drawn) == 6


def test_a_missing_result_is_drawn_below_its_call() -> None:
    conversation = Conversation(
        [ASK, said("assistant", [use("a")]), said("tool", [result("a")]), TELL]
    )
    conversation.execute({"operation": "DELETE", "indices": [2]})
    look, finding = only(conversation)
    drawn = text(why_lines(look, finding, 70))
    call = next(i for i, line in enumerate(drawn) if "✖" in line)
    assert "DELETE cut here" in drawn[call + 1]
    assert drawn[call + 2].startswith("╰╌")
    assert drawn[call + 2].endswith("hidden by 1")


def test_a_half_that_never_was_is_said_to_be_missing() -> None:
    orphan = Conversation([ASK, said("tool", [result("x")]), TELL])
    look, finding = only(orphan)
    drawn = text(why_lines(look, finding, 70))
    assert any(line.startswith("╭") and "its call was never added" in line for line in drawn)
    silent = Conversation([ASK, said("assistant", [use("x")]), TELL])
    drawn = text(why_lines(*only(silent), 70))
    assert any("no result of it was ever added" in line for line in drawn)


def test_a_displaced_result_is_drawn_with_what_stands_between() -> None:
    between = [TELL] * 9
    start = [ASK, said("assistant", [use("a")]), *between, said("tool", [result("a")]), TELL]
    look = Look(Conversation(start))
    finding = next(one for one in look.findings if one.position == 11)
    drawn = text(why_lines(look, finding, 70))
    assert any("⋮ 7 more between" in line for line in drawn)
    assert sum(line.startswith(("╭", "╰")) for line in drawn) == 2


def test_halves_far_apart_cost_no_more() -> None:
    far = [ASK, said("assistant", [use("a")]), *[TELL] * 50_000, said("tool", [result("a")]), TELL]
    conversation = Conversation(far)
    conversation.execute({"operation": "DELETE", "indices": [1]})
    look = Look(conversation)
    finding = next(one for one in look.lint() if one.raw_index == 50_002)
    assert len(pair_rows(look, finding)) < 12


@given(messages, st.integers(0, 4), st.sampled_from([20, 44, 78, 120]))
def test_every_finding_can_be_drawn_at_any_width(
    start: list[dict[str, Any]], removed: int, width: int
) -> None:
    conversation = Conversation(start)
    conversation.execute({"operation": "TRUNCATE", "removeFirst": removed})
    look = Look(conversation)
    history = list(enumerate((0, None, 3)))
    what_if = WhatIf(conversation)
    repairs = {one: what_if.outcome({"operation": "REPAIR", "policy": one}) for one in REPAIRS}
    for at, finding in enumerate(look.findings):
        source = LintSource(look)
        drawn = [
            *why_lines(look, finding, width),
            *cause_lines(look, finding, history, width),
            *repair_lines(look, finding, repairs, width),
        ]
        assert all(cell_len(line) <= width for line in text(drawn))
        for line in [*drawn, source.line(at, width), *source.below(at, width)]:
            assert {piece.kind for piece in line} <= set(KINDS)


def test_hostile_ids_names_and_texts_do_no_harm() -> None:
    evil = "[/x]\x1b[31m\u202e漢字\ud800\n"
    conversation = cut(evil)
    conversation.execute({"operation": "DESCRIBE", "batch": 1, "text": evil})
    look, finding = only(conversation)
    source = LintSource(look)
    drawn = [
        *why_lines(look, finding, 60),
        *cause_lines(look, finding, [], 60),
        *repair_lines(look, finding, {"drop": evil}, 60),
        source.line(0, 60),
        *source.below(0, 60),
    ]
    assert all("".join(piece.text for piece in line).isprintable() for line in drawn)


def test_a_finding_has_rule_place_sentence_and_cause() -> None:
    look, _ = only(cut())
    source = LintSource(look)
    assert text([source.line(0, 60)])[0].split() == [
        *("✖", "G1", "position", "0", "raw", "2", "↳", "tool"),
    ]
    assert text(source.below(0, 60)) == [
        "   This result has no call 'a' before it.",
        "   cause  call raw 1 hidden by batch 1 TRUNCATE",
        "",
    ]
    assert text(LintSource(look, is_low=True).below(0, 60)) == text(source.below(0, 60))[:1]


@pytest.mark.parametrize("width", [60, 130])
def test_repairs_have_before_and_after(width: int) -> None:
    conversation = cut()
    look, finding = only(conversation)
    what_if = WhatIf(conversation)
    repairs = {one: what_if.outcome({"operation": "REPAIR", "policy": one}) for one in REPAIRS}
    told = "\n".join(text(repair_lines(look, finding, repairs, width)))
    assert [line[0] for line in told.splitlines() if line[0] in "EXHF"] == ["E", "X", "F"]
    for figures in ("2 → 3", "2 → 1", "✖ 1 → ✓", "breaks at 0"):
        assert figures in told
    assert "…" in "\n".join(text(repair_lines(look, finding, {}, width)))


def test_what_no_repair_helps_says_so() -> None:
    waiting = Look(Conversation([ASK, said("assistant", [use("a")])]))
    told = text(repair_lines(waiting, waiting.findings[0], {}, 200))
    assert told == ["A warning needs no repair: the provider may take it as it is."]
    conversation = cut()
    conversation.execute({"operation": "CLEAR"})
    past = Look(conversation, 1)
    assert "Only the present" in text(repair_lines(past, past.findings[0], {}, 200))[0]


def test_each_profile_is_counted_by_its_own_rules() -> None:
    conversation = cut()
    told: dict[str, ProfileCount] = {}
    count_profiles(conversation.moment, told.__setitem__, lambda: True)
    assert list(told) == list(PROFILES)
    for profile, count in told.items():
        found = conversation.lint(profile)
        assert sum(count) == len(found)
        assert count.errors == sum(one.severity == "error" for one in found)
    left: dict[str, ProfileCount] = {}
    count_profiles(conversation.moment, left.__setitem__, lambda: not left)
    assert list(left) == ["generic"]


async def test_the_bar_shows_the_findings_of_each_profile_and_enter_chooses_one() -> None:
    async with opened(cut()) as (pilot, screen):
        await pilot.press("L")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        bar = " ".join(lines(screen, "profiles"))
        for profile in PROFILES:
            errors = sum(one.severity == "error" for one in screen.conversation.lint(profile))
            assert f"{profile} ✖{errors}" in bar
        await pilot.press("&")
        assert screen.query_one("#profiles").has_focus
        await pilot.press("right", "right", "enter")
        assert screen.conversation.settings.profile == "anthropic"
        await pilot.press("escape")
        assert listed(screen, "lint").has_focus


@pytest.mark.parametrize("size", [(80, 24), (100, 30), (120, 40), (140, 42), (200, 60)])
async def test_every_size_shows_picture_and_repairs(size: tuple[int, int]) -> None:
    async with opened(cut(), size) as (pilot, screen):
        await pilot.press("L")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        view = screen.query_one("#lint-view")
        shown = [pane for pane in view.query("#lint, #finding, #repairs") if pane.display]
        told = "\n".join("\n".join(lines(screen, pane.id or "")) for pane in shown)
        assert "TRUNCATE cut here" in told
        assert "bring the missing half back" in told
        for pane in shown:
            assert view.region.contains_region(pane.region)
            assert pane.region.height > 3


def orphans(count: int) -> Conversation:
    """Return a long conversation of which only results are left."""
    made = []
    for at in range(count):
        made += [said("assistant", [use(f"c{at}")]), said("tool", [result(f"c{at}")])]
    conversation = Conversation(made)
    conversation.execute({"operation": "FILTER", "roles": ["tool"]})
    return conversation


def counted(real: Callable[..., object], calls: list[object]) -> Callable[..., object]:
    """Return a function that does the same and notes that it was asked."""

    def ask(*given: object) -> object:
        calls.append(given)
        return real(*given)

    return ask


async def test_moving_among_thousands_of_findings_asks_for_little(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(orphans(6_000)) as (pilot, screen):
        await pilot.press("L")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        assert len(screen.look.findings) == 6_000
        heavy: list[object] = []
        light: list[object] = []
        linting = import_module("ctxtui.core.lint.linting")
        log = type(screen.conversation.log)
        monkeypatch.setattr(linting, "Projection", counted(linting.Projection, heavy))
        monkeypatch.setattr(Conversation, "preview", counted(Conversation.preview, heavy))
        monkeypatch.setattr(log, "links", counted(log.links, light))
        await pilot.press("j", "j", "pagedown", "G", "g")
        assert screen.explorer.views.lint.finding is screen.look.findings[0]
        assert heavy == []
        assert len(light) < 2_000  # Rows in sight, each with a few neighbours: never the log.


async def test_errors_of_long_batches_come_while_one_looks() -> None:
    async with opened(orphans(2_500)) as (pilot, screen):
        await pilot.press("L")
        await pilot.app.workers.wait_for_complete()
        await pilot.pause()
        panes = screen.explorer.panes
        while panes.errors is not None and panes.errors.is_wanting:
            panes.count_errors()
            await pilot.app.workers.wait_for_complete()
            await pilot.pause()
        told = " ".join(lines(screen, "finding"))
        assert "0 ✓" in told
        assert "1 ✖2.5k" in told
