"""Files of other programs: named by what they look like, never read as something else."""

import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation, Refused
from ctxtui.core.formats import FORMATS, READABLE, Confidence, Loaded, Source, load, registry
from ctxtui.core.formats import detection as kinds
from ctxtui.core.formats.base import JsonFormat, ReadOnly
from ctxtui.core.formats.detection import cached_detection, describe, detect_kind
from ctxtui.core.formats.registry import judged
from ctxtui.core.formats.source import binary_kind
from tests.core.samples import answer, call, refusal, said

ASKED = said("user", "What is in a.txt?")
USE = {"type": "tool_use", "id": "t1", "name": "read", "input": {"path": "a.txt"}}
RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "a line"}
ANTHROPIC_PARTS: list[dict[str, Any]] = [
    {"type": "server_tool_use", "id": "a", "name": "web_search", "input": {}},
    {"type": "mcp_tool_use", "id": "a", "name": "f", "server_name": "s", "input": {}},
    {"type": "web_search_tool_result", "tool_use_id": "a", "content": []},
    {"type": "web_fetch_tool_result", "tool_use_id": "a", "content": {}},
    {"type": "code_execution_tool_result", "tool_use_id": "a", "content": {}},
    {"type": "bash_code_execution_tool_result", "tool_use_id": "a", "content": {}},
    {"type": "text_editor_code_execution_tool_result", "tool_use_id": "a", "content": {}},
    {"type": "tool_search_tool_result", "tool_use_id": "a", "content": {}},
    {"type": "mcp_tool_result", "tool_use_id": "a", "content": []},
    {"type": "redacted_thinking", "data": "x"},
    {"type": "document", "source": {"type": "text", "data": "x"}},
    {"type": "search_result", "source": "x", "title": "t", "content": []},
    {"type": "container_upload", "file_id": "f"},
]
LINE = {"type": "user", "uuid": "u", "parentUuid": None, "sessionId": "s", "message": ASKED}
NODE: dict[str, Any] = {"id": "n", "parent": None, "children": [], "message": None}
GOOGLE = {"role": "user", "parts": [{"text": "hi"}]}
LC = {"lc": 1, "type": "constructor", "id": ["langchain"], "kwargs": {"content": "hi"}}
FUNCTION = {"type": "function", "function": {"name": "read", "parameters": {}}}

