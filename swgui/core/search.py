"""Everything that decides a search, in one record.

A request asks for one, a result records it, and saved searches, journals and the history keep it whole: none of them
names its fields. A new parameter is a field here, an option (`swgui.commands.search`), a line of the manual, and a line
of `swgui.gui.search.fields` if it is to have a control.
"""

from __future__ import annotations

from typing import Final, Literal

import msgspec

from swgui.core.alphabet import Alphabet
from swgui.core.circular import Circles
from swgui.core.contexts import NO_CONTEXT
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.limits import Limits
from swgui.core.organisms.limit import EVERY_ORGANISM, OrganismLimit
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.query_range import QueryRange
from swgui.core.scoring import ScoringScheme, TrackSettings, check_same_alphabet, check_strand
from swgui.core.translation.programs import Translation

Strand = Literal["both", "plus", "minus"]
STRANDS: Final[dict[Strand, tuple[int, ...]]] = {"plus": (1,), "minus": (-1,), "both": (1, -1)}
Correction = Literal["none", "lambda", "full"]


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters of a search: the scoring of queries and the limits of the list.

    Parameters
    ----------
    strand : {"plus", "minus", "both"}
        Which strands of a nucleotide query are searched.
    translation : Translation, optional
        That this is a translated search, and how; the scheme is one of proteins, and `strand` does not matter.
    query_range : QueryRange, optional
        Search with these residues of every query alone; positions stay those of the whole query.
    mask : bool
        Replace stretches of low complexity in the queries by the wildcard (SEG for proteins, DUST for
        nucleotides); this changes scores, so it is off unless asked for.
    beside : TrackSettings, optional
        Weights and gap costs if queries and database have letters of a second track; those of the alphabet's file
        without it.
    context : str
        Scores of each query by its residues and those around them, by the library ``own`` or that of a file; ``none``
        for the matrix alone. Such scores are in eighths of a bit, and have gap costs of their own.
    both_directions : bool
        Score the profile of each hit by its own context against the query, too; E is then that of both directions.
    subject_context : str
        Library of these profiles, of a search that was scored; `context` otherwise.
    circles : Circles
        Which records of the database are read as circular, across their origins; of a search that was scored, how far.
    organisms : OrganismLimit
        Which organisms of the database are searched; E refers to them alone unless the limits say otherwise.
    composition : {"none", "lambda", "full"}
        How E is corrected for composition: not, by lambda alone, or by shuffles as well.
    max_hsps : int
        Alignments of a subject at most.
    iteration : IterationSettings, optional
        That this is a search in rounds, and how.
    engine : str
        ``auto``, ``cuda``, ``cpu``, ``reference`` or that of a package.
    keep_scores : bool
        Keep the score of every subject (4 bytes each).

    Raises
    ------
    InvalidParameter
        If that makes no sense, whatever the queries are.
    """

    scheme: ScoringScheme
    strand: Strand = "plus"
    translation: Translation | None = None
    query_range: QueryRange | None = None
    mask: bool = False
    beside: TrackSettings | None = None
    context: str = NO_CONTEXT
    both_directions: bool = False
    subject_context: str = NO_CONTEXT
    circles: Circles = Circles()
    organisms: OrganismLimit = EVERY_ORGANISM
    limits: Limits = msgspec.field(default_factory=Limits)
    composition: Correction = "full"
    max_hsps: int = 100
    iteration: IterationSettings | None = None
    engine: str = "auto"
    options: EngineOptions = msgspec.field(default_factory=EngineOptions)
    keep_scores: bool = True

    def __post_init__(self) -> None:
        if self.max_hsps < 1:
            message = f"{self.max_hsps} alignments of a subject are none."
            raise InvalidParameter("max_hsps", self.max_hsps, message, hint="Ask for 1 or more.")
        check_strand(self.strand, self.scheme.alphabet)
        if self.translation is not None:
            check_same_alphabet(self.translation.of.scored, self.scheme.alphabet, "matrix")

    @property
    def strands(self) -> tuple[int, ...]:
        """Strands searched, 1 for plus and -1 for minus; of translated searches the readings."""
        return strands_of(self.strand, self.translation)

    @property
    def query_alphabet(self) -> Alphabet:
        """The kind of sequence of the queries."""
        return self.scheme.alphabet if self.translation is None else self.translation.of.query

    @property
    def database_alphabet(self) -> Alphabet:
        """The kind of sequence the database must hold."""
        return self.scheme.alphabet if self.translation is None else self.translation.of.database


def strands_of(strand: Strand, translation: Translation | None) -> tuple[int, ...]:
    """Return the strands that are searched, or the readings of a translated search."""
    return STRANDS[strand] if translation is None else translation.readings


def about_search(search: Search) -> str:
    """Return the differences of a search from others of its query: ``3 rounds, profiles of BLOSUM62``."""
    scheme, how = search.scheme, search.translation
    parts = ["by shape"] if scheme.matrix.of_residues is not scheme.matrix else []
    parts += [f"up to {search.iteration.rounds} rounds"] if search.iteration is not None else []
    parts += ["context scores"] if search.context != NO_CONTEXT else []
    parts += ["both directions"] if search.both_directions else []
    parts += [how.program] if how is not None else []
    parts += [f"frameshifts {how.shift}"] if how is not None and how.shift else []
    parts += [f"only {', '.join(search.organisms.only)}"] if search.organisms.only else []
    parts += [f"without {', '.join(search.organisms.without)}"] if search.organisms.without else []
    parts += ["circular records"] if search.circles.which == "all" else []
    parts += [f"residues {search.query_range}"] if search.query_range is not None else []
    by_profiles = search.iteration is not None or search.context != NO_CONTEXT
    return ", ".join([*parts, _of_profiles(scheme) if by_profiles else _short(scheme)])


def about_pair(mode: str, scheme: ScoringScheme) -> str:
    """Return the differences of a pair's alignment from others of the same two: ``local, +2/-3 5/2``."""
    return f"{mode}, {_short(scheme)}"


def _of_profiles(scheme: ScoringScheme) -> str:
    """Return the matrix that profiles are made of: they have gap costs of their own in place of those of the scheme."""
    from swgui.core.profiles.log_odds import IN_UNITS  # here: few searches have profiles

    return f"profiles of {scheme.matrix.of_residues.name.partition(IN_UNITS)[0]}"


def _short(scheme: ScoringScheme) -> str:
    return f"{scheme.matrix.of_residues.name} {scheme.gap_open}/{scheme.gap_extend}"
