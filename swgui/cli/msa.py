"""``swgui msa``: deep alignments for structure prediction."""

from __future__ import annotations

import argparse
import sys
import threading
from pathlib import Path

from swgui.cli.progress import ProgressLine
from swgui.cli.queries import read_queries
from swgui.cli.search import check_method, watched
from swgui.cli.stop import stop_on_interrupt
from swgui.commands.engine import engine_name, engine_options
from swgui.commands.scoring import DEFAULT_GAPS, DEFAULT_MATRIX
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.msa import RowLimits, paired
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.words import count
from swgui.io.database.any_file import database_files
from swgui.io.matrices import load_matrix
from swgui.io.outputs import check_outputs
from swgui.io.profiles.complexes import COMPLEXES
from swgui.io.profiles.saving import file_names, format_for
from swgui.io.whole_file import save_text
from swgui.jobs.iterate.msa import deep_alignments
from swgui.jobs.iterate.request import MAX_INCLUSION, IterationRequest, IterationSettings
from swgui.jobs.iterate.run import run_iteration
from swgui.jobs.search.request import SearchRequest


def run(arguments: argparse.Namespace) -> int:
    """Search in rounds and write the alignments; exit status 0 if all was done."""
    line = ProgressLine()
    check_method(arguments)
    limits = row_limits(arguments)
    queries, _ = read_queries(Path(arguments.query), PROTEIN.name)
    files = output_files(arguments, queries)
    inputs = [("query", arguments.query)]
    inputs += [("database", str(file)) for name in arguments.database for file in database_files(name)]
    check_outputs({f"out {path.name}": str(path) for path in files}, inputs)
    with stop_on_interrupt() as cancel:
        found = [search(arguments, queries, Path(name), limits, line, cancel) for name in arguments.database]
        results = [result for result in found if result is not None]
        if len(results) < len(found) or any(result.state != "complete" for result in results):
            print("swgui: stopped before the alignments were whole; nothing was written.", file=sys.stderr)
            return 1
        threads = arguments.threads
        alignments = deep_alignments(results, arguments.evalue, limits, threads, cancel)
    write(alignments, arguments, files)
    return 0


def row_limits(arguments: argparse.Namespace) -> RowLimits:
    """Return which rows are wanted.

    Raises
    ------
    InvalidParameter
        If a limit makes no sense.
    """
    similar = 101.0 if arguments.max_identity is None else arguments.max_identity
    shares = {"min-coverage": arguments.min_coverage, "min-identity": arguments.min_identity, "max-identity": similar}
    for option, value in shares.items():
        if not 0 <= value <= 101:
            raise InvalidParameter(option, value, f"--{option} is {value:g}, not a percentage from 0 to 100.")
    if not 0 < arguments.evalue <= MAX_INCLUSION:
        raise InvalidParameter(
            "evalue",
            arguments.evalue,
            f"Rows up to an E-value of {arguments.evalue:g} would be no alignment of relatives.",
            hint=f"It must be above 0 and at most {MAX_INCLUSION:g}; 0.001 is usual.",
        )
    if arguments.max_rows < 1:
        raise InvalidParameter("max-rows", arguments.max_rows, f"{arguments.max_rows} rows are no alignment.")
    return RowLimits(arguments.max_rows, *(value / 100 for value in shares.values()))


def output_files(arguments: argparse.Namespace, queries: tuple[SequenceRecord, ...]) -> list[Path]:
    """Return the files that are to be written; refuses what cannot be.

    Raises
    ------
    InvalidParameter
        If an ending is that of no format, or a complex has one chain.
    """
    ids = [query.id for query in queries]
    if arguments.complex is None:
        format_for(arguments.out, "alignment", "out")
        return [files[0] for files in file_names(arguments.out, ids)]
    form = COMPLEXES[arguments.complex]
    if len(queries) < 2:
        raise InvalidParameter(
            "complex", arguments.complex, "A complex has two chains or more, and there is one query.",
            hint="Leave out --complex; copies of one chain need no pairing.",
        )  # fmt: skip
    if not arguments.out.lower().endswith(form.suffix):
        raise InvalidParameter(
            "out", arguments.out, f"'{arguments.out}' does not end in {form.suffix}, as {form.name} needs it."
        )
    return [Path(arguments.out)] if form.name == "colabfold" else [one[0] for one in file_names(arguments.out, ids)]


def search(
    arguments: argparse.Namespace,
    queries: tuple[SequenceRecord, ...],
    database: Path,
    limits: RowLimits,
    line: ProgressLine,
    cancel: threading.Event,
) -> SearchResult | None:
    """Search one database in rounds; None if nothing was scored."""
    scheme = ScoringScheme.from_blast(load_matrix(DEFAULT_MATRIX, PROTEIN), *DEFAULT_GAPS[PROTEIN.name])
    wanted = SearchRequest(
        queries=queries,
        database=database,
        scheme=scheme,
        top=limits.rows + 1,
        max_evalue=arguments.evalue,
        engine=engine_name(arguments),
        options=engine_options(arguments),
        max_hsps=1,
    )
    settings = IterationSettings(rounds=arguments.iterations, inclusion_evalue=arguments.inclusion_evalue)
    return watched(run_iteration(IterationRequest(wanted, settings), cancel), line)


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
        found = paired(alignments)
        texts = COMPLEXES[arguments.complex].write(found)
        said = count(len(found.pairs), "organism has", "organisms have")
        print(f"swgui: {said} rows of two chains or more, side by side.", file=sys.stderr)
    for text, path in zip(texts, files, strict=True):
        save_text(path, lambda out, text=text: out.write(text))  # type: ignore[misc]
    for alignment in alignments:
        rows = count(len(alignment) - 1, "row")
        print(f"swgui: {alignment.query.id}: {rows} beside the query.", file=sys.stderr)
