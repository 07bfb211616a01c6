"""The dot plot of the current hit: the map of a pair over the scores of windows along its diagonals."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QPainter, QShowEvent
from PySide6.QtWidgets import QSlider, QWidget

from swgui.core.alignment import PLAIN
from swgui.core.control import Check, RunControl, checking
from swgui.core.scoring import EncodedQuery, ScoringScheme, SubstitutionMatrix, TwoTrackMatrix
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import Colours
from swgui.gui.kit.widgets import combo_box, delayed, described, fill_combo, spin_box, text_label
from swgui.gui.viewer.map.geometry import Frame, Line, MapData, MapLine, MapLines
from swgui.gui.viewer.map.paint import Similarity, paint_cells
from swgui.gui.viewer.map.view import PairMap
from swgui.gui.viewer.matrix.path import path_cells
from swgui.gui.viewer.pictures.picture import SeenPicture
from swgui.gui.viewer.shown import ShownHit
from swgui.gui.viewer.view import View
from swgui.io.structures.reading import SHAPE

MAX_CELLS = 9_000_000  # larger plots are thinned out: each dot then stands for a square of residues
MAX_SCORE = np.iinfo(np.int16).max  # scores are kept within it
MIN_RANDOM = 1e-3  # share of dots that chance may set with the threshold offered at first


@dataclass(frozen=True, slots=True, eq=False)
class DotPlot:
    """Scores of windows of equal length along the diagonals."""

    # Sum of matrix values of a stretch centred on subject residue (row) and query residue (column); where the plot is
    # thinned out, the largest of its square.
    scores: NDArray[np.int16]
    window: int  # length of the stretches
    step: int  # residues for each row and column
    query_length: int
    subject_length: int

    def dots(self, threshold: int) -> NDArray[np.bool_]:
        """Return where a window scores at least `threshold`, in the shape of `scores`."""
        return self.scores >= threshold


def dot_plot(
    query: EncodedQuery,
    subject: NDArray[np.uint8],
    scheme: ScoringScheme,
    window: int,
    check: Check = lambda: None,
) -> DotPlot:
    """Score every `window` residues of the query against every one of the subject.

    Sums along diagonals are differences of running sums, so that the time does not depend on the window.
    Stretches that would reach beyond an end are cut there.

    Parameters
    ----------
    subject : ndarray, shape=(n,), dtype=uint8
        Codes.
    window : int
        Odd, at least 1.
    check : callable
        Called now and then; raises to give up.

    Returns
    -------
    DotPlot
        Thinned out above `MAX_CELLS` cells.
    """
    m, n = len(query), len(subject)
    step = max(1, int(np.ceil(np.sqrt(m * n / MAX_CELLS))))
    profile = query.scores(scheme)
    half = window // 2
    rows, columns = -(-n // step), -(-m // step)
    largest = np.full((rows, columns), np.iinfo(np.int16).min, dtype=np.int16)
    # Bands of subject rows: a running sum along each diagonal needs `window` rows before and behind.
    band = max(256, window * 4) // step * step or step
    padded = np.zeros((profile.shape[1], m + 2 * window), dtype=np.int32)  # a row for each residue of the subject
    padded[:, window : window + m] = profile.T
    for top in range(0, n, band):
        check()
        bottom = min(n, top + band)
        first, last = top - half - 1, bottom + half
        sums = _diagonal_sums(padded, subject, first, last, m, window)
        # Row i of `sums` ends a running sum at subject residue first + i.
        ends = sums[top + half - first : bottom + half - first, 2 * half + 1 : 2 * half + 1 + m]
        starts = sums[top - half - 1 - first : bottom - half - 1 - first, :m]
        stretch = ends - starts
        if window * int(np.abs(profile).max(initial=0)) > MAX_SCORE:
            np.clip(stretch, -MAX_SCORE, MAX_SCORE, out=stretch)
        largest_rows = thin(stretch.astype(np.int16), step)
        largest[top // step : top // step + len(largest_rows)] = largest_rows
    return DotPlot(largest, window, step, m, n)


def _diagonal_sums(
    padded: NDArray[np.int32], subject: NDArray[np.uint8], first: int, last: int, m: int, window: int
) -> NDArray[np.int32]:
    """Return running sums along diagonals for subject residues `first` to `last`.

    Column ``j`` of row ``i`` is the sum over the diagonal that ends at query residue ``j - half - 1``, from
    the first row on; residues outside either sequence add nothing.
    """
    half = window // 2
    width = m + 2 * half + 1
    sums = np.zeros((last - first + 1, width), dtype=np.int32)
    shift = window - half - 1
    for i in range(1, last - first + 1):
        residue = first + i
        sums[i, 1:] = sums[i - 1, :-1]
        if 0 <= residue < len(subject):
            sums[i] += padded[subject[residue], shift : shift + width]
    return sums


def thin(scores: NDArray[np.int16], step: int) -> NDArray[np.int16]:
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


def usual_threshold(plot: DotPlot, share: float = MIN_RANDOM) -> int:
    """Return a threshold that leaves about `share` of the plot dotted, at least 1."""
    values, counts = np.unique(plot.scores, return_counts=True)
    above = np.cumsum(counts[::-1])[::-1] / plot.scores.size
    few = values[above <= max(share, 1.5 / np.sqrt(plot.scores.size))]
    return max(1, int(few[0]) if len(few) else int(values[-1]))


KEY = "results-dots"
USUAL_WINDOW = {"protein": 11, "nucleotide": 15}
MAX_WINDOW = 99
DARKEST = 255  # number of the strongest shade of a dot
MOVING = "Wheel zooms, drag moves, a click goes to the residue."
Track: TypeAlias = Literal["both", "residues", "letters"]
BOTH: Final[Track] = "both"
_PARTS: Final[dict[Track, int]] = {"residues": 0, "letters": 1}


def track_matrix(scheme: ScoringScheme, track: Track) -> SubstitutionMatrix:
    """Return what a track is scored with: that of the scheme for both, and where there is one track."""
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


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """A pair whose windows were compared."""

    shown: ShownHit
    plot: DotPlot
    threshold: int
    track: Track

    def describe(self, x: int, y: int) -> str:
        score = int(self.plot.scores[(y - 1) // self.plot.step, (x - 1) // self.plot.step])
        return f"{self.shown.describe_pair(x, y)}; window of {self.plot.window}: {score:+d}"


class _Scores(Similarity):
    """Paints the scores of windows from a threshold on; nothing while they are not known."""

    def __init__(self, data: MapData, *, with_paths: bool) -> None:
        super().__init__(data)
        self.plot: DotPlot | None = None
        self.threshold = 1
        self._with_paths = with_paths

    def paint(self, painter: QPainter, frame: Frame, shades: Colours, strand: int) -> None:
        plot = self.plot
        if plot is None:
            return
        times = max(1, math.ceil(max(frame.across.step, frame.down.step) / plot.step))  # at least a pixel
        step = times * plot.step
        (left, right), (top, bottom) = frame.across.residues(), frame.down.residues()
        rows = slice(top // step * times, -(-bottom // plot.step))
        columns = slice(left // step * times, -(-right // plot.step))
        scores = thin(plot.scores[rows, columns], times).astype(np.int32)
        best = max(int(plot.scores.max()), self.threshold)
        shown = 1 + (scores - self.threshold) * (DARKEST - 1) // max(best - self.threshold, 1)
        corner = left // step * step, top // step * step
        paint_cells(painter, frame, np.clip(shown, 0, DARKEST).astype(np.uint8), _ramp(shades), corner, step)

    def paint_paths(self, painter: QPainter, frame: Frame, shades: Colours, lines: MapLines) -> None:
        """Fill the cells of aligned residues, where a residue is one of the query and of the subject."""
        if self._with_paths:
            super().paint_paths(painter, frame, shades, lines)


class DotView(View):
    """Shows all similar regions of query and subject."""

    name, title, tip = "dots", "Dot plot", "All similar regions of query and subject"

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("dotView")
        self._tasks = tasks
        self._found: Sequence[ShownHit] = ()
        self._shown: ShownHit | None = None  # one of those found
        self._compared: _Compared | None = None
        self._scores: _Scores | None = None
        self._kind = ""  # of the sequences, for which the window was offered
        self._wanted: tuple[ShownHit, int, Track] | None = None
        self._own_threshold = False
        self.map = described(PairMap(), "dotPlot", accessible="Dot plot of query and subject")
        self.map.square = True
        self.map.pointed.connect(self._point)
        self.map.chosen.connect(self._choose)
        self.map.left.connect(self.left)
        self.setFocusProxy(self.map)
        self.note = described(ElidedLabel(), "dotNote")
        theme.set_role(self.note, level="muted")
        self._later = delayed(self, 80, self._compute)
        self.window_box = spin_box(
            "dotWindow",
            (1, MAX_WINDOW),
            1,
            "Window: residues that are compared along a diagonal",
            lambda _value: self._later.start(),
            step=2,
        )
        self.track_box = combo_box(
            "dotTrack", "What is compared: residues, the symbols beside them, or both as they were scored",
            lambda _index: self._choose_track(), accessible="Compared",
        )  # fmt: skip
        self.track_box.hide()
        self.threshold = described(
            QSlider(Qt.Orientation.Horizontal),
            "dotThreshold",
            "A window is shown if its matrix values add up to at least this much",
            "Threshold",
        )
        theme.keep_size(self.threshold, width=10)
        self.threshold.valueChanged.connect(self._threshold_moved)
        self.threshold_value = text_label(name="dotThresholdValue")
        tools = in_row(
            self.track_box,
            text_label("&Window", buddy=self.window_box),
            self.window_box,
            text_label("&Threshold", buddy=self.threshold),
            self.threshold,
            self.threshold_value,
            (self.note, 1),
        )
        in_column(tools, (self.map, 1), spacing=0.5, parent=self)

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def compared(self) -> _Compared | None:
        return self._compared

    @property
    def dots(self) -> DotPlot | None:
        return self._compared.plot if self._compared is not None else None

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        """Compare the query of a hit with its subject; computed when the view is seen."""
        shown = found[current]
        kind = shown.scheme.alphabet.residue_alphabet.name
        if kind != self._kind:
            self._kind = kind
            blocker = QSignalBlocker(self.window_box)
            self.window_box.setValue(USUAL_WINDOW.get(kind, USUAL_WINDOW["protein"]))
            blocker.unblock()
        self._offer_tracks(shown)
        another = self._shown is None or not shown.same_matrix(self._shown)
        if another:
            self._compared = self._wanted = None  # until the new one is there
            self._own_threshold = False
        self._found, self._shown = tuple(found), shown
        if another:
            self._show_pair(shown)
        self.map.show_lines(MapLines(list(_lines(found, shown))))
        self.map.set_current(current + 1)
        if self.isVisible():
            self._compute()

    def _show_pair(self, shown: ShownHit) -> None:
        """Show query and subject of a hit against each other; of two tracks the letters at the edges are residues."""
        codes = shown.hit.subject_codes(shown.scheme.alphabet)
        query, subject, scheme = seen_by(shown.hit.query, codes, shown.scheme, "residues")
        hit = shown.hit
        names = f"{shown.query_axis}: {hit.query_record.id}", f"Subject: {hit.subject.id}"
        data = MapData(*names, query.codes, subject, scheme, MapLines([]))
        self._scores = _Scores(data, with_paths=shown.alignment.steps == PLAIN)
        self.map.show_data(data, self._scores)

    def clear(self) -> None:
        self._tasks.drop(KEY)
        self._found = ()
        self._shown = self._compared = self._wanted = self._scores = None
        self.map.show_data(None)

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue, both from 1; empty if nothing was compared."""
        return self._compared.describe(x, y).replace("-", "\N{MINUS SIGN}") if self._compared is not None else ""

    def _point(self, place: tuple[int, int] | None) -> None:
        self.pointed.emit(self.describe(place[0] + 1, place[1] + 1) if place is not None else "")

    def _choose(self, query: int, _subject: int, number: int) -> None:
        if self._shown is None:
            return
        if number and self._found[number - 1] is not self._shown:
            self.stepped.emit(number - 1)
        else:
            self.place_chosen.emit(self._shown.query_number(query + 1))

    @property
    def track(self) -> Track:
        chosen: Track | None = self.track_box.currentData()
        return chosen or BOTH

    def _offer_tracks(self, shown: ShownHit) -> None:
        """Offer what can be compared, where there are two tracks; the choice stays from hit to hit."""
        matrix = shown.scheme.matrix
        items = _tracks(matrix) if isinstance(matrix, TwoTrackMatrix) else ()
        if len(items) != self.track_box.count():
            self.track_box.clear()
            fill_combo(self.track_box, items)
        self.track_box.setVisible(bool(items))

    def _choose_track(self) -> None:
        self._own_threshold = False  # scores of another track are other ones
        self._compute()

    def _compute(self) -> None:
        shown, track = self._shown, self.track
        window = self.window_box.value() | 1  # odd, so that a stretch has a middle
        if shown is None:
            return
        wanted = self._wanted
        if wanted is not None and wanted[0].same_matrix(shown) and wanted[1:] == (window, track):
            return
        self._wanted = shown, window, track
        self.note.set_text("Comparing…")
        self._tasks.start(KEY, lambda control: _compare(shown, window, track, control), self._show)

    def _show(self, compared: _Compared) -> None:
        if self._shown is None or not compared.shown.same_matrix(self._shown):
            return
        self._compared, plot = compared, compared.plot
        blocker = QSignalBlocker(self.threshold)
        self.threshold.setRange(1, max(2, int(plot.scores.max())))
        if not self._own_threshold:
            self.threshold.setValue(compared.threshold)
        blocker.unblock()
        if self._scores is not None:
            self._scores.plot = plot
        self._show_threshold()

    def _threshold_moved(self) -> None:
        self._own_threshold = True
        self._show_threshold()

    def _show_threshold(self) -> None:
        plot = self.dots
        if plot is None:
            return
        threshold = self.threshold.value()
        self.threshold_value.setText(f"≥ {threshold}")
        if self._scores is not None:
            self._scores.threshold = threshold
            self.map.refresh()
        share = 100 * float(plot.dots(threshold).mean())
        thinned = f"; a dot stands for {plot.step} × {plot.step} residues" if plot.step > 1 else ""
        more = "; thin lines: the other alignments" if len(self._found) > 1 else ""
        self.note.set_text(f"{share:.2f} % dotted{thinned}{more}. {MOVING}")

    def caption(self) -> str:
        if self._compared is None:
            return ""
        compared, window = self._compared, self._compared.plot.window
        matrix = track_matrix(compared.shown.scheme, compared.track).name
        return f"Dot plot: windows of {window} residues that score at least {self.threshold.value()} with {matrix}."

    def figure(self) -> SeenPicture | None:
        if self._compared is None:
            return None
        hit = self._compared.shown.hit
        return self.map.picture("dot_plot.svg", (hit.query_record.header, hit.subject.header, self.caption()))

    # -- Qt's events -------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._compute()


