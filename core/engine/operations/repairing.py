"""The operations that mend: REPAIR what tool calls and results have lost, TOGGLE what was done."""

from __future__ import annotations

from typing import Annotated, ClassVar, Literal

from pydantic import Field

from ...values.models import Indices, one_of
from ..operation import BatchOperation, Operation


class Repair(BatchOperation):
    """Make tool calls and results fit together again."""

    title: ClassVar[str] = "REPAIR"
    policy: Annotated[Literal["drop", "restore", "stub"], one_of("drop", "restore", "stub")] = (
        Field(default="drop", description="What to do about a broken pair")
    )


class Toggle(Operation):
    """Switch past operations off: the later ones of the path run again as a new branch."""

    title: ClassVar[str] = "TOGGLE"
    skip: Indices = Field(description="Ids of the revisions to leave out")
