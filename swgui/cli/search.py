"""``swgui search``."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import BinaryIO

import numpy as np

from swgui.cli.progress import ProgressLine
from swgui.core.alphabet import ALPHABETS, NUCLEOTIDE, PROTEIN, Alphabet, guess_alphabet
from swgui.core.errors import InvalidParameter, SequenceError
from swgui.core.events import Finished
from swgui.core.records import SequenceRecord
from swgui.core.results import Hit, SearchResult
from swgui.core.scoring import ScoringScheme, SubstitutionMatrix, match_mismatch
from swgui.engines.base import EngineOptions
from swgui.engines.registry import engine_names
from swgui.io.export import FORMATS, save_whole, write_hits
from swgui.io.matrices import load_matrix
from swgui.io.sequences import ReadReport, read_sequences
from swgui.search import SearchRequest, describe_hits, run_search

# Costs used when the user gives none: (gap open, gap extend) by the BLAST rule.
DEFAULT_MATRIX = "BLOSUM62"
DEFAULT_MATCH, DEFAULT_MISMATCH = 2, -3
DEFAULT_GAPS = {"protein": (11, 1), "nucleotide": (5, 2)}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    files = parser.add_argument_group("input and output")
    files.add_argument("-q", "--query", required=True, metavar="FILE", help="queries: FASTA, GenBank, ..., plain or gz")
    files.add_argument("-d", "--database", required=True, metavar="FILE", help="a .swdb file or a sequence file")
    files.add_argument("-o", "--out", metavar="FILE", help="where to write the hits (default: standard output)")
    files.add_argument(
        "--format",
        choices=list(FORMATS),
        default="tsv",
        help="; ".join(f"{name}: {form.description}" for name, form in FORMATS.items()),
    )
    files.add_argument("--scores", metavar="FILE.npz", help="also write every score: query_ids, subject_ids, scores")
    files.add_argument("--type", choices=["auto", *ALPHABETS], default="auto", help="kind of sequence (default: auto)")

    scoring = parser.add_argument_group("scoring")
    scoring.add_argument("--matrix", metavar="NAME|FILE", help=f"default {DEFAULT_MATRIX} for proteins; also: a file")
    scoring.add_argument("--match", type=int, help=f"nucleotide match score (default {DEFAULT_MATCH})")
    scoring.add_argument("--mismatch", type=int, help=f"nucleotide mismatch score (default {DEFAULT_MISMATCH})")
    scoring.add_argument("--gap-open", type=int, metavar="COST", help="BLAST rule: a gap of k costs open + k x extend")
    scoring.add_argument(
        "--gap-extend", type=int, metavar="COST", help="default 11/1 for proteins, 5/2 for nucleotides"
    )
    scoring.add_argument("--strand", choices=["both", "plus", "minus"], help="default both for nucleotides")

    limits = parser.add_argument_group("hits")
    limits.add_argument("--top", type=int, default=500, metavar="N", help="hits per query at most (default 500)")
    limits.add_argument("--evalue", type=float, default=10.0, metavar="E", help="hits up to this E-value (default 10)")

    limits.add_argument(
        "--dbsize", type=int, default=0, metavar="RESIDUES", help="database size E refers to (default: its own)"
    )

    engine = parser.add_argument_group("engine")
    engine.add_argument("--engine", choices=engine_names(), default="auto", help="default: the fastest there is")
    engine.add_argument("--device", default="", metavar="ID[,ID]", help="devices as 'swgui devices' lists them")
    engine.add_argument("--threads", type=int, default=0, metavar="N", help="threads of the CPU engine (default: all)")
    engine.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", dest="settings", help="an engine's own setting"
    )


def run(arguments: argparse.Namespace) -> int:
    """Search and write the hits."""
    line = ProgressLine()
    queries, alphabet = read_queries(Path(arguments.query), arguments.type)
    request = SearchRequest(
        queries=queries,
        database=Path(arguments.database),
        scheme=choose_scheme(arguments, alphabet),
        strand=arguments.strand or ("both" if alphabet.complements else "plus"),
        top=arguments.top,
        max_evalue=arguments.evalue,
        effective_residues=arguments.dbsize,
        engine=arguments.engine,
        options=EngineOptions(
            devices=tuple(part.strip() for part in arguments.device.split(",") if part.strip()),
            threads=arguments.threads,
            settings=dict(parse_setting(text) for text in arguments.settings),
        ),
        keep_scores=bool(arguments.scores) or arguments.engine == "auto",
    )
    with stop_on_interrupt() as cancel:
        result = None
        for event in run_search(request, cancel):
            line.event(event)
            if isinstance(event, Finished):
                result = event.result
        line.clear()
    if result is None:
        print("swgui: stopped before anything was scored.", file=sys.stderr)
        return 1
    if arguments.scores:
        write_scores(result, Path(arguments.scores))
    write_result(result, arguments.format, arguments.out, line)
    report(result, line)
    return 0 if result.state == "complete" else 1


def read_queries(path: Path, kind: str) -> tuple[tuple[SequenceRecord, ...], Alphabet]:
    """Read the queries; what the reader changed or left out goes to the standard error."""
    given = None if kind == "auto" else ALPHABETS[kind]
    notes = ReadReport()
    records = tuple(read_sequences(path, given, notes))
    for remark in notes.remarks:
        print(f"swgui: {path.name}: {remark.message}", file=sys.stderr)
    if not records:
        raise SequenceError(f"{path} holds no sequence to search with.", path=str(path))
    return records, given or guess_alphabet(b"".join(record.residues for record in records))


def choose_scheme(arguments: argparse.Namespace, alphabet: Alphabet) -> ScoringScheme:
    """Make the scoring scheme from what was given and the defaults of the alphabet."""
    default_open, default_extend = DEFAULT_GAPS[alphabet.name]
    return ScoringScheme.from_blast(
        choose_matrix(arguments, alphabet),
        default_open if arguments.gap_open is None else arguments.gap_open,
        default_extend if arguments.gap_extend is None else arguments.gap_extend,
    )


def choose_matrix(arguments: argparse.Namespace, alphabet: Alphabet) -> SubstitutionMatrix:
    """Return the matrix that was asked for by name, by file or by match and mismatch."""
    simple = arguments.match is not None or arguments.mismatch is not None
    if simple and (arguments.matrix or alphabet is PROTEIN):
        raise InvalidParameter("match", arguments.match, "Match and mismatch are for nucleotides without a matrix.")
    if arguments.matrix:
        return load_matrix(arguments.matrix, alphabet)
    if alphabet is NUCLEOTIDE:
        match = DEFAULT_MATCH if arguments.match is None else arguments.match
        mismatch = DEFAULT_MISMATCH if arguments.mismatch is None else arguments.mismatch
        return match_mismatch(alphabet, match, mismatch)
    return load_matrix(DEFAULT_MATRIX, alphabet)


def parse_setting(text: str) -> tuple[str, str]:
    """Split NAME=VALUE."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise InvalidParameter("set", text, f"'{text}' is not NAME=VALUE.")
    return name.strip(), value.strip()


