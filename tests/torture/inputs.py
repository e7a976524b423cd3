"""Mutated inputs: whatever is given, it is accepted as a whole or refused in one sentence.

Operations in every form, recipes, scripts, files and patterns are damaged by chance and given to
what reads them. Nothing but ``Refused`` may come out, a refused operation changes nothing, and no
single input may take unreasonable time or memory.
"""

from __future__ import annotations

import copy
import json
import resource
import time
from collections.abc import Callable
from typing import Any

from core import Batch, Conversation, Finding, Message, Refused, Revision
from core.diff import Diff
from core.formats import dump_json, load, read_json
from core.journal import Record
from core.recipes import read_recipe, what_if
from core.scripts import Script
from core.settings import Settings
from core.shapes import ArrayState, MarkMap, Snapshot, Stats
from tests.torture.mutations import Chance, mutated, mutated_bytes, mutated_pattern
from tests.torture.report import Report

MOST_SECONDS = 20.0
"""Seconds of work, not of waiting, that one input may take: hundreds of times what any does."""
MOST_KILOBYTES = 1_000_000
MOST_FAILURES = 20

CALL = {"type": "tool_use", "tool_use": {"id": "c1", "name": "look", "input": {"q": "x"}}}
RESULT = {"type": "tool_result", "tool_result": {"tool_use_id": "c1", "content": "seen"}}
MESSAGES: list[Any] = [
    {"role": "system", "content": "Be brief.", "timestamp": 1000},
    {"role": "user", "content": "What is a view?", "id": "u1", "metadata": {"n": [1, 2.5]}},
    {"role": "assistant", "content": [{"type": "thinking", "thinking": {"text": "hm"}}, CALL]},
    {"role": "tool", "content": [RESULT]},
    {"role": "assistant", "content": "An ordered list."},
    {"role": "user", "content": [{"type": "image", "image_url": {"url": "http://a.test/1"}}]},
]
SETTINGS: Any = {
    "tokenLimit": 100,
    "compressionConfig": {
        "enabled": True,
        "threshold": 50,
        "targetTokens": 20,
        "keepPairs": "drop",
        "keepRoles": ["tool"],
        "keepMarks": ["a"],
    },
    "toolDescription": "Available tools: look",
}
NEW = {"role": "user", "content": "new"}
CHOICE = {"roles": ["user"], "positions": {"start": -3, "end": 4}, "exceptLast": 1}
OPERATIONS: list[Any] = [
    {"operation": "APPEND", "messages": [NEW, MESSAGES[2]]},
    {"operation": "INSERT", "position": 1, "messages": [NEW]},
    {"operation": "REPLACE", "index": 0, "message": NEW},
    {"operation": "REPLACE", "indices": [1, 4], "messages": [NEW]},
    {"operation": "TRUNCATE", "keepLast": 3, "keepSystem": True, "keepPairs": "extend"},
    {"operation": "TRUNCATE", "range": {"start": 1, "end": 4}, "role": "user", "keepOthers": True},
    {"operation": "TRUNCATE", "maxTokens": 9, "keepRoles": ["tool"], "keepMarks": ["a"]},
    {"operation": "CLEAR", "keepSystemMessage": False},
    {"operation": "FILTER", "roles": ["user"], "contentContains": ["view"], "ignoreCase": True},
    {"operation": "SELECT", "indices": [4, 1]},
    {"operation": "DELETE", "select": CHOICE},
    {"operation": "COMPRESS", "indices": [1, 2], "summary": NEW, "keepPairs": "drop"},
    {"operation": "REDACT", "indices": [3], "text": "-"},
    {"operation": "REPAIR", "policy": "restore"},
    {"operation": "BATCH_START", "boundary": 2, "initialTools": True},
    {"operation": "ROLLBACK", "targetBatchIndex": 0},
    {"operation": "CHECKOUT", "revision": 1},
    {"operation": "TOGGLE", "skip": [1]},
    {"operation": "MARK", "indices": [1], "label": "a"},
    {"operation": "UNMARK", "select": {"marks": ["a"]}, "label": "a"},
    {"operation": "DESCRIBE", "batch": 0, "text": "start"},
    {"operation": "CONFIGURE", **SETTINGS},
    {"operation": "UNDO"},
    {"operation": "truncate", "truncate": {"keepLast": 2, "keepSystem": True}},
    {"operation": "insert", "insert": {"position": -1, "messages": [NEW]}},
    {"operation": "batch_start", "batch_start": {"boundary": 1}},
    {"operation": "insert", "data": NEW},
    {"operation": "delete", "indices": [0, 1]},
    {"operation": "replace", "indices": [1], "data": [NEW]},
    {"operation": "compress", "indices": [1, 2], "data": NEW},
    {"operation": "batch_start", "indices": [2], "batch": 3},
    {"operation": "batch_end", "batch": 0},
]
SCRIPT: Any = {
    "messages": MESSAGES,
    "settings": SETTINGS,
    "meta": {"title": "t"},
    "steps": [
        *OPERATIONS[:8],
        OPERATIONS[8:12],
        {"list": OPERATIONS[12:14], "refused": True},
        {"query": {"kind": "search", "text": "v.{2,9}w", "regex": True}},
        {"query": {"kind": "between", "start": 0, "end": 10**12}},
        {"query": {"kind": "blame", "index": 1}},
        {"expect": {"visible": [1], "tokensAtMost": 9, "lint": ["G1"], "marks": {"a": [1]}}},
    ],
}
CHAT: Any = {
    "model": "m",
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "hi"}], "name": "Bob"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
    ],
}


