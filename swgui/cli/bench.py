"""``swgui bench``."""

from __future__ import annotations

import argparse

from swgui import bench


def run(arguments: argparse.Namespace) -> int:
    """Measure; the words of the command are read there."""
    return bench.main(arguments.rest)
