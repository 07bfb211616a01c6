"""The view of query and subject in space, laid on each other, and files of it for other programs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QMenu, QWidget

from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import described, menu_command, push_button, tool_button
from swgui.gui.viewer.painted import Zoomed
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.scene import Drawn, Scene, scene_of, seen, turned
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View
from swgui.io.export.superposed import chimerax_of, pdb_of, pymol_of
from swgui.io.whole_file import save_text

KEY: Final = "results-shape"
FILES: Final = {
    ".pdb": ("Superposed PDB…", "PDB (*.pdb)", "CA atoms: the query as chain A, the subject laid on it as chain B"),
    ".cxc": ("ChimeraX script…", "ChimeraX (*.cxc)", "Shows the superposed PDB, which is written next to it"),
    ".pml": ("PyMOL script…", "PyMOL (*.pml)", "Shows the superposed PDB, which is written next to it"),
}
SCRIPTS: Final = {".cxc": chimerax_of, ".pml": pymol_of}
NAMES: Final = ("Q", "S")
_TURN: Final = 0.01  # radians for each pixel
_KEY_TURN: Final = 0.12
_ZOOMS: Final = (0.5, 12.0)
_SHADES: Final = 12  # steps of depth
_FAINTEST: Final = 0.28  # of the colour that the farthest pieces keep
_NEAR: Final = 12.0  # pixels around the pointer
_TURNS: Final = {
    Qt.Key.Key_Left: (-_KEY_TURN, 0.0),
    Qt.Key.Key_Right: (_KEY_TURN, 0.0),
    Qt.Key.Key_Up: (0.0, -_KEY_TURN),
    Qt.Key.Key_Down: (0.0, _KEY_TURN),
}


class ShapeArea(Zoomed, QWidget):
    """Draws a scene."""

    pointed = Signal(str)  # the residue under the pointer; empty for none
    left = Signal()  # escape was pressed

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("shapeArea")
        self.setAccessibleName("Query and subject in space")
        self.setAccessibleDescription("Drag or the arrow keys turn, the wheel or + and - zoom, Home goes back.")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.scene: Scene | None = None
        self._drawn: Drawn | None = None
        self.rotation = np.eye(3)  # how it is turned, shape (3, 3)
        self._zoom = 1.0
        self._held: QPointF | None = None

    # -- display -----------------------------------------------------------------------------------

    def show_scene(self, scene: Scene | None) -> None:
        self.scene = scene
        self._changed()

    def turn(self, right: float, up: float) -> None:
        """Turn the scene, in radians."""
        self.rotation = turned(self.rotation, right, up)
        self._changed()

    def zoom(self, factor: float, point: QPointF | None = None) -> None:
        """Look from nearer or farther."""
        self._zoom = min(max(self._zoom * factor, _ZOOMS[0]), _ZOOMS[1])
        self.update()

    def show_whole(self) -> None:
        """Look from the front again, at all of it."""
        self.rotation, self._zoom = np.eye(3), 1.0
        self._changed()

    def _changed(self) -> None:
        self._drawn = seen(self.scene, self.rotation) if self.scene is not None else None
        self.update()

    def _placed(self, drawn: Drawn) -> np.ndarray:
        """Return the pieces in pixels, shape (k, 4)."""
        scale = self._zoom * (min(self.width(), self.height()) / 2 - theme.grid(1))
        middle = np.array([self.width() / 2, self.height() / 2] * 2)
        placed: np.ndarray = drawn.lines * [scale, -scale, scale, -scale] + middle
        return placed

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.draw(painter, theme.colours(self))
        self.paint_focus(painter)

    def draw(self, painter: QPainter, shades: theme.Colours) -> None:
        painter.fillRect(self.rect(), QColor(shades.base))
        if self._drawn is None or self.scene is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        drawn = self._drawn
        levels = np.minimum((drawn.depth * _SHADES).astype(np.int64), _SHADES - 1)
        pens = [[_pens(shades, chain, level) for level in range(_SHADES)] for chain in (0, 1)]
        last = None
        rows = zip(
            self._placed(drawn).tolist(), drawn.chain.tolist(), levels.tolist(), drawn.aligned.tolist(), strict=True
        )
        for (x, y, to_x, to_y), chain, level, aligned in rows:
            pen = pens[chain][level][aligned]
            if pen is not last:
                painter.setPen(pen)
                last = pen
            painter.drawLine(QLineF(x, y, to_x, to_y))
        self._draw_legend(painter, shades)

    def _draw_legend(self, painter: QPainter, shades: theme.Colours) -> None:
        assert self.scene is not None
        hit, metrics = self.scene.hit, QFontMetricsF(self.font())
        left, size = float(theme.grid(1)), metrics.ascent() * 0.8
        top = left
        for chain, text in enumerate((f"Query {hit.query_record.id}", f"Subject {hit.subject.id}")):
            painter.fillRect(
                QRectF(left, top + (metrics.height() - size) / 2, size, size), QColor(shades.series[chain])
            )
            painter.setPen(QColor(shades.text))
            room = self.width() - 2 * left - 1.6 * size
            shown = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QPointF(left + 1.6 * size, top + metrics.ascent()), shown)
            top += metrics.height() * 1.1
        painter.setPen(QColor(shades.muted))
        painter.drawText(QPointF(left, top + metrics.ascent()), "thin: not aligned")

    # -- Qt's events -------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._held = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is None:
            self.pointed.emit(self.describe(event.position()))
            return
        moved = event.position() - self._held
        self._held = event.position()
        self.turn(moved.x() * _TURN, moved.y() * _TURN)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        self._held = None
        self.unsetCursor()

    def mouseDoubleClickEvent(self, _event: QMouseEvent) -> None:
        self.show_whole()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _TURNS:
            self.turn(*_TURNS[key])
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.update()

    def describe(self, place: QPointF) -> str:
        """Name the nearest residue at a place: ``S 34 W``; empty if none is near."""
        if self._drawn is None or self.scene is None or not len(self._drawn.lines):
            return ""
        middles = (self._placed(self._drawn)[:, :2] + self._placed(self._drawn)[:, 2:]) / 2
        distance = np.hypot(middles[:, 0] - place.x(), middles[:, 1] - place.y())
        near = np.flatnonzero(distance < _NEAR)
        if not len(near):
            return ""
        index = int(near[-1])  # the one in front
        chain, residue = int(self._drawn.chain[index]), int(self._drawn.residue[index])
        record = (self.scene.hit.query_record, self.scene.hit.subject)[chain]
        return f"{NAMES[chain]} {residue + 1:,} {chr(record.residues[residue])}"


def _pens(shades: theme.Colours, chain: int, level: int) -> tuple[QPen, QPen]:
    """Return the pens of pieces that are not aligned, and of aligned ones: fainter and thinner the farther away."""
    depth = (level + 0.5) / _SHADES
    colour, ground = QColor(shades.series[chain]), QColor(shades.base)
    kept = _FAINTEST + (1 - _FAINTEST) * depth
    mixed = QColor(
        round(colour.red() * kept + ground.red() * (1 - kept)),
        round(colour.green() * kept + ground.green() * (1 - kept)),
        round(colour.blue() * kept + ground.blue() * (1 - kept)),
    )
    scale = (0.6 + 0.8 * depth) * max(1.0, theme.grid(1) / 8)
    thin, thick = (QPen(mixed, width * scale, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap) for width in (0.9, 2.4))
    return thin, thick


class ShapeView(View):
    """Shows the current hit in space."""

    least_height, wants_room = 24, True
    name, title, tip = "shape", "Structure", "The structures of query and subject, superposed"

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
        self.front = tool_button("shapeFront", "Reset view", "Look from the front again (Home)", self.area.show_whole)
        self.save_button = push_button("shapeSave", "Save…", "Save the superposition for other programs", role="quiet")
        self.save_button.setMenu(self._make_menu())
        in_column(in_row((self.figures, 1), self.front, self.save_button), (self.area, 1), spacing=0.5, parent=self)
        self._tell()

    def _make_menu(self) -> QMenu:
        menu = QMenu(self)
        for ending, (title, _kind, tip) in FILES.items():
            menu_command(menu, f"shapeSave{ending}", title, tip, partial(self._ask, ending))
        return menu

    # -- display -----------------------------------------------------------------------------------

    @property
    def scene(self) -> Scene | None:
        return self.area.scene

    @property
    def possible(self) -> bool:
        if self._shown is None:
            return False
        hit = self._shown.hit
        return bool(hit.query_record.places and hit.subject.places and hit.strand > 0)

    @property
    def leads(self) -> bool:
        return self.possible

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        self._shown = found[current]
        self.renew()

    def clear(self) -> None:
        self._tasks.drop(KEY)
        self._shown = self._wanted = None
        self.area.show_scene(None)
        self._tell()

    def compute(self) -> None:
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
        tell = lambda error: self.message.emit(str(error))  # noqa: E731
        name = f"superposed{ending}"
        if path := ask_save_path(self, "Save the superposition", name, kind, tell, companion=".pdb"):
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

    def figure(self) -> SeenPicture | None:
        if self.scene is None:
            return None
        hit = self.scene.hit

        def draw(painter: QPainter) -> None:
            painter.setClipRect(QRectF(self.area.rect()))
            self.area.draw(painter, theme.LIGHT)

        return SeenPicture("shape.svg", self.area, (hit.query_record.header, hit.subject.header, self.caption()), draw)
