"""Progress on a terminal; in a pipe or a file a line once a minute."""

from __future__ import annotations

import logging
import sys
import time
from typing import TextIO

from swgui.jobs.events import Progress, Stage

BAR = 24  # characters
REFRESH = 0.1  # seconds
EVERY = 60.0  # seconds between lines of a log

log = logging.getLogger(__name__)


class ProgressLine:
    """One line on the standard error that is written over and over; a new one every minute if that is no terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self.stream = stream or sys.stderr
        self.active = self.stream.isatty()
        self._shown = 0.0
        self._width = 0
        self._noted = time.monotonic()

    @property
    def talks(self) -> bool:
        """Whether the output of `say` is shown."""
        return self.active or log.isEnabledFor(logging.INFO)

    def show(self, text: str, *, force: bool = False) -> None:
        """Replace the line, at most ten times a second unless forced; in a file write one at most every minute."""
        now = time.monotonic()
        if now - self._noted >= EVERY:
            self._noted = now
            self._note(text)
        if not self.active or (not force and now - self._shown < REFRESH):
            return
        self._shown = now
        self.stream.write("\r" + text.ljust(self._width))
        self.stream.flush()
        self._width = len(text)

    def say(self, text: str) -> None:
        """Write a line that stays, if this is a terminal; otherwise it goes to the log for verbose output."""
        self.clear()
        if self.active:
            print(text, file=sys.stderr)
        else:
            log.info("%s", text)

    def _note(self, text: str) -> None:
        if self.active:
            log.info("%s", text)
        else:
            self.stream.write(f"swgui: {text}\n")
            self.stream.flush()

    def clear(self) -> None:
        """Remove the line."""
        if self.active and self._width:
            self.stream.write("\r" + " " * self._width + "\r")
            self.stream.flush()
            self._width = 0

    def event(self, event: object) -> None:
        """Show how far a run is, if an event says so."""
        match event:
            case Stage(name, done, total):
                self.show(f"{name} {bar(done, total)}" if total else name, force=not total)
            case Progress():
                self.show(scoring_text(event))


def bar(done: int, total: int) -> str:
    """Return a bar with a percentage."""
    part = done / total if total else 0.0
    filled = int(part * BAR)
    return f"[{'#' * filled}{'.' * (BAR - filled)}] {100 * done // total if total else 0:3d} %"


def scoring_text(progress: Progress) -> str:
    """Return bar, the speed where cells are counted, and the time left, estimated from the speed so far."""
    text = f"{progress.stage} {bar(progress.done, progress.total)}"
    left = progress.seconds_left
    if left is not None:
        if progress.unit == "cells":
            text += f"  {progress.done / progress.seconds / 1e9:,.1f} GCUPS"
        text += f"  {int(left) // 60}:{int(left) % 60:02d} left"
    return text
