"""The request for a search."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN, Alphabet, TwoTracks
from swgui.core.contexts import NO_CONTEXT
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.query_range import QueryRange, searched_length
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme
from swgui.core.search import Search
from swgui.core.translation.genetic_codes import CODON
from swgui.core.translation.programs import Translation
from swgui.core.words import count
from swgui.engines.registry import AUTO

if TYPE_CHECKING:
    from swgui.core.profiles.alignment import MasterAlignment


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


class SearchRequest(msgspec.Struct, frozen=True, eq=False, dict=True):
    """The request for a search: queries, database and name.

    Parameters
    ----------
    queries : tuple of SequenceRecord
        Cleaned, none of them empty; of the scheme's alphabet, or of that which the search translates.
    database : Path, tuple of Path, or EncodedDatabase
        A ``.swdb`` file, a sequence file (converted once, then cached) or an open database; files as one database.
    search : Search
        In rounds the frequencies behind its matrix give the scores of the first round and the pseudocounts; its gap
        costs and its correction for composition are not used.
    build_database : Path or EncodedDatabase, optional
        In rounds the database whose sequences make the profiles; that of the search if not given.
    starts : mapping of int to MasterAlignment
        Alignments that the first round searches with a profile of, by the position of the query.
    before : SearchResult, optional
        The same search in rounds as far as it came: it continues behind its last whole round.
    queries_masked : bool
        That the queries were masked before, as `search.mask` asks for.
    name : str
        What the user calls the run; empty for the name of its queries.
    run_id : str
        Id of the run in the history that is resumed; empty for a new one.

    Raises
    ------
    InvalidParameter
        If it cannot be carried out, whatever the database holds.
    ProfileError
        If it has rounds, and no frequencies follow from its matrix.
    """

    queries: tuple[SequenceRecord, ...]
    database: Path | tuple[Path, ...] | EncodedDatabase
    search: Search
    build_database: Path | EncodedDatabase | None = None
    starts: Mapping[int, MasterAlignment] = msgspec.field(default_factory=dict)
    before: SearchResult | None = None
    queries_masked: bool = False
    name: str = ""
    run_id: str = ""

    def __post_init__(self) -> None:
        if not self.queries:
            raise InvalidParameter("queries", 0, "There is no query.", hint="Add a sequence first.")
        for query in self.queries:
            if not query.residues:
                raise InvalidParameter("queries", query.id, f"The query '{query.id}' has no residues.")
            if self.search.query_range is not None:
                self.search.query_range.check(query)
        if self.translation is not None:
            self._check_frames(self.translation)
        if self.search.iteration is not None:
            self._check_rounds()
        if self.search.context != NO_CONTEXT:
            self._check_context()
        if self.search.both_directions:
            self._check_directions()
        self._check_score_limit()

    @property
    def database_name(self) -> str:
        """Name of the database as far as it is known before it is open."""
        if isinstance(self.database, EncodedDatabase):
            return self.database.name
        places = self.database if isinstance(self.database, tuple) else (self.database,)
        from swgui.io.unpacking import plain_name  # here: of a database that is not open

        return " + ".join(plain_name(place.name) for place in places)

    @property
    def scheme(self) -> ScoringScheme:
        """The parameters that decide a score."""
        return self.search.scheme

    @property
    def translation(self) -> Translation | None:
        """How the search translates."""
        return self.search.translation

    def _check_frames(self, translation: Translation) -> None:
        """Raise `InvalidParameter` if a query has no codon in any frame that is read."""
        if translation.shift:
            self._check_shift()
        for query in self.queries if translation.of.translates_query else ():
            if not _has_codon(query, self.search.query_range, translation):
                bases = count(searched_length(query, self.search.query_range), "base")
                raise InvalidParameter(
                    "queries",
                    query.id,
                    f"The query '{query.id}' has {bases}, which is no codon to translate.",
                    hint="Leave it out, choose other frames, or say that it is a protein (--type protein).",
                )

    def _check_shift(self) -> None:
        """Raise `InvalidParameter` if engine or queries cannot do with frameshifts."""
        if self.search.engine != AUTO:
            from swgui.engines.shifted import check_engine  # here: few searches have frameshifts

            check_engine(self.search.engine)
        named = next((query for query in self.queries if query.profile is not None), None)
        if named is not None:
            raise InvalidParameter(
                "frameshift",
                named.id,
                f"'{named.id}' is a profile, which cannot be searched with frameshifts.",
                hint="Search with its sequence, or leave out the frameshifts.",
            )

    def _check_rounds(self) -> None:
        """Raise `InvalidParameter` or `ProfileError` if there can be no rounds; letters of queries are left out."""
        if self.translation is not None:
            raise InvalidParameter(
                "rounds",
                self.translation.program,
                "Searching in rounds translates nothing: profiles are made of proteins.",
                hint="Search proteins in rounds first, save the profile, and begin with that.",
            )
        self._check_profiles(self.scheme.alphabet)
        if any(query.letters is not None for query in self.queries):  # profiles are made of residues alone
            queries = tuple(replace(query, letters=None) for query in self.queries)
            msgspec.structs.force_setattr(self, "queries", queries)
            msgspec.structs.force_setattr(self, "search", replace(self.search, beside=None))
        for index, alignment in self.starts.items():
            query = self.queries[index]
            if alignment.columns != len(query.residues):
                columns = f"{alignment.columns} columns for {len(query.residues)} residues"
                raise InvalidParameter("starts", query.id, f"The alignment of '{query.id}' has {columns}.")
        from swgui.core.profiles.bases import check_bases, matrix_behind  # here, as below: most searches are no rounds
        from swgui.core.profiles.log_odds import in_eighths_of_bits

        in_eighths_of_bits(matrix_behind(self.scheme.matrix))  # so that one without frequencies is refused at once
        for query in self.queries if self.scheme.alphabet.name == NUCLEOTIDE.name else ():
            check_bases(query)

    def _check_profiles(self, alphabet: Alphabet) -> None:
        """Raise `InvalidParameter` if queries of an alphabet have no profiles, or no further evidence."""
        from swgui.core.profiles.recipe import PRESETS_OF

        assert self.search.iteration is not None
        if alphabet.name not in PRESETS_OF:
            raise InvalidParameter(
                "rounds",
                alphabet.name,
                f"Profiles are made of proteins and nucleotides; the queries are of the alphabet '{alphabet.name}'.",
            )
        if alphabet.name != PROTEIN.name and self.search.iteration.evidence:
            raise InvalidParameter(
                "evidence",
                alphabet.name,
                "Further evidence on hits is for proteins; the queries are nucleotides.",
                hint="Leave it out.",
            )

    def _check_context(self) -> None:
        """Raise `InvalidParameter` or `ProfileError` if queries can have no scores by context."""
        alphabet, how, context = self.search.query_alphabet.residue_alphabet, self.translation, self.search.context
        if alphabet.name != PROTEIN.name and (how is None or not how.of.translates_query):
            raise InvalidParameter(
                "context",
                context,
                f"Context scores are of proteins; the queries are {alphabet.name}s.",
                hint="Leave them out, or translate the queries (blastx, tblastx).",
            )
        if how is not None and how.shift:
            raise InvalidParameter(
                "context", context, "Context scores do not go with frameshifts.", hint="Leave out one of them."
            )
        if self.starts:
            raise InvalidParameter(
                "context",
                context,
                "A search that begins with an alignment has the scores of its profile, and no context scores.",
                hint="Leave out one of them.",
            )
        from swgui.core.profiles.log_odds import in_eighths_of_bits  # here, as below: few searches have context scores

        in_eighths_of_bits(self.scheme.matrix)

    def _check_directions(self) -> None:
        """Raise `InvalidParameter` if both directions of a pair are the same, or the other one is not known."""
        search = self.search
        reasons = {
            "Both directions have the same score by a matrix.": (
                search.context == search.subject_context == NO_CONTEXT,
                "Add context scores (--context own), or leave them out.",
            ),
            "Both directions are of proteins with proteins, which need no translation.": (
                search.translation is not None,
                "Search the proteins of these sequences, or leave out one of them.",
            ),
            "Both directions are of one round: the profiles of later rounds are those of the hits.": (
                search.iteration is not None,
                "Leave out one of them.",
            ),
        }
        for sentence, (given, hint) in reasons.items():
            if given:
                raise InvalidParameter("both_directions", True, sentence, hint=hint)

    def _check_score_limit(self) -> None:
        """Raise `InvalidParameter` if no query can reach the score limit, whatever the database holds."""
        limit = self.search.limits.minimums.score
        lettered = any(query.letters is not None for query in self.queries)
        more = lettered and not isinstance(self.scheme.alphabet, TwoTracks)  # more may be scored than these residues
        if not limit or more or self.search.context != NO_CONTEXT:
            return
        best = self.scheme.matrix.scores.max(axis=1).clip(0)
        highest = max(
            int(
                best[encode_part(query, self.scheme, strand, self.search.query_range, self.translation).codes].sum(
                    dtype=np.int64
                )
            )
            for query in self.queries
            for strand in self.search.strands
        )
        if limit > highest:
            raise InvalidParameter(
                "min_score", limit, f"No subject can have a score of {limit:,}: the queries allow {highest:,} at most."
            )

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        """Residues of each query that are searched with."""
        return tuple(searched_length(query, self.search.query_range, self.translation) for query in self.queries)
