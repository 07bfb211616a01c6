"""``swgui serve``: run the server in a terminal until it is stopped."""

from __future__ import annotations

import argparse
import logging
import sys
from typing import Final

from swgui.core.errors import Stopped
from swgui.core.signals import stop_on_interrupt
from swgui.serve.server import FoldingServer

LOOK: Final = 0.2  # seconds between two checks for a stop


class _Lines(logging.Handler):
    """Writes a log of the server, a line for each job."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write one line."""
        print(f"swgui: {self.format(record)}", file=sys.stderr, flush=True)


def run(arguments: argparse.Namespace) -> int:
    """Serve until stopped; unfinished jobs wait for the next start."""
    server = FoldingServer(arguments)
    logger, lines = logging.getLogger("swgui.serve"), _Lines(logging.INFO)
    before = logger.level, logger.propagate
    with stop_on_interrupt() as cancel:
        try:
            if not arguments.verbose:  # the log shows the same
                logger.addHandler(lines)
                logger.propagate = False
            logger.setLevel(logging.INFO)
            server.start(cancel)
            for name, line in server.lines:
                print(f"swgui: {name}: {line}", file=sys.stderr)
            print(f"swgui: ready at {server.url}; Ctrl+C ends it.", file=sys.stderr, flush=True)
            while not cancel.wait(LOOK):
                pass
        except Stopped:
            return 1
        finally:
            server.close()
            logger.removeHandler(lines)
            logger.setLevel(before[0])
            logger.propagate = before[1]
    return 0
