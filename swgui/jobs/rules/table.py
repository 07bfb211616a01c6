"""Places that meet a rule as a table, with the two rows of their alignments."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from swgui.core.database import EncodedDatabase
from swgui.core.rules.guides import SEED
from swgui.core.rules.matching import masks
from swgui.core.rules.places import Places, denominators
from swgui.core.rules.request import RuleRequest
from swgui.core.table import TEXTS, Column, Table, Value, Values
from swgui.core.translation.frames import translate
from swgui.engines.rules.host import fit_columns
from swgui.io.cells import listed_names, sequence_names
from swgui.jobs.rules.circles import circles_of, ends_of, joins_of, residues_of
from swgui.jobs.rules.frames import frames_of
from swgui.jobs.rules.products import bases_of

GAP: Final = "-"
FLANK: Final = 10  # residues on either side of a place that tables show
PART: Final = 16  # places that are read together, at most
PART_SECONDS: Final = 0.05  # that a part takes to be written, about: Stop comes between two of them
ROWS: Final = ("qseq", "sseq", "seed", "differing", "before", "behind")  # columns that take much longer than the others
FRAME: Final[Column[PlaceRows]] = Column(
    "sframe", "Frame", "Frame of the database that was read, -1 to -3 on the opposite strand.", "integer",
    read=lambda rows: frames_of(rows.places, rows.database.lengths_of(rows.places.subject)),
)  # fmt: skip
FASTA: Final[Column[PlaceRows]] = Column(
    "fasta_identity", "FASTA", "Identity of the alignment with the best score of this window, as FASTA gives it: "
    "BLOSUM50, a gap of k residues costs 10 + 2k; over 80 residues at least.", "real", unit="%", decimals=2,
    read=lambda rows: [None] * len(rows) if rows.fasta is None else 100.0 * rows.fasta,
)  # fmt: skip


def as_rows(query: str, part: str, columns: str) -> tuple[str, str]:
    """Return the residues of query and subject in so many columns, gaps as dashes."""
    residues, others = iter(query), iter(part)
    upper = "".join(GAP if column == "I" else next(residues) for column in columns)
    lower = "".join(GAP if column == "D" else next(others) for column in columns)
    return upper, lower


class PlaceNames(NamedTuple):
    """Names of queries and subjects in files, no two equal on either side."""

    queries: Sequence[str]
    subjects: Mapping[int, str]  # by source index; of those with a place


def place_names(request: RuleRequest, database: EncodedDatabase, places: Places) -> PlaceNames:
    """Return the names that tables of some places have: equal ones have their number in their file behind them."""
    return PlaceNames(sequence_names(request.names), listed_names(database.ids, places.subject.tolist()))


@dataclass(frozen=True, eq=False)
class PlaceRows:
    """Some places, and what is read of them.

    Parameters
    ----------
    fasta : ndarray, shape=(k,), optional
        Of an allergen check: the identity that FASTA would give (`fasta_identities`).
    """

    request: RuleRequest
    database: EncodedDatabase
    places: Places
    names: PlaceNames
    fasta: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.places)

    @cached_property
    def ends(self) -> NDArray[np.int64]:
        """First and last position of each place in its subject, from 1, shape=(2, k)."""
        return np.stack([self.places.start + 1, ends_of(self.places, self.database)])

    @cached_property
    def aligned(self) -> list[tuple[str, str]]:
        """Both rows of the alignment of each place, in the direction of its query; empty of primers."""
        if self.request.rule.paired:
            return [("", "")] * len(self)
        alphabet = self.request.alphabet
        queries = self.request.queries  # maybe a million of them, and few have places among these
        codes = {index: alphabet.encode(queries[index].residues) for index in set(self.places.query.tolist())}
        matching = np.zeros(32, np.uint32)
        matching[: len(alphabet)] = masks(self.request.match_table())
        turned = str.maketrans(dict(alphabet.complements)) if alphabet.complements else {}
        made = []
        for row in range(len(self)):
            pair = self._aligned(row, codes, matching)
            minus = self.places.strand[row] < 0 and not self.request.frames
            made.append((pair[0].translate(turned)[::-1], pair[1].translate(turned)[::-1]) if minus else pair)
        return made

    @cached_property
    def differing(self) -> list[list[int]]:
        """Positions of the query, from 1, that do not match, of each place; an insertion counts as that before it."""
        alphabet = self.request.alphabet
        matches = self.request.match_table()
        found = []
        for (upper, lower), start in zip(self.aligned, self.places.query_start.tolist(), strict=True):
            position, positions = start, []
            for a, b in zip(upper, lower, strict=True):
                position += a != GAP
                if GAP in (a, b) or not matches[alphabet.letters.index(a), alphabet.letters.index(b)]:
                    positions.append(max(position, 1))
            found.append(positions)
        return found

    def _aligned(
        self, row: int, codes: Mapping[int, NDArray[np.uint8]], matching: NDArray[np.uint32]
    ) -> tuple[str, str]:
        """Return both rows of the alignment of one place, the subject as it is stored."""
        places, request, alphabet = self.places, self.request, self.request.alphabet
        plus = places.strand[row] > 0
        part = residues_of(self.database, int(places.subject[row]), int(places.start[row]), int(places.end[row]))
        part = translate(part, 1 if plus else -1, request.code) if request.frames else part
        query = codes[int(places.query[row])][int(places.query_start[row]) : int(places.query_end[row])]
        query = query if plus or request.frames else alphabet.reverse_complement(query)
        counts = int(places.insertions[row]), int(places.deletions[row])
        same, total = int(places.matches[row]), int(places.columns[row])
        columns = fit_columns(query, part, matching, *counts, request.rule.best_weights(same, total))
        return as_rows(alphabet.decode(query).decode(), alphabet.decode(part).decode(), columns)


def _end(side: int) -> Callable[[PlaceRows], Values]:
    """Return a getter of the first (0) or last position (1) of places in the direction of their query."""
    return lambda rows: np.where(rows.places.strand > 0, rows.ends[side], rows.ends[1 - side])


def _of(name: str) -> Callable[[PlaceRows], Values]:
    return lambda rows: getattr(rows.places, name)


def _rule(rows: PlaceRows) -> Any:
    """Return the rule, with the fields that only the rule of a column has."""
    return rows.request.rule


def _pam(rows: PlaceRows) -> list[Value]:
    """Return the bases where the PAM of each site stands, in the direction of the guide."""
    places, alphabet = rows.places, rows.request.alphabet
    rule = _rule(rows)
    size, made = len(rule.pam), list[Value]()
    for row, strand in enumerate(places.strand.tolist()):
        start = int(places.end[row]) if rule.behind(strand) else int(places.start[row]) - size
        codes = residues_of(rows.database, int(places.subject[row]), start, start + size)
        codes = codes if strand > 0 else alphabet.reverse_complement(codes)
        made.append(alphabet.decode(codes).decode())
    return made


def _seed(rows: PlaceRows) -> NDArray[np.int64]:
    """Return how many differences each site has in the seed of its guide."""
    guides, numbers = rows.request.queries, rows.places.query.tolist()
    rule = _rule(rows)
    seeds = [rule.seed(len(guide.residues)) for guide in guides]
    return np.array(
        [
            sum(position - 1 in seeds[query] for position in positions)
            for query, positions in zip(numbers, rows.differing, strict=True)
        ],
        np.int64,
    )


def _flanks(rows: PlaceRows, *, before: bool) -> list[Value]:
    """Return the residues on one side of each place, none behind the end of a linear sequence."""
    places, alphabet, database = rows.places, rows.request.alphabet, rows.database
    circular, made = circles_of(rows.request, database).among(places.subject), list[Value]()
    for row, strand in enumerate(places.strand.tolist()):
        subject, plus = int(places.subject[row]), strand > 0
        first, last = int(places.start[row]) - FLANK, int(places.end[row]) + FLANK
        first, last = (first, first + FLANK) if before is plus else (last - FLANK, last)
        if not circular[row]:
            first, last = max(first, 0), min(last, int(database.lengths_of(places.subject[row : row + 1])[0]))
        codes = residues_of(database, subject, first, last) if first < last else np.zeros(0, np.uint8)
        codes = codes if plus or not alphabet.complements else alphabet.reverse_complement(codes)
        made.append(alphabet.decode(codes).decode() or None)
    return made


def _melting(rows: PlaceRows, place: int) -> NDArray[np.float64]:
    """Return the melting temperature of one primer of the pair of each place."""
    from swgui.core.melting import melting_range  # here: only tables of primers have it

    queries, expansions = rows.request.queries, rows.request.alphabet.expansions
    found = dict[int, float]()
    for pair in set(rows.places.query.tolist()):
        known = melting_range(queries[2 * pair + place].residues.decode(), expansions)
        found[pair] = known[0] if known else float("nan")
    return np.array([found[pair] for pair in rows.places.query.tolist()], np.float64)


PAM_COLUMN: Final[Column[PlaceRows]] = Column(
    "pam", "PAM", "The bases next to the site where the PAM stands, in the direction of the guide.", "word", read=_pam
)
SEED_COLUMN: Final[Column[PlaceRows]] = Column(
    "seed", "In the seed", f"Differences in the seed, the {SEED} bases of the guide next to its PAM.", "integer",
    read=_seed,
)  # fmt: skip
DIFFERING: Final[Column[PlaceRows]] = Column(
    "differing", "Differing bases", "Positions of the guide that do not match, from 1; a bulge of DNA has the position "
    "before it.", "word", read=lambda rows: [",".join(map(str, found)) or None for found in rows.differing],
)  # fmt: skip
BEFORE: Final[Column[PlaceRows]] = Column(
    "before", "Before", f"The {FLANK} residues before the place, in the direction of the query.", "word",
    read=lambda rows: _flanks(rows, before=True),
)  # fmt: skip
BEHIND: Final[Column[PlaceRows]] = Column(
    "behind", "Behind", f"The {FLANK} residues behind the place, in the direction of the query.", "word",
    read=lambda rows: _flanks(rows, before=False),
)  # fmt: skip
MELTING: Final[tuple[Column[PlaceRows], ...]] = tuple(
    Column(
        f"{which}_tm", f"Tm {which}", f"Melting temperature of the {which} primer in °C, by nearest neighbours "
        "(SantaLucia 1998) with 50 mM sodium, 250 nM primer and no magnesium; the lowest of one with ambiguous bases.",
        "real", decimals=1, read=partial(_melting, place=place),
    )
    for place, which in enumerate(("forward", "reverse"))
)  # fmt: skip
PRACTICE: Final[Column[PlaceRows]] = Column(
    "practice", "By practice", "1 where FASTA's alignment of the window, too, exceeds the identity of the rule.",
    "integer", read=lambda rows: np.zeros(len(rows), np.int64) if rows.fasta is None else (
        rows.fasta > float(_rule(rows).identity)).astype(np.int64),
)  # fmt: skip
PLACE_COLUMNS: Final[tuple[Column[PlaceRows], ...]] = (
    Column("qseqid", "Query", "Name of the query, or of the pair of primers.", "text",
           read=lambda rows: [rows.names.queries[number] for number in rows.places.query.tolist()]),
    Column("sseqid", "Sequence", "Identifier of the sequence of the database.", "text",
           read=lambda rows: [rows.names.subjects[index] for index in rows.places.subject.tolist()]),
    Column("sstart", "Start", "First position of the place, from 1, in the direction of the query: above the end on "
           "the minus strand, and on the plus strand across the origin of a circular record.", "integer", read=_end(0)),
    Column("send", "End", "Last position of the place.", "integer", read=_end(1)),
    Column("sstrand", "Strand", "Plus, or minus where the reverse complement of the query is here.", "word",
           read=lambda rows: np.where(rows.places.strand > 0, "plus", "minus").tolist()),
    Column("differences", "Differences", "Mismatches and gap positions.", "integer", read=_of("differences")),
    Column("identity", "Identity", "Largest identity, over the columns or residues that the rule counts.", "real",
           unit="%", decimals=2,
           read=lambda rows: 100.0 * rows.places.matches / denominators(rows.request.rule, rows.places)),
    Column("mismatch", "Mismatches", "Residues that differ.", "integer", read=_of("mismatches")),
    Column("insertions", "Insertions", "Positions of the sequence that the query lacks; DNA bulges of a guide.",
           "integer", read=_of("insertions")),
    Column("deletions", "Deletions", "Positions of the query that the sequence lacks; RNA bulges of a guide.",
           "integer", read=_of("deletions")),
    Column("qstart", "Query start", "First position of the query, from 1.", "integer",
           read=lambda rows: rows.places.query_start + 1),
    Column("qend", "Query end", "Last position of the query.", "integer", read=_of("query_end")),
    Column("nident", "Identical", "Residues of the query that match.", "integer", read=_of("matches")),
    Column("length", "Columns", "Columns of the alignment.", "integer", read=_of("columns")),
    Column("windows", "Windows", "Windows of the query that exceed the limit.", "integer", read=_of("windows")),
    Column("other_readings", "Other readings",
           "Other readings of the same site, with as many differences or more, that bulges allow.", "integer",
           read=_of("other_readings")),
    Column("join", "Join", "Where the place lies across the origin of a circular record, as GenBank writes it.", "word",
           read=lambda rows: [join or None for join in joins_of(rows.places, rows.database)]),
    Column("place", "Residues of the place", "Those of the sequence, of bases in the direction of the query.", "word",
           read=lambda rows: bases_of(rows.request, rows.database, rows.places), on_request=True),
    Column("size", "Size", "Residues of the place: the length of a product.", "integer",
           read=lambda rows: rows.places.end - rows.places.start, on_request=True),
    Column("qseq", "Query residues", "The aligned part of the query, with gap signs.", "word",
           read=lambda rows: [upper for upper, _ in rows.aligned]),
    Column("sseq", "Sequence residues", "The aligned part of the sequence, with gap signs, in the direction of the "
           "query.", "word", read=lambda rows: [lower for _, lower in rows.aligned]),
)  # fmt: skip


NUMBERS: Final[dict[str, Column[PlaceRows]]] = {
    column.key: column for column in (*PLACE_COLUMNS, FASTA, SEED_COLUMN, PRACTICE) if column.kind not in TEXTS
}  # columns that an answer may choose rows by


def places_table(
    request: RuleRequest, database: EncodedDatabase, places: Places, fasta: NDArray[np.float64] | None = None
) -> Table[PlaceRows]:
    """Return places as a table, some at a time.

    Parameters
    ----------
    fasta : ndarray, shape=(k,), optional
        As of `PlaceRows`.
    """

    def parts() -> Iterator[PlaceRows]:
        names, begin, size = place_names(request, database, places), 0, 1
        while begin < len(places):
            some, since = slice(begin, begin + size), time.monotonic()
            yield PlaceRows(request, database, places.take(some), names, None if fasta is None else fasta[some])
            begin += size
            quick = time.monotonic() - since < PART_SECONDS
            size = min(2 * size, PART) if quick else max(size // 2, 1)

    more = [
        *((PAM_COLUMN, SEED_COLUMN, DIFFERING) if request.rule.beside_pam else ()),
        *((FRAME,) if request.frames else ()),
        *((FASTA,) if fasta is not None else ()),
        *(MELTING if request.rule.paired else () if request.frames else (BEFORE, BEHIND)),
    ]
    return Table([*PLACE_COLUMNS, *more], parts)
