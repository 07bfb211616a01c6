"""``swgui msa``: deep alignments for structure prediction."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from swgui.cli.output import input_files
from swgui.cli.queries import read_queries
from swgui.cli.running import on_terminal, say, scored
from swgui.commands.engine import check_method
from swgui.commands.msa import check_complex, msa_request, row_limits
from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.depth import depth_of, depth_said
from swgui.core.profiles.msa import paired
from swgui.core.records import SequenceRecord
from swgui.core.words import count
from swgui.io.outputs import check_outputs
from swgui.io.profiles.complexes import COMPLEXES, complex_format
from swgui.io.profiles.saving import file_names, format_for
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.msa import deep_alignments, marked_partial, relatives_found
from swgui.jobs.iterate.run import iteration_steps

STOPPED: Final = "stopped: the alignments are partial, with the rows that were found by then."


def run(arguments: argparse.Namespace) -> int:
    """Search in rounds and write the alignments, also those of a search that was stopped; 0 if all was done."""
    check_method(arguments)
    limits = row_limits(arguments)
    queries, alphabet = read_queries(arguments.query, arguments.type, PROTEIN)
    check_complex(arguments, alphabet)
    files = output_files(arguments, queries)
    check_outputs({f"out {path.name}": str(path) for path in files}, input_files(arguments))
    with on_terminal() as terminal:
        cancel = terminal.cancel
        requests = [msa_request(arguments, queries, alphabet, Path(name), limits) for name in arguments.database]
        steps = (iteration_steps(request, cancel) for request in requests if not cancel.is_set())
        results = [result for searched in steps if (result := scored(terminal.run(searched))) is not None]
        if not results:
            return 1
        alignments = deep_alignments(results, arguments.evalue, limits, arguments.threads, cancel)
        whole = [result for result in results if result.state == "complete"]
        complete = len(whole) == len(requests) and not cancel.is_set()
    write(alignments if complete else list(map(marked_partial, alignments)), arguments, files)
    for index, query in enumerate(results[0].queries):
        if any(len(result.queries[index].hits) > limits.rows for result in results):
            found = relatives_found(results, index, arguments.evalue)
            say(f"{query.query.id}: {found:,} sequences have E up to {arguments.evalue:g}; rows are the best of them.")
    if not complete:
        failed = [result.message for result in results if result.state == "failed"]
        say(failed[0] if failed else STOPPED)
    return terminal.status(complete=complete)


def output_files(arguments: argparse.Namespace, queries: tuple[SequenceRecord, ...]) -> list[Path]:
    """Return the files to write; refuses what cannot be written.

    Raises
    ------
    InvalidParameter
        If an ending is that of no format, or a complex has one chain.
    """
    ids = [query.id for query in queries]
    if arguments.complex is None:
        format_for(arguments.out, "alignment", "out")
        return [files[0] for files in file_names(arguments.out, ids)]
    return complex_format(arguments.complex, len(ids)).files(arguments.out, ids)


def write(alignments: list[MasterAlignment], arguments: argparse.Namespace, files: list[Path]) -> None:
    """Write the alignments, and say how deep they are.

    Raises
    ------
    FileNotWritten
        If a file cannot be written.
    """
    if arguments.complex is None:
        form = format_for(arguments.out, "alignment", "out").write_alignment
        assert form is not None
        texts = [form(alignment) for alignment in alignments]
    else:
        pairing = paired(alignments)
        texts = COMPLEXES[arguments.complex].write(pairing)
        say(f"{count(len(pairing.pairs), 'organism has', 'organisms have')} rows of two chains or more, side by side.")
    for text, path in zip(texts, files, strict=True):
        save_text(path, lambda out, text=text: out.write(text))  # type: ignore[misc]
    for alignment in alignments:
        rows = f"{alignment.query.id}: {count(len(alignment) - 1, 'row')} in addition to the query"
        say(f"{rows}, {depth_said(depth_of(alignment))}." if len(alignment) > 1 else f"{rows}.")
