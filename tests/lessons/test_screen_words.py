"""The words around a lesson in Chinese: each is said somewhere, fits, and fills in the same."""

from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest
from rich.cells import cell_len

import ctxtui
from ctxtui.commands.registry import CONTEXTS
from ctxtui.lessons.drawing import LEFT, translated_header
from ctxtui.lessons.words import CHINESE, HEADS, say
from ctxtui.text.lines import Piece, line_width

ROOM = Path(ctxtui.__file__).parent
HINTS = [
    hint
    for name in ("LessonScreen", "LessonsScreen")
    for row in CONTEXTS[name]
    for command in row
    for hint in command.hints
]
WORDS = {hint.word for hint in HINTS} - {"{other}"}


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_word_of_the_line_of_keys_is_there_and_takes_no_more_room() -> None:
    assert set(CHINESE) >= WORDS
    assert [word for word in WORDS if cell_len(CHINESE[word]) > cell_len(word)] == []


def test_nothing_is_translated_that_nobody_says() -> None:
    places = [*ROOM.glob("lessons/*.py"), ROOM / "cli/learn.py"]
    code = "".join(path.read_text(encoding="utf-8") for path in places)
    code = re.sub(r"CHINESE: .*?^}", "", code, flags=re.DOTALL | re.MULTILINE)
    unsaid = [text for text in CHINESE if text not in WORDS and not re.search(_quoted(text), code)]
    assert unsaid == []


def _quoted(text: str) -> str:
    return rf"""["']{re.escape(text)}["']"""


def test_only_values_that_are_given_are_filled_in() -> None:
    for english, chinese in CHINESE.items():
        assert fields(chinese) <= fields(english) | {"count"}, english
    assert say("{count} picked", "en", count=3) == "3 picked"
    assert say("{count} picked", "zh", count=3) == "已选 3"
    assert say("unheard of", "zh") == "unheard of"


HEAD_LINES = [
    "  raw role   message                     tokens   sent ",
    "  pos   raw role   message               tokens ",
    "  pos   message               tokens ",
    "sent raw role   message              tokens ",
    "  no. operation  calls  add hide vis tokens lint  ",
    "  no. operat…  add hide tokens lint  ",
    "raw message",
]


@pytest.mark.parametrize("text", HEAD_LINES)
def test_columns_stay_where_they_are(text: str) -> None:
    line = [Piece(text, "faint")]
    assert translated_header(line, "en") is line
    assert translated_header(None, "zh") is None
    found = translated_header(line, "zh")
    assert found is not None
    assert line_width(found) == len(text)
    said = found[0].text
    words, chinese = list(re.finditer(r"\S+", text)), list(re.finditer(r"\S+", said))
    assert len(words) == len(chinese)
    for word, match in zip(words, chinese, strict=True):
        name = next(one for one in HEADS if one.startswith(word[0].rstrip("…")))
        assert match[0] in HEADS[name]
        start, end = (cell_len(said[:at]) for at in match.span())
        assert start == word.start() if name in LEFT else end == word.end()


def test_where_there_is_no_room_the_english_name_stays() -> None:
    found = translated_header([Piece("lint add x", "faint")], "zh")
    assert found is not None
    assert found[0].text == "检查  加 x"
