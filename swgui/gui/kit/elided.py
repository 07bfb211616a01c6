"""Labels of plain text that never push the window wider: one cuts its text with an ellipsis, one wraps it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from swgui.gui.kit.widgets import plain


class _FittedLabel(QLabel):
    """Plain text, fitted again to every width and font; it can be selected."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)

    def fit(self) -> None:
        raise NotImplementedError

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fit()


class ElidedLabel(_FittedLabel):
    """Shows as much of one line of plain text as fits; the tool tip has all of it."""

    _whole = ""

    def set_text(self, text: str, tool_tip: str = "") -> None:
        self._whole = text
        self.setToolTip(plain(tool_tip or text))
        self.setAccessibleName(text)
        self.fit()

    def whole_text(self) -> str:
        return self._whole

    def fit(self) -> None:
        metrics = QFontMetricsF(self.font())
        self.setText(metrics.elidedText(self._whole, Qt.TextElideMode.ElideRight, max(0, self.width() - 2)))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())


class WrappedLabel(_FittedLabel):
    """Shows all of a plain text, in as many lines as its width needs; the parts around it shrink."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWordWrap(True)

    def set_text(self, text: str, tool_tip: str = "") -> None:
        self.setText(text)
        self.setToolTip(plain(tool_tip))
        self.setAccessibleName(text)
        self.fit()

    def fit(self) -> None:
        self.setMinimumHeight(0)  # or its current height counts as the minimum, and it never shrinks
        self.setFixedHeight(max(self.heightForWidth(self.width()), self.fontMetrics().height()))
