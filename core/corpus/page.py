"""The page of a report: one HTML file that needs nothing else."""

from __future__ import annotations

from typing import Any


def page_of(report: dict[str, Any]) -> str:
    """Return the page."""
    return f"<!doctype html><title>{report['kept']}</title>"
