"""Chips: what filters the hits, one button for each condition that takes it away."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from swgui.gui.hits.arrange import HitFilter
from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.widgets import described, push_button


class FilterChips(QWidget):
    """Shows a filter as chips; hidden while it has no conditions.

    Signals
    -------
    changed(object)
        The `HitFilter` that remains after a click.
    """

    changed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "filterChips")
        self._row = in_row(1, spacing=0.5, parent=self)
        self._buttons: list[QPushButton] = []

    def show_filter(self, shown: HitFilter, waiting: Collection[str] = ()) -> None:
        """Show the conditions of a filter.

        Parameters
        ----------
        waiting : collection of str
            Names of those that are not in force yet.
        """
        for chip in self._buttons:
            self._row.removeWidget(chip)
            chip.hide()
            chip.deleteLater()
        chips = shown.chips()
        self._buttons = [self._chip(shown, name, words, waits=name in waiting) for name, words in chips]
        if len(chips) > 1:
            clear = push_button("chipsClear", "Clear all", role="quiet", does=lambda: self.changed.emit(HitFilter()))
            self._buttons.append(clear)
        for place, button in enumerate(self._buttons):
            self._row.insertWidget(place, button)
        self.setVisible(bool(chips))

    def _chip(self, shown: HitFilter, name: str, words: str, *, waits: bool) -> QPushButton:
        tip = "In force once all hits are aligned; click to remove this filter" if waits else "Remove this filter"
        return push_button(
            f"chip-{name}", f"{words}{' (waits)' if waits else ''}  ×", tip,
            lambda: self.changed.emit(shown.without(name)), role="chip", accessible=f"Remove the filter {words}",
        )  # fmt: skip
