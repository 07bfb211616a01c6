"""Watch for newer releases: asks for name, limit, feed and mail command, and adds a watch of a result."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from swgui.core.errors import InvalidParameter, SwguiError
from swgui.core.hits.results import SearchResult
from swgui.core.words import count
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_form, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.theme import set_role
from swgui.gui.kit.widgets import line_edit, push_button, text_label
from swgui.runs.watches.asking import query_of
from swgui.runs.watches.watch import Watch

EVALUE: Final = "0.001"  # at a higher limit most news is chance
_NOT_IN_NAME: Final = re.compile(r"[^A-Za-z0-9._-]+")


class WatchThisDialog(Dialog):
    """Adds a watch of a result.

    Parameters
    ----------
    name : str
        Of the run, or of its first query.
    root : Path
        Folder of the watches.
    """

    added = Signal(str)  # name of a new watch

    def __init__(self, result: SearchResult, name: str, root: Path, parent: QWidget | None = None) -> None:
        super().__init__("watchThisDialog", "Watch for newer releases", parent)
        self._result, self._root = result, root
        queries = count(len(result.queries), "query", "queries")
        about = text_label(
            f"{queries} in {result.database.name}. A pass looks whether the database has another release, searches it "
            "with the settings of this result, and lists hits that are gained, lost or changed. Passes are made here, "
            "or by cron: swgui watch run",
            "watchThisAbout",
            wrap=True,
            plain=True,
        )
        suggested = _NOT_IN_NAME.sub("-", name).strip("-._")[:40] or "search"
        self.name = line_edit("watchThisName", "Name of the watch and of its files", text=suggested)
        self.evalue = line_edit("watchThisEvalue", "Hits up to this E-value", text=EVALUE)
        self.feed = line_edit("watchThisFeed", "File of the Atom feed", hint="in the folder of the watch", clear=True)
        choose = push_button("watchThisChoose", "Choose…", "Choose the file of the feed", self._choose, default=False)
        tip = "Program and arguments that read each message; {subject} stands for its subject"
        self.mail = line_edit("watchThisMail", tip, hint="mail -s {subject} me@example.org", clear=True)
        self.status = text_label(name="watchThisStatus", wrap=True, plain=True)
        self.status.hide()
        form = in_form(
            ("&Name", self.name),
            ("Up to &E", self.evalue),
            (text_label("Atom &feed", buddy=self.feed), in_row((self.feed, 1), choose)),
            ("&Mail command", self.mail),
        )
        tip = "Add the watch, and make its first pass"
        self.button = push_button("watchThisAdd", "Watch", tip, self.add, role="primary", default=True)
        cancel = push_button("watchThisCancel", "Cancel", does=self.reject, default=False)
        in_column(about, form, self.status, in_row(1, cancel, self.button), margins=2, spacing=1.5, parent=self)
        self.fit(80, 0)
        self.name.setFocus()
        self.name.selectAll()
        try:
            query_of(result, float(EVALUE))
        except SwguiError as fault:  # of rounds, for example: said before anything is filled in
            self.say(fault)
            self.button.setEnabled(False)

    def add(self) -> None:
        """Add the watch; a fault stays in the dialog."""
        try:
            request, places = query_of(self._result, _number(self.evalue.text()))
            feed, mail = self.feed.text().strip(), self.mail.text().strip()
            made = Watch.add(self._root, self.name.text().strip(), request, places, feed=feed, mail=mail)
        except SwguiError as fault:
            self.say(fault)
            return
        self.added.emit(made.name)
        self.accept()

    def say(self, fault: SwguiError) -> None:
        """Show an error below the fields."""
        self.status.setText(str(fault))
        set_role(self.status, tone="danger")
        self.status.show()
        self.fit(80, 0)

    def _choose(self) -> None:
        name = f"{self.name.text().strip() or 'search'}.atom"
        if path := ask_save_path(self, "File of the Atom feed", name, "Atom feeds (*.atom)", self.say):
            self.feed.setText(str(path))


def _number(text: str) -> float:
    """Return a limit of E; `InvalidParameter` if a text is none."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not value > 0:
        raise InvalidParameter("evalue", text, f"'{text}' is no limit of E.", hint="0.001 and 1e-10 are some.")
    return value
