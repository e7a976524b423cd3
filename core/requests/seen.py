"""Seen: what the model read of a request after its provider's own edits.

It is derived from recorded requests and answers each time, and never stored. ``SeenReader`` is
given exchanges in the order in which they were made, since answers and requests refer to earlier
ones. What can't be known is ``unknown``; nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ..engine.seen import (
    CERTAINTIES,
    PLACEHOLDER,
    Before,
    EditKind,
    ProviderEdit,
    Seen,
    SeenCertainty,
    SeenPiece,
    SeenPurpose,
    SentPiece,
    Shown,
)
from .bodies import digest, dumped, without_markers
from .exchange import KINDS, SUCCESS, Exchange, Kind
from .provider_rules import (
    CLEAR_THINKING,
    CLEAR_TOOL_USES,
    COMPACT,
    ToolClearing,
    ToolUse,
    compaction_trigger,
    thinking_kept_by,
    turns_to_clear,
)

THOUGHTS = ("thinking", "redacted_thinking")
UNREAD: Mapping[SeenPurpose, str] = {
    "refused": "the request was refused: no model saw it",
    "count": "tokens were only counted: no model saw it",
}
STORED: Mapping[Kind, tuple[str, ...]] = {
    **dict.fromkeys(KINDS, ()),
    **{"responses": ("conversation", "prompt"), "gemini": ("cachedContent",)},
}
"""What providers put in front of a request that only names it."""
MANAGING = (
    *("context_management", "previous_response_id", "thinking", "thread", "truncation"),
    *("cachedContent", "conversation", "prompt", "reasoning"),
)
"""Parameters of a request for which a provider may edit what its model sees."""
NOTHING_ASKED = "the provider was asked for nothing that could act on this request"


# Blocks of bodies


class Block(NamedTuple):
    """A piece with what it holds; ``message`` is the number of its message in the body."""

    piece: SentPiece
    role: str
    type: str
    data: Mapping[str, Any]
    message: int = -1

    @property
    def is_prompt(self) -> bool:
        return self.message < 0

    @property
    def id(self) -> str:
        """Return the id of a tool use, of the use that a result is of, or of an item."""
        for name in ("tool_use_id", "id"):
            if isinstance(self.data.get(name), str):
                return str(self.data[name])
        return ""

    @property
    def is_summary(self) -> bool:
        """Return whether it is a compaction that succeeded."""
        if self.type in ("compaction", "compaction_summary"):
            return self.role == "item" or isinstance(self.data.get("content"), str)
        return False


def blocks_of(kind: Kind, body: Mapping[str, Any], record: int) -> list[Block]:
    """Return the blocks of a request, the prompt first."""

    def block(path: str, role: str, value: Any, message: int = -1) -> Block:
        data = value if isinstance(value, Mapping) else {"text": value}
        type_ = data.get("type")
        name = type_ if isinstance(type_, str) else "text"
        return Block(SentPiece(record, path), role, name, data, message)

    found: list[Block] = []
    for name in ("system", "instructions", "systemInstruction", "system_instruction"):
        prompt = body.get(name)
        if isinstance(prompt, list):
            found += [block(f"{name}.{at}", "system", one) for at, one in enumerate(prompt)]
        elif prompt:
            found.append(block(name, "system", prompt))
    if kind == "responses":
        given = body.get("input")
        if isinstance(given, str):
            return [*found, block("input", "user", given, 0)]
        return [*found, *(block(f"input.{at}", _role(one), one, at) for at, one in _listed(given))]
    if kind == "gemini":
        listed = _listed(body.get("contents"))
        return [*found, *(block(f"contents.{at}", _role(one), one, at) for at, one in listed)]
    for at, row in _listed(body.get("messages")):
        content = row.get("content") if isinstance(row, Mapping) else None
        if isinstance(content, list):
            path = f"messages.{at}.content"
            found += [block(f"{path}.{n}", _role(row), one, at) for n, one in enumerate(content)]
        else:
            found.append(block(f"messages.{at}", _role(row), row, at))
    return found


def blocks_of_answer(kind: Kind, answer: Mapping[str, Any] | None, record: int) -> list[Block]:
    """Return the blocks of an answer, of the kinds whose answers providers store."""
    name = {"messages": "content", "responses": "output"}.get(kind)
    if answer is None or name is None:
        return []
    start = "response.content" if kind == "messages" else "output"
    role = "assistant" if kind == "messages" else "item"
    return [
        Block(SentPiece(record, f"{start}.{at}"), role, str(one.get("type", "text")), one, at)
        for at, one in _listed(answer.get(name))
        if isinstance(one, Mapping)
    ]


def _listed(value: object) -> Iterator[tuple[int, Any]]:
    return enumerate(value if isinstance(value, list | tuple) else ())


def _role(row: Any) -> str:
    """Return the role of a message; an item without one is just an item."""
    role = row.get("role") if isinstance(row, Mapping) else None
    return role if isinstance(role, str) else "item"


def _objects(value: object) -> list[Mapping[str, Any]]:
    return [one for _, one in _listed(value) if isinstance(one, Mapping)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


# What earlier exchanges left behind


class _Held(NamedTuple):
    """What a provider holds under the id of a response, and whether it stores it."""

    record: int
    blocks: tuple[Block, ...]
    is_stored: bool
    is_whole: bool


Locate = Callable[[str], tuple[int, int | None] | None]


class SeenReader:
    """Reads exchanges in their order; each is seen in the light of those before it."""

    def __init__(self) -> None:
        self._count = 0
        self._held: dict[str, _Held] = {}
        self._compactions: dict[str, bool] = {}
        """Compactions by id or content, and whether the compaction endpoint made them."""
        self._items: dict[str, SentPiece] = {}
        self._thinkers: dict[str, str] = {}
        self._counted: dict[bytes, int] = {}
        """What was counted for requests, by the digest of their blocks."""
        self._growth: dict[str, tuple[int, int]] = {}
        """By the id of a result: the call that first had it, and the tokens that came with it."""

    def read(
        self, exchange: Exchange, record: int | None = None, located: Locate = lambda _: None
    ) -> Seen:
        """Return what was seen of an exchange, whose number is the next one unless given.

        ``located`` finds the raw index and the part of a path.
        """
        record = self._count if record is None else record
        self._count += 1
        own = [_located(one, located) for one in blocks_of(exchange.kind, exchange.request, record)]
        answer = blocks_of_answer(exchange.kind, exchange.response, record)
        found = _Reading(exchange, record, own, answer, self).seen()
        if found.purpose in ("answer", "compact"):
            self._note(exchange, record, own, answer, found)
        return found

    def _note(
        self, exchange: Exchange, record: int, own: list[Block], answer: list[Block], found: Seen
    ) -> None:
        """Remember what later requests may refer to."""
        request, response = exchange.request, exchange.response or {}
        before = self.carried(exchange)
        carried = [] if before is None else before.blocks
        id = _text(response.get("id"))
        if id is not None:
            self._held[id] = _Held(
                record,
                (*carried, *own, *answer),
                is_stored=request.get("store") is not False,
                is_whole=found.before != "unknown",
            )
        is_endpoint = exchange.purpose == "compact" or _is_trigger(own)
        for block in answer:
            if block.is_summary:
                for name in _names(block):
                    self._compactions[name] = is_endpoint
            if block.type in THOUGHTS:
                model = _text(response.get("model")) or _text(request.get("model"))
                self._thinkers[_thought(block)] = model or ""
            if block.id:
                self._items[block.id] = block.piece
        for block in own:
            if block.role == "item" and block.id and block.type != "item_reference":
                self._items.setdefault(block.id, block.piece)

    def carried(self, exchange: Exchange) -> _Held | None:
        """Return what the provider put in front of a request, where it was recorded."""
        match exchange.request:
            case {"thread": {"type": "continue", "previous_message_id": str(id)}}:
                return self._held.get(id)
            case {"previous_response_id": str(id)}:
                held = self._held.get(id)
                if held is None or not held.is_stored:
                    return None
                return held._replace(blocks=tuple(b for b in held.blocks if not b.is_prompt))
        return None

    def made_by_endpoint(self, block: Block) -> bool | None:
        """Return whether the compaction endpoint made an item; None if its origin is unknown."""
        known = (self._compactions.get(name) for name in _names(block))
        return next((made for made in known if made is not None), None)

    def may_be_of(self, block: Block, model: str | None) -> bool:
        """Return whether thinking may be of a model; what was not recorded may be of any.

        An answer may name the exact version of the model that a request asks for.
        """
        thinker = self._thinkers.get(_thought(block)) or model
        return not thinker or not model or thinker.startswith(model) or model.startswith(thinker)

    def item(self, id: str) -> SentPiece | None:
        """Return the item that a reference is for."""
        return self._items.get(id)

    def note_count(self, blocks: Sequence[Block], counted: int) -> list[int]:
        """Remember what was counted for a request; return what was for those it begins with."""
        state, found = b"", list[int]()
        for block in blocks:
            data = dumped([block.role, block.type, without_markers(block.data)])
            state = digest(state + data)
            if state in self._counted:
                found.append(self._counted[state])
        if state:
            self._counted[state] = counted
        growth = counted - (found[-1] if found else 0)
        for block in blocks:
            if block.type == "tool_result":
                self._growth.setdefault(block.id, (self._count, growth))
        return found

    def size_of(self, ids: Iterable[str]) -> int | None:
        """Return how many tokens results had at most; None where that was not recorded."""
        found = dict(self._growth.get(id, (-1, 0)) for id in ids)
        return None if -1 in found else sum(found.values())


def _located(block: Block, located: Locate) -> Block:
    place = located(block.piece.path)
    if place is None:
        return block
    return block._replace(piece=block.piece._replace(raw=place[0], part=place[1]))


def _names(block: Block) -> list[str]:
    names = (block.data.get("id"), block.data.get("encrypted_content"), block.data.get("content"))
    return [name for name in names if isinstance(name, str) and name]


def _thought(block: Block) -> str:
    for name in ("signature", "data", "thinking"):
        if _text(block.data.get(name)):
            return f"{name}:{block.data[name]}"
    return ""


def _is_trigger(own: Sequence[Block]) -> bool:
    """Return whether a request ends by asking for a compaction."""
    return bool(own) and own[-1].type == "compaction_trigger"


# One request


class _Reading:
    """What is found out about one request, stage by stage, as a provider does it."""

    def __init__(
        self,
        exchange: Exchange,
        record: int,
        own: list[Block],
        answer: list[Block],
        reader: SeenReader,
    ) -> None:
        self._exchange, self._record, self._reader = exchange, record, reader
        self._own, self._answer = own, answer
        self._request, self._response = exchange.request, exchange.response or {}
        self._verdicts: list[tuple[SeenCertainty, str]] = []
        self._edits: list[ProviderEdit] = []
        self._shown: dict[SentPiece, Shown] = {}
        self._before: Before = "nothing"
        self._blocks = list(own)
        self._model = _text(self._request.get("model"))

    def seen(self) -> Seen:
        """Go through the stages in the order in which a provider acts."""
        purpose = self._purpose()
        if purpose in UNREAD:
            return Seen(self._record, purpose, "as sent", UNREAD[purpose], view=None)
        self._put_in_front()
        if purpose == "compact":
            why = "the answer is a compaction alone: all of it was summarised, nothing answered"
            self._say("proven", why)
            self._edits.append(ProviderEdit("COMPACT", "proven", why))
            return self._result(purpose)
        self._expire()
        self._ignore_before()
        self._drop_thinking()
        self._clear_thinking()
        self._clear_results()
        self._unknown_edits()
        self._compact()
        self._truncate()
        return self._result(purpose)

    def _purpose(self) -> SeenPurpose:
        exchange, response = self._exchange, self._response
        if exchange.purpose == "count":
            return "count"
        is_refused = exchange.status is not None and exchange.status not in SUCCESS
        if is_refused or (not exchange.response and exchange.outcome == "failed"):
            return "refused"
        is_alone = bool(self._answer) and all(one.is_summary for one in self._answer)
        if exchange.purpose == "compact" or response.get("object") == "response.compaction":
            return "compact"
        if is_alone and (exchange.kind == "responses" or response.get("stop_reason") == COMPACTION):
            return "compact"
        return "answer"

    # Results

    def _say(self, certainty: SeenCertainty, why: str) -> None:
        self._verdicts.append((certainty, why))

    def _edit(
        self,
        kind: EditKind,
        certainty: SeenCertainty,
        why: str,
        blocks: Iterable[Block] = (),
        **more: Any,
    ) -> None:
        pieces = tuple(block.piece for block in blocks)
        self._edits.append(ProviderEdit(kind, certainty, why, pieces, **more))
        if kind != "CLEAR_INPUTS":
            self._say(certainty, why)

    def _hide(
        self, kind: EditKind, certainty: SeenCertainty, why: str, blocks: list[Block], **more: Any
    ) -> None:
        """Hide blocks, which later stages do not see any more."""
        self._edit(kind, certainty, why, blocks, **more)
        gone = {block.piece for block in blocks}
        self._blocks = [block for block in self._blocks if block.piece not in gone]

    def _result(self, purpose: SeenPurpose) -> Seen:
        rank = CERTAINTIES.index
        weakest = max(self._verdicts, key=lambda one: rank(one[0]), default=None)
        certainty, _ = weakest or ("as sent", "")
        reasons = [why for sure, why in self._verdicts if sure == certainty]
        view = None
        if purpose == "answer" and (certainty != "unknown" or self._before == "unknown"):
            view = tuple(map(self._seen_piece, self._blocks))
        read, original = self._counts()
        return Seen(
            record=self._record,
            purpose=purpose,
            certainty=certainty,
            why="; ".join(dict.fromkeys(reasons)) or NOTHING_ASKED,
            before=self._before,
            edits=tuple(self._edits),
            view=view,
            read=read,
            counted=original,
        )

    def _seen_piece(self, block: Block) -> SeenPiece:
        shown: Shown = "sent"
        if block.is_summary:
            shown = "opaque" if block.role == "item" else "summary"
        shown = self._shown.get(block.piece, shown)
        is_reference = block.type == "item_reference"
        target = self._reader.item(block.id) if is_reference else None
        return SeenPiece(block.piece, shown, target, block.role, block.data)

    def _counts(self) -> tuple[int | None, int | None]:
        """Return what the provider counted, and what it would have without clearing."""
        read = _input_tokens(self._response)
        if read is None:
            return None, None
        cleared = [edit.get("cleared_input_tokens") for edit in self._applied or ()]
        if self._applied is None or not all(isinstance(one, int) for one in cleared):
            return read, None
        return read, read + sum(one for one in cleared if isinstance(one, int))

    # What the request asked for and the answer reports

    @property
    def _asked(self) -> list[Mapping[str, Any]]:
        """Return the edits of the context that the request asks for."""
        asked = self._request.get("context_management")
        return _objects(asked.get("edits")) if isinstance(asked, Mapping) else []

    def _asked_of(self, type_: str) -> Mapping[str, Any] | None:
        return next((one for one in self._asked if one.get("type") == type_), None)

    @property
    def _applied(self) -> list[Mapping[str, Any]] | None:
        """Return the edits that the answer reports; None where it reports nothing."""
        managed = self._response.get("context_management")
        applied = managed.get("applied_edits") if isinstance(managed, Mapping) else None
        return _objects(applied) if isinstance(applied, list | tuple) else None

    def _applied_of(self, type_: str) -> Mapping[str, Any] | None:
        return next((one for one in self._applied or () if one.get("type") == type_), None)

    # The stages

    def _put_in_front(self) -> None:
        request, response = self._request, self._response
        match request:
            case {"thread": {"type": "continue", "previous_message_id": str(id)}}:
                self._carry(id, "proven", "the message thread goes on from a recorded answer")
            case {"previous_response_id": str(id)} if response.get("previous_response_id") == id:
                why = "the answer repeats previous_response_id, and all of that is recorded"
                self._carry(id, "proven", why)
            case {"previous_response_id": str(id)}:
                why = "the answer does not repeat previous_response_id, which is recorded"
                self._carry(id, "likely", why)
        if request.get("prompt") and isinstance(response.get("instructions"), list):
            self._before = "known"
            self._edit("PUT_IN_FRONT", "proven", "the answer lists what the prompt stands for")
        elif name := next(
            (name for name in STORED[self._exchange.kind] if request.get(name)), None
        ):
            self._before = "unknown"
            why = f"what the provider stores as {name} is before it, and was not recorded"
            self._edit("PUT_IN_FRONT", "unknown", why)

    def _carry(self, id: str, certainty: SeenCertainty, why: str) -> None:
        held = self._reader.carried(self._exchange)
        if held is None or not held.is_whole:
            self._before = "unknown"
            why = f"it goes on from {id}, which was not recorded: what is before it is unknown"
            self._edit("PUT_IN_FRONT", "unknown", why, () if held is None else held.blocks)
            return
        self._before = "known"
        self._edit("PUT_IN_FRONT", certainty, why, held.blocks)
        prompt = [block for block in self._blocks if block.is_prompt]
        own = [block for block in self._blocks if not block.is_prompt]
        self._blocks = [*prompt, *held.blocks, *own]

    def _expire(self) -> None:
        """Hide the system's messages that are for one turn only."""
        rows = self._request.get("messages")
        last = max(
            (b.message for b in self._own if b.role == "user" and b.type != "tool_result"),
            default=-1,
        )
        due = {
            at
            for at, row in _listed(rows)
            if isinstance(row, Mapping) and row.get("clear_at") == "next_user_message" and at < last
        }
        blocks = [block for block in self._own if block.message in due]
        if blocks:
            self._hide("EXPIRE", "likely", "a later user message ends clear_at", blocks)

    def _ignore_before(self) -> None:
        """Hide what is before the newest compaction."""
        listed = [block for block in self._blocks if not block.is_prompt]
        at = max((at for at, block in enumerate(listed) if block.is_summary), default=None)
        if not at:
            return
        newest, old = listed[at], listed[:at]
        if newest.role != "item":
            why = "all before a compaction block is ignored"
            self._hide("IGNORE_BEFORE", "proven", why, old)
            return
        by_endpoint = self._reader.made_by_endpoint(newest)
        if by_endpoint is None:
            why = "the origin of a compaction item is unknown, and so is what is ignored before it"
            self._edit("IGNORE_BEFORE", "unknown", why)
            return
        if by_endpoint:
            old = [block for block in old if block.role != "user"]
        why = "the latest compaction item carries the context; which items it hides is not reported"
        if old:
            self._hide("IGNORE_BEFORE", "likely", why, old)
        else:
            self._say("likely", why)

    def _drop_thinking(self) -> None:
        """Hide thinking that is bound to another model or prefix."""
        reported = self._response.get("input_transformations")
        if self._exchange.kind == "responses":
            self._drop_reasoning(reported)
            return
        thoughts = [block for block in self._blocks if block.type in THOUGHTS]
        if not isinstance(reported, list | tuple):
            others = [one for one in thoughts if not self._reader.may_be_of(one, self._model)]
            if others:
                why = "thinking of another model may have been dropped, which is not reported"
                self._edit("DROP_THINKING", "unknown", why, others)
            return
        self._say("proven", "the answer reports which thinking was dropped")
        by_path = {block.piece.path: block for block in self._own}
        for one in _objects(reported):
            block = by_path.get(str(one.get("path")))
            match one.get("type"):
                case "thinking_dropped" if block is not None and block.type in THOUGHTS:
                    why = f"the answer reports it: {one.get('reason')}"
                    self._hide("DROP_THINKING", "proven", why, [block], reported=one)
                case "thinking_dropped":
                    why = f"the answer reports {one.get('path')}, which is no thinking here"
                    self._edit("DROP_THINKING", "unknown", why, reported=one)
                case "thinking_mismatch_allowed":
                    pass
                case other:
                    self._say("likely", f"the answer reports {other!r}, which is not known")

    def _drop_reasoning(self, reported: object) -> None:
        thoughts = [block for block in self._blocks if block.type == "reasoning"]
        if not isinstance(reported, list | tuple):
            if thoughts:
                self._say("likely", "whether reasoning of earlier turns was read is not reported")
            return
        if not thoughts and not reported:
            return
        self._say("proven", "the answer reports which reasoning was removed")
        by_id = {block.id: block for block in thoughts}
        gone = []
        for one in _objects(reported):
            block = by_id.get(str(one.get("id")))
            if one.get("action", "removed") != "removed":
                self._say("likely", f"the answer reports {one.get('action')!r}, which is not known")
            elif block is None:
                why = f"the answer reports {one.get('id')}, which is not in the request"
                self._edit("DROP_THINKING", "unknown", why, reported=one)
            else:
                gone.append(block)
        if gone:
            self._hide("DROP_THINKING", "proven", "the answer reports them as removed", gone)

    def _turns(self) -> dict[SentPiece, int]:
        """Return the turn of each block: a turn ends with a user message that is no results."""
        results = {b.message for b in self._own if b.type == "tool_result"}
        found, turn, last = {}, 0, object()
        for block in self._blocks:
            is_new = (block.piece.record, block.message) != last
            last = (block.piece.record, block.message)
            is_carried_result = block.type == "tool_result"
            if block.role == "user" and is_new and not is_carried_result:
                turn += block.message not in results or block.piece.record != self._record
            found[block.piece] = turn
        return found

    def _clear_thinking(self) -> None:
        if self._exchange.kind != "messages":
            return
        turns = self._turns()
        thoughts = [block for block in self._blocks if block.type in THOUGHTS]
        asked, applied = self._asked_of(CLEAR_THINKING), self._applied_of(CLEAR_THINKING)
        with_thoughts = [turns[block.piece] for block in thoughts]
        if applied is not None:
            count = applied.get("cleared_thinking_turns")
            old = sorted(set(with_thoughts))
            if not isinstance(count, int) or not 0 <= count <= len(old):
                why = f"{count} cleared turns are reported, but {len(old)} have thinking"
                self._edit("CLEAR_THINKING", "unknown", why, reported=applied)
                return
            why = f"the answer reports {count} cleared turns, which are the oldest with thinking"
            blocks = [one for one in thoughts if turns[one.piece] in old[:count]]
            self._hide("CLEAR_THINKING", "proven", why, blocks, reported=applied)
            return
        if not thoughts or (asked is not None and self._applied is not None):
            return
        keep = thinking_kept_by(asked or {}, self._model)
        if keep is None:
            why = "whether this model reads the thinking of earlier turns is not known"
            if len(set(with_thoughts)) > 1:
                self._edit("CLEAR_THINKING", "unknown", why)
            return
        gone = set(turns_to_clear(with_thoughts, keep))
        blocks = [one for one in thoughts if turns[one.piece] in gone]
        if asked is None and blocks:
            why = "this model reads the thinking of the last turn only, unless asked otherwise"
            self._hide("CLEAR_THINKING", "likely", why, blocks)
        elif asked is not None and blocks:
            why = "clearing of thinking was asked for, but the answer does not report it"
            self._edit("CLEAR_THINKING", "unknown", why)
        elif asked is not None and keep != "all":
            self._say("likely", "no thinking is old enough to be cleared, but that is not reported")

    def _clear_results(self) -> None:
        asked, applied = self._asked_of(CLEAR_TOOL_USES), self._applied_of(CLEAR_TOOL_USES)
        if self._applied is not None:
            what = "what" if self._applied else "that nothing"
            self._say("proven", f"the answer reports {what} was cleared")
        results = {b.id: b for b in self._blocks if b.type == "tool_result"}
        uses = [block for block in self._blocks if block.type == "tool_use"]
        named = [ToolUse(str(use.data.get("name")), use.id in results) for use in uses]
        rule = ToolClearing.of(asked or {})
        if applied is None:
            if asked is not None and self._applied is None:
                self._unreported(rule, named)
        else:
            self._reported_clearing(rule, named, uses, results, applied)
        read, original = self._counts()
        if asked is not None and original is not None and read is not None:
            self._reader.note_count(self._own, original)

    def _unreported(self, rule: ToolClearing, uses: list[ToolUse]) -> None:
        if not rule.candidates(uses):
            return
        if rule.could_clear(uses):
            why = "clearing of results was asked for, but the answer does not report it"
            self._edit("CLEAR_RESULTS", "unknown", why)
        else:
            self._say("likely", "no result is old enough to be cleared, but that is not reported")

    def _reported_clearing(
        self,
        rule: ToolClearing,
        named: list[ToolUse],
        uses: list[Block],
        results: Mapping[str, Block],
        applied: Mapping[str, Any],
    ) -> None:
        count, candidates = applied.get("cleared_tool_uses"), rule.candidates(named)
        replayed = {"cleared_tool_uses": len(rule.cleared(named))}
        if not isinstance(count, int) or not 0 <= count <= len(candidates):
            why = f"{count} cleared uses are reported, but {len(candidates)} could be cleared"
            self._edit("CLEAR_RESULTS", "unknown", why, reported=applied, replayed=replayed)
            return
        if not count:
            return
        gone = [uses[at] for at in candidates[:count]]
        blocks = [results[use.id] for use in gone]
        certainty: SeenCertainty = "proven"
        why = f"{count} cleared uses are reported: only the oldest {count} with a result fit"
        if replayed["cleared_tool_uses"] != count:
            why += f"; by keep it would be {replayed['cleared_tool_uses']}"
        if any(block.type == "server_tool_use" for block in self._blocks):
            certainty, why = "likely", f"{why}; uses of server tools may count too"
        size = self._reader.size_of(one.id for one in blocks)
        cleared = applied.get("cleared_input_tokens")
        if size is not None and isinstance(cleared, int) and size < cleared:
            certainty = "likely"
            why = f"{why}; but they had {size:,} tokens at most, and {cleared:,} were cleared"
        instead = {block.piece.path: PLACEHOLDER for block in blocks}
        self._edit(
            *("CLEAR_RESULTS", certainty, why, blocks),
            instead=instead,
            reported=applied,
            replayed=replayed,
        )
        self._shown |= {block.piece: "cleared" for block in blocks}
        inputs = [use for use in gone if rule.clears_inputs_of(str(use.data.get("name")))]
        if inputs:
            why = "clear_tool_inputs was asked for; which inputs went is not reported"
            self._edit("CLEAR_INPUTS", "likely", why, inputs)
            self._shown |= {block.piece: "input cleared" for block in inputs}

    def _unknown_edits(self) -> None:
        known = (CLEAR_TOOL_USES, CLEAR_THINKING, COMPACT)
        for one in self._applied or ():
            if one.get("type") not in known:
                self._say("unknown", f"the answer reports {one.get('type')!r}, which is not known")
        if self._applied is None:
            for one in self._asked:
                if one.get("type") not in known:
                    self._say("unknown", f"{one.get('type')!r} was asked for, which is not known")

    def _compact(self) -> None:
        """Hide what a compaction in the answer closed."""
        made = [block for block in self._answer if block.is_summary]
        asked = self._asked_of(COMPACT)
        if made:
            newest = made[-1]
            old = [block for block in self._blocks if not block.is_prompt]
            is_item = newest.role == "item"
            why = "the answer was made from the summary at its beginning"
            if is_item:
                why += "; whether anything else stayed is not documented"
            self._hide("COMPACT", "likely" if is_item else "proven", why, old)
            self._blocks.append(newest)
        elif asked is not None and self._applied is None:
            read = _input_tokens(self._response)
            if read is None or read > compaction_trigger(asked):
                self._say("unknown", "a compaction was asked for, and nothing is reported of it")
            else:
                why = "less was read than a compaction needs, but that is not reported"
                self._say("likely", why)

    def _truncate(self) -> None:
        if self._request.get("truncation") != "auto" or self._exchange.kind != "responses":
            return
        read = _input_tokens(self._response)
        if read is None:
            why = "items may have been left out, and nothing is counted"
            self._edit("TRUNCATE", "unknown", why)
            return
        most = max(self._reader.note_count(self._own, read), default=0)
        if read < most:
            why = (
                f"at least {most - read:,} tokens were left out: an earlier request that this one "
                f"contains had {most:,}; which items went is not reported"
            )
            self._edit("TRUNCATE", "unknown", why)
        else:
            self._say("likely", "the count is as large as it must be, so nothing was left out")


COMPACTION = "compaction"


def _input_tokens(answer: Mapping[str, Any]) -> int | None:
    """Return how many tokens a provider read; the last pass counts where it made several."""
    usage = answer.get("usage")
    if not isinstance(usage, Mapping):
        return None
    passes = _objects(usage.get("iterations"))
    answering = [one for one in passes if one.get("type") == "message"]
    counted = (answering or passes or [usage])[-1]
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    figures = [counted.get(name, 0) for name in names]
    if not isinstance(figures[0], int) or "input_tokens" not in counted:
        return None
    return sum(one for one in figures if isinstance(one, int))
