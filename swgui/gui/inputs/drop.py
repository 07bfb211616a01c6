"""Dropping files or text anywhere on the window: a layer that names the possible uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject, QPointF, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QWidget

from swgui.gui.kit.theme import colours, grid
from swgui.jobs.kind import saved_files

DATABASE_SUFFIX = ".swdb"


@dataclass(frozen=True, slots=True)
class Dropped:
    """Dropped files, text, or folders."""

    files: tuple[Path, ...] = ()
    text: str = ""
    folders: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """One possible use of dropped things; `anywhere` also on pages that take drops themselves."""

    title: str
    text: str
    accepts: Callable[[Dropped], bool]
    use: Callable[[Dropped], None]
    anywhere: bool = False


def dropped(mime: QMimeData) -> Dropped:
    """Return the local files of a drag, or its text."""
    files = tuple(Path(url.toLocalFile()) for url in mime.urls() if url.isLocalFile())
    if files:
        inside = tuple(folder for folder in files if folder.is_dir())
        return Dropped(tuple(file for file in files if file.is_file()), folders=inside)
    return Dropped(text=mime.text().strip()) if mime.hasText() else Dropped()


def is_query(dropped: Dropped) -> bool:
    return bool(dropped.text) or (is_source(dropped) and not dropped.folders and not is_imported(dropped))


def is_database(dropped: Dropped) -> bool:
    """Whether something can be searched in: one file that is no result, nor a database of another program."""
    return len(dropped.files) == 1 and not is_result(dropped) and not dropped.folders and not is_imported(dropped)


def is_imported(dropped: Dropped) -> bool:
    """Whether a file is part of a database of another program, from which swgui first builds its own."""
    from swgui.io.imported.finding import find_imported_database

    return any(find_imported_database(file) is not None for file in dropped.files)


def is_source(dropped: Dropped) -> bool:
    """Whether a database can be built of it: folders, and files that are neither databases nor results."""
    return bool(dropped.files or dropped.folders) and not any(map(is_own, dropped.files))


def is_result(dropped: Dropped) -> bool:
    return len(dropped.files) == 1 and is_saved(dropped.files[0])


def is_own(file: Path) -> bool:
    """Whether a file is, by its ending, one that this program made: a database or a saved run."""
    return file.suffix == DATABASE_SUFFIX or is_saved(file)


def is_saved(file: Path) -> bool:
    """Whether a file is a saved run, by its ending."""
    return file.suffix in saved_files()


class DropLayer(QWidget):
    """Covers the window while something is dragged over it, and shows the targets."""

    def __init__(self, targets: tuple[Target, ...], window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("dropLayer")
        self.setAcceptDrops(True)
        self.targets = targets
        self.offered: list[Target] = []
        self._over: Target | None = None
        self._window = window
        window.setAcceptDrops(True)
        window.installEventFilter(self)
        self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDragEnterEvent):
            return self._offer(event)
        if event.type() == QEvent.Type.Resize:
            self.setGeometry(self._window.rect())
        return False

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        over = self._at(event.position())
        if over is not self._over:
            self._over = over
            self.update()
        event.setAccepted(over is not None)

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        target, content = self._at(event.position()), dropped(event.mimeData())
        self.hide()
        if target is not None:
            event.acceptProposedAction()
            target.use(content)

    def _offer(self, event: QDragEnterEvent) -> bool:
        content = dropped(event.mimeData())
        self.offered = [target for target in self.targets if target.accepts(content)]
        if not self.offered:
            return False
        self._over = None
        self.setGeometry(self._window.rect())
        self.raise_()
        self.show()
        event.acceptProposedAction()
        return True

    def boxes(self) -> list[tuple[QRect, Target]]:
        gap = grid(3)
        count = len(self.offered)
        width = min(grid(40), (self.width() - gap * (count + 1)) // max(1, count))
        height = grid(18)
        left = (self.width() - width * count - gap * (count - 1)) // 2
        top = (self.height() - height) // 2
        return [
            (QRect(left + index * (width + gap), top, width, height), target)
            for index, target in enumerate(self.offered)
        ]

    def _at(self, position: QPointF) -> Target | None:
        return next((target for box, target in self.boxes() if box.contains(position.toPoint())), None)

    def paintEvent(self, event: QPaintEvent) -> None:
        shades = colours(self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        veil = QColor(shades.window)
        veil.setAlphaF(0.88)
        painter.fillRect(self.rect(), veil)
        for box, target in self.boxes():
            over = target is self._over
            painter.setPen(QPen(QColor(shades.accent if over else shades.control), 2, Qt.PenStyle.DashLine))
            painter.setBrush(QColor(shades.accent_soft if over else shades.base))
            painter.drawRoundedRect(box, grid(1), grid(1))
            inner = box.adjusted(grid(2), 0, -grid(2), 0)
            font = self.font()
            font.setBold(True)
            font.setPointSizeF(font.pointSizeF() * 1.2)
            painter.setFont(font)
            painter.setPen(QColor(shades.accent if over else shades.text))
            upper = QRect(inner.left(), inner.top(), inner.width(), inner.height() // 2 - grid(0.5))
            painter.drawText(upper, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, target.title)
            painter.setFont(self.font())
            painter.setPen(QColor(shades.muted))
            lower = QRect(inner.left(), inner.center().y() + grid(0.5), inner.width(), inner.height() // 2 - grid(1))
            flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
            painter.drawText(lower, flags, target.text)
