"""``swgui covariation``: pairs of columns that vary together."""

from __future__ import annotations

import argparse
from pathlib import Path

from swgui.cli.running import Report, deliver, on_terminal
from swgui.commands.covariation import covariation_settings
from swgui.core.control import checking
from swgui.core.covariation.pairs import STATES, Covariation
from swgui.core.errors import InvalidParameter
from swgui.io.covariation_picture import write_arcs
from swgui.io.outputs import check_outputs
from swgui.io.profiles.base_alignments import read_bases
from swgui.io.table_files import check_writable
from swgui.io.tables.covariation import covariation_table
from swgui.io.whole_file import ending_of
from swgui.jobs.covariation import covariation


def run(arguments: argparse.Namespace) -> int:
    """Find, list and draw the pairs.

    Raises
    ------
    InvalidParameter
        If a setting makes no sense, or the picture is no SVG.
    SwguiError
        As `read_bases` and `find_pairs`.
    """
    settings = covariation_settings(arguments)
    if arguments.picture and ending_of(arguments.picture) != ".svg":
        message = f"'{Path(arguments.picture).name}' does not end in .svg."
        raise InvalidParameter("picture", arguments.picture, message, hint="Arcs are drawn as SVG alone.")
    check_writable(arguments.out, arguments.format)
    check_outputs({"out": arguments.out, "picture": arguments.picture}, [("alignment", arguments.alignment)])
    alignment, remarks = read_bases(arguments.alignment)
    with on_terminal() as terminal:
        check = checking(terminal.cancel, "Stopped before the pairs were known.")

        def progress(done: int, total: int) -> None:
            terminal.line.show(f"Columns that change alone: {done:,} of {total:,}")

        found = covariation(alignment, settings, check, progress)
        terminal.line.clear()
    if arguments.picture:
        write_arcs(arguments.picture, found)
    report = Report(
        table=covariation_table(found),
        comments=list(found.sentences()) if arguments.out else (),
        sentences=[*remarks, *found.sentences()],
        facts=facts_of(found),
    )
    return deliver(arguments, report)


def facts_of(found: Covariation) -> dict[str, object]:
    """Numbers of a result, for programs."""
    return {
        "alignment": found.alignment.name,
        "rows": len(found.alignment.ids),
        "rows_compared": found.rows,
        "effective_rows": round(found.effective_rows, 2),
        "enough_rows": found.enough,
        "columns": found.alignment.codes.shape[1],
        "columns_compared": len(found.columns),
        "pairs_compared": found.tested,
        "classes": found.classes,
        "copies": found.copies,
        "states": {state: found.number(state) for state in STATES},
    }
