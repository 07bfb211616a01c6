"""The members of a search's rounds, as an alignment in colour: coverage, logo, rows, and their tools."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
    QResizeEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core import words
from swgui.core.headers import Header, parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment
from swgui.core.profiles.bases import SearchedBases, spelled, written_with_u
from swgui.core.profiles.log_odds import UNITS_PER_BIT, relative_entropy
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix
from swgui.core.statistics.background import background
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column
from swgui.gui.kit.saving import ask_save_path
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import grid
from swgui.gui.kit.widgets import check_box, combo_box, described, line_edit, push_button
from swgui.gui.viewer.painted import Painted
from swgui.gui.viewer.residues import styling
from swgui.gui.viewer.residues.letters import ink_of, paint_column
from swgui.gui.viewer.residues.schemes import ColorScheme
from swgui.gui.viewer.rows.layout import BLANK, GAP
from swgui.gui.viewer.stacked.area import MARGIN, Sight, StackArea
from swgui.gui.viewer.stacked.figure import StackFigure, figure_of
from swgui.gui.viewer.stacked.layout import Stack, StackRow
from swgui.gui.viewer.stacked.view import StackedView
from swgui.gui.viewer.view import View
from swgui.io.profiles.saving import format_for, written_formats
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.request import profile_of

_Floats = NDArray[np.float64]

EVALUE_HEAD: Final = "Inclusion E"  # of the round that made the alignment, not of the list
KEYS: Final = ("results-family", "results-logo", "results-family-save")  # of its tasks
ROOM_FOR_COVERAGE, ROOM_FOR_LOGO = 16, 26  # least height of the view, in grid units
KINDS: Final = ";;".join(
    f"{form.name} ({' '.join(f'*{suffix}' for suffix in form.suffixes)})" for form in written_formats("alignment")
)
HEIGHT = 3.5  # in grid units
LETTERS: Final = 8.5  # height of the letters, in grid units
COSTS: Final = 3.5  # height of the track of gap costs
DEAREST: Final = 8.0  # bits at the top of that track
USUAL: Final = 5.0  # bits where as many gaps open as are expected
MIN_TOP: Final = 0.5  # bits at the top


@dataclass(frozen=True, eq=False)
class Family:
    """The rows of an alignment, stacked on the query."""

    result: SearchResult
    query: SequenceRecord
    alignment: MasterAlignment
    stack: Stack  # all rows but the query, in display order; their `row` is their place in `alignment`
    # Row of the hit list of each row of the alignment; -1 for the query and for rows outside the list.
    hits: NDArray[np.int64] = field(repr=False)

    @property
    def scheme(self) -> ScoringScheme:
        return self.result.scheme

    def header(self, row: int) -> Header:
        aligned = self.alignment.rows[row]
        return parse_header(aligned.id, aligned.description)

    def rows_of(self, hit: int) -> NDArray[np.int64]:
        """Return the rows of the alignment that are of a hit, by its row in the hit list."""
        return np.flatnonzero(self.hits == hit) if hit >= 0 else np.zeros(0, dtype=np.int64)

    @cached_property
    def coverage(self) -> NDArray[np.int64]:
        """Number of rows other than the query with a residue in each column, shape (m,)."""
        return np.asarray((self.alignment.codes[1:] < DELETION).sum(axis=0), dtype=np.int64)


@dataclass(frozen=True, slots=True)
class Order:
    """A way to sort rows: its title, and the key of a row with its identity."""

    title: str
    key: Callable[[AlignedRow, float], Any]


def _begin(row: AlignedRow) -> int:
    return int(np.argmax(row.codes < DELETION))


ORDERS: Final = (
    Order("Best E first", lambda row, _identity: 0),  # unchanged
    Order("Most identical first", lambda _row, identity: -identity),
    Order("By place on the query", lambda row, _identity: (_begin(row), -row.residues)),
    Order("Longest first", lambda row, _identity: -row.residues),
    Order("By name", lambda row, _identity: parse_header(row.id, row.description).name.casefold()),
)


def make_family(result: SearchResult, query_index: int, order: int = 0) -> Family:
    """Return the alignment that the last round of a query ended with; for a worker."""
    rounds = result.queries[query_index].rounds
    assert rounds is not None
    alignment = spelled(rounds.last.alignment)
    codes = alignment.codes
    letters = np.full(256, BLANK, dtype=np.uint8)
    letters[: len(alignment.alphabet)] = np.frombuffer(alignment.alphabet.letters.encode("ascii"), dtype=np.uint8)
    letters[DELETION] = GAP
    symbols = letters[codes]
    identities = _identities(alignment, codes)
    numbers, seen = Counter(row.id for row in alignment.rows[1:]), Counter[str]()
    rows = []
    for number, row in enumerate(alignment.rows[1:], start=1):
        part, place = seen[row.id], row.place if numbers[row.id] > 1 else ""
        seen[row.id] += 1
        insertions = {column + 1: residues.decode("ascii") for column, residues in row.insertions.items()}
        evalue, identity = row.log10_evalue, float(identities[number])
        begin = row.start + 1, row.strand
        rows.append(StackRow(number, part, evalue, identity, symbols[number], insertions, *begin, place=place))
    key = ORDERS[order].key
    rows.sort(key=lambda row: key(alignment.rows[row.row], row.identity))
    stack = Stack(symbols[0], EVALUE_HEAD)
    stack.add(rows)
    return Family(result, result.queries[query_index].query, alignment, stack, _hits_of(alignment, result, query_index))


def _identities(alignment: MasterAlignment, codes: NDArray[np.uint8]) -> _Floats:
    """Return how many of the columns of each row's alignment are identical, in percent; gaps count as columns."""
    inside = np.array([np.ptp(np.flatnonzero(row < DELETION)) + 1 if (row < DELETION).any() else 0 for row in codes])
    columns = inside + alignment.inserted.sum(axis=1)
    same = (codes == codes[0]).sum(axis=1)
    return np.asarray(100.0 * same / np.maximum(columns, 1), dtype=np.float64)


