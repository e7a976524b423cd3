"""The app's own theme: ink."""

from textual.theme import Theme

INK = Theme(
    name="ink",
    dark=True,
    primary="#D9E650",
    foreground="#CDD4DF",
    background="#0E1118",
    surface="#12161F",
    panel="#1A202C",
    error="#FF6257",
    warning="#F2C94C",
    success="#7FD68A",
    variables={
        "line": "#303A4B",
        "muted": "#96A1B3",
        "faint": "#6A7588",
        "role-system": "#EF86BE",
        "role-user": "#5C9BFA",
        "role-assistant": "#72E6B4",
        "role-tool": "#E9B949",
        "footer-key-foreground": "#D9E650",
        "footer-background": "#1A202C",
        "footer-description-foreground": "#96A1B3",
    },
)
