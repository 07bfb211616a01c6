"""The drawing of a network: moved by dragging, zoomed by the wheel, sequences chosen by clicks.

Small networks are painted as lines and discs; of large ones a worker makes a picture, and until it is there the last
one is shown, moved and scaled.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.headers import parse_header
from swgui.core.words import count
from swgui.gui.kit.tasks.task import Task
from swgui.gui.kit.theme import Colours, colours, grid
from swgui.gui.kit.widgets import CLICK_SLIP, delayed
from swgui.gui.network.work import MANY, Cut, Drawing, LoadedNetwork, drawn

# Twelve that differ as far as possible for full colour vision and its three deficiencies; in light and dark windows.
SHADES: Final = (
    ("#0069FC", "#0093FC"), ("#D29300", "#FCD200"), ("#157E7E", "#15A87E"), ("#E7007E", "#E754A8"),
    ("#9300BD", "#D2A8FC"), ("#FC003F", "#FC6900"), ("#00A8FC", "#93E7FC"), ("#3F5400", "#93E769"),
    ("#BD69BD", "#FCA8BD"), ("#7E2A3F", "#BD7E3F"), ("#2A3F7E", "#FC2AFC"), ("#0000FC", "#BDD293"),
)  # fmt: skip
NEAR: Final = 4  # pixels around a sequence or an edge in which a click hits it
STEP: Final = 1.25
OUTSIDE: Final = -1e6  # pixels at which a worker draws nothing
WAIT_MS: Final = 60  # before a worker draws


class NetworkView(QWidget):
    """Draws a network at a threshold."""

    chosen = Signal(object)  # sequences that were chosen, a list of indices
    opened = Signal(int)  # a sequence that represents several was clicked twice
    pair_opened = Signal(int, int)  # an edge was clicked twice

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("networkView")
        self.setAccessibleName("Network")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setMinimumSize(grid(24), grid(20))
        self.loaded: LoadedNetwork | None = None
        self.cut: Cut | None = None
        self.selected: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.with_alone = True  # whether sequences without an edge are drawn
        self.classes: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        self.scale, self.offset = 1.0, QPointF()  # from places to pixels
        self._whole: tuple[float, QPointF] | None = None  # both, where all of it is shown
        self.picture: tuple[QImage, float, QPointF] | None = None  # with the scale and offset it was made for
        self._pressed: QPointF | None = None
        self._moved = False
        self.task = Task(self)
        self._later = delayed(self, WAIT_MS, self._draw_large)

    def show_cut(self, loaded: LoadedNetwork, cut: Cut, classes: NDArray[np.int64]) -> None:
        """Show a network at a threshold, in colours of the class of each sequence, shape (n,); -1 for none."""
        self.loaded, self.cut, self.classes = loaded, cut, classes
        self.picture = None
        self.fit()

    def show_alone(self, shown: bool) -> None:
        """Draw sequences without an edge, or leave them out but for chosen ones."""
        self.with_alone = shown
        self.picture = None
        self.fit()

    @property
    def drawn(self) -> NDArray[np.bool_]:
        """Which sequences are drawn, shape (n,)."""
        if self.cut is None:
            return np.zeros(0, dtype=np.bool_)
        shown = ~self.cut.alone if not self.with_alone else np.ones(len(self.cut.clusters), dtype=np.bool_)
        shown[self.selected] = True
        return shown

    def recolour(self, classes: NDArray[np.int64]) -> None:
        """Colour sequences by other classes."""
        self.classes = classes
        self._changed()

    def select(self, sequences: NDArray[np.int64]) -> None:
        """Mark sequences as chosen."""
        self.selected = sequences
        self.update()

    def fit(self) -> None:
        """Show all of it."""
        self._look_at(self.cut.places[self.drawn] if self.cut is not None else np.zeros((0, 2)))
        self._whole = self.scale, QPointF(self.offset)

    def show_selected(self) -> None:
        """Show the sequences that are chosen as large as the view allows."""
        if self.cut is not None and len(self.selected):
            self._look_at(self.cut.places[self.selected])

    def shutdown(self) -> None:
        self.task.shutdown()

    def restyle(self) -> None:
        self._changed()

    # Looking

    def _look_at(self, places: NDArray[np.float64]) -> None:
        if not len(places):
            self.update()
            return
        low, high = places.min(axis=0) - 1.5, places.max(axis=0) + 1.5
        extent = np.maximum(high - low, 4)
        self.scale = min(self.width() / extent[0], self.height() / extent[1], 60.0)
        middle = (low + high) / 2
        self.offset = QPointF(self.width() / 2 - middle[0] * self.scale, self.height() / 2 - middle[1] * self.scale)
        self._changed()

    def zoom(self, factor: float, around: QPointF | None = None) -> None:
        """Make everything larger or smaller around a point, by default the middle."""
        point = around if around is not None else QPointF(self.width() / 2, self.height() / 2)
        scale = float(np.clip(self.scale * factor, 0.05, 400.0))
        self.offset = point + (self.offset - point) * (scale / self.scale)
        self.scale = scale
        self._changed()

    def _changed(self) -> None:
        self._later.start()
        self.update()

    def pixels(self) -> NDArray[np.float64]:
        assert self.cut is not None
        return self.cut.places * self.scale + (self.offset.x(), self.offset.y())

    @property
    def _radius(self) -> float:
        return float(np.clip(0.3 * self.scale, 1.0, grid(0.9)))

    def _radii(self, sequences: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the radius of each: larger, up to three times, if it represents several sequences."""
        members = self.loaded.members if self.loaded is not None else np.zeros(0)
        if not len(members):
            return np.full(len(sequences), self._radius)
        return self._radius * np.clip(1 + np.log2(members[sequences]) / 4, 1, 3)

    # Painting

    def paintEvent(self, _event: QPaintEvent) -> None:
        painter, shades = QPainter(self), colours(self)
        self.draw(painter, shades)
        if self.hasFocus() and self.cut is not None:
            painter.setPen(QPen(QColor(shades.focus), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def draw_figure(self, painter: QPainter, shades: Colours, legend: Sequence[str]) -> None:
        """Draw the visible part for a picture: without marks of what is chosen, above the names of the colours."""
        places, height = _in_lines(painter, legend, self.width() - 2 * grid(1))
        share = max(self.height() - height, 1) / self.height()
        painter.save()
        painter.translate(self.width() * (1 - share) / 2, 0)
        painter.scale(share, share)
        self.draw(painter, shades, marked=False)
        painter.restore()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        line, top = painter.fontMetrics().height(), self.height() - height
        for number, (name, (x, y)) in enumerate(zip(legend, places, strict=True)):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(shade_of(number, shades))
            painter.drawEllipse(QPointF(grid(1) + x + line / 3, top + y + line / 2), line / 4, line / 4)
            painter.setPen(QColor(shades.text))
            painter.drawText(QPointF(grid(1) + x + line, top + y + painter.fontMetrics().ascent()), name)

    def draw(self, painter: QPainter, shades: Colours, *, marked: bool = True) -> None:
        """Draw the visible part, in the colours of a window; `marked` with rings around chosen sequences."""
        painter.setClipRect(self.rect())
        painter.fillRect(self.rect(), QColor(shades.base))
        if self.cut is None or self.loaded is None:
            return
        points = self.pixels()
        sequences, edges = self._in_sight(points)
        if len(sequences) + len(edges) <= MANY:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            self._paint_edges(painter, points, edges, shades)
            self._paint_sequences(painter, points, sequences, shades)
        elif self.picture is not None:
            image, scale, offset = self.picture
            share = self.scale / scale
            place = self.offset - offset * share
            painter.drawImage(QRectF(place.x(), place.y(), self.width() * share, self.height() * share), image)
        if marked:
            self._paint_selected(painter, points, shades)

    def _in_sight(self, points: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return sequences in the view, and the rows of edges with an end in it."""
        assert self.cut is not None
        assert self.loaded is not None
        room = self._radius
        inside = (points >= -room).all(axis=1) & (points[:, 0] < self.width() + room)
        inside &= (points[:, 1] < self.height() + room) & self.drawn
        all_edges, rows = self.loaded.network.edges, self.cut.edges
        seen = inside[all_edges.first[rows]] | inside[all_edges.second[rows]]
        return np.flatnonzero(inside), rows[seen]

    def _paint_edges(
        self, painter: QPainter, points: NDArray[np.float64], rows: NDArray[np.int64], shades: Colours
    ) -> None:
        assert self.loaded is not None
        edges, shade = self.loaded.network.edges, QColor(shades.control)
        shade.setAlpha(255 if len(rows) < 500 else 110 if len(rows) < 2_000 else 60)
        painter.setPen(QPen(shade, 1))
        ends = np.concatenate([points[edges.first[rows]], points[edges.second[rows]]], axis=1)
        for x, y, to_x, to_y in ends.tolist():
            painter.drawLine(QPointF(x, y), QPointF(to_x, to_y))

    def _paint_sequences(
        self, painter: QPainter, points: NDArray[np.float64], sequences: NDArray[np.int64], shades: Colours
    ) -> None:
        outline = QPen(QColor(shades.base), 1)
        painter.setPen(outline if self._radius > 3 else Qt.PenStyle.NoPen)
        for class_ in np.unique(self.classes[sequences]).tolist():
            painter.setBrush(shade_of(class_, shades))
            own = sequences[self.classes[sequences] == class_]
            for (x, y), radius in zip(points[own].tolist(), self._radii(own).tolist(), strict=True):
                painter.drawEllipse(QPointF(x, y), radius, radius)

    def _paint_selected(self, painter: QPainter, points: NDArray[np.float64], shades: Colours) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(shades.text), 2))
        some = self.selected[:MANY]
        radius = self._radius + 2
        for (x, y), own in zip(points[some].tolist(), self._radii(some).tolist(), strict=True):
            radius = own + 2
            painter.drawEllipse(QPointF(x, y), radius, radius)
        if len(self.selected) == 1 and self.loaded is not None:
            x, y = points[self.selected[0]].tolist()
            network, at = self.loaded.network, int(self.selected[0])
            name = parse_header(network.ids[at], network.descriptions[at]).name
            box = QRectF(painter.fontMetrics().boundingRect(name)).adjusted(-grid(0.5), -1, grid(0.5), 1)
            box.moveTo(min(x + radius + grid(0.5), self.width() - box.width()), y - box.height() / 2)
            ground = QColor(shades.base)  # or other sequences show through the text
            ground.setAlpha(225)
            painter.fillRect(box, ground)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)

    def shade(self, class_: int) -> QColor:
        """Return the colour of a class; grey for none."""
        return shade_of(class_, colours(self))

    def _draw_large(self) -> None:
        """Have a worker make the picture of a network that is too large to paint here."""
        if self.cut is None or self.loaded is None or not self.isVisible():
            return
        points = self.pixels()
        sequences, rows = self._in_sight(points)
        if len(sequences) + len(rows) <= MANY:
            self.task.drop()
            return
        ratio, edges = self.devicePixelRatioF(), self.loaded.network.edges
        shades = [self.shade(number) for number in (*range(len(SHADES)), -1)]
        table = np.array([(shade.red(), shade.green(), shade.blue(), 255) for shade in shades], dtype=np.uint8)
        edge = QColor(colours(self).control)
        drawing = Drawing(
            np.where(self.drawn[:, None], points, OUTSIDE) * ratio,
            (edges.first[rows].astype(np.int64), edges.second[rows].astype(np.int64)),
            table[np.where(self.classes < 0, len(SHADES), self.classes % len(SHADES))],
            (round(self.width() * ratio), round(self.height() * ratio)),
            max(1, round(self._radius * ratio)),
            (edge.red(), edge.green(), edge.blue()),
        )
        self.task.start(partial(drawn, drawing), partial(self._take_picture, self.scale, QPointF(self.offset)))

    def _take_picture(self, scale: float, offset: QPointF, picture: NDArray[np.uint8]) -> None:
        height, width = picture.shape[:2]
        image = QImage(picture.data, width, height, 4 * width, QImage.Format.Format_RGBA8888).copy()
        self.picture = (image, scale, offset)
        self.update()

    # Mouse and keys

    def nearest(self, point: QPointF) -> int | None:
        """Return the sequence at a point in pixels, None if there is none."""
        if self.cut is None or not len(self.cut.places):
            return None
        distances = np.where(self.drawn, np.hypot(*(self.pixels() - (point.x(), point.y())).T), np.inf)
        best = int(np.argmin(distances))
        return best if distances[best] <= self._radii(np.array([best]))[0] + NEAR else None

    def nearest_edge(self, point: QPointF) -> tuple[int, int] | None:
        """Return the two sequences of the edge at a point in pixels, None if there is none."""
        if self.cut is None or self.loaded is None:
            return None
        points, edges = self.pixels(), self.loaded.network.edges
        _, rows = self._in_sight(points)
        if not len(rows):
            return None
        begin, end = points[edges.first[rows]], points[edges.second[rows]]
        along, place = end - begin, np.array([point.x(), point.y()])
        share = ((place - begin) * along).sum(axis=1) / np.maximum((along**2).sum(axis=1), 1e-9)
        distances = np.hypot(*(begin + along * np.clip(share, 0, 1)[:, None] - place).T)
        best = int(np.argmin(distances))
        row = int(rows[best])
        return (int(edges.first[row]), int(edges.second[row])) if distances[best] <= NEAR else None

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._pressed, self._moved = event.position(), False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            self._show_name(event)
            return
        moved = event.position() - self._pressed
        if self._moved or abs(moved.x()) + abs(moved.y()) > CLICK_SLIP:
            self._moved = True
            self.offset += moved
            self._pressed = event.position()
            self._changed()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self._pressed is not None and not self._moved:
            sequence = self.nearest(event.position())
            kept = set(self.selected.tolist()) if event.modifiers() & Qt.KeyboardModifier.ControlModifier else set()
            self._choose(sorted(kept ^ {sequence}) if sequence is not None else [])
        self._pressed = None

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        sequence = self.nearest(event.position())
        if sequence is not None and self.loaded is not None and self.loaded.stands_for(sequence) > 1:
            self.opened.emit(sequence)
        elif sequence is not None and self.cut is not None:
            self._choose(np.flatnonzero(self.cut.clusters == self.cut.clusters[sequence]).tolist())
        elif (pair := self.nearest_edge(event.position())) is not None:
            self.pair_opened.emit(*pair)

    def _choose(self, sequences: list[int]) -> None:
        self.select(np.array(sequences, dtype=np.int64))
        self.chosen.emit(sequences)

    def _show_name(self, event: QMouseEvent) -> None:
        sequence = self.nearest(event.position())
        if sequence is None or self.loaded is None:
            QToolTip.hideText()
            return
        network = self.loaded.network
        text = f"{self.loaded.names[sequence]}, {count(int(network.lengths[sequence]), network.letter)}"
        text += f"\n{network.descriptions[sequence]}"
        if (members := self.loaded.stands_for(sequence)) > 1:
            text += f"\nRepresents {members:,} sequences; double-click to show them"
        QToolTip.showText(event.globalPosition().toPoint(), text.strip(), self)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self.zoom(STEP ** (event.angleDelta().y() / 120), event.position())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        moves = {Qt.Key.Key_Left: (1, 0), Qt.Key.Key_Right: (-1, 0), Qt.Key.Key_Up: (0, 1), Qt.Key.Key_Down: (0, -1)}
        if event.key() in moves:
            x, y = moves[Qt.Key(event.key())]
            self.offset += QPointF(x * self.width() / 8, y * self.height() / 8)
            self._changed()
        elif event.text() in {"+", "="}:
            self.zoom(STEP)
        elif event.text() == "-":
            self.zoom(1 / STEP)
        elif event.text() == "0":
            self.fit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        before = event.oldSize()
        if self._whole == (self.scale, self.offset):
            self.fit()
        elif before.isValid():
            self.offset += QPointF((self.width() - before.width()) / 2, (self.height() - before.height()) / 2)
        self._changed()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange:
            self._changed()
        super().changeEvent(event)


def _in_lines(painter: QPainter, names: Sequence[str], width: float) -> tuple[list[tuple[float, float]], float]:
    """Return the place of each entry of a legend, and the height of all."""
    line, x, y, places = painter.fontMetrics().height(), 0.0, 0.0, []
    for name in names:
        needed = painter.fontMetrics().horizontalAdvance(name) + 2.5 * line
        if x and x + needed > width:
            x, y = 0.0, y + 1.3 * line
        places.append((x, y))
        x += needed
    return places, y + 1.6 * line if places else 0.0


def shade_of(class_: int, shades: Colours) -> QColor:
    """Return the colour of a class in the colours of a window; grey for none."""
    return QColor(SHADES[class_ % len(SHADES)][shades.dark]) if class_ >= 0 else QColor(shades.disabled)
