"""The box that chooses the colour scheme of the residues, with schemes of one's own."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QComboBox, QFileDialog, QMenu, QSizePolicy, QWidget

from swgui.core.plain import replace
from swgui.gui.kit import theme
from swgui.gui.kit.saving import last_folder
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.painted import Painted
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.schemes import (
    NO_COLOURS,
    ColorScheme,
    adopt_scheme,
    own_key,
    own_schemes,
    scheme_of,
    shipped_schemes,
)
from swgui.io.alphabets import alphabet_record

MAX_NAMED = 8  # schemes with more groups show their residues instead of names
OPEN_SCHEME = "open"
DEFAULT_SCHEMES = {
    ("wrapped", "protein"): "similarity",
    ("wrapped", "nucleotide"): "similarity",
    ("stacked", "protein"): "safe_7",
    ("stacked", "nucleotide"): "safe_nucleotide",
}
VIEWS = ("wrapped", "stacked")


class Legend(Painted, QWidget):
    """One line of swatches with the names of a scheme's groups."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("colorLegend")
        self._scheme = NO_COLOURS
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    def show_scheme(self, scheme: ColorScheme) -> None:
        self._scheme = scheme
        self.setAccessibleName(f"Legend of {scheme.title}: {', '.join(self._names())}")
        rows = "".join(
            f"<tr><td style='background:{fill}'>&nbsp;&nbsp;&nbsp;&nbsp;</td><td>&nbsp;{group.name}</td>"
            f"<td>&nbsp;{' '.join(group.residues)}</td></tr>"
            for group, fill in zip(scheme.groups, scheme.fills(self._dark()), strict=True)
        )
        self.setToolTip(f"<p><b>{scheme.title}</b></p><table>{rows}</table><p>{scheme.origin}</p>")
        self.updateGeometry()
        self.update()

    @staticmethod
    def _dark() -> bool:
        return styling.is_dark(QApplication.palette())

    def _names(self) -> list[str]:
        if len(self._scheme.groups) > MAX_NAMED:
            return [group.residues for group in self._scheme.groups]
        return [group.name for group in self._scheme.groups]

    def _metrics(self) -> QFontMetricsF:
        return QFontMetricsF(self.font())

    def sizeHint(self) -> QSize:
        metrics = self._metrics()
        swatch = metrics.height() * 0.75
        width = sum(swatch + 5 + metrics.horizontalAdvance(name) + 12 for name in self._names())
        return QSize(int(width) + 2, int(metrics.height() + 4))

    def minimumSizeHint(self) -> QSize:
        return QSize(0, self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        metrics = self._metrics()
        swatch = round(metrics.height() * 0.75)
        shades = theme.colours(self)
        x = 0.0
        for name, fill in zip(self._names(), self._scheme.fills(self._dark()), strict=True):
            painter.setPen(QPen(QColor(shades.control), 1))
            painter.setBrush(QColor(fill))
            painter.drawRect(QRectF(round(x) + 0.5, (self.height() - swatch) // 2 + 0.5, swatch, swatch))
            painter.setPen(QColor(shades.muted))
            width = metrics.horizontalAdvance(name)
            place = QRectF(x + swatch + 5, 0, width + 4, self.height())
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)
            x += swatch + 5 + width + 12

    def refresh(self) -> None:
        if self._scheme is not NO_COLOURS:
            self.show_scheme(self._scheme)


class SchemeBox(QComboBox):
    """Lists what suits the sequences and the view; each view keeps its own choice."""

    used = Signal(str, object)  # view and the `ColorScheme` it is to have now
    schemes_chosen = Signal(object)  # key of the colour scheme by view, after the user chose one
    message = Signal(str)  # a message for the window's status line

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "colorScheme", "Colour scheme of the residues", "Colour scheme")
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._tasks = tasks
        self._view, self._alphabet = "wrapped", ""
        self._own: dict[str, ColorScheme] = {}
        self._chosen: dict[str, str] = {}  # view and the scheme the user chose for it
        self._offered: list[ColorScheme] = []
        self.activated.connect(self._activated)
        self._tasks.submit("results-schemes", own_schemes, self._take_own)

    def offer(self, view: str, alphabet: str) -> None:
        self._view, self._alphabet = view, alphabet
        self._fill()

    def use_schemes(self, chosen: Mapping[str, str]) -> None:
        """Take over the schemes that were chosen in an earlier session, by view."""
        self._chosen = {view: key for view, key in chosen.items() if view in VIEWS}
        self._fill()

    def _fill(self) -> None:
        if not self._alphabet:
            return
        record = alphabet_record(self._alphabet)
        of_file = [scheme_of(record)] if record is not None and record.colours else []
        known = [*of_file, *shipped_schemes().values(), *self._own.values()]
        stacked = self._view == "stacked"
        self._offered = [s for s in known if s.suits(self._alphabet) and (stacked or not s.needs_column)]
        self.clear()
        for at, scheme in enumerate(self._offered):
            self.addItem(scheme.title, scheme.key)
            self.setItemData(at, scheme.origin, Qt.ItemDataRole.ToolTipRole)
        self.insertSeparator(self.count())
        self.addItem("From a file…", OPEN_SCHEME)
        usual = DEFAULT_SCHEMES.get((self._view, self._alphabet), of_file[0].key if of_file else "similarity")
        at = self.findData(self._chosen.get(self._view, usual))
        self.setCurrentIndex(at if at >= 0 else self.findData(usual))
        self.used.emit(self._view, self.scheme())

    def scheme(self) -> ColorScheme:
        key = self.currentData()
        return next(scheme for scheme in self._offered if scheme.key == key)

    def fill_menu(self, menu: QMenu) -> None:
        """List the schemes in a menu, too, the one in use ticked."""
        menu.clear()
        for at in range(self.count()):
            if self.itemData(at) is None:  # the line between
                menu.addSeparator()
                continue
            action = menu.addAction(self.itemText(at))
            action.setToolTip(self.itemData(at, Qt.ItemDataRole.ToolTipRole) or "")
            action.setCheckable(True)
            action.setChecked(at == self.currentIndex())
            action.triggered.connect(partial(self._choose_at, at))

    def _choose_at(self, at: int, _checked: bool = False) -> None:
        self.setCurrentIndex(at)
        self._activated()

    def _activated(self) -> None:
        key = self.currentData()
        if key == OPEN_SCHEME:
            self._fill()
            self._ask()
        elif key is not None:  # not the line between
            self._choose(key)
            self.used.emit(self._view, self.scheme())

    def _choose(self, key: str) -> None:
        if self._chosen.get(self._view) != key:
            self._chosen[self._view] = key
            self.schemes_chosen.emit(dict(self._chosen))

    # -- schemes of the user's own -----------------------------------------------------------------

    def _take_own(self, found: tuple[list[ColorScheme], list[str]]) -> None:
        schemes, problems = found
        self._own = {scheme.key: scheme for scheme in schemes} | self._own
        if schemes:
            self._fill()
        if problems:
            self.message.emit(problems[0])

    def _ask(self) -> None:
        path, _ = QFileDialog.getOpenFileName(
            self.window(), "Colour scheme", last_folder(), "Colour schemes (*.json);;All files (*)"
        )
        if path:
            self.load(Path(path))

    def load(self, path: Path) -> None:
        """Read a colour scheme from a file, keep it among the user's own, and use it."""
        self._tasks.submit(
            "results-scheme",
            lambda: adopt_scheme(path),
            self._take_read,
            lambda error: self.message.emit(str(error)),
        )

    def _take_read(self, scheme: ColorScheme) -> None:
        own = replace(scheme, key=own_key(scheme))
        self._own[own.key] = own
        self._choose(own.key)
        self._fill()
        used = self.currentData() == own.key
        outcome = "is used" if used else "does not suit these sequences or this view"
        self.message.emit(f"“{own.title}” {outcome}.")
