"""The steps of a script: an operation or a list of them, a question, or an expectation."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

from pydantic import model_validator

from core.conversation.conversation import Conversation
from core.errors import Refused, key_name, not_a, shown
from core.queries.blame import Blame
from core.values.frozen import freeze, thaw
from core.values.models import Flag, Model, checked, one_of, public_fields, to_camel

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

Anything = Annotated[Any, checked(lambda value, field: thaw(freeze(value, field)))]


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


class Expectation(Model):
    """What must hold at this point; all that is given must."""

    title: ClassVar[str] = "expect"
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

    @model_validator(mode="after")
    def _given(self) -> Self:
        if not self.model_fields_set:
            names = ", ".join(map(to_camel, public_fields(type(self))))
            raise Refused(f"expect holds nothing; give at least one of {names}", field="expect")
        return self

    def misses(self, conversation: Conversation) -> list[str]:
        """Return a sentence for each expectation that does not hold."""
        return [
            sentence
            for name in Expectation.model_fields
            if name in self.model_fields_set
            and (sentence := self._miss(conversation, name, getattr(self, name)))
        ]

    def _miss(self, conversation: Conversation, name: str, wanted: Any) -> str | None:
        if name == "tokens_at_most":
            total = conversation.tokens.total
            is_number = isinstance(wanted, int) and not isinstance(wanted, bool)
            fine = is_number and total <= wanted
            return None if fine else f"tokens are {total}, not at most {shown(wanted)}"
        found = self._found(conversation, name)
        if name == "lint" and isinstance(wanted, list):
            rules = {rule for rule in wanted if isinstance(rule, str)}
            wanted = sorted(rules) if len(rules) == len(wanted) else wanted
            found = found if isinstance(found, list) else []
        # Through JSON, because true is 1 and 1.0 is 1 for Python, but not for whoever reads this.
        if json.dumps(found, sort_keys=True) == json.dumps(wanted, sort_keys=True):
            return None
        return f"{to_camel(name)} is {_brief(found)}, not {_brief(wanted)}"

    def _found(self, conversation: Conversation, name: str) -> Any:
        match name:
            case "visible":
                return list(conversation.view)
            case "texts":
                return [message.text for message in conversation.visible]
            case "hidden":
                return conversation.query.hidden()
            case "raw_count":
                return len(conversation.log)
            case "batch":
                return conversation.batch.number
            case "boundaries":
                return [batch.boundary for batch in conversation.path]
            case "tokens":
                return conversation.tokens.total
            case "marks":
                return conversation.marks
            case _:
                errors = {f.rule for f in conversation.lint() if f.severity == "error"}
                return sorted(errors) or "clean"


def _brief(value: Any) -> str:
    """Return a value as it may stand in a sentence; short lists in full."""
    if isinstance(value, list):
        items = ", ".join(shown(item) for item in value[:BRIEF])
        more = f", … ({len(value)} in all)" if len(value) > BRIEF else ""
        return f"[{items}{more}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{shown(k)}: {_brief(v)}" for k, v in value.items()) + "}"
    return shown(value)


BRIEF = 20


class Step(NamedTuple):
    """One step, read: exactly one of ``ask``, ``question`` and ``expectation`` is given.

    ``refused`` is False, True, or a part of the sentence the step must be refused with.
    """

    kind: Literal["operation", "query", "expect"]
    ask: Any
    question: Question | None
    expectation: Expectation | None
    refused: bool | str


def read_step(data: object) -> Step:
    """Return a step from JSON data; an operation is judged only when it is taken."""
    if isinstance(data, list):
        return Step("operation", data, None, None, False)
    if not isinstance(data, Mapping):
        raise not_a("step", data, "an operation, a list of them, a query or an expect")
    fields = dict(data)
    refused = fields.pop("refused", False)
    if not isinstance(refused, bool | str):
        raise not_a("refused", refused, "true, false or a part of the sentence")
    for kind in ("query", "expect", "list"):
        if kind in fields and "operation" not in fields:
            inner = fields.pop(kind)
            if fields:
                extra = next(iter(fields))
                raise Refused(
                    f"{shown(extra)} stands beside {kind}; only refused may",
                    field=key_name(extra),
                    value=fields[extra],
                )
            return _read_kind(kind, inner, refused)
    return Step("operation", fields, None, None, refused)


def _read_kind(kind: str, inner: object, refused: bool | str) -> Step:
    if kind == "list":
        if not isinstance(inner, list):
            raise not_a("list", inner, "a list of operations")
        return Step("operation", inner, None, None, refused)
    if kind == "query":
        return Step("query", None, Question.from_dict(inner), None, refused)  # type: ignore[arg-type]
    return Step("expect", None, None, Expectation.from_dict(inner), refused)  # type: ignore[arg-type]
