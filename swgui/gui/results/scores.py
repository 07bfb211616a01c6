"""The scores of the whole database: histogram with the fit, any subject's rank, limits that move."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIntValidator, QResizeEvent, QValidator
from PySide6.QtWidgets import QFormLayout, QLineEdit, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from swgui.core import words
from swgui.core.database import EncodedDatabase
from swgui.core.errors import SwguiError
from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.hits.table import Hit
from swgui.core.judging.fitting import QueryFit, fit_of
from swgui.core.judging.subjects import SubjectRank, find_headers
from swgui.core.plain import replace
from swgui.core.statistics.histogram import ScoreHistogram, describe_tail, score_histogram, tail_excess
from swgui.gui.kit.layouts import Upright, in_column, in_form, in_row
from swgui.gui.kit.plots.histogram_frame import TICKS, HistogramFrame, mark
from swgui.gui.kit.plots.still import pg
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import Colours, arrange, grid, plot_pen
from swgui.gui.kit.widgets import described, line_edit, push_button, text_label
from swgui.io.statistics import load_statistics
from swgui.jobs.search.describe import describe_subject, find_subject
from swgui.jobs.search.limits import move_limits

WIDE = 36  # grid units of a plot that has room for all ticks
FLOOR = 0.5  # a bin with one sequence must be visible above the axis, which is logarithmic
FEWEST_PLOTTED = 3  # minimum of subjects for a histogram
MATCHES = 50  # subjects listed for one text
NOT_KEPT = "The scores of this search were not kept; only its hits are available."


@dataclass(frozen=True, slots=True, eq=False)
class ScoreFigure:
    """Data of the plot."""

    histogram: ScoreHistogram
    limit_score: int  # lowest score among the hits; 0 for none


class ScorePlot(HistogramFrame):
    """Sequences per score, both axes logarithmic: bars are counts, the line is the fit."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Scores of all sequences", "score", 22, float(np.log10(FLOOR)), parent)
        self.setObjectName("scorePlot")
        self._ticked = (1.0, 10.0, 1.0)  # lowest and highest score, and the most sequences of one
        self._figure: ScoreFigure | None = None
        self._score = 0
        self._expected = pg.PlotDataItem([], [])
        self._limit = pg.InfiniteLine(angle=90, movable=False)
        self._hit = pg.InfiniteLine(angle=90, movable=False)
        for part in (self._expected, self._limit, self._hit):
            self.plot.addItem(part)
        self.clear()

    def sizeHint(self) -> QSize:
        return QSize(grid(42), grid(26))

    def clear(self) -> None:
        """Hide bars, curve and lines."""
        self._figure, self._score = None, 0
        for part in (self.bars, self._expected, self._limit, self._hit):
            part.hide()
        self.restyle()

    def show_figure(self, figure: ScoreFigure) -> None:
        """Draw the histogram of another query or of other limits."""
        self._figure = figure
        histogram = figure.histogram
        edges = np.log10(np.maximum(histogram.edges, FLOOR))
        self.bars.setData(edges, np.log10(np.maximum(histogram.counts, FLOOR)))
        self.bars.show()
        top = float(histogram.counts.max())
        if histogram.expected is not None:
            seen = histogram.expected > FLOOR / 5
            seen[[0, -1]] = False  # these two hold everything below and above, no point of the curve
            centers = np.log10(np.maximum(histogram.centers, FLOOR))
            self._expected.setData(centers[seen], np.log10(histogram.expected[seen]))
            top = max(top, float(histogram.expected.max()))
        self._expected.setVisible(histogram.expected is not None)
        self._limit.setVisible(figure.limit_score > 0)
        if figure.limit_score > 0:
            self._limit.setPos(np.log10(max(figure.limit_score - 0.5, FLOOR)))
        self.plot.setXRange(float(edges[0]), float(edges[-1]) + 0.05, padding=0)
        self.plot.setYRange(np.log10(FLOOR), np.log10(max(top, 10.0)) + 0.15, padding=0)
        self._ticked = float(10 ** edges[0]), float(10 ** edges[-1]), top
        self._set_ticks()
        self.restyle()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._set_ticks()

    def mark(self, score: int) -> None:
        """Mark the score of the chosen hit; 0 for none."""
        self._score = score
        self._hit.setVisible(score > 0)
        if score > 0:
            self._hit.setPos(np.log10(score))
        self.describe()

    def _set_ticks(self) -> None:
        low, high, top = self._ticked
        crowded = grid(WIDE) / min(max(self.width(), 1), grid(WIDE))  # fewer on a narrow plot
        steps = TICKS[min(int(np.log10(high / low) / 0.75 * crowded), len(TICKS) - 1)]
        every = (step * 10**power for power in range(8) for step in steps)
        scores = [tick for tick in every if low <= tick <= high and tick == int(tick)]
        powers = range(int(np.floor(np.log10(max(top, 10.0)))) + 1)
        self.set_ticks(
            [(float(np.log10(tick)), f"{tick:,.0f}") for tick in scores],
            [(power, f"{10**power:,}") for power in powers],
        )

    def restyle_lines(self, shades: Colours) -> None:
        """Colour curve, limit and chosen hit."""
        self._expected.setPen(plot_pen(self.plot, shades.series[1], 2))
        self._limit.setPen(pg.mkPen(shades.muted, width=1, style=Qt.PenStyle.DashLine))
        self._hit.setPen(plot_pen(self.plot, shades.series[2], 2))

    def legend_text(self, shades: Colours) -> tuple[str, str]:
        """Return sentences on counts, expected numbers, and the places of limit and hit."""
        if self._figure is None:
            return "", ""
        histogram = self._figure.histogram
        counted = words.count(int(histogram.counts.sum()), "subject")
        parts = [f"{mark(shades.series[0], '▮')} {counted}"]
        if histogram.expected is not None:
            parts.append(f"{mark(shades.series[1], '—')} expected if all were unrelated")
        if self._figure.limit_score > 0:
            parts.append(f"╎ hits from score {self._figure.limit_score:,} on")
        if self._score > 0:
            parts.append(f"{mark(shades.series[2], '│')} current hit: score {self._score:,}")
        plain = f"{counted}; hits from score {self._figure.limit_score:,} on; current hit: score {self._score:,}."
        return "&nbsp;&nbsp; ".join(parts), plain


