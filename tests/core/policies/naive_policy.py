"""Version 2 of the policy language, read from its description alone and without any haste.

It shares nothing with ``core``: messages are lists of tuples, and every number is found anew.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

Data = dict[str, Any]
UNITS = ["messages", "tokens", "characters", "rows", "sides"]
UNITS += ["groups", "exchanges", "turns", "items", "events"]


class NotDoneError(Exception):
    """A stage that can't be done."""


class Item:
    """A message: its role, its parts as tuples, and where it comes from."""

    def __init__(self, role: str, parts: list[tuple[Any, ...]], source: Item | None = None) -> None:
        self.role, self.parts, self.source = role, parts, source
        self.made = False
        self.least = 0
        self.marks: set[str] = set()
        self.time: int | None = None

    @property
    def root(self) -> Item:
        return self if self.source is None else self.source.root

    @property
    def calls(self) -> list[tuple[Any, ...]]:
        return [p for p in self.parts if p[0] == "call"] if self.role == "assistant" else []

    @property
    def results(self) -> list[tuple[Any, ...]]:
        return [p for p in self.parts if p[0] == "result"]

    @property
    def is_result(self) -> bool:
        return bool(self.results) or self.role == "tool"

    @property
    def text(self) -> str:
        return "\n".join(p[1] for p in self.parts if p[0] == "text")

    @property
    def counted(self) -> str:
        return "\n".join(p[2] for p in self.results) if self.results else self.text

    @property
    def searched(self) -> str:
        found: list[str] = []
        for part in self.parts:
            match part:
                case ("call", _, name, given):
                    found += [name, *leaves(given)]
                case ("result", _, text, _):
                    found.append(text)
                case (_, text):
                    found.append(text)
        return "\n".join(found)


