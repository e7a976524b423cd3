"""What damaging sample files at random has shown, once and for all."""

import json

from ctxtui.core import Conversation
from ctxtui.core.formats import Source, format_named, load_all


def test_a_lone_surrogate_is_written_to_a_chatgpt_export() -> None:
    written = format_named("chatgpt").write(Conversation([{"role": "user", "content": "\ud800"}]))
    (again,) = load_all(Source.of_text(written.text))
    assert [message.text for message in again.conversation.visible] == ["\ud800"]


def test_a_plain_text_with_a_tools_role_is_read_from_a_transcript() -> None:
    row = {"type": "user", "uuid": "a", "parentUuid": None, "sessionId": "s"}
    said = {"role": "user", "content": "hello"}
    lines = [
        {**row, "message": said},
        {**row, "uuid": "b", "parentUuid": "a", "message": {"role": "tool", "content": "x"}},
    ]
    text = "\n".join(map(json.dumps, lines))
    (found,) = load_all(Source.of_text(text), "claude-code")
    assert [message.text for message in found.conversation.visible] == ["hello", "x"]
