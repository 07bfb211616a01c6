"""How the pairs of a comparison are scored: by a matrix, or by the surroundings of the residues of each sequence."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from typing import Final

import numpy as np

from swgui.core.contexts import NO_CONTEXT
from swgui.core.control import Check
from swgui.core.database import EncodedDatabase
from swgui.core.scoring import EncodedQuery, ScoringScheme

KEPT: Final = 1 << 28  # bytes of the profiles of sequences that are kept for the next block


class PairScoring:
    """Scores of pairs; threads may share one.

    Parameters
    ----------
    scheme : ScoringScheme
        The matrix and the gap costs; with context scores the matrix is that of other symbols than the 20 residues.
    context : str
        Library of contexts of the profiles that sequences are scored by: ``own``, a file, or ``none``.

    Raises
    ------
    ProfileError
        If no scores in eighths of a bit follow from the matrix.
    """

    def __init__(self, scheme: ScoringScheme, context: str = NO_CONTEXT, threads: int = 0) -> None:
        self.context, self._threads = context, threads
        self.scheme = scheme
        if context != NO_CONTEXT:
            from swgui.core.profiles.log_odds import profile_scheme  # here, as below: few comparisons are by context
            from swgui.core.profiles.recipe import Recipe

            self.scheme = profile_scheme(scheme.matrix, Recipe())
        self._kept: dict[tuple[int, int], EncodedQuery] = {}
        self._bytes, self._lock = 0, threading.Lock()

    @property
    def by_context(self) -> bool:
        """Whether each sequence has scores by its context, so that a pair has two."""
        return self.context != NO_CONTEXT

    @property
    def checksum(self) -> str:
        """SHA-256 of the library of contexts; `SwguiError` if it cannot be read."""
        from swgui.jobs.search.queries import context_library

        contexts, _ = context_library(self.context)
        digest = hashlib.sha256(repr(contexts.scale).encode())
        for values in (contexts.weights, contexts.bias, contexts.columns, contexts.background):
            digest.update(np.ascontiguousarray(values).tobytes())
        return digest.hexdigest()

    def encoded(
        self, database: EncodedDatabase, indices: Sequence[int], strand: int = 1, check: Check = lambda: None
    ) -> list[EncodedQuery]:
        """Return sequences as queries, by source index; of strand -1 their reverse complements.

        Raises
        ------
        SwguiError
            If the library of contexts cannot be read.
        """
        if self.by_context:
            return self._with_profiles(database, indices, check)
        made = []
        for index in indices:
            codes = np.ascontiguousarray(database.subject(index))
            turned = codes if strand > 0 else database.alphabet.reverse_complement(codes)
            made.append(EncodedQuery("", turned, strand=strand))
        return made

    def _with_profiles(self, database: EncodedDatabase, indices: Sequence[int], check: Check) -> list[EncodedQuery]:
        from swgui.core.profiles.context import context_profile
        from swgui.jobs.search.queries import context_library

        of = id(database)
        with self._lock:
            found = {index: self._kept[of, index] for index in indices if (of, index) in self._kept}
        missing = [index for index in dict.fromkeys(indices) if index not in found]
        contexts, maker = context_library(self.context)
        codes = [np.ascontiguousarray(database.subject(index)) for index in missing]
        columns = maker.of_residues(codes, threads=self._threads, check=check)
        for index, own, its in zip(missing, codes, columns, strict=True):
            profile = context_profile(own, its, contexts, self.scheme)
            found[index] = EncodedQuery("", own, profile.scores)
        with self._lock:
            for index in missing:
                scores = found[index].profile
                size = scores.nbytes if scores is not None else 0
                if self._bytes + size <= KEPT:
                    self._kept[of, index], self._bytes = found[index], self._bytes + size
        return [found[index] for index in indices]
