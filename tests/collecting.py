"""Collecting tests more than once in a process, as mutation testing does.

Pytest keeps the ids it has made of parameters, and escapes signs in them again the next time; a
test would then not be found under the name it had before.
"""

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let the ids of parameters be made again."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        if mark._param_ids_from is not None:
            object.__setattr__(mark._param_ids_from, "_param_ids_generated", None)
