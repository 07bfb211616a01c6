"""``swgui audit``: what another program's table misses, and what it has beyond the exact ranking."""

from __future__ import annotations

import argparse
import sys

from swgui.cli.output import input_files, report
from swgui.cli.rule import audit_rule
from swgui.cli.search import make_request, search
from swgui.commands.engine import check_method
from swgui.core.compare.audit import audit
from swgui.core.compare.audit_summary import summary
from swgui.core.control import stop_on_interrupt
from swgui.io.outputs import check_outputs
from swgui.io.statistics import load_statistics
from swgui.io.tables.comparisons import write_audit
from swgui.io.tables.hits import read_hit_table
from swgui.io.whole_file import write_text
from swgui.jobs.progress import ProgressLine


def run(arguments: argparse.Namespace) -> int:
    """Search exactly, compare, write the table, and say on the standard error what it shows."""
    if arguments.rule:
        return audit_rule(arguments)
    if not (arguments.query and arguments.database):
        arguments.parser.error("the following arguments are required: -q/--query, -d/--database")
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
    write_text(arguments.out, lambda file: write_audit(compared, file, comments=arguments.comments))
    for sentence in summary(compared):
        print(f"swgui: {sentence}", file=sys.stderr)
    report(result, line)
    return 0 if result.state == "complete" else 1
