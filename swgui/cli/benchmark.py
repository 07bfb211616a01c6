"""``swgui bench``: hands over to the benchmark room, which is loaded only when asked for."""

from __future__ import annotations

import argparse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: all are the benchmark's own."""
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="see 'swgui bench -- --help'")


def run(arguments: argparse.Namespace) -> int:
    """Run the benchmark."""
    from swgui import bench

    given = [argument for argument in arguments.arguments if argument != "--"]
    return bench.main(given)
