"""Remarks of a command on the standard error: a reader's, and those that ``--quiet`` keeps."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from swgui.io.read_report import ReadReport

NAME: Final = "swgui: "  # before messages on the standard error


def tell_remarks(report: ReadReport, source: str = "") -> None:
    """Print a reader's changes and remarks; with ``--quiet`` only changes of residues.

    Parameters
    ----------
    source : str
        The source of the records, if the remarks do not name it.
    """
    before = f"{NAME}{source}: " if source else NAME
    for text in report.brief(altering=True):
        insist(f"{before}{text}")
    for text in report.brief(altering=False):
        print(f"{before}{text}", file=sys.stderr)


def insist(text: str) -> None:
    """Print a line on the standard error, also with --quiet."""
    write = getattr(sys.stderr, "insist", sys.stderr.write)  # that of `swgui.cli.messages`
    write(f"{text}\n")
