"""docs/library.md: plain TinyDB reads a session as its example says."""

from __future__ import annotations

from pathlib import Path

import pytest

from ctxtui.core import Conversation
from ctxtui.core.storage import Library
from tests.docs.pages import page


def test_the_example_of_the_library_reads_a_session(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (code,) = page("docs/library.md").blocks("python")
    roles = ("system", "user", "assistant", "user")
    talk = Conversation([{"role": role, "content": "x"} for role in roles])
    with Library(tmp_path).create(talk, title="an example") as session:
        pass
    exec(compile(code, "library.md", "exec"), {"path": tmp_path / f"{session.id}.json"})
    assert capsys.readouterr().out == "an example 4 2\n"
