"""The shapes of query and subject, laid on each other: figures, the traces in space, and files for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QShowEvent
from PySide6.QtWidgets import QMenu, QWidget

from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.menus import menu_command
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described, push_button, tool_button
from swgui.gui.viewer.pictures.captioned import captioned_picture
from swgui.gui.viewer.shape.area import ShapeArea
from swgui.gui.viewer.shape.scene import Scene, scene_of
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View
from swgui.io.structures.superposed import chimerax_of, pdb_of, pymol_of
from swgui.io.whole_file import save_text

KEY: Final = "results-shape"
FILES: Final = {
    ".pdb": ("Superposed PDB…", "PDB (*.pdb)", "CA atoms: the query as chain A, the subject laid on it as chain B"),
    ".cxc": ("ChimeraX script…", "ChimeraX (*.cxc)", "Shows the superposed PDB, which is written beside it"),
    ".pml": ("PyMOL script…", "PyMOL (*.pml)", "Shows the superposed PDB, which is written beside it"),
}
SCRIPTS: Final = {".cxc": chimerax_of, ".pml": pymol_of}


class ShapeView(View):
    """Shows the current hit in space."""

    name, title, tip = "shape", "Shape", "Query and subject in space, laid on each other"
    file_name = "superposed.svg"

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shapeView")
        self._tasks = tasks
        self._shown: ShownHit | None = None
        self._wanted: ShownHit | None = None
        self.area = ShapeArea()
        self.area.pointed.connect(self.pointed)
        self.area.left.connect(self.left)
        self.setFocusProxy(self.area)
        self.figures = described(ElidedLabel(), "shapeFigures")
        self.front = tool_button("shapeFront", "Front", "Look from the front again (Home)", self.area.show_whole)
        self.save_button = push_button("shapeSave", "Save…", "Save the superposition for other programs", role="quiet")
        self.save_button.setMenu(self._make_menu())
        in_column(in_row((self.figures, 1), self.front, self.save_button), (self.area, 1), spacing=0.5, parent=self)
        self._tell()

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for ending, (title, _kind, tip) in FILES.items():
            menu_command(menu, f"shapeSave{ending}", title, tip, partial(self._ask, ending))
        return menu

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        """What is drawn."""
        return self.area.scene

    @property
    def possible(self) -> bool:
        """Whether both sides of the hit have coordinates."""
        if self._shown is None:
            return False
        hit = self._shown.hit
        return bool(hit.query_record.places and hit.subject.places and hit.strand > 0)

    @property
    def stops(self) -> Sequence[QWidget]:
        """The buttons, then the picture."""
        return (self.front, self.save_button, self.area)

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Show one alignment of a pair; computed when the view is seen."""
        self._shown = found[current]
        if self.isVisible():
            self._compute()

    def clear(self) -> None:
        """Show nothing."""
        self._tasks.drop(KEY)
        self._shown = self._wanted = None
        self.area.show_scene(None)
        self._tell()

    def _compute(self) -> None:
        shown = self._shown
        if shown is None or shown is self._wanted:
            return
        self._wanted = shown
        self._tasks.submit(KEY, partial(scene_of, shown.hit), self._take)

    def _take(self, scene: Scene | None) -> None:
        self.area.show_scene(scene)
        self._tell()

    def _tell(self) -> None:
        self.figures.set_text(self.caption())
        self.save_button.setEnabled(self.scene is not None)

    def caption(self) -> str:
        """Say how well the two fit."""
        scene = self.scene
        if scene is None:
            return "Too few aligned residues have coordinates." if self._shown is not None else ""
        fit = scene.fit
        return (
            f"RMSD {fit.rmsd:.2f} Å over {fit.pairs:,} pairs   ·   TM-score {fit.tm_query:.3f} by query, "
            f"{fit.tm_subject:.3f} by subject   ·   LDDT {fit.lddt:.3f}"
        )

    # -- files and pictures ------------------------------------------------------------------------

    def _ask(self, ending: str) -> None:
        _title, kind, _tip = FILES[ending]
        path = ask_save_path(
            self, "Save the superposition", f"superposed{ending}", kind, lambda error: self.message.emit(str(error)),
            complete=lambda name, _kind: Path(name).with_suffix(ending),
        )  # fmt: skip
        if path is not None:
            self.save(path)

    def save(self, path: Path) -> None:
        """Write the superposition; the ending of the name decides what, and a script comes with its PDB file."""
        scene = self.scene
        if scene is None:
            return
        pdb = path.with_suffix(".pdb")

        def write() -> None:
            save_text(pdb, lambda file: file.write(pdb_of(scene.hit, scene.fit)))
            if script := SCRIPTS.get(path.suffix):
                save_text(path, lambda file: file.write(script(scene.hit, scene.fit, pdb.name)))

        self._tasks.submit(
            f"{KEY}-{path.name}",
            write,
            lambda _done: self.message.emit(f"Written to {path}."),
            lambda error: self.message.emit(str(error)),
        )

    def picture(self, suffix: str) -> bytes | None:
        """Return what is seen as the content of a picture file; None if nothing is."""
        if self.scene is None:
            return None
        hit = self.scene.hit

        def draw(painter: QPainter) -> None:
            painter.setClipRect(QRectF(self.area.rect()))
            self.area.draw(painter, theme.LIGHT)

        return captioned_picture(self.area, suffix, [hit.query_record.header, hit.subject.header, self.caption()], draw)

    def showEvent(self, event: QShowEvent) -> None:
        """Compute what was put off."""
        super().showEvent(event)
        self._compute()
