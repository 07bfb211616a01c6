"""Two lines of a form for the files that name the organisms of sequences."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QLineEdit, QWidget

from swgui.gui.kit.layouts import in_row
from swgui.gui.kit.widgets import (
    line_edit,
    push_button,
)
from swgui.io.organism_files import OrganismFiles

LIST_TIP = "Organism of each sequence: identifier, tab, name or number; by default from the headers"
TAXONOMY_TIP = "NCBI's 'taxdump.tar.gz', unpacked: then whole clades can be searched, and ranks are columns"


class OrganismFilesRows:
    """Two lines of a form to type or choose them; both may stay empty.

    Parameters
    ----------
    folder : str
        Where choosing begins.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.table = line_edit("buildOrganisms", LIST_TIP, hint="Optional: a list", clear=True)
        self.taxonomy = line_edit("buildTaxonomy", TAXONOMY_TIP, hint="Optional: folder with 'nodes.dmp'", clear=True)
        self.rows = (
            ("&Organisms", self._row(self.table, "buildOrganismsChoose", self._choose_table)),
            ("Ta&xonomy", self._row(self.taxonomy, "buildTaxonomyChoose", self._choose_taxonomy)),
        )

    def _row(self, line: QLineEdit, name: str, does: Callable[[], None]) -> QWidget:
        row = QWidget()
        row.setFocusProxy(line)
        in_row((line, 1), push_button(name, "Choose…", line.toolTip(), does), parent=row)
        return row

    @property
    def files(self) -> OrganismFiles:
        return OrganismFiles(self.table.text().strip(), self.taxonomy.text().strip())

    def _choose_table(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self.table, "List of organisms", self._folder, "All files (*)")
        if name:
            self.table.setText(name)

    def _choose_taxonomy(self) -> None:
        name = QFileDialog.getExistingDirectory(self.taxonomy, "Folder with NCBI's taxonomy", self._folder)
        if name:
            self.taxonomy.setText(str(Path(name)))