FOREIGN: dict[str, tuple[Any, str]] = {
    "anthropic system": ({"system": "Be kind.", "messages": [ASKED]}, kinds.ANTHROPIC),
    "anthropic system, nothing said": ({"system": "Be kind.", "messages": []}, kinds.ANTHROPIC),
    "anthropic system blocks": (
        {"system": [{"type": "text", "text": "Be kind."}], "messages": [ASKED]},
        kinds.ANTHROPIC,
    ),
    "anthropic tools": (
        {"messages": [ASKED], "tools": [{"type": "bash"}, {"name": "a", "input_schema": {}}]},
        kinds.ANTHROPIC,
    ),
    "anthropic call": ({"messages": [ASKED, said("assistant", [USE])]}, kinds.ANTHROPIC),
    "anthropic orphaned result": ([said("user", [RESULT])], kinds.ANTHROPIC),
    "anthropic thinking": (
        [said("assistant", [{"type": "thinking", "thinking": "hm", "signature": "x"}])],
        kinds.ANTHROPIC,
    ),
    "anthropic picture": (
        [said("user", [{"type": "image", "source": {"type": "base64", "data": ""}}])],
        kinds.ANTHROPIC,
    ),
    **{
        f"anthropic {part['type']}": (
            [ASKED, said("assistant", [{"type": "text", "text": "x"}, part])],
            kinds.ANTHROPIC,
        )
        for part in ANTHROPIC_PARTS
    },
    "anthropic answer": (
        {"type": "message", **said("assistant", [{"type": "text", "text": "hi"}])},
        kinds.ANTHROPIC_ANSWER,
    ),
    "anthropic answer with a call": (
        {"type": "message", **said("assistant", [USE])},
        kinds.ANTHROPIC_ANSWER,
    ),
    "anthropic answers": (
        [{"type": "message", "stop_reason": "end_turn", **said("assistant", [USE])}],
        kinds.ANTHROPIC_ANSWER,
    ),
    "responses message": (
        {"type": "message", **said("assistant", [{"type": "output_text", "text": "hi"}])},
        kinds.RESPONSES,
    ),
    "responses items": (
        [ASKED, {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}],
        kinds.RESPONSES,
    ),
    "responses content": (
        [said("user", [{"type": "input_text", "text": "hi"}], type="message")],
        kinds.RESPONSES,
    ),
    "responses request": ({"model": "m", "input": [ASKED], "tools": []}, kinds.RESPONSES),
    "responses answer": ({"object": "response", "output": []}, kinds.RESPONSES),
    "sharegpt": ([{"conversations": [{"from": "human", "value": "hi"}]}], kinds.SHAREGPT),
    "alpaca": ([{"instruction": "add", "input": "1 1", "output": "2"}], "Alpaca data"),
    "hugging face": (
        {"messages": [said("user", [{"type": "text", "value": "hi"}])]},
        kinds.HUGGING_FACE,
    ),
    "langchain": ([{"type": "human", "data": {"content": "hi"}}], kinds.LANGCHAIN),
    "langchain dump": ([LC], kinds.LANGCHAIN),
    "langgraph": ({"values": {"messages": [LC]}}, "a LangGraph state"),
    "claude code line": (LINE, "a Claude Code transcript"),
    "claude code summary": (
        {"type": "summary", "summary": "hi", "leafUuid": "u"},
        "a Claude Code transcript",
    ),
    "claude code on the web": ({"loglines": [LINE]}, "a Claude Code transcript"),
    "codex": ({"timestamp": "t", "type": "session_meta", "payload": {}}, "a Codex transcript"),
    "gemini": ({"contents": [GOOGLE], "system_instruction": {}}, kinds.GEMINI),
    "gemini contents": ([GOOGLE], kinds.GEMINI),
    "chatgpt": ([{"id": "c", "title": "t", "mapping": {"n": NODE}}], "a ChatGPT export"),
    "inspect": ({"eval": {}, "samples": [{"messages": [ASKED]}]}, "an Inspect log"),
    "swe-agent": ({"history": [ASKED], "trajectory": [], "info": {}}, "a SWE-agent trajectory"),
    "tau-bench": ([{"task_id": 1, "traj": [ASKED]}], "tau-bench results"),
    "requests": ({"method": "POST", "path": "/v1", "request": {}}, "recorded requests"),
    "telemetry": ({"resourceSpans": []}, "OpenTelemetry traces"),
    "completion": ({"object": "chat.completion", "choices": []}, kinds.COMPLETION),
    "data set": ([{"messages": [ASKED]}, {"messages": [ASKED]}], kinds.CHATS),
    "data set of anthropic": ([{"system": "x", "messages": [ASKED]}], kinds.ANTHROPIC),
}


def sure(data: object) -> dict[str, Confidence]:
    """Return the formats that take data for their own."""
    sample = Source.of_data(data).sample
    found = {known.name: known.confidence(sample) for known in FORMATS}
    return {name: confidence for name, confidence in found.items() if confidence}


READ = {kind for known in FORMATS for kind in known.kinds}
REFUSED = {name: given for name, given in FOREIGN.items() if given[1] not in READ}


@pytest.mark.parametrize(("data", "kind"), REFUSED.values(), ids=REFUSED.keys())
def test_a_file_of_another_program_is_refused_by_name(data: Any, kind: str) -> None:
    sentence = str(refusal(lambda: load(data)))
    assert sentence.startswith(f"this looks like {kind}; ctxtui can't read that yet; ctxtui reads ")
    assert sentence.endswith(f"{len(READABLE)} formats, which ctxtui export --help lists")
    assert "\n" not in sentence


@pytest.mark.parametrize(("data", "kind"), FOREIGN.values(), ids=FOREIGN.keys())
def test_a_file_of_another_program_is_never_read_as_a_chat(data: Any, kind: str) -> None:
    assert detect_kind(data) == kind
    assert sure(data).get("openai") is None or kind == kinds.CHATS


