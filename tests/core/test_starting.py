"""Starting: what a program loads that only makes a conversation."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROBE = """
import json, sys
from ctxtui.core import Conversation
Conversation([{"role": "user", "content": "x"}])
print(json.dumps(sorted(sys.modules)))
"""
THREADS = """
import sys, threading
from ctxtui.core import Conversation
sys.setswitchinterval(1e-6)
barrier, done = threading.Barrier(8), []
def work():
    barrier.wait()
    conversation = Conversation([{"role": "user", "content": "x"}])
    conversation.execute({"operation": "COMPRESS", "select": {"roles": ["user"]}})
    conversation.execute({"operation": "TRUNCATE", "keepLast": 1})
    done.append(conversation)
threads = [threading.Thread(target=work) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert len(done) == 8
"""


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_conversation_loads_only_the_engine() -> None:
    loaded = set(json.loads(run(PROBE)))
    rooms = {name.split(".")[2] for name in loaded if name.startswith("ctxtui.core.")}
    assert rooms == {"conversation", "engine", "errors", "values"}
    assert "ctxtui.core.engine.text_search" not in loaded
    unused = {"filelock", "orjson", "regex", "rich", "textual", "tinydb", "zstandard"}
    assert not unused & loaded
    assert "pydantic.dataclasses" not in loaded


def test_models_that_are_built_on_first_use_may_be_used_by_several_threads_at_once() -> None:
    run(THREADS)
