"""Fits of E to shuffled subjects for scorings without published parameters: few of them, and kept.

One fit serves all queries of a class of lengths; those of databases that are files are kept in the cache folder.
"""

from __future__ import annotations

import hashlib
import json
import logging
import math
import threading
import zlib
from collections.abc import Generator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Final

from msgspec.structs import fields

from swgui import paths
from swgui.core.alphabet import TwoTracks
from swgui.core.database import EncodedDatabase
from swgui.core.engines import EngineOptions
from swgui.core.errors import SwguiError
from swgui.core.hits.encoding import encode_part
from swgui.core.plain import replace
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.core.statistics.fit import MIN_SEQUENCES, FittedStatistics
from swgui.core.statistics.regression import FitError
from swgui.engines.base import Engine
from swgui.engines.facts import CPU
from swgui.engines.registry import make_engine
from swgui.io.whole_file import save_text
from swgui.jobs.events import Stage
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.shuffles import FIT_SHUFFLES, fit_to_shuffles

SHARE: Final = 0.1  # of the cells of a search that its fits take at most
FEWEST_SHUFFLES: Final = MIN_SEQUENCES  # but as many scores as a fit to a search needs
CLASSES: Final = 4  # of query lengths from one power of two to the next
FOLDER: Final = "fits"
FITTING: Final = "Fitting statistics to shuffled subjects"  # name of a stage
WAY_IN_TRACKS: Final = 2  # number of the way fits in two tracks are made; those of an earlier one are made again
log = logging.getLogger(__name__)


def length_class(length: int) -> int:
    """Return the class of a query length; lengths of a class differ by less than a fifth."""
    return math.floor(CLASSES * math.log2(max(length, 1)))


class KeptFits:
    """Makes the fits of one search, each once.

    Queries that share a fit differ in composition: their E-values are right within a factor of three mostly, of ten at
    the worst, where gaps cost next to nothing. In two tracks, where helices score high with helices, none share one.
    Queries that score by position share none either.

    Parameters
    ----------
    lengths : sequence of int
        Of its queries, whose classes share what fits may take.
    """

    def __init__(self, scheme: ScoringScheme, database: EncodedDatabase, cells: int, lengths: Sequence[int]) -> None:
        self._scheme, self._database = scheme, database
        self._cells = SHARE * cells / max(len(set(map(length_class, lengths))), 1)
        self._fits: dict[tuple[int, ...], FittedStatistics] = {}

    def fit(self, queries: list[EncodedQuery], engine: Engine, cancel: threading.Event) -> FittedStatistics | None:
        """Return the fit for a query, given once for each strand; None once `cancel` is set.

        Raises
        ------
        FitError
            If the database is empty or the scores do not vary.
        """
        length = len(queries[0])
        key: tuple[int, ...] = (length_class(length), len(queries))
        if isinstance(self._scheme.alphabet, TwoTracks):
            key = (WAY_IN_TRACKS, *key, *queries[0].codes.tolist())
        key = (*key, *(zlib.crc32(query.profile.tobytes()) for query in queries if query.profile is not None))
        file = self._file(key)
        fit = self._fits.get(key) or _read(file)
        if fit is None:
            fit = fit_to_shuffles(
                queries, self._database, self._scheme, engine, cancel, shuffles=self._shuffles(length * len(queries))
            )
            if fit is None:
                return None
            _write(file, fit)
        self._fits[key] = fit
        return _for_length(fit, length)

    def _shuffles(self, residues: int) -> int:
        """Return how many shuffles a fit with a query of this many residues may take."""
        mean = max(self._database.residues / max(len(self._database), 1), 1.0)
        return min(FIT_SHUFFLES, max(FEWEST_SHUFFLES, int(self._cells / (mean * max(residues, 1)))))

    def _file(self, key: tuple[int, ...]) -> Path | None:
        """Return where a fit is kept; None for databases in memory."""
        if not self._database.checksum:
            return None
        matrix = self._scheme.matrix
        decides = hashlib.sha256(matrix.scores.tobytes())
        costs = (
            matrix.alphabet.name,
            self._scheme.gap_first,
            self._scheme.gap_extend,
            self._database.checksum,
            *key,
        )
        decides.update(repr(costs).encode())
        return paths.cache_dir() / FOLDER / f"{decides.hexdigest()[:32]}.json"


def fit_among_relatives(
    request: SearchRequest, query_index: int, database: EncodedDatabase, cancel: threading.Event
) -> FittedStatistics | None:
    """Return the fit of a query to shuffles, on the cores; None once `cancel` is set, or where there is no fit.

    Too many sequences of the database are related to it for a fit to their scores.
    """
    search, record = request.search, request.queries[query_index]
    rows = [
        encode_part(record, request.scheme, strand, search.query_range, request.translation)
        for strand in search.strands
    ]
    cells = database.residues * sum(map(len, rows))
    with closing(make_engine(CPU.name, EngineOptions(threads=search.options.threads))) as engine, suppress(FitError):
        return KeptFits(request.scheme, database, cells, [len(rows[0])]).fit(rows, engine, cancel)
    return None


def _for_length(fit: FittedStatistics, length: int) -> FittedStatistics:
    """Return a fit for another query length of its class: mean scores grow by 1/lambda with its logarithm."""
    if fit.query_length == length:
        return fit
    moved = fit.mu + math.log(length / fit.query_length) / fit.lambda_
    return replace(fit, query_length=length, mu=moved)


def _read(file: Path | None) -> FittedStatistics | None:
    """Return a fit that was kept; None if there is none that can be used."""
    if file is None:
        return None
    try:
        kept = json.loads(file.read_text("utf-8"))
        fit = FittedStatistics(**{field.name: kept[field.name] for field in fields(FittedStatistics)})
        sound = math.isfinite(fit.rho + fit.mu) and fit.variance > 0 and fit.query_length > 0
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return fit if sound and fit.origin == "shuffles" else None


def _write(file: Path | None, fit: FittedStatistics) -> None:
    """Keep a fit; a cache that cannot be written costs time, nothing else."""
    if file is None:
        return
    try:
        paths.make_folder(file.parent)
        facts = {field.name: getattr(fit, field.name) for field in fields(fit)}
        save_text(file, lambda out: out.write(json.dumps(facts)))
    except (OSError, SwguiError) as error:
        log.warning("A fit could not be kept: %s", error)


def fit_all(
    fits: KeptFits, queries: Sequence[list[EncodedQuery]], engine: Engine, cancel: threading.Event
) -> Generator[Stage, None, dict[int, FittedStatistics]]:
    """Return the fits of queries, each given once for each strand, by their places; none where E stays unknown."""
    made = {}
    for index, rows in enumerate(queries):
        yield Stage(FITTING, index, len(queries))
        with suppress(FitError):  # the result says so
            fit = fits.fit(rows, engine, cancel)
            if fit is not None:
                made[index] = fit
    return made
