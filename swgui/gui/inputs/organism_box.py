"""Choice of the organisms of a database to search, with their numbers of sequences."""

from __future__ import annotations

from typing import Final

import numpy as np
from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.organisms.chosen import choices, chosen_subjects
from swgui.core.organisms.limit import OrganismLimit, limit_of
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import (
    delayed,
    line_edit,
    push_button,
    text_label,
)

TYPING_PAUSE: Final = 200  # milliseconds from the last key to the count
LISTED: Final = 3_000_000  # subjects whose headers are read without a request
OFFERED: Final = 20_000  # names; others can be typed
VISIBLE: Final = 12
NAME: Final = Qt.ItemDataRole.UserRole
COUNTING: Final = "Counting the organisms of the database…"
_SEVERAL: Final = "Names or numbers in NCBI's taxonomy, several with commas between them"
ONLY_TIP: Final = f"Search only these organisms or clades. {_SEVERAL}"
WITHOUT_TIP: Final = f"Leave these organisms or clades out. {_SEVERAL}"


class _Completer(QCompleter):
    """Completes the text behind the last comma."""

    def __init__(self, line: QLineEdit, model: QAbstractItemModel) -> None:
        super().__init__(model, line)
        self._line = line
        self.setCompletionRole(NAME)
        self.setFilterMode(Qt.MatchFlag.MatchContains)
        self.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        self.setMaxVisibleItems(VISIBLE)
        line.setCompleter(self)

    def splitPath(self, path: str) -> list[str]:
        return [path.rpartition(",")[2].strip()]

    def pathFromIndex(self, index: QModelIndex | QPersistentModelIndex) -> str:
        before, comma, _ = self._line.text().rpartition(",")
        return f"{before}{comma}{' ' if comma else ''}{index.data(NAME)}"


class OrganismBox(QWidget):
    """Asks for the organisms to search, and for those to leave out."""

    changed = Signal()  # the organisms changed, or their numbers of subjects are known

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("organismBox")
        self._database: EncodedDatabase | None = None
        self._counts = True  # whether organisms are counted here: those of another computer are not
        self._searched: tuple[int, int] | None = None  # subjects and residues, once they are counted
        self._error = ""
        self._edited: QLineEdit | None = None  # until Return, or until another widget is used
        self._listing, self._measuring = Task(self), Task(self)
        self._counting = Task(self)
        self._typing = delayed(self, TYPING_PAUSE, self._count)
        self.names = QStandardItemModel(self)
        self.only = self._line("organismOnly", ONLY_TIP, "All organisms")
        self.without = self._line("organismWithout", WITHOUT_TIP, "None")
        self._said = text_label(name="organismCount", plain=True, wrap=True, level="muted")
        labels = (text_label("Organisms"), text_label("without"))
        for label, line in zip(labels, (self.only, self.without), strict=True):
            label.setBuddy(line)
        tip = "Search only some organisms or clades, or leave some out"
        self._ask = push_button("organismAsk", "Only some organisms…", tip, self._show_lines, role="quiet")
        set_role(self._ask, flush=True)
        self._lines = QWidget()
        in_row(labels[0], (self.only, 3), labels[1], (self.without, 2), spacing=0.75, parent=self._lines)
        self._lines.hide()
        in_column(in_row(self._ask, 1), self._lines, self._said, spacing=0.25, parent=self)
        self._show()
        self.hide()

    def _show_lines(self) -> None:
        self._lines.show()
        self._ask.hide()
        self.only.setFocus()

    def _line(self, name: str, tip: str, hint: str) -> QLineEdit:
        line = line_edit(name, tip, lambda _text: self._typed(), hint=hint, clear=True, accessible=tip)
        _Completer(line, self.names)
        line.textEdited.connect(lambda _text: self._edit(line))
        line.editingFinished.connect(lambda: self._edit(None))
        return line

    def _edit(self, line: QLineEdit | None) -> None:
        self._edited = line
        self._show()

    @property
    def listing(self) -> bool:
        """Whether the organisms of the database are still being listed."""
        return self._listing.busy

    @property
    def limit(self) -> OrganismLimit:
        """Requested organisms."""
        return limit_of([self.only.text().strip(" ,")], [self.without.text().strip(" ,")])

    @property
    def problem(self) -> str:
        """Why they cannot be searched, or not yet, as one sentence; empty if they can."""
        return self._error or (COUNTING if self.limit and self._searched is None and self._counts else "")

    @property
    def searched(self) -> tuple[int, int]:
        if self._searched is not None:
            return self._searched
        return (len(self._database), self._database.residues) if self._database is not None else (0, 0)

    def ask_for(self, limit: OrganismLimit) -> None:
        for line, names in ((self.only, limit.only), (self.without, limit.without)):
            line.setText(", ".join(names))

    def use(self, database: EncodedDatabase | None) -> None:
        """Offer the organisms of another database; typed text stays."""
        if database is self._database:
            return
        self._database, self._counts = database, database is None or not database.address
        self.names.clear()
        self._listing.drop()
        if database is None:
            self.hide()
        elif not self._counts:
            self.show()
        elif database.stored_organisms is not None or len(database) <= LISTED:
            self._list(database)
        else:
            self.show()
        self._typed()

    def _list(self, database: EncodedDatabase) -> None:
        self._listing.start(lambda _control: choices(database.organisms), self._offer)

    def shutdown(self) -> None:
        self._listing.shutdown()
        self._counting.shutdown()

    def _offer(self, organisms: list[tuple[str, int]]) -> None:
        for name, count in organisms[:OFFERED]:
            item = QStandardItem(f"{name}   {count:,}")
            item.setData(name, NAME)
            self.names.appendRow(item)
        self.setVisible(bool(organisms) or bool(self.limit))

    def _typed(self) -> None:
        self._counting.drop()
        self._searched, self._error = None, ""
        if self.limit and self._database is not None and self._counts:
            self._typing.start()
        else:
            self._typing.stop()
        self._show()
        self.changed.emit()

    def _count(self) -> None:
        database, limit = self._database, self.limit
        if database is not None and limit:
            self._counting.start(lambda _control: _counted(database, limit), self._take)

    def _take(self, counted: tuple[int, int] | str) -> None:
        if isinstance(counted, str):
            self._error = counted
        else:
            self._searched = counted
            if self._database is not None and not self.names.rowCount():  # all headers have been read now
                self._list(self._database)
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        if self.limit:
            self._lines.show()
            self._ask.hide()
        offered = self._edited is not None and self._edited.completer().completionCount() > 0
        error = "" if offered else self._error  # half a name that is completed is not yet a mistake
        text = error
        if self._searched is not None and self._database is not None:
            subjects, _ = self._searched
            text = f"{subjects:,} of {words.count(len(self._database), 'sequence')} will be searched."
        self._said.setText(text)
        self._said.setVisible(bool(text))
        set_role(self._said, tone="danger" if error else "")
        for line in (self.only, self.without):
            set_role(line, wrong=bool(error) and bool(line.text()))


def _counted(database: EncodedDatabase, limit: OrganismLimit) -> tuple[int, int] | str:
    try:
        chosen = chosen_subjects(database.organisms, limit, database.name)
    except SwguiError as error:
        return str(error)
    return int(chosen.sum()), int(database.lengths[chosen].sum(dtype=np.int64))
