"""The dot plot of the current hit: the map of a pair over the scores of windows along its diagonals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSlider, QWidget

from swgui.core.control import Check, RunControl, checking
from swgui.core.scoring import EncodedQuery, ScoringScheme, TwoTrackMatrix
from swgui.gui.kit import theme
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.theme import Colours
from swgui.gui.kit.widgets import combo_box, delayed, described, fill_combo, spin_box, text_label
from swgui.gui.viewer.matrix.on_map import BOTH, DARKEST, MOVING, Cells, MapView, Track, seen_by, thin, track_matrix
from swgui.gui.viewer.shown import ShownHit
from swgui.io.structures.reading import SHAPE

MAX_CELLS = 9_000_000  # larger plots are thinned out: each dot then means a square of residues
MAX_SCORE = np.iinfo(np.int16).max  # scores are kept within it
MIN_RANDOM = 1e-3  # share of dots that chance may set with the threshold offered at first
USUAL_WINDOW = {"protein": 11, "nucleotide": 15}
MAX_WINDOW = 99


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


def usual_threshold(plot: DotPlot) -> int:
    """Return a threshold that leaves about `MIN_RANDOM` of the plot dotted, at least 1."""
    values, counts = np.unique(plot.scores, return_counts=True)
    above = np.cumsum(counts[::-1])[::-1] / plot.scores.size
    few = values[above <= max(MIN_RANDOM, 1.5 / np.sqrt(plot.scores.size))]
    return max(1, int(few[0]) if len(few) else int(values[-1]))


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """A pair whose windows were compared."""

    shown: ShownHit
    plot: DotPlot
    threshold: int
    track: Track

    def describe(self, x: int, y: int) -> str:
        score = int(self.plot.scores[(y - 1) // self.plot.step, (x - 1) // self.plot.step])
        return f"{self.shown.describe_residues(x, y)}; window of {self.plot.window}: {score:+d}"


class DotView(MapView[_Compared, Cells]):
    """Shows all similar regions of query and subject."""

    name, title, tip = "dots", "Dot plot", "All similar regions of query and subject"

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "dots", "Dot plot of query and subject", parent)
        self._kind = ""  # of the sequences, for which the window was offered
        self._wanted: tuple[ShownHit, int, Track] | None = None
        self._own_threshold = False
        self._later = delayed(self, 80, self.compute)
        tip = "Window: positions compared along a diagonal"
        self.window_box = spin_box("dotWindow", (1, MAX_WINDOW), 1, tip, lambda _value: self._later.start(), step=2)
        self.track_box = combo_box(
            "dotTrack", "Compare residues, the symbols next to them, or both as they were scored",
            lambda _index: self._choose_track(), accessible="Compared",
        )  # fmt: skip
        self.track_box.hide()
        tip = "A window is shown if its matrix values add up to at least this much"
        self.threshold = described(QSlider(Qt.Orientation.Horizontal), "dotThreshold", tip, "Threshold")
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

    # -- display -----------------------------------------------------------------------------------

    @property
    def compared(self) -> _Compared | None:
        return self._computed

    @property
    def dots(self) -> DotPlot | None:
        return self._computed.plot if self._computed is not None else None

    def forget(self) -> None:
        self._wanted = None
        self._own_threshold = False

    def show_alignments(self, found: Sequence[ShownHit], current: int) -> None:
        shown = found[current]
        kind = shown.scheme.alphabet.residue_alphabet.name
        if kind != self._kind:
            self._kind = kind
            with QSignalBlocker(self.window_box):
                self.window_box.setValue(USUAL_WINDOW.get(kind, USUAL_WINDOW["protein"]))
        self._offer_tracks(shown)
        super().show_alignments(found, current)

    @property
    def track(self) -> Track:
        chosen: Track | None = self.track_box.currentData()
        return chosen or BOTH

    def _offer_tracks(self, shown: ShownHit) -> None:
        """Offer the tracks to compare, if there are two; the choice stays from hit to hit."""
        matrix = shown.scheme.matrix
        items = _tracks(matrix) if isinstance(matrix, TwoTrackMatrix) else ()
        if len(items) != self.track_box.count():
            self.track_box.clear()
            fill_combo(self.track_box, items)
        self.track_box.setVisible(bool(items))

    def _choose_track(self) -> None:
        self._own_threshold = False  # scores of another track differ
        self.compute()

    def compute(self) -> None:
        shown, track = self._shown, self.track
        window = self.window_box.value() | 1  # odd, so that a stretch has a middle
        if shown is None:
            return
        wanted = self._wanted
        if wanted is not None and wanted[0].same_matrix(shown) and wanted[1:] == (window, track):
            return
        self._wanted = shown, window, track
        self.note.set_text("Comparing…")
        self._tasks.start(self._key, lambda control: _compare(shown, window, track, control), self._show)

    def _show(self, compared: _Compared) -> None:
        if not self.is_of_shown(compared):
            return
        self._computed, plot = compared, compared.plot
        with QSignalBlocker(self.threshold):
            self.threshold.setRange(1, max(2, int(plot.scores.max())))
            if not self._own_threshold:
                self.threshold.setValue(compared.threshold)
        if self._cells is not None:
            self._cells.scores, self._cells.step, self._cells.ramp = plot.scores, plot.step, _ramp
        self.tell()

    def _threshold_moved(self) -> None:
        self._own_threshold = True
        self.tell()

    def tell(self) -> None:
        plot = self.dots
        if plot is None:
            return
        threshold = self.threshold.value()
        self.threshold_value.setText(f"≥ {threshold}")
        if self._cells is not None:
            reach = max(int(plot.scores.max()) - threshold, 1)
            self._cells.shade = lambda scores: 1 + (scores.astype(np.int32) - threshold) * (DARKEST - 1) // reach
            self.map.refresh()
        share = 100 * float(plot.dots(threshold).mean())
        thinned = f"; a dot covers {plot.step} × {plot.step} positions" if plot.step > 1 else ""
        more = "; thin lines: the other alignments" if len(self._found) > 1 else ""
        self.note.set_text(f"{share:.2f} % dotted{thinned}{more}. {MOVING}")

    def caption(self) -> str:
        if self._computed is None:
            return ""
        compared, window = self._computed, self._computed.plot.window
        matrix = track_matrix(compared.shown.scheme, compared.track).name
        return f"Dot plot: windows of {window} residues that score at least {self.threshold.value()} with {matrix}."


def _tracks(matrix: TwoTrackMatrix) -> tuple[tuple[str, Track, str], ...]:
    residues, letters = (matrix.name for matrix in matrix.matrices)
    title = "Shape" if letters == SHAPE else "Symbols"
    return (
        ("Both tracks", "both", f"Residues and symbols together, as they were scored: {matrix.name}"),
        ("Residues", "residues", f"Residues alone: {residues}"),
        (f"{title} ({letters})", "letters", f"Only the symbols next to the residues: {letters}"),
    )


def _compare(shown: ShownHit, window: int, track: Track, control: RunControl) -> _Compared:
    codes = shown.hit.subject_codes(shown.scheme.alphabet)
    plot = dot_plot(*seen_by(shown.hit.query, codes, shown.scheme, track), window, checking(control))
    return _Compared(shown, plot, usual_threshold(plot), track)


def _ramp(shades: Colours) -> list[QColor]:
    """Return the shades of dots: none below the threshold, then from weak to strong."""
    weak, strong = QColor(shades.control), QColor(shades.text)
    ends = zip((weak.red(), weak.green(), weak.blue()), (strong.red(), strong.green(), strong.blue()), strict=True)
    parts = (np.linspace(*end, DARKEST).astype(int).tolist() for end in ends)
    return [QColor(0, 0, 0, 0), *(QColor(*rgb) for rgb in zip(*parts, strict=True))]
