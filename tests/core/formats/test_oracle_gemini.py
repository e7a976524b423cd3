"""The official SDK as oracle: what is written is what its types take, and it reads what they make.

Runs where the extra ``oracles`` is installed.
"""

from typing import Any

import pytest
from hypothesis import given

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, format_named, load
from tests.core.formats.exchanges import exchanges, projection
from tests.core.formats.vectors import FOLDER

types: Any = pytest.importorskip("google.genai.types")
GEMINI = format_named("gemini")


def check(data: Any) -> list[Any]:
    """Return the contents as the SDK's own types, which take no key they don't know."""
    if "systemInstruction" in data:
        types.Content.model_validate(data["systemInstruction"])
    for tool in data.get("tools", ()):
        types.Tool.model_validate(tool)
    return [types.Content.model_validate(row) for row in data["contents"]]


@given(exchanges())
def test_what_is_written_fits_the_types_and_what_these_write_is_read(messages: Any) -> None:
    made = Conversation(messages, meta={"tools": [{"name": "f", "description": "d"}]})
    contents = check(GEMINI.write(made).data)
    for by_alias in (True, False):
        rows = [
            one.model_dump(mode="json", exclude_none=True, by_alias=by_alias) for one in contents
        ]
        again = load({"contents": rows}, "gemini").conversation
        spoken = [one for one in projection(made) if one[0] != "system"]
        assert projection(again) == spoken
        assert GEMINI.write(again).data == {"contents": rows}


@pytest.mark.parametrize("name", ["camel.json", "snake.json"])
def test_the_samples_are_what_the_types_take(name: str) -> None:

    check(Source.of_path(FOLDER / "gemini" / name).document())
