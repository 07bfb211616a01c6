"""``swgui deeper``: search in rounds, then look for relatives that the last profile does not reach."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from swgui.cli.output import input_files
from swgui.cli.queries import read_queries
from swgui.cli.running import on_terminal, say, scored
from swgui.commands.deeper import deeper_request
from swgui.commands.engine import check_method
from swgui.core.alphabet import PROTEIN
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.evidence import Evidence
from swgui.io.cells import spreadsheet_text
from swgui.io.export.columns import EVIDENCE_COLUMNS, HIT_COLUMNS
from swgui.io.outputs import check_outputs
from swgui.io.whole_file import write_text
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.describe import describe_list

COLUMNS: Final = ("qseqid", "sseqid", "evalue", *EVIDENCE_COLUMNS)
NO_EVIDENCE: Final = Evidence()  # of a hit that was not looked at before Stop
SEQUENCES: Final = "sequences"  # the column behind these: of the database that every E of the line refers to
STOPPED: Final = "stopped: the hits are those found by then, and not all were looked at."
_UNKNOWN: Final = "."


def run(arguments: argparse.Namespace) -> int:
    """Search in rounds, look deeper, and write the table, also if it was stopped; exit status 0 if all was done."""
    check_method(arguments)
    queries, _ = read_queries(arguments.query, PROTEIN.name)
    check_outputs({"out": arguments.out}, input_files(arguments))
    request = deeper_request(arguments, queries, Path(arguments.database))
    with on_terminal() as terminal:
        result = scored(terminal.run(iteration_steps(request, terminal.cancel)))
    if result is None:
        return 1
    lines = ["\t".join((*COLUMNS, SEQUENCES))]
    for index in range(len(queries)):
        lines += rows_of(result, index)
    complete = result.state == "complete"
    why = result.message if result.state == "failed" else STOPPED
    text = "\n".join([*lines, *([] if complete else [f"# partial: {why}"]), ""])
    write_text(arguments.out, lambda file: file.write(text))
    if not complete:
        say(why)
    return terminal.status(complete=complete)


def rows_of(result: SearchResult, index: int) -> Iterator[str]:
    """Yield the lines of one query: those with an E as they are listed, then the others by their weaker step."""
    listed = result.hit_list(index)
    lines = []
    for table in describe_list(listed, range(len(listed)), align=False, fit=False).tables:
        values = [HIT_COLUMNS[key].texts(table, spreadsheet_text) for key in COLUMNS]
        lines += list(zip(*values, strict=True))
    rounds = listed.query.rounds
    evidence = rounds.evidence if rounds is not None else {}
    evalues = listed.columns.log10_evalues.tolist()
    paths = [evidence.get(db_index, NO_EVIDENCE).path for db_index in listed.columns.db_index.tolist()]
    keys = [
        (False, evalue) if path is None else (True, path.weaker) for path, evalue in zip(paths, evalues, strict=True)
    ]
    for line in sorted(range(len(lines)), key=keys.__getitem__):
        yield "\t".join([*(text or _UNKNOWN for text in lines[line]), f"{len(result.database)}"])
