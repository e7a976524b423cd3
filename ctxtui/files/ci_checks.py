"""CI checks: a shell script that lets a policy run over a run, and fails when it gets worse."""

from __future__ import annotations

from collections.abc import Sequence
from shlex import quote

from ctxtui.core.policies import Policy, PolicyFigures
from ctxtui.files.paths import read_path
from ctxtui.files.policies import policy_text
from ctxtui.files.recipes import safe_name
from ctxtui.files.writing import write_whole

SUFFIX = ".sh"
HEAD = """\
#!/bin/sh
# Fails when this context policy breaks a call of the run, loses what must stay, or sends more than
# it did when this check was written. Another run may be given as the first argument.
set -eu
run={run}
if [ $# -gt 0 ]; then run=$1; fi
policy=$(mktemp)
trap 'rm -f "$policy"' EXIT
cat > "$policy" <<'POLICY'
{policy}POLICY
"""


def expectations(figures: PolicyFigures) -> list[str]:
    """Return what holds of a policy now, as a simulation expects it."""
    exact = {"broken": figures.broken, "withoutMarked": figures.without_marked}
    most = {"peak": figures.peak, "tokensOutsidePrefix": figures.tokens_outside_prefix}
    return [
        *(f"{name}{'<=' if count else '='}{count}" for name, count in exact.items()),
        *(f"{name}<={count}" for name, count in most.items()),
    ]


def check_text(run: str, policy: Policy, figures: PolicyFigures, must: Sequence[str] | None) -> str:
    """Return the script; ``must`` are the labels that must stay, or None where all of them must."""
    command = ['ctxtui simulate "$run" --policy "$policy"']
    if must is not None:
        command.append(f"--must {' '.join(map(quote, must))}")
    command.append(f"--expect {' '.join(map(quote, expectations(figures)))}")
    head = HEAD.format(run=quote(run), policy=policy_text(policy))
    return f"{head}{' '.join(command)}\n"


def usual_check(policy: Policy) -> str:
    """Return what the script of a policy is called if nobody says otherwise."""
    return f"check-{safe_name(policy.name)}{SUFFIX}"


def write_check(name: str, text: str) -> None:
    """Write the script as a whole or not at all."""
    write_whole(read_path(name), text)
