"""The rounds of a search as a table: a row each, with what can be said of it in numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QDialog, QTableView, QWidget

from swgui.core.headers import parse_header
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.drift import calibration_limit, drift_warnings
from swgui.core.profiles.rounds import CALIBRATION_LIMITS, ENDINGS, QueryRounds, Round
from swgui.core.words import duration
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tables.row_table import RIGHT, ListTable, RowColumn
from swgui.gui.kit.tables.row_view import row_table
from swgui.gui.kit.widgets import push_button, text_label
from swgui.gui.results.rounds.calibration import CalibrationPlot
from swgui.gui.words import formatting

ROW: Final = 3.0  # height of a row, in grid units
EXPLAINED: Final = (
    "E-values are right where a round finds as many other sequences as chance gives: on the dashed line. Above it they "
    "are too small, below it too large. Relatives that are not included yet raise the left end."
)


@dataclass(frozen=True, slots=True)
class RoundRow:
    """A round, by its number from 1, among those of its query."""

    rounds: QueryRounds
    number: int

    @property
    def round(self) -> Round:
        """The round itself."""
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
    _column("Round", "The search with what the round before included; the first one with the query alone.",
            lambda row: f"{row.number}"),
    _column("Included", "Sequences whose residues made the next profile.", lambda row: f"{len(row.round.included):,}"),
    _column("New", "Included now, and not in the round before.", lambda row: f"{len(row.rounds.new(row.number)):,}"),
    _column("Lost", "Included in the round before, and not now.", lambda row: f"{len(row.rounds.lost(row.number)):,}"),
    _column("Effectively", "How many independent sequences the included ones are worth; near copies say the same.",
            lambda row: f"{row.round.effective_sequences:.1f}"),
    _column("Coverage %", "Median share of the query that an included sequence covers.",
            lambda row: _optional(row.round.coverage, 100, 0)),
    _column("Bits a column", "Mean relative entropy of the columns: how much the family tells apart its residues "
            "from chance.", lambda row: _optional(row.round.information, 1, 2)),
    *(_beyond(at) for at in range(1, len(CALIBRATION_LIMITS))),
    _column("Time", "Of scoring the whole database.",
            lambda row: duration(row.round.seconds, measured=True)),
)  # fmt: skip


class RoundsDialog(QDialog):
    """Shows the rounds of one query: table, calibration, and what is doubtful."""

    def __init__(self, result: SearchResult, query_index: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        rounds = result.queries[query_index].rounds
        assert rounds is not None
        self.setObjectName("roundsDialog")
        self.setWindowTitle(f"Rounds of {result.queries[query_index].query.id}")
        self.model = ListTable(COLUMNS)
        for number in range(1, len(rounds) + 1):
            self.model.add(RoundRow(rounds, number))
        self.table = row_table(QTableView(), "roundsTable", "Rounds in figures", self.model, rows=ROW)
        self.table.horizontalHeader().setStretchLastSection(False)
        theme.keep_size(self.table, rows=ROW, height=2 + (ROW + 0.1) * (len(rounds) + 1))
        self.plot = CalibrationPlot()
        counted = any(one.beyond for one in rounds.rounds)
        self.plot.setVisible(counted)
        if counted:
            self.plot.show_rounds(rounds, len(result.database))
        ending = ENDINGS[rounds.ended]
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
        self.resize(theme.grid(118), theme.grid(72 if counted else 36))
        self.table.resizeColumnsToContents()

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.model.as_text())


def warnings_of(result: SearchResult, query_index: int) -> list[str]:
    """Return what makes the rounds of a query doubtful, in sentences; nothing for a search without rounds."""
    rounds = result.queries[query_index].rounds
    if rounds is None or rounds.database:
        return []
    return drift_warnings(rounds, result.database.ids, lambda name: parse_header(name, "").name)
