"""What can be done to a session in the library and where it is open alike."""

from __future__ import annotations

from ctxtui.commands.command import Command

ACCEPT = Command("plus", "judge('accepted')", "Accept", "Accept it, and go on to the next", "keep")
REJECT = Command("minus", "judge('rejected')", "Reject", "Reject it, and go on to the next", "keep")
NEEDS_WORK = Command(
    "exclamation_mark",
    "judge('needs work')",
    "Needs work",
    "Say that it needs work, and go on to the next",
    "keep",
)
REVIEW: tuple[Command, ...] = (
    ACCEPT,
    REJECT,
    NEEDS_WORK,
    Command(
        "less_than_sign",
        "other(-1)",
        "Conversation before",
        "Go to the conversation before",
        "keep",
    ),
    Command(
        "greater_than_sign", "other(1)", "Next conversation", "Go to the next conversation", "keep"
    ),
)
"""Going through sessions: a verdict leads on to the next one without; the inspector has it, too."""
