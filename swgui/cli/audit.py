"""``swgui audit``: what another program's table misses, and what it has beyond the exact ranking."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from swgui.cli.output import input_files, report
from swgui.cli.progress import ProgressLine
from swgui.cli.search import (
    add_engine_arguments,
    add_input_arguments,
    add_limit_arguments,
    add_scoring_arguments,
    check_method,
    make_request,
    search,
    stop_on_interrupt,
)
from swgui.core.compare.audit import audit
from swgui.core.compare.audit_summary import summary
from swgui.io.export import save_whole
from swgui.io.outputs import check_outputs
from swgui.io.statistics import load_statistics
from swgui.io.tables.comparisons import write_audit
from swgui.io.tables.hits import read_hit_table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments: those of a search, and the table."""
    files = add_input_arguments(parser)
    files.add_argument(
        "--table",
        required=True,
        metavar="FILE",
        help="hits of BLAST, DIAMOND or MMseqs2 for the same queries and database: format 6 or 7, or BLAST XML",
    )
    files.add_argument("-o", "--out", metavar="FILE", help="where to write the comparison (default: standard output)")
    files.add_argument("--comments", action="store_true", help="begin with # lines that say how it was made")
    add_scoring_arguments(parser)
    add_limit_arguments(parser)
    add_engine_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search exactly, compare, write the table, and say on the standard error what it shows."""
    check_outputs({"out": arguments.out}, [("table", arguments.table), *input_files(arguments)])
    table = read_hit_table(arguments.table)  # first: a file that cannot be read should not cost a search
    line = ProgressLine()
    check_method(arguments)
    request = make_request(arguments)
    with stop_on_interrupt() as cancel:
        result = search(request, line, cancel)
    if result is None:
        return 1
    compared = audit(result, table, load_statistics(result.scheme))
    if arguments.out:
        save_whole(Path(arguments.out), lambda file: write_audit(compared, file, comments=arguments.comments))
    else:
        write_audit(compared, sys.stdout, comments=arguments.comments)
    for sentence in summary(compared):
        print(f"swgui: {sentence}", file=sys.stderr)
    report(result, line)
    return 0 if result.state == "complete" else 1
