"""Optional packages, which only some features need."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import Refused


def optional_module(name: str, feature: str, package: str, extra: str, **refusal: Any) -> Any:
    """Return a module of an optional package, or refuse and say how to install it.

    ``refusal`` is what ``Refused`` takes in addition: the field, its value, what is legal without
    the package, a hint.
    """
    try:
        return import_module(name)
    except ImportError:
        raise Refused(
            f"{feature} needs {package}, which is not installed: "
            f"pip install '.[{extra}]' in a checkout",
            **refusal,
        ) from None
