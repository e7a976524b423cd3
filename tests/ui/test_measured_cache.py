"""The measured cache beside the computed one, where two projections are compared."""

from __future__ import annotations

import pytest

from ctxtui.core import Conversation
from ctxtui.diff.drawing import brief_lines, cache_lines, summary
from ctxtui.diff.models import Sides, measured_cache
from ctxtui.diff.screen import DiffScreen
from tests.ui.opening import opened, painted
from tests.ui.sent_calls import coder
from tests.ui.test_calls import said, shown


def sides(conversation: Conversation, left: int, right: int) -> Sides:
    """Return two calls side by side, by their numbers."""
    calls = conversation.calls
    return Sides(conversation, calls[left - 1].revision, calls[right - 1].revision)


def test_two_calls_have_a_second_ruler_and_words() -> None:
    both = sides(coder(), 4, 5)
    lines = shown(cache_lines(both, 140))
    assert len(lines) == 7
    assert lines[2].strip().startswith("█")
    assert set(lines[3][:100].strip()) == {"▄", "░"}
    assert "measured  256 of 965 tokens served in call 5, 27 %, tools included" in lines[6]
    assert shown(brief_lines(both, 80))[3].strip().startswith("measured  256 of 965")
    assert "measured: 256 of 965 tokens served in call 5, 27 %\n" in summary(both)


def test_a_call_that_followed_another_than_the_left_side_says_so() -> None:
    (told,) = (line for line in shown(cache_lines(sides(coder(), 2, 5), 200)) if "measured" in line)
    assert "it followed call 4, not the left side" in told


def test_where_nothing_was_measured_nothing_is_said() -> None:
    conversation = Conversation([said("user", 3)])
    conversation.record_call(usage={"input": 7})
    both = Sides(conversation, 0, 0)
    assert both.measured is None
    assert len(cache_lines(both, 140)) == 5
    assert len(brief_lines(both, 140)) == 3


@pytest.mark.parametrize(("cached", "total"), [(0, 9), (9, 9), (2**40, 1), (1, 2**40), (5, None)])
def test_any_figure_can_be_drawn(cached: int, total: int | None) -> None:
    conversation = Conversation([said("user", 3)])
    given = {"cached": cached} if total is None else {"cached": cached, "input": total}
    conversation.record_call(usage=given)
    both = Sides(conversation, 0, 0)
    for width in (100, 140):
        assert any("measured" in line for line in shown(cache_lines(both, width)))
    for width in (20, 80):
        assert shown(brief_lines(both, width))[3].startswith(" measured")
    found = measured_cache(conversation, 0)
    assert found is not None
    assert found.to_dict() == {"call": 1, "cached": cached, "input": total}


@pytest.mark.parametrize("size", [(80, 24), (140, 42)])
async def test_the_diff_screen_makes_room_for_it(size: tuple[int, int]) -> None:
    async with opened(coder(), size) as (pilot, _):
        await pilot.press("I", "equals_sign")
        screen = pilot.app.screen
        assert isinstance(screen, DiffScreen)
        assert "measured  256 of 965 tokens served in call 5" in painted(screen)
        await pilot.press("{")
        assert "measured  640 of 965 tokens served in call 4" in painted(screen)
