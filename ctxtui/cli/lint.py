"""``ctxtui lint``: what makes a projection invalid."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from core.settings import PROFILES
from ctxtui.cli.output import print_json, print_line
from ctxtui.cli.sessions import open_target, target_arguments
from ctxtui.render.text.severity import PASSED, sign_of
from ctxtui.words import plural


def arguments(parser: ArgumentParser) -> None:
    """Declare what the command takes."""
    target_arguments(parser)
    parser.add_argument("--profile", choices=PROFILES, help="whose rules to apply")
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(asked: Namespace) -> int:
    """Print the findings; 1 means that one of them is an error."""
    conversation = open_target(asked).conversation
    profile = asked.profile or conversation.settings.profile
    findings = conversation.lint(profile)
    errors = sum(finding.severity == "error" for finding in findings)
    warnings = len(findings) - errors
    if asked.json:
        print_json(
            {
                "profile": profile,
                "errors": errors,
                "warnings": warnings,
                "findings": [finding.to_dict() for finding in findings],
            }
        )
    else:
        for finding in findings:
            place = (
                "the whole projection"
                if finding.position is None
                else f"position {finding.position}, raw {finding.raw_index}"
            )
            repairs = f"  (REPAIR {', '.join(finding.repairs)})" if finding.repairs else ""
            told = f"{finding.rule}  {place}: {finding.message}{repairs}"
            print_line(sign_of(finding).text(told))
        if findings:
            print_line(f"{plural(errors, 'error')}, {plural(warnings, 'warning')} ({profile})")
        else:
            print_line(PASSED.text(f"every rule of {profile} passes"))
    return 1 if errors else 0
