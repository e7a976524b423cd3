"""Which form belongs to an operation, or to a list of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ctxtui.core.engine.operations import ALL
from ctxtui.core.storage import Session
from ctxtui.forms.prefill import FormContext
from ctxtui.screens.form import FormScreen
from ctxtui.screens.operations import JSON
from ctxtui.screens.paste import PasteScreen
from ctxtui.screens.previewing import Drafts, PreviewScreen

OPERATIONS = {operation.title: operation for operation in ALL}


def form_of(
    title: str,
    context: FormContext,
    session: Session,
    drafts: Drafts,
    given: Mapping[str, Any] | None = None,
) -> PreviewScreen:
    """Return the form of an operation by its name, or the one that takes a list as JSON."""
    if title == JSON:
        return PasteScreen(context, session, drafts)
    return FormScreen(OPERATIONS[title], context, session, drafts, given)
