"""What decides a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from swgui.core.alphabet import Alphabet
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.limits import NO_MINIMUMS, Limits, Minimums
from swgui.core.hits.results import Correction, Strand, strands_of
from swgui.core.letters.record import Beside
from swgui.core.letters.tracks import TwoTracks
from swgui.core.organisms.limit import EVERY_ORGANISM, OrganismLimit
from swgui.core.query_range import QueryRange, searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, check_same_alphabet, check_strand
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation
from swgui.core.words import count
from swgui.engines.registry import AUTO


def _has_codon(query: SequenceRecord, part: QueryRange | None, translation: Translation) -> bool:
    return searched_length(query, part) >= CODON - 1 + min(map(abs, translation.frames))


def readable_queries(
    queries: Sequence[SequenceRecord], part: QueryRange | None, translation: Translation | None
) -> tuple[tuple[SequenceRecord, ...], str]:
    """Return the queries that have a codon in a frame that is read, and in a sentence which are left out.

    Where none has one they are returned as they are: a `SearchRequest` of them says so.
    """
    if translation is None or not translation.of.translates_query:
        return tuple(queries), ""
    kept = tuple(query for query in queries if _has_codon(query, part, translation))
    left_out = [query.id for query in queries if not _has_codon(query, part, translation)]
    if not kept or not left_out:
        return tuple(queries), ""
    names = ", ".join(f"'{name}'" for name in left_out[:3]) + (" and others" if len(left_out) > 3 else "")
    return kept, f"{count(len(left_out), 'query has', 'queries have')} no codon to translate; left out: {names}."


@dataclass(frozen=True, eq=False)
class SearchRequest:
    """Everything that decides a search, and what it is called.

    Parameters
    ----------
    queries : tuple of SequenceRecord
        Cleaned, none of them empty; of the scheme's alphabet, or of that which `translation` translates.
    database : Path or EncodedDatabase
        A ``.swdb`` file, a sequence file (converted once, then cached) or an open database.
    scheme : ScoringScheme
    strand : {"plus", "minus", "both"}
        Which strands of a nucleotide query are searched.
    top : int
        Hits per query at most.
    max_evalue : float
        Hits with a higher E-value are left out; without statistics it has no effect.
    engine : str
        ``auto``, ``cuda``, ``cpu`` or ``reference``.
    options : EngineOptions
    keep_scores : bool
        Keep the score of every subject (4 bytes each).
    effective_residues : int
        Size of the database E refers to; 0 for its own.
    mask : bool
        Replace stretches of low complexity in the queries by the wildcard (SEG for proteins, DUST for
        nucleotides); this changes scores, so it is off unless asked for.
    composition : {"none", "lambda", "full"}
        How E is corrected for composition: not, by lambda alone, or by shuffles as well.
    max_hsps : int
        Alignments of a subject at most.
    query_range : QueryRange, optional
        Search with these residues of every query alone; positions stay those of the whole query.
    organisms : OrganismLimit
        Which organisms of the database are searched; E refers to them alone unless `effective_residues` is given.
    minimums : Minimums
        What hits must reach besides E; identity and coverage are seen once the listed hits are aligned.
    translation : Translation, optional
        That this is a translated search, and how; the scheme is one of proteins, and `strand` does not matter.
    beside : Beside, optional
        Weights and gap costs where queries and database have letters beside their residues; those of the alphabet's
        file without it.
    name : str
        What the user calls the run; empty for the name of its queries.
    run_id : str
        Id of the run in the history that is resumed; empty for a new one.
    """

    queries: tuple[SequenceRecord, ...]
    database: Path | EncodedDatabase
    scheme: ScoringScheme
    strand: Strand = "plus"
    top: int = 500
    max_evalue: float = 10.0
    engine: str = "auto"
    options: EngineOptions = field(default_factory=EngineOptions)
    keep_scores: bool = True
    effective_residues: int = 0
    mask: bool = False
    composition: Correction = "full"
    max_hsps: int = 100
    query_range: QueryRange | None = None
    organisms: OrganismLimit = EVERY_ORGANISM
    minimums: Minimums = NO_MINIMUMS
    translation: Translation | None = None
    beside: Beside | None = None
    name: str = ""
    run_id: str = ""

    def __post_init__(self) -> None:
        if not self.queries:
            raise InvalidParameter("queries", 0, "There is no query.", hint="Add a sequence first.")
        for query in self.queries:
            if not query.residues:
                raise InvalidParameter("queries", query.id, f"The query '{query.id}' has no residues.")
            if self.query_range is not None:
                self.query_range.check(query)
        if self.max_hsps < 1:
            message = f"{self.max_hsps} alignments of a subject are none."
            raise InvalidParameter("max_hsps", self.max_hsps, message, hint="Ask for 1 or more.")
        _ = self.limits  # checks them
        check_strand(self.strand, self.scheme.alphabet)
        if self.translation is not None:
            self._check_frames(self.translation)
        self._check_score_limit()

    @property
    def limits(self) -> Limits:
        """What decides which subjects are listed; `InvalidParameter` if that makes no sense."""
        return Limits(self.top, self.max_evalue, self.effective_residues, self.minimums)

    def _check_frames(self, translation: Translation) -> None:
        """Raise `InvalidParameter` if a query has no codon in any frame that is read."""
        check_same_alphabet(translation.of.scored, self.scheme.alphabet, "matrix")
        if translation.shift:
            self._check_shift()
        for query in self.queries if translation.of.translates_query else ():
            if not _has_codon(query, self.query_range, translation):
                bases = count(searched_length(query, self.query_range), "base")
                raise InvalidParameter(
                    "queries",
                    query.id,
                    f"The query '{query.id}' has {bases}, which is no codon to translate.",
                    hint="Leave it out, or choose other frames.",
                )

    def _check_shift(self) -> None:
        """Raise `InvalidParameter` if engine or queries cannot do with frameshifts."""
        if self.engine != AUTO:
            from swgui.engines.shifted import check_engine  # here: few searches have frameshifts

            check_engine(self.engine)
        named = next((query for query in self.queries if query.profile is not None), None)
        if named is not None:
            raise InvalidParameter(
                "frameshift",
                named.id,
                f"'{named.id}' is a profile, which cannot be searched with frameshifts.",
                hint="Search with its sequence, or leave out the frameshifts.",
            )

    def _check_score_limit(self) -> None:
        """Raise `InvalidParameter` if no query can reach the score limit, whatever the database holds."""
        limit = self.minimums.score
        lettered = any(query.letters is not None for query in self.queries)
        if not limit or (lettered and not isinstance(self.scheme.alphabet, TwoTracks)):  # more may be scored than these
            return
        best = self.scheme.matrix.scores.max(axis=1).clip(0)
        highest = max(
            int(
                best[encode_part(query, self.scheme, strand, self.query_range, self.translation).codes].sum(
                    dtype=np.int64
                )
            )
            for query in self.queries
            for strand in self.strands
        )
        if limit > highest:
            raise InvalidParameter(
                "min_score", limit, f"No subject can have a score of {limit:,}: the queries allow {highest:,} at most."
            )

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Residues of each query that are searched with."""
        return tuple(searched_length(query, self.query_range, self.translation) for query in self.queries)

    @property
    def strands(self) -> tuple[int, ...]:
        """Strands searched, 1 for plus and -1 for minus; of translated searches the readings."""
        return strands_of(self.strand, self.translation)

    @property
    def database_alphabet(self) -> Alphabet:
        """The kind of sequence the database must hold."""
        return self.scheme.alphabet if self.translation is None else self.translation.of.database

    @property
    def query_alphabet(self) -> Alphabet:
        """The kind of sequence of the queries."""
        return self.scheme.alphabet if self.translation is None else self.translation.of.query