def lived() -> Conversation:
    """Return a conversation with marks, settings, two branches and something to redo."""
    times = iter(range(10**6))
    made = Conversation(MESSAGES, SETTINGS, meta={"title": "t"}, clock=lambda: next(times))
    made.execute({"operation": "MARK", "indices": [1, 3], "label": "a"})
    made.append(NEW)
    made.execute({"operation": "TRUNCATE", "removeFirst": 2})
    made.rollback(0)
    made.execute({"operation": "BATCH_START", "boundary": 1})
    made.append(NEW)
    made.undo()
    return made


LIVED = lived()
NATIVE = LIVED.to_dict()
READERS: list[tuple[Callable[[Any], object], Any]] = [
    (Message.from_dict, MESSAGES[2]),
    (Settings.from_dict, SETTINGS),
    (Revision.from_dict, LIVED.revisions[3].to_dict()),
    (Batch.from_dict, LIVED.batches[1].to_dict()),
    (Record.from_dict, LIVED.journal[2].to_dict()),
    (Finding.from_dict, {"rule": "G1", "severity": "error", "rawIndex": 1, "position": 0}),
    (MarkMap.from_dict, LIVED.mark_map().to_dict()),
    (ArrayState.from_dict, LIVED.state().to_dict()),
    (Stats.from_dict, LIVED.stats().to_dict()),
    (Snapshot.from_dict, LIVED.state().batch_snapshots[0].to_dict()),
    (Diff.from_dict, LIVED.diff(0, 2).to_dict()),
    (Conversation.replay, [record.to_dict() for record in LIVED.journal]),
]


def operate(chance: Chance) -> None:
    """Ask for a damaged operation or list; refused, it changes nothing."""
    conversation = LIVED.copy()
    asked = chance.choice(OPERATIONS)
    if chance.random() < 0.2:
        asked = [asked, chance.choice(OPERATIONS)]
    asked = mutated(chance, asked, foreign=True)
    try:
        promise = conversation.preview(asked)
        result = conversation.execute(asked)
    except Refused as refusal:
        told(refusal)
        assert conversation == LIVED, "a refused operation changed something"
        return
    assert promise.changed == result.changed, "the preview told something else"
    whole(conversation)
    result.to_dict()


def recipe(chance: Chance) -> None:
    """Read a damaged recipe, and ask what it would give."""
    operations = chance.sample(OPERATIONS, chance.randint(1, 4))
    what_if(LIVED, {"damaged": read_recipe(mutated(chance, operations, foreign=True))})
    assert LIVED.check() == []


