"""Features in the overview: those of the query below its axis, those of subjects on their bars."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter

from swgui.core.entries.projection import Carried, along_query
from swgui.gui.hits.data import HitData
from swgui.gui.kit.plots.features import Placed, colour_of, lanes_of, place
from swgui.gui.kit.theme import Colours

LANES = 2  # of the query
STRIPE = 3.0  # pixels of what is drawn on a bar


class OverviewFeatures:
    """What is known of the features of one query and its hits."""

    def __init__(self, data: HitData | None = None) -> None:
        self._data = data
        self.placed: list[Placed] = place(data.query.features, LANES) if data is not None else []
        self._of_parts: dict[tuple[int, int], list[Carried]] = {}
        self._subjects = data is not None and data.result.database.feature_texts is not None

    @property
    def lanes(self) -> int:
        """Lanes that the query's features take; sites alone need one, too."""
        return max(lanes_of(self.placed), 1) if self.placed else 0

    def of_part(self, row: int, part: int) -> list[Carried]:
        """Return the features of a subject on the query, as one of its alignments lays them there."""
        if not self._subjects or self._data is None:
            return []
        if (row, part) not in self._of_parts:
            hit = self._data.hit(row)
            if hit is None:
                return []
            rows = list(hit.rows())
            self._of_parts[row, part] = along_query(rows[part]) if part < len(rows) else []
        return self._of_parts[row, part]

    def paint_on_bar(
        self, painter: QPainter, row: int, part: int, x: Callable[[float], float], bar: QRectF, shades: Colours
    ) -> None:
        """Paint a stripe below the middle of a bar, in the colours of the kinds, set off from the bar by a line."""
        carried = self.of_part(row, part)
        for site in (False, True):  # sites above the others
            for one in carried:
                if (one.feature.group == "site") is not site:
                    continue
                for start, end in one.drawn.spans:
                    left, right = x(start + 1), max(x(end + 1), x(start + 1) + 2)
                    stripe = QRectF(left, bar.bottom() - STRIPE, right - left, STRIPE)
                    painter.fillRect(stripe.adjusted(-0.5, -1, 0.5, 1), QColor(shades.base))
                    painter.fillRect(stripe, colour_of(one.feature, shades))

    def told(self, row: int, part: int, residue: float, reach: float) -> str:
        """Return what subject features lie at a residue of the query (from 1), a line each; empty if none do."""
        found = [
            one.feature
            for number in ([part] if part >= 0 else range(len(self._known_parts(row))))
            for one in self.of_part(row, number)
            if any(start <= residue - 1 + reach and residue - 1 - reach < end for start, end in one.drawn.spans)
        ]
        lines = [feature.describe() for feature in sorted(set(found), key=lambda one: one.end - one.start)]
        return "\n".join(f"Subject: {line}" for line in lines[:6])

    def _known_parts(self, row: int) -> list[int]:
        return [part for known, part in self._of_parts if known == row]