def _hits_of(alignment: MasterAlignment, result: SearchResult, query_index: int) -> NDArray[np.int64]:
    of_query = result.queries[query_index]
    if of_query.rounds is not None and of_query.rounds.database:  # the rows are of another database
        return np.full(len(alignment), -1, dtype=np.int64)
    ids = result.database.ids
    listed: dict[str, int] = {}
    for row, db_index in enumerate(of_query.hits.db_index.tolist()):
        listed.setdefault(ids[db_index], row)
    rows = [-1, *(listed.get(row.id, -1) for row in alignment.rows[1:])]
    return np.array(rows, dtype=np.int64)


# -- the profile -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Logo:
    """The profile of an alignment, to be drawn."""

    letters: str  # residues, in the order of their codes
    frequencies: _Floats = field(repr=False)  # with pseudocounts
    information: _Floats = field(repr=False)  # relative entropy against the background, in bits
    # Letters of each column from the rarest to the most frequent: from the bottom of the logo to its top.
    order: NDArray[np.int64] = field(repr=False)
    # insertion, deletion: cost of the first residue of an insertion behind a column, and of a deletion that begins
    # with it, in bits.
    insertion: _Floats = field(repr=False)
    deletion: _Floats = field(repr=False)

    def describe(self, column: int) -> str:
        """Return a text on a column, by its position from 0."""
        shares = self.frequencies[column]
        common = self.order[column][::-1][:4].tolist()
        named = ", ".join(f"{self.letters[letter]} {100 * shares[letter]:.0f} %" for letter in common)
        costs = f"a gap costs {self.insertion[column]:.1f} bits behind it, {self.deletion[column]:.1f} in its place"
        return f"{self.information[column]:.2f} bits: {named}   ·   {costs}"


def make_logo(
    alignment: MasterAlignment, matrix: SubstitutionMatrix, recipe: Recipe, bases: SearchedBases | None = None
) -> Logo:
    """Return the profile that the next round would search with; for a worker.

    Parameters
    ----------
    bases : SearchedBases, optional
        Of a nucleotide database: its composition is the background.
    """
    built = profile_of(alignment, matrix, recipe, "", bases)
    shares = built.frequencies
    chance = np.array(bases.shares) if bases is not None else background(alignment.alphabet)[: shares.shape[1]]
    information = relative_entropy(shares, chance)
    gaps = built.profile.gaps
    letters = alignment.alphabet.letters[: shares.shape[1]]
    return Logo(
        letters.replace("T", "U") if written_with_u(alignment) else letters,
        shares,
        information,
        np.argsort(shares, axis=1, kind="stable"),
        gaps.insertion_first / UNITS_PER_BIT,
        gaps.deletion_first / UNITS_PER_BIT,
    )


