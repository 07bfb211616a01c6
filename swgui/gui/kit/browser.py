"""Pages of the web, in the user's browser: the program itself asks nobody."""

from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices


def open_page(url: str) -> None:
    """Open a page; called for nothing but a click."""
    QDesktopServices.openUrl(QUrl(url))