def leaves(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [leaf for one in value.values() for leaf in leaves(one)]
    if isinstance(value, list):
        return [leaf for one in value for leaf in leaves(one)]
    return [value if isinstance(value, str) else json.dumps(value)]


def item_of(message: Data) -> Item:
    """Return a message of a native file."""
    content = message["content"]
    if isinstance(content, str):
        return Item(message["role"], [("text", content)])
    parts: list[tuple[Any, ...]] = []
    for part in content:
        match part["type"]:
            case "text":
                parts.append(("text", part["text"]))
            case "thinking":
                parts.append(("thinking", part["thinking"]["text"]))
            case "tool_use":
                use = part["tool_use"]
                parts.append(("call", use["id"], use["name"], use["input"]))
            case "tool_result":
                one = part["tool_result"]
                failed = bool(one.get("is_error"))
                parts.append(("result", one["tool_use_id"], one["content"], failed))
    return Item(message["role"], parts)


class Naive:
    """A policy over messages that come one by one."""

    def __init__(self, policy: Data, limit: int | None = None, output: int | None = None) -> None:
        self.parameters = policy.get("parameters", {})
        self.selections = policy.get("selections", {})
        self.stages = policy["stages"]
        self.rounds, self.act = policy.get("rounds", 0), policy.get("act", "all")
        self.limit, self.output = limit, output
        self.log: list[Item] = []
        self.view: list[Item] = []
        self.request: list[Item] | None = None
        self.sent = self.used = 0
        self.failed = [0] * len(self.stages)
        self.fresh: list[Item] = []
        self.refused = 0
        self.lasting_marks: dict[Item, set[str]] | None = None

    def add(self, item: Item) -> None:
        self.log.append(item)
        self.view.append(item)
        self.fresh.append(item)
        if any(stage.get("on") == "message" for stage in self.stages):
            self.run("message")

    def call(self) -> list[Item]:
        """Return what is sent at a call."""
        answer = self.fresh[0] if self.fresh and self.fresh[0].role == "assistant" else None
        self.used = self.sent + (self.tokens([answer]) if answer and self.sent else 0)
        self.request = None
        self.run("call")
        found = self.now
        self.sent, self.fresh, self.request = self.tokens(found), [], None
        if self.lasting_marks is not None:
            self.put_marks(self.lasting_marks)
            self.lasting_marks = None
        return list(found)

    @property
    def now(self) -> list[Item]:
        return self.view if self.request is None else self.request

    def run(self, on: str) -> None:
        for _ in range(1 + self.rounds):
            changed = False
            for place, stage in enumerate(self.stages):
                if stage.get("on", "call") == on and self.do_stage(place, stage):
                    changed = True
                    if self.act == "first":
                        break
            if not changed:
                return

    def do_stage(self, place: int, stage: Data) -> bool:
        changed = False
        if "giveUp" in stage and self.failed[place] >= stage["giveUp"]:
            return False
        for _ in range(1 + stage.get("again", 0)):
            marks = self.marks()
            try:
                if not self.holds(stage.get("when", {}), self.now, self.now):
                    break
                if not self.do_once(place, stage):
                    break
            except NotDoneError:
                self.refused += 1
                self.put_marks(marks)
                break
            changed = True
        return changed

    def do_once(self, place: int, stage: Data) -> bool:
        before, after = self.now, self.now
        marks = self.marks()
        for operation in stage["do"]:
            after = getattr(self, operation["operation"].lower())(after, operation)
        new = {one: one.marks - marks.get(one, set()) for one in self.log}
        if after == before and not any(new.values()):
            return False
        if "ensures" in stage and not self.holds(stage["ensures"], after, before):
            self.failed[place] += 1
            self.put_marks(marks)
            return False
        if not stage.get("lasting", True):
            self.request = after
            if self.lasting_marks is None:
                self.lasting_marks = marks
        elif self.request is None:
            self.view = after
        else:
            self.view = self.originals(before, after)
            self.request = after
        if stage.get("lasting", True) and self.lasting_marks is not None:
            for one, labels in new.items():
                self.lasting_marks.setdefault(one, set()).update(labels)
        return True

    def marks(self) -> dict[Item, set[str]]:
        return {one: set(one.marks) for one in self.log}

    def put_marks(self, marks: dict[Item, set[str]]) -> None:
        for one in self.log:
            one.marks = set(marks.get(one, set()))

    def originals(self, before: list[Item], after: list[Item]) -> list[Item]:
        """Return the lasting messages after a change of the request, which has some as copies."""

        def original(one: Item) -> Item | None:
            found: Item | None = one
            while found is not None and found not in self.view:
                found = found.source
            return found

        gone = {id(original(one)) for one in before if one not in after}
        new: list[Item] = []
        at = 0
        for one in self.view:
            stays = [
                i for i, other in enumerate(after) if original(other) is one and other in before
            ]
            if stays:
                fresh = [other for other in after[at : stays[0]] if other not in before]
                new, at = [*new, *fresh, one], stays[0] + 1
            elif id(one) not in gone:
                new.append(one)
        return [*new, *(other for other in after[at:] if other not in before)]

    # Numbers

    def tokens(self, items: list[Item]) -> int:
        return sum(max(one.least, math.ceil(len(one.searched.encode()) / 4)) for one in items)

    def number(self, given: Any, hand: list[Item]) -> Any:
        if not isinstance(given, str):
            return Fraction(str(given))
        text = re.sub(r"\$(\w+)", lambda m: f"({self.parameters[m[1]]})", given)
        text = re.sub(r"(\d+(?:\.\d+)?)", r"Fraction('\1')", text)
        text = re.sub(r"(Fraction\('[\d.]+'\)|\([^()]*\)(?:\))?)%", r"(\1/100)", text)
        names: Data = {"Fraction": Fraction, "min": min, "max": max}
        names |= {"floor": math.floor, "ceil": math.ceil, "__builtins__": {}}
        names |= {unit: self.count(unit, hand) for unit in UNITS}
        names["sent"] = self.sent
        for name, value in (("limit", self.limit), ("output", self.output)):
            if value is not None:
                names[name] = value
        for name in self.selections:
            if f"{name}." in text:
                picked = self.pick(name, self.now)
                for unit in UNITS:
                    text = text.replace(f"{name}.{unit}", str(self.count(unit, picked)))
        try:
            return Fraction(eval(text, names))
        except (NameError, ZeroDivisionError) as error:
            raise NotDoneError from error

    # Units

    def caller(self, item: Item) -> Item | None:
        for result in item.results:
            for other in reversed(self.log[: self.log.index(item.root)]):
                if any(call[1] == result[1] for call in other.calls):
                    return other.root
        return None

    def together(self, one: Item, other: Item) -> bool:
        """Return whether a message belongs to the exchange of the one before it."""
        caller = self.caller(other)
        return caller is not None and (caller is one.root or caller is self.caller(one))

    def count(self, unit: str, items: list[Item]) -> int:
        pairs = list(pairwise(items))
        match unit:
            case "messages":
                return len(items)
            case "tokens":
                return self.tokens(items)
            case "characters":
                return sum(len(one.counted) for one in items)
            case "items":
                return sum(
                    max(1, sum(p[0] != "text" or bool(p[1]) for p in one.parts)) for one in items
                )
            case "events":
                return sum(max(1, len(one.calls) or len(one.results)) for one in items)
            case "exchanges":
                return sum(one.calls != [] or one.is_result for one in self.firsts("groups", items))
            case "turns":
                first = bool(items) and items[0].role == "user"
                return first + sum(b.role == "user" and a.role != "user" for a, b in pairs)
        return len(self.firsts(unit, items))

    def firsts(self, unit: str, items: list[Item]) -> list[Item]:
        return [items[at] for at in self.borders(unit, items)]

    def borders(self, unit: str, items: list[Item]) -> list[int]:
        """Return where blocks start."""
        if not items:
            return []
        tests: dict[str, Callable[[Item, Item], bool]] = {
            "rows": lambda a, b: (
                self.caller(b) is None or self.caller(a) is not self.caller(b) or not a.is_result
            ),
            "sides": lambda a, b: "assistant" in (a.role, b.role),
            "groups": lambda a, b: not self.together(a, b),
            "exchanges": lambda a, b: not self.together(a, b),
            "turns": lambda a, b: b.role == "user" and a.role != "user",
        }
        if unit not in tests:
            return list(range(len(items)))
        starts = tests[unit]
        return [0, *(at for at in range(1, len(items)) if starts(items[at - 1], items[at]))]

    # Tails and heads

    def tail(self, given: Any, items: list[Item], less: list[Item] | None = None) -> int:
        if not isinstance(given, dict):
            given = {"messages": given}
        if "from" in given:
            picked = self.pick(given["from"], items)
            cut = next((at for at, one in enumerate(items) if one in picked), 0)
        elif "after" in given:
            cut = self.head(given["after"], items)
        elif "all" in given:
            cut = max(self.tail(one, items) for one in given["all"])
        else:
            unit = next(unit for unit in UNITS if unit in given)
            size = self.number(given[unit], items) - (self.count(unit, less) if less else 0)
            borders = self.borders(given.get("by", unit), items)
            have = {at: self.count(unit, items[at:]) for at in [*borders, len(items)]}
            if given.get("reach"):
                enough = [at for at in have if have[at] >= size]
                cut = len(items) if size <= 0 else max(enough, default=0)
            else:
                cut = min(at for at in have if have[at] <= max(size, 0))
            least = given.get("least", 0)
            if least:
                cut = min(cut, borders[-least] if least <= len(borders) else 0)
        return self.edge(given.get("edge", "split"), items, cut)

    def head(self, given: Any, items: list[Item]) -> int:
        if not isinstance(given, dict):
            given = {"messages": given}
        unit = next(unit for unit in UNITS if unit in given)
        size = self.number(given[unit], items)
        ends = [*self.borders(given.get("by", unit), items)[1:], *([len(items)] if items else [])]
        have = {at: self.count(unit, items[:at]) for at in [0, *ends]}
        if given.get("reach"):
            enough = [at for at in have if have[at] >= size]
            cut = 0 if size <= 0 else min(enough, default=len(items))
        else:
            cut = max(at for at in have if have[at] <= max(size, 0))
        least = given.get("least", 0)
        if least and ends:
            cut = max(cut, ends[min(least, len(ends)) - 1])
        return self.edge(given.get("edge", "split"), items, cut)

    def edge(self, edges: Any, items: list[Item], cut: int) -> int:
        if cut == 0:
            return 0
        for name in edges if isinstance(edges, list) else [edges]:
            found = self.one_edge(name, items, cut)
            if found is not None:
                return found
        return 0

    def one_edge(self, name: str, items: list[Item], cut: int) -> int | None:
        behind = cut
        while behind < len(items) and items[behind].is_result:
            behind += 1
        places: dict[str, list[int]] = {
            "split": [cut],
            "last": [len(items) - 1],
            "end": [len(items)],
            "forward": [behind] if behind < len(items) else [],
            "user": [i for i in range(cut, len(items)) if items[i].role in ("user", "system")],
            "userBack": [
                i for i in range(min(cut, len(items) - 1), -1, -1) if items[i].role == "user"
            ],
            "call": [i for i in range(cut, len(items)) if items[i].calls],
        }
        if name == "back":
            callers = [self.caller(one) for one in items[cut:behind]]
            earlier = [i for i in range(cut - 1, -1, -1) if items[i].calls]
            places["back"] = [i for i in earlier if any(items[i].root is c for c in callers)]
            if behind == cut:
                places["back"] = [cut]
        if name == "results":
            end, before = cut, items[cut - 1]
            while before.calls and end < len(items) and self.caller(items[end]) is before.root:
                end += 1
            places["results"] = [end]
        return next(iter(places[name]), None)

    # Selections

    def pick(self, given: Any, items: list[Item]) -> list[Item]:
        if isinstance(given, str):
            given = self.selections[given]
        if isinstance(given, list):
            picked = [one for part in given for one in self.pick(part, items)]
            return [one for one in items if one in picked]
        if "aside" in given:
            aside = self.pick(given["aside"], items)
            items = [one for one in items if one not in aside]
        whole = items
        if "among" in given:
            items = self.pick(given["among"], items)
        if "before" in given:
            items = items[: self.tail(given["before"], items)]
        if "within" in given:
            items = items[self.tail(given["within"], items) :]
        if "positions" in given:
            items = items[given["positions"].get("start") : given["positions"].get("end")]
        found = [one for one in items if self.passes(one, given, items)]
        if "except" in given:
            gone = self.pick(given["except"], whole)
            found = [one for one in found if one not in gone]
        if "first" in given:
            found = found[: self.head(given["first"], found)]
        if "exceptFirst" in given:
            found = found[self.head(given["exceptFirst"], found) :]
        if "last" in given:
            found = found[self.tail(given["last"], found) :]
        if "exceptLast" in given:
            found = found[: self.tail(given["exceptLast"], found)]
        return found

    def tools(self, one: Item) -> set[str]:
        caller = self.caller(one)
        if one.is_result:
            ids = [result[1] for result in one.results]
            return {c[2] for c in caller.calls if c[1] in ids} if caller else set()
        return {call[2] for call in one.calls}

    def passes(self, one: Item, given: Data, items: list[Item]) -> bool:
        failed = any(result[3] for result in one.results)
        tests: dict[str, Callable[[Any], bool]] = {
            "roles": lambda want: one.role in want,
            "marks": lambda want: bool(one.root.marks & set(want)),
            "contentContains": lambda want: any(word in one.searched for word in want),
            "contentExcludes": lambda want: not any(word in one.searched for word in want),
            "tools": lambda want: bool(self.tools(one) & set(want)),
            "exceptTools": lambda want: not self.tools(one) & set(want),
            "in": lambda _: bool(one.calls) or one.is_result,
            "failed": lambda want: one.is_result and failed == want,
            "made": lambda want: one.root.made == want,
            "touched": lambda want: (one.source is not None) == want,
            "longerThan": lambda want: self.longer(want, one.counted, [one], items),
            "superseded": lambda want: self.superseded(one, want, items),
        }
        return all(tests[key](value) for key, value in given.items() if key in tests)

    def longer(self, want: Data, text: str, items: list[Item], hand: list[Item]) -> bool:
        sizes = {
            "characters": len(text),
            "lines": text.count("\n") + bool(text) - text.endswith("\n"),
            "tokens": self.tokens(items),
        }
        return all(sizes[name] > self.number(value, hand) for name, value in want.items())

    def superseded(self, one: Item, argument: str, items: list[Item]) -> bool:
        caller = self.caller(one)
        if caller is None:
            return False

        def key(call: tuple[Any, ...]) -> Any:
            if argument == "sameCall":
                return call[2], json.dumps(call[3], sort_keys=True)
            return call[2], json.dumps(call[3].get(argument), sort_keys=True)

        places = [
            (at, place, key(call))
            for at, other in enumerate(items)
            for place, call in enumerate(other.root.calls)
            if any(call[1] == own[1] for own in other.calls)
        ]
        at = next((i for i, o in enumerate(items) if o.root is caller and o.calls), None)
        for place, call in enumerate(caller.calls):
            earlier = [other[1] for other in caller.calls[:place]]
            if any(call[1] == result[1] for result in one.results) and call[1] not in earlier:
                if argument != "sameCall" and argument not in call[3]:
                    continue
                mine = (items.index(one) if at is None else at, place)
                if any((i, p) > mine and k == key(call) for i, p, k in places):
                    return True
        return False

    # Conditions

    def holds(self, when: Data, items: list[Item], before: list[Item]) -> bool:
        if not when or "always" in when:
            return True
        return any(self.one_holds(key, value, items, before) for key, value in when.items())

    def one_holds(self, key: str, value: Any, items: list[Item], before: list[Item]) -> bool:
        run = [one for one in self.log if one.source is None and not one.made]
        match key:
            case "tokensAbove":
                return bool(self.tokens(items) > self.number(value, before))
            case "messagesAbove":
                return bool(len(items) > self.number(value, before))
            case "turnStart":
                return (bool(run) and run[-1].role == "user") is value
            case "all":
                return all(self.holds(one, items, before) for one in value)
            case "any":
                return any(self.holds(one, items, before) for one in value)
            case "not":
                return not self.holds(value, items, before)
            case "sent" | "used":
                have: int = getattr(self, key)
            case _:
                picked = self.pick(value["of"], items) if "of" in value else items
                have = self.count(key, picked)
        bounds: dict[str, Callable[[Any], bool]] = {
            "above": lambda n: have > n,
            "atLeast": lambda n: have >= n,
            "below": lambda n: have < n,
            "atMost": lambda n: have <= n,
        }
        return all(
            bounds[name](self.number(given, before))
            for name, given in value.items()
            if name in bounds
        )

    # Operations

    def without_aside(self, items: list[Item], given: Data) -> list[Item]:
        aside = self.pick(given["aside"], items) if "aside" in given else []
        return [one for one in items if one not in aside]

    def truncate(self, items: list[Item], given: Data) -> list[Item]:
        left = self.without_aside(items, given)
        aside = [one for one in items if one not in left]
        copies: list[Item] = []
        if "keepLast" in given:
            cut = self.tail(given["keepLast"], left)
            if given.get("inside") and cut:
                rest = self.number(given["keepLast"]["items"], left) - self.count(
                    "items", left[cut:]
                )
                kept = left[cut - 1].calls[-math.floor(rest) :] if rest >= 1 else []
                if kept and not left[cut - 1].is_result:
                    copies.append(self.copy(left[cut - 1], kept))
            left = left[cut:]
        if "removeFirst" in given:
            left = left[self.head(given["removeFirst"], left) :]
        if "max" in given:
            left = left[self.tail(given["max"], left, aside) :]
        swaps = {id(copy.source): copy for copy in copies}
        return [swaps.get(id(o), o) for o in items if o in aside or o in left or id(o) in swaps]

    def delete(self, items: list[Item], given: Data) -> list[Item]:
        gone = self.pick(given["select"], self.without_aside(items, given))
        if not given.get("pairs"):
            return [one for one in items if one not in gone]
        found = []
        for one in items:
            taken = [
                call
                for call in one.calls
                if any(
                    self.caller(other) is one.root and call[1] in [r[1] for r in other.results]
                    for other in gone
                )
            ]
            if one in gone or (
                taken and (one := self.taken(one, taken, given.get("note"))) is None
            ):
                continue
            found.append(one)
        return found

    def taken(self, one: Item, calls: list[tuple[Any, ...]], note: str | None) -> Any:
        left = [part for part in one.parts if part not in calls]
        if note is not None:
            texts = [part[1] for part in left if part[0] == "text" and part[1]]
            texts += [note.replace("{tool}", call[2]) for call in reversed(calls)]
            others = [part for part in left if part[0] == "thinking"]
            kept = [part for part in left if part[0] == "call"]
            left = [*others, ("text", "\n".join(texts)), *kept]
        if all(part[0] == "text" and not part[1] for part in left):
            return None
        return self.copy(one, left)

    def copy(self, one: Item, parts: list[tuple[Any, ...]]) -> Item:
        made = Item(one.role, parts, one)
        self.log.append(made)
        return made

    def compress(self, items: list[Item], given: Data) -> list[Item]:
        going = self.pick(given["select"], self.without_aside(items, given))
        groups = [going]
        if given.get("each"):
            going = [one for one in going if one.calls or one.is_result]
            borders = [*self.borders("groups", going), len(going)]
            groups = [going[a:b] for a, b in pairwise(borders)]
        if not going:
            return items
        covered = self.covered(going, items, given)
        summary = given.get("summary", [])
        entries = summary if isinstance(summary, list) else [summary]
        written = {
            id(group[0]): [m for one in entries for m in self.summed(one, group, covered)]
            for group in groups
        }
        if given.get("at") == "end":
            rest = [one for one in items if one not in going]
            return rest + [one for some in written.values() for one in some]
        found: list[Item] = []
        for one in items:
            found += written.get(id(one), [])
            if one not in going:
                found.append(one)
        return found

    def covered(self, going: list[Item], items: list[Item], given: Data) -> int:
        if "overlap" not in given:
            return 0
        first = min(self.log.index(one) for one in going)
        run = [o for o in self.log[:first] if o.source is None and not o.made and o not in items]
        return len(run) - self.tail(given["overlap"], run)

    def summed(self, entry: Data, going: list[Item], covered: int) -> list[Item]:
        found = []
        if "copyOf" in entry:
            for one in self.pick(entry["copyOf"], going):
                prefix = entry.get("prefix", "")
                text = one.text if one.text.startswith(prefix) else prefix + one.text
                found.append(Item(one.role, [("text", text)]))
        else:
            text = entry["template"].replace("{count}", str(len(going) + covered))
            text = text.replace("{tokens}", str(self.tokens(going)))
            if "each" in entry:
                text = self.with_results(entry, text, going)
            found.append(Item(entry.get("role", "user"), [("text", text)]))
            found[-1].least = int(self.number(entry.get("tokens", 0), going))
        for one in found:
            one.made = True
            self.log.append(one)
        return found

    def with_results(self, entry: Data, text: str, going: list[Item]) -> str:
        results = []
        for one in going:
            names = {c[1]: c[2] for c in (self.caller(one) or Item("user", [])).calls}
            for result in one.results:
                filled = entry["each"].replace("{tool}", names.get(result[1], ""))
                results.append(filled.replace("{result}", result[2]).strip())
        said = entry.get("between", "\n").join(results) if results else entry.get("none", "")
        marker, most = entry.get("marker", ""), entry.get("maxCharacters")
        bare = len(text.replace("{results}", ""))
        if most is not None and bare + len(said) > most:
            said = said[: max(0, most - bare - len(marker))].rstrip() + marker
        return text.replace("{results}", said)

    def redact(self, items: list[Item], given: Data) -> list[Item]:
        named = self.pick(given["select"], self.without_aside(items, given))
        new: dict[int, Item | None] = {id(one): one for one in items}
        saved, enough = 0, given.get("enough")
        for one in named:
            if enough and saved >= self.number(enough["tokens"], items):
                break
            for target in items:
                now = new[id(target)]
                if now is None:
                    continue
                parts = []
                for part in now.parts:
                    parts += self.redacted(part, target, one, given, items)
                if parts == now.parts:
                    continue
                made = self.copy(target, parts) if parts else None
                saved += self.tokens([now]) - (self.tokens([made]) if made else 0)
                new[id(target)] = made
        return [made for one in items if (made := new[id(one)]) is not None]

    def redacted(
        self, part: tuple[Any, ...], target: Item, one: Item, given: Data, items: list[Item]
    ) -> list[tuple[Any, ...]]:
        parts = given["parts"]
        match part:
            case ("thinking", _) if target is one and "thinking" in parts:
                return []
            case ("text", text) if target is one and "texts" in parts:
                return [("text", self.shorter(given, "text", text, one, items))]
            case ("result", id, text, failed) if target is one and "results" in parts:
                return [("result", id, self.shorter(given, "text", text, one, items), failed)]
            case ("call", id, name, values) if "inputs" in parts:
                answered = [result[1] for result in one.results]
                if target is not one and not (
                    target.root is self.caller(one) and id in answered and target.calls
                ):
                    return [part]
                if name not in given.get("tools", [name]):
                    return [part]
                if "input" not in given:
                    return [("call", id, name, {})]
                changed = {
                    key: self.shorter(given, "input", value, one, items, name)
                    if isinstance(value, str)
                    else value
                    for key, value in values.items()
                }
                return [("call", id, name, changed)]
        return [part]

    def shorter(
        self, given: Data, which: str, old: str, one: Item, items: list[Item], tool: str = ""
    ) -> str:
        if "longerThan" in given and not self.longer(
            given["longerThan"], old, [Item("user", [("text", old)])], items
        ):
            return old
        template = given.get(which, "[cleared]")
        tool = tool or next(iter(self.tools(one)), "")

        def value(found: re.Match[str]) -> str:
            name, n = found[1], int(found[2] or 0)
            values = {
                "head": old[:n],
                "tail": old[-n:] if n else "",
                "tool": tool,
                "characters": str(len(old)),
                "removed": str(len(old) - n),
                "text": old,
            }
            return values.get(name, found[0])

        new = re.sub(r"\{(\w+)(?::(\d+))?\}", value, template)
        return old if given.get("onlyIfShorter") and len(new) >= len(old) else new

    def mark(self, items: list[Item], given: Data) -> list[Item]:
        for one in self.pick(given["select"], items):
            one.root.marks.add(given["label"])
        return items

    def repair(self, items: list[Item], _: Data) -> list[Item]:
        """Drop results without their call, which is all that a cut can break here."""
        found = []
        for at, one in enumerate(items):
            calls = {call[1] for other in items[:at] for call in other.calls}
            if all(result[1] in calls for result in one.results):
                found.append(one)
        return found