def find_row(stack: Stack, family: Family, words: str, behind: int) -> int:
    """Return the next row of a stack, after a place, with all the words in its name; -1 for none."""
    wanted = words.casefold().split()
    texts: Sequence[int] = [*range(behind + 1, len(stack)), *range(behind + 1)]
    for index in texts:
        record = family.alignment.rows[stack.rows[index].row]
        text = f"{record.id} {record.description}".casefold()
        if wanted and all(word in text for word in wanted):
            return index
    return -1


class LogoTrack(Painted, QWidget):
    """Draws the columns that are visible in the stack below."""

    pointed = Signal(str)  # text on the cell under the pointer; empty if there is none

    def __init__(self, area: StackArea, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "profileLogo", accessible="Logo of the profile, and costs of gaps")
        self.setMouseTracking(True)
        theme.keep_size(self, height=LETTERS + COSTS)
        self.setMaximumHeight(theme.grid(LETTERS + COSTS))
        self._area = area
        self.logo: Logo | None = None
        self._waiting = ""
        self._top = MIN_TOP
        area.horizontalScrollBar().valueChanged.connect(lambda _value: self.update())
        area.horizontalScrollBar().rangeChanged.connect(lambda *_range: self.update())

    def show_logo(self, logo: Logo | None, waiting: str = "") -> None:
        self.logo, self._waiting = logo, waiting
        highest = float(logo.information.max()) if logo is not None else 0.0
        self._top = max(math.ceil(10 * highest) / 10, MIN_TOP)
        self.update()

    def refresh(self) -> None:
        self.setMaximumHeight(theme.grid(LETTERS + COSTS))
        super().refresh()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        sight = self._area.sight()
        index = int((event.position().x() - sight.x) // sight.width)
        inside = event.position().x() >= sight.left and 0 <= index < len(sight.columns)
        column = int(sight.columns[index]) if inside else -1
        text = f"Column {column + 1:,}   {self.logo.describe(column)}" if self.logo and column >= 0 else ""
        self.pointed.emit(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shades = theme.colours(self)
        painter.fillRect(self.rect(), QColor(shades.base))
        if self.logo is None:
            painter.setPen(QColor(shades.muted))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self._waiting)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        sight = self._area.sight()
        costs = theme.grid(COSTS)
        letters = QRectF(sight.left, 4, self.width() - sight.left, self.height() - costs - 6)
        track = QRectF(sight.left, self.height() - costs + 2, letters.width(), costs - 5)
        self._paint_axes(painter, letters, track, shades)
        painter.setClipRect(QRectF(sight.left, 0, letters.width(), self.height()))
        self._paint_letters(painter, self.logo, sight, letters, shades)
        self._paint_costs(painter, self.logo, sight, track, shades)

    def _paint_axes(self, painter: QPainter, letters: QRectF, track: QRectF, shades: theme.Colours) -> None:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, font.pointSizeF() * 0.85))
        painter.setFont(font)
        height = QFontMetricsF(font).height()
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        label = QRectF(MARGIN, 0, letters.left() - MARGIN - 6, height)
        of_letters = (letters.top(), f"{self._top:.1f} bits", shades.muted), (letters.bottom(), "0", shades.muted)
        of_costs = (track.top(), "insertion", shades.series[0]), (track.bottom(), "deletion", shades.series[1])
        for area, entries in ((letters, of_letters), (track, of_costs)):
            for y, text, colour in entries:
                place = QRectF(label)
                place.moveTop(y if y == area.top() else y - height)
                painter.setPen(QColor(colour))
                painter.drawText(place, right, text)
            painter.setPen(QPen(QColor(shades.border), 1))
            painter.drawLine(QPointF(area.left(), area.bottom() + 0.5), QPointF(area.right(), area.bottom() + 0.5))
        painter.setPen(QColor(shades.text))
        bold = QFont(font)
        bold.setWeight(QFont.Weight.DemiBold)
        painter.setFont(bold)
        for area, name in ((letters, "Logo"), (track, "Gap costs")):
            place = QRectF(MARGIN, area.top(), label.width(), height)
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)

    def _paint_letters(self, painter: QPainter, logo: Logo, sight: Sight, place: QRectF, shades: theme.Colours) -> None:
        styles, brushes = self._area.styles(), self._brushes(shades)
        codes = np.frombuffer(logo.letters.encode("ascii"), dtype=np.uint8)
        unit = place.height() / self._top
        painter.setPen(Qt.PenStyle.NoPen)
        for index, column in enumerate(sight.columns.tolist()):
            if column < 0:
                continue
            order = logo.order[column]
            heights = (logo.frequencies[column, order] * logo.information[column] * unit).tolist()
            inks = [brushes[style] for style in styles[codes[order], column].tolist()]
            cell = QRectF(sight.x + index * sight.width, place.top(), sight.width, place.height())
            paint_column(painter, [logo.letters[letter] for letter in order.tolist()], heights, inks, cell)

    def _brushes(self, shades: theme.Colours) -> list[QColor]:
        """Return the colour of symbols by style: the fill of the scheme, with enough contrast to the background."""
        fills = [style.fill for style in styling.cell_styles(self._area.scheme, self.palette())]
        return [ink_of(fill, shades) if number else QColor(shades.text) for number, fill in enumerate(fills)]

    def _paint_costs(self, painter: QPainter, logo: Logo, sight: Sight, track: QRectF, shades: theme.Colours) -> None:
        usual = track.bottom() - track.height() * USUAL / DEAREST
        painter.setPen(QPen(QColor(shades.border), 1, Qt.PenStyle.DotLine))
        painter.drawLine(QPointF(track.left(), usual), QPointF(track.right(), usual))
        for costs, colour in ((logo.deletion, shades.series[1]), (logo.insertion, shades.series[0])):
            painter.setPen(QPen(QColor(colour), 1.3))
            line = QPolygonF()
            for index, column in enumerate(sight.columns.tolist()):
                if column < 0:  # an insertion is unfolded: the line continues behind it
                    painter.drawPolyline(line)
                    line = QPolygonF()
                    continue
                y = track.bottom() - track.height() * min(float(costs[column]), DEAREST) / DEAREST
                left = sight.x + index * sight.width
                line.append(QPointF(left, y))
                line.append(QPointF(left + sight.width, y))
            painter.drawPolyline(line)