@pytest.mark.parametrize(
    "data",
    [
        [ASKED, call("a"), answer("a")],
        [ASKED, call("a"), {**answer("a"), "name": "x"}],
        {"messages": [ASKED], "tools": [FUNCTION]},
        {"messages": [said("system", "Be kind."), ASKED], "system": "also here"},
        {"messages": [ASKED], "system": ""},
        {"messages": [ASKED], "system": 5},
        {"messages": [said("user", [{"type": "image_url", "image_url": {"url": "x"}}])]},
        [said("assistant", "hi", type="message")],
        [said("user", [{"type": "file", "file": {"file_id": "f"}}])],
        [said("user", [{"type": "document", "document": {}}])],
        [5, None, ASKED],
        {"messages": [ASKED], "tools": [None]},
    ],
    ids=[
        "native parts",
        "native parts and a name",
        "chat tools",
        "system message",
        "no system prompt",
        "odd system",
        "chat picture",
        "typed message",
        "chat file",
        "odd document",
        "odd rows",
        "odd tools",
    ],
)
def test_what_can_be_read_is_not_taken_for_something_else(data: Any) -> None:
    assert detect_kind(data) is None
    assert sure(data)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (None, "null"),
        (5, "5"),
        ("hi", "a text"),
        ({}, "{}"),
        ([1, 2.5, 3], "a list of 3 numbers"),
        (["a"], "a list of 1 text"),
        ([True, None], "a list of 2 values"),
        ([[], []], "a list of 2 lists"),
        ([1, "a"], "a list of 2 values"),
        ([{}], "a list of 1 object, the first with no keys"),
        ({"colour": 1}, "an object with the key 'colour'"),
        (
            {"a\x1b": 1, **dict.fromkeys("bcdefg")},
            "an object with the keys 'a\\x1b', 'b', 'c', 'd', 'e' and 2 more",
        ),
        ([{"a": 1, "b": 2}] * 1_000, "a list of 1,000 objects, the first with the keys 'a', 'b'"),
    ],
)
def test_unknown_data_is_told_by_what_was_seen(data: Any, words: str) -> None:
    assert describe(data) == words
    assert str(refusal(lambda: load(data))).startswith(f"{words} is in no known format; ")


@pytest.mark.parametrize(
    ("data", "why"),
    [
        ({"messages": 5}, "messages 5 is not a list of chat messages"),
        ({"messages": [[]]}, "messages[0]: message [] is not an object with a role"),
        ([{"role": "robot", "x": 1}], "no message has a role that is known: system, developer"),
    ],
    ids=["no list", "no object", "role"],
)
def test_messages_that_are_no_chat_are_told_why(data: Any, why: str) -> None:
    assert f"; {why}" in str(refusal(lambda: load(data)))


def lines(*values: object) -> Source:
    return Source.of_text("\n".join(v if isinstance(v, str) else json.dumps(v) for v in values))


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        (lines(*[FOREIGN["completion"][0]] * 50), kinds.COMPLETION),
        (
            lines('{"me', "5", FOREIGN["completion"][0], "", FOREIGN["completion"][0]),
            kinds.COMPLETION,
        ),
    ],
    ids=["answers", "broken lines"],
)
def test_json_in_each_line_is_told_by_its_first_lines(source: Source, kind: str) -> None:
    sentence = f"this looks like {kind} (JSONL, a value in each line); ctxtui can't read that yet"
    assert str(refusal(lambda: load(source))).startswith(sentence)


def test_unknown_lines_are_told_by_the_first() -> None:
    sentence = str(refusal(lambda: load(lines({"a": 1}, {"b": 2}))))
    assert sentence.startswith("an object with the key 'a' (JSONL, a value in each line) is in no")


@pytest.mark.parametrize(
    "source",
    [b"", b"hi\nthere", b'[\n{"a": 1},\n{"a": 2}\n]', b"\xff\n\xfe"],
    ids=["empty", "text", "a list", "noise"],
)
def test_what_is_not_json_in_each_line_is_not_called_that(source: bytes) -> None:
    assert "JSONL" not in str(refusal(lambda: load(Source.of_bytes(source))))


def test_what_is_remembered_of_data_ends_with_the_search_for_its_format() -> None:
    data: list[Any] = [{"role": "user", "content": "hi"}]
    with cached_detection():
        assert detect_kind(data) is None
        data.append({"parts": []})
        assert detect_kind(data) is None
    assert detect_kind(data) == kinds.GEMINI


BINARY_FILES = {
    b"SQLite format 3\0\x10": "an SQLite database",
    b"ARROW1\0\0\xff": "an Arrow file",
    b"\xff\xff\xff\xff8\x02\0\0": "an Arrow stream",
    b"PK\x03\x04\x14": "a ZIP archive, or a document that is one inside",
    b"%PDF-1.7\n%\xe2": "a PDF document",
    b"\x89PNG\r\n\x1a\n": "a PNG image",
    b"\xff\xd8\xff\xe0": "a JPEG image",
    b"\x80\x04\x95\x10": "a Python pickle",
    b"\0" * 257 + b"ustar": "a tar archive",
}


