"""Starting a program with a conversation, against one that defines and builds a pydantic model."""

from __future__ import annotations

import os
import sys
from resource import RUSAGE_CHILDREN, getrusage
from subprocess import run
from tempfile import TemporaryDirectory

from tests.benchmarks.table import Report, Target, show, times

MODEL = "from pydantic import BaseModel\nclass Point(BaseModel):\n    x: int\nPoint(x=1)\n"
CONVERSATION = (
    "from ctxtui.core import Conversation\nConversation([{'role': 'user', 'content': 'x'}])\n"
)
ROUNDS = 12
MOST = 1.4


def user_seconds(code: str, bytecode: str) -> float:
    """Return the processor time of a new process, without that of the kernel."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": bytecode}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = getrusage(RUSAGE_CHILDREN).ru_utime
    run([sys.executable, "-c", code], check=True, env=environment)
    return getrusage(RUSAGE_CHILDREN).ru_utime - before


def report(out: Report) -> None:
    """Start both programs in turns and print the best times."""
    with TemporaryDirectory() as bytecode:
        for code in (MODEL, CONVERSATION):
            user_seconds(code, bytecode)
        pairs = [
            (user_seconds(MODEL, bytecode), user_seconds(CONVERSATION, bytecode))
            for _ in range(ROUNDS)
        ]
    model, conversation = map(min, zip(*pairs, strict=True))
    verdict = out.judge(Target("start with a conversation", conversation / model, "×", MOST))
    show(
        "Start-up",
        ["user time of new processes, bytecode written; against one small pydantic model"],
        ["a model, ms", "a conversation, ms", "ratio", ""],
        [[f"{model * 1e3:.0f}", f"{conversation * 1e3:.0f}", times(conversation / model), verdict]],
    )