class CoverageMap(Painted, QWidget):
    """Draws the coverage of the query, and which part is visible in the stack below."""

    chosen = Signal(int)  # residue of the query, from 0, that was clicked or dragged to
    pointed = Signal(str)  # text on the cell under the pointer; empty if there is none

    def __init__(self, area: StackArea, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        tip = "How many of the included sequences cover each position of the query. A click goes there."
        described(self, "coverageMap", tip, "Coverage of the query")
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        theme.keep_size(self, height=HEIGHT)
        self.setMaximumHeight(theme.grid(HEIGHT))
        self._area = area
        self._coverage: NDArray[np.int64] = np.zeros(0, dtype=np.int64)
        area.horizontalScrollBar().valueChanged.connect(lambda _value: self.update())
        area.horizontalScrollBar().rangeChanged.connect(lambda *_range: self.update())

    def show_coverage(self, coverage: NDArray[np.int64], rows: int) -> None:
        self._coverage, self._rows = coverage, rows
        most = int(coverage.max(initial=0))
        self.setAccessibleDescription(f"Up to {most:,} of {words.count(rows, 'row')} cover a position of the query.")
        self.update()

    def refresh(self) -> None:
        self.setMaximumHeight(theme.grid(HEIGHT))
        super().refresh()

    def curve_rect(self) -> QRectF:
        sight = self._area.sight()
        room, columns = self.width() - sight.left - MARGIN, len(sight.columns) * sight.width
        return QRectF(sight.left, 4, max(1.0, min(room, columns)), self.height() - 8)  # above them where all fit

    def residue_at(self, x: float) -> int:
        """Return the residue of the query, from 0, at a place; -1 outside."""
        place, length = self.curve_rect(), len(self._coverage)
        residue = int((x - place.left()) / place.width() * length) if length else -1
        return residue if 0 <= residue < length and x >= place.left() else -1

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        k = self.residue_at(event.position().x())
        text = f"{self._coverage[k]:,} of {words.count(self._rows, 'row')} cover residue {k + 1:,}" if k >= 0 else ""
        self.pointed.emit(text)
        if k >= 0 and event.buttons() & Qt.MouseButton.LeftButton:
            self.chosen.emit(k)
        QToolTip.showText(event.globalPosition().toPoint(), text, self)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        residue = self.residue_at(event.position().x())
        if residue >= 0 and event.button() == Qt.MouseButton.LeftButton:
            self.chosen.emit(residue)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        shades = theme.colours(self)
        painter.fillRect(self.rect(), QColor(shades.base))
        length, place = len(self._coverage), self.curve_rect()
        if not length:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        most = max(1, int(self._coverage.max()))
        self._paint_axis(painter, place, most, shades)
        across = np.linspace(place.left(), place.right(), length + 1)
        heights = place.bottom() - self._coverage / most * place.height()
        shape = QPolygonF([QPointF(place.left(), place.bottom())])
        for index, y in enumerate(heights.tolist()):
            shape.append(QPointF(float(across[index]), y))
            shape.append(QPointF(float(across[index + 1]), y))
        shape.append(QPointF(place.right(), place.bottom()))
        fill = QColor(shades.series[0])
        fill.setAlphaF(0.35)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(fill)
        painter.drawPolygon(shape)
        self._paint_sight(painter, place, length, shades)

    def _paint_sight(self, painter: QPainter, place: QRectF, length: int, shades: theme.Colours) -> None:
        """Frame the visible residues, unless all are visible."""
        shown = self._area.sight().columns
        shown = shown[shown >= 0]
        if not len(shown) or len(shown) >= length:
            return
        step = place.width() / length
        frame = QRectF(
            place.left() + shown[0] * step, 1.5, max(3.0, (shown[-1] + 1 - shown[0]) * step), self.height() - 3
        )
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(shades.accent), 1.5))
        painter.drawRoundedRect(frame, 2, 2)

    def _paint_axis(self, painter: QPainter, place: QRectF, most: int, shades: theme.Colours) -> None:
        font = QFont(self.font())
        font.setPointSizeF(max(5.0, font.pointSizeF() * 0.85))
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        painter.setPen(QColor(shades.text))
        label = QRectF(MARGIN, 0, place.left() - MARGIN - 6, self.height())
        painter.drawText(label, Qt.AlignmentFlag.AlignVCenter, "Coverage")
        font.setWeight(QFont.Weight.Normal)
        painter.setFont(font)
        painter.setPen(QColor(shades.muted))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
        painter.drawText(label.adjusted(0, 2, 0, 0), right, f"{most:,} of {self._rows:,}")
        painter.fillRect(QRectF(place.left(), place.bottom(), place.width(), 1), QColor(shades.border))


