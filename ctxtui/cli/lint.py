"""``ctxtui lint``: what makes projections invalid."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ctxtui.cli.inputs import check_stdin, is_session, open_target, targets, targets_argument
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.parser import Namespace, Parser
from ctxtui.cli.streams import print_errors
from ctxtui.core import Conversation, Finding
from ctxtui.core.engine.settings import PROFILES
from ctxtui.core.errors import Refused
from ctxtui.core.lint import lint_seen
from ctxtui.files.sandbox import Unreadable
from ctxtui.files.sessions import open_library
from ctxtui.text.icons import ERROR, PASSED, WARNING, icon_of
from ctxtui.text.plurals import plural


def arguments(parser: Parser) -> None:
    targets_argument(parser)
    parser.option("--profile", "whose rules to apply", choices=PROFILES)
    parser.option("--json", "print the findings as JSON")


class Linted(NamedTuple):
    """What a profile has to say of a conversation."""

    profile: str
    errors: int
    warnings: int
    findings: Sequence[Finding]

    @classmethod
    def of(cls, conversation: Conversation, profile: str | None) -> Linted:
        """Return the findings by a profile, else by the conversation's own."""
        chosen = profile or conversation.settings.profile
        findings = [*conversation.lint(chosen), *_of_last_call(conversation)]
        errors = sum(finding.severity == "error" for finding in findings)
        return cls(chosen, errors, len(findings) - errors, findings)

    @property
    def counts(self) -> str:
        counted = f"{plural(self.errors, 'error')}, {plural(self.warnings, 'warning')}"
        return f"{counted} ({self.profile})"

    def to_dict(self) -> dict[str, Any]:
        return {**self._asdict(), "findings": [finding.to_dict() for finding in self.findings]}


def _of_last_call(conversation: Conversation) -> list[Finding]:
    """Return what is wrong with what the model saw of a call that sent what is visible now."""
    calls = list(conversation.calls)
    if not calls or calls[-1].revision != conversation.current.id:
        return []
    return lint_seen(conversation.moment, conversation.seen(calls[-1]))


def run(args: Namespace) -> int:
    """Print the findings; 1 means that one of them is an error."""
    check_stdin(*args.names)
    names = targets(args)
    if len(args.names) != 1:
        return _lint_all(names, args)
    linted = _linted(names[0], args)
    if args.json:
        print_json(linted.to_dict())
    else:
        _print(linted)
    return 1 if linted.errors else 0


def _linted(name: str, args: Namespace) -> Linted:
    opened = open_target(name, args.library)
    return Linted.of(opened.conversation, args.profile)


def _print(linted: Linted) -> None:
    for finding in linted.findings:
        place = (
            "the whole projection"
            if finding.position is None
            else f"position {finding.position}, raw {finding.raw_index}"
        )
        repairs = f"  (REPAIR {', '.join(finding.repairs)})" if finding.repairs else ""
        line = f"{finding.rule}  {place}: {finding.message}{repairs}"
        print_line(icon_of(finding).text(line))
    if linted.findings:
        print_line(linted.counts)
    else:
        print_line(PASSED.text(f"every rule of {linted.profile} passes"))


def _lint_all(names: Sequence[str], args: Namespace) -> int:
    """Print a line for each conversation; one that can't be read stops no other."""
    rows, bad, unread = [], 0, 0
    known: dict[str, str] = {}
    if any(map(is_session, names)):
        known = {entry.id: entry.title for entry in open_library(args.library).list()}
    for name in names:
        try:
            linted = _linted(name, args)
        except (Unreadable, Refused) as problem:
            print_errors([str(problem)])
            unread += 1
            continue
        bad += linted.errors > 0
        title = known.get(name)
        rows.append({"name": name, "title": title, **linted.to_dict()})
        if not args.json:
            _print_one(f"{name}  {title}" if title else name, linted)
    if args.json:
        print_json({"conversations": rows})
    else:
        print_line(f"{plural(len(rows), 'conversation')}, {bad:,} with errors")
    return 1 if bad or unread else 0


def _print_one(name: str, linted: Linted) -> None:
    if not linted.findings:
        print_line(PASSED.text(f"{name}: every rule of {linted.profile} passes"))
        return
    rules = ", ".join(dict.fromkeys(finding.rule for finding in linted.findings))
    print_line((ERROR if linted.errors else WARNING).text(f"{name}: {linted.counts}: {rules}"))
