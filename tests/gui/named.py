"""Parts of a page by their object names, which stay where attributes move."""

from PySide6.QtWidgets import QWidget


def named(page: QWidget, name: str) -> QWidget:
    """Return the part of a page that has a name."""
    found = page.findChild(QWidget, name)
    assert found is not None, f"{page.objectName()} has no {name}"
    return found