class FamilyView(View):
    """Shows the alignment of the last round of a query; made once the user opens it."""

    name, title = "family", "Family"
    least_height, wants_room = 24, True
    tip = "All included sequences aligned with the query, and their conserved positions"
    scheme = "stacked"
    needs_hit = shows_one_hit = False

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("familyView")
        self._tasks = tasks
        self._wanted: tuple[SearchResult, int] | None = None
        self.family: Family | None = None
        self._made = False  # or being made
        self._current = (-1, 0)
        self.area = StackedView()
        self.area.setObjectName("familyArea")
        self.area.foot_rows = 1  # coverage and logo are above
        self.area.setAccessibleName("Included sequences aligned with the query")
        self.logo, self.coverage = LogoTrack(self.area), CoverageMap(self.area)
        self.adopt(self.area)
        in_column(self.coverage, self.logo, (self.area, 1), spacing=0, parent=self)
        self._make_tools()
        self._connect()

    def _make_tools(self) -> None:
        items = [(order.title, index) for index, order in enumerate(ORDERS)]
        self.order_box = combo_box(
            "familyOrder", "Order of the rows", lambda _index: self._make(), items=items, accessible="Order of the rows"
        )
        self.unfold_box = check_box(
            "familyInsertions", "Insertions", "Show insertions between the columns of the query; a double click on "
            "a mark shows one insertion", self._unfold,
        )  # fmt: skip
        self.find_edit = line_edit(
            "familyFind", "Goes to the next row with these words in its name", hint="Find a row",
            entered=self.find_next, width=12, accessible="Find a row",
        )  # fmt: skip
        self.save_button = push_button(
            "familySave",
            "Save…",
            "Write the whole alignment as A3M, Stockholm or FASTA",
            self.ask,
            icon="save",
        )
        self.tools = (self.order_box, self.unfold_box, self.find_edit, self.save_button)

    def _connect(self) -> None:
        self.area.row_chosen.connect(self._chosen)
        self.coverage.chosen.connect(self.area.bring_column_into_sight)
        for part in (self.logo, self.coverage):
            part.pointed.connect(self.pointed)
        self.area.zoomed.connect(lambda _zoom: self._repaint())

    # -- display -----------------------------------------------------------------------------------

    @property
    def possible(self) -> bool:
        return self._wanted is not None

    def use_query(self, result: SearchResult | None, query_index: int) -> None:
        """Show the rounds of a query as soon as the user opens the view, nothing if it has none."""
        for key in KEYS[:2]:
            self._tasks.drop(key)
        rounds = result.queries[query_index].rounds if result is not None and query_index >= 0 else None
        self._wanted = (result, query_index) if result is not None and rounds is not None else None
        self.family, self._made = None, False
        self.area.clear()
        self.logo.show_logo(None)
        self.renew()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.logo.setVisible(self.height() >= grid(ROOM_FOR_LOGO))
        self.coverage.setVisible(self.height() >= grid(ROOM_FOR_COVERAGE))

    def compute(self) -> None:
        if not self._made:
            self._make()

    def _make(self) -> None:
        if self._wanted is None:
            return
        result, query = self._wanted
        order = self.order_box.currentData()
        self._made = True
        self.pointed.emit("Preparing the alignment…")
        self._tasks.submit(KEYS[0], lambda: make_family(result, query, order), self._take, self._failed)

    def _take(self, family: Family) -> None:
        first = self.family is None
        self.family = family
        if self.unfold_box.isChecked():
            family.stack.unfold_all()
        self.area.show_stack(family.stack, family)
        self.coverage.show_coverage(family.coverage, len(family.stack))
        self.pointed.emit("" if len(family.stack) else "No hit is included: this is the query alone.")
        self.set_current(*self._current)
        if first and self._wanted is not None:
            rounds = family.result.queries[self._wanted[1]].rounds
            assert rounds is not None
            make = partial(make_logo, family.alignment, family.result.scheme.matrix, rounds.recipe, rounds.bases)
            self.logo.show_logo(None, "Making the logo…")
            self._tasks.submit(KEYS[1], make, self.logo.show_logo, self._no_logo)

    def _no_logo(self, error: Exception) -> None:
        self.logo.show_logo(None)
        self._failed(error)

    def _failed(self, error: Exception) -> None:
        self.message.emit(str(error))

    def set_current(self, hit: int, part: int = 0) -> None:
        self._current = hit, part
        if self.family is None:
            return
        rows = self.family.rows_of(hit).tolist()
        if self.area.current[0] not in rows:
            row = rows[min(max(part, 0), len(rows) - 1)] if rows else -1
            self._mark(row)

    def _mark(self, row: int) -> None:
        assert self.family is not None
        parts = [stacked.part for stacked in self.family.stack.rows if stacked.row == row]
        self.area.set_current(row, parts[0] if parts else 0)

    def _chosen(self, row: int, _part: int) -> None:
        if self.family is None:
            return
        self._mark(row)
        hit = int(self.family.hits[row])
        if hit >= 0:
            self.row_chosen.emit(hit, -1)
        else:
            self.message.emit("This sequence is not in the list of hits.")

    def _unfold(self, on: bool) -> None:
        if self.family is not None:
            self.family.stack.unfold_all() if on else self.family.stack.fold_all()
            self.area.fit()
            self._repaint()

    def _repaint(self) -> None:
        for part in (self.logo, self.coverage):
            part.update()

    def set_scheme(self, scheme: ColorScheme) -> None:
        self.area.set_scheme(scheme)
        self.logo.update()

    def figure(self) -> StackFigure | None:
        """Return all rows, for a picture; `InvalidParameter` if they are too many for one."""
        return figure_of(self.area)

    def set_zoom(self, zoom: float) -> None:
        self.area.set_zoom(zoom)
        self._repaint()

    # -- commands ----------------------------------------------------------------------------------

    def find_next(self) -> None:
        if self.family is None:
            return
        index = find_row(self.family.stack, self.family, self.find_edit.text(), self.area.place())
        if index < 0:
            self.message.emit(f"No row has '{self.find_edit.text()}' in its name.")
        else:
            self._chosen(self.family.stack.rows[index].row, 0)

    def ask(self) -> None:
        if self._wanted is None:
            return
        result, query = self._wanted
        name = Path(result.queries[query].query.id.replace("|", "_")).name
        title = "Save the alignment"
        if path := ask_save_path(self, title, f"{name}.a3m", KINDS, self._failed):
            self.save_to(path)

    def save_to(self, path: Path) -> None:
        """Write the alignment, whole or not at all, by a worker; the ending decides the format."""
        if self._wanted is None:
            return
        result, query = self._wanted
        rounds = result.queries[query].rounds
        assert rounds is not None
        alignment = spelled(rounds.last.alignment)

        def write() -> int:
            as_text = format_for(str(path), "alignment", "file").write_alignment
            assert as_text is not None
            text = as_text(alignment)
            save_text(path, lambda file: file.write(text))
            return len(alignment)

        def done(rows: int) -> None:
            self.message.emit(f"{words.count(rows, 'aligned sequence')} written to {path}.")

        self._tasks.submit(KEYS[2], write, done, self._failed)
