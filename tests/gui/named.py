"""Parts of a page by their object names, which stay where attributes move."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget


def named(page: QWidget, name: str) -> QWidget:
    """Return the part of a page that has a name: its own rather than that of a part."""
    own = page.findChild(QWidget, name, Qt.FindChildOption.FindDirectChildrenOnly)
    found = own or page.findChild(QWidget, name)
    assert found is not None, f"{page.objectName()} has no {name}"
    return found
