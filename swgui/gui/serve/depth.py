"""The alignment of one job of the folding server: how many rows cover each residue of its chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtWidgets import QToolTip, QWidget

from swgui.core.profiles.depth import SHALLOW, depth_of_a3m, depth_said
from swgui.core.words import count
from swgui.gui.kit.dialog import Dialog
from swgui.gui.kit.layouts import in_column, in_row
from swgui.gui.kit.plots.histogram_frame import HistogramFrame, mark
from swgui.gui.kit.plots.still import ceiling, pg
from swgui.gui.kit.theme import Colours, grid
from swgui.gui.kit.widgets import push_button, text_label

_TICKS = 8  # of an axis at most


@dataclass(frozen=True, slots=True, eq=False)
class ChainDepth:
    """How many rows below the chain itself have a residue opposite each of its residues."""

    name: str
    rows: int
    depth: NDArray[np.int64]  # shape (residues,)

    @property
    def said(self) -> str:
        """The depth in a sentence."""
        rows = f"Chain {self.name}: {count(self.rows, 'row')}"
        return f"{rows}, {depth_said(self.depth)}." if self.rows else f"{rows}, the chain alone."


def depths_of(chains: Mapping[str, bytes]) -> list[ChainDepth]:
    """Return the depth of the alignment of each chain, given in A3M form by the name of the chain; for a worker."""
    return [ChainDepth(name, text.count(b"\n>"), depth_of_a3m(text)) for name, text in chains.items()]


class DepthPlot(HistogramFrame):
    """Rows per residue, one chain behind the other, with the depth that predictions need as a line."""

    def __init__(self, chains: list[ChainDepth], parent: QWidget | None = None) -> None:
        bottom = "residues of each chain" if len(chains) > 1 else "residue"
        super().__init__("Depth of the alignment", bottom, 16, left="rows", parent=parent)
        self.setObjectName("depthPlot")
        self.chains = chains
        self._depth = np.concatenate([chain.depth for chain in chains])
        self._begins = np.cumsum([0, *(len(chain.depth) for chain in chains)])
        self._need = pg.InfiniteLine(SHALLOW, angle=0, movable=False)
        self._borders = [pg.InfiniteLine(float(begin), angle=90, movable=False) for begin in self._begins[1:-1]]
        for line in (self._need, *self._borders):
            self.plot.addItem(line)
        self.plot.scene().sigMouseMoved.connect(self._point_at)
        top = ceiling(max(float(self._depth.max()), SHALLOW) * 1.02)
        self.bars.setData(np.arange(len(self._depth) + 1), self._depth)
        self.plot.setXRange(0, len(self._depth), padding=0.01)
        self.plot.setYRange(0, top, padding=0)
        step = max(1, round(ceiling(top / 5)))
        self.set_ticks(self._residues(), [(level, f"{level:,}") for level in range(0, int(top) + 1, step)])
        self.restyle()

    def sizeHint(self) -> QSize:
        return QSize(grid(72), grid(30))

    def describe(self) -> None:
        super().describe()
        self.setAccessibleDescription(" ".join(chain.said for chain in self.chains))

    def place(self, position: float) -> str:
        """Return residue and depth at a place of the axis in words; empty outside of it."""
        at = int(np.floor(position))
        if not 0 <= at < len(self._depth):
            return ""
        number = int(np.searchsorted(self._begins, at, side="right")) - 1
        chain = f"Chain {self.chains[number].name}, residue" if len(self.chains) > 1 else "Residue"
        return f"{chain} {at - int(self._begins[number]) + 1:,}: {count(int(self._depth[at]), 'row')}"

    def restyle_lines(self, shades: Colours) -> None:
        """Colour the line of the depth that predictions need, and the borders of chains."""
        self._need.setPen(pg.mkPen(shades.series[1], width=1.5, style=Qt.PenStyle.DashLine))
        for line in self._borders:
            line.setPen(pg.mkPen(shades.text, width=1))

    def legend_text(self, shades: Colours) -> tuple[str, str]:
        need = f"{SHALLOW} rows: predictions get worse below"
        return f"{mark(shades.series[0], '▮')} rows&nbsp;&nbsp; {mark(shades.series[1], '╌')} {need}", need

    def _residues(self) -> list[tuple[float, str]]:
        """Return the ticks of residues; of several chains the name of each, in its middle."""
        if len(self.chains) > 1:
            middles = (self._begins[:-1] + self._begins[1:]) / 2
            return [(middle, chain.name) for middle, chain in zip(middles.tolist(), self.chains, strict=True)]
        size = len(self._depth)
        step = max(1, round(ceiling(size / _TICKS)))
        return [(residue - 0.5, f"{residue:,}") for residue in (1, *range(step, size + 1, step))]

    def _point_at(self, position: QPointF) -> None:
        box, text = self.plot.getPlotItem().getViewBox(), ""
        if box.sceneBoundingRect().contains(position):
            text = self.place(box.mapSceneToView(position).x())
        QToolTip.showText(self.plot.mapToGlobal(self.plot.mapFromScene(position)), text, self.plot)


class JobDialog(Dialog):
    """Shows the depth of the alignments of a job; `save` writes them."""

    def __init__(self, chains: list[ChainDepth], save: Callable[[], object], parent: QWidget) -> None:
        super().__init__("foldingJob", "Depth of the alignment", parent)
        self.plot = DepthPlot(chains)
        self.said = text_label(
            "\n".join(chain.said for chain in chains), "foldingDepth", wrap=True, plain=True, selectable=True
        )
        tip = "Write the alignment of each chain (A3M)"
        save_button = push_button("foldingJobSave", "Save alignment…", tip, save, icon="export")
        close = push_button("foldingJobClose", "Close", does=self.reject, role="primary")
        close.setDefault(True)
        foot = in_row(save_button, 1, close)
        in_column(self.said, (self.plot, 1), foot, margins=(2, 2, 2, 1.5), spacing=1.5, parent=self)
        self.fit(84, 52)
