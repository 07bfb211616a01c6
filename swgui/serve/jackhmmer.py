"""``swgui-jackhmmer``: the program for ``--jackhmmer_binary_path`` of AlphaFold 3.

It understands the options that AlphaFold 3 gives, refuses all others, and searches once, as AlphaFold 3 asks
(``-N 1``): every sequence of the database is scored with the exact local alignment, and E is this program's own.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Final, NoReturn

import numpy as np

from swgui.commands.msa import rounds_of
from swgui.commands.serve import serve_arguments
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, is_nucleotide
from swgui.core.errors import AlphabetMismatch, InvalidParameter, Stopped, SwguiError, explaining
from swgui.core.hits.results import HitColumns, SearchResult
from swgui.core.limits import Limits
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.profiles.msa import RowLimits
from swgui.core.records import SequenceRecord
from swgui.core.signals import stop_on_interrupt
from swgui.engines.registry import KeptEngines
from swgui.io.database.any_file import open_any_database
from swgui.io.profiles.alignments import write_stockholm
from swgui.io.sequences.reader import read_sequences
from swgui.io.whole_file import save_text
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.msa import deep_alignments
from swgui.jobs.iterate.request import first_round
from swgui.jobs.search.run import search_steps
from swgui.serve.protocol import evalue_text
from swgui.serve.work import copies_in

NO_LIMIT: Final = 1_000_000  # rows, by default
_SHARDS: Final = re.compile(r"(.+)@\d+")


class Parser(argparse.ArgumentParser):
    """A parser of the options of another program."""

    def error(self, message: str) -> NoReturn:
        """Print an error, as all commands do."""
        raise InvalidParameter("arguments", message, f"{self.prog} does not understand this: {message}.")


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options that AlphaFold 3 gives."""
    made = Parser("swgui-jackhmmer", description=__doc__, allow_abbrev=False)
    made.add_argument("-o", metavar="FILE", default="", help="nothing is written there")
    made.add_argument("-A", dest="alignment", metavar="FILE", default="", help="the alignment, in Stockholm format")
    made.add_argument("--tblout", metavar="FILE", default="", help="a table of the hits: E in column 5, bits in 6")
    made.add_argument("--noali", action="store_true", help="as if it were not given")
    made.add_argument("-N", dest="rounds", type=int, default=1, help="rounds: 1, as AlphaFold 3 asks")
    made.add_argument("-E", dest="evalue", type=float, default=10.0, help="largest E of a hit")
    made.add_argument("--incE", type=float, default=0.001, help="without effect in one round")
    made.add_argument("--incdomE", type=float, default=0.001, help="without effect in one round")
    made.add_argument("--domE", type=float, default=10.0, help="ignored: -E limits further alignments, too")
    made.add_argument("-Z", dest="sequences", type=float, help="sequences that E refers to, where DB is a part")
    made.add_argument("--domZ", type=float, help="as if it were not given")
    made.add_argument("--seq_limit", type=int, default=NO_LIMIT, help="hits at most, best first")
    made.add_argument("--cpu", type=int, default=0, help="threads, where there is no GPU")
    for name in ("--F1", "--F2", "--F3"):
        made.add_argument(name, type=float, help="a filter of jackhmmer; here every sequence is scored in full")
    made.add_argument("query", help="FASTA with one protein")
    made.add_argument("database", help="a .swdb file, or a file with one of the same name next to it")
    return made


def run() -> NoReturn:
    """Run the command as a process of its own."""
    sys.exit(main())


def main(words: Sequence[str] | None = None) -> int:
    """Search and write; returns the exit status."""
    return run_program(parser(), _search, words)


def run_program(
    parser: argparse.ArgumentParser,
    search: Callable[[argparse.Namespace, threading.Event], int],
    words: Sequence[str] | None,
) -> int:
    """Run a program in the place of another one; prints errors, and returns the exit status."""
    try:
        with explaining(), stop_on_interrupt() as cancel:
            return search(parser.parse_args(words), cancel)
    except Stopped:
        return 1
    except SwguiError as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 1


