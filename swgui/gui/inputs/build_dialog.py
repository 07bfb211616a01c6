"""Asks which files a database is built from, and its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtWidgets import QDialogButtonBox, QFileDialog, QListWidget, QWidget

from swgui import paths
from swgui.gui.inputs.opened import SEQUENCE_FILES, Build
from swgui.gui.inputs.organism_rows import OrganismFilesRows
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_form, in_row
from swgui.gui.kit.theme import keep_size, set_role
from swgui.gui.kit.widgets import (
    check_box,
    described,
    line_edit,
    push_button,
    spin_box,
    text_label,
)
from swgui.io.database.structures import are_structures
from swgui.io.imported.finding import sources_of

SUFFIX = ".swdb"
ACCEPTED = (
    "FASTA, FASTQ, GenBank, EMBL or UniProt files, plain or gz; Parquet; databases of BLAST, MMseqs2, DIAMOND, by any "
    "of their files. All of one kind: protein, or DNA. Or structures: files in PDB or mmCIF format, folders and tar "
    "archives of them; their shape is stored with the residues."
)
MASKING = "3Di symbols of less certain residues of predicted models become unknown and score 0. Residues stay."
PACKED = (
    "A smaller file, 5 bits a residue or 2 a base. One that takes more than half of the memory is searched block by "
    "block from its drive."
)


class BuildDialog(Dialog):
    """Asks for sequence files and a name."""

    def __init__(self, folder: str, parent: QWidget | None = None) -> None:
        super().__init__("buildDialog", "Build a database", parent, size=(80, 54))
        self._folder = folder
        self.sources: list[Path] = []
        self._list = described(QListWidget(), "buildSources", accessible="Sequence files of the new database")
        keep_size(self._list, height=5)
        add = push_button("buildAdd", "Add files…", does=self._choose)
        folder_of = push_button("buildAddFolder", "Add a folder of structures…", does=self._choose_folder)
        self.name = line_edit("buildName", hint="Name of the database", does=self._check)
        self._organisms = OrganismFilesRows(folder)
        self._mask_box = spin_box(
            "buildMask", (0, 100), 0, MASKING, special="Nothing masked", accessible="Least confidence, pLDDT"
        )
        self._mask = QWidget()
        in_row(self._mask_box, (text_label(MASKING, level="small", wrap=True), 1), parent=self._mask)
        self._mask_label = text_label("&Mask below pLDDT", buddy=self._mask_box)
        self.packed = check_box("buildPacked", "Packed, for large sets", PACKED)
        self._where = text_label(wrap=True, level="small")
        self._buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self._build = self._buttons.addButton("Build", QDialogButtonBox.ButtonRole.AcceptRole)
        set_role(self._build, role="primary")
        self._buttons.accepted.connect(self.accept)
        self._buttons.rejected.connect(self.reject)
        in_column(
            text_label(ACCEPTED, wrap=True),
            (self._list, 1),
            in_row(add, folder_of, 1, self.packed),
            in_form(("&Name", self.name), *self._organisms.rows, (self._mask_label, self._mask)),
            self._where,
            self._buttons,
            margins=2,
            parent=self,
        )
        self._check()
        self.name.setFocus()

    @property
    def out(self) -> Path:
        """The file to write: the typed name without characters that file systems refuse."""
        safe = "".join(c if c.isalnum() or c in " ._-" else "_" for c in self.name.text().strip())
        return paths.data_dir() / "databases" / f"{safe.strip('. ')}{SUFFIX}"

    @property
    def asked(self) -> Build:
        """The database to build."""
        least = float(self._mask_box.value()) if are_structures(self.sources) else 0.0
        name, organisms = self.name.text().strip(), self._organisms.files
        return Build(tuple(self.sources), self.out, name, organisms, least, self.packed.isChecked())

    def add(self, files: Sequence[Path]) -> None:
        """Add source files; they give the name as long as the user has typed none: ``1tim and 27 more``."""
        named = self.name.text() not in ("", self._suggested_name())
        self.sources = list(dict.fromkeys(sources_of([*self.sources, *files])))
        self._list.clear()
        self._list.addItems([str(file) for file in self.sources])
        if not named:
            self.name.setText(self._suggested_name())
        self._check()

    def ask(self) -> None:
        """Open it; without files it opens a file dialog first."""
        self.open()
        if not self.sources:
            self._choose()

    def _suggested_name(self) -> str:
        if not self.sources:
            return ""
        first = self.sources[0].name.split(".")[0]
        return first if len(self.sources) == 1 else f"{first} and {len(self.sources) - 1:,} more"

    def _choose(self) -> None:
        names, _ = QFileDialog.getOpenFileNames(self, "Sequence files", self._folder, SEQUENCE_FILES)
        self.add([Path(name) for name in names])

    def _choose_folder(self) -> None:
        if name := QFileDialog.getExistingDirectory(self, "Folder of structures", self._folder):
            self.add([Path(name)])

    def _check(self) -> None:
        named = bool(self.out.name.removesuffix(SUFFIX))
        taken = named and self.out.exists()
        self._build.setEnabled(bool(self.sources) and named and not taken)
        for part in (self._mask_label, self._mask):
            part.setVisible(bool(self.sources) and are_structures(self.sources))
        if taken:
            self._where.setText(f"There is a database of this name already: {self.out}")
        else:
            self._where.setText(f"It will be written to {self.out}" if named else "")
