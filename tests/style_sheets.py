"""What style sheets say is found out once in a process, not once for every app that a test starts.

Applying styles takes a third of the time of a test of the app. Parsing depends on the text, where
it is from and the colours; which rules a node gets depends on the rules and on the types, ids,
classes and pseudo-classes of the node and of what it is in.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from weakref import WeakKeyDictionary, ref

from textual.css.model import RuleSet
from textual.css.styles import RenderStyles, RulesMap
from textual.css.stylesheet import Stylesheet
from textual.dom import DOMNode

_parse = Stylesheet._parse_rules
_apply = Stylesheet.apply
_process_parts = Stylesheet._process_component_classes
_parsed: dict[tuple[Any, ...], list[RuleSet]] = {}


class _Candidates(NamedTuple):
    """What the rules for nodes of the same names depend on, and what they came to before."""

    pseudo_classes: list[str]
    depend_on_siblings: bool
    flags: dict[str, bool]
    outcomes: dict[tuple[Any, ...], RulesMap]


class _Parts(NamedTuple):
    """The same for the component classes of a type of nodes."""

    names: list[str]
    pseudo_classes: list[str]
    depend_on_siblings: bool
    outcomes: dict[tuple[Any, ...], list[RulesMap]]


class _Known(NamedTuple):
    """What was found out about one list of rules."""

    by_names: dict[frozenset[str], _Candidates]
    by_type: dict[type[DOMNode], _Parts]


class _PartStyles(dict[str, RenderStyles]):
    """The styles of component classes, each made when it is first asked for: few are."""

    def __init__(self, node: DOMNode, rules: dict[str, RulesMap]) -> None:
        super().__init__()
        self._node = ref(node)
        self._rules = rules

    def __contains__(self, name: object) -> bool:
        return name in self._rules or super().__contains__(name)

    def __missing__(self, name: str) -> RenderStyles:
        node, part = self._node(), DOMNode(classes=name)
        assert node is not None
        part._attach(node)
        Stylesheet.replace_rules(part, self._rules[name])
        self[name] = part.styles
        return part.styles

    def clear(self) -> None:
        super().clear()
        self._rules = {}


class _Outcome(dict[Any, RulesMap]):
    """Takes what Textual would keep for the next node of an update."""


_applied: WeakKeyDictionary[DOMNode, RulesMap] = WeakKeyDictionary()
_parts_applied: WeakKeyDictionary[DOMNode, list[RulesMap]] = WeakKeyDictionary()
_same: dict[frozenset[tuple[str, int]], RulesMap] = {}
_known: dict[tuple[int, ...], _Known] = {}


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
    key = _path_key(node, found.pseudo_classes)
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


def _process_parts_once(self: Stylesheet, node: DOMNode) -> None:
    parts = _parts_of(self, type(node))
    if not parts.names:
        return
    if parts.depend_on_siblings:
        _process_parts(self, node)
        return
    key = _path_key(node, parts.pseudo_classes)
    before, rules = _parts_applied.get(node), parts.outcomes.get(key)
    if rules is None:
        _process_parts(self, node)
        made = [node._component_styles[name].node for name in parts.names]
        rules = parts.outcomes[key] = [_applied[one] for one in made if one is not None]
    elif before is not rules:
        node._component_styles = _PartStyles(node, dict(zip(parts.names, rules, strict=True)))
        if before != rules:
            node.refresh()
    _parts_applied[node] = rules


def _path_key(node: DOMNode, pseudo_classes: list[str]) -> tuple[Any, ...]:
    return tuple(
        (
            type(one),
            one._id,
            frozenset(one._classes),
            *[one.has_pseudo_class(name) for name in pseudo_classes],
        )
        for one in node.css_path_nodes
    )


def _parts_of(sheet: Stylesheet, kind: type[DOMNode]) -> _Parts:
    by_type = _known_of(sheet).by_type
    if kind not in by_type:
        names = sorted(kind._get_component_classes())
        nodes = [DOMNode(classes=name) for name in names]
        found = [_candidates_of(sheet, frozenset(one._selector_names)) for one in nodes]
        pseudo = sorted({name for one in found for name in one.pseudo_classes})
        by_siblings = any(one.depend_on_siblings for one in found)
        by_type[kind] = _Parts(names, pseudo, by_siblings, {})
    return by_type[kind]


def _known_of(sheet: Stylesheet) -> _Known:
    rules = sheet.rules
    known: tuple[list[RuleSet], _Known] | None = vars(sheet).get("_known_rules")
    if known is None or known[0] is not rules:
        known = rules, _known.setdefault(tuple(map(id, rules)), _Known({}, {}))
        vars(sheet)["_known_rules"] = known
    return known[1]


def _candidates_of(sheet: Stylesheet, names: frozenset[str]) -> _Candidates:
    rules = sheet.rules
    by_names = _known_of(sheet).by_names
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
Stylesheet._process_component_classes = _process_parts_once  # type: ignore[method-assign]
