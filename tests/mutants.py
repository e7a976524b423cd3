"""What `make mutants` has found so far: figures for each module, and the mutants that survived."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

from tests.benchmarks.table import show

FOLDER = Path("mutants/ctxtui/core")
SURVIVED, NO_TEST, NOT_RUN = "survived", "no test", "not run"
OUTCOMES = {0: SURVIVED, 1: "killed", 3: "killed", 5: NO_TEST, 33: NO_TEST, None: NOT_RUN}
"""By the exit code of pytest, as mutmut keeps it; anything else is a mutant that never ended."""
COLUMNS = ("killed", "endless", SURVIVED, NO_TEST, NOT_RUN)


def outcomes(folder: Path) -> dict[str, dict[str, str]]:
    """Return what became of each mutant of each module."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(folder.rglob("*.py.meta")):
        codes = json.loads(path.read_text(encoding="utf-8"))["exit_code_by_key"]
        module = path.relative_to(folder).as_posix().removesuffix(".meta")
        if codes:
            found[module] = {name: OUTCOMES.get(code, "endless") for name, code in codes.items()}
    return found


def main() -> None:
    """Print a table of the modules, and below it the names of those that survived."""
    found = outcomes(FOLDER)
    rows = []
    for module, mutants in found.items():
        counts = Counter(mutants.values())
        rows.append([module, str(len(mutants)), *(str(counts[column]) for column in COLUMNS)])
    show("Mutants", [], ["module", "mutants", *COLUMNS], rows)
    for mutants in found.values():
        for name, outcome in mutants.items():
            if outcome in (SURVIVED, NO_TEST):
                print(f"  {outcome}: {name}")


if __name__ == "__main__":
    main()