@contextmanager
def stop_on_interrupt() -> Iterator[threading.Event]:
    """Turn the first Ctrl+C into a stop that keeps what was scored; the second ends the program."""
    cancel = threading.Event()

    def stop(signum: int, frame: object) -> None:
        cancel.set()
        signal.signal(signal.SIGINT, before)

    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, stop)
    try:
        yield cancel
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)


def all_hits(result: SearchResult, line: ProgressLine, *, align: bool) -> Iterator[Hit]:
    """Describe every hit of every query, in order, showing how far it is."""
    total = sum(len(query.hits) for query in result.queries)
    described = chain.from_iterable(
        describe_hits(result, index, range(len(query.hits)), align=align) for index, query in enumerate(result.queries)
    )
    for number, hit in enumerate(described, start=1):
        line.show(f"Aligning {number:,} of {total:,}")
        yield hit


def write_result(result: SearchResult, format_name: str, out: str | None, line: ProgressLine) -> None:
    """Write the hits to a file (whole or not at all) or to the standard output."""
    hits = all_hits(result, line, align=FORMATS[format_name].needs_alignment)
    if out:
        save_whole(Path(out), lambda file: write_hits(format_name, result, hits, file))
    else:
        write_hits(format_name, result, hits, sys.stdout)
    line.clear()


def write_scores(result: SearchResult, path: Path) -> None:
    """Write the score vectors in the database's original order.

    The file holds ``query_ids`` [queries], ``subject_ids`` [subjects] and ``scores`` int32
    [queries, subjects], with -1 where a stopped run has no score.
    """
    vectors = [query.scores for query in result.queries if query.scores is not None]
    if len(vectors) != len(result.queries):
        raise InvalidParameter("scores", str(path), f"The score vectors were not kept, {path.name} was not written.")

    def write(file: BinaryIO) -> None:
        np.savez(
            file,
            query_ids=np.array([query.query.id for query in result.queries]),
            subject_ids=np.array(list(result.database.ids)),
            scores=np.stack(vectors),
        )

    save_whole(path, write, binary=True)


def report(result: SearchResult, line: ProgressLine) -> None:
    """Say on the standard error what was done; in a pipe only what the user must know."""
    if result.message:
        print(f"swgui: {result.message}", file=sys.stderr)
    if result.state != "complete":
        part = result.cells_done / result.cells_total if result.cells_total else 0.0
        print(
            f"swgui: {result.state}: {part:.0%} of the work was done; the hits are those found by then.",
            file=sys.stderr,
        )
    if line.active:
        print(
            f"{len(result.queries):,} queries, {len(result.database):,} subjects, {result.scheme.describe()}; "
            f"{result.cells_done / 1e9:,.2f} G cells in {result.seconds:.2f} s, {result.gcups:,.1f} GCUPS "
            f"on {', '.join(result.devices)} ({result.engine}).",
            file=sys.stderr,
        )
