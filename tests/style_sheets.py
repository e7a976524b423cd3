"""What style sheets say is found out once in a process, not once for every app that a test starts.

Applying styles takes a third of the time of a test of the app. Parsing depends on the text, where
it is from and the colours; which rules a node gets depends on the rules and on the types, ids,
classes and pseudo-classes of the node and of what it is in.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from textual.css.model import RuleSet
from textual.css.styles import RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

_parse = Stylesheet._parse_rules
_apply = Stylesheet.apply
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}


class _Candidates(NamedTuple):
    """What the rules for nodes of the same names depend on, and what they came to before."""

    pseudo_classes: list[str]
    depend_on_siblings: bool
    flags: dict[str, bool]
    outcomes: dict[tuple[Any, ...], RulesMap]


class _Outcome(dict[Any, RulesMap]):
    """Takes what Textual would keep for the next node of an update."""


_applied: WeakKeyDictionary[DOMNode, RulesMap] = WeakKeyDictionary()
_same: dict[frozenset[tuple[str, int]], RulesMap] = {}
_candidates: dict[tuple[int, ...], dict[frozenset[str], _Candidates]] = {}


def _parse_once(self: Stylesheet, *source: Any, **options: Any) -> list[RuleSet]:
    key = (*source, *options.items(), *self._variables.items())
    if key not in _parsed:
        _parsed[key] = _parse(self, *source, **options)
    return _parsed[key]


def _apply_once(
    self: Stylesheet, node: DOMNode, *, animate: bool = False, cache: Any = None
) -> None:
    found = _candidates_of(self, frozenset(node._selector_names))
    if found.depend_on_siblings:
        _applied.pop(node, None)
        _apply(self, node, animate=animate, cache=cache)
        return
    key = tuple(
        (
            type(one),
            one._id,
            frozenset(one._classes),
            *[one.has_pseudo_class(name) for name in found.pseudo_classes],
        )
        for one in node.css_path_nodes
    )
    rules = found.outcomes.get(key)
    if rules is None:
        outcome = _Outcome()
        _apply(self, node, animate=animate, cache=outcome)
        made = next(iter(outcome.values()), RulesMap())
        rules = _same.setdefault(frozenset((name, id(value)) for name, value in made.items()), made)
        found.outcomes[key] = rules
    else:
        vars(node).update(found.flags)
        if _applied.get(node) is not rules:
            self.replace_rules(node, rules, animate=animate)
        elif rules:
            node.notify_style_update()
        self._process_component_classes(node)
    _applied[node] = rules


def _candidates_of(sheet: Stylesheet, names: frozenset[str]) -> _Candidates:
    rules = sheet.rules
    known = vars(sheet).get("_known_candidates")
    if known is None or known[0] is not rules:
        known = rules, _candidates.setdefault(tuple(map(id, rules)), {})
        vars(sheet)["_known_candidates"] = known
    by_names: dict[frozenset[str], _Candidates] = known[1]
    if names not in by_names:
        pseudo: set[str] = set()
        for rule in rules:
            if not names.isdisjoint(rule.selector_names):
                pseudo |= rule.pseudo_classes
        order = {"first-of-type", "last-of-type", "first-child", "last-child", "empty"}
        flags = {
            "_has_hover_style": "hover" in pseudo,
            "_has_focus_within": "focus-within" in pseudo,
            "_has_order_style": not pseudo.isdisjoint(order),
            "_has_odd_or_even": not pseudo.isdisjoint({"odd", "even"}),
        }
        by_siblings = not pseudo.isdisjoint(Stylesheet._EXCLUDE_PSEUDO_CLASSES_FROM_CACHE)
        by_names[names] = _Candidates(sorted(pseudo), by_siblings, flags, {})
    return by_names[names]


Stylesheet._parse_rules = _parse_once  # type: ignore[method-assign]
Stylesheet.apply = _apply_once  # type: ignore[method-assign]
