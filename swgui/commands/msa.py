"""``swgui msa``: its options, and the searches they ask for."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from swgui.commands.engine import engine_group, engine_name, engine_options
from swgui.commands.files import FILES, TIMINGS, database_name
from swgui.commands.option import Group, Option
from swgui.commands.percent import HOW, percent, read_as_share
from swgui.commands.scoring import DEFAULT_GAPS, DEFAULT_MATRIX
from swgui.core.alphabet import AUTO, PROTEIN, Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.limits import Limits
from swgui.core.profiles.bases import related_bases
from swgui.core.profiles.iteration import MAX_INCLUSION, ROUNDS, IterationSettings
from swgui.core.profiles.msa import RowLimits
from swgui.core.profiles.recipe import PRESETS_OF
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.io.matrices import load_matrix
from swgui.io.profiles.complexes import COMPLEXES
from swgui.jobs.search.request import SearchRequest

_DEFAULT_ROWS: Final = 10_000
_DEFAULT_ROUNDS: Final = 3
_DEFAULT_EVALUE: Final = 0.001

PROTEINS: Final = Option(
    ("-q", "--query"),
    "proteins: FASTA, GenBank, ..., plain or compressed; one file or several; - for the standard input",
    "FILE",
    many=True,
    run=True,
    required=True,
)

FILES_OF: Final = Group(
    (
        PROTEINS._replace(help=PROTEINS.help.replace("proteins", "proteins, RNA or DNA", 1)),
        Option(
            ("--type",),
            "kind of the queries (default: auto, by their letters); RNA and DNA are searched on both strands",
            default=AUTO,
            choices=(AUTO, *PRESETS_OF),
        ),
        Option(
            ("-d", "--database", "--db"),
            "a .swdb file or a sequence file; may be repeated: the rows of all come together",
            "FILE",
            database_name,
            many=True,
            required=True,
        ),
        Option(
            ("-o", "--out"),
            "output file: .a3m, .sto or .afa; with several queries a file for each, with its id in the name",
            "FILE",
            required=True,
        ),
        Option(
            ("--complex",),
            "the queries are the different proteins of one complex: put rows of one organism side by side, as this "
            "program reads them (" + "; ".join(f"{form.name}: {form.help}" for form in COMPLEXES.values()) + ")",
            choices=tuple(COMPLEXES),
        ),
    ),
    FILES,
)
ROWS: Final = Group(
    (
        Option(
            ("--iterations",),
            f"searches, {ROUNDS[0]} to {ROUNDS[1]} (default: {_DEFAULT_ROUNDS})",
            "N",
            int,
            _DEFAULT_ROUNDS,
        ),
        Option(
            ("--inclusion-evalue",),
            "E-value up to which a round includes subjects in the next profile (default: 0.1, of proteins in "
            "databases of less than 20,000 sequences 0.03)",
            "E",
            float,
        ),
        Option(
            ("--evalue", "-e"),
            f"E-value up to which subjects of the last search are rows (default: {_DEFAULT_EVALUE:g})",
            "E",
            float,
            _DEFAULT_EVALUE,
        ),
        Option(("--max-rows",), f"rows at most, best first (default: {_DEFAULT_ROWS:,})", "N", int, _DEFAULT_ROWS),
        Option(
            ("--min-coverage",),
            f"rows that cover this part of the query ({HOW})",
            "SHARE",
            percent,
            0.0,
            notice=read_as_share,
        ),
        Option(("--min-identity",), "rows this identical to the query", "SHARE", percent, 0.0, notice=read_as_share),
        Option(
            ("--max-identity",),
            "leave out rows more identical than this to a better one (default: none)",
            "SHARE",
            percent,
            notice=read_as_share,
        ),
    ),
    "rows",
)


def check_complex(arguments: argparse.Namespace, alphabet: Alphabet) -> None:
    """Raise `InvalidParameter` if rows of one organism are wanted side by side of chains that are no proteins."""
    if arguments.complex is not None and alphabet.name != PROTEIN.name:
        raise InvalidParameter(
            "complex",
            arguments.complex,
            f"Rows are put side by side for complexes of proteins; the queries are {alphabet.name}s.",
            hint="Leave --complex out: programs that fold complexes pair no rows of RNA and DNA.",
        )


def msa_options() -> tuple[Group, ...]:
    """Return the options of ``swgui msa``."""
    return FILES_OF, TIMINGS, ROWS, engine_group()


def row_limits(arguments: argparse.Namespace) -> RowLimits:
    """Return which rows are wanted.

    Raises
    ------
    InvalidParameter
        If a limit makes no sense.
    """
    similar = 101.0 if arguments.max_identity is None else arguments.max_identity
    shares = {"min-coverage": arguments.min_coverage, "min-identity": arguments.min_identity, "max-identity": similar}
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


def msa_request(
    arguments: argparse.Namespace,
    queries: Sequence[SequenceRecord],
    alphabet: Alphabet,
    database: Path | EncodedDatabase,
    limits: RowLimits,
) -> SearchRequest:
    """Return the rounds of searches in one database whose last one gives the rows.

    Parameters
    ----------
    arguments : Namespace
        With the values of `ROWS` and `engine_group`.
    alphabet : Alphabet
        That of the queries.
    limits : RowLimits
        What `row_limits` makes of them.

    Raises
    ------
    InvalidParameter
        If it cannot be carried out.
    """
    settings = IterationSettings(rounds=arguments.iterations, inclusion_evalue=arguments.inclusion_evalue)
    return rounds_of(arguments, queries, alphabet, database, Limits(limits.rows + 1, arguments.evalue), settings)


def rounds_of(
    arguments: argparse.Namespace,
    queries: Sequence[SequenceRecord],
    alphabet: Alphabet,
    database: Path | EncodedDatabase,
    limits: Limits,
    settings: IterationSettings,
) -> SearchRequest:
    """Return a search in rounds with the usual scoring of an alphabet, on both strands, and the requested engine."""
    matrix = load_matrix(DEFAULT_MATRIX, PROTEIN) if alphabet.name == PROTEIN.name else related_bases()
    search = Search(
        scheme=ScoringScheme.from_blast(matrix, *DEFAULT_GAPS[alphabet.name]),
        strand="both" if alphabet.complements else "plus",
        limits=limits,
        max_hsps=1,
        iteration=settings,
        engine=engine_name(arguments),
        options=engine_options(arguments),
    )
    return SearchRequest(tuple(queries), database, search)