@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize(("head", "what"), BINARY_FILES.items(), ids=BINARY_FILES.values())
def test_a_file_that_is_no_text_is_named_in_the_refusal(
    head: bytes, what: str, is_packed: bool
) -> None:
    content = head + bytes(range(256)) * 8
    source = Source.of_bytes(gzip.compress(content) if is_packed else content)
    with pytest.raises(Refused) as refused:
        load(source)
    assert str(refused.value).partition(":")[0] == f"it is {what}, which ctxtui can't read"


def test_a_damaged_table_is_refused_by_its_name() -> None:
    pytest.importorskip("pyarrow")
    with pytest.raises(Refused) as refused:
        load(Source.of_bytes(b"PAR1\x15\0" + bytes(range(256))))
    assert str(refused.value).startswith("it is a Parquet file, which ctxtui can't read: ")


@pytest.mark.parametrize("text", ["PAR", "PK and more", "BZ", "GIF8", "IIx", "%PD", "R" * 300])
def test_text_that_begins_nearly_like_one_is_only_no_json(text: str) -> None:
    assert binary_kind(text.encode()) is None
    with pytest.raises(Refused, match="it is not JSON"):
        load(Source.of_text(text))


STREAM_INIT = {"type": "system", "subtype": "init", "session_id": "s", "tools": []}
PI_HEADER = {"type": "session", "version": 3, "id": "s", "timestamp": "t", "cwd": "/maps"}
OTHERS: dict[str, tuple[list[Any], str]] = {
    "claude stream": ([STREAM_INIT, {"type": "assistant", "message": ASKED}], "Claude Code stream"),
    "qwen stream": ([{**STREAM_INIT, "qwen_code_version": "0.15"}], "Qwen Code stream"),
    "pi stream": ([PI_HEADER, {"type": "agent_start"}], "Pi stream"),
    "codex stream": ([{"type": "thread.started", "thread_id": "t"}], "Codex stream"),
    "gemini stream": (
        [{"type": "init", "timestamp": "t", "session_id": "s", "model": "m"}, ASKED],
        "Gemini CLI stream",
    ),
    "opencode stream": (
        [{"type": "text", "sessionID": "ses_1", "part": {"text": "hi"}}],
        "OpenCode stream",
    ),
    "droid": ([{"type": "session_start", "id": "d", "cwd": "/maps"}], "Factory Droid"),
    "kimi": ([{"type": "metadata", "protocol_version": "1.4"}], "Kimi"),
    "grok": ([{"type": "system", "content": "x"}, {"type": "user", "prompt_index": 0}], "Grok"),
    "amp": ([{"id": "T-1", "v": 3, "env": {}, "messages": [ASKED]}], "Amp"),
    "hermes": (
        [{"platform": "cli", "session_start": "t", "system_prompt": "x", "messages": [ASKED]}],
        "Hermes",
    ),
    "evals items": ([{"item": {"input": [ASKED]}}], "OpenAI Evals API items"),
    "codex history": ([{"session_id": "s", "ts": 1, "text": "hi"}], "the Codex history"),
    "screen of cline": ([[{"ts": 1, "type": "say", "say": "text", "text": "hi"}]], "Cline"),
    "managed agents": ([["client.beta.sessions.create", {}]], "Anthropic Managed Agents"),
    "corpus": ([{"text": "once"}, {"text": "twice"}], "a corpus of texts"),
}


@pytest.mark.parametrize(("values", "name"), OTHERS.values(), ids=OTHERS.keys())
def test_what_another_program_surely_wrote_is_refused_before_any_format_is_asked(
    values: list[Any], name: str
) -> None:
    source = lines(*values) if len(values) > 1 else Source.of_data(values[0])
    sentence = str(refusal(lambda: load(source)))
    assert sentence.startswith("this looks like ")
    assert name in sentence.split(", which ctxtui can't read", maxsplit=1)[0]


def test_a_sign_in_a_later_line_counts_too() -> None:
    values = [*[{"role": "user", "content": "hi"}] * 30, OTHERS["kimi"][0][0]]
    assert "Kimi" in str(refusal(lambda: load(lines(*values))))


UNKNOWN_PART = {"kind": "speech", "said": "Where do the swallows of this town spend the winter?"}


def test_a_file_whose_text_would_mostly_become_data_is_refused_with_the_format_to_name() -> None:
    rows = [said("user", [UNKNOWN_PART]), said("assistant", "In the south.")]
    sentence = str(refusal(lambda: load({"messages": rows, "model": "m"})))
    assert sentence.endswith("(kind); --from openai reads them as data")
    assert len(load({"messages": rows, "model": "m"}, "openai").conversation.log) == 2


