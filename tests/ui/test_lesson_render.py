"""Drawing of a lesson: the story fits, wraps in both languages, and gives no answer away."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.cells import cell_len

from ctxtui.core.lessons import SERIES
from ctxtui.inspector.models.index_arrays import IndexArrays
from ctxtui.lessons.drawing import (
    StoryDrawing,
    lesson_array_lines,
    lesson_head,
    lesson_lines,
    lesson_row,
)
from ctxtui.lessons.files import load_lesson
from ctxtui.lessons.models import Player, ShownStep
from ctxtui.text.lines import CLOSING, Line, wrap
from tests.lessons.samples import BUNDLED

EVERY = pytest.mark.parametrize("path", BUNDLED, ids=lambda path: path.stem)


def text(line: Line) -> str:
    return "".join(piece.text for piece in line)


def player_of(path: Path) -> Player:
    return Player(load_lesson(path, path.stem).lesson)


def told(player: Player, width: int, height: int, language: str = "en") -> list[str]:
    drawing = StoryDrawing(player, ShownStep(player).operations, language)
    return [text(line) for line in drawing.draw(width, height).lines]


@EVERY
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [34, 44, 76])
def test_no_line_of_any_story_is_too_wide(path: Path, language: str, width: int) -> None:
    player = player_of(path)
    while player.next():
        player.hint()
        assert all(cell_len(line) <= width for line in told(player, width, 30, language))
        assert cell_len(text(lesson_head(player, (1, 9), language, width))) == width


@EVERY
def test_the_list_of_steps_gives_way_before_the_story_has_to_scroll(path: Path) -> None:
    player = player_of(path)
    while player.next():
        whole = told(player, 44, 200)
        short = told(player, 44, 36)
        key = " esc " if player.is_last else " enter "
        button = next(at for at, line in enumerate(short) if key in line)
        assert len(short) <= max(36, button + 1)
        assert any("So far" in line for line in whole)
        here = player.step.brief.en.split()[0]
        assert any(line.startswith("◉") and here in line for line in whole)


@EVERY
def test_covered_arrays_are_the_same_whatever_the_answer_is(path: Path) -> None:
    player = player_of(path)
    while player.next():
        if player.is_covered:
            frame = ShownStep(player).frame
            lines = lesson_array_lines(frame, IndexArrays(frame), (), 40, is_covered=True)
            assert {text(line).partition("→")[2].strip() for line in lines} == {"▒" * 6}


@EVERY
@pytest.mark.parametrize("width", [30, 60, 100])
def test_rows_of_the_list_fit(path: Path, width: int) -> None:
    player = player_of(path)
    player.next()
    row = lesson_row(player.lesson, player.progress, "zh", width, is_first=True)
    assert cell_len(text(row)) <= max(width, 40)
    lines = lesson_lines(player.lesson, player.progress, "en", width)
    assert all(cell_len(text(line)) <= width for line in lines)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_first_of_a_series_names_it_in_narrow_lists_too(language: str) -> None:
    player = player_of(next(path for path in BUNDLED if path.stem == "roles"))
    series = SERIES[player.lesson.series].to(language)
    for width in (76, 118):
        first, other = (
            text(lesson_row(player.lesson, player.progress, language, width, is_first=is_first))
            for is_first in (True, False)
        )
        assert series in first
        assert series not in other
        assert cell_len(first) == cell_len(other) == width


@pytest.mark.parametrize("width", range(8, 60, 5))
def test_chinese_is_cut_anywhere_but_before_its_stops(width: int) -> None:
    said = (
        "为了节省 token，你只保留最新的两条消息。"
        "这样的裁剪会开启批次 1（新的），批次 0 则保持原样。"
    )
    rows = wrap(said, width)
    assert all(cell_len(row) <= width for row in rows)
    assert "".join(rows).replace(" ", "") == said.replace(" ", "")
    assert not [row for row in rows[1:] if row and row[0] in CLOSING]
    if width > 20:
        assert min(cell_len(row) for row in rows[:-1]) > width - 12
