"""The comparison of sequences all against all that is requested: of one set, or of two."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.alphabet import PROTEIN
from swgui.core.contexts import NO_CONTEXT, context_said
from swgui.core.database import ArrayDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import InvalidParameter
from swgui.core.network.edges import Edges, lengths_of
from swgui.core.scoring import ScoringScheme
from swgui.core.statistics.evalue import KarlinAltschul
from swgui.core.words import count
from swgui.engines import registry
from swgui.engines.host import memory
from swgui.io.statistics import load_statistics
from swgui.jobs.network.scoring import PairScoring

STRANDS: Final = {"both": (1, -1), "plus": (1,)}
USUAL: Final = 10.0  # up to this E the pairs by chance are few
PAIR_BYTES: Final = 100  # of a pair that is kept, while pairs are put in order


@dataclass(frozen=True, slots=True, eq=False)
class AllAgainstAll:
    """All requested pairs.

    Parameters
    ----------
    queries, subjects : ArrayDatabase
        The same object for all pairs of one set.
    evalue : float
        Pairs up to it are kept.
    space : (float, float), optional
        Residues and sequences that E refers to: those of all sequences that are compared if not given.
    strand : {"", "both", "plus"}
        Of nucleotides; empty is both of them, or what proteins have.
    context : str
        Library of contexts: ``own``, a file, or ``none``. Each sequence then has scores by its surroundings, a pair is
        scored in both directions, and has one E of both. Matrix and gap costs of the scheme are not used, but for
        other symbols than the 20 residues.

    Raises
    ------
    InvalidParameter
        If there are no sequences, no E-value is known for the scheme, a pair has no single score by it, the limit is no
        number above 0, the pairs within it may not fit in memory, or the request is for a strand of proteins.
    """

    queries: ArrayDatabase = field(repr=False)
    subjects: ArrayDatabase = field(repr=False)
    scheme: ScoringScheme
    evalue: float
    engine: str = registry.AUTO
    options: EngineOptions = field(default_factory=EngineOptions)
    space: tuple[float, float] | None = None
    strand: str = ""
    context: str = NO_CONTEXT
    scoring: PairScoring = field(init=False, repr=False)

    def __post_init__(self) -> None:
        for database in (self.queries, self.subjects):
            if not len(database):
                raise InvalidParameter("fasta", database.name, f"'{database.name}' holds no sequence.")
        if not 0 < self.evalue < np.inf:
            raise InvalidParameter(
                "evalue",
                self.evalue,
                f"The limit of E must be a number above 0, not {self.evalue:g}.",
                hint="10 is usual; 1e99 keeps every pair that has an alignment.",
            )
        self._check_room()
        self._check_strand()
        if self.context == NO_CONTEXT:
            self._check_matrix()
        elif self.scheme.alphabet.name != PROTEIN.name:
            raise InvalidParameter(
                "context",
                self.context,
                f"Sequences have scores by context where they are proteins; these are {self.scheme.alphabet.name}s.",
                hint="Leave out --context.",
            )
        object.__setattr__(self, "scoring", PairScoring(self.scheme, self.context, self.options.threads))

    def _check_matrix(self) -> None:
        """Refuse scores without published E-values, and a matrix by which a pair has no single score."""
        if load_statistics(self.scheme) is None:
            raise InvalidParameter(
                "matrix",
                self.scheme.matrix.name,
                f"No E-values are published for {self.scheme.describe()}.",
                hint="Take a matrix and gap costs that BLAST has, such as BLOSUM62 with 11/1.",
            )
        matrix = self.scheme.matrix
        if not np.array_equal(matrix.scores, matrix.scores.T):
            raise InvalidParameter(
                "matrix",
                matrix.name,
                f"Matrix '{matrix.name}' has another score for A against B than for B against A, so that a pair has "
                "no single score.",
                hint="Take a symmetric matrix.",
            )

    def _check_strand(self) -> None:
        """Refuse strands of proteins, and both strands where it matters which sequence is turned around."""
        alphabet, matrix = self.scheme.alphabet, self.scheme.matrix
        if self.strand and not alphabet.complements:
            raise InvalidParameter("strand", self.strand, "Proteins have no strands.", hint="Leave out the strand.")
        if self.strand not in ("", *STRANDS):
            raise InvalidParameter(
                "strand",
                self.strand,
                f"Pairs cannot be compared on the strand '{self.strand}'.",
                hint="Take both or plus.",
            )
        if len(self.strands) > 1:
            other = alphabet.reverse_complement(np.arange(len(matrix.scores), dtype=np.uint8))[::-1]
            if not np.array_equal(matrix.scores[np.ix_(other, other)], matrix.scores):
                raise InvalidParameter(
                    "matrix",
                    matrix.name,
                    f"Matrix '{matrix.name}' has another score for two bases than for their complements, so that a "
                    "pair has no single score on the minus strand.",
                    hint="Take --strand plus.",
                )

    def _check_room(self) -> None:
        """Refuse a limit of E above the usual by which chance alone may fill the memory."""
        most, every = max(len(self.queries), len(self.subjects)), len(self.queries) * len(self.subjects)
        pairs = min(2 * self.evalue * most, every // 2 if self.one_set else every)
        if self.evalue > USUAL and PAIR_BYTES * pairs > memory() / 2:
            raise InvalidParameter(
                "evalue",
                self.evalue,
                f"Up to {count(int(pairs), 'pair')} with E up to {self.evalue:g} may not fit in memory.",
                hint="Take a lower limit of E, or fewer sequences.",
            )

    @property
    def one_set(self) -> bool:
        """Whether these are the pairs of one set."""
        return self.queries is self.subjects

    def side(self, side: int) -> tuple[ArrayDatabase, ArrayDatabase]:
        """Return queries and subjects; of side 1 the subjects as queries."""
        return (self.subjects, self.queries) if side else (self.queries, self.subjects)

    @property
    def compared(self) -> str:
        """Which strands are compared: both, plus, or empty of proteins."""
        return (self.strand or "both") if self.scheme.alphabet.complements else ""

    @property
    def strands(self) -> tuple[int, ...]:
        """The strands of the queries."""
        return STRANDS.get(self.compared, (1,))

    @property
    def said(self) -> str:
        """How pairs are scored, in words."""
        return context_said(self.context) if self.scoring.by_context else self.scheme.describe()

    @property
    def statistics(self) -> KarlinAltschul:
        """The statistics of E."""
        found = load_statistics(self.scheme)
        assert found is not None  # looked at when this was made
        return found

    @property
    def search_space(self) -> tuple[float, float]:
        """Residues and sequences that E refers to."""
        if self.space is not None:
            return self.space
        sets = (self.subjects,) if self.one_set else (self.queries, self.subjects)
        return sum(one.search_space[0] for one in sets), sum(one.search_space[1] for one in sets)

    @property
    def times(self) -> int:
        """How often each pair is scored: on each strand, or in both directions."""
        return 2 if self.scoring.by_context else len(self.strands)

    @property
    def cells(self) -> int:
        """Cells of all pairs together, on all strands or in both directions."""
        if not self.one_set:
            return self.times * self.queries.residues * self.subjects.residues
        squares = int((self.queries.lengths.astype(np.int64) ** 2).sum())
        return self.times * (self.queries.residues**2 - squares) // 2

    def bits(self, edges: Edges) -> NDArray[np.float64]:
        """Return the bit scores of pairs."""
        if not self.scoring.by_context:
            return self.statistics.bit_scores(edges.scores)
        from swgui.core.judging.directions import bits_of_both  # here: few comparisons are by context

        lengths = lengths_of(edges, self.queries.lengths, self.subjects.lengths)
        return bits_of_both(edges.log10_evalues, lengths, self.search_space[1])