def test_a_little_data_among_much_text_is_read() -> None:
    rows = [said("user", [UNKNOWN_PART]), said("assistant", "In the south. " * 100)]
    assert load({"messages": rows, "model": "m"}).format == "openai"


def test_data_of_a_kind_that_a_format_has_is_read_however_much_it_is() -> None:
    document = {"type": "document", "source": {"type": "text", "data": "A long report. " * 50}}
    assert load([said("user", [document])]).format == "anthropic"


def test_what_two_formats_would_read_differently_is_refused_with_both(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Backwards(ReadOnly, JsonFormat):
        name = "backwards"
        about = "a talk from its end"
        kinds = ("a talk from its end",)

        def confidence_of(self, value: object) -> Confidence:
            return Confidence.POSSIBLE if isinstance(value, dict) else Confidence.NO

        def read_one(self, value: Any) -> Loaded:
            return Loaded(Conversation(value["messages"][::-1]), self.name)

    monkeypatch.setattr(registry, "FORMATS", (*FORMATS, Backwards()))
    data = {"messages": [ASKED, said("assistant", "A line.")], "model": "m"}
    sentence = str(refusal(lambda: load(data)))
    assert sentence.endswith("; --from openai or --from backwards says which")
    assert load({"messages": [ASKED], "model": "m"}).format == "openai"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("version https://git-lfs.github.com/spec/v1\noid sha256:1\n", "a Git LFS pointer"),
        ("<!-- Generated by SpecStory -->\n\n# A talk", "a SpecStory document"),
        ("interactions:\n- request:\n", "a VCR cassette"),
        ("# User\n\nHello\n", "a conversation as Markdown"),
    ],
)
def test_a_text_is_named_by_how_it_begins(text: str, words: str) -> None:
    assert str(refusal(lambda: load(Source.of_text(text)))).startswith(f"this looks like {words}")


@pytest.mark.parametrize(
    ("tables", "program"),
    [
        (("blobs", "meta"), "Cursor"),
        (("session", "message", "part"), "OpenCode"),
        (("sessions", "messages"), "Goose"),
        (("threads",), "Zed"),
    ],
)
def test_a_database_is_named_by_the_program_whose_tables_it_has(
    tables: tuple[str, ...], program: str, tmp_path: Path
) -> None:
    with sqlite3.connect(tmp_path / "store.db") as store:
        for table in tables:
            store.execute(f"CREATE TABLE {table} (id TEXT)")
    store.close()
    sentence = str(refusal(lambda: load(Source.of_path(tmp_path / "store.db"))))
    assert sentence.startswith(f"it is an SQLite database of {program}, which ctxtui can't read")


def test_detection_says_how_sure_it_is_and_why() -> None:
    known, confidence, why = judged(Source.of_data(FOREIGN["chatgpt"][0]).sample)
    assert (known.name, confidence) == ("chatgpt", Confidence.LIKELY)
    assert why == "it has what only a ChatGPT export has"


def test_all_formats_together_judge_the_same_data_once(monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[object] = []

    def recognised(data: object) -> None:
        found.append(data)

    monkeypatch.setattr(kinds, "_recognised", recognised)
    rows = [{"messages": [said("user", f"hi {number}")]} for number in range(20)]
    judged(lines(*rows).sample)
    assert len(found) == 2 * len([*rows, rows])  # All of it, and the beginning that is read.


SENTENCE = "A sentence that is long enough to be noticed where it is lost."
NEAR_MISSES: dict[str, Any] = {
    "phone numbers": {"conversations": [{"from": "+49", "value": SENTENCE}] * 2},
    "roles of a database": [{"role": "user", "can": ["read"]}, {"role": "system", "can": []}],
    "a graph": {"mapping": {"a": {"id": "a", "parent": None, "children": []}}, "title": SENTENCE},
    "events with a payload": {"type": "PushEvent", "payload": {"text": SENTENCE}, "id": "1"},
}


@pytest.mark.parametrize("data", NEAR_MISSES.values(), ids=NEAR_MISSES.keys())
def test_what_merely_has_keys_in_common_with_a_format_is_in_no_known_one(data: Any) -> None:
    assert sure(data) == {}


def test_a_kind_that_is_read_is_not_said_to_be_unreadable() -> None:
    sentence = str(refusal(lambda: load({"prompt": 12, "completion": 30})))
    assert sentence.startswith("this looks like rows of training data, but has not what these must")
