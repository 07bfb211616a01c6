"""``swgui search`` and ``swgui audit``: their options, and a search put into words and back."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final, get_args

from swgui.commands.binding import asked, replaced, shown
from swgui.commands.engine import engine_group, engine_name, engine_options, engine_values
from swgui.commands.files import (
    FILES,
    HISTORY,
    METADATA,
    TIMINGS,
    context_place,
    database_name,
    out_option,
    table_format,
)
from swgui.commands.files import LETTERS as DEFAULT_LETTERS
from swgui.commands.iteration import ITERATION, iteration_values
from swgui.commands.option import Group, Option, command_line, options_of, python_call
from swgui.commands.output import hits_out
from swgui.commands.percent import HOW, part_of, percent, read_as_share, typed
from swgui.commands.scoring import (
    CIRCULAR,
    SCORING,
    STRANDS,
    TRANSLATION,
    choose_scheme,
    choose_translation,
    scoring_values,
)
from swgui.core.alphabet import KINDS, Alphabet
from swgui.core.contexts import NO_CONTEXT
from swgui.core.database import EncodedDatabase
from swgui.core.organisms.limit import entries
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange
from swgui.core.records import SequenceRecord
from swgui.core.scoring import TrackSettings
from swgui.core.search import Correction, Search
from swgui.core.translation.programs import PROGRAMS, Program
from swgui.io.alphabets import alphabet_record
from swgui.io.database.any_file import kind_of_database
from swgui.jobs.search.request import SearchRequest, readable_queries

START: Final = Group(
    (
        Option(
            ("--start-from",),
            "search with an alignment or a profile instead of --query: A3M, aligned FASTA, Stockholm, Clustal, PSSMs "
            "of psiblast, models of HMMER3, or files of --save-profile; E is fitted to the scores",
            "FILE",
        ),
    ),
    FILES,
)
PROFILES_OUT: Final = Group(
    (
        Option(
            ("--save-alignment",),
            "also write the alignment of the last round: .a3m, .sto or .afa; with {round} in the name that of every "
            "round; with several queries a file for each, with its id in the name",
            "FILE",
        ),
        Option(
            ("--save-profile",),
            "also write the profile that follows from the last round: .json, .hmm or .pssm; likewise",
            "FILE",
        ),
    ),
    FILES,
)
SHARE: Final = Group(
    (
        Option(
            ("--part",),
            "score part I of N of the database alone, parts having about the same residues, and write its scores to "
            "--out; 'swgui merge' combines all N",
            "I/N",
            part_of,
        ),
    ),
    FILES,
)
_GIVEN: Final = ("query", "database")  # without their names in Python
COMPOSITION: Final[tuple[Correction, ...]] = get_args(Correction)
QUERIES: Final = Option(
    ("-q", "--query"),
    "queries: FASTA, GenBank, ..., plain or compressed; one file or several; - for the standard input",
    "FILE",
    many=True,
    run=True,
    required=True,
)
INPUT: Final = Group(
    (
        QUERIES,
        Option(("-d", "--database", "--db"), "a .swdb file or a sequence file", "FILE", database_name, required=True),
        Option(("--type",), "kind of sequence (default: auto)", default="auto", choices=KINDS),
    ),
    FILES,
)
SAVE: Final = Option(
    ("--save",), "also write the whole search, to be opened by 'swgui show' or the window", "FILE.swgui"
)
KEPT: Final = Group(
    (
        SAVE,
        HISTORY,
        Option(("--resume",), "a run of the list, by name or id, to continue without repeating its options", "RUN"),
    ),
    FILES,
)
NUMBERS_OUT: Final = Group(
    (
        Option(("--scores",), "also write every score: query_ids, subject_ids, scores", "FILE.npz"),
        Option(("--statistics",), "also write fit and histogram of all scores of every query", "FILE.json"),
    ),
    FILES,
)
LETTERS: Final = Group(
    (
        Option(
            ("--query-letters", "--query-3di"),
            "a letter for every residue of the queries, under the same identifiers: where the database has such "
            "letters, too, both are scored, in one recurrence",
            "FILE",
        ),
        Option(("--letters-alphabet",), "alphabet of the second track (default: 3Di)", "NAME", default=DEFAULT_LETTERS),
        Option(
            ("--letters-weight",),
            "factor of the scores of the second track (default: that of the alphabet)",
            "N",
            int,
            path="beside.letters_weight",
        ),
        Option(
            ("--residues-weight",),
            "factor of the scores of residues, likewise",
            "N",
            int,
            path="beside.residues_weight",
        ),
    ),
    "letters",
)
PART: Final = Group(
    (
        Option(
            ("--query-range",),
            "search with these residues of every query alone, counted from 1; positions stay those of the whole query",
            "FIRST-LAST",
            default="",
            path="query_range",
            make=QueryRange.read,
        ),
    ),
    FILES,
)
ORGANISMS: Final = Group(
    (
        Option(
            ("--organism",),
            "search only subjects of this organism or clade, by name or number in NCBI's taxonomy; several with commas "
            "or by repeating it",
            "NAME|TAXID",
            many=True,
            path="organisms.only",
            make=entries,
        ),
        Option(
            ("--exclude-organism",),
            "leave out subjects of this organism or clade",
            "NAME|TAXID",
            many=True,
            path="organisms.without",
            make=entries,
        ),
    ),
    "organisms",
)
STRAND: Final = Group(
    (
        Option(("--strand",), "strands of nucleotides to search (default: both)", choices=STRANDS, path="strand"),
        CIRCULAR._replace(
            path="circles.which",
            make=lambda every: "all" if every else "declared",
            show=lambda which: which == "all" or None,
        ),
    ),
    "scoring",
)
CONTEXT: Final = Group(
    (
        Option(
            ("--context",),
            "score each residue of a protein query by those around it, too: own (the library of the program), none, "
            "or a context library in the text form of HH-suite; ranks distant relatives higher in one scan; scores are "
            "in eighths of a bit, gaps cost 40 and 3 of them, and E is fitted to the scores of each query and cautious",
            "own|none|FILE",
            default=NO_CONTEXT,
            path="context",
            make=context_place,
        ),
        Option(
            ("--both-directions",),
            "with --context: also score each hit's own profile against the query, and give the pair one E, the same "
            "whichever of the two is the query; finds more distant relatives (docs/explanation/context-scores.md)",
            default=False,
            flag=True,
            path="both_directions",
        ),
    ),
    "scoring",
)
LIMITS: Final = Group(
    (
        Option(
            ("--top", "-k", "--max-target-seqs"),
            "hits per query at most (default: 500)",
            "N",
            int,
            500,
            path="limits.top",
        ),
        Option(
            ("--evalue", "-e", "-E"),
            "hits up to this E-value (default: 10)",
            "E",
            float,
            10.0,
            path="limits.max_evalue",
        ),
        Option(
            ("--min-score",),
            "minimum raw score (all limits must be met)",
            "SCORE",
            int,
            0,
            path="limits.minimums.score",
        ),
        Option(
            ("--min-identity",),
            f"hits with this identity at least, of the columns (perc_identity of BLAST; {HOW}); the hits of the list "
            "are aligned for it",
            "SHARE",
            percent,
            0.0,
            path="limits.minimums.identity",
            show=typed,
            notice=read_as_share,
        ),
        Option(
            ("--min-coverage",),
            "hits that cover this part of the whole query at least (qcov_hsp_perc of BLAST); likewise",
            "SHARE",
            percent,
            0.0,
            path="limits.minimums.coverage",
            show=typed,
            notice=read_as_share,
        ),
        Option(
            ("--dbsize",),
            "database size E refers to (default: its own)",
            "RESIDUES",
            int,
            0,
            path="limits.effective_residues",
        ),
        Option(
            ("--composition",),
            "how E is corrected for the composition of query and subject: not at all, by lambda of the aligned "
            "regions, or by shuffles as well (default: full); scores stay as they are",
            default="full",
            choices=COMPOSITION,
            path="composition",
        ),
        Option(
            ("--mask",),
            "mask stretches of low complexity in the queries (SEG, DUST)",
            default=False,
            flag=True,
            path="mask",
        ),
    ),
    "hits",
)
ALIGNMENTS: Final = Group(
    (
        Option(
            ("--max-hsps",),
            "alignments of a subject at most, of those within the E limit that share no aligned pair (default: 100)",
            "N",
            int,
            100,
            path="max_hsps",
        ),
    ),
    "hits",
)
SHUFFLES: Final = Group(
    (
        Option(("--shuffles",), "Z-values of all hits by N shuffles, into --statistics", "N", int, 0),
        Option(("--shuffle-window",), "shuffle within windows of W", "W", int, 0),
        Option(("--seed",), "seed of the shuffles (default: 1)", read=int, default=1),
    ),
    "hits",
)
TUNED: Final = Group(
    (
        Option(
            ("--no-tuned",),
            "do not use the settings that a sweep found for such queries",
            default=True,
            flag=False,
            dest="tuned",
        ),
    ),
    "engine",
)
AUDITED: Final = Group(
    (
        Option(
            ("--table",),
            "hits of BLAST, DIAMOND or MMseqs2 for the same queries and database: format 6 or 7, or BLAST XML; with "
            "--rule also places of PEPMatch, Cas-OFFinder or CRISPRitz",
            "FILE",
            required=True,
        ),
        Option(
            ("--rule",),
            "compare with the places of a search by rule, which is repeated from this certificate",
            "CERT.json",
        ),
        out_option("where to write the comparison"),
        table_format(),
        *METADATA,
        Option(("--comments",), "begin with # lines that describe how it was made", default=False, flag=True),
    ),
    FILES,
)


def bound_options() -> Iterator[Option]:
    """Yield the options that are bound to fields of `Search`, but for those of its translation."""
    return options_of((PART, ORGANISMS, CONTEXT, LETTERS, STRAND, LIMITS, ALIGNMENTS))


def search_options() -> tuple[Group, ...]:
    """Return the options of ``swgui search``."""
    query, database, *others = INPUT.options
    several = database._replace(
        help="a .swdb file or a sequence file; given again, several are searched as one: one ranking, E for all",
        many=True,
    )
    usual = (option._replace(required=False, usual=True) for option in (query, several))
    given = Group((*usual, *others), FILES)
    files = (given, START, PART, SHARE, KEPT, hits_out(FILES), PROFILES_OUT, NUMBERS_OUT, TIMINGS)
    how = TRANSLATION, SCORING, CONTEXT, LETTERS, STRAND
    return *files, ORGANISMS, *how, LIMITS, ALIGNMENTS, ITERATION, SHUFFLES, engine_group(away=True), TUNED


def resume_options() -> Iterator[Option]:
    """Yield the options that say what is searched for, and how: a search that is resumed takes none of them."""
    groups = (START, PART, ORGANISMS, TRANSLATION, SCORING, CONTEXT, LETTERS, STRAND, LIMITS, ALIGNMENTS, ITERATION)
    yield from options_of((Group(tuple(option._replace(required=False) for option in INPUT.options)), *groups))
    yield next(option for option in KEPT.options if option.key == "history")


def audit_options() -> tuple[Group, ...]:
    """Return the options of ``swgui audit``."""
    asked = tuple(option._replace(required=False, usual=True) for option in INPUT.options[:2])
    return (
        INPUT._replace(options=(*asked, *INPUT.options[2:])),
        PART,
        AUDITED,
        ORGANISMS,
        TRANSLATION,
        SCORING,
        STRAND,
        LIMITS,
        engine_group(),
    )


def databases_of(arguments: argparse.Namespace) -> list[Path]:
    """Return the databases that the arguments name."""
    given = arguments.database
    return [Path(name) for name in (given if isinstance(given, list) else [given])]


def with_places(request: SearchRequest, places: Sequence[Path]) -> SearchRequest:
    """Return a request of several databases as one, if several are named."""
    return replace(request, database=tuple(places)) if len(places) > 1 else request


def query_kind(arguments: argparse.Namespace) -> Alphabet | None:
    """Return the kind of query that ``--program`` takes; None where that is left open."""
    program = _asked_program(arguments)
    return program.query if program is not None else None


def _asked_program(arguments: argparse.Namespace) -> Program | None:
    name = getattr(arguments, "program", None)
    return next((program for program in PROGRAMS.values() if program.name == name), None)


def request_of(
    arguments: argparse.Namespace,
    queries: Sequence[SequenceRecord],
    alphabet: Alphabet,
    database: Path | EncodedDatabase | None = None,
    left_out: Callable[[str], object] = lambda sentence: None,
) -> SearchRequest:
    """Return the requested search.

    Parameters
    ----------
    arguments : Namespace
        With the values of `INPUT`, `ORGANISMS`, `TRANSLATION`, `SCORING`, `STRAND`, `LIMITS` and `engine_group`.
    queries : sequence of SequenceRecord
        What the file of the queries holds.
    database : Path or EncodedDatabase, optional
        What is searched, in place of what the arguments name.
    left_out : callable
        Told in a sentence which queries are too short to be translated; the others are searched with.

    Raises
    ------
    InvalidParameter, MatrixError
        If it cannot be carried out.
    """
    place = databases_of(arguments)[0] if database is None else database
    program = _asked_program(arguments)
    expected = program.database if program is not None else None
    kind = place.alphabet if isinstance(place, EncodedDatabase) else kind_of_database(place, expected)
    translation = choose_translation(arguments, alphabet, kind)
    scored = alphabet if translation is None else translation.of.scored
    part = QueryRange.read(arguments.query_range)
    queries, too_short = readable_queries(queries, part, translation)
    if too_short:
        left_out(too_short)
    search = Search(
        scheme=choose_scheme(arguments, scored),
        translation=translation,
        strand="both" if scored.complements else "plus",
        beside=beside_of(arguments, queries),
        max_hsps=1,  # `swgui audit` compares hits, not alignments
        engine=engine_name(arguments),
        options=engine_options(arguments),
    )
    return SearchRequest(tuple(queries), place, replaced(search, asked(bound_options(), arguments)))


def beside_of(arguments: argparse.Namespace, queries: Sequence[SequenceRecord]) -> TrackSettings | None:
    """Return the requested gap costs of a second track, and the other settings of its alphabet.

    None where no query has letters, or their alphabet has no file.
    """
    letters = next((query.letters for query in queries if query.letters is not None), None)
    record = alphabet_record(letters.alphabet) if letters is not None else None
    if record is None:
        return None
    gaps = {name: getattr(arguments, name) for name in ("gap_open", "gap_extend")}
    return replace(record.beside, **{name: value for name, value in gaps.items() if value is not None})


def search_command(request: SearchRequest, query: Path, database: Path | tuple[Path, ...], matrix: str) -> str:
    """Return the terminal command for a search; `request_of` and `with_rounds` make the same search of it.

    Parameters
    ----------
    query, database : Path
        Files that hold them; several databases that are searched as one as a tuple.
    matrix : str
        The matrix as settings keep it: a name, a file, or ``+2/-3``.
    """
    return command_line("search", search_options(), search_values(request, query, database, matrix))


def search_call(request: SearchRequest, query: Path, database: Path | tuple[Path, ...], matrix: str) -> str:
    """Return the same search in Python; parameters as of `search_command`."""
    return python_call("search", search_options(), search_values(request, query, database, matrix), _GIVEN)


def search_values(
    request: SearchRequest, query: Path, database: Path | tuple[Path, ...], matrix: str
) -> dict[str, object]:
    """Return the values of the options, by `Option.key`; parameters as of `search_command`."""
    search = request.search
    return {
        "query": query,
        "database": database,
        "type": search.query_alphabet.name,
        **shown((*TRANSLATION.options, *bound_options()), search),
        **scoring_values(search.scheme, matrix),
        **({} if search.scheme.alphabet.complements else {"strand": None}),
        **iteration_values(request),
        **engine_values(search.engine, search.options),
    }
