"""The network that is shown: all its sequences or representatives of them, cut at a threshold by workers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Signal

from swgui.core.plain import replace
from swgui.core.table import Value
from swgui.gui.kit.tasks.task import Task
from swgui.gui.network.work import Cut, LoadedNetwork, collapse, cut
from swgui.io.metadata import Metadata
from swgui.io.network.graphs import Network
from swgui.io.network.own import one_type, own_values


class ShownNetwork(QObject):
    """Holds a network, shows some sequences or representatives of it, and cuts it at a threshold."""

    replaced = Signal()  # other sequences are to be shown, and are not cut yet
    cut_made = Signal()  # they were cut
    failed = Signal(object)  # the exception of a worker

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.whole: LoadedNetwork | None = None  # all sequences
        self.loaded: LoadedNetwork | None = None  # the visible part of them
        self.cut: Cut | None = None
        self.cutting, self.collapsing = Task(self), Task(self)
        self.own: Metadata | None = None  # a table of the user's own, whose columns sequences have
        self._expanded: frozenset[int] = frozenset()  # representatives whose groups are shown
        self._identity = 0.0  # of representatives; 0 for all sequences
        self._only: NDArray[np.bool_] | None = None  # which sequences of the whole are shown; None for all

    @property
    def name(self) -> str:
        """The name of the network, for files."""
        return (self.loaded.network.name if self.loaded is not None else "").replace("/", "_") or "network"

    def show(self, loaded: LoadedNetwork) -> None:
        """Show all sequences of a network."""
        self.whole = loaded
        self._expanded, self._identity, self._only = frozenset(), 0.0, None
        self._replace(loaded)

    def represent(self, identity: float) -> None:
        """Show representatives of sequences with at least this identity, a share of 1; 0 for all sequences."""
        self._expanded, self._identity = frozenset(), identity
        self._collapse()

    def show_only(self, only: NDArray[np.bool_] | None) -> None:
        """Show some sequences, which shape=(N,) of the whole marks; None for all."""
        self._expanded, self._only = frozenset(), only
        self._collapse()

    def expand(self, index: int) -> None:
        """Show all sequences that one represents."""
        if self.loaded is not None and len(self.loaded.sequences):
            self._expanded |= {int(self.loaded.sequences[index])}
            self._collapse()

    def cut_at(self, threshold: int) -> None:
        """Have a worker cut it and lay it out."""
        if self.loaded is not None:
            self.cutting.start(partial(cut, self.loaded, threshold), self._take_cut, self.failed.emit)

    def part(self) -> Network:
        """Return the visible part as a network of its own, with clusters and places of its sequences."""
        assert self.loaded is not None
        assert self.cut is not None
        made, rows = self.loaded.network, self.cut.edges
        columns: dict[str, Sequence[str | int | float]] = {
            "cluster": (self.cut.clusters + 1).tolist(),
            "cluster_size": self.cut.sizes[self.cut.clusters].tolist(),
            **({"organism": self.loaded.organisms} if any(self.loaded.organisms) else {}),
            **({"members": self.loaded.members.tolist()} if len(self.loaded.members) else {}),
            **{title: one_type(values) for title, values in self.own_values().items()},
            "x": [round(x, 3) for x in self.cut.places[:, 0].tolist()],
            "y": [round(-y, 3) for y in self.cut.places[:, 1].tolist()],
        }
        return replace(made, edges=made.edges.take(rows), bits=made.bits[rows], columns=columns)

    def own_values(self) -> dict[str, Sequence[Value]]:
        """Return the values of each sequence in the user's own table, by the title of the column; empty without one."""
        if self.own is None or self.loaded is None:
            return {}
        return own_values(self.loaded.network, self.own)

    def shutdown(self) -> None:
        """Stop the workers."""
        self.cutting.shutdown()
        self.collapsing.shutdown()

    def _collapse(self) -> None:
        if self.whole is not None:
            work = partial(collapse, self.whole, self._identity, self._expanded, self._only)
            self.collapsing.start(work, self._replace, self.failed.emit)

    def _replace(self, loaded: LoadedNetwork) -> None:
        self.loaded, self.cut = loaded, None
        self.replaced.emit()

    def _take_cut(self, made: Cut) -> None:
        self.cut = made
        self.cut_made.emit()
