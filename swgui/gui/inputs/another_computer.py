"""The dialog that asks for another computer, and for one of its databases where that is searched."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDialogButtonBox, QTableView, QWidget

from swgui.core.words import count, file_size
from swgui.gui.inputs.opened import Opened
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn, row_table
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import combo_box, line_edit, push_button, text_label
from swgui.gui.words import wording
from swgui.gui.words.wording import KIND_NAMES
from swgui.io.read_report import ReadReport
from swgui.io.remote.addresses import read_address
from swgui.io.remote.computers import Computer, known_computers, link_to, remember_computer
from swgui.io.remote.database import DistantDatabase, databases_on
from swgui.io.remote.wire import Listed

ADDRESS: Final = (
    "A host that ssh reaches without a password and that has swgui, or the https address of a server of swgui."
)
HINT: Final = "gpu1, anna@gpu1 or https://gpu1.example.org:8889"
TOKEN_HINT: Final = "Your token at this server"
ANSWERS: Final = "{address} (swgui {version}) answers. Sequences are sent to it; results come here."
COLUMNS: Final[tuple[RowColumn[Listed], ...]] = (
    RowColumn("Database", "Its name there", lambda one: one.name),
    RowColumn("Kind", "Kind of sequences", lambda one: KIND_NAMES.get(one.alphabet, one.alphabet)),
    RowColumn("Made", "Day on which its file was made", lambda one: one.made[:10]),
    RowColumn(
        "Sequences", "How many there are", lambda one: f"{one.sequences:,}", lambda one: one.sequences, None, RIGHT
    ),
    RowColumn("Residues", "Of all of them", lambda one: f"{one.residues:,}", lambda one: one.residues, None, RIGHT),
    RowColumn("Size", "Of its file", lambda one: file_size(one.size), lambda one: one.size, None, RIGHT),
)


class Purpose(NamedTuple):
    """Texts of the dialog for one purpose."""

    title: str
    how: str  # what happens there
    choose: str  # on the button
    tip: str


SEARCH: Final = Purpose(
    "Search on another computer",
    f"{ADDRESS} The search runs there and continues if the connection breaks; its result comes here.",
    "Use this database",
    "Search in it, on that computer",
)
BRING: Final = Purpose(
    "Run on another computer",
    f"{ADDRESS} Your sequences go there, the run continues if the connection breaks, and its result comes here.",
    "Use this computer",
    "Carry out the runs of this page there",
)


class AnotherComputer(Dialog):
    """Asks for a computer; for searches it lists the databases with sizes and dates, and hands one of them over.

    Parameters
    ----------
    bring : bool
        Whether a computer alone is chosen, for runs that bring their sequences.
    """

    chosen = Signal(object)  # the database, an `Opened`
    computer_chosen = Signal(str)  # the address, where a computer alone is chosen

    def __init__(self, parent: QWidget | None = None, *, bring: bool = False) -> None:
        self._bring, self._purpose = bring, BRING if bring else SEARCH
        super().__init__("anotherComputer", self._purpose.title, parent)
        self._task = Task(self)
        self._known = {one.address: one for one in known_computers()}
        self._address = ""  # of the computer whose databases are listed
        self.model = ListTable(COLUMNS)
        self._build()
        self.fit(100, 26 if bring else 66)
        self._typed()

    def connect_to(self) -> None:
        """List the databases of the computer; the list of computers keeps it once it has answered."""
        try:
            address = read_address(self._host.currentText()).text
        except ValueError as fault:
            self._say(str(fault), "danger")
            return
        before = self._known.get(address, Computer(address))
        computer = Computer(address, self._token.text().strip() or before.token, before.authority)
        self.model.clear()
        self._choose.setEnabled(False)
        self._say(f"Connecting to {address}…")
        self._connect.setEnabled(False)
        title = self._purpose.title
        self._task.start(lambda _control: _asked(computer), partial(self._show, address), self._failed, title=title)

    def choose(self) -> None:
        """Hand over the chosen database, or the computer, and close."""
        if self._bring:
            self.computer_chosen.emit(self._address)
            self.accept()
            return
        rows = self._table.selectionModel().selectedRows()
        if rows:
            listed = self.model.rows[rows[0].row()]
            database = DistantDatabase(self._address, listed)
            place = Path(f"{self._address}/{listed.name}")
            self.chosen.emit(Opened(place, database, ReadReport(), f"file of {listed.made[:10]}"))
            self.accept()

    def done(self, result: int) -> None:
        self._task.shutdown()
        super().done(result)

    def _build(self) -> None:
        self._host = combo_box(
            "computerAddress",
            "A host of your ssh configuration, or an https address",
            items=[(address, address) for address in self._known],
            accessible="Computer",
        )
        self._host.setEditable(True)
        self._host.setCurrentIndex(0 if self._known else -1)
        if (line := self._host.lineEdit()) is not None:
            line.setPlaceholderText(HINT)
        self._host.editTextChanged.connect(lambda _text: self._typed())
        keep_size(self._host, width=30)
        label = text_label("Computer", level="heading", buddy=self._host)
        self._token_label = text_label("Token", level="heading")
        for one in (label, self._token_label):
            keep_size(one, width=12)
        self._token = line_edit("computerToken", "Kept in a file that only you can read", hint=TOKEN_HINT)
        self._token.setEchoMode(self._token.EchoMode.Password)
        self._connect = push_button(
            "computerConnect", "Connect", "List the databases of this computer", self.connect_to, default=True
        )
        self._said = text_label(self._purpose.how, "computerSaid", wrap=True, plain=True, level="muted")
        self._choose = push_button(
            "computerChoose", self._purpose.choose, self._purpose.tip, self.choose, role="primary"
        )
        self._table = row_table(
            QTableView(), "computerDatabases", "Databases of the other computer", self.model, single=True,
            widths=(16, 12, 11, 11, 14),
        )  # fmt: skip
        self._table.doubleClicked.connect(lambda _index: self.choose())
        self._table.selectionModel().selectionChanged.connect(lambda *_: self._choose.setEnabled(self._any))
        cancel = push_button("computerCancel", "Cancel", does=self.reject)
        buttons = QDialogButtonBox()
        for button in (self._choose, cancel):
            buttons.addButton(button, QDialogButtonBox.ButtonRole.ActionRole)
        top = in_column(
            in_row(label, (self._host, 1), self._connect, spacing=1),
            in_row(self._token_label, (self._token, 1), spacing=1),
            spacing=0.75,
        )
        self._table.setHidden(self._bring)
        rest = (1,) if self._bring else ()
        in_column(top, self._said, (self._table, 1), *rest, in_row(1, buttons), margins=2, spacing=1.25, parent=self)

    @property
    def _any(self) -> bool:
        return bool(self._table.selectionModel().selectedRows())

    def _typed(self) -> None:
        """Ask for a token where the address has one."""
        served = self._host.currentText().strip().startswith(("https:", "http:"))
        self._token.setVisible(served)
        self._token_label.setVisible(served)
        self._token.setPlaceholderText("Kept from before" if self._is_known else TOKEN_HINT)
        self._connect.setEnabled(bool(self._host.currentText().strip()))
        self._choose.setEnabled(False)

    @property
    def _is_known(self) -> bool:
        known = self._known.get(self._host.currentText().strip())
        return known is not None and bool(known.token)

    def _show(self, address: str, found: tuple[list[Listed], str]) -> None:
        listed, version = found
        self._address = address
        for one in listed:
            self.model.add(one)
        self._connect.setEnabled(True)
        if self._bring:
            self._say(ANSWERS.format(address=address, version=version))
            self._choose.setEnabled(True)
            self._choose.setFocus()
        elif listed:
            self._say(f"{address} (swgui {version}) has {count(len(listed), 'database')}.")
            self._table.selectRow(0)
            self._table.setFocus()
            self._choose.setDefault(True)
        else:
            self._say(f"{address} has no database yet: build one there with 'swgui makedb'.", "warning")

    def _failed(self, error: Exception) -> None:
        self._connect.setEnabled(True)
        self._say(wording.explain(error), "danger")

    def _say(self, text: str, tone: str = "") -> None:
        self._said.setText(text)
        set_role(self._said, tone=tone)


def _asked(computer: Computer) -> tuple[list[Listed], str]:
    """Return the databases of a computer and its version; a worker calls it."""
    link = link_to(computer)
    try:
        listed = databases_on(link)
        remember_computer(computer)
        return listed, link.greeting.version if link.greeting is not None else "?"
    finally:
        link.close()
