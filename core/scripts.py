"""Scripts: a conversation to start with and the steps to take, as one JSON object.

A step is an operation, a policy, a query, or what is expected at that point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, Self

from pydantic import model_validator

from .conversation.conversation import Clock, Conversation, TokenChange
from .engine.dialects import read_operation
from .engine.journal import Create
from .engine.messages import METADATA_HINT, Message, read_messages
from .engine.meta_fields import SCRIPT
from .engine.queries import Blame
from .engine.revisions import Batch
from .engine.settings import Settings
from .engine.views import View, shared_start
from .errors import Refused, format_value, key_name, refusals_at, unknown_key, wrong_type
from .policies import Policy
from .values.frozen import FrozenDict, freeze, freeze_object, same_json, thaw
from .values.models import (
    Checked,
    Count,
    Flag,
    Labels,
    Model,
    nested,
    one_of,
    public_fields,
    read_count,
    read_each,
    read_indices,
    to_camel,
)
from .values.times import milliseconds

Anything = Annotated[Any, Checked(lambda value, field: thaw(freeze(value, field)))]
"""Any JSON value; it is judged when it is compared."""
BRIEF = 20


def read_raws(value: object, field: str) -> tuple[int, ...]:
    """Return a list of raw indices, which may be empty."""
    return () if value in ([], ()) else read_indices(value, field)


RawIndices = Annotated[tuple[int, ...], Checked(read_raws)]


class ScriptExpectation(Model):
    """What must hold at this point; all that is given must."""

    title = "expect"
    visible: Anything = None
    texts: Anything = None
    hidden: Anything = None
    raw_count: Anything = None
    batch: Anything = None
    boundaries: Anything = None
    tokens: Anything = None
    tokens_at_most: Anything = None
    marks: Anything = None
    lint: Anything = None
    contains: RawIndices | None = None
    lacks: RawIndices | None = None
    marks_visible: Labels | None = None
    prefix_at_least: Count | None = None

    @model_validator(mode="after")
    def _given(self) -> Self:
        if not self.model_fields_set:
            names = ", ".join(map(to_camel, public_fields(type(self))))
            raise Refused(f"expect holds nothing; give at least one of {names}", "expect")
        return self

    def misses(self, conversation: Conversation, before: View) -> list[str]:
        """Return a sentence for each expectation that does not hold.

        ``before`` is what was visible before the last step that may have changed something.
        """
        return [
            sentence
            for name in ScriptExpectation.model_fields
            if name in self.model_fields_set
            and (sentence := self._miss(conversation, before, name, getattr(self, name)))
        ]

    def _miss(self, conversation: Conversation, before: View, name: str, wanted: Any) -> str | None:
        match name:
            case "tokens_at_most":
                total = conversation.tokens.total
                fine = _is_number(wanted) and total <= wanted
                return None if fine else f"tokens are {total}, not at most {format_value(wanted)}"
            case "prefix_at_least":
                kept = _prefix_tokens(conversation, before)
                if kept >= wanted:
                    return None
                return f"the common prefix has {kept} tokens, not {format_value(wanted)}"
            case "contains" | "lacks":
                return _miss_visible(conversation, wanted, name)
            case "marks_visible":
                return _miss_marks(conversation, wanted)
            case _:
                return self._miss_equal(conversation, name, wanted)

    def _miss_equal(self, conversation: Conversation, name: str, wanted: Any) -> str | None:
        found = FOUND[name](conversation)
        if name == "lint" and isinstance(wanted, list):
            rules = {rule for rule in wanted if isinstance(rule, str)}
            wanted = sorted(rules) if len(rules) == len(wanted) else wanted
            found = found if isinstance(found, list) else []
        if same_json(found, wanted):
            return None
        return f"{to_camel(name)} is {brief(found)}, not {brief(wanted)}"


FOUND: dict[str, Callable[[Conversation], Any]] = {
    "visible": lambda conversation: list(conversation.view),
    "texts": lambda conversation: [message.text for message in conversation.visible],
    "hidden": lambda conversation: conversation.query.hidden(),
    "raw_count": lambda conversation: len(conversation.log),
    "batch": lambda conversation: conversation.batch.number,
    "boundaries": lambda conversation: [batch.boundary for batch in conversation.path],
    "tokens": lambda conversation: conversation.tokens.total,
    "marks": lambda conversation: conversation.marks,
    "lint": lambda conversation: (
        sorted({one.rule for one in conversation.lint() if one.severity == "error"}) or "clean"
    ),
}
"""What is compared with an expected value."""


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _prefix_tokens(conversation: Conversation, before: View) -> int:
    """Return the tokens at the start that are the same as before, by raw index."""
    view = conversation.view
    state = conversation.moment
    return state.log.total(view[: shared_start(view, before)], state.counter)


def _miss_visible(conversation: Conversation, wanted: Sequence[int], name: str) -> str | None:
    """Return which raw indices are hidden, or visible, against what is expected."""
    view = conversation.view
    bad = [raw for raw in wanted if (raw in view) != (name == "contains")]
    what = "not visible" if name == "contains" else "visible"
    return f"{brief(bad)} {'is' if len(bad) == 1 else 'are'} {what}" if bad else None


def _miss_marks(conversation: Conversation, wanted: Sequence[str]) -> str | None:
    """Return the labels of which a message is hidden, or that nothing carries."""
    marks, view = conversation.marks, conversation.view
    unknown = [label for label in wanted if label not in marks]
    if unknown:
        return f"no message is marked {', '.join(map(format_value, unknown))}"
    hidden = {label: [raw for raw in marks[label] if raw not in view] for label in wanted}
    found = [f"{format_value(label)} {brief(raws)}" for label, raws in hidden.items() if raws]
    return f"not visible, though marked: {', '.join(found)}" if found else None


def brief(value: Any) -> str:
    """Return a value for use in a sentence; short lists in full."""
    if isinstance(value, list):
        items = ", ".join(format_value(item) for item in value[:BRIEF])
        more = f", … ({len(value)} in all)" if len(value) > BRIEF else ""
        return f"[{items}{more}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{format_value(k)}: {brief(v)}" for k, v in value.items()) + "}"
    return format_value(value)


LIMITS = ("roles", "scope")
KINDS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "all": ((), LIMITS),
    "recent": (("k",), LIMITS),
    "range": (("start", "end"), LIMITS),
    "count": ((), LIMITS),
    "between": ((), ("start", "end", *LIMITS)),
    "marked": (("label",), LIMITS),
    "search": (("text",), ("regex", "case_sensitive", *LIMITS)),
    "hidden": ((), ("roles",)),
    "to_raw": (("position",), ()),
    "to_visible": (("index",), ()),
    "blame": (("index",), ()),
}
"""The questions a script can ask: what each needs, and what it takes in addition."""


class ScriptQuery(Model):
    """A question about the conversation; its values are judged when it is asked."""

    title = "query"
    kind: Annotated[str, one_of(*KINDS)]
    k: Anything = None
    start: Anything = None
    end: Anything = None
    label: Anything = None
    text: Anything = None
    regex: Flag = False
    case_sensitive: Flag = False
    position: Anything = None
    index: Anything = None
    roles: Anything = None
    scope: Anything = None

    @model_validator(mode="after")
    def _fits(self) -> Self:
        needed, more = KINDS[self.kind]
        given, what = self.model_fields_set - {"kind"}, f"a query of kind {self.kind}"
        legal = (*needed, *more)
        for name in given.difference(legal):
            raise unknown_key(to_camel(name), getattr(self, name), what, map(to_camel, legal))
        for name in needed:
            if name not in given:
                raise Refused(f"{what} has no {name}", name)
        return self

    def ask(self, conversation: Conversation) -> Any:
        given = {
            name: getattr(self, name)
            for name in self.model_fields_set - {"kind"}
            if getattr(self, name) is not None or name in KINDS[self.kind][0]
        }
        if self.kind == "blame":
            blamed: Blame | None = conversation.blame(**given)
            return blamed and blamed.to_dict()
        if self.kind == "to_visible":
            return conversation.query.to_visible(given["index"])
        return getattr(conversation.query, self.kind)(**given)


NOTHING = object()
"""In place of an answer where none is expected; null is an answer too."""

MAY_FOLLOW = {"query": "expect and refused", "policy": "call and refused"}
"""What may be given next to a step of some kind; next to all others only ``refused``."""

Kind = Literal["operation", "policy", "query", "expect"]


class ScriptStep(NamedTuple):
    """One step, read: exactly one of ``ask``, ``policy``, ``question``, ``expectation`` is given.

    ``answer`` is what a question must give, if anything is expected of it; ``call`` the number of
    the call that a policy is run before, if given; ``refused`` is False, True, or a part
    of the sentence the step must be refused with.
    """

    kind: Kind
    ask: Any = None
    policy: Policy | None = None
    question: ScriptQuery | None = None
    expectation: ScriptExpectation | None = None
    answer: Any = NOTHING
    call: int | None = None
    refused: bool | str = False


def read_step(data: object) -> ScriptStep:
    """Return a step from a step or JSON data; an operation is checked only when it is applied."""
    if isinstance(data, ScriptStep):
        return data
    if isinstance(data, list):
        return ScriptStep("operation", data)
    if not isinstance(data, Mapping):
        raise wrong_type(
            "step", data, "an operation, a list of them, a policy, a query or an expect"
        )
    fields = dict(data)
    refused = fields.pop("refused", False)
    if not isinstance(refused, bool | str):
        raise wrong_type("refused", refused, "true, false or a part of the sentence")
    for kind in ("query", "policy", "expect", "list"):
        if kind in fields and "operation" not in fields:
            inner = fields.pop(kind)
            answer = fields.pop("expect", NOTHING) if kind == "query" else NOTHING
            call = fields.pop("call", None) if kind == "policy" else None
            if fields:
                extra, others = next(iter(fields)), MAY_FOLLOW.get(kind, "refused")
                raise Refused(
                    f"{format_value(extra)} is given next to {kind}; only {others} may be",
                    field=key_name(extra),
                    value=fields[extra],
                )
            number = None if call is None else read_count(call, "call")
            step = _read_kind(kind, inner)
            return step._replace(answer=answer, call=number, refused=refused)
    return ScriptStep("operation", fields, refused=refused)


def _read_kind(kind: str, inner: Any) -> ScriptStep:
    match kind:
        case "list":
            if not isinstance(inner, list):
                raise wrong_type("list", inner, "a list of operations")
            return ScriptStep("operation", inner)
        case "policy":
            if isinstance(inner, str):
                raise wrong_type(
                    "policy", inner, "a policy; a file is looked for where a script is one"
                )
            with refusals_at("policy"):
                return ScriptStep("policy", policy=Policy.from_dict(inner))
        case "query":
            return ScriptStep("query", question=ScriptQuery.from_dict(inner))
        case _:
            return ScriptStep("expect", expectation=ScriptExpectation.from_dict(inner))


CHANGING = ("operation", "policy")
ANSWERING = ("query", "policy")
"""The kinds of steps that may change something, and those that give an answer."""


@dataclass(frozen=True, slots=True)
class StepReport:
    """The outcome of one step, and the conversation's state after it.

    ``error`` is the sentence of a step that failed; ``refusal`` that of one that was refused as
    expected. ``answer`` is what a query found, or what a policy did.
    """

    index: int
    kind: str
    given: Any
    ok: bool
    error: str | None
    refusal: str | None
    answer: Any
    batch: Batch
    created_batch: bool
    visible: list[int]
    stats: dict[str, int]
    tokens: TokenChange
    notices: list[dict[str, Any]]

    def to_dict(self) -> dict[str, Any]:
        return {
            "index": self.index,
            "ok": self.ok,
            "error": self.error,
            **({} if self.refusal is None else {"refusal": self.refusal}),
            self.kind: self.given,
            **({"result": self.answer} if self.kind in ANSWERING else {}),
            "batch": self.batch.place(),
            "createdBatch": self.created_batch,
            "visible": self.visible,
            "stats": self.stats,
            "tokens": self.tokens.to_dict(),
            "notices": self.notices,
        }


def run_steps(
    conversation: Conversation, steps: tuple[ScriptStep, ...], *, keep_going: bool = False
) -> Iterator[StepReport]:
    """Take the steps one by one; stop after the first that fails, unless asked to continue."""
    before = conversation.view
    for index, step in enumerate(steps):
        now = conversation.view
        report = _take(conversation, index, step, before)
        if step.kind in CHANGING and report.ok:
            before = now
        yield report
        if not report.ok and not keep_going:
            return


def _take(conversation: Conversation, index: int, step: ScriptStep, last: View) -> StepReport:
    before = conversation.tokens.total
    counter = conversation.settings.counter
    batches = len(conversation.batches)
    error = refusal = answer = result = miss = None
    given = _given(step)
    try:
        if step.kind == "operation":
            result = conversation.execute(step.ask)
        elif step.policy is not None:
            done = step.policy.before_call(conversation, step.call)
            answer = {"acted": done.acted, "refused": [one.to_dict() for one in done.refused]}
            error = "; ".join(f"stage {one.stage}: {one.reason}" for one in done.refused) or None
        elif step.question is not None:
            answer = step.question.ask(conversation)
            if step.answer is not NOTHING and not same_json(answer, step.answer):
                miss = f"the answer is {brief(answer)}, not {brief(step.answer)}"
        elif step.expectation is not None:
            miss = "; ".join(step.expectation.misses(conversation, last)) or None
    except Refused as refused:
        error = str(refused.with_hint(METADATA_HINT))
    if step.refused is not False:
        # An expectation that does not hold is a failure, not a refusal.
        error, refusal = _judged(step.refused, error)
    error = error or miss
    now = conversation.tokens
    # Figures of two counters are never put side by side.
    tokens = (
        result.tokens
        if result is not None
        else TokenChange(before if counter == now.counter else now.total, now.total, now.counter)
    )
    return StepReport(
        index,
        step.kind,
        given,
        error is None,
        error,
        refusal,
        answer,
        conversation.batch,
        len(conversation.batches) > batches,
        list(conversation.view),
        conversation.stats().to_dict(),
        tokens,
        [notice.to_dict() for notice in result.notices] if result is not None else [],
    )


def _judged(wanted: bool | str, error: str | None) -> tuple[str | None, str | None]:
    """Return the error and the refusal of a step that had to be refused."""
    if error is None:
        return "it was accepted, and should have been refused", None
    if isinstance(wanted, str) and wanted not in error:
        return f"it was refused with another sentence than {wanted!r}: {error}", None
    return None, error


def _given(step: ScriptStep) -> Any:
    """Return the step as JSON-ready data, operations in the flat form if they can be read."""
    if step.question is not None:
        return step.question.to_dict()
    if step.expectation is not None:
        return step.expectation.to_dict()
    if step.policy is not None:
        return step.policy.to_dict()
    if isinstance(step.ask, list):
        return [_flat(one) for one in step.ask]
    return _flat(step.ask)


def _flat(ask: Any) -> Any:
    """Return an operation as JSON-ready data; what can't be read as it was given, or in words."""
    try:
        return read_operation(ask).to_dict()
    except Refused:
        pass
    try:
        return thaw(freeze(ask, "operation"))
    except Refused:
        return format_value(ask)