class ScoresPanel(QWidget):
    """Answers "where is my protein?" and shows the limits."""

    reranked = Signal(object)  # a `SearchResult` with other limits, to be shown instead
    subject_wanted = Signal(object)  # a `Hit` outside the list whose alignment the user wants to see
    failed = Signal(object)  # an exception

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("scoresPanel")
        self._tasks = tasks
        self._result: SearchResult | None = None
        self._query = -1
        self._subject: SubjectRank | None = None
        content = QWidget()
        layout = QVBoxLayout(content)
        arrange(layout, 1.5, 1)
        layout.addLayout(self._build_find())
        self.plot_head = text_label("All scores", level="section")
        layout.addWidget(self.plot_head)
        self.plot = ScorePlot()
        layout.addWidget(self.plot, 1)
        self.fit = text_label(name="scoresFit", level="small", wrap=True)
        layout.addWidget(self.fit)
        layout.addWidget(text_label("Limits", level="section"))
        layout.addLayout(self._build_limits())
        layout.addStretch(0)  # replaces the plot if there are too few scores
        in_column(Upright(content, "scoresScroll"), spacing=0, parent=self)
        self.clear()

    # -- building ----------------------------------------------------------------------------------

    def _build_find(self) -> QVBoxLayout:
        tip = "Part of a name or accession: its score and rank, also of subjects that are not listed"
        self.wanted = line_edit(
            "findTarget", tip, self._search, hint="Accession, name or word", clear=True, accessible="Find any subject"
        )
        self.matches = described(QListWidget(), "foundTargets", accessible="Subjects found")
        self.matches.currentItemChanged.connect(self._choose)
        self.matches.itemActivated.connect(lambda _item: self.show_subject())
        self.matches.setMaximumHeight(self.matches.fontMetrics().height() * 7)
        self.answer = text_label(name="targetAnswer", plain=True, wrap=True)
        tip = "Align the query with this subject, in the list or not"
        self.align = push_button("alignTarget", "Show alignment", tip, self.show_subject)
        row = in_row((self.answer, 1))
        row.addWidget(self.align, 0, Qt.AlignmentFlag.AlignTop)
        return in_column(text_label("Find any subject", level="section"), self.wanted, self.matches, row, spacing=0.5)

    def _build_limits(self) -> QVBoxLayout:
        positive = QDoubleValidator(1e-300, 1e300, 10, self)
        positive.setNotation(QDoubleValidator.Notation.ScientificNotation)
        tip = "Subjects with a higher E-value are not listed"
        self.evalue = self._limit("limitEvalue", "E at most", tip, positive)
        self.top = self._limit("limitTop", "Hits at most", "Per query", QIntValidator(1, 2**31 - 1, self))
        tip = "The size of the database that E refers to; empty for its own"
        self.residues = self._limit("limitSize", "Database residues", tip, QDoubleValidator(0, 1e18, 0, self))
        tip = "List the hits these limits give; nothing is searched again"
        self.apply_button = push_button("applyLimits", "Apply", tip, self.apply)
        fields = [(field.accessibleName(), field) for field in (self.evalue, self.top, self.residues)]
        form = in_form(*fields, spacing=0.75)
        form.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        return in_column(form, in_row(self.apply_button, 1), spacing=0.75)

    def _limit(self, name: str, title: str, tip: str, validator: QValidator) -> QLineEdit:
        line = line_edit(name, tip, entered=self.apply, accessible=title)
        line.setValidator(validator)
        return line

    # -- display -----------------------------------------------------------------------------------

    def clear(self) -> None:
        """Show no scores, and drop the pending computation."""
        for key in ("scores-figure", "scores-find", "scores-subject", "scores-limits"):
            self._tasks.drop(key)
        self._result, self._query = None, -1
        self.plot.clear()
        self.fit.setText("Scores appear here after a search.")
        self.matches.clear()
        self._show_subject(None)
        self._enable(False)

    def show_query(self, result: SearchResult, query_index: int) -> None:
        """Show histogram, fit and limits of a query, or that its scores were not kept."""
        moved = result is not self._result
        self._result, self._query = result, query_index
        scores = result.queries[query_index].scores
        self._enable(scores is not None)
        if moved:
            limits = result.search.limits
            self.evalue.setText(f"{limits.max_evalue:g}")
            self.top.setText(str(limits.top))
            self.residues.setText(str(limits.effective_residues or ""))
            self.residues.setPlaceholderText(f"{result.database.residues:,}")
        self.plot.mark(0)
        if scores is None:
            self.plot.clear()
            self.fit.setText(NOT_KEPT)
            return
        self._tasks.submit(
            "scores-figure",
            lambda: _figure(result, query_index, scores),
            lambda made: self._show_figure(*made),
            self.failed.emit,
        )
        self._search(self.wanted.text())

    def show_hit(self, hit: Hit | None) -> None:
        self.plot.mark(hit.score if hit is not None else 0)

    def focus_find(self) -> None:
        self.wanted.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.wanted.selectAll()

    def _enable(self, kept: bool) -> None:
        for widget in (self.wanted, self.matches, self.evalue, self.top, self.residues, self.apply_button):
            widget.setEnabled(kept)

    def _show_figure(self, figure: ScoreFigure, fit: str) -> None:
        self.plot.show_figure(figure)
        enough = int(figure.histogram.counts.sum()) >= FEWEST_PLOTTED
        self.plot.setVisible(enough)
        self.plot_head.setVisible(enough)
        self.fit.setText(fit)

    # -- find any subject ---------------------------------------------------------------------------

    def _search(self, text: str) -> None:
        result = self._result
        if result is None or not text.strip():
            self._tasks.drop("scores-find")
            self._show_no_matches()
            return
        database = result.database
        self._tasks.submit(
            "scores-find",
            lambda: find_headers(database.ids, database.descriptions, text, MATCHES),
            lambda matches: self._show_matches(database, matches),
            self.failed.emit,
        )

    def _show_matches(self, database: EncodedDatabase, matches: list[int]) -> None:
        self._show_no_matches()
        self.matches.setVisible(bool(matches))
        for db_index in matches:
            header = parse_header(database.ids[db_index], database.descriptions[db_index])
            item = QListWidgetItem("  ".join(part for part in (header.name, header.title) if part))
            item.setData(Qt.ItemDataRole.UserRole, db_index)
            item.setToolTip(database.ids[db_index])
            self.matches.addItem(item)
        if matches:
            self.matches.setCurrentRow(0)
        elif self.wanted.text().strip():
            self.answer.setText("No sequence of the database has this in its name or description.")

    def _show_no_matches(self) -> None:
        self.matches.clear()
        self.matches.hide()
        self._show_subject(None)

    def _choose(self, item: QListWidgetItem | None) -> None:
        result, query_index = self._result, self._query
        if item is None or result is None:
            return
        db_index = int(item.data(Qt.ItemDataRole.UserRole))
        self._tasks.submit(
            "scores-subject",
            lambda: find_subject(result, query_index, db_index),
            self._show_subject,
            self.failed.emit,
        )

    def _show_subject(self, subject: SubjectRank | None) -> None:
        self._subject = subject
        self.align.setVisible(subject is not None)
        self.align.setEnabled(subject is not None and subject.score > 0)
        self.answer.setText(describe_place(subject) if subject is not None else "")

    def show_subject(self) -> None:
        result, query_index, subject = self._result, self._query, self._subject
        if result is None or subject is None or subject.score <= 0:
            return
        self._tasks.submit(
            "scores-align",
            lambda: describe_subject(result, query_index, subject),
            self.subject_wanted.emit,
            self.failed.emit,
        )

    # -- limits ------------------------------------------------------------------------------------

    def apply(self) -> None:
        """List the subjects within the limits in the boxes."""
        result = self._result
        if result is None:
            return
        try:
            limits = replace(
                result.search.limits,
                top=int(self.top.text() or 0),
                max_evalue=float(self.evalue.text() or 0),
                effective_residues=int(float(self.residues.text() or 0)),
            )
        except SwguiError as error:
            self.failed.emit(error)
            return
        if limits != result.search.limits:
            self._tasks.start(
                "scores-limits",
                lambda control: move_limits(result, load_statistics(result.scheme), limits, control),
                self.reranked.emit,
                self.failed.emit,
            )


