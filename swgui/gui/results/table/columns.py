"""The columns of the hit table as displayed: width, order, visible columns, and sorting by their heads."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Sequence
from typing import Final

from PySide6.QtCore import QAbstractItemModel, QEvent, QItemSelectionModel, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QMouseEvent, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.hits.rounds import HitRounds, Status
from swgui.core.translation.programs import shifting
from swgui.gui.hits.arrange import Sorting
from swgui.gui.hits.columns import BY_KEY, COLUMNS
from swgui.gui.kit import theme
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import paint_ground
from swgui.gui.kit.widgets import described, line_edit, push_button, text_label
from swgui.gui.results.table.model import (
    BOXES,
    FOLD_ROLE,
    NOTE_ROLE,
    ROUNDS_ROLE,
    SPAN_ROLE,
    WEAK_ROLE,
    Fold,
    HitTableModel,
    Index,
)
from swgui.gui.viewer.residues import styling
from swgui.io.export.columns import HIT_COLUMNS, evidence_columns

INDENT = "\u2003"  # before the number of an alignment below its subject
WEAKEST, STRONGEST = 2.0, -50.0  # log10 E at the bottom and at the top of a line
DESCRIPTION = (16, 21, 90)  # characters of the description: at least, before other columns come, at most
WIDER = {"organism": 34, "sseqid": 30, "qcovhsp": 24}  # characters of the columns that share the rest then, at most
# Columns that a narrow table leaves out, the one that is missed least first; never the verdict.
SPARED = ("organism", "join", "database", "sframe", "qframe", "qcovhsp", "sstrand", "pident", "stitle")
HEADERS_LOOKED_AT = 50  # number of hits by which a column is judged
FEW = 0.2  # minimum share of these; a column of fewer texts is not worth its width, and Details has them
KEY = Qt.ItemDataRole.UserRole
ALWAYS = ("tick", "rank")  # where the user is in the list


class BoxDelegate(QStyledItemDelegate):
    """A cell that is switched on and off by a click anywhere in it."""

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
        ):
            on = Qt.CheckState(index.data(Qt.ItemDataRole.CheckStateRole)) == Qt.CheckState.Checked
            state = Qt.CheckState.Unchecked if on else Qt.CheckState.Checked
            return model.setData(index, state, Qt.ItemDataRole.CheckStateRole)
        return event.type() == QEvent.Type.MouseButtonDblClick


class TickDelegate(BoxDelegate):
    """Paints the tick box so that it is visible on every background."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        if index.data(FOLD_ROLE) is Fold.PART:
            return
        ticked = option.checkState == Qt.CheckState.Checked
        shades = theme.colours(option.widget)
        side = round(option.fontMetrics.height() * 0.8)
        box = QRectF(0, 0, side, side)
        box.moveCenter(QRectF(option.rect).center())
        box.moveTo(round(box.left()) + 0.5, round(box.top()) + 0.5)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(
            QPen(QColor(shades.on_selection if selected else shades.accent if ticked else shades.control), 1)
        )
        if ticked:
            painter.setBrush(QColor(shades.on_selection if selected else shades.accent))
        painter.drawRoundedRect(box, 2, 2)
        if ticked:
            painter.setPen(QPen(QColor(shades.selection if selected else shades.on_accent), 1.8))
            corners = [(0.22, 0.52), (0.42, 0.72), (0.78, 0.28)]
            painter.drawPolyline([QPointF(box.left() + x * side, box.top() + y * side) for x, y in corners])
        painter.restore()


class StarDelegate(BoxDelegate):
    """Paints a star, filled or as an outline, and a marked corner where there is a note."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        if index.data(FOLD_ROLE) is Fold.PART:
            return
        starred = option.checkState == Qt.CheckState.Checked
        shades = theme.colours(option.widget)
        side = option.fontMetrics.height() * 0.9
        middle = QRectF(option.rect).center()
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink = QColor(shades.on_selection if selected else shades.warning if starred else shades.border)
        painter.setPen(QPen(ink, 1))
        if starred:
            painter.setBrush(ink)
        painter.drawPolygon(star(middle, side / 2))
        if index.data(NOTE_ROLE):
            corner = QRectF(option.rect.right() - 6, option.rect.top() + 1, 6, 6)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(shades.on_selection if selected else shades.accent))
            painter.drawPolygon([corner.topLeft(), corner.topRight(), corner.bottomRight()])
        painter.restore()


def star(middle: QPointF, radius: float) -> QPolygonF:
    points = []
    for corner in range(10):
        reach = radius if corner % 2 == 0 else radius * 0.45
        angle = math.pi * (corner / 5 - 0.5)
        points.append(QPointF(middle.x() + reach * math.cos(angle), middle.y() + reach * math.sin(angle)))
    return QPolygonF(points)


class NameDelegate(QStyledItemDelegate):
    """Cuts long names in the middle: contigs and isoforms often differ in their ends only."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        option.textElideMode = Qt.TextElideMode.ElideMiddle
        if index.data(FOLD_ROLE) is Fold.PART:
            option.text = f"{INDENT}{option.text}"


