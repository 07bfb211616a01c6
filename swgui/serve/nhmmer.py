"""``swgui-nhmmer``: the program for ``--nhmmer_binary_path`` of AlphaFold 3.

It understands the options that AlphaFold 3, Protenix and OpenFold3 give, refuses all others, and searches once: every
sequence of the database is scored on both strands with the exact local alignment, and E is this program's own.
"""

from __future__ import annotations

import argparse
import math
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Final, NoReturn

import numpy as np

from swgui.commands.msa import rounds_of
from swgui.commands.serve import serve_arguments
from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.judging.fitting import fit_of
from swgui.core.limits import Limits
from swgui.core.plain import replace
from swgui.core.profiles.alignment import DELETION, AlignedRow, MasterAlignment
from swgui.core.profiles.bases import searched_bases, short_sentence, spelled
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.search import Strand
from swgui.engines.registry import KeptEngines
from swgui.io.database.any_file import open_any_database
from swgui.io.profiles.alignments import name_of, write_stockholm
from swgui.io.whole_file import save_text
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.floods import subjects_within
from swgui.jobs.iterate.inclusion import Inclusion
from swgui.jobs.iterate.request import first_round, profile_of
from swgui.jobs.iterate.rows import aligned_with
from swgui.jobs.search.run import search_steps
from swgui.serve.jackhmmer import Parser, completed, database_for, one_query, run_program
from swgui.serve.protocol import evalue_text

MAX_ROWS: Final = 10_000  # rows that AlphaFold 3, Protenix and OpenFold3 read
_MEGABASE: Final = 1_000_000
_STRANDS: Final[dict[str | None, Strand]] = {"watson": "plus", "crick": "minus", None: "both"}


def parser() -> argparse.ArgumentParser:
    """Return the parser of the options that AlphaFold 3 gives."""
    made = Parser("swgui-nhmmer", description=__doc__, allow_abbrev=False)
    made.add_argument("-o", metavar="FILE", default="", help="nothing is written there")
    made.add_argument("-A", dest="alignment", metavar="FILE", default="", help="the alignment, in Stockholm format")
    made.add_argument("--tblout", metavar="FILE", default="", help="a table of the hits: E in column 13, bits in 14")
    made.add_argument("--noali", action="store_true", help="as if it were not given")
    made.add_argument("-E", dest="evalue", type=float, default=10.0, help="largest E of a hit")
    made.add_argument("--incE", type=float, help="largest E of a row of -A, where it is below -E")
    made.add_argument("-Z", dest="megabases", type=float, help="megabases that E refers to, where DB is a part")
    made.add_argument(
        "--seq_limit", type=int, default=MAX_ROWS, help="rows at most, best first (10,000, which AlphaFold 3 reads)"
    )
    made.add_argument("--cpu", type=int, default=0, help="threads, where there is no GPU")
    letters = made.add_mutually_exclusive_group()
    for name in ("rna", "dna"):
        letters.add_argument(f"--{name}", dest="letters", action="store_const", const=name, default="rna")
    strands = made.add_mutually_exclusive_group()
    for name in ("watson", "crick"):
        strands.add_argument(f"--{name}", dest="strand", action="store_const", const=name)
    for name in ("--F1", "--F2", "--F3"):
        made.add_argument(name, type=float, help="a filter of nhmmer; here every sequence is scored in full")
    made.add_argument("--max", action="store_true", help="as if it were not given: nothing is filtered")
    made.add_argument("query", help="FASTA with one RNA or DNA")
    made.add_argument("database", help="a .swdb file, or a file with one of the same name next to it")
    return made


def run() -> NoReturn:
    """Run the command as a process of its own."""
    sys.exit(main())


def main(words: Sequence[str] | None = None) -> int:
    """Search and write; returns the exit status."""
    return run_program(parser(), _search, words)


