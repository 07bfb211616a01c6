"""``swgui frameshift``: proteins against DNA, or DNA against proteins, with the reading free to shift."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TextIO

from swgui.cli.queries import read_queries
from swgui.commands.messages import MESSAGES
from swgui.commands.option import Group, Option
from swgui.commands.output import FILES, out_option
from swgui.commands.scoring import SCORING, STRANDS, choose_scheme
from swgui.core.alphabet import PROTEIN
from swgui.core.control import stop_on_interrupt
from swgui.core.devices import device_ids
from swgui.core.translation.genetic_codes import STANDARD
from swgui.core.words import count
from swgui.engines.base import EngineOptions
from swgui.engines.shifted import ENGINES
from swgui.io.database.any_file import open_any_database
from swgui.io.frameshift import SHIFT_FORMATS, write_shifted
from swgui.io.outputs import check_outputs
from swgui.io.sequences.sources import STANDARD as STREAM
from swgui.io.whole_file import save_text
from swgui.jobs.frameshift import DEFAULT_SHIFT, QueryHits, ShiftedRequest, search_shifted
from swgui.jobs.progress import ProgressLine

OPTIONS: Final = (
    Group(
        (
            Option(
                ("query",),
                "proteins or DNA, in any format, plain or packed; - is the standard input",
                "QUERY",
                required=True,
            ),
            Option(
                ("database",), "DNA or proteins, the other kind: a .swdb or a sequence file", "DATABASE", required=True
            ),
            out_option("where to write the hits"),
            Option(
                ("--format",),
                "; ".join(f"{name}: {form.description}" for name, (form, _) in SHIFT_FORMATS.items()),
                default="text",
                choices=tuple(SHIFT_FORMATS),
            ),
        ),
        FILES,
    ),
    Group(
        (
            Option(("--frameshift",), f"cost of a frameshift (default {DEFAULT_SHIFT})", "COST", int, DEFAULT_SHIFT),
            Option(("--code",), f"genetic code, by NCBI's number (default {STANDARD})", "N", int, STANDARD),
            Option(("--strand",), "of the DNA (default both)", default="both", choices=STRANDS),
            Option(("-e", "--evalue"), "highest E of a hit (default 10)", "E", float, 10.0),
            Option(("--top",), "hits of a query at most (default 500)", "N", int, 500),
        ),
        "search",
    ),
    SCORING,
    Group(
        (
            Option(("--engine",), "default: the fastest there is", default="auto", choices=("auto", *ENGINES)),
            Option(("--device",), "a GPU as 'swgui devices' lists them", "ID", default=""),
            Option(("-t", "--threads", "--num-threads"), "threads of the CPU (default: all)", "N", int, 0),
        ),
        "engine",
    ),
    MESSAGES,
)


def run(arguments: argparse.Namespace) -> int:
    """Search and write; exit status 0 if all was done."""
    inputs = [("query", arguments.query), ("database", arguments.database), ("matrix", arguments.matrix)]
    check_outputs({"out": arguments.out}, [one for one in inputs if one[1] not in (None, STREAM)])
    line = ProgressLine()
    queries, alphabet = read_queries([arguments.query], "auto")
    with stop_on_interrupt() as cancel:
        request = ShiftedRequest(
            queries,
            alphabet,
            open_any_database(Path(arguments.database), cancel=cancel),
            choose_scheme(arguments, PROTEIN),
            arguments.frameshift,
            arguments.code,
            arguments.strand,
            arguments.evalue,
            arguments.top,
            arguments.engine,
            EngineOptions(device_ids(arguments.device), arguments.threads),
        )
        found = _told(search_shifted(request, cancel), len(queries), line)
        if arguments.out:
            save_text(arguments.out, lambda file: _write(found, arguments.format, file))
        else:
            _write(found, arguments.format, sys.stdout)
    return 0


def _told(found: Iterator[QueryHits], queries: int, line: ProgressLine) -> Iterator[QueryHits]:
    """Say how far the search is."""
    for one in found:
        line.show(f"query {one.number} of {queries}, {one.engine}: {count(len(one.hits), 'hit')}")
        yield one
    line.clear()


def _write(found: Iterator[QueryHits], form: str, file: TextIO) -> None:
    begins = True
    for one in found:
        write_shifted(form, one.hits, file, begins=begins)
        begins = False
