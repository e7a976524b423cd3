"""``ctxtui replay``: a script is a regression test of a context policy."""

from __future__ import annotations

from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.core.engine.dialects import read_operation
from ctxtui.core.errors import Refused
from ctxtui.core.scripts import StepReport, final_state
from ctxtui.files.opening import read_script
from ctxtui.text.icons import ERROR, PASSED, WARNING
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    parser.add_argument("script", metavar="SCRIPT", help="a script; - reads standard input")
    parser.option("--json", "print every step as JSON")
    parser.option("--keep-going", "go on after a step that failed")


def run(args: Namespace) -> int:
    """Run the script; 1 means that a step failed."""
    script = read_script(args.script)
    conversation = script.start()
    reports = []
    for report in script.take(conversation, keep_going=args.keep_going):
        reports.append(report)
        if not args.json:
            print_line(report_line(report))
    failed = sum(not report.ok for report in reports)
    if args.json:
        steps = [report.to_dict() for report in reports]
        print_json({"steps": steps, "final": final_state(conversation)})
    else:
        left = len(script.steps) - len(reports)
        rest = f", {left} not taken" if left else ""
        print_line(f"{plural(len(reports), 'step')}, {failed} failed{rest}")
    return 1 if failed else 0


def report_line(report: StepReport) -> str:
    """Return a step in one line."""
    sign = PASSED if report.ok else ERROR
    tokens, batch = report.tokens, report.batch.number
    line = sign.text(f"{report.index:>3}  {_what(report)}")
    if report.error is not None:
        return f"{line}: {report.error}"
    if report.refusal is not None:
        return f"{line}: refused as expected: {report.refusal}"
    if report.kind == "query":
        return f"{line} gives {report.answer}"
    if report.kind == "expect":
        return f"{line} holds"
    if report.kind == "policy" and not report.answer["acted"]:
        return f"{line}: nothing to do"
    notices = "".join(f"  {WARNING.text(notice['kind'])}" for notice in report.notices)
    return (
        f"{line}: batch {batch}, {len(report.visible)} visible, "
        f"{tokens.before} → {tokens.after} tokens{notices}"
    )


def _what(report: StepReport) -> str:
    if report.kind == "query":
        rest = {name: value for name, value in report.given.items() if name != "kind"}
        fields = " ".join(f"{name} {value}" for name, value in rest.items())
        return f"query {report.given['kind']} {fields}".rstrip()
    if report.kind == "expect":
        return f"expect {', '.join(report.given)}"
    if report.kind == "policy":
        return f"policy {report.given.get('name', '')}".rstrip()
    if isinstance(report.given, list):
        return f"list of {len(report.given)}"
    try:
        return read_operation(report.given).sentence()
    except Refused:
        name = report.given.get("operation") if isinstance(report.given, dict) else None
        return name if isinstance(name, str) else "operation"