def _search(arguments: argparse.Namespace, cancel: threading.Event) -> int:
    """Search, align and write the requested files."""
    for name, option in (("evalue", "-E"), ("incE", "--incE"), ("megabases", "-Z"), ("seq_limit", "--seq_limit")):
        value = getattr(arguments, name)
        if value is not None and not value > 0:
            raise InvalidParameter(name, value, f"{option} must be above 0, not {value:g}.")
    records = one_query(arguments.query, NUCLEOTIDE)
    database = open_any_database(database_for(arguments.database), alphabet=NUCLEOTIDE, cancel=cancel)
    share = (arguments.megabases or database.residues / _MEGABASE) * _MEGABASE / max(database.residues, 1)
    evalue, most = arguments.evalue / share, arguments.seq_limit
    settings, limits = IterationSettings(max_rows=most), Limits(most, evalue)
    given = serve_arguments(threads=arguments.cpu), records, NUCLEOTIDE, database, limits, settings
    request = first_round(rounds_of(*given))
    recipe = settings.profile_recipe(NUCLEOTIDE.name)
    alone = MasterAlignment.of_query(records[0], NUCLEOTIDE)
    built = profile_of(alone, request.scheme.matrix, recipe, "query", searched_bases(database))
    search = replace(request.search, strand=_STRANDS[arguments.strand])
    request = replace(request, queries=(replace(records[0], profile=built.profile),), search=search)
    with closing(KeptEngines()) as engines:
        result = completed(run_to_end(search_steps(request, cancel, use=engines.use)), cancel)
    hits = result.queries[0].hits
    hits = hits.take(hits.log10_evalues <= np.log10(evalue))
    hits = hits.take(slice(0, most))
    found = aligned_with(result, 0, hits, Inclusion(evalue, most), recipe, arguments.cpu)
    _tell(result, evalue, most, arguments.evalue)
    rows = sorted(found.rows[1:], key=lambda row: (row.log10_evalue, name_of(row, query=False)))
    alignment = spelled(found.with_rows(rows), "U" if arguments.letters == "rna" else "T")
    if arguments.alignment:
        limit = math.log10(min(arguments.evalue, arguments.incE or arguments.evalue) / share)
        kept = alignment.with_rows([row for row in alignment.rows[1:] if row.log10_evalue <= limit])
        save_text(arguments.alignment, lambda out: out.write(_stockholm(kept)))
    if arguments.tblout:
        lines = "".join(_table(result, alignment.rows[1:], share))
        save_text(arguments.tblout, lambda out: out.write(lines))
    return 0


def _tell(result: SearchResult, evalue: float, most: int, asked: float) -> None:
    """Print on the standard error that the query is very short, or that not all that was found is written.

    Parameters
    ----------
    evalue, asked : float
        Limit of E for this database, and as it was given.
    """
    sentences = [short_sentence(result.queries[0].query)]
    if len(result.queries[0].hits) >= most and (number := len(subjects_within(result, 0, evalue))) > most:
        sentences.append(f"{number:,} sequences have E up to {asked:g}: the best {most:,} rows are written.")
    for sentence in filter(None, sentences):
        print(f"swgui-nhmmer: {sentence}", file=sys.stderr)


def _stockholm(alignment: MasterAlignment) -> str:
    """Return the rows of an alignment without the query in Stockholm format; nothing if there is none."""
    if len(alignment) == 1:
        return ""
    first, *lines = write_stockholm(alignment).split("\n")
    own = next(number for number, line in enumerate(lines) if line and not line.startswith("#"))
    return "\n".join([first, *lines[:own], *lines[own + 1 :]])


def _table(result: SearchResult, rows: Sequence[AlignedRow], share: float) -> Iterator[str]:
    """Yield the table of hits, a line for each row: places, strand, E and bits."""
    yield "# target  accession  query  accession  hmmfrom  hmmto  alifrom  alito  envfrom  envto  sqlen  strand  "
    yield "E-value  score  bias  description\n"
    database, name = result.database, result.queries[0].query.id
    lengths = dict(zip(database.ids, database.lengths.tolist(), strict=True)) if rows else {}
    statistics = fit_of(result, 0).statistics
    for row in rows:
        columns = np.flatnonzero(row.codes < DELETION)
        last = row.start + 1 + row.strand * (row.length - 1)
        places = f"{columns[0] + 1} {columns[-1] + 1} {row.start + 1} {last} {row.start + 1} {last}"
        sign, evalue = "+" if row.strand > 0 else "-", evalue_text(row.log10_evalue + math.log10(share))
        space = len(result.queries[0].query.residues) * database.residues
        bits = max(math.log2(space) - row.log10_evalue / math.log10(2), 0.0) if statistics is not None else 0.0
        figures = f"{lengths[row.id]} {sign} {evalue} {bits:.1f} 0.0"
        yield f"{row.id} - {name} - {places} {figures} {row.description or '-'}\n"
