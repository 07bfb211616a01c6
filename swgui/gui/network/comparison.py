"""The comparison behind a network: a file or sequences to compare all against all, or a network to read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QWidget

from swgui.core.database import EncodedDatabase
from swgui.gui.kit.saving import note_input
from swgui.gui.network.asking import Asking
from swgui.gui.network.requests import Using
from swgui.gui.network.work import Comparing, LoadedNetwork, Source, prepare, sequences_again
from swgui.io.network.file import SUFFIX
from swgui.runs.plain import Kept


class Comparison(Asking):
    """Compares sequences all against all, or reads a network.

    Parameters
    ----------
    ways : callable
        Returns the strands to compare, ``both`` or ``plus``, and the library of contexts, ``own`` or ``none``.
    """

    def __init__(self, using: Using, ways: Callable[[], tuple[str, str]], parent: QWidget | None = None) -> None:
        self._choose_engine, self._ways = using.choose_engine, ways
        self._source: tuple[Source, str] | None = None  # the last comparison, and its name
        super().__init__("network", ("network",), using.history, parent)

    @property
    def is_file(self) -> bool:
        """Whether the last source is a saved network, so that nothing was compared."""
        source = self._source[0] if self._source is not None else None
        return isinstance(source, Path) and source.suffix == SUFFIX

    def use_file(self, path: Path) -> None:
        """Compare the sequences of a file all against all, or read a network."""
        note_input(path, "network" if path.suffix == SUFFIX else "sequences")
        self._use(path, path.name)

    def use_sequences(self, give: Callable[[], EncodedDatabase], name: str) -> None:
        """Compare known sequences; a worker calls `give`."""
        self._use(give, name)

    def take_outcome(self, outcome: Kept) -> None:
        """Show the result of a comparison, whole or partial."""
        self.preparing.stop()
        self._use(outcome, outcome.asked.called, outcome.outcome.seconds)

    def compare_again(self) -> None:
        """Compare the same sequences in another way."""
        if self._source is not None:
            source, name = self._source
            self._use(sequences_again(source), name)

    def accept(self, made: LoadedNetwork) -> str:
        """Note whether a network is partial, and return the remark on it."""
        self.partial = made.run_id if made.resumable else ""
        return made.remark

    def _use(self, source: Source, name: str, seconds: float = 0.0) -> None:
        self._source = source, name
        self.prepare(partial(prepare, source, name, Comparing(*self._choose_engine(), *self._ways())), name, seconds)