def database_for(name: str) -> Path:
    """Return the database for a file of sequences: ``DB.swdb``, or the name with its ending replaced.

    Raises
    ------
    InvalidParameter
        If there is none.
    """
    shards = _SHARDS.fullmatch(name)
    place = Path(shards[1] if shards else name)
    for found in (place, Path(f"{place}.swdb"), place.with_suffix(".swdb")):
        if found.suffix == ".swdb" and found.is_file():
            return found
    made = f"swgui makedb {name} -o {place}.swdb"
    raise InvalidParameter("database", name, f"There is no '{place}.swdb' next to '{name}'.", hint=f"Make it: {made}")


def one_query(path: str, alphabet: Alphabet) -> tuple[SequenceRecord]:
    """Return the only sequence of a file; `InvalidParameter` if there are none or several."""
    records = tuple(read_sequences(path, alphabet=alphabet))
    if len(records) != 1:
        raise InvalidParameter("query", path, f"'{path}' has {len(records)} sequences, not one.")
    return records


def completed(result: SearchResult | None, cancel: threading.Event) -> SearchResult:
    """Return the result of a search that is complete; `Stopped` or `SwguiError` where it is not."""
    if result is None or result.state != "complete":
        raise Stopped if cancel.is_set() else SwguiError(result.message if result else "The search failed.")
    return result


def _search(arguments: argparse.Namespace, cancel: threading.Event) -> int:
    """Search, align and write the requested files."""
    if arguments.rounds != 1:
        raise InvalidParameter("N", arguments.rounds, "swgui-jackhmmer searches once: -N is 1.")
    for name in ("evalue", "seq_limit"):
        if not getattr(arguments, name) > 0:
            raise InvalidParameter(name, getattr(arguments, name), "-E and --seq_limit must be above 0.")
    records = one_query(arguments.query, PROTEIN)
    if is_nucleotide(records[0].residues):
        raise AlphabetMismatch(PROTEIN.name, NUCLEOTIDE.name, f"query '{records[0].id}'")
    database = open_any_database(database_for(arguments.database), alphabet=PROTEIN, cancel=cancel)
    share = (arguments.sequences or len(database)) / len(database)  # from the requested E to the E of this file
    evalue = arguments.evalue / share
    settings = IterationSettings(max_rows=arguments.seq_limit)
    limits = Limits(arguments.seq_limit, evalue)
    request = first_round(
        rounds_of(serve_arguments(threads=arguments.cpu), records, PROTEIN, database, limits, settings)
    )
    with closing(KeptEngines()) as engines:
        result = run_to_end(search_steps(request, cancel, use=engines.use))
    result = completed(result, cancel)
    rows = RowLimits(arguments.seq_limit)
    (alignment,) = deep_alignments([result], evalue, rows, arguments.cpu, cancel)
    alignment = alignment.with_rows([*copies_in(result, alignment), *alignment.rows[1:]][: arguments.seq_limit])
    if arguments.alignment:
        save_text(arguments.alignment, lambda out: out.write(write_stockholm(alignment)))
    if arguments.tblout:
        hits = result.queries[0].hits
        hits = hits.take(hits.log10_evalues <= np.log10(evalue)).take(slice(0, arguments.seq_limit))
        lines = _table(result, hits, share)
        save_text(arguments.tblout, lambda out: out.write(lines))
    return 0


def _table(result: SearchResult, hits: HitColumns, share: float) -> str:
    """Return the table of hits: one line for each sequence, E and bits of the whole of it."""
    database, name = result.database, result.queries[0].query.id
    lines = ["# target name  accession  query name  accession  E-value  score  bias  (then as in HMMER's tables)"]
    figures = zip(hits.db_index.tolist(), hits.log10_evalues.tolist(), hits.bit_scores.tolist(), strict=True)
    for db_index, log10_evalue, bits in figures:
        evalue = evalue_text(log10_evalue + math.log10(share))
        both = f"{evalue} {bits:.1f} 0.0 {evalue} {bits:.1f} 0.0 1.0 1 0 0 1 1 1 1"
        lines.append(f"{database.ids[db_index]} - {name} - {both} {database.descriptions[db_index] or '-'}")
    return "\n".join(lines) + "\n"
