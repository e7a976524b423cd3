"""``ctxtui simulate``: policies over every call of a run, side by side; a check where asked to."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from pathlib import Path, PurePath
from typing import Any

from ctxtui.cli.inputs import check_inputs
from ctxtui.cli.output import print_json, print_line, print_problems
from ctxtui.cli.sessions import open_target, target_arguments
from ctxtui.cli.simulated import print_family, print_runs
from ctxtui.cli.streams import silence
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.formats import dump_json
from ctxtui.core.policies import Policy, PolicyFigures, Prices
from ctxtui.core.policies.figures import Expectation
from ctxtui.core.policies.policy import Sweep
from ctxtui.core.policies.runs import Question, run_of
from ctxtui.core.policies.simulation import (
    Family,
    PolicyRun,
    recorded,
    recorded_script,
    swept,
    walk,
)
from ctxtui.files.fences import Unreadable
from ctxtui.files.opening import Opened, open_policy
from ctxtui.files.writing import write_whole
from ctxtui.render.text.severity import ERROR, PASSED


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    target_arguments(parser)
    parser.add_argument(
        "--policy",
        metavar="POLICY",
        nargs="+",
        action="extend",
        default=[],
        help="policies or recipes to let run, as many as you like; without one, what was recorded",
    )
    parser.add_argument(
        "--must",
        metavar="LABEL",
        nargs="+",
        action="extend",
        help="labels whose messages must be sent; else all labels there are",
    )
    parser.add_argument("--profile", choices=PROFILES, help="whose lint rules make a call broken")
    parser.add_argument(
        "--price",
        metavar="PRICES",
        help="what a million tokens cost, such as input=3,cached=0.3,output=15",
    )
    parser.add_argument(
        "--sweep",
        metavar="NAME=FIRST:LAST:STEP",
        action="append",
        default=[],
        help="let each policy run once for each value of a parameter or field, such as "
        "keepLast=10:200:10, and tell which setting to ship",
    )
    parser.add_argument(
        "--expect",
        metavar="FIGURE=NUMBER",
        nargs="+",
        action="extend",
        default=[],
        help="what must hold of every policy, such as broken=0 or 'tokensSent<=900000'; "
        "1 if it does not",
    )
    parser.add_argument(
        "--record",
        metavar="SCRIPT",
        help="write a script that expects of every call what the policy sends now",
    )
    parser.add_argument("--json", action="store_true", help="print every call as JSON")


def run(asked: Namespace) -> int:
    """Print what each policy would have sent; 1 means that an expectation does not hold."""
    check_inputs(asked.file, *asked.policy)
    expected = [Expectation.read(text) for text in asked.expect]
    prices = None if asked.price is None else Prices.read(asked.price)
    if prices is None and any(one.figure == "cost" for one in expected):
        raise Unreadable("--expect of a cost needs a --price beside it")
    sweep = _sweep(asked)
    _must_be_recordable(asked)
    policies = [open_policy(path) for path in asked.policy]
    opened = open_target(asked)
    question = Question.about(
        run_of(opened.conversation), profile=asked.profile, must=asked.must, prices=prices
    )
    _must_have_calls(asked, question)
    real = recorded(question)
    runs = [] if real is None else [real]
    if not policies and real is None:
        raise Unreadable(
            f"{asked.file}: nothing was done to this context yet, so there is nothing recorded; "
            "name a policy to try with --policy"
        )
    runs += [walk(question, policy) for policy in policies]
    family = None if sweep is None else swept(question, policies, sweep)
    if asked.record is not None:
        _record(asked, question, policies, opened)
    judged = [one.figures for one in (runs[-len(policies) :] if policies else runs)]
    misses = _misses(expected, judged, family)
    try:
        if asked.json:
            print_json(_data(question, runs, family))
        else:
            print_runs(question, runs)
            if family is not None:
                print_family(family)
        _print_verdict(asked, expected, misses)
        sys.stdout.flush()
    except BrokenPipeError:
        silence(sys.stdout)  # Whoever reads this has seen enough; the verdict stands.
    return 1 if misses else 0


def _sweep(asked: Namespace) -> Sweep | None:
    if not asked.sweep:
        return None
    if len(asked.sweep) > 1:
        raise Unreadable("--sweep can be given once: one name, and the values it takes")
    if not asked.policy:
        raise Unreadable("--sweep needs a --policy to give the values to")
    return Sweep.read(asked.sweep[0])


def _must_be_recordable(asked: Namespace) -> None:
    """Refuse to record before anything is read: over what is read, or what there is not one of."""
    if asked.record is None:
        return
    if asked.record == "-":
        raise Unreadable("--record - is no file; name one for the script")
    if len(asked.policy) != 1:
        raise Unreadable(f"--record needs exactly one --policy, not {len(asked.policy)}")
    if asked.sweep:
        raise Unreadable("--record writes what one policy sends; it can't stand beside --sweep")
    out = Path(asked.record).resolve()
    if any(name != "-" and Path(name).resolve() == out for name in (asked.file, *asked.policy)):
        raise Unreadable(f"{asked.record}: it is read, so it can't be written too")


def _must_have_calls(asked: Namespace, question: Question) -> None:
    if not question.run.calls:
        raise Unreadable(
            f"{asked.file}: no call was recorded and no message is the assistant's, so no model "
            "was called"
        )


def _record(asked: Namespace, question: Question, policies: list[Policy], opened: Opened) -> None:
    out, source = Path(asked.record), asked.policy[0]
    named = None if source == "-" else _beside(out, Path(source))
    title = opened.conversation.meta.get("title") or PurePath(asked.file).name
    script = recorded_script(question, policies[0], str(title), named)
    write_whole(out, _lines(script))
    print_problems([f"{len(question.run.calls)} calls written to {asked.record} as a script"])


def _beside(script: Path, policy: Path) -> str:
    """Return how a script names the file of a policy: from its own folder, if they are related."""
    folder = script.resolve().parent
    target = policy.resolve()
    for up, parent in enumerate([folder, *folder.parents]):
        if target.is_relative_to(parent) and parent != Path(parent.anchor):
            return str(PurePath(*[".."] * up, target.relative_to(parent)))
    return str(target)


def _lines(script: dict[str, Any]) -> str:
    """Return a script as text with a line for each step, so that differences can be read."""
    head = {key: value for key, value in script.items() if key != "steps"}
    fields = "".join(f" {dump_json(key)}: {dump_json(value)},\n" for key, value in head.items())
    steps = ",\n".join(f"  {dump_json(step)}" for step in script["steps"])
    return f'{{\n{fields} "steps": [\n{steps}\n ]\n}}\n'


def _data(question: Question, runs: list[PolicyRun], family: Family | None) -> dict[str, Any]:
    return {
        "calls": len(question.run.calls),
        "counter": question.run.state.counter,
        "profile": question.profile,
        "policies": [one.to_dict() for one in runs],
        **({} if family is None else family.to_dict()),
    }


def _misses(
    expected: list[Expectation], figures: list[PolicyFigures], family: Family | None
) -> list[str]:
    """Return what does not hold; of a sweep, the setting that would ship is judged."""
    if family is not None and expected:
        if family.shipped is None:
            return ["no setting is fit to ship"]
        figures = [family.shipped.figures]
    return [
        f"{one.name}: {miss}" for one in figures for each in expected if (miss := each.miss(one))
    ]


def _print_verdict(asked: Namespace, expected: list[Expectation], misses: list[str]) -> None:
    if asked.json:
        print_problems(misses)
        return
    for miss in misses:
        print_line(ERROR.text(miss))
    if expected and not misses:
        print_line(PASSED.text(", ".join(map(str, expected))))
