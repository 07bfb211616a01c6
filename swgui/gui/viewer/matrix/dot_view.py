"""The dot plot of the current hit: window and threshold to choose, the path drawn over it, a crosshair."""

from __future__ import annotations

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSlider, QSpinBox, QVBoxLayout, QWidget

from swgui.core.hits.results import Hit
from swgui.core.scoring import ScoringScheme
from swgui.gui.kit import theme
from swgui.gui.kit.elided import ElidedLabel
from swgui.gui.kit.tasks.jobs import ShortJobs
from swgui.gui.viewer.matrix.dots import DotPlot, dot_plot, path_lines, usual_threshold
from swgui.gui.viewer.matrix.plot_view import MOVING, PairPlotView

KEY = "results-dots"
USUAL_WINDOW = {"protein": 11, "nucleotide": 15}
MAX_WINDOW = 99


class DotView(PairPlotView):
    """Shows every stretch of the query that scores against a stretch of the subject."""

    def __init__(self, jobs: ShortJobs, parent: QWidget | None = None) -> None:
        super().__init__(jobs, "Dot plot of query and subject", 1, parent)
        self.setObjectName("dotView")
        self.plot.setObjectName("dotPlot")
        self._scheme: ScoringScheme | None = None
        self._plot: DotPlot | None = None
        self._wanted: tuple[int, int] | None = None
        self._own_threshold = False

        self.window_box = QSpinBox()
        self.window_box.setObjectName("dotWindow")
        self.window_box.setRange(1, MAX_WINDOW)
        self.window_box.setSingleStep(2)
        self.window_box.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.window_box.setToolTip("Residues of each stretch that is compared")
        self.window_box.valueChanged.connect(lambda _value: self._later.start())
        window_label = QLabel("&Window")
        window_label.setBuddy(self.window_box)
        self.threshold = QSlider(Qt.Orientation.Horizontal)
        self.threshold.setObjectName("dotThreshold")
        self.threshold.setAccessibleName("Threshold")
        self.threshold.setToolTip("A stretch is shown if its matrix values add up to at least this much")
        theme.keep_size(self.threshold, width=10)
        self.threshold.valueChanged.connect(self._threshold_moved)
        threshold_label = QLabel("&Threshold")
        threshold_label.setBuddy(self.threshold)
        self.threshold_value = QLabel()
        self.threshold_value.setObjectName("dotThresholdValue")
        self.note = ElidedLabel()
        self.note.setObjectName("dotNote")
        theme.set_role(self.note, level="muted")

        self._image = pg.ImageItem(axisOrder="row-major")
        self._path = pg.PlotCurveItem(connect="finite")
        self.plot.addItem(self._image)
        self.plot.addItem(self._path)

        bar = QHBoxLayout()
        theme.arrange(bar, spacing=1)
        for widget in (window_label, self.window_box, threshold_label, self.threshold, self.threshold_value):
            bar.addWidget(widget)
        bar.addWidget(self.note, 1)
        layout = QVBoxLayout(self)
        theme.arrange(layout, 0, 0.5)
        layout.addLayout(bar)
        layout.addWidget(self.plot, 1)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._later.setInterval(80)
        self._later.timeout.connect(self._compute)
        self.built = True
        self.restyle()

    # -- what is shown -----------------------------------------------------------------------------

    @property
    def dots(self) -> DotPlot | None:
        """The plot shown."""
        return self._plot

    def show_hit(self, hit: Hit, scheme: ScoringScheme) -> None:
        """Compare the query of a hit with its subject; computed when the view is seen."""
        if self._scheme is None or self._scheme.alphabet.name != scheme.alphabet.name:
            self.window_box.blockSignals(True)
            self.window_box.setValue(USUAL_WINDOW[scheme.alphabet.name])
            self.window_box.blockSignals(False)
        if hit is not self._hit:
            self._plot = self._wanted = None  # until the new one is there
            self._own_threshold = False
            self.pointer.show_at(None)
        self._hit, self._scheme = hit, scheme
        if self.isVisible():
            self._compute()

    def clear(self) -> None:
        """Show nothing."""
        self.pointer.show_at(None)
        self._jobs.drop(KEY)
        self._hit = self._plot = self._wanted = None
        self._image.clear()
        self._path.setData([], [])

    def _compute(self) -> None:
        hit, scheme = self._hit, self._scheme
        window = self.window_box.value() | 1  # odd, so that a stretch has a middle
        if hit is None or (id(hit), window) == self._wanted:
            return
        self._wanted = (id(hit), window)
        codes = scheme.alphabet.encode(hit.subject.residues)
        self.note.set_text("Comparing…")
        self._jobs.submit(
            KEY,
            lambda: _plot_and_threshold(dot_plot(hit.query, codes, scheme, window)),
            lambda made: self._show(hit, *made),
        )

    def _show(self, hit: Hit, made: DotPlot, threshold: int) -> None:
        if hit is not self._hit:
            return
        self._plot = made
        self.threshold.blockSignals(True)
        self.threshold.setRange(1, max(2, int(made.scores.max())))
        if not self._own_threshold:
            self.threshold.setValue(threshold)
        self.threshold.blockSignals(False)
        self._image.setImage(made.scores, autoLevels=False)
        rows, columns = made.scores.shape
        self._image.setRect(QRectF(0.5, 0.5, columns * made.step, rows * made.step))
        self.label_query()
        xs, ys = [], []
        for query_positions, subject_positions in path_lines(hit.alignment):
            xs += [query_positions + 1.0, [np.nan]]
            ys += [subject_positions + 1.0, [np.nan]]
        self._path.setData(np.concatenate(xs), np.concatenate(ys))
        width, height = made.query_length + 1, made.subject_length + 1
        self.plot.setLimits(xMin=0, xMax=width, yMin=0, yMax=height)
        self.plot.setRange(QRectF(0, 0, width, height), padding=0)
        self._show_threshold()

    def _threshold_moved(self) -> None:
        self._own_threshold = True
        self._show_threshold()

    def _show_threshold(self) -> None:
        if self._plot is None:
            return
        threshold = self.threshold.value()
        self.threshold_value.setText(f"≥ {threshold}")
        # Level 0 is everything below the threshold.
        self._image.setLevels((threshold - 1, max(int(self._plot.scores.max()), threshold)))
        share = 100 * float(self._plot.dots(threshold).mean())
        thinned = f"; a dot stands for {self._plot.step} × {self._plot.step} residues" if self._plot.step > 1 else ""
        self.note.set_text(f"{share:.2f} % dotted{thinned}. {MOVING}")

    def restyle(self, shades: theme.Colours | None = None) -> None:
        """Take over the colours of the window, or others."""
        shades = shades or theme.colours(self)
        theme.style_plot(self.plot, shades)
        base, weak, strong = (_rgb(c) for c in (shades.base, shades.control, shades.text))
        ramp = np.linspace(0, 1, 255)[:, None]
        table = np.vstack([base, weak + ramp * (strong - weak)])
        self._image.setLookupTable(table.astype(np.uint8))
        line = QColor(shades.series[1])
        line.setAlpha(170)
        self._path.setPen(theme.plot_pen(self.plot, line, 1))
        self.pointer.set_colour(shades.accent)

    # -- what the plot is asked --------------------------------------------------------------------

    @property
    def shown(self) -> bool:
        """Whether there is a plot."""
        return self._hit is not None and self._plot is not None

    def caption(self) -> str:
        """Say what is dotted."""
        what = f"Dot plot: stretches of {self._plot.window} residues that score at least {self.threshold.value()}"
        return f"{what} with {self._scheme.matrix.name}."

    def size_shown(self) -> tuple[int, int] | None:
        """Return the lengths of query and subject."""
        return (self._plot.query_length, self._plot.subject_length) if self._plot is not None else None

    def describe(self, x: int, y: int) -> str:
        """Say what meets at a query and a subject residue."""
        score = int(self._plot.scores[(y - 1) // self._plot.step, (x - 1) // self._plot.step])
        text = f"{self.pair_text(x, y, self._scheme)}; stretch of {self._plot.window}: {score:+d}"
        return text.replace("-", "\N{MINUS SIGN}")

    # -- Qt's events -------------------------------------------------------------------------------

    def showEvent(self, event) -> None:
        """Compare now if it was not done while hidden."""
        super().showEvent(event)
        self._compute()


def _plot_and_threshold(made: DotPlot) -> tuple[DotPlot, int]:
    return made, usual_threshold(made)


def _rgb(colour: str) -> np.ndarray:
    return np.array(QColor(colour).getRgb()[:3], dtype=np.float64)
