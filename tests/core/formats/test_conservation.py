"""Nothing is silently lost: every longer text of a file is in its conversations, or is named."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ctxtui.core import Conversation
from ctxtui.core.formats import Loaded, Source, load_all
from ctxtui.core.formats.conservation import RecordLedger, lost, warning_of
from ctxtui.core.formats.fields import read_timestamp
from ctxtui.core.formats.warnings import LOST, MOST_NAMES, FormatWarning
from tests.core.formats.vectors import FILES, JSON, every_file

LONG = 20
TEXT = "a text of which nothing may be lost"
OTHER = "another text that is long enough"


def leaves(value: Any, path: str = "") -> list[tuple[str, str]]:
    """Return every text among the values of some JSON with its path, the slow way."""
    if isinstance(value, str):
        return [(path, value)]
    rows: list[tuple[Any, Any]] = []
    if isinstance(value, dict):
        rows = list(value.items())
    elif isinstance(value, list | tuple):
        rows = list(enumerate(value))
    return [leaf for key, one in rows for leaf in leaves(one, f"{path}.{key}".lstrip("."))]


def in_full(value: Any) -> str:
    """Return a value as one text: all its texts and keys, and the JSON within them."""
    found = []
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, dict):
        for key, one in value.items():
            found += [str(key), in_full(one)]
    elif isinstance(value, list | tuple):
        found += [in_full(one) for one in value]
    elif value is not None:
        found.append(str(value))
    return "\n".join(found)


def squeezed(text: str) -> str:
    return unicodedata.normalize("NFC", re.sub(r"\s", "", text))


def is_stored(text: str, everything: str) -> bool:
    """Return whether a text is somewhere in what is stored, as it is or as what it says."""
    if squeezed(text) in everything or text in ("function_call_output", "text"):
        return True
    moment = read_timestamp(text)
    if moment is not None and str(moment) in everything:
        return True
    try:
        value = json.loads(text)
    except ValueError:
        if any(
            squeezed(half.strip()) in everything and squeezed(text[len(half) :]) in everything
            for half in halves(text)
        ):
            return True
        pieces = [
            one
            for one in re.split(r"</?\w[^<>\n]*>|\n+(?:Human|Assistant):|\n", text)
            if len(one.strip()) >= LONG
        ]
        return (
            len(pieces) > 0
            and pieces != [text]
            and all(is_stored(one.strip(), everything) for one in pieces)
        )
    if isinstance(value, str):
        return is_stored(value, everything)
    return all(is_stored(one, everything) for _, one in leaves(value))


def halves(text: str) -> Iterator[str]:
    """Yield the start of a text up to each blank."""
    return (text[: found.end()] for found in re.finditer(r"\s", text[:500]))


def records_of(path: Path) -> dict[str, Any]:
    source = Source.of_path(path)
    if source.is_text:
        lines = [line.lstrip("#> ") for line in source.text().splitlines()]
        return {"": [line.removeprefix("aider chat started at ") for line in lines]}
    return {str(line): value for line, value in source.records()}


def not_accounted_for(path: Path, name: str | None = None) -> list[str]:
    """Return the paths of all texts of a file that are neither stored nor named."""
    source = Source.of_path(path)
    found = list(load_all(source, name))
    everything = squeezed("\n".join(in_full(one.conversation.to_dict()) for one in found))
    named = [name for one in found for warning in one.warnings for name in warning.names]
    left_out = {
        str(place)
        for warning in source.warnings
        for place in warning.places
        if "read-as" not in warning.code
    }
    return [
        f"{line}: {place}"
        for line, value in records_of(path).items()
        if line not in left_out
        for place, text in leaves(value)
        if len(text) >= LONG
        and not is_stored(text, everything)
        and not any(place == name.removeprefix(f"{line}.") or place in name for name in named)
        and not any(place.startswith(name.removeprefix(f"{line}.")) for name in named)
    ]


@every_file
def test_every_longer_text_of_a_sample_is_stored_or_named(path: Path) -> None:
    assert not_accounted_for(path) == []


def with_unknown_keys(value: Any, path: str = "") -> Any:
    """Return some JSON with another text in each of its objects, under names of our own."""
    if isinstance(value, list):
        return [with_unknown_keys(one, f"{path}.{at}") for at, one in enumerate(value)]
    if not isinstance(value, dict):
        return value
    inside = {key: with_unknown_keys(one, f"{path}.{key}") for key, one in value.items()}
    said = f"what nobody expects in{path}"
    return {**inside, "x_text": said, "x_list": [{"a": f"{said}, too"}], "x_json": dumped(said)}


def dumped(text: str) -> str:
    return json.dumps({"b": [f"{text} as JSON"]})


@pytest.mark.parametrize(
    "path",
    [path for path in JSON if path.parent.name != "native"],  # Which refuses unknown names.
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_every_text_under_a_name_that_its_format_does_not_know_is_stored_or_named(
    path: Path, tmp_path: Path
) -> None:
    source = Source.of_path(path)
    is_lines = source.is_lines
    values = [value for _, value in source.records()] if is_lines else [source.document()]
    file = tmp_path / path.name
    file.write_text("\n".join(json.dumps(with_unknown_keys(one)) for one in values))
    assert not_accounted_for(file, path.parent.name) == []


def test_some_samples_have_text_that_only_a_warning_accounts_for() -> None:
    found = {
        path.parent.name
        for path in FILES
        for one in load_all(Source.of_path(path))
        for warning in one.warnings
        if warning.code == LOST
    }
    assert found


def warnings_of(text: str) -> list[FormatWarning | None]:
    found: list[Loaded] = list(load_all(Source.of_text(text)))
    return [next((w for w in one.warnings if w.code == LOST), None) for one in found]


def talk(*texts: str, **meta: Any) -> Conversation:
    return Conversation([{"role": "user", "content": text} for text in texts], meta=meta)


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ({"a": TEXT}, TEXT),
        ({"a": f"  {TEXT}\n"}, TEXT),
        ({"a": TEXT}, f"before {TEXT} after"),
        ({"a": f"{TEXT}\n\n{OTHER}"}, f"{TEXT}\n{OTHER}"),
        ({"a": json.dumps({"b": [TEXT, OTHER]})}, f"{OTHER}, {TEXT}"),
        ({"a": json.dumps(json.dumps({"b": TEXT}))}, TEXT),
        ({"a": f"<think>{TEXT}</think>\n{OTHER}"}, f"{OTHER} | {TEXT}"),
        ({"a": "data:image/png;base64," + "QUJD" * 10}, "QUJD" * 10),
        ({"a": "Le caf\u00e9 est ouvert ce soir"}, "Le cafe\u0301 est ouvert ce soir"),
        ({"a": "a lone \ud800 surrogate is here"}, "a lone \ufffd surrogate is here"),
        ({"a": "too short"}, "nothing"),
        ([TEXT, {"b": [OTHER]}], f"{TEXT} {OTHER}"),
    ],
)
def test_a_text_may_be_stored_in_many_ways(value: Any, stored: str) -> None:
    assert lost(value, talk(stored)) == []


@pytest.mark.parametrize(
    "value",
    [
        TEXT,
        json.dumps({"b": TEXT, "c": OTHER}),
        f"<think>{TEXT}</think>{OTHER}",
        f"{OTHER}\n{TEXT}",
        "2026-01-02T03:04:05.678Z",
        json.dumps({"n": 1, "s": "short", "t": "x" * 8}),
    ],
)
def test_a_text_of_which_only_a_part_is_stored_is_lost(value: str) -> None:
    (found,) = lost({"a": [0, {"b": value}]}, talk(OTHER))
    assert found.name == "a.1.b"


def test_a_time_is_stored_as_a_number_and_an_input_as_an_object() -> None:
    call = {"id": "c", "name": "look", "input": {"at": "here", "n": 3}}
    one = Conversation(
        [
            {
                "role": "assistant",
                "content": [{"type": "tool_use", "tool_use": call}],
                "timestamp": 1_767_323_045_678,
            }
        ]
    )
    value = {"t": "2026-01-02T03:04:05.678Z", "arguments": '{"at":  "here", "n": 3}'}
    assert lost(value, one) == []
    other = {"t": "2026-01-02T03:04:06.678Z", "arguments": '{"at":  "there", "n": 3}'}
    assert [loss.name for loss in lost(other, one)] == ["t", "arguments"]


def test_what_is_in_the_metadata_is_stored() -> None:
    assert lost({"a": TEXT, "b": OTHER}, talk("x", mine={"deep": [TEXT]}, title=OTHER)) == []


def test_a_warning_names_every_path_however_many_there_are() -> None:
    one = talk("hi")
    losses = lost({"x": [{"y": [f"{TEXT} {i}.{j}" for j in range(9)]} for i in range(90)]}, one)
    warning = warning_of(losses, "line")
    assert warning.count == 810
    assert len(warning.names) == 90 <= MOST_NAMES
    assert warning.names[0] == "x.0.y"


def test_nothing_of_a_record_is_held_when_its_conversation_is_settled() -> None:
    ledger = RecordLedger(lambda: ())
    for number in range(1, 50):
        ledger.take(number, {"a": f"{TEXT} {number}", "b": OTHER})
        (found,) = ledger.settle([talk(OTHER)])
        assert [(loss.record, loss.name) for loss in found] == [(number, "a")]
        assert not any(group.last or group.texts for group in ledger._groups)


def test_a_record_that_is_left_out_is_not_named_again() -> None:
    good = json.dumps({"messages": [{"role": "user", "content": TEXT}]})
    bad = json.dumps({"messages": [{"role": 5, "content": OTHER}]})
    assert warnings_of(f"{good}\n{bad}\n{good}\n") == [None, None]


def test_a_lost_text_is_named_by_its_path_and_never_by_itself() -> None:
    span = {
        "traceId": "t",
        "spanId": "a",
        "attributes": {
            "gen_ai.operation.name": "chat",
            "gen_ai.request.model": "m",
            "gen_ai.input.messages": json.dumps(
                [{"role": "user", "parts": [{"type": "text", "content": TEXT}]}]
            ),
        },
    }
    tool = {
        "traceId": "t",
        "spanId": "b",
        "attributes": {"gen_ai.operation.name": "execute_tool", "x": OTHER},
    }
    (warning,) = warnings_of(f"{json.dumps(span)}\n{json.dumps(tool)}\n")
    assert warning is not None
    assert (warning.names, warning.places, warning.count) == (("2.attributes.x",), (2,), 1)
    assert OTHER not in json.dumps(warning.to_dict())


def test_a_text_that_is_lost_of_several_records_is_named_in_each() -> None:
    def span(id: str, **attributes: str) -> str:
        return json.dumps({"traceId": "t", "spanId": id, "attributes": attributes})

    said = json.dumps([{"role": "user", "parts": [{"type": "text", "content": TEXT}]}])
    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": said}
    tool = {"gen_ai.operation.name": "execute_tool", "x": OTHER}
    lines = [span("a", **chat), span("b", **tool), span("c", **tool)]
    (warning,) = warnings_of("\n".join(lines))
    assert warning is not None
    assert warning.names == ("2.attributes.x", "3.attributes.x")
    assert (warning.places, warning.count) == ((2, 3), 2)


@pytest.mark.parametrize(
    "deep", ["[" * 900 + "]" * 900, '{"a":' * 900 + "1" + "}" * 900], ids=["lists", "objects"]
)
def test_a_text_of_json_that_is_nested_deeply_is_only_lost(deep: str) -> None:
    assert [loss.name for loss in lost({"a": deep}, talk("hi"))] == ["a"]


def test_a_message_that_is_left_out_and_its_steps_are_named(tmp_path: Path) -> None:
    steps = [{"action": "ls", "state": f"{TEXT} {number}"} for number in range(3)]
    history = [{"role": "user", "content": OTHER}, {"role": 5, "content": f"{OTHER}!"}]
    path = tmp_path / "run.traj"
    path.write_text(json.dumps({"trajectory": steps, "history": history, "info": {}}))
    (found,) = load_all(Source.of_path(path), "swe-agent")
    (warning,) = [one for one in found.warnings if one.code == LOST]
    assert warning.names == (*(f"trajectory.{n}.state" for n in range(3)), "history.1.content")


@pytest.mark.parametrize("url", ["data:image/png;base64,AA", "data:text/plain;base64,aGk="])
def test_a_short_picture_is_not_found_in_another_text(url: str) -> None:
    assert [one.name for one in lost({"a": url}, talk(f"{url[-4:]}AAAA {OTHER} aGk=."))] == ["a"]
    assert lost({"a": url}, talk(url.partition(",")[2])) == []


def test_a_short_line_of_a_text_is_not_lost_beside_a_long_one() -> None:
    assert [one.name for one in lost({"a": f"{TEXT}\nPIN 4711"}, talk(TEXT))] == ["a"]
    assert lost({"a": f"{TEXT}\nPIN 4711"}, talk(f"{TEXT}; PIN 4711")) == []


@pytest.mark.parametrize(
    "last", [{"x": OTHER}, {"samples": {"x": OTHER}}, {"samples": [], "x": OTHER}]
)
def test_a_record_that_no_conversation_was_made_of_is_left_out_by_its_line(last: Any) -> None:
    good = {"samples": [{"id": 1, "messages": [{"role": "user", "content": TEXT}]}]}
    source = Source.of_text("".join(json.dumps(one) + "\n" for one in (good, last)))
    list(load_all(source, "inspect"))
    assert [(one.code, one.places) for one in source.warnings] == [
        ("conversation-unreadable", (2,))
    ]


def test_a_part_that_is_a_text_is_not_named_by_it() -> None:
    items = [
        {"type": "message", "role": "user", "content": [OTHER, {"type": [OTHER]}, {"type": OTHER}]},
        {"type": "message", "role": OTHER, "content": "hi"},
        {"type": "message", "role": "user", "content": [{"type": "input_file"}]},
    ]
    (found,) = load_all(Source.of_data(items), "responses")
    said = json.dumps([one.to_dict() for one in found.warnings])
    assert OTHER not in said
    assert "input_file" in said
