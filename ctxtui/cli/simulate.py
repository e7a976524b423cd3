"""``ctxtui simulate``: policies and recipes over every call of a run, and on what is sent now."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from ctxtui.cli.inputs import check_stdin, open_target, target_argument
from ctxtui.cli.output import print_expectations, print_json, print_line, print_table
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors, silence
from ctxtui.core import Conversation
from ctxtui.core.engine.operations import Configure
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.engine.tokens import is_exact
from ctxtui.core.formats import dump_json
from ctxtui.core.policies import CallFigures, Policy, PolicyFigures, Prices
from ctxtui.core.policies.figures import FigureExpectation
from ctxtui.core.policies.foreign import STATES, equal_requests, request_messages, run_strategy
from ctxtui.core.policies.needed import RunUses
from ctxtui.core.policies.policy import Sweep, output_limit
from ctxtui.core.policies.preset import never_acted
from ctxtui.core.policies.runs import SimulationConfig, run_of
from ctxtui.core.policies.seen_run import seen_run
from ctxtui.core.policies.simulation import (
    PolicyRun,
    SweepResult,
    SweepSetting,
    recorded,
    recorded_script,
    run_policy,
    swept,
)
from ctxtui.core.what_if import Assessment, WhatIf, WhatIfOutcome
from ctxtui.files.opening import PRESET, Opened, open_policy
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.writing import write_whole
from ctxtui.text.icons import ERROR, WARNING
from ctxtui.text.numbers import tokens
from ctxtui.text.plurals import plural

CELLS = 60
"""Cells of a plot; a longer run has several calls in each."""
HEIGHTS = "▁▂▃▄▅▆▇█"
NOTHING = "·"
STAR = "★"
EVERY_CALL = "is sent by every call"
HEAD = (
    *("policy", "broken", f"without {STAR}", "needed later", "sent", "outside", "peak"),
    *("over limit", "acted"),
)
SWEEP_HEAD = ("policy", "broken", f"without {STAR}", "kept", "outside", "peak")


NOW_HEAD = ("now", "messages", "tokens", "errors", "warnings", "marks lost", "prefix kept")
FIGURES = (
    *("messages", "tokens", "counter", "errors", "warnings"),
    *("marksLost", "prefixMessages", "prefixTokens"),
)
"""What a refused recipe has no figures for."""


def arguments(parser: Parser) -> None:
    target_argument(parser)
    policies = "policies or recipes; without one, what was recorded"
    parser.option("--policy POLICY", policies, nargs="+", action="extend", default=[])
    strategy = "your own code: MODULE:NAME or FILE.py:NAME, with literal arguments; it is run"
    parser.option("--strategy NAME", strategy, nargs="+", action="extend", default=[])
    parser.option("--python PATH", "the Python that has what --strategy needs")
    state = "what a plain function gets: the whole run, or what it sent last and what is new"
    parser.option("--state", state, choices=STATES)
    must = "labels whose messages must be sent; else all labels"
    parser.option("--must LABEL", must, nargs="+", action="extend")
    parser.option("--profile", "whose lint rules make a call broken", choices=PROFILES)
    price = "of a million tokens, as input=3,cached=0.3,output=15; also written=, into a cache"
    parser.option("--price PRICES", price)
    pace = "seconds from call to call, for what the profile's cache keeps; else as recorded"
    parser.option("--pace S", pace, type=float)
    sweep = "run each policy for each value of a parameter or field, as keepLast=10:200:10"
    parser.option("--sweep NAME=FIRST:LAST:STEP", sweep, action="append", default=[])
    expect = "fail unless this holds of every policy, as broken=0 or 'tokensSent<=900000'"
    parser.option("--expect FIGURE=NUMBER", expect, nargs="+", action="extend", default=[])
    probe = "texts that must not be lost: say from which call on each is"
    parser.option("--probe TEXT", probe, nargs="+", action="extend", default=[])
    limit = "the token limit, where the run has none"
    parser.option("--limit N", limit, type=int)
    most = "the most tokens of an answer, where the run doesn't say"
    parser.option("--max-output N", most, type=int)
    parser.option("--requests OUT", "write what each policy sends at each call, as JSON lines")
    parser.option("--record SCRIPT", "write a script that expects what the policy sends now")
    parser.option("--json", "print every call as JSON")


def run(args: Namespace) -> int:
    """Print what each would have sent; 1: an expectation does not hold, or one is refused now."""
    check_stdin(args.file, *args.policy)
    expected = [FigureExpectation.read(text) for text in args.expect]
    prices = None if args.price is None else Prices.read(args.price)
    if prices is None and any(one.figure == "cost" for one in expected):
        raise Unreadable("--expect of a cost needs a --price")
    sweep = _sweep(args)
    _must_be_recordable(args)
    policies = [open_policy(path) for path in args.policy]
    opened = open_target(args.file, args.library)
    question = _question(args, opened.conversation, prices)
    real = recorded(question)
    runs = [] if real is None else [real, *_seen(question, opened.conversation)]
    if not policies and not args.strategy and real is None:
        raise Unreadable(
            f"{args.file}: nothing was done to this context yet, so there is nothing recorded; "
            "name a policy to try with --policy"
        )
    runs += [run_policy(question, policy) for policy in policies]
    foreign = [run_strategy(question, one, args.python, args.state) for one in args.strategy]
    runs += [one for one, _ in foreign]
    uses = RunUses(question.run)
    runs = [uses.judged(one, args.probe) for one in runs]
    family = None if sweep is None else swept(question, policies, sweep)
    named = len(policies) + len(foreign)
    _write(args, question, policies, opened, runs[-named:] if named else runs)
    judged = [one.figures for one in (runs[-named:] if named else runs)]
    equal = Equal.of(runs[-named:], len(policies)) if named else []
    print_errors([note for _, note in foreign if note is not None])
    idle = [one for one in map(never_acted, runs) if one is not None]
    misses = _misses(expected, judged, family, uses)
    recipes = zip((PurePath(path).name for path in args.policy), policies, strict=True)
    now = Now.of(opened.conversation, recipes, question, args.profile)
    try:
        if args.json:
            data = {
                "calls": len(question.run.calls),
                "counter": question.run.state.counter,
                "profile": question.profile,
                "policies": [one.to_dict() for one in runs],
            }
            sweep_data = {} if family is None else family.to_dict()
            pairs = {"equal": [one._asdict() for one in equal]} if equal else {}
            unused = {"neverActed": [one.to_dict() for one in idle]} if idle else {}
            print_json({**data, **unused, **pairs, **sweep_data, "now": now.to_dict()})
        else:
            print_runs(question, runs)
            for note in idle:
                print_line(WARNING.text(note.in_words()))
            for one in equal:
                print_line(str(one))
            if family is not None:
                print_family(family)
            if now.has_refused or (now.outcomes and not (args.expect or args.sweep)):
                print_now(now)
        print_expectations(expected, misses, is_json=args.json)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)  # The exit code is still the verdict.
    stopped = any(one.figures.error is not None for one, _ in foreign)
    return 1 if misses or stopped or now.has_refused else 0


def _seen(question: SimulationConfig, conversation: Conversation) -> list[PolicyRun]:
    """Return what the model saw of the run, which follows what was sent."""
    found = seen_run(question, conversation) if question.run.is_recorded else None
    return [] if found is None else [found]


def _question(
    args: Namespace, conversation: Conversation, prices: Prices | None
) -> SimulationConfig:
    run = run_of(conversation)
    if not run.calls:
        why = "no call was recorded and no message is the assistant's"
        raise Unreadable(f"{args.file}: {why}, so no model was called")
    asked = SimulationConfig.about(
        run,
        profile=args.profile,
        required_labels=args.must,
        prices=prices,
        output=output_limit(conversation.calls) or args.max_output,
        limit=args.limit,
    )
    return asked if args.pace is None else asked.at_pace(args.pace)


def _write(
    args: Namespace,
    question: SimulationConfig,
    policies: list[Policy],
    opened: Opened,
    runs: Iterable[PolicyRun],
) -> None:
    """Write the script and the requests that are asked for."""
    if args.record is not None:
        _record(args, question, policies, opened)
    if args.requests is not None:
        _write_requests(args.requests, runs)


def _write_requests(path: str, runs: Iterable[PolicyRun]) -> None:
    """Write the messages that each policy sends at each call, in the chat form of OpenAI."""
    lines = [
        dump_json({"policy": one.name, "call": call, "messages": request_messages(one, call)})
        for one in runs
        for call in range(1, one.figures.calls + 1)
    ]
    write_whole(Path(path), "".join(f"{line}\n" for line in lines))
    print_errors([f"{plural(len(lines), 'request')} written to {path}"])


def _sweep(args: Namespace) -> Sweep | None:
    if not args.sweep:
        return None
    if len(args.sweep) > 1:
        raise Unreadable("--sweep can be given once: one name, and the values it takes")
    if not args.policy:
        raise Unreadable("--sweep needs a --policy to give the values to")
    return Sweep.read(args.sweep[0])


def _must_be_recordable(args: Namespace) -> None:
    """Refuse to record before anything is read: over what is read, or what there is not one of."""
    if args.record is None:
        return
    if args.record == "-":
        raise Unreadable("--record needs a file name, not -")
    if len(args.policy) != 1:
        raise Unreadable(f"--record needs exactly one --policy, not {len(args.policy)}")
    if args.sweep:
        raise Unreadable("--record writes what one policy sends; it can't be used with --sweep")
    out = Path(args.record).resolve()
    if any(name != "-" and Path(name).resolve() == out for name in (args.file, *args.policy)):
        raise Unreadable(f"{args.record}: it is read, so it can't be written too")


def _record(
    args: Namespace, question: SimulationConfig, policies: list[Policy], opened: Opened
) -> None:
    out, source = Path(args.record), args.policy[0]
    named = None
    if source != "-":
        named = source if source.startswith(PRESET) else _beside(out, Path(source))
    title = opened.conversation.meta.get("title") or PurePath(args.file).name
    script = recorded_script(question, policies[0], str(title), named)
    write_whole(out, _lines(script))
    print_errors([f"{len(question.run.calls)} calls written to {args.record} as a script"])


def _beside(script: Path, policy: Path) -> str:
    """Return how a script names the file of a policy: from its own folder, if they are related."""
    folder, target = script.resolve().parent, policy.resolve()
    is_related = os.path.commonpath([folder, target]) != target.anchor
    return os.path.relpath(target, folder) if is_related else str(target)


def _lines(script: dict[str, Any]) -> str:
    """Return a script as text with a line for each step, so that differences can be read."""
    head = {key: value for key, value in script.items() if key != "steps"}
    fields = "".join(f" {dump_json(key)}: {dump_json(value)},\n" for key, value in head.items())
    steps = ",\n".join(f"  {dump_json(step)}" for step in script["steps"])
    return f'{{\n{fields} "steps": [\n{steps}\n ]\n}}\n'


def _misses(
    expected: list[FigureExpectation],
    figures: list[PolicyFigures],
    family: SweepResult | None,
    uses: RunUses,
) -> list[str]:
    """Return what does not hold; of a sweep, the setting that would ship is judged."""
    if family is not None and expected:
        if family.recommended is None:
            return ["no setting is fit to ship"]
        figures = [uses.judged(family.recommended.run).figures]
    return [
        f"{one.name}: {miss}" for one in figures for each in expected if (miss := each.miss(one))
    ]


class Equal(NamedTuple):
    """How many requests of a policy are those that a strategy sends."""

    policy: str
    strategy: str
    equal: int
    calls: int

    @classmethod
    def of(cls, runs: Sequence[PolicyRun], policies: int) -> list[Equal]:
        """Compare each of the policies, which come first, with each of the strategies."""
        return [
            cls(one.name, other.name, *equal_requests(one, other))
            for one in runs[:policies]
            for other in runs[policies:]
        ]

    def __str__(self) -> str:
        return f"{self.policy} equals {self.strategy} in {self.equal:,} of {self.calls:,} requests"


# Tables and small plots of plain text.


def print_runs(question: SimulationConfig, runs: Sequence[PolicyRun]) -> None:
    """Print a table of policies, and a plot of each over the calls."""
    figures = [one.figures for one in runs]
    has_cost = question.prices is not None
    rows = [(*HEAD, "cost") if has_cost else HEAD, *(_row(one) for one in figures)]
    print_table(rows, right=range(1, len(rows[0])))
    print_line(_about(question))
    for one in figures:
        if one.refused:
            first, times = one.refused[0], plural(len(one.refused), "time")
            words = f"{one.name} was refused {times}, first before call {first.call}"
            print_line(WARNING.text(f"{words}: {first.reason}"))
    for one in figures:
        if one.error is not None:
            judged = plural(one.error.call - 1, "call")
            reason = f"stopped before call {one.error.call}: {one.error.reason}"
            print_line(ERROR.text(f"{reason} (judged on the {judged} before it)"))
    print_estimates(figures)
    top = max((one.peak for one in figures), default=0)
    width = max(len(one.name) for one in figures)
    for one in figures:
        print_line()
        print_line(f"{one.name:<{width}}  {_plot(one, top)}  {tokens(one.peak)} at most")
        for count, word, sign, fails in (
            (one.broken, "broken", ERROR.glyph, lambda call: call.errors > 0),
            (one.without_marked, f"without {STAR}", STAR, lambda call: call.marks_missing > 0),
        ):
            if count:
                print_line(f"{word:>{width}}  {_strip(one, sign, fails)}  {count:,}")


def print_estimates(figures: Sequence[PolicyFigures]) -> None:
    """Print the first answer of each policy that used what was hidden, and what probes found."""
    for one in figures:
        if one.estimates is None:
            continue
        if one.estimates.needed:
            first = one.estimates.needed[0]
            hid = "" if first.operation is None else f", hidden by {first.operation}"
            words = ", ".join(first.words)
            used = f"the answer to call {first.call} uses {words} of message {first.raw_index}"
            print_line(f"{one.name}, needed later, an estimate: first {used}{hid}")
        if one.prices is not None and one.estimates.payback is not None:
            print_line(f"{one.name}, an estimate: {one.estimates.payback.in_words()}")
        if one.summaries:
            read, written = (sum(each[at] for each in one.summaries) for at in (1, 2))
            done = f"{tokens(read)} read, {tokens(written)} written"
            print_line(
                f"{one.name}, an estimate: {plural(one.summary_calls, 'summary call')}, {done}"
            )
        for probe in one.estimates.probes:
            missing = f"is missing from call {probe.first} on ({plural(probe.calls, 'call')})"
            print_line(f"{one.name}: {probe.text!r} {missing if probe.calls else EVERY_CALL}")


def _row(one: PolicyFigures) -> tuple[str, ...]:
    row = (
        one.name,
        f"{one.broken:,}",
        f"{one.without_marked:,}",
        "" if one.estimates is None else f"≈{len(one.estimates.needed):,}",
        tokens(one.tokens_sent),
        tokens(one.tokens_outside_prefix),
        tokens(one.peak),
        f"{one.over_limit:,}",
        f"{one.acted:,}",
    )
    return row if one.cost is None else (*row, f"${one.cost:,.2f}")


def _about(question: SimulationConfig) -> str:
    run = question.run
    counter = run.state.counter
    phrases = [
        f"{plural(len(run.messages), 'message')}, {plural(len(run.calls), 'call')}"
        f"{'' if run.is_recorded else ', one before each answer'}",
        f"must stay: {', '.join(question.required_labels)}"
        if question.required_labels
        else "nothing is marked",
        f"{question.profile} profile",
        f"tokens by {counter}{'' if is_exact(counter) else ', an estimate'}",
    ]
    return "; ".join(phrases)


def _buckets(one: PolicyFigures) -> list[Sequence[CallFigures]]:
    count = one.calls
    cells = min(CELLS, count)
    return [
        one.per_call[count * cell // cells : count * (cell + 1) // cells] for cell in range(cells)
    ]


def _plot(one: PolicyFigures, top: int) -> str:
    """Return the tokens of the calls as a line of blocks, the largest call in each cell."""
    peaks = [max(call.tokens for call in bucket) for bucket in _buckets(one)]
    steps = len(HEIGHTS) - 1
    return "".join(HEIGHTS[-(-peak * steps // max(1, top))] for peak in peaks)


def _strip(one: PolicyFigures, sign: str, fails: Callable[[CallFigures], bool]) -> str:
    """Return a sign for each cell with a call of some kind."""
    return "".join(sign if any(map(fails, bucket)) else NOTHING for bucket in _buckets(one))


def print_family(family: SweepResult) -> None:
    """Print every setting of a sweep, those on the front, and the one to ship."""
    has_cost = any(one.figures.cost is not None for one in family.settings)
    front = {id(one) for one in family.front}
    head = (*SWEEP_HEAD, *(("cost",) if has_cost else ()), "")
    rows = [(head[0], family.sweep.name, *head[1:])]
    for one in family.settings:
        verdict = "to ship" if one is family.recommended else "front" if id(one) in front else ""
        rows.append((*_setting(one), verdict))
    print_line()
    print_table(rows, right=range(1, len(rows[0]) - 1))
    for rule in family.rules:
        print_line(rule)
    recommended = family.recommended
    if recommended is None:
        print_line(WARNING.text("no setting is fit to ship: none on the front is clean with room"))
    else:
        print_line(f"ship {recommended.policy.name} with {family.sweep.name} {recommended.value}")


def _setting(one: SweepSetting) -> tuple[str, ...]:
    figures = one.figures
    row = (
        one.policy.name,
        f"{one.value:,}",
        f"{figures.broken:,}",
        f"{figures.without_marked:,}",
        f"{figures.messages_kept:.0f}",
        tokens(figures.tokens_outside_prefix),
        tokens(figures.peak),
    )
    return row if figures.cost is None else (*row, f"${figures.cost:,.2f}")


class Now(NamedTuple):
    """What each policy or recipe would do to the current projection; a sentence where refused."""

    before: Assessment
    outcomes: list[tuple[str, WhatIfOutcome | str]]

    @classmethod
    def of(
        cls,
        conversation: Conversation,
        named: Iterable[tuple[str, Policy]],
        question: SimulationConfig,
        profile: str | None,
    ) -> Now:
        """Try each on a copy of a conversation."""
        what_if = WhatIf(conversation, profile)
        tried = [(name, _tried(what_if, policy, question)) for name, policy in named]
        return cls(what_if.before, tried)

    @property
    def has_refused(self) -> bool:
        return any(isinstance(outcome, str) for _, outcome in self.outcomes)

    def to_dict(self) -> dict[str, Any]:
        rows: list[dict[str, Any]] = []
        for name, one in self.outcomes:
            if isinstance(one, str):
                rows.append({"name": name, "ok": False, "error": one, **dict.fromkeys(FIGURES)})
            else:
                rows.append({"name": name, "ok": True, "error": None, **one.to_dict()})
        return {"before": self.before.to_dict(), "recipes": rows}


def _tried(what_if: WhatIf, policy: Policy, question: SimulationConfig) -> WhatIfOutcome | str:
    """Return what a policy would do before the next call, or why it is refused."""
    copy = what_if.conversation.copy()
    limit = question.settings.token_limit
    if limit is not None and limit != copy.settings.token_limit:
        copy.execute(Configure(token_limit=limit))
    acted = policy.before_call(copy, output=question.output)
    if acted.refused:
        return str(acted.refused[0].reason)
    return what_if.judge(acted.results[-1]) if acted.results else what_if.now


def print_now(now: Now) -> None:
    """Print a table of what each would do to the current projection."""
    accepted = [(name, one) for name, one in now.outcomes if isinstance(one, WhatIfOutcome)]
    print_line()
    rows = [NOW_HEAD, ("(as it is)", *_figures(now.before), "", "")]
    rows += [(name, *_figures(one), *_kept(one)) for name, one in accepted]
    print_table(rows, right=range(1, len(NOW_HEAD)))
    for name, outcome in now.outcomes:
        if isinstance(outcome, str):
            print_line(ERROR.text(f"{name} is refused: {outcome}"))


def _figures(one: Assessment) -> tuple[str, ...]:
    figures = (one.messages, one.tokens, one.error_count, one.warning_count)
    return tuple(f"{figure:,}" for figure in figures)


def _kept(one: WhatIfOutcome) -> tuple[str, ...]:
    return f"{len(one.marks_lost):,}", f"{one.prefix.messages:,} ({one.prefix.tokens:,} tokens)"
