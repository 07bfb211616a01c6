"""The controls of a network: threshold and curves, representatives, colours and their legend, strands."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Final

import pyqtgraph as pg
from PySide6.QtCore import QEvent, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QFrame, QSlider, QSpinBox, QWidget

from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.plots.histogram_frame import mark
from swgui.gui.kit.theme import colours, grid, plot_pen, set_role, style_plot
from swgui.gui.kit.widgets import check_box, combo_box, delayed, described, spin_box, text_label
from swgui.gui.network.view import shade_of
from swgui.gui.network.work import LoadedNetwork, curves
from swgui.gui.words.context import CONTEXT_CHOICES, CONTEXT_LABEL, PAIRS_BY_CONTEXT

COLOURS: Final = (
    ("Cluster", "cluster", "The largest clusters each have a colour, the others are grey"),
    ("Organism", "organism", "The most frequent organisms, as headers name them"),
    ("Length", "length", "Four classes with about as many sequences each"),
    ("Neighbours", "neighbours", "How many edges a sequence has at this threshold"),
)
OWN: Final = "own:"  # begins the kind of a colour that a column of the user's own table gives
SHARES: Final = (
    ("All sequences", 0.0, "Every sequence is a dot"),
    *(
        (f"Representatives at {share} %", share / 100, f"One dot for all that have {share} % identity with the "
         "longest, covering 80 % of the shorter; double-click it to show them")
        for share in (90, 80, 70, 60, 50, 40)
    ),
)  # fmt: skip
STRAND_CHOICES: Final = (
    ("Both", "both", "A pair has the better score of its two strands"),
    ("Plus alone", "plus", "Compares the sequences as given, without the reverse complement"),
)
SLIDE_MS: Final = 150  # after the slider stops


class NetworkControls(QFrame):
    """Asks how a network is cut, coloured and reduced to representatives."""

    moved = Signal(int)  # the threshold moves
    threshold_chosen = Signal(int)  # it came to rest
    colour_chosen = Signal(str)  # a kind of `classes_of`
    represent_wanted = Signal(float)  # identity of representatives, 0 for all sequences
    way_chosen = Signal()  # strands, or scores of a residue
    alone_wanted = Signal(bool)  # whether sequences without an edge are drawn

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("networkControls")
        set_role(self, role="card")
        self.legend: list[str] = []  # names of the classes that have a colour
        self._loaded: LoadedNetwork | None = None
        self._build()
        self._later = delayed(self, SLIDE_MS, lambda: self.threshold_chosen.emit(self.threshold.value()))

    @property
    def kind(self) -> str:
        """Meaning of the colours: a kind of `classes_of`."""
        return str(self.colour.currentData())

    def show_whole(self, loaded: LoadedNetwork) -> None:
        """Take the thresholds of a network, all sequences of which are shown."""
        with QSignalBlocker(self.represented):
            self.represented.setCurrentIndex(0)
        low, high = loaded.range
        for box in (self.slider, self.threshold):
            with QSignalBlocker(box):
                box.setRange(low, high)
                box.setValue(loaded.proposed())

    def show_curves(self, loaded: LoadedNetwork) -> None:
        """Draw how many edges and clusters each threshold leaves."""
        self._loaded = loaded
        thresholds, edges, clusters = curves(loaded)
        for part in (self._plot, self._curve_names, self.slider, self.threshold):
            part.setEnabled(len(loaded.scores) > 0)
        self._plot.setVisible(len(loaded.scores) > 0)
        self._curve_names.setVisible(len(loaded.scores) > 0)
        self._plot.clear()
        self._lines = [
            self._plot.plot(thresholds, 100 * values / max(int(values.max(initial=1)), 1), name=name)
            for name, values in (("edges", edges), ("clusters", clusters))
        ]
        self._mark = pg.InfiniteLine(self.threshold.value(), angle=90)
        self._plot.addItem(self._mark)
        self._plot.setLabel("left", "%")
        self._plot.setLabel("bottom", "alignment score")
        self._style_curves()

    def show_alone(self, number: int, clusters: int) -> bool:
        """Offer sequences without an edge, of which there are so many; returns whether they are drawn.

        Where there is no cluster, nothing else is there to be drawn.
        """
        self.alone.setText(f"Sequences that are alone ({number:,})")
        self.alone.setVisible(bool(number and clusters))
        return self.alone.isChecked() or not clusters

    def show_legend(self, names: Iterable[str]) -> None:
        """Name the classes that have a colour."""
        self.legend = list(names)
        shades = colours(self)
        parts = [_legend_entry(shade_of(number, shades), name) for number, name in enumerate(self.legend)]
        self._legend_label.setText(" &nbsp; ".join(parts))

    def offer_own(self, titles: Sequence[str]) -> None:
        """Offer the columns of a table of the user's own as colours, in place of those of another one."""
        with QSignalBlocker(self.colour):
            while self.colour.count() > len(COLOURS):
                self.colour.removeItem(self.colour.count() - 1)
            for title in titles:
                self.colour.addItem(title, f"{OWN}{title}")
                self.colour.setItemData(self.colour.count() - 1, "Of your own table", Qt.ItemDataRole.ToolTipRole)
            self.colour.setCurrentIndex(len(COLOURS) if titles else 0)
        self.colour_chosen.emit(self.kind)

    def offer_ways(self, offered: bool, *, strands: bool) -> None:
        """Show or hide the choice of strands, or of proteins that of the scores."""
        self.strands.setVisible(offered and strands)
        self.scores.setVisible(offered and not strands)

    @property
    def ways(self) -> tuple[str, str]:
        """Strands of nucleotides, ``both`` or ``plus``, and the library of contexts, ``own`` or ``none``."""
        return str(self.strand.currentData()), str(self.context.currentData())

    def restyle(self) -> None:
        """Follow theme and text size."""
        self._style_curves()
        self.show_legend(self.legend)

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.PaletteChange and hasattr(self, "_legend_label"):
            self.show_legend(self.legend)
        super().changeEvent(event)

    def _move(self, other: QSlider | QSpinBox, value: int) -> None:
        """Let the other control of the threshold follow."""
        with QSignalBlocker(other):
            other.setValue(value)
        if self._loaded is not None:
            self._mark.setValue(value)
            self.moved.emit(value)
            self._later.start()

    def _represent(self) -> None:
        self.represent_wanted.emit(self.represented.currentData())

    def _style_curves(self) -> None:
        style_plot(self._plot)
        self._plot.setFixedHeight(grid(15))  # follows the text size
        if self._loaded is not None:
            shades = colours(self)
            for line, colour in zip(self._lines, shades.series, strict=False):
                line.setPen(plot_pen(self._plot, colour, 2))
            names = zip(shades.series, (line.name() for line in self._lines), strict=False)
            self._curve_names.setText("&nbsp;&nbsp; ".join(f"{mark(colour, '—')} {name}" for colour, name in names))
            self._mark.setPen(plot_pen(self._plot, shades.text, 1))

    def _build_plot(self) -> None:
        self._plot = described(pg.PlotWidget(), "networkCurves", "", "Edges and clusters at each threshold")
        self._plot.setMenuEnabled(False)
        self._plot.setMouseEnabled(False, False)
        self._plot.hideButtons()
        self._plot.setFixedHeight(grid(15))

    def _build_ways(self) -> None:
        """Build the choices of strands and of scores, which are there for sequences that can be compared again."""
        self.strand = combo_box(
            "networkStrand",
            "Strands of nucleotides to compare",
            lambda _: self.way_chosen.emit(),
            items=[(title, key, tip) for title, key, tip in STRAND_CHOICES],
        )
        self.strands = QWidget()
        in_row(text_label("S&trands", buddy=self.strand), 1, self.strand, parent=self.strands)
        self.context = combo_box(
            "networkContext", PAIRS_BY_CONTEXT, lambda _: self.way_chosen.emit(), items=CONTEXT_CHOICES
        )
        self.scores = QWidget()
        in_row(text_label(f"&{CONTEXT_LABEL}", buddy=self.context), 1, self.context, parent=self.scores)
        self.strands.hide()
        self.scores.hide()

    def _build(self) -> None:
        self.slider = described(QSlider(Qt.Orientation.Horizontal), "networkSlider", "", "Threshold")
        self.slider.setToolTip(
            "Minimum alignment score of two sequences for an edge: about −log10 of the E-value of the pair by itself"
        )
        self.threshold = spin_box(
            "networkThreshold", (0, 0), 0, self.slider.toolTip(), partial(self._move, self.slider), width=9
        )
        self.slider.valueChanged.connect(partial(self._move, self.threshold))
        self.colour = combo_box(
            "networkColour",
            "Meaning of the colours",
            lambda _: self.colour_chosen.emit(self.kind),
            items=[(title, key, tip) for title, key, tip in COLOURS],
        )
        self.represented = combo_box(
            "networkShown",
            "Whether similar sequences are shown as one",
            self._represent,
            items=[(title, share, tip) for title, share, tip in SHARES],
        )
        tip = "Draw the sequences without an edge at this threshold, too"
        self.alone = check_box("networkAlone", "Sequences that are alone", tip, self.alone_wanted)
        self._legend_label = text_label(name="networkLegend", wrap=True)
        self._curve_names = text_label(name="networkCurveNames", level="small", wrap=True)
        self._build_plot()
        self._build_ways()
        label = text_label("&Alignment score at least", buddy=self.threshold)
        by, shown = text_label("&Colour", buddy=self.colour), text_label("S&hown", buddy=self.represented)
        in_column(
            in_row(label, 1, self.threshold),
            self.slider,
            self._plot,
            self._curve_names,
            in_row(shown, 1, self.represented),
            self.alone,
            in_row(by, 1, self.colour),
            self._legend_label,
            self.strands,
            self.scores,
            margins=(2, 1.5, 2, 1.5),
            parent=self,
        )


def _legend_entry(shade: QColor, name: str) -> str:
    escaped = name.replace("&", "&amp;").replace("<", "&lt;").replace(" ", "&nbsp;")
    return f'<span style="color:{shade.name()}">&#9679;</span>&nbsp;{escaped}'
