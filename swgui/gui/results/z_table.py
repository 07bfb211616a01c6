"""Columns of the table of Z-values, which fills while shuffles are scored."""

from __future__ import annotations

import math
from collections.abc import Callable

from swgui.core.database import EncodedDatabase
from swgui.core.headers import parse_header
from swgui.core.statistics.shuffling import ZValue
from swgui.gui.kit.tables.row_table import RIGHT, RowColumn
from swgui.gui.words import formatting

SUBJECT = 1  # place of the subject's name, which is text, among the columns


def z_columns(database: EncodedDatabase) -> tuple[RowColumn[ZValue], ...]:
    """Return the columns from left to right; tool tips of numbers derive the Z-value."""

    def name(value: ZValue) -> str:
        return parse_header(database.ids[value.db_index], database.descriptions[value.db_index]).name

    return (
        _number("#", "Rank among the hits", lambda z: z.row + 1, lambda z: f"{z.row + 1:,}"),
        RowColumn("Subject", "", name, cell_tip=name),
        _number("Score", "Score of the hit itself", lambda z: z.score, lambda z: f"{z.score:,}"),
        _number("Mean", "Mean score of the shuffles", lambda z: z.mean, lambda z: f"{z.mean:.1f}"),
        _number("SD", "Standard deviation of the shuffles' scores", lambda z: z.standard_deviation,
                lambda z: f"{z.standard_deviation:.2f}"),
        _number("Z", "(score − mean) / standard deviation", lambda z: z.z,
                lambda z: "" if math.isnan(z.z) else f"{z.z:.1f}"),
        _number("p", "Chance that one shuffle scores as high, by an extreme-value distribution", lambda z: z.log10_p,
                lambda z: formatting.evalue(z.log10_p)),
        _number("Reached", "Shuffles that score at least as high", lambda z: z.reached, lambda z: f"{z.reached:,}"),
    )  # fmt: skip


def _number(
    title: str, tip: str, number: Callable[[ZValue], float], text: Callable[[ZValue], str]
) -> RowColumn[ZValue]:
    return RowColumn(title, tip, text, lambda value: float(number(value)), lambda value: value.explain(), RIGHT)
