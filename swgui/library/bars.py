"""The bar that ``progress=True`` shows: tqdm's if it is installed, else text on the standard error."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Protocol

from swgui.jobs.progress import ProgressLine, bar


class Bar(Protocol):
    """A bar of stages one after the other."""

    def show(self, stage: str, done: int, total: int) -> None:
        """Show how much of a stage is done; `total` is 0 where that is not known."""

    def close(self) -> None:
        """Remove the bar."""


class TextBar:
    """A line of text that is written over and over."""

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._line.active = True

    def show(self, stage: str, done: int, total: int) -> None:
        """Replace the line."""
        self._line.show(f"{stage} {bar(done, total)}" if total else stage)

    def close(self) -> None:
        """Remove the line."""
        self._line.clear()


class TqdmBar:
    """A bar of tqdm, which in a notebook is one of notebooks; each stage has a new one.

    Parameters
    ----------
    make : callable
        ``tqdm.auto.tqdm``.
    """

    def __init__(self, make: Any) -> None:
        self._make, self._stage = make, ""
        self._bar: Any = None

    def show(self, stage: str, done: int, total: int) -> None:
        """Move the bar, or begin that of a new stage."""
        if self._bar is None or stage != self._stage or total != (self._bar.total or 0):
            self.close()
            self._bar, self._stage = self._make(total=total or None, desc=stage, leave=False, unit_scale=True), stage
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        """Remove the bar."""
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def new_bar() -> Bar:
    """Return a bar of tqdm, or of text where that is not installed."""
    try:
        return TqdmBar(import_module("tqdm.auto").tqdm)
    except ImportError:
        return TextBar()
