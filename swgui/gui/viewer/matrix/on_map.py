"""Views that lay numbers of query and subject residues under the map of a pair: cells, paths, crosshair, pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import ClassVar, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QWidget

from swgui.core.alignment import PLAIN
from swgui.core.headers import header_of
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, TwoTrackMatrix
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import Colours
from swgui.gui.kit.widgets import described
from swgui.gui.viewer.map.geometry import Frame, Line, MapData, MapLine, MapLines
from swgui.gui.viewer.map.paint import Similarity, paint_cells
from swgui.gui.viewer.map.view import PairMap
from swgui.gui.viewer.matrix.path import path_cells
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View

MOVING: Final = "Wheel zooms, drag moves, a click goes to that position."
DARKEST: Final = 255  # number of the strongest shade of a cell
Track: TypeAlias = Literal["both", "residues", "letters"]
BOTH: Final[Track] = "both"
_PARTS: Final[dict[Track, int]] = {"residues": 0, "letters": 1}


def track_matrix(scheme: ScoringScheme, track: Track) -> SubstitutionMatrix:
    """Return the matrix of a track: the scheme's for both tracks, and if there is one track."""
    matrix = scheme.matrix
    return matrix.matrices[_PARTS[track]] if isinstance(matrix, TwoTrackMatrix) and track in _PARTS else matrix


def of_track(codes: NDArray[np.uint8], scheme: ScoringScheme, track: Track) -> NDArray[np.uint8]:
    """Return the codes of one track of symbols; the symbols themselves for both, and where there is one track."""
    matrix = scheme.matrix
    if not isinstance(matrix, TwoTrackMatrix) or track not in _PARTS:
        return codes
    return matrix.split_symbols(codes)[_PARTS[track]]


def seen_by(
    query: EncodedQuery, subject: NDArray[np.uint8], scheme: ScoringScheme, track: Track
) -> tuple[EncodedQuery, NDArray[np.uint8], ScoringScheme]:
    """Return query, codes of the subject and scheme of one track, without the weights of two.

    Parameters
    ----------
    subject : ndarray, shape=(n,)
    track : {"both", "residues", "letters"}
    """
    matrix = track_matrix(scheme, track)
    if matrix is scheme.matrix:
        return query, subject, scheme
    alone = replace(query, codes=of_track(query.codes, scheme, track), profile=None, gaps=None)
    return alone, of_track(subject, scheme, track), replace(scheme, matrix=matrix)


def thin(scores: NDArray[np.integer], step: int) -> NDArray[np.integer]:
    """Return the largest value of each square of `step` x `step`, shape (ceil(rows / step), ceil(columns / step))."""
    if step == 1:
        return scores
    by_rows = scores[::step].copy()
    for offset in range(1, step):
        others = scores[offset::step]
        np.maximum(by_rows[: len(others)], others, out=by_rows[: len(others)])
    thinned = by_rows[:, ::step].copy()
    for offset in range(1, step):
        others = by_rows[:, offset::step]
        np.maximum(thinned[:, : others.shape[1]], others, out=thinned[:, : others.shape[1]])
    return thinned