def script(chance: Chance) -> None:
    """Run a damaged script from beginning to end."""
    read = Script.from_dict(mutated(chance, SCRIPT))
    conversation = read.start()
    for report in read.take(conversation, keep_going=True):
        json.dumps(report.to_dict())
    whole(conversation)


def file(chance: Chance) -> None:
    """Read a damaged file of one of the formats."""
    found = load(mutated(chance, chance.choice((NATIVE, NATIVE, CHAT, MESSAGES))))
    whole(found.conversation)


def text(chance: Chance) -> None:
    """Read the damaged text of a file, a script or a recipe."""
    source = chance.choice((NATIVE, CHAT, MESSAGES, SCRIPT, OPERATIONS))
    data = read_json(mutated_bytes(chance, dump_json(source).encode()))
    if source is SCRIPT:
        Script.from_dict(data)  # type: ignore[arg-type]
    elif source is OPERATIONS:
        read_recipe(data)
    else:
        whole(load(data).conversation)


def pattern(chance: Chance) -> None:
    """Search for what may be a regular expression."""
    wanted, is_regex = mutated_pattern(chance), chance.random() < 0.9
    LIVED.query.search(wanted, regex=is_regex, scope="raw")


def model(chance: Chance) -> None:
    """Read one damaged value."""
    read, data = chance.choice(READERS)
    read(mutated(chance, data, foreign=True))


def start(chance: Chance) -> None:
    """Begin a conversation with damaged messages, settings or facts about it."""
    given: Any = {"messages": MESSAGES, "settings": SETTINGS, "meta": {"title": "t", "n": [1]}}
    whole(
        Conversation(
            **{
                **given,
                (key := chance.choice(list(given))): mutated(chance, given[key], foreign=True),
            }
        )
    )


KINDS: tuple[tuple[Callable[[Chance], None], int], ...] = (
    *((operate, 40), (recipe, 5), (script, 5), (file, 12), (text, 12)),
    *((pattern, 12), (model, 8), (start, 6)),
)


def told(refusal: Refused) -> None:
    """See that a refusal is one short sentence."""
    sentence = str(refusal)
    assert "\n" not in sentence, "the sentence has a line break"
    assert len(sentence) < 2_000, "the sentence is endless"


def whole(conversation: Conversation) -> None:
    """See that what was accepted holds together and can be written and read again."""
    assert conversation.check() == [], "an invariant is broken"
    again = Conversation.from_dict(read_json(dump_json(conversation.to_dict())))  # type: ignore[arg-type]
    assert again == conversation, "it does not come back from a file"


def run(count: int, seed: int) -> Report:
    """Try so many damaged inputs; the same seed damages them in the same way."""
    began = time.monotonic()
    failures: list[str] = []
    kinds, weights = zip(*KINDS, strict=True)
    unharmed = copy.deepcopy(NATIVE)
    tried = 0
    while tried < count and len(failures) < MOST_FAILURES:
        chance = Chance(f"{seed}/{tried}")
        kind = chance.choices(kinds, weights)[0]
        failure = _tried(kind, chance)
        if failure is not None:
            failures.append(f"{kind.__name__} {tried} of seed {seed}: {failure}")
        tried += 1
    if LIVED.to_dict() != unharmed:
        failures.append(f"something of seed {seed} changed a conversation that was only read")
    return Report("inputs", tried, failures, time.monotonic() - began)


def _tried(kind: Callable[[Chance], None], chance: Chance) -> str | None:
    """Return what went wrong with one input, if anything did."""
    worked, used = time.process_time(), _kilobytes()
    try:
        kind(chance)
    except Refused as refusal:
        try:
            told(refusal)
        except AssertionError as wrong:
            return str(wrong)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    if time.process_time() - worked > MOST_SECONDS:
        return f"took more than {MOST_SECONDS:g} seconds"
    if _kilobytes() - used > MOST_KILOBYTES:
        return f"took more than {MOST_KILOBYTES:,} kB"
    return None


def _kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