class RankDelegate(QStyledItemDelegate):
    """Paints the rank, and before it the triangle that unfolds the alignments of a subject."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        super().paint(painter, option, index)
        fold = index.data(FOLD_ROLE)
        if fold not in (Fold.FOLDED, Fold.UNFOLDED):
            return
        shades = theme.colours(option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        side = option.fontMetrics.height() * 0.28
        middle = self._place(option).center()
        points = (
            [(-0.6, -1.0), (0.8, 0.0), (-0.6, 1.0)] if fold is Fold.FOLDED else [(-1.0, -0.6), (1.0, -0.6), (0.0, 0.8)]
        )
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(shades.on_selection if selected else shades.muted))
        painter.drawPolygon([QPointF(middle.x() + x * side, middle.y() + y * side) for x, y in points])
        painter.restore()

    @staticmethod
    def _place(option: QStyleOptionViewItem) -> QRectF:
        return QRectF(option.rect.left(), option.rect.top(), option.fontMetrics.height() * 1.1, option.rect.height())

    def editorEvent(self, event: QEvent, model: QAbstractItemModel, option: QStyleOptionViewItem, index: Index) -> bool:
        if (
            isinstance(event, QMouseEvent)
            and event.type() == QEvent.Type.MouseButtonRelease
            and event.button() == Qt.MouseButton.LeftButton
            and self._place(option).contains(event.position())
            and isinstance(model, HitTableModel)
        ):
            return model.unfold(model.row_at(index.row()), index.data(FOLD_ROLE) is Fold.FOLDED)
        return super().editorEvent(event, model, option, index)


class BarDelegate(QStyledItemDelegate):
    """Paints a percentage as a number over a bar."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text, selected = paint_ground(self, painter, option, index)
        shades = theme.colours(option.widget)
        cell = QRectF(option.rect).adjusted(6, 0, -6, 0)
        try:
            share = float(text) / 100
        except ValueError:
            share = 0.0
        painter.save()
        height = 3.0
        track = QRectF(cell.left(), cell.bottom() - height - 1, cell.width(), height)
        ground = QColor(shades.on_selection if selected else shades.text)
        ground.setAlphaF(0.22 if selected else 0.12)
        painter.fillRect(track, ground)
        if share > 0:
            filled = QRectF(track)
            filled.setWidth(max(1.0, track.width() * min(share, 1.0)))
            painter.fillRect(filled, QColor(shades.on_selection if selected else shades.series[0]))
        painter.setFont(option.font)
        painter.setPen(_text_colour(option, index, shades, selected))
        painter.drawText(cell.adjusted(0, 0, 0, -1), Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


class MapDelegate(QStyledItemDelegate):
    """Paints the parts of the query inside the alignments over the whole query."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        spans, length = index.data(SPAN_ROLE)
        shades = theme.colours(option.widget)
        cell = QRectF(option.rect).adjusted(6, 0, -6, 0)
        painter.save()
        middle = round(cell.center().y())
        ground = QColor(shades.on_selection if selected else shades.text)
        ground.setAlphaF(0.35 if selected else 0.18)
        painter.fillRect(QRectF(cell.left(), middle - 0.5, cell.width(), 1), ground)
        colour = QColor(shades.on_selection if selected else shades.series[0])
        if index.data(WEAK_ROLE) and not selected:
            colour = styling.blend(colour, QColor(shades.base), 0.5)
        for start, end in spans:  # none while they are not known
            left = cell.left() + cell.width() * (start - 1) / length
            width = max(2.0, cell.width() * (end - start + 1) / length)
            painter.fillRect(QRectF(left, middle - 3, width, 6), colour)
        painter.restore()


def _text_colour(option: QStyleOptionViewItem, index: Index, shades: theme.Colours, selected: bool) -> QColor:
    if selected:
        return QColor(shades.on_selection)
    return QColor(shades.muted if index.data(WEAK_ROLE) else shades.text)


# Kind of a column to what paints its cells; the others are painted by Qt.
PAINTERS = {"tick": TickDelegate, "star": StarDelegate, "bar": BarDelegate, "map": MapDelegate}


def height_of(log10_evalue: float) -> float:
    """Return the height of a point in its cell, 0 to 1: the first powers of ten count most."""
    reached = min(max(WEAKEST - log10_evalue, 0.0), WEAKEST - STRONGEST)
    return math.log1p(reached) / math.log1p(WEAKEST - STRONGEST)


class EvaluesDelegate(QStyledItemDelegate):
    """Paints E over the rounds: the stronger the higher; a filled point from the round that included the hit."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        _, selected = paint_ground(self, painter, option, index)
        rounds: HitRounds | None = index.data(ROUNDS_ROLE)
        if rounds is None:
            return
        shades = theme.colours(option.widget)
        weak = index.data(WEAK_ROLE)
        ink = QColor(shades.on_selection if selected else shades.muted if weak else shades.series[0])
        ground = QColor(shades.selection if selected else shades.base)
        cell = QRectF(option.rect).adjusted(8, 5, -8, -4)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        points = _points(rounds, cell)
        painter.setPen(QPen(ink, 1.2))
        for before, behind in itertools.pairwise(points):
            if before is not None and behind is not None:
                painter.drawLine(before, behind)
        radius = max(1.8, cell.height() * 0.14)
        last = len(points)
        for number, point in enumerate(points, start=1):
            if point is None:
                continue
            included = 0 < rounds.first_included <= number and not (rounds.status == "lost" and number == last)
            painter.setBrush(ink if included else ground)
            painter.drawEllipse(point, radius, radius)
        painter.restore()


def _points(rounds: HitRounds, cell: QRectF) -> list[QPointF | None]:
    step = cell.width() / max(1, len(rounds.log10_evalues) - 1)
    return [
        None
        if math.isnan(evalue)
        else QPointF(cell.left() + index * step, cell.bottom() - height_of(evalue) * cell.height())
        for index, evalue in enumerate(rounds.log10_evalues)
    ]


class StatusDelegate(QStyledItemDelegate):
    """Paints whether the last round includes a hit, as a sign before the word."""

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        text, selected = paint_ground(self, painter, option, index)
        rounds: HitRounds | None = index.data(ROUNDS_ROLE)
        if rounds is None or not rounds.status:
            return
        shades = theme.colours(option.widget)
        tones: dict[Status, str] = {"new": shades.success, "kept": shades.muted, "lost": shades.danger}
        ink = QColor(shades.on_selection if selected else tones[rounds.status])
        side = option.fontMetrics.height() * 0.34
        cell = QRectF(option.rect).adjusted(6, 0, -4, 0)
        middle = QPointF(cell.left() + side, cell.center().y())
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(ink, 1.6))
        paint_status(painter, rounds.status, middle, side)
        painter.setFont(option.font)
        painter.setPen(
            QColor(shades.on_selection) if selected else ink if rounds.status != "kept" else QColor(shades.text)
        )
        painter.drawText(cell.adjusted(2 * side + 6, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, text)
        painter.restore()


def paint_status(painter: QPainter, status: Status, middle: QPointF, radius: float) -> None:
    """Paint the sign of a status with the pen in use: a filled triangle, a ring, a cross."""
    if status == "kept":
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(middle, radius * 0.75, radius * 0.75)
    elif status == "new":
        painter.setBrush(painter.pen().color())
        corners = ((0.0, -0.9), (0.9, 0.7), (-0.9, 0.7))
        painter.drawPolygon(QPolygonF([QPointF(middle.x() + x * radius, middle.y() + y * radius) for x, y in corners]))
    else:
        reach = radius * 0.8
        for sign in (-1, 1):
            across = QPointF(reach, sign * reach)
            painter.drawLine(middle - across, middle + across)


# Key of a column to what paints its cells in spite of its kind.
PAINTERS_BY_KEY: Final = {
    "rank": RankDelegate, "sseqid": NameDelegate, "round_evalues": EvaluesDelegate, "round_status": StatusDelegate
}  # fmt: skip


class ColumnDialog(Dialog):
    """A list of all columns to tick and to move, with the definition of the current one."""

    chosen = Signal(list)  # keys of the columns to show, from left to right; sent at every change

    def __init__(self, shown: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__("columnDialog", "Columns of the hit table", parent, size=(80, 62))
        self.search = line_edit(
            "columnFind", "Names and meanings of columns", hint="Find a column", does=self._show_found
        )
        self.list = described(QListWidget(), "columnList", accessible="Columns, in their order")
        self.list.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.name = text_label("", "columnName", level="heading")
        self.description = text_label("", "columnDefinition", wrap=True)
        self.description.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.description.setMinimumWidth(theme.grid(34))
        self.facts = text_label("", "columnFacts", level="muted", wrap=True)
        self.up = push_button("columnUp", "Move up", does=lambda: self._move(-1))
        self.down = push_button("columnDown", "Move down", does=lambda: self._move(1))
        self.reset = push_button("columnReset", "Usual columns", does=self._reset)
        self.close_button = push_button("columnClose", "Close", does=self.accept, default=True)
        side = in_column(self.name, self.description, self.facts, 1, in_row(self.up, self.down, 1))
        in_column(
            (in_row((in_column(self.search, (self.list, 1)), 1), (side, 1), spacing=2), 1),
            in_row(self.reset, 1, self.close_button),
            margins=2,
            spacing=1.5,
            parent=self,
        )
        self._fill(shown)
        self.list.itemChanged.connect(lambda _item: self._tell())
        self.list.currentItemChanged.connect(lambda item, _before: self._explain(item))
        self.list.model().rowsMoved.connect(lambda *_: self._tell())
        self.list.setCurrentRow(0)

    def _fill(self, shown: Sequence[str]) -> None:
        self.list.blockSignals(True)
        self.list.clear()
        others = [column.key for column in BY_KEY.values() if column.key not in shown]
        for key in [*(key for key in shown if key not in ALWAYS), *(key for key in others if key not in ALWAYS)]:
            item = QListWidgetItem(BY_KEY[key].title)
            item.setData(KEY, key)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsUserCheckable)
            item.setCheckState(Qt.CheckState.Checked if key in shown else Qt.CheckState.Unchecked)
            self.list.addItem(item)
        self.list.blockSignals(False)
        self._show_found()

    def _show_found(self) -> None:
        """List the columns that match the typed words in name, key or meaning; the set of visible columns stays."""
        words = self.search.text().casefold().split()
        for row in range(self.list.count()):
            item = self.list.item(row)
            column = BY_KEY[item.data(KEY)]
            text = f"{column.title} {column.head} {column.key} {column.description}".casefold()
            item.setHidden(not all(word in text for word in words))
        current = self.list.currentItem()
        if current is not None and current.isHidden():
            rows = (row for row in range(self.list.count()) if not self.list.item(row).isHidden())
            self.list.setCurrentRow(next(rows, -1))
        for button in (self.up, self.down):
            button.setEnabled(not words)

    def keys(self) -> list[str]:
        """Return the columns to show, from left to right."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return [*ALWAYS, *(item.data(KEY) for item in items if item.checkState() == Qt.CheckState.Checked)]

    def _tell(self) -> None:
        self.chosen.emit(self.keys())

    def _explain(self, item: QListWidgetItem | None) -> None:
        column = BY_KEY[item.data(KEY)] if item is not None else None
        self.name.setText(column.title if column else "")
        self.description.setText(column.description if column else "")
        lines = [f"Head of the column: {column.head}"] if column and column.head else []
        if column and column.key in HIT_COLUMNS:
            lines.append(f"In files: {column.key}")
        if column and column.late:
            lines.append("Known once a hit has been aligned, which happens as you scroll.")
        self.facts.setText("\n".join(lines))

    def _move(self, step: int) -> None:
        row = self.list.currentRow()
        if 0 <= row + step < self.list.count():
            self.list.blockSignals(True)
            item = self.list.takeItem(row)
            self.list.insertItem(row + step, item)
            self.list.setCurrentRow(row + step)
            self.list.blockSignals(False)
            self._tell()

    def _reset(self) -> None:
        self._fill([column.key for column in COLUMNS if column.shown])
        self.list.setCurrentRow(0)
        self._tell()


class HitTableColumns(QTableView):
    """A table of hits whose columns can be chosen, moved and sorted by."""

    columns_chosen = Signal(list)  # keys of the columns that the user wants to see, from left to right

    def __init__(self, model: HitTableModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.hits = model
        self.setModel(model)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setAlternatingRowColors(False)
        self.setShowGrid(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._filling = self._resized_by_hand = self._chosen_by_hand = False
        self._own: set[str] = set()  # columns of tables of the user's own
        self._usual: set[str] = set()  # columns shown from the start, if there is room for them
        self._set_up_header()
        self._painters: dict[str, QStyledItemDelegate] = {kind: painter(self) for kind, painter in PAINTERS.items()}
        for index, column in enumerate(model.columns):
            if column.kind in self._painters:
                self.setItemDelegateForColumn(index, self._painters[column.kind])
            elif column.key in PAINTERS_BY_KEY:
                self._painters[column.key] = PAINTERS_BY_KEY[column.key](self)
                self.setItemDelegateForColumn(index, self._painters[column.key])
        self.set_default_columns()
        self.fit_to_font()
        self.show_sorting(model.sorting)

    def choose_columns(self) -> ColumnDialog:
        dialog = ColumnDialog(self.shown_keys(), self)
        dialog.chosen.connect(self.show_columns)
        dialog.chosen.connect(self.columns_chosen)
        dialog.open()
        return dialog

    def _set_up_header(self) -> None:
        header = self.horizontalHeader()
        header.setObjectName("hitTableHeader")
        header.setSectionsMovable(True)
        header.setMinimumSectionSize(8)  # or tick columns get as wide as the widest letter
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        # A head asks whether all of its column is selected, row by row: minutes for a million selected hits.
        header.setSelectionModel(QItemSelectionModel(self.hits, header))
        header.sectionClicked.connect(self._sort_by)
        header.sectionResized.connect(self._section_resized)

    def fit_to_font(self) -> None:
        metrics = QFontMetricsF(self.font())
        self.verticalHeader().setDefaultSectionSize(round(metrics.height() * 1.55))
        self.verticalHeader().setMinimumSectionSize(8)
        unit = metrics.horizontalAdvance("0")
        self._widths = []
        self._filling = True
        for index, column in enumerate(self.hits.columns):
            # The arrow of the order is above the head.
            head = metrics.horizontalAdvance(column.head) * 1.08 + max(16, 2 * unit)
            self._widths.append(round(max(unit * column.width + 12, head if column.kind not in BOXES else 0)))
            self.setColumnWidth(index, self._widths[index])
        self._filling = False
        self.fill_width()

    def fill_width(self) -> None:
        """Let the description, or the name without it, take the free width; other columns share a large one."""
        self._leave_out()
        column = self.hits.column_index("stitle")
        if self.isColumnHidden(column):
            column = self.hits.column_index("sseqid")
        if self._resized_by_hand or self.isColumnHidden(column):
            return
        header, unit = self.horizontalHeader(), QFontMetricsF(self.font()).horizontalAdvance("0")
        others = {at: most for key, most in WIDER.items() if not self.isColumnHidden(at := self.hits.column_index(key))}
        others.pop(column, None)
        self._filling = True
        for at in others:
            self.setColumnWidth(at, self._widths[at])
        least, _, most = DESCRIPTION
        room = self.viewport().width() - header.length() + header.sectionSize(column)
        width = min(max(room, round(least * unit)), round(most * unit))
        for at, widest in others.items():
            more = min(max(room - width, 0), max(round(widest * unit) - self._widths[at], 0))
            self.setColumnWidth(at, self._widths[at] + more)
            room -= more
        self.setColumnWidth(column, max(room, width))
        self._filling = False

    def _leave_out(self) -> None:
        if self._chosen_by_hand or self._resized_by_hand or not self._usual:
            return
        unit = QFontMetricsF(self.font()).horizontalAdvance("0")
        wide = {
            column.key: DESCRIPTION[1] * unit if column.key == "stitle" else self._widths[index]
            for index, column in enumerate(self.hits.columns)
            if column.key in self._usual
        }
        for key in SPARED:
            if sum(wide.values()) <= self.viewport().width():
                break
            if key == "stitle" and "stitle" in wide:
                wide[key] = DESCRIPTION[0] * unit  # the last column to go stays in few characters, if they fit
                if sum(wide.values()) <= self.viewport().width():
                    break
            wide.pop(key, None)
        self._filling = True
        for index, column in enumerate(self.hits.columns):
            if self.isColumnHidden(index) == (column.key in wide):
                self.setColumnHidden(index, column.key not in wide)
        self._filling = False

    def _section_resized(self, section: int, old: int, new: int) -> None:
        if not old or not new:  # it was hidden or shown
            return
        if self.hits.columns[section].key in ("stitle", *WIDER) and not self._filling and self.isVisible():
            self._resized_by_hand = True

    def set_default_columns(self, also: Collection[str] = (), idle: Collection[str] = ()) -> None:
        """Show the columns that are shown from the start, in their order; not if the user has chosen others.

        Parameters
        ----------
        also : collection of str
            Columns that say something in this result.
        idle : collection of str
            Columns that would say nothing in it.
        """
        if self._chosen_by_hand:
            return
        header = self.horizontalHeader()
        also = {*also, *self._own}
        self._usual = {column.key for column in self.hits.columns if column.shown or column.key in also} - set(idle)
        for index, column in enumerate(self.hits.columns):
            self.setColumnHidden(index, column.key not in self._usual)
            header.moveSection(header.visualIndex(index), index)
        self.fit_to_font()

    def add_columns(self, keys: list[str]) -> None:
        """Add columns of a table of the user's own, which are shown behind the others."""
        shown = self.shown_keys()
        self.hits.add_columns(keys)
        self._own.update(keys)
        self._usual.update(keys)
        self.fit_to_font()
        if self._chosen_by_hand:
            self.show_columns([*shown, *keys])

    def shown_keys(self) -> list[str]:
        header = self.horizontalHeader()
        logical = [header.logicalIndex(visual) for visual in range(header.count())]
        return [self.hits.columns[index].key for index in logical if not header.isSectionHidden(index)]

    def show_columns(self, keys: list[str]) -> None:
        self._chosen_by_hand = True
        header = self.horizontalHeader()
        for visual, key in enumerate(keys):
            header.moveSection(header.visualIndex(self.hits.column_index(key)), visual)
        for index, column in enumerate(self.hits.columns):
            self.setColumnHidden(index, column.key not in keys)
        self.fill_width()

    def _sort_by(self, section: int) -> None:
        column = self.hits.columns[section]
        if column.kind == "tick":  # it has no order of its own
            return
        now = self.hits.sorting
        descending = not now.descending if now.key == column.key else column.descending
        self.show_sorting(now)  # until the rows are known
        self.hits.sort(section, Qt.SortOrder.DescendingOrder if descending else Qt.SortOrder.AscendingOrder)

    def show_sorting(self, sorting: Sorting) -> None:
        order = Qt.SortOrder.DescendingOrder if sorting.descending else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(self.hits.column_index(sorting.key), order)


def idle_columns(result: SearchResult) -> set[str]:
    """Return the columns that add little, judged by the first hits, or subjects if there are no hits."""
    of_query = next((q for q in result.queries if len(q.hits)), None)
    database = result.database
    subjects = range(len(database)) if of_query is None else of_query.hits.db_index.tolist()
    first = subjects[:HEADERS_LOOKED_AT]
    headers = [parse_header(database.ids[index], database.descriptions[index]) for index in first]
    idle = set()
    for key, texts in (("organism", [header.organism for header in headers]), ("stitle", [h.title for h in headers])):
        if sum(map(bool, texts)) < FEW * len(headers):
            idle.add(key)
    if not result.statistics:
        idle.add("evalue")
    return idle


def telling_columns(result: SearchResult, noted: int) -> set[str]:
    """Return the columns that are hidden at the start, and add something here.

    Parameters
    ----------
    noted : int
        Notes that there are to be read.
    """
    keys = [key for key in evidence_columns(result) if not key.endswith("_bits")]
    telling = {"round_status", "round_evalues", *keys} if any(query.rounds for query in result.queries) else set()
    how, shifts = result.translation, shifting(result.translation)
    reasons = {
        "sstrand": shifts or (result.search.strand != "plus" and how is None),
        "qframe": how is not None and how.of.translates_query and not shifts,
        "sframe": how is not None and how.of.translates_database and not shifts,
        "frameshifts": shifts,
        "note": noted,
        "join": result.search.circles.behind > 0,
        "database": len(result.database.names) > 1,
        "evalue_forward": result.search.both_directions,
        "evalue_back": result.search.both_directions,
    }
    return telling | {key for key, telling_here in reasons.items() if telling_here}