def _figure(result: SearchResult, query_index: int, scores: NDArray[np.int32]) -> tuple[ScoreFigure, str]:
    query = result.queries[query_index]
    fit = fit_of(result, query_index)
    histogram = score_histogram(scores, result.database.lengths, fit.statistics)
    limit = int(query.hits.scores[-1]) if len(query.hits) else 0
    return ScoreFigure(histogram, limit), _describe_fit(result.database, scores, fit)


def _describe_fit(database: EncodedDatabase, scores: NDArray[np.int32], fit: QueryFit) -> str:
    if fit.statistics is None or fit.statistics.origin != "search":
        return fit.statistics.describe() if fit.statistics else fit.reason
    excess = tail_excess(fit.statistics, scores, database.lengths, database.residues, len(database))
    return " ".join(part for part in (fit.statistics.describe() + ".", describe_tail(excess)) if part)


def describe_place(subject: SubjectRank) -> str:
    """Return one or two sentences on the rank of a subject."""
    if not subject.rank:
        return subject.reason
    expect = f", {words.equal_evalue(subject.log10_evalue)}" if subject.log10_evalue == subject.log10_evalue else ""
    by = "" if subject.listed else " by score, behind those listed"
    place = f"Score {subject.score:,}{expect}, rank {subject.rank:,} of {subject.scored:,}{by}."
    return f"{place} {subject.reason or 'It is in the list.'}"
