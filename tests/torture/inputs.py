"""Mutated inputs: whatever is given, it is accepted as a whole or refused in one sentence.

Operations in every form, recipes, scripts, files and patterns are damaged by chance and given to
what reads them. Nothing but ``Refused`` may come out, a refused operation changes nothing, and no
single input may take unreasonable time or memory.
"""

from __future__ import annotations

import copy
import json
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ctxtui.core import Conversation, Message, Refused
from ctxtui.core.engine.journal import Record
from ctxtui.core.engine.settings import Settings
from ctxtui.core.formats import (
    READABLE,
    WRITABLE,
    Source,
    dump_json,
    format_named,
    load,
    load_all,
    read_json,
)
from ctxtui.core.recipes import read_recipe
from ctxtui.core.scripts import Script
from ctxtui.core.what_if import WhatIf
from tests.core.formats.vectors import CLEAN as FILES
from tests.torture.mutations import Chance, mutated, mutated_bytes, mutated_pattern
from tests.torture.report import Report
from tests.torture.samples import CHAT, MESSAGES, NEW, OPERATIONS, SCRIPT, SETTINGS

MOST_SECONDS = 20.0
"""Seconds of work, not of waiting, that one input may take: hundreds of times what any does."""
MOST_KILOBYTES = 1_000_000
MOST_FAILURES = 20


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
    (Record.from_dict, LIVED.journal[2].to_dict()),
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
    WhatIf(LIVED).outcome(read_recipe(mutated(chance, operations, foreign=True)))
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


def sample(chance: Chance) -> None:
    """Read a damaged file of another program, and write what was read in some format."""
    content = chance.choice(FILES).read_bytes()
    if chance.random() < 0.5:
        content = mutated_bytes(chance, content)
    else:
        lines = [json.loads(line) for line in content.splitlines()] if _is_lines(content) else None
        data = mutated(chance, json.loads(content) if lines is None else lines)
        rows = data if lines is not None and isinstance(data, list) else [data]
        try:
            content = "\n".join(map(json.dumps, rows)).encode()
        except (ValueError, TypeError, RecursionError):
            return  # What no file can hold.
    name = chance.choice((None, None, *READABLE))
    for found in load_all(Source.of_bytes(content), name):
        whole(found.conversation)
        dump_json(format_named(chance.choice(WRITABLE)).write(found.conversation).text)


def _is_lines(content: bytes) -> bool:
    """Tell whether a file has a JSON value in each line."""
    try:
        json.loads(content)
    except ValueError:
        return True
    return False


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
    *((pattern, 12), (model, 8), (start, 6), (sample, 12)),
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


class TooLong(Exception):  # noqa: N818 - it says what the work was
    """One input took far more work than any should."""


@contextmanager
def _limited() -> Iterator[None]:
    """Stop what works for too long; waiting for a busy machine does not count."""

    def stop(*_: object) -> None:
        raise TooLong(f"it took more than {MOST_SECONDS:g} seconds of work")

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def _tried(kind: Callable[[Chance], None], chance: Chance) -> str | None:
    """Return what went wrong with one input, if anything did."""
    used = _kilobytes()
    try:
        with _limited():
            kind(chance)
    except Refused as refusal:
        try:
            told(refusal)
        except AssertionError as wrong:
            return str(wrong)
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    if _kilobytes() - used > MOST_KILOBYTES:
        return f"took more than {MOST_KILOBYTES:,} kB"
    return None


def _kilobytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
