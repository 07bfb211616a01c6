"""Tool tips for texts that come from files: shown as they are, never as markup."""

from __future__ import annotations

from html import escape

from PySide6.QtGui import Qt


def plain(text: str) -> str:
    """Return a tool tip that shows `text` letter by letter, whatever it looks like."""
    if not Qt.mightBeRichText(text):
        return text
    return f"<p style='white-space: pre-wrap'>{escape(text)}</p>"
