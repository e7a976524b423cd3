"""The steps of a script: an operation or a list of them, a policy, a question, an expectation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import model_validator

from ..conversation.conversation import Conversation
from ..errors import Refused, key_name, not_a, shown
from ..policies import Policy
from ..queries.blame import Blame
from ..values.models import Flag, Model, one_of, read_count, to_camel
from .expectations import Anything, Expectation

KINDS: dict[str, tuple[str, ...]] = {
    "all": ("roles", "scope"),
    "recent": ("k", "roles", "scope"),
    "range": ("start", "end", "roles", "scope"),
    "count": ("roles", "scope"),
    "between": ("start", "end", "roles", "scope"),
    "marked": ("label", "roles", "scope"),
    "search": ("text", "regex", "case_sensitive", "roles", "scope"),
    "hidden": ("roles",),
    "to_raw": ("position",),
    "to_visible": ("index",),
    "blame": ("index",),
}
"""The questions a script can ask, and what each takes."""

NEEDED = {
    "recent": ("k",),
    "range": ("start", "end"),
    "marked": ("label",),
    "search": ("text",),
    "to_raw": ("position",),
    "to_visible": ("index",),
    "blame": ("index",),
}


class Question(Model):
    """A question about the conversation; its values are judged when it is asked."""

    title: ClassVar[str] = "query"
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
        legal = KINDS[self.kind]
        for name in self.model_fields_set - {"kind"}:
            if name not in legal:
                names = ", ".join(map(to_camel, legal))
                raise Refused(
                    f"{to_camel(name)} is not part of a query of kind {self.kind}, "
                    f"which takes {names}",
                    field=to_camel(name),
                    value=getattr(self, name),
                    legal=names,
                )
        for name in NEEDED.get(self.kind, ()):
            if name not in self.model_fields_set:
                raise Refused(f"a query of kind {self.kind} has no {name}", field=name)
        return self

    def ask(self, conversation: Conversation) -> Any:
        """Return the answer as JSON-ready data."""
        given = {
            name: getattr(self, name)
            for name in self.model_fields_set - {"kind"}
            if getattr(self, name) is not None or name in NEEDED.get(self.kind, ())
        }
        if self.kind == "blame":
            blamed: Blame | None = conversation.blame(**given)
            return blamed and blamed.to_dict()
        if self.kind == "to_visible":
            return conversation.query.to_visible(given["index"])
        return getattr(conversation.query, self.kind)(**given)


NOTHING = object()
"""In place of an answer where none is expected; null is an answer too."""

BESIDE = {"query": "expect and refused", "policy": "call and refused"}
"""What may stand beside a step of some kind; beside all others only ``refused``."""

Kind = Literal["operation", "policy", "query", "expect"]


class Step(NamedTuple):
    """One step, read: exactly one of ``ask``, ``policy``, ``question``, ``expectation`` is given.

    ``answer`` is what a question must give, if anything is expected of it; ``call`` the number of
    the call that a policy is run before, where it is given; ``refused`` is False, True, or a part
    of the sentence the step must be refused with.
    """

    kind: Kind
    ask: Any = None
    policy: Policy | None = None
    question: Question | None = None
    expectation: Expectation | None = None
    answer: Any = NOTHING
    call: int | None = None
    refused: bool | str = False


def read_step(data: object) -> Step:
    """Return a step from JSON data; an operation is judged only when it is taken."""
    if isinstance(data, list):
        return Step("operation", data)
    if not isinstance(data, Mapping):
        raise not_a("step", data, "an operation, a list of them, a policy, a query or an expect")
    fields = dict(data)
    refused = fields.pop("refused", False)
    if not isinstance(refused, bool | str):
        raise not_a("refused", refused, "true, false or a part of the sentence")
    for kind in ("query", "policy", "expect", "list"):
        if kind in fields and "operation" not in fields:
            inner = fields.pop(kind)
            answer = fields.pop("expect", NOTHING) if kind == "query" else NOTHING
            call = fields.pop("call", None) if kind == "policy" else None
            if fields:
                extra, beside = next(iter(fields)), BESIDE.get(kind, "refused")
                raise Refused(
                    f"{shown(extra)} stands beside {kind}; only {beside} may",
                    field=key_name(extra),
                    value=fields[extra],
                )
            number = None if call is None else read_count(call, "call")
            step = _read_kind(kind, inner)
            return step._replace(answer=answer, call=number, refused=refused)
    return Step("operation", fields, refused=refused)


def _read_kind(kind: str, inner: Any) -> Step:
    match kind:
        case "list":
            if not isinstance(inner, list):
                raise not_a("list", inner, "a list of operations")
            return Step("operation", inner)
        case "policy":
            if isinstance(inner, str):
                raise not_a("policy", inner, "a policy; a file is looked for where a script is one")
            return Step("policy", policy=_read_policy(inner))
        case "query":
            return Step("query", question=Question.from_dict(inner))
        case _:
            return Step("expect", expectation=Expectation.from_dict(inner))


def _read_policy(data: Any) -> Policy:
    try:
        return Policy.from_dict(data)
    except Refused as refusal:
        raise refusal.inside("policy") from None
