"""The rows of an alignment: query, match line and subject, wrapped to the width; columns are selected and copied."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, QSizeF, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QApplication, QToolTip, QWidget

from swgui.core.entries.projection import Carried, carry
from swgui.core.features import Feature
from swgui.core.hits.table import Hit
from swgui.core.records import SequenceRecord
from swgui.core.structures.chain import LOW_PLDDT, PLDDT_FULL, VERY_LOW_PLDDT
from swgui.core.structures.compact import unpack
from swgui.gui.kit.plots.features import PlacedFeature, lanes_of, paint, place
from swgui.gui.kit.theme import Colours, colours
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.area import ResidueArea
from swgui.gui.viewer.residues.coloring import row_styles
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows import text_form
from swgui.gui.viewer.rows.layout import (
    BLANK,
    EMPTY,
    Block,
    Kind,
    RowsLayout,
    block,
    block_count,
    describe_column,
    fitting_columns,
    lay_out_rows,
    ruler,
)
from swgui.gui.viewer.rows.logos import LOWEST, NO_LOGO, SideLogo, logos_of
from swgui.gui.viewer.rows.second_track import (
    DNA,
    NO_CODONS,
    NO_SECOND,
    STOP,
    SecondTrack,
    codon_width,
    codons_of_hit,
    legible,
    second_track_of,
)
from swgui.gui.viewer.shown import ShownHit

NAME: Final = "pLDDT"
KINDS: Final = ("LOW_PLDDT", "VERY_LOW_PLDDT")  # of features with the same words
HEIGHT: Final = 1.4  # of cells of residues
_GAP: Final = 2.0  # pixels between it and its neighbour
# Lower limit of a confidence, its colour as AlphaFold DB has it, and its name.
_CLASSES: Final = (
    (90.0, "#0053D6", "very high"),
    (LOW_PLDDT, "#65CBF3", "confident"),
    (VERY_LOW_PLDDT, "#FFDB13", "low"),
    (0.0, "#FF7D45", "very low"),
)
MARGIN = 12
LABEL_GAP = 10  # between name, number and residues
LEAD = 0.55  # empty lines between two blocks, in line heights
LANES = 2


@dataclass(frozen=True, slots=True, eq=False)
class Confidence:
    """The confidence of one side in the columns of an alignment."""

    # 0 to 100, nan in gaps; empty where it is not known.
    values: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    name: str = NAME
    height: float = HEIGHT

    def __bool__(self) -> bool:
        return bool(len(self.values))

    def told_at(self, column: int) -> str:
        """Return the confidence in a column in words; empty where there is none."""
        value = float(self.values[column]) if self else np.nan
        return "" if np.isnan(value) else f"{NAME} {value:.0f}: {_class(value)[2]}"

    def paint(self, painter: QPainter, columns: slice, cell: float, area: QRectF, shades: Colours) -> None:
        line = QColor(shades.muted)
        line.setAlpha(90)
        at_low = area.bottom() - area.height() * LOW_PLDDT / PLDDT_FULL
        for index, value in enumerate(self.values[columns].tolist()):
            if value == value:  # not in gaps
                height = area.height() * value / PLDDT_FULL
                bar = QRectF(area.left() + index * cell, area.bottom() - height, cell, height)
                painter.fillRect(bar, QColor(_class(value)[1]))
        painter.fillRect(QRectF(area.left(), at_low, area.width(), 1), line)

    def area(self, left: float, top: float, width: float, height: float) -> QRectF:
        return QRectF(left, top + _GAP, width, height - 2 * _GAP)


NO_CONFIDENCE: Final = Confidence()


def confidence_of(hit: Hit, layout: RowsLayout) -> tuple[Confidence, Confidence]:
    return (
        _of(hit.query_record, layout.query_positions),
        _of(hit.subject, layout.subject_positions),
    )


def _of(record: SequenceRecord, positions: NDArray[np.int64]) -> Confidence:
    """Take the values of residues, from 1; 0 is a gap."""
    places = unpack(record.places, len(record.residues)) if record.places else None
    if places is None or places.plddt is None or int(positions.max(initial=0)) > len(places.plddt):
        return NO_CONFIDENCE
    values = places.plddt[np.maximum(positions, 1) - 1]
    return Confidence(np.where(positions > 0, values, np.float32(np.nan)).astype(np.float32))


def _class(value: float) -> tuple[float, str, str]:
    return next(entry for entry in _CLASSES if value >= entry[0])


@dataclass(frozen=True, slots=True)
class Track:
    """The features of one sequence in columns."""

    carried: list[Carried] = field(default_factory=list)  # spans are columns
    placed: list[PlacedFeature] = field(default_factory=list)  # the same in lanes

    @classmethod
    def of(cls, carried: list[Carried]) -> Track:
        return cls(carried, place((entry.drawn for entry in carried), LANES))

    @property
    def lanes(self) -> int:
        """Lanes it takes; sites alone need one, too."""
        return max(lanes_of(self.placed), 1) if self.placed else 0

    def told_at(self, column: int) -> str:
        features = [item.feature for item in self.carried if any(a <= column < b for a, b in item.drawn.spans)]
        return "\n".join(f.describe() for f in sorted(features, key=lambda f: f.end - f.start)[:8])

    def paint(self, painter: QPainter, columns: range, cell: float, area: QRectF, shades: Colours, font: QFont) -> None:
        seen = [item for item in self.placed if item.feature.start < columns.stop and columns.start < item.feature.end]
        paint(painter, seen, lambda column: area.left() + (column - columns.start) * cell, area, shades, font)


NO_TRACK = Track()


Curve = Confidence | SideLogo  # a drawing above the query or below the subject


def tracks_of(hit: Hit, layout: RowsLayout, drawn: tuple[Curve, Curve]) -> tuple[Track, Track]:
    """Return the tracks of query and subject, without what `drawn` shows of them."""
    return (
        Track.of(carry(_besides(hit.query_record.features, drawn[0]), layout.query_positions)),
        Track.of(carry(_besides(hit.subject.features, drawn[1]), layout.subject_positions)),
    )


def _besides(features: Sequence[Feature], drawn: Curve) -> list[Feature]:
    known = isinstance(drawn, Confidence) and bool(drawn)
    return [feature for feature in features if not known or feature.kind not in KINDS]


@dataclass(frozen=True, slots=True)
class Mark:
    """Columns (half open) to outline in one row: ``side`` is "query" or "subject"."""

    start: int
    stop: int
    side: str


class RowsView(ResidueArea):
    """Shows one hit's alignment; columns are selected by mouse and keyboard, marked, and copied in several forms."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("rowsView")
        self.setAccessibleName("Alignment of query and subject")
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self._shown: ShownHit | None = None
        self._records: tuple[SequenceRecord, SequenceRecord] | None = None  # query and subject, for their names
        self._layout = EMPTY
        self.tracks = (NO_TRACK, NO_TRACK)  # of query and subject
        self._second = NO_SECOND
        self._codons, self._spread = NO_CODONS, False
        self._curves: tuple[Curve, Curve] = (NO_CONFIDENCE, NO_CONFIDENCE)
        self.styles = np.zeros((2, 0), dtype=np.uint8)
        self._flank = 0
        self._dots = False
        self._width = 60
        self._anchor = -1
        self._cursor = -1
        self._marks: list[Mark] = []

    # -- display -----------------------------------------------------------------------------------

    @property
    def alignment_layout(self) -> RowsLayout:
        """The columns shown; none if no hit is."""
        return self._layout

    @property
    def second(self) -> SecondTrack:
        return self._second

    @property
    def logos(self) -> tuple[SideLogo, SideLogo]:
        """Logos of query and subject, where profiles were compared."""
        query, subject = (curve if isinstance(curve, SideLogo) else NO_LOGO for curve in self._curves)
        return query, subject

    @property
    def columns_per_line(self) -> int:
        return self._width

    def show_hit(self, shown: ShownHit) -> None:
        self._shown, self._records = shown, (shown.hit.query_record, shown.hit.subject)
        self._begin()
        self.setAccessibleDescription(". ".join(text_form.facts(shown.hit)))

    def clear(self) -> None:
        self._shown = self._records = None
        self._begin()

    def _begin(self) -> None:
        """Show another alignment from its beginning, with nothing selected or marked."""
        self._anchor = self._cursor = -1
        self._marks = []
        self._lay_out()
        self.verticalScrollBar().setValue(0)

    def set_scheme(self, scheme: ColorScheme) -> None:
        self._scheme = scheme
        self.forget_glyphs()
        self._restyle()

    def set_flank(self, residues: int) -> None:
        self._flank = residues
        self._anchor = self._cursor = -1
        self._lay_out()

    def set_dots(self, dots: bool) -> None:
        """Show identical subject residues as dots, so that differences are easy to see."""
        self._dots = dots
        self.viewport().update()

    @property
    def has_codons(self) -> bool:
        return bool(self._codons)

    @property
    def least_cell(self) -> float:
        return codon_width(self.points) if any(self._codon_sides) else 0.0

    @property
    def _codon_sides(self) -> tuple[bool, bool]:
        """Sides with codons next to them: on demand, or where residues are large enough for them."""
        return self._codons.sides if self._spread or legible(self.points) else (False, False)

    @property
    def _beside(self) -> tuple[bool, bool]:
        query, subject = self._codon_sides
        return query or bool(self._second), subject or bool(self._second)

    def set_codons(self, on: bool) -> None:
        """Show the codons of translated sides, and space the residues for them."""
        self._spread = on
        self.forget_glyphs()
        self.fit()
        self.viewport().update()

    def show_marks(self, marks: list[Mark]) -> None:
        self._marks = marks
        self.viewport().update()

    def _lay_out(self) -> None:
        shown = self._shown
        self._layout = lay_out_rows(shown.hit, shown.scheme, self._flank) if shown is not None else EMPTY
        self.tracks, self._curves, self._second = (NO_TRACK, NO_TRACK), (NO_CONFIDENCE, NO_CONFIDENCE), NO_SECOND
        self._codons = NO_CODONS
        self.forget_glyphs()
        if shown is not None:
            self._codons = codons_of_hit(shown, self._layout)
            logos = logos_of(shown, self._layout)
            self._curves = logos if any(logos) else confidence_of(shown.hit, self._layout)
            self.tracks = tracks_of(shown.hit, self._layout, self._curves)
            self._second = second_track_of(shown, self._layout)
        self._restyle()
        self.fit()

    def _restyle(self) -> None:
        styles = row_styles(self._scheme, self._layout)
        styles[:, self._layout.kinds == Kind.GAP] = styling.style_of(self._scheme, styling.GAP_CELL)
        styles[:, self._layout.kinds == Kind.FLANK] = styling.style_of(self._scheme, styling.FLANK)
        for side, symbols in enumerate((self._layout.query, self._layout.subject)):
            if self._codons.sides[side]:
                styles[side, symbols == STOP] = styling.style_of(self._scheme, styling.STOP)
        self.styles = styles
        self.viewport().update()

    # -- selection ---------------------------------------------------------------------------------

    def selection(self) -> tuple[int, int] | None:
        """Return the selected columns (start, stop), None if there are none."""
        if self._anchor < 0 or self._cursor < 0:
            return None
        return min(self._anchor, self._cursor), max(self._anchor, self._cursor) + 1

    # -- geometry ----------------------------------------------------------------------------------

    def _names_width(self) -> float:
        bold = QFont(self.font())
        bold.setWeight(QFont.Weight.DemiBold)
        names = ("Query", "Subject", self._second.name, *(curve.name for curve in self._curves if curve))
        return max(QFontMetricsF(bold).horizontalAdvance(name) for name in names)

    def _number_width(self) -> float:
        positions = (self._layout.query_positions, self._layout.subject_positions)
        digits = len(f"{max(int(numbers.max(initial=0)) for numbers in positions):,}")
        return QFontMetricsF(styling.residue_font(self.points * 0.9)).horizontalAdvance("0") * digits

    def residues_left(self) -> float:
        return self.whole_pixels(MARGIN + self._names_width() + LABEL_GAP + self._number_width() + LABEL_GAP)

    def block_height(self) -> float:
        around = sum(self.track_heights()) + self._curve_height(0) + self._curve_height(1)
        return self.whole_pixels(self._rows_height() + self.glyphs().cell_height * LEAD) + around

    def _curve_height(self, side: int) -> float:
        curve, cell = self._curves[side], self.glyphs().cell_height
        if isinstance(curve, SideLogo) and curve:  # lower where a block would not fit otherwise
            room = self.viewport().height() - 2 * MARGIN - self._rows_height() - sum(self.track_heights())
            return self.whole_pixels(cell * min(curve.height, max(LOWEST, room / cell / 2)))
        return self.whole_pixels(curve.height * cell) if curve else 0

    def _rows_height(self) -> float:
        """Return the height of ruler, query, match line and subject, with the tracks next to both sequences."""
        return self.glyphs().cell_height * (4 + sum(self._beside))

    def _track_font(self) -> QFont:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, self.points * 0.8))
        return font

    def track_heights(self) -> tuple[float, float]:
        """Heights of the features above the query and below the subject, 0 without any."""
        lane = QFontMetricsF(self._track_font()).height() + 3
        above, below = (self.whole_pixels(track.lanes * lane) for track in self.tracks)
        return above, below

    def features_at(self, point: QPoint) -> str:
        """Return the features under a point, a line each; empty if there are none."""
        column = self.column_at(point)
        if column < 0:
            return ""
        height = (point.y() + self.verticalScrollBar().value() - MARGIN) % self.block_height()
        above, below = self.track_heights()
        told: list[tuple[float, Track | Curve | None]] = [  # from above, each with its height
            (above, self.tracks[0]),
            (self._curve_height(0), self._curves[0]),
            (self._rows_height(), None),
            (self._curve_height(1), self._curves[1]),
            (below, self.tracks[1]),
        ]
        for high, track in told:
            if height < high:
                return track.told_at(column) if track else ""
            height -= high
        return ""

    def fit(self) -> None:
        atlas = self.glyphs()
        around = self.residues_left() + LABEL_GAP + self._number_width() + MARGIN
        room = int((self.viewport().width() - around) / atlas.cell_width)
        self._width = fitting_columns(room)
        height = self.block_height() * block_count(self._layout, self._width) + 2 * MARGIN if len(self._layout) else 0
        width = around + min(self._width, len(self._layout)) * atlas.cell_width if len(self._layout) else 0
        self.set_ranges(width, height, QSizeF(self.viewport().size()))

    def column_at(self, point: QPoint, nearest: bool = False) -> int:
        """Return the column under a point of the viewport, -1 if there is none."""
        if not len(self._layout):
            return -1
        line = int((point.y() + self.verticalScrollBar().value() - MARGIN) // self.block_height())
        column = int(
            (point.x() + self.horizontalScrollBar().value() - self.residues_left()) // self.glyphs().cell_width
        )
        if nearest:
            line = min(max(line, 0), block_count(self._layout, self._width) - 1)
            column = min(max(column, 0), self._width - 1)
            return min(line * self._width + column, len(self._layout) - 1)
        column_at = line * self._width + column
        return column_at if 0 <= column < self._width and line >= 0 and column_at < len(self._layout) else -1

    def ensure_column_visible(self, column: int) -> None:
        """Scroll until a column's line is in sight."""
        top = int((column // self._width) * self.block_height())
        self.bring_into_sight(top, top + self.block_height() + MARGIN, self.viewport().height())

    # -- painting ----------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QApplication.palette().base())
        if len(self._layout):
            height = self.block_height()
            offset = self.verticalScrollBar().value() - MARGIN
            first = max(0, int((event.rect().top() + offset) // height))
            last = min(block_count(self._layout, self._width) - 1, int((event.rect().bottom() + offset) // height))
            painter.translate(-self.horizontalScrollBar().value(), 0)
            for index in range(first, last + 1):
                self._paint_block(painter, index, index * height - offset)
            painter.translate(self.horizontalScrollBar().value(), 0)
        self.paint_focus(painter)

    def _paint_block(self, painter: QPainter, index: int, top: float) -> None:
        line, left = block(self._layout, self._width, index), self.residues_left()
        columns = slice(line.start, line.stop)
        above = self.track_heights()[0]
        self._paint_track(painter, 0, line, left, top)
        self._paint_curve(painter, 0, columns, left, top + above)
        top += above + self._curve_height(0)
        below = top + self._rows_height()
        self._paint_curve(painter, 1, columns, left, below)
        self._paint_track(painter, 1, line, left, below + self._curve_height(1))
        painter.setPen(styling.quiet_text(QApplication.palette()))
        self.paint_ticks(painter, ruler(self._layout.query_positions[columns]), left, top)
        top += self.glyphs().cell_height
        self._paint_beside(painter, columns, left, top)
        top += self.glyphs().cell_height * self._beside[0]
        painter.drawImage(QPointF(left, top), self._block_image(columns))
        self._paint_labels(painter, line, left, top)
        self._paint_spans(painter, line.start, line.stop, left, top)

    def _paint_beside(self, painter: QPainter, columns: slice, left: float, top: float) -> None:
        atlas, shades, font = self.glyphs(), colours(self), styling.residue_font(self.points)
        width = (columns.stop - columns.start) * atlas.cell_width
        for side, row in enumerate((0, 3 + self._beside[0])):
            if not self._beside[side]:
                continue
            area = QRectF(left, top + row * atlas.cell_height, width, atlas.cell_height)
            if self._second:
                self._second.paint(painter, side, columns, area, font, shades)
            else:
                self._codons.paint(painter, side, columns, area, self.points, shades)
            painter.setFont(self.font())
            painter.setPen(styling.quiet_text(QApplication.palette()))
            place = QRectF(MARGIN, area.top(), self._names_width() + 4, atlas.cell_height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self._second.name or DNA)

    def _paint_curve(self, painter: QPainter, side: int, columns: slice, left: float, top: float) -> None:
        curve, height, cell = self._curves[side], self._curve_height(side), self.glyphs().cell_width
        if curve:
            area = curve.area(left, top, (columns.stop - columns.start) * cell, height)
            curve.paint(painter, columns, cell, area, colours(self))
            painter.setFont(self.font())
            painter.setPen(styling.quiet_text(QApplication.palette()))
            place = QRectF(MARGIN, top, self._names_width() + 4, height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, curve.name)

    def _paint_track(self, painter: QPainter, side: int, line: Block, left: float, top: float) -> None:
        track = self.tracks[side]
        if not track.placed:
            return
        cell = self.glyphs().cell_width
        area = QRectF(left, top, (line.stop - line.start) * cell, self.track_heights()[side])
        track.paint(painter, range(line.start, line.stop), cell, area, colours(self), self._track_font())

    def _block_image(self, columns: slice) -> QImage:
        layout, quiet = self._layout, styling.style_of(self._scheme, styling.QUIET)
        subject = layout.subject[columns]
        same = layout.kinds[columns] == Kind.IDENTITY
        if self._dots:
            subject = np.where(same, np.uint8(ord(".")), subject)
        symbols = np.stack([layout.query[columns], layout.match[columns], subject])
        styles = np.full(symbols.shape, quiet, dtype=np.uint8)
        styles[0], styles[2] = self.styles[0, columns], self.styles[1, columns]
        if self._dots:  # identical residues are drawn in muted ink, in both rows
            styles[2, same] = quiet
            styles[0, same] = 0
        styles[symbols == BLANK] = 0
        return self.glyphs().image(symbols, styles)

    def _paint_labels(self, painter: QPainter, line: Block, left: float, top: float) -> None:
        palette, height = QApplication.palette(), self.glyphs().cell_height
        quiet = styling.quiet_text(palette)
        name_font = QFont(self.font())
        name_font.setWeight(QFont.Weight.DemiBold)
        number_font = styling.residue_font(self.points * 0.9)
        number_width = self._number_width()
        right = left + (line.stop - line.start) * self.glyphs().cell_width + LABEL_GAP
        align = Qt.AlignmentFlag.AlignVCenter
        for row, name, begin, end in (
            (0, "Query", line.query_first, line.query_last),
            (2, "Subject", line.subject_first, line.subject_last),
        ):
            y = top + row * height
            painter.setPen(palette.color(QPalette.ColorRole.Text))
            painter.setFont(name_font)
            painter.drawText(QRectF(MARGIN, y, self._names_width() + 4, height), align, name)
            painter.setPen(quiet)
            painter.setFont(number_font)
            place = QRectF(left - LABEL_GAP - number_width - 2, y, number_width + 2, height)
            painter.drawText(place, align | Qt.AlignmentFlag.AlignRight, f"{begin:,}" if begin else "")
            painter.drawText(QRectF(right, y, number_width + 4, height), align, f"{end:,}" if end else "")

    def _paint_spans(self, painter: QPainter, start: int, stop: int, left: float, top: float) -> None:
        highlight = QApplication.palette().color(QPalette.ColorRole.Highlight)
        veil = QColor(highlight)
        veil.setAlpha(80)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        for mark in self._marks:
            if span := self._span(start, stop, left, top, mark.start, mark.stop):
                height = self.glyphs().cell_height
                span.setTop(top if mark.side == "query" else top + 2 * height)
                span.setHeight(height)
                painter.setPen(QPen(QApplication.palette().color(QPalette.ColorRole.Text), 2))
                painter.drawRect(span)
        selected = self.selection()
        if selected and (span := self._span(start, stop, left, top, *selected)):
            painter.fillRect(span, veil)
            painter.setPen(QPen(highlight, 1))
            painter.drawRect(span)
        if selected and selected[1] - selected[0] > 1:
            cursor = self._span(start, stop, left, top, self._cursor, self._cursor + 1)
            if cursor and self.hasFocus():
                painter.setPen(QPen(QApplication.palette().color(QPalette.ColorRole.Text), 1))
                painter.drawRect(cursor)

    def _span(self, start: int, stop: int, left: float, top: float, span_start: int, span_stop: int) -> QRectF | None:
        first, last = max(start, span_start), min(stop, span_stop)
        if first >= last:
            return None
        atlas = self.glyphs()
        return QRectF(
            left + (first - start) * atlas.cell_width,
            top,
            (last - first) * atlas.cell_width,
            3 * atlas.cell_height,
        )

    # -- Qt's events -------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        first = int(self.verticalScrollBar().value() // self.block_height()) * self._width
        self.fit()
        if first:
            self.verticalScrollBar().setValue(int((first // self._width) * self.block_height()))
        super().resizeEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(720, 260)

    # -- selection ---------------------------------------------------------------------------------

    def select(self, start: int, stop: int) -> None:
        self._anchor, self._cursor = start, stop - 1
        self.ensure_column_visible(start)
        self._moved()

    def go_to_query(self, position: int) -> bool:
        """Put the cursor on a residue of the query; False if it is not shown."""
        column = self._layout.column_of_query(position)
        if column < 0:
            return False
        self.select(column, column + 1)
        return True

    def selected_text(self, form: str = "numbered") -> str:
        """Return the selected columns (or all) as text.

        Parameters
        ----------
        form : {"numbered", "bare", "fasta", "ungapped", "query", "subject"}
        """
        if self._records is None:
            return ""
        start, stop = self.selection() or (0, len(self._layout))
        match form:
            case "bare":
                return text_form.bare_text(self._layout, start, stop)
            case "fasta" | "ungapped":
                return text_form.aligned_fasta(self._records, self._layout, start, stop, gaps=form == "fasta")
            case "query" | "subject":
                symbols = self._layout.query if form == "query" else self._layout.subject
                return symbols[start:stop].tobytes().decode("ascii").replace("-", "").strip()
        return text_form.wrapped_text(self._layout, self._width, start, stop)

    def _moved(self) -> None:
        if 0 <= self._cursor < len(self._layout):
            self.pointed.emit(self._describe_selection())
        self.viewport().update()

    def _describe_selection(self) -> str:
        selected = self.selection()
        if selected is None:
            return ""
        start, stop = selected
        if stop - start == 1:
            return describe_column(self._layout, start)
        kinds = self._layout.kinds[start:stop]
        identical, positive = int((kinds == Kind.IDENTITY).sum()), int((kinds == Kind.POSITIVE).sum())
        return (
            f"{stop - start:,} columns selected: {identical:,} identical, {positive:,} more positive, "
            f"{int((kinds == Kind.GAP).sum()):,} gaps, score {int(self._layout.scores[start:stop].sum()):,}"
        )

    # -- Qt's events -------------------------------------------------------------------------------

    def focusInEvent(self, event: QFocusEvent) -> None:
        if self._cursor < 0 and len(self._layout):
            self._anchor = self._cursor = 0
            self._moved()
        super().focusInEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        column = self.column_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton:
            if column >= 0 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier and self._anchor >= 0:
                self._cursor = column
            else:
                self._anchor = self._cursor = column
            self._moved()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        if event.buttons() & Qt.MouseButton.LeftButton and self._anchor >= 0:
            self._cursor = self.column_at(point, nearest=True)
            self.ensure_column_visible(self._cursor)
            self._moved()
            return
        column = self.column_at(point)
        self.pointed.emit(describe_column(self._layout, column) if column >= 0 else "")
        QToolTip.showText(event.globalPosition().toPoint(), self.features_at(point), self)

    def leaveEvent(self, event: QEvent) -> None:
        self.pointed.emit(self._describe_selection())
        QToolTip.hideText()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not len(self._layout):
            super().keyPressEvent(event)
            return
        if event.key() == Qt.Key.Key_Escape:
            if self._anchor != self._cursor:
                self._anchor = self._cursor
                self._moved()
            else:
                self.left.emit()
            return
        page = self._width * max(1, int(self.viewport().height() // self.block_height()))
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._width,
            Qt.Key.Key_Down: self._width,
            Qt.Key.Key_PageUp: -page,
            Qt.Key.Key_PageDown: page,
            Qt.Key.Key_Home: -len(self._layout),
            Qt.Key.Key_End: len(self._layout),
        }
        step = steps.get(Qt.Key(event.key()))
        if step is None:
            super().keyPressEvent(event)
            return
        self._cursor = min(max(max(self._cursor, 0) + step, 0), len(self._layout) - 1)
        if not event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            self._anchor = self._cursor
        self.ensure_column_visible(self._cursor)
        self._moved()

    def select_all(self) -> None:
        if len(self._layout):
            self._anchor, self._cursor = 0, len(self._layout) - 1
            self._moved()
