"""The app's own themes: ink, which is dark, and paper, which is light."""

from __future__ import annotations

from textual.theme import Theme

INK = Theme(
    name="ink",
    dark=True,
    primary="#D9E650",
    secondary="#96A1B3",
    accent="#D9E650",
    foreground="#CDD4DF",
    background="#0E1118",
    surface="#12161F",
    panel="#1A202C",
    error="#FF6257",
    warning="#F2C94C",
    success="#7FD68A",
    variables={
        "sunk": "#0A0D13",
        "line": "#303A4B",
        "soft": "#1F2733",
        "bright": "#F4F6FA",
        "muted": "#96A1B3",
        "faint": "#7C879B",
        "dim": "#5B6678",
        "hl": "#D9E650",
        "hlink": "#14170A",
        "focus": "#D9E650",
        "cursor-row": "#31371F",
        "select-row": "#243040",
        "hover-row": "#222A3A",
        "added-row": "#12302C",
        "hidden-row": "#361A22",
        "finding-row": "#3A1820",
        "warning-row": "#2E2A18",
        "role-system": "#EF86BE",
        "role-user": "#5C9BFA",
        "role-assistant": "#72E6B4",
        "role-tool": "#E9B949",
        "syntax": "#B7A1F2",
        "syntax-name": "#6FC3D8",
        "footer-key-foreground": "#D9E650",
        "footer-background": "#1A202C",
        "footer-description-foreground": "#96A1B3",
    },
)

PAPER = Theme(
    name="paper",
    dark=False,
    primary="#0B0E14",
    secondary="#645E50",
    accent="#0B0E14",
    foreground="#2B303B",
    background="#F4F0E6",
    surface="#FCFAF5",
    panel="#E9E3D5",
    error="#B4232C",
    warning="#855C00",
    success="#2C7536",
    variables={
        "sunk": "#EFEADF",
        "line": "#C9C0AC",
        "soft": "#E6DFD0",
        "bright": "#0B0E14",
        "muted": "#645E50",
        "faint": "#736C5C",
        "dim": "#8F8776",
        "hl": "#F3DF2E",
        "hlink": "#1B1A05",
        "focus": "#0B0E14",
        "cursor-row": "#F7EE9E",
        "select-row": "#DCE6F2",
        "hover-row": "#E9E3D5",
        "added-row": "#D6EFE6",
        "hidden-row": "#F8DCDC",
        "finding-row": "#F8DCDC",
        "warning-row": "#F5E9BE",
        "role-system": "#B0187C",
        "role-user": "#0B3C8C",
        "role-assistant": "#0F7358",
        "role-tool": "#7A4A08",
        "syntax": "#5B3FA8",
        "syntax-name": "#0B6478",
        "footer-key-foreground": "#0B0E14",
        "footer-background": "#E9E3D5",
        "footer-description-foreground": "#645E50",
    },
)

CHOICES = {INK.name: "Dark, as ink is", PAPER.name: "Light, as paper is"}
"""The themes, each in a few words."""
AUTO = "auto"
THEMES = {AUTO: "Dark or light, as the terminal is", **CHOICES}
"""What a user can choose."""


def colours_of(name: str) -> dict[str, str]:
    """Return the colours of ink or paper by name, for drawings without a terminal."""
    theme = PAPER if name == PAPER.name else INK
    named = ("primary", "foreground", "surface", "error", "warning", "success")
    return {**theme.variables, **{one: getattr(theme, one) for one in named}}
