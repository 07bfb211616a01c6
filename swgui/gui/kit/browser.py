"""Pages of the web, opened in the user's browser."""

from __future__ import annotations

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_page(url: str) -> None:
    """Open a page in the browser; only a click of the user calls it."""
    QDesktopServices.openUrl(QUrl(url))
