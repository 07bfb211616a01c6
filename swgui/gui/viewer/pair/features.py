"""Features above and below the lines of an alignment, in its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QPainter

from swgui.core.entries.features import Feature
from swgui.core.entries.projection import Carried, carry
from swgui.core.hits.results import Hit
from swgui.gui.kit.plots.features import Placed, lanes_of, paint, place
from swgui.gui.kit.theme import Colours
from swgui.gui.viewer.pair.confidence import KINDS, Confidence
from swgui.gui.viewer.pair.layout import PairLayout

LANES = 2


@dataclass(frozen=True, slots=True)
class Track:
    """The features of one sequence in columns.

    Parameters
    ----------
    carried : list of Carried
        Spans are columns.
    placed : list of Placed
        The same in lanes.
    """

    carried: list[Carried] = field(default_factory=list)
    placed: list[Placed] = field(default_factory=list)

    @classmethod
    def of(cls, carried: list[Carried]) -> Track:
        """Put features into lanes."""
        return cls(carried, place((one.drawn for one in carried), LANES))

    @property
    def lanes(self) -> int:
        """Lanes it takes; sites alone need one, too."""
        return max(lanes_of(self.placed), 1) if self.placed else 0

    def told_at(self, column: int) -> str:
        """Return what the features in a column are, a line each."""
        here = [one.feature for one in self.carried if any(a <= column < b for a, b in one.drawn.spans)]
        return "\n".join(feature.describe() for feature in sorted(here, key=lambda one: one.end - one.start)[:8])

    def paint(self, painter: QPainter, columns: range, cell: float, area: QRectF, shades: Colours, font: QFont) -> None:
        """Paint what lies in the columns of one line."""
        here = [one for one in self.placed if one.feature.start < columns.stop and columns.start < one.feature.end]
        paint(painter, here, lambda column: area.left() + (column - columns.start) * cell, area, shades, font)


NO_TRACK = Track()


def tracks_of(hit: Hit, layout: PairLayout, drawn: tuple[Confidence, Confidence]) -> tuple[Track, Track]:
    """Return the tracks of query and subject, without what `drawn` shows of them."""
    return (
        Track.of(carry(_besides(hit.query_record.features, drawn[0]), layout.query_positions)),
        Track.of(carry(_besides(hit.subject.features, drawn[1]), layout.subject_positions)),
    )


def _besides(features: Sequence[Feature], drawn: Confidence) -> list[Feature]:
    return [one for one in features if not drawn or one.kind not in KINDS]
