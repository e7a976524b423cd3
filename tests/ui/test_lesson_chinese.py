"""A lesson in Chinese: what the screen itself says is Chinese too, at every size."""

from __future__ import annotations

import re

import pytest
from rich.cells import cell_len

from ctxtui.app import CtxtuiApp
from ctxtui.core.storage import MemoryLibrary
from ctxtui.lessons.files import save_language
from ctxtui.lessons.screen import PANES, LessonScreen
from ctxtui.lessons.words import CHINESE, HEADS
from ctxtui.widgets.footer import KeyFooter
from tests.ui.opening import painted, toasts
from tests.ui.test_lessons import keys, pane, playing

SIZES = [(80, 24), (120, 40), (140, 42)]
STATES = [
    ("rollback", "window", ""),
    ("rollback", "window", "space enter"),
    ("rollback", "roll-back", "s"),
    ("rollback", "checkout", "enter"),
    ("rollback", "home", ""),
    ("lost-zero", "none", "s"),
    ("document-message-types", "", ""),
]
ENGLISH = [text for text in CHINESE if re.match(r"[A-Za-z][a-z ]{3,}", text)]


def said_around(screen: LessonScreen) -> str:
    """Return what borders, heads and the lines above and below say."""
    panes = [screen.query_one(f"#lesson-{name}") for name in PANES]
    borders = [f"{one.border_title} {one.border_subtitle}" for one in panes if one.display]
    heads = [pane(screen, name).partition("\n")[0] for name in ("raw", "visible", "timeline")]
    lines = painted(screen).splitlines()
    return "\n".join([*borders, *heads, lines[0], lines[1], lines[-1]])


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("name", "step", "pressed"), STATES)
async def test_no_english_word_is_left_around_the_panes(
    name: str, step: str, pressed: str, size: tuple[int, int]
) -> None:
    async with playing(name, size, "zh", step) as (pilot, screen):
        await pilot.press(*pressed.split())
        said = said_around(screen)
    own = re.sub(r"[A-Z_]{4,}.*|originalIndices", "", said)  # An operation, with its arguments.
    left = [word for word in (*ENGLISH, *HEADS) if re.search(rf"\b{re.escape(word)}\b", own)]
    assert left == []


@pytest.mark.parametrize("size", SIZES)
async def test_as_many_keys_are_shown_as_in_english(size: tuple[int, int]) -> None:
    shown = []
    for language in ("en", "zh"):
        async with playing("rollback", size, language, "window") as (pilot, screen):
            await pilot.press("enter")
            last = painted(screen).splitlines()[-1]
            assert cell_len(last) <= size[0]
            line = screen.query_one(KeyFooter)
            names = [key.keys for group in line.keys for key in group]
            shown.append(sum(f" {one} " in last for one in names))
    assert shown[0] <= shown[1]


async def test_the_language_of_everything_is_switched_at_once() -> None:
    async with playing("rollback", step="window") as (pilot, screen):
        before = painted(screen)
        await pilot.press("t")
        drawn = painted(screen)
        for text in ("故事", "原始日志", "执行后可见：TRUNCATE keepLast 2", "你的预测：已选 0"):
            assert text in drawn
        for text in ("练习副本，不会保存", "尚未执行", "已遮住", "已选 0 条消息，0 token"):
            assert text in drawn
        assert "space 选择, enter 揭晓" in keys(screen)
        assert "5 条消息" in pane(screen, "timeline")
        await pilot.press("t")
        assert painted(screen) == before


async def test_a_verdict_is_told_in_chinese() -> None:
    async with playing(language="zh", step="window") as (pilot, screen):
        await pilot.press("j", "j", "space", "space", "2", "enter")
        drawn = painted(screen)
        assert "不发送 1  漏选 3  正确 1" in drawn
        assert "✗ 漏选  + 不发送" in drawn


async def test_what_is_told_in_passing_is_chinese_too() -> None:
    async with playing("rollback", language="zh") as (pilot, _):
        await pilot.press("backspace", "greater_than_sign")
        assert "这已经是第一步" in toasts(pilot)
        assert "本课还没有结束" in toasts(pilot)


async def test_a_branch_that_was_left_is_named_in_chinese_and_cuts_nothing() -> None:
    rows = {}
    for language, words in (("en", "other branch"), ("zh", "其他分支")):
        async with playing("rollback", (120, 40), language, "checkout") as (_, screen):
            rows[language] = [row for row in pane(screen, "raw").splitlines() if words in row]
    assert [cell_len(row) for row in rows["zh"]] == [cell_len(row) for row in rows["en"]]
    assert rows["zh"][0].endswith("其他分支 ╮")


async def test_the_list_of_lessons_is_chinese_too() -> None:
    save_language("zh")
    app = CtxtuiApp(library=MemoryLibrary())
    async with app.run_test(size=(140, 42)) as pilot:
        await pilot.press("l")
        drawn = painted(app.screen)
        for text in ("课程", "本课", "22 课中已完成 0 课", "enter 打开", "t English", "esc 库"):
            assert text in drawn
        await pilot.press("t")
        assert "0 of 22 lessons done" in painted(app.screen)
