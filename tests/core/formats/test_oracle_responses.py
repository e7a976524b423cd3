"""The official SDK as oracle for items: what is written is what its types take and make.

Runs where the extra ``oracles`` is installed.
"""

from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, format_named, load
from tests.core.formats.vectors import FOLDER
from tests.core.samples import answer, call, said

types = pytest.importorskip("openai.types.responses")
pydantic = pytest.importorskip("pydantic")
RESPONSES = format_named("responses")


def check(items: list[Any]) -> None:
    adapter = pydantic.TypeAdapter(types.ResponseInputItemParam)
    for item in items:
        adapter.validate_python(item)


def test_what_is_written_of_a_conversation_fits_the_types() -> None:
    parts = [
        {"type": "thinking", "thinking": {"text": "hm"}},
        {"type": "text", "text": "I look."},
        {"type": "image", "image_url": {"url": "data:image/png;base64,AA"}},
    ]
    talk = [said("system", "s"), said("assistant", parts[:2]), said("user", parts[1:2])]
    written = RESPONSES.write(Conversation([*talk, call("a", "b"), answer("a"), answer("b")]))
    check(written.data)


def test_a_response_of_the_sdk_is_read_and_written_again() -> None:
    given = Source.of_path(FOLDER / "responses" / "response.json").document()
    made = types.Response.model_validate(given)
    data = made.model_dump(mode="json")
    loaded = load(data)
    assert loaded.format == "responses"
    written = RESPONSES.write(loaded.conversation).data
    assert written == data
    assert types.Response.model_validate(written).model_dump(mode="json") == data
