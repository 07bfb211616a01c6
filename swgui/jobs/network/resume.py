"""Keep the blocks of a comparison that were done beside its output, and go on from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from swgui.core.network.edges import Edges
from swgui.io.saved.log import Arrays, Log
from swgui.io.saved.resuming import log_at

# E follows from the scores.
KEPT: Final = tuple(name for name in Edges.__dataclass_fields__ if name != "log10_evalues")
ENDING: Final = ".part"  # behind the name of the output


class KeptBlocks:
    """What is kept of one comparison: nothing without a place; deleted where the ``with`` statement ends well.

    Parameters
    ----------
    out : str or Path, optional
        The output it is kept beside.
    """

    def __init__(self, out: str | Path | None) -> None:
        place = Path(out) if out else None
        if place is not None and place.exists() and not place.is_file():
            place = None  # a pipe, or a device
        self.path = place.with_name(f"{place.name}{ENDING}") if place is not None else None
        self.count = 0
        self._state: Log | None = None

    def __enter__(self) -> KeptBlocks:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        if self._state is None or self.path is None:
            return
        self._state.close()
        if kind is None or not self.count:
            self.path.unlink(missing_ok=True)

    def earlier(self, asked: Mapping[str, Any]) -> Iterator[tuple[int, int, Arrays]]:
        """Yield where each block begins that an earlier run did, its cells and its pairs.

        Parameters
        ----------
        asked : Mapping
            What is asked, as of `log_at`.

        Raises
        ------
        LogError, FileNotWritten
            As `log_at`.
        """
        if self.path is None:
            return
        if self._state is None:
            self._state = log_at(self.path, "network", asked, "name another output")
        self.count = 0
        for facts, columns in self._state.entries():
            self.count += 1
            yield facts["block"]["begin"], facts["block"]["cells"], columns

    @property
    def problem(self) -> str:
        """Why what is compared is not kept any more; empty while it is."""
        return self._state.problem if self._state is not None else ""

    def keep(self, begin: int, cells: int, edges: Edges) -> None:
        """Keep a block that was done."""
        if self._state is not None:
            self._state.add({"block": {"begin": begin, "cells": cells}}, {name: getattr(edges, name) for name in KEPT})
            self.count += 1