def _lines(shown_hits: Sequence[ShownHit], shown: ShownHit) -> Iterator[MapLine]:
    """Yield the paths of alignments on the strand of the one that is shown; those of the other strand run backwards."""
    for number, other in enumerate(shown_hits, start=1):
        same = other.hit.strand == shown.hit.strand
        if shown.hit.translation is None or same:  # else it is of another frame, with other residues
            cells = path_cells(other.alignment)
            query = cells[:, 0] if same else len(other.hit.query) - cells[:, 0]
            yield MapLine(Line(query, cells[:, 1]), 1 if same else -1, number)


def _tracks(matrix: TwoTrackMatrix) -> tuple[tuple[str, Track, str], ...]:
    residues, letters = (matrix.name for matrix in matrix.matrices)
    title = "Shape" if letters == SHAPE else "Symbols"
    return (
        ("Both tracks", "both", f"Residues and symbols together, as they were scored: {matrix.name}"),
        ("Residues", "residues", f"Residues alone: {residues}"),
        (f"{title} ({letters})", "letters", f"The symbols beside the residues alone: {letters}"),
    )


def _compare(shown: ShownHit, window: int, track: Track, control: RunControl) -> _Compared:
    codes = shown.hit.subject_codes(shown.scheme.alphabet)
    plot = dot_plot(*seen_by(shown.hit.query, codes, shown.scheme, track), window, checking(control))
    return _Compared(shown, plot, usual_threshold(plot), track)


def _ramp(shades: Colours) -> list[QColor]:
    """Return the shades of dots: none for what lies below the threshold, then from weak to strong."""
    weak, strong = QColor(shades.control), QColor(shades.text)
    ends = zip((weak.red(), weak.green(), weak.blue()), (strong.red(), strong.green(), strong.blue()), strict=True)
    parts = (np.linspace(*end, DARKEST).astype(int).tolist() for end in ends)
    return [QColor(0, 0, 0, 0), *(QColor(*rgb) for rgb in zip(*parts, strict=True))]