def final_state(conversation: Conversation) -> dict[str, Any]:
    """Return the final state of a conversation as JSON-ready data."""
    return {
        "visible": list(conversation.view),
        "texts": [message.text for message in conversation.visible],
        "rawCount": len(conversation.log),
        "markMap": conversation.mark_map().to_dict(),
        "stats": conversation.stats().to_dict(),
        "batches": [batch_dict(conversation, batch) for batch in conversation.batches],
        "check": conversation.check(),
    }


def batch_dict(conversation: Conversation, batch: Batch) -> dict[str, Any]:
    """Return a batch with how many messages its newest revision shows."""
    return {
        **batch.place(),
        "operation": batch.operation and batch.operation.to_dict(),
        "description": batch.description,
        "visibleCount": len(conversation.newest(batch).view),
    }


def read_steps(value: object, field: str) -> tuple[ScriptStep, ...]:
    """Return the steps; an operation among them is judged only when it is taken."""
    if not isinstance(value, list | tuple):
        raise wrong_type(field, value, "a list of steps")
    return read_each(value, field, read_step)


class Script(Model):
    """Messages, settings and steps; what a context policy does, and what is expected of it."""

    title = "script"
    messages: Annotated[tuple[Message, ...], Checked(read_messages)] = ()
    settings: Annotated[Settings, nested(Settings)] = Settings()
    meta: Annotated[FrozenDict, Checked(freeze_object)] = FrozenDict()
    steps: Annotated[tuple[ScriptStep, ...], Checked(read_steps)] = ()

    def start(self, clock: Clock = milliseconds) -> Conversation:
        return Conversation(self.messages, self.settings, meta=self.meta, clock=clock)

    def take(self, conversation: Conversation, *, keep_going: bool = False) -> Iterator[StepReport]:
        return run_steps(conversation, self.steps, keep_going=keep_going)

    def run(self, clock: Clock = milliseconds) -> Conversation:
        conversation = self.start(clock)
        for report in self.take(conversation):
            if report.error is not None:
                raise Refused(f"steps[{report.index}]: {report.error}", "steps")
        return conversation


def keep_steps(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a script as JSON data whose conversation will remember its steps."""
    meta = data.get("meta") or {}
    if not isinstance(meta, Mapping):
        return dict(data)
    return {**data, "meta": {**meta, SCRIPT: data.get("steps")}}


def kept_script(conversation: Conversation) -> Script | None:
    """Return the script that a conversation was made by, if it remembers one."""
    given, create = conversation.meta.get(SCRIPT), conversation.journal[0].operations[0]
    if given is None or not isinstance(create, Create):
        return None
    start = {"messages": create.messages, "settings": create.settings}
    try:
        return Script.from_dict({**start, "steps": thaw(given)})
    except Refused:
        return None  # Another program's data under the same key.
