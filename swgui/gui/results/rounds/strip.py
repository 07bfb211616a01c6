"""The strip that describes the rounds of an iterated search."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QLabel, QTableView, QWidget

from swgui.core.headers import header_of, parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.hits.rounds import CALIBRATION_LIMITS, QueryRounds, Round, calibration_limit, drift_warnings
from swgui.core.profiles.iteration import ROUNDS
from swgui.core.words import duration
from swgui.gui.kit import theme
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.elided import ElidedLabel, WrappedLabel
from swgui.gui.kit.flow import FlowRow
from swgui.gui.kit.layouts import in_column, in_row, turn
from swgui.gui.kit.plots.histogram_frame import mark
from swgui.gui.kit.plots.still import pg, still_plot
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn, row_table
from swgui.gui.kit.theme import Colours, colours, grid, plot_pen, set_role, style_plot
from swgui.gui.kit.widgets import described, push_button, text_label
from swgui.gui.words import formatting

FEWEST: Final = 0.3  # in place of 0, which has no logarithm
SIGNS: Final = {"o": "●", "s": "■"}  # of symbols, in texts

_Numbers = NDArray[np.float64]
ROW: Final = 3.0  # height of a row, in grid units
EXPLAINED: Final = (
    "E-values are right where a round finds as many other sequences as chance gives: on the dashed line. Above it they "
    "are too small, below it too large. Relatives that are not included yet raise the left end."
)
TIP = "Included: whose residues made the next profile. New, lost: compared with the round before."


class CalibrationPlot(QWidget):
    """Draws a line for every round; well-calibrated E-values lie on the diagonal."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "calibrationPlot", accessible="Other sequences found, against those expected by chance")
        self.plot = still_plot("other sequences found", "expected by chance: E up to")
        self._legend = text_label(name="calibrationLegend", level="small")
        in_column(self._legend, (self.plot, 1), spacing=0.5, parent=self)
        self._rounds: QueryRounds | None = None

    def sizeHint(self) -> QSize:
        return QSize(grid(60), grid(32))

    def show_rounds(self, rounds: QueryRounds, sequences: int) -> None:
        self._rounds, self._shown = rounds, [limit <= sequences for limit in CALIBRATION_LIMITS]
        self._draw(colours(self))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.PaletteChange, QEvent.Type.FontChange) and getattr(self, "_rounds", None):
            self._draw(colours(self))

    def _draw(self, shades: Colours) -> None:
        item = self.plot.getPlotItem()
        item.clear()
        style_plot(self.plot, shades)
        assert self._rounds is not None
        limits = np.array(CALIBRATION_LIMITS)[self._shown]
        across = np.log10(limits)
        ends = np.array([across[0], across[-1]])
        item.addItem(pg.PlotDataItem(ends, ends, pen=plot_pen(self.plot, shades.muted, 1, style=Qt.PenStyle.DashLine)))
        highest, last = across[-1], len(self._rounds)
        for number in (*range(2, last), 1, last):  # distinct marks are drawn above the others
            iteration = self._rounds.rounds[number - 1]
            if not iteration.beyond:
                continue
            log10_counts = np.log10(np.maximum(np.array(iteration.beyond, dtype=float)[self._shown], FEWEST))
            highest = max(highest, float(log10_counts.max()))
            item.addItem(self._line(across, log10_counts, *self._look(number, shades)))
        item.getAxis("bottom").setTicks([[(exponent, f"{10**exponent:g}") for exponent in across.tolist()]])
        lowest = np.log10(FEWEST)
        ticks = [(lowest, "0"), *((exponent, f"{10**exponent:,.0f}") for exponent in range(int(highest) + 1))]
        item.getAxis("left").setTicks([ticks])
        item.setXRange(across[0] - 0.2, across[-1] + 0.2, padding=0)
        item.setYRange(lowest - 0.2, highest + 0.2, padding=0)
        self._legend.setText("&nbsp;&nbsp;&nbsp; ".join(self._entries(shades)))

    def _entries(self, shades: Colours) -> Iterator[str]:
        assert self._rounds is not None
        for number in sorted({1, len(self._rounds)}):
            colour, symbol = self._look(number, shades)
            yield f"{mark(colour, SIGNS[symbol])} Round {number}"
        if len(self._rounds) > 2:
            yield f"{mark(shades.control, '—')} the rounds between"
        yield f"{mark(shades.muted, '- -')} expected by chance"

    def _look(self, number: int, shades: Colours) -> tuple[str, str]:
        if number == len(self._rounds or ()):
            return shades.series[0], "o"
        return (shades.series[1], "s") if number == 1 else (shades.control, "")

    def _line(
        self, across: NDArray[np.float64], log10_counts: NDArray[np.float64], colour: str, symbol: str
    ) -> pg.PlotDataItem:
        pen = plot_pen(self.plot, colour, 1.5 if symbol else 1)
        points = {"symbol": symbol, "symbolSize": grid(0.9), "symbolBrush": colour, "symbolPen": None} if symbol else {}
        return pg.PlotDataItem(across, log10_counts, pen=pen, **points)


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round, by its number from 1, among those of its query."""

    rounds: QueryRounds
    number: int

    @property
    def round(self) -> Round:
        return self.rounds.rounds[self.number - 1]


def _column(title: str, tip: str, text: Callable[[RoundRow], str]) -> RowColumn[RoundRow]:
    return RowColumn(title, tip, text, side=RIGHT)


def _optional(value: float | None, scale: float, decimals: int) -> str:
    return formatting.NOTHING if value is None else f"{scale * value:.{decimals}f}"


def _beyond(limit: int) -> RowColumn[RoundRow]:
    """Return the column that counts other sequences up to a limit, by its place among `CALIBRATION_LIMITS`."""
    evalue = f"{CALIBRATION_LIMITS[limit]:g}"
    tip = f"Sequences that are not included with E up to {evalue}: by chance {evalue} are expected."
    return _column(
        f"E ≤ {evalue}", tip, lambda row: f"{row.round.beyond[limit]:,}" if row.round.beyond else formatting.NOTHING
    )


COLUMNS: Final = (
    _column("Round", "The search with the hits of the previous round; the first one with the query alone.",
            lambda row: f"{row.number}"),
    _column("Included", "Sequences whose residues made the next profile.", lambda row: f"{len(row.round.included):,}"),
    _column("New", "Included now, and not in the round before.", lambda row: f"{len(row.rounds.new(row.number)):,}"),
    _column("Lost", "Included in the round before, and not now.", lambda row: f"{len(row.rounds.lost(row.number)):,}"),
    _column("Effective", "Effective number of included sequences: near copies count as one (HMMER: eff_nseq).",
            lambda row: f"{row.round.effective_sequences:.1f}"),
    _column("Coverage %", "Median share of the query that an included sequence covers.",
            lambda row: _optional(row.round.coverage, 100, 0)),
    _column("Bits a column", "Mean relative entropy of the columns: difference between the residues of the family "
            "and chance.", lambda row: _optional(row.round.information, 1, 2)),
    *(_beyond(number) for number in range(1, len(CALIBRATION_LIMITS))),
    _column("Time", "Of scoring the whole database.",
            lambda row: duration(row.round.seconds, measured=True)),
)  # fmt: skip


class RoundsDialog(Dialog):
    """Shows the rounds of one query: table, calibration, and doubts."""

    def __init__(self, result: SearchResult, query_index: int, parent: QWidget | None = None) -> None:
        super().__init__("roundsDialog", f"Rounds of {header_of(result.queries[query_index].query).name}", parent)
        rounds = result.queries[query_index].rounds
        assert rounds is not None
        self.model = ListTable(COLUMNS)
        for number in range(1, len(rounds) + 1):
            self.model.add(RoundRow(rounds, number))
        self.table = row_table(QTableView(), "roundsTable", "Statistics of the rounds", self.model, rows=ROW)
        self.table.horizontalHeader().setStretchLastSection(False)
        theme.keep_size(self.table, rows=ROW, height=2 + (ROW + 0.1) * (len(rounds) + 1))
        self.plot = CalibrationPlot()
        counted = any(iteration.beyond for iteration in rounds.rounds)
        self.plot.setVisible(counted)
        if counted:
            self.plot.show_rounds(rounds, len(result.database))
        ending = rounds.ending
        texts = [f"{ending[0].upper()}{ending[1:]}.", *warnings_of(result, query_index)]
        self.notes = text_label("\n".join(texts), "roundsNotes", wrap=True, plain=True, selectable=True)
        self.explained = text_label(EXPLAINED, "roundsExplained", level="small", wrap=True)
        self.explained.setVisible(counted and calibration_limit(len(result.database)) >= 0)
        self.copy_button = push_button("roundsCopy", "Copy table", "Copy the figures for a spreadsheet", self._copy)
        self.close_button = push_button("roundsClose", "Close", does=self.reject, default=True)
        in_column(
            self.notes,
            self.table,
            (self.plot, 1),
            self.explained,
            in_row(1, self.copy_button, self.close_button),
            margins=2,
            spacing=1.25,
            parent=self,
        )
        self.close_button.setFocus()
        self.fit(118, 72 if counted else 36)
        self.table.resizeColumnsToContents()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.as_text())


def warnings_of(result: SearchResult, query_index: int) -> list[str]:
    """Return doubts about the rounds of a query, in sentences; nothing for a search without rounds."""
    rounds = result.queries[query_index].rounds
    if rounds is None or rounds.database:
        return []
    return drift_warnings(rounds, result.database.ids, lambda name: parse_header(name, "").name)


def included_words(rounds: QueryRounds, number: int) -> str:
    """Return how many sequences a round, from 1, included; of bases with their segments: a genome has many."""
    made = rounds.rounds[number - 1]
    segments = len(made.alignment) - 1  # 0 in saved rounds before the last one
    several = rounds.bases is not None and segments > len(made.included)
    return f"{len(made.included):,} included{f' in {segments:,} segments' if several else ''}"


def round_in_figures(rounds: QueryRounds, number: int) -> str:
    """Return the summary of a round, from 1: ``15 included, 3 new, 1 lost, effective number 6.2``."""
    iteration = rounds.rounds[number - 1]
    parts = [included_words(rounds, number)]
    if number > 1:
        changes = (("new", rounds.new(number)), ("lost", rounds.lost(number)))
        parts += [f"{len(who):,} {change}" for change, who in changes if len(who)]
    if len(iteration.included):
        parts.append(f"effective number {iteration.effective_sequences:.1f}")
    return ", ".join(parts)


class RoundsStrip(QFrame):
    """Every round in figures, why there are no more, and doubts about them; hidden for other searches."""

    next_wanted = Signal()  # another round should follow

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        described(self, "roundsStrip", accessible="Rounds of the search")
        set_role(self, role="strip")
        self.row = FlowRow()
        self.ending = described(ElidedLabel(), "roundsEnding")
        set_role(self.ending, level="muted")
        self.ending.setAlignment(RIGHT)
        self.button = push_button(
            "roundsFigures", "Details…", "Statistics of each round, and whether its E-values are right",
            self.show_figures, role="quiet",
        )  # fmt: skip
        self.chips: list[QLabel] = []
        self.warning = described(WrappedLabel(), "roundsWarning")
        set_role(self.warning, tone="warning")
        self.next_button = push_button(
            "nextRound",
            "Next round…",
            "Search once more, with the hits of the last round",
            self.next_wanted,
            role="quiet",
        )
        self._line = in_row((self.row, 2), (in_row((self.ending, 1), self.button, self.next_button), 1))
        in_column(self._line, self.warning, margins=(1.5, 0.5, 1.5, 0.5), spacing=0.5, parent=self)
        self._result: SearchResult | None = None
        self._query = -1
        self.hide()

    def hasHeightForWidth(self) -> bool:
        return False

    def sizeHint(self) -> QSize:
        """Ask for the height of the lines at this width, no more."""
        hint, lines = super().sizeHint(), self.layout()
        if lines is not None and lines.hasHeightForWidth():
            hint.setHeight(lines.heightForWidth(self.width()))
        return hint

    def set_narrow(self, narrow: bool) -> None:
        """Put the reason for no more rounds below them, or next to them."""
        turn(self._line, narrow)

    def show_query(self, result: SearchResult | None, query_index: int) -> None:
        rounds = result.queries[query_index].rounds if result is not None and query_index >= 0 else None
        self._result, self._query = result, query_index
        self.setVisible(rounds is not None)
        if rounds is None or result is None:
            return
        for chip in self.chips:
            self.row.take_away(chip)
        figures = [round_in_figures(rounds, number) for number in range(1, len(rounds) + 1)]
        self.chips = [self._chip(rounds, number, text) for number, text in enumerate(figures, start=1)]
        ending = f"{rounds.ending[0].upper()}{rounds.ending[1:]}."
        of_another = f" The profile is of sequences of {rounds.database}." if rounds.database else ""
        self.ending.set_text(ending + of_another)
        texts = [f"Round {number}: {text}" for number, text in enumerate(figures, start=1)]
        self.setAccessibleDescription(". ".join((*texts, ending + of_another)))
        more = rounds.ended not in ("same", "none") and len(rounds) < ROUNDS[1]
        self.next_button.setVisible(more)
        self.ending.setHidden(more and rounds.ended == "rounds" and not of_another)
        self._show_warnings(warnings_of(result, query_index))

    def _chip(self, rounds: QueryRounds, number: int, figures: str) -> QLabel:
        new, lost = len(rounds.new(number)), len(rounds.lost(number))
        changes = "".join(f", {who:,} {change}" for change, who in (("new", new), ("lost", lost)) if who and number > 1)
        text = f"<b>Round {number}</b>&nbsp; {included_words(rounds, number)}{changes}"
        chip = text_label(text, f"round-{number}", f"Round {number}: {figures}\n\n{TIP}")
        set_role(chip, role="chip")
        self.row.add(chip, number - 1)
        chip.show()
        return chip

    def _show_warnings(self, texts: list[str]) -> None:
        self.warning.set_text(" ".join(texts[:1]), "\n\n".join(texts))
        self.warning.setVisible(bool(texts))

    def show_figures(self) -> RoundsDialog | None:
        """Open all figures of the rounds, and return their dialog; None where there are none."""
        if self._result is None or self._result.queries[self._query].rounds is None:
            return None
        dialog = RoundsDialog(self._result, self._query, self.window())
        dialog.open()
        return dialog