class Cells(Similarity):
    """Paints a number for each pair of residues, or for a block of pairs; nothing while they are not known."""

    def __init__(self, data: MapData, *, with_paths: bool) -> None:
        super().__init__(data)
        self._with_paths = with_paths
        self.scores: NDArray[np.integer] | None = None  # rows follow the subject
        self.step = 1  # residues along a side of a cell
        self.corner = (0, 0)  # query and subject residue (from 0) of the first one
        # Gives numbers of shades, 0 to `DARKEST`, and the colours of these.
        self.shade: Callable[[NDArray[np.integer]], NDArray[np.integer]] = np.sign
        self.ramp: Callable[[Colours], Sequence[QColor]] = lambda shades: [QColor(shades.text)]

    def paint(self, painter: QPainter, frame: Frame, shades: Colours, strand: int) -> None:
        """Paint the cells in sight; where several share a pixel, the largest of them."""
        if self.scores is None:
            return
        times = max(1, math.ceil(max(frame.across.step, frame.down.step) / self.step))
        step, parts, corner = times * self.step, [], []
        for axis, begin in zip((frame.across, frame.down), self.corner, strict=True):
            first, last = (max(0, residue - begin) for residue in axis.residues())
            parts.append(slice(first // step * times, -(-last // self.step)))
            corner.append(begin + first // step * step)
        shown = np.clip(self.shade(thin(self.scores[parts[1], parts[0]], times)), 0, DARKEST).astype(np.uint8)
        paint_cells(painter, frame, shown, self.ramp(shades), (corner[0], corner[1]), step)

    def paint_paths(self, painter: QPainter, frame: Frame, shades: Colours, lines: MapLines) -> None:
        """Fill the cells of aligned residues, where a residue is one of the query and of the subject."""
        if self._with_paths:
            super().paint_paths(painter, frame, shades, lines)


class _Computed(Protocol):
    """A worker's result for a pair."""

    @property
    def shown(self) -> ShownHit: ...

    def describe(self, x: int, y: int) -> str:
        """Return a text on the pair at a query and a subject residue, both from 1."""


C = TypeVar("C", bound=_Computed)
K = TypeVar("K", bound=Cells)


class MapView(View, Generic[C, K]):
    """Shows numbers of query and subject residues; subclasses choose and compute them."""

    cells_of: ClassVar[type[Cells]] = Cells  # what paints them
    least_height, wants_room = 24, True

    def __init__(self, tasks: Tasks, name: str, accessible: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(f"{name}View")
        self._tasks, self._name = tasks, name
        self._key = f"results-{name}"
        self._found: tuple[ShownHit, ...] = ()
        self._shown: ShownHit | None = None  # one of those found
        self._computed: C | None = None
        self._cells: K | None = None
        self.map = described(PairMap(), f"{name}Map", accessible=accessible)
        self.map.square = True
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(self._choose)
        self.map.left.connect(self.left)
        self.setFocusProxy(self.map)
        self.note = described(ElidedLabel(), f"{name}Note")
        theme.set_role(self.note, level="muted")

    def forget(self) -> None:
        """Take note that another pair is shown, or none."""

    def tell(self) -> None:
        """Describe the picture below the tools."""

    def caption(self) -> str:
        """Return the text in a picture that describes it."""
        raise NotImplementedError

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        shown = found[current]
        another = self._shown is None or not shown.same_matrix(self._shown)
        self._found, self._shown = tuple(found), shown
        if another:
            self._computed = None  # until the new one is there
            self._show_hit(shown)
            self.forget()
        self.map.show_lines(MapLines(list(_lines(found, shown))))
        self.map.set_current(current + 1)
        self.renew()
        if self._computed is not None:
            self.tell()

    def _show_hit(self, shown: ShownHit) -> None:
        """Show query and subject of a hit against each other; of two tracks the letters at the edges are residues."""
        codes = shown.hit.subject_codes(shown.scheme.alphabet)
        query, subject, scheme = seen_by(shown.hit.query, codes, shown.scheme, "residues")
        query_name, subject_name = (header_of(record).name for record in (shown.hit.query_record, shown.hit.subject))
        names = f"{shown.query_axis}: {query_name}", f"Subject: {subject_name}"
        data = MapData(*names, query.codes, subject, scheme, MapLines([]))
        self._cells = self.cells_of(data, with_paths=shown.alignment.steps == PLAIN)  # type: ignore[assignment]
        self.map.show_data(data, self._cells)

    def clear(self) -> None:
        self._tasks.drop(self._key)
        self._found = ()
        self._shown = self._computed = self._cells = None
        self.forget()
        self.note.set_text("")
        self.map.show_data(None)

    def is_of_shown(self, computed: C) -> bool:
        return self._shown is not None and computed.shown.same_matrix(self._shown)

    def describe(self, x: int, y: int) -> str:
        """Return a text on the pair at a query and a subject residue, both from 1; empty if nothing was computed."""
        return self._computed.describe(x, y).replace("-", "\N{MINUS SIGN}") if self._computed is not None else ""

    def _point(self, place: tuple[int, int] | None) -> None:
        if self.isVisible():  # a click that leads to another view hides the map, which the pointer then leaves, too
            self.pointed.emit(self.describe(place[0] + 1, place[1] + 1) if place is not None else "")

    def _choose(self, query: int, _subject: int, number: int) -> None:
        if self._shown is None:
            return
        if number and self._found[number - 1] is not self._shown:
            self.stepped.emit(number - 1)
        else:
            self.place_chosen.emit(self._shown.query_number(query + 1))

    def figure(self) -> SeenPicture | None:
        if self._computed is None:
            return None
        hit = self._computed.shown.hit
        lines = (hit.query_record.header, hit.subject.header, self.caption())
        return self.map.picture(f"{self._name}.svg", lines)


def _lines(shown_hits: Sequence[ShownHit], shown: ShownHit) -> Iterator[MapLine]:
    """Yield the paths of alignments on the strand of the one shown; paths of the other strand run backwards."""
    for number, other in enumerate(shown_hits, start=1):
        same = other.hit.strand == shown.hit.strand
        if shown.hit.translation is None or same:  # else it is of another frame, with other residues
            cells = path_cells(other.alignment)
            query = cells[:, 0] if same else len(other.hit.query) - cells[:, 0]
            yield MapLine(Line(query, cells[:, 1]), 1 if same else -1, number)
