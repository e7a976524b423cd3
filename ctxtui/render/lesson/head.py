"""The two lines above a lesson: where one is in the app, and how far in the lesson."""

from __future__ import annotations

from ctxtui.lessons.answers import judge
from ctxtui.lessons.player import Player
from ctxtui.lessons.screen_words import say
from ctxtui.lessons.words import place_words, score_words, step_words
from ctxtui.render.text.choosing import longest
from ctxtui.render.text.lines import Line, Piece
from ctxtui.symbols import visible

MOST_TITLE = 60
KEPT, NOT_KEPT = "practice copy, nothing is saved", "nothing is saved; progress can't be kept"
"""What the head says of a lesson, by whether it is kept how far one is."""
OPEN = ("◌", "warn")
"""The sign of a step whose question is still to be answered."""


def lessons_bar(language: str, width: int, right: str = KEPT) -> Line:
    """Return the line that says that lessons are shown, and that nothing here is kept."""
    left = [
        Piece(" ctxtui  ", "bright"),
        Piece(f" {say('Library', language)}  ", "muted"),
        Piece(f" {say('Lessons', language)} ", "chip"),
    ]
    right = say(right, language)
    return longest([(left, [Piece(f"{right} ", "muted")]), (left, [])], width)


def lesson_head(player: Player, place: tuple[int, int], language: str, width: int) -> Line:
    """Return which lesson this is, a dot for each step, and the score."""
    lesson, steps = player.lesson, len(player.lesson.steps)
    right, asked = player.score
    score = [Piece(f"{score_words(right, asked, language)} ", "text")] if asked else []
    number = [Piece(f" {place_words(*place, language)}  " if place[0] else " ", "muted")]
    title = [Piece(visible(lesson.title.to(language), MOST_TITLE), "bright")]
    at = Piece(f"  {step_words(player.at + 1, steps, language)}", "muted")
    ways: list[tuple[Line, Line]] = [
        ([*number, *title, Piece("   "), *_dots(player, "──"), at], score),
        ([*number, *title, Piece("  "), *_dots(player, "─"), at], score),
        ([Piece(" "), *title, Piece("  "), *_dots(player, ""), at], score),
        ([Piece(" "), *title, at], score),
        ([Piece(" "), *title, at], []),
    ]
    return longest(ways, width)


def _dots(player: Player, gap: str) -> Line:
    line: Line = []
    for at in range(len(player.lesson.steps)):
        sign, kind = _dot(player, at)
        if at:
            line.append(Piece(gap, "ok" if at <= player.at else "track"))
        line.append(Piece(sign, kind))
    return line


def _dot(player: Player, at: int) -> tuple[str, str]:
    """Return the dot of a step: done, with a wrong answer or without one, shown, or to come."""
    if at == player.at:
        return "◉", "key"
    if player.is_open(at):
        return OPEN
    if at > player.at:
        return "○", "track"
    step = player.lesson.steps[at]
    given = player.answers.get(step.id)
    is_wrong = step.predict and given is not None and not judge(step.predict, given).is_right
    return "●", "warn" if is_wrong else "ok"
