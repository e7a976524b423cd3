"""Works out what a preview shows, in a thread: drawing only draws."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import islice
from typing import Any

from ctxtui.core import Conversation
from ctxtui.core.conversation.conversation import Result
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.state import State
from ctxtui.core.what_if import DROPPED, WhatIfOutcome, assess
from ctxtui.forms.drawing import (
    Held,
    MessagePlace,
    Moves,
    Neighbour,
    Prospect,
    Swap,
)
from ctxtui.inspector.drawing.changes import kept_by_redact
from ctxtui.inspector.models.look import Look, StagedFigures
from ctxtui.text.message import content_text
from ctxtui.text.plurals import plural
from ctxtui.text.word_diff import edits

MOST_PLACES = 500
"""Messages of a kind that a preview lists."""
NEIGHBOURS = 2
MOST_NEW = 6
"""Messages that are shown on each side of a place, and new ones in it."""
MOST_BATCHES = 2_000
"""Batches whose tokens are held against a new limit, the newest ones."""
KEEPS_SYSTEM = ("keepSystem", "keepSystemMessage", "keepRoles")
"""Fields that keep system messages, the fittest first."""
HIDING = ("TRUNCATE", "CLEAR", "FILTER", "SELECT", "DELETE", "COMPRESS")
"""Operations that are there to hide something."""
COUNTS = ("keepFirst", "keepLast", "maxTokens")


def prospect_of(
    look: Look, asked: Any, result: Result, outcome: WhatIfOutcome, ids: Collection[str]
) -> Prospect:
    """Return what there is to show of an operation or a list; ``ids`` are the form's fields."""
    fields = asked if isinstance(asked, Mapping) else {}
    title = str(fields.get("operation", ""))
    moment = result.moment
    return Prospect(
        look=look,
        asked=fields,
        result=result,
        outcome=outcome,
        moves=tuple(_moves(look, result)),
        weights=StagedFigures(look.figures, moment.log, moment.counter),
        notes=tuple(_notes(title, fields, result, outcome)),
        swap=_swap(look, result) if title in ("REPLACE", "INSERT") else None,
        held=held_of(look.conversation, moment) if title == "CONFIGURE" else None,
        can_keep_system=any(id in ids for id in KEEPS_SYSTEM),
        can_keep_marks="keepMarks" in ids,
    )


def _moves(look: Look, result: Result) -> Iterator[Moves]:
    diff, after = result.diff, result.revision.view
    parts = (
        ("go", "−", "error", "hidden", set(diff.hidden), look.view),
        ("come", "+", "ok", "added", {*diff.added, *diff.shown}, after),
        ("move", "~", "warn", "plain", set(diff.moved), after),
    )
    for verb, sign, kind, tint, raws, view in parts:
        if raws:
            places = (MessagePlace(raw, at) for at, raw in enumerate(view) if raw in raws)
            shown = tuple(islice(places, MOST_PLACES))
            yield Moves(verb, sign, kind, tint, len(raws), shown)


def _notes(
    title: str, asked: Mapping[str, Any], result: Result, outcome: WhatIfOutcome
) -> Iterator[str]:
    """Yield what an operation means where that is easily overlooked."""
    gone = outcome.fates.count(DROPPED)
    if title == "COMPRESS" and gone and not asked.get("summary"):
        verb = "goes" if gone == 1 else "go"
        thing = "it" if gone == 1 else "them"
        yield f"{plural(gone, 'message')} {verb} and nothing stands in for {thing}"
    if title == "REDACT" and result.diff.added:
        yield kept_by_redact(result)
    if title in HIDING and result.created_batch and outcome.keeps_projection:
        yield f"nothing would be cut: {_why_nothing(title, asked, outcome)}"


def _why_nothing(title: str, asked: Mapping[str, Any], outcome: WhatIfOutcome) -> str:
    size = outcome.messages
    given = [asked.get(name) for name in COUNTS]
    if title == "TRUNCATE" and any(isinstance(one, int) for one in given):
        if asked.get("maxTokens") is not None and asked["maxTokens"] >= outcome.tokens:
            return f"only {plural(outcome.tokens, 'token')} are sent"
        return f"only {plural(size, 'message')} {'is' if size == 1 else 'are'} visible"
    return "everything that is visible stays"


def _swap(look: Look, result: Result) -> Swap | None:
    """Return the place where one message takes another's stead, or comes between others."""
    added, hidden = list(result.diff.added), list(result.diff.hidden)
    if not added or len(hidden) > 1:
        return None
    view = result.revision.view
    at = view.position(added[0])
    if at is None:
        return None
    stop = at + len(added)
    around = [Neighbour(" ", MessagePlace(view[p], p)) for p in range(max(0, at - NEIGHBOURS), at)]
    around += [Neighbour("−", MessagePlace(raw, at)) for raw in hidden]
    around += [
        Neighbour("+", MessagePlace(view[p], p)) for p in range(at, min(stop, at + MOST_NEW))
    ]
    last = min(len(view), stop + NEIGHBOURS)
    around += [Neighbour(" ", MessagePlace(view[p], p)) for p in range(stop, last)]
    if not hidden or len(added) > 1:
        return Swap(tuple(around), None, None)
    log = result.moment.log
    old, new = content_text(log[hidden[0]]), content_text(log[added[0]])
    return Swap(tuple(around), hidden[0], added[0], edits(old, new) if old != new else [])


def held_of(conversation: Conversation, state: State) -> Held:
    """Return what the settings of a state mean for what is sent, and for earlier batches."""
    settings = state.head.settings
    assessed = {name: assess(state, name) for name in PROFILES}
    batches = list(conversation.batches)[-MOST_BATCHES:]
    totals = [state.total(conversation.newest(batch)) for batch in batches]
    limit = settings.token_limit
    return Held(
        profile=settings.profile,
        assessed=assessed,
        limit=limit,
        batches_above=sum(limit is not None and total > limit for total in totals),
        highest=max(totals, default=0),
    )
