"""The dot plot of the current hit: window and threshold to choose, the path drawn over it, a crosshair."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtGui import QColor, QShowEvent
from PySide6.QtWidgets import QSlider, QWidget

from swgui.core.control import RunControl
from swgui.core.errors import Stopped
from swgui.core.letters.tracks import TwoTrackMatrix
from swgui.gui.kit import theme
from swgui.gui.kit.delay import delayed
from swgui.gui.kit.plots.library import pg
from swgui.gui.kit.tasks.pool import Tasks
from swgui.gui.kit.widgets import combo_box, described, fill_combo, spin_box, text_label
from swgui.gui.viewer.matrix.dots import DotPlot, dot_plot, usual_threshold
from swgui.gui.viewer.matrix.path import path_lines
from swgui.gui.viewer.matrix.plot_view import MOVING, PairPlotView, polyline
from swgui.gui.viewer.matrix.tracks import BOTH, Track, seen_by, track_matrix
from swgui.gui.viewer.shown import ShownHit
from swgui.io.structures.reading import SHAPE

KEY = "results-dots"
USUAL_WINDOW = {"protein": 11, "nucleotide": 15}
MAX_WINDOW = 99


@dataclass(frozen=True, slots=True, eq=False)
class _Compared:
    """A pair whose stretches were compared."""

    shown: ShownHit
    plot: DotPlot
    threshold: int
    track: Track

    def describe(self, x: int, y: int) -> str:
        score = int(self.plot.scores[(y - 1) // self.plot.step, (x - 1) // self.plot.step])
        return f"{self.shown.describe_pair(x, y)}; stretch of {self.plot.window}: {score:+d}"


class DotView(PairPlotView):
    """Shows every stretch of the query that scores against a stretch of the subject."""

    name, title, tip = "dots", "Dot plot", "All similar stretches of query and subject"
    file_name = "dot_plot.svg"

    def __init__(self, tasks: Tasks, parent: QWidget | None = None) -> None:
        super().__init__(tasks, "dot", "Dot plot of query and subject", 1, parent)
        self._shown: ShownHit | None = None
        self._found: Sequence[ShownHit] = ()
        self._compared: _Compared | None = None
        self._kind = ""  # of the sequences, for which the window was offered
        self._wanted: tuple[ShownHit, int, Track] | None = None
        self._others = pg.PlotCurveItem(connect="finite")
        self._own_threshold = False
        self._later = delayed(self, 80, self._compute)
        self.window_box = spin_box(
            "dotWindow",
            (1, MAX_WINDOW),
            1,
            "Residues of each stretch that is compared",
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
            "A stretch is shown if its matrix values add up to at least this much",
            "Threshold",
        )
        theme.keep_size(self.threshold, width=10)
        self.threshold.valueChanged.connect(self._threshold_moved)
        self.threshold_value = text_label(name="dotThresholdValue")
        for item in (self._image, self._others, self._path):
            self.plot.addItem(item)
        self._finish(
            self.track_box,
            text_label("&Window", buddy=self.window_box),
            self.window_box,
            text_label("&Threshold", buddy=self.threshold),
            self.threshold,
            self.threshold_value,
        )

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def content(self) -> _Compared | None:
        """The pair as it was compared."""
        return self._compared

    @property
    def dots(self) -> DotPlot | None:
        """The plot shown."""
        return self._compared.plot if self._compared is not None else None

    @property
    def stops(self) -> Sequence[QWidget]:
        """The boxes, then the plot."""
        return (self.window_box, self.threshold, self.plot)

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
        if self._shown is None or not shown.same_matrix(self._shown):
            self._compared = self._wanted = None  # until the new one is there
            self._own_threshold = False
            self.pointer.show_at(None)
        self._found, self._shown = found, shown
        if self.isVisible():
            self._compute()
            self._draw_paths()

    def clear(self) -> None:
        """Show nothing."""
        self.pointer.show_at(None)
        self._tasks.drop(KEY)
        self._found = ()
        self._shown = self._compared = self._wanted = None
        self._image.clear()
        self._draw_paths()

    @property
    def track(self) -> Track:
        """What is compared."""
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
        self._show_image(plot.scores, plot.step)
        self._draw_paths()
        self._show_range(compared.shown)
        self._show_threshold()

    def _draw_paths(self) -> None:
        """Draw the alignment that is looked at, and all others of the pair; those of the other strand run backwards."""
        shown, seen = self._shown, self._compared is not None
        others = [one for one in self._found if one is not shown] if seen else []
        self._path.setData(*polyline(_lines(shown, shown) if shown is not None and seen else ()))
        self._others.setData(*polyline(line for one in others if shown for line in _lines(one, shown)))

    def _threshold_moved(self) -> None:
        self._own_threshold = True
        self._show_threshold()

    def _show_threshold(self) -> None:
        plot = self.dots
        if plot is None:
            return
        threshold = self.threshold.value()
        self.threshold_value.setText(f"≥ {threshold}")
        # Level 0 is everything below the threshold.
        self._image.setLevels((threshold - 1, max(int(plot.scores.max()), threshold)))
        share = 100 * float(plot.dots(threshold).mean())
        thinned = f"; a dot stands for {plot.step} × {plot.step} residues" if plot.step > 1 else ""
        more = "; thin lines: the other alignments" if len(self._found) > 1 else ""
        self.note.set_text(f"{share:.2f} % dotted{thinned}{more}. {MOVING}")

    def caption(self) -> str:
        """Say what is dotted."""
        if self._compared is None:
            return ""
        compared, window = self._compared, self._compared.plot.window
        matrix = track_matrix(compared.shown.scheme, compared.track).name
        return f"Dot plot: stretches of {window} residues that score at least {self.threshold.value()} with {matrix}."

    def _colour_items(self, shades: theme.Colours) -> None:
        base, weak, strong = (_rgb(c) for c in (shades.base, shades.control, shades.text))
        ramp = np.linspace(0, 1, 255)[:, None]
        table = np.vstack([base, weak + ramp * (strong - weak)])
        self._image.setLookupTable(table.astype(np.uint8))
        line = QColor(shades.series[1])
        line.setAlpha(170)
        self._path.setPen(theme.plot_pen(self.plot, line, 2))
        self._others.setPen(theme.plot_pen(self.plot, QColor(shades.series[0]), 1))

    # -- Qt's events -------------------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:
        """Compare now if it was not done while hidden."""
        super().showEvent(event)
        self._compute()


def _lines(one: ShownHit, shown: ShownHit) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield the lines of an alignment, in residues from 1, on the strand of the one that is shown."""
    if shown.hit.translation is not None and one.hit.strand != shown.hit.strand:
        return  # of another frame, with other residues
    for query, subject in path_lines(one.alignment):
        yield query + 1 if one.hit.strand == shown.hit.strand else len(one.hit.query) - query, subject + 1


def _tracks(matrix: TwoTrackMatrix) -> tuple[tuple[str, Track, str], ...]:
    """Return what can be compared of two tracks, for a box."""
    residues, letters = (each.name for each in matrix.matrices)
    what = "Shape" if letters == SHAPE else "Symbols"
    return (
        ("Both tracks", "both", f"Residues and symbols together, as they were scored: {matrix.name}"),
        ("Residues", "residues", f"Residues alone: {residues}"),
        (f"{what} ({letters})", "letters", f"The symbols beside the residues alone: {letters}"),
    )


def _compare(shown: ShownHit, window: int, track: Track, control: RunControl) -> _Compared:
    def check() -> None:
        if control.is_set():
            raise Stopped

    codes = shown.hit.subject_codes(shown.scheme.alphabet)
    plot = dot_plot(*seen_by(shown.hit.query, codes, shown.scheme, track), window, check)
    return _Compared(shown, plot, usual_threshold(plot), track)


def _rgb(colour: str) -> NDArray[np.float64]:
    """Return red, green and blue of ``#RRGGBB``, 0 to 255, shape (3,)."""
    parts = QColor(colour)
    return np.array([parts.red(), parts.green(), parts.blue()], dtype=np.float64)
