"""One search from request to ranked hits: a generator of events, for the window and the command line alike."""

from __future__ import annotations

import threading
import time
from collections.abc import Generator, Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import numpy as np

import swgui
from swgui.core.circular import text_of
from swgui.core.control import RunControl
from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, EngineUnavailable, InvalidParameter, Stopped, SwguiError
from swgui.core.hits.encoding import encode_part
from swgui.core.hits.results import QueryResult, SearchResult, State
from swgui.core.hits.scores import ChunkScores, Gathering
from swgui.core.hits.tally import Tally, best_of_strands
from swgui.core.judging.ranking import least_scores, published_for
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.plain import replace
from swgui.core.scoring import check_same_alphabet
from swgui.core.search import Search
from swgui.core.statistics.fit import MIN_SEQUENCES
from swgui.core.statistics.stops import uncalibrated, with_composition
from swgui.core.trace import part, parted
from swgui.core.translation.database import frame_residues, searched
from swgui.core.translation.frames import frame_lengths, subject_frame
from swgui.core.translation.programs import shifting
from swgui.core.words import count
from swgui.engines import host, native, registry
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.choice import Work
from swgui.engines.facts import CPU as CPU_ENGINE
from swgui.engines.native.correction import HOST
from swgui.engines.translated import compile_ahead, score_missing, with_frameshifts
from swgui.io.database.checked import ContentCheck
from swgui.io.statistics import load_statistics
from swgui.jobs.check import device as selfcheck
from swgui.jobs.events import PAUSED, SHORT_CELLS, Progress, Stage, run_to_end
from swgui.jobs.search.circles import in_circles
from swgui.jobs.search.events import Journal, Listed, PartialHits, SearchEvent, Started
from swgui.jobs.search.listing import Listing, ScanResult
from swgui.jobs.search.lists import RANKING, Lists
from swgui.jobs.search.opening import all_read, in_tracks, open_steps
from swgui.jobs.search.ranking import CANDIDATES, Ranker
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.subjects import FitRequest, work_of
from swgui.jobs.threads import workers_and_threads

if TYPE_CHECKING:
    from swgui.core.several.shares import Share, ShareScores
    from swgui.jobs.search.narrowing import WindowNarrower

PROGRESS_INTERVAL = 0.05  # seconds between two Progress events: smooth to the eye, cheap to paint
PARTIAL_INTERVAL = 0.25  # seconds between two rounds of PartialHits
PARTIAL_SHARE = 0.02  # share of the time for them, at most: the device waits meanwhile
PARTIAL_LIMIT = 50  # hits shown while a search runs, in a window
PARTIAL_QUERIES = 20  # queries of a round, so that thousands of them do not flood the listeners
SCORE_BYTES_LIMIT = 4 << 30  # larger score vectors of a run are not kept
SCORE_SHARE = 128  # share of the memory that they may take where a database is searched piece by piece
KEPT_BEST = CANDIDATES  # best subjects kept of a query without its score vector
MANY_ROWS = 64  # whose scores the compiled library takes in
SHIFTED = 2.8  # how many times as long a search with frameshifts takes on the cores
CANDIDATE_ROWS = 50_000_000  # of all queries together, 12 bytes each
LISTED_SHARE = 1 / 16  # of the subjects by the limit of E: with more, score vectors take less memory than candidates


def search_steps(
    request: SearchRequest,
    cancel: threading.Event,
    *,
    journal: Journal | None = None,
    use: registry.UseEngine = registry.new_engine,
    vectors: bool = True,
    as_listed: bool = False,
) -> Generator[SearchEvent, None, SearchResult | None]:
    """Search every query against every subject: yield events, and return the result.

    The result holds what was scored, also after Stop (`cancel` set) and after a fault while scoring, and says so in
    ``state``. It is None only when Stop comes before the database is open.

    Parameters
    ----------
    cancel : threading.Event
        Set to stop. A `RunControl` can also hold the search up between two chunks, and hears of the best hits so far.
    journal : Journal, optional
        Is given every chunk as it is scored, and gives those of an earlier run.
    use : callable
        Gives an engine for a while; by default one of its own.
    vectors : bool
        Whether the scores of subjects that are not listed are wanted in the result, if the search keeps them.
    as_listed : bool
        Whether to yield `Listed`, too. There is none where lists change later: by a search in the other direction, or
        by limits that need alignments.

    Raises
    ------
    SwguiError
        If the request cannot be carried out: database unreadable, kinds of sequence differ, engine not available.
    """
    if request.search.both_directions:
        from swgui.jobs.search.directions import both_directions, candidates_of  # here: few searches ask for them

        with_candidates = replace(request, search=candidates_of(request.search))
        found = yield from _one_direction(with_candidates, cancel, journal, use)
        result = found and (yield from both_directions(found, request, cancel, use))
    else:
        final = not request.search.limits.minimums.needs_alignment
        how = {"vectors": vectors, "as_listed": as_listed and final}
        result = yield from _one_direction(request, cancel, journal, use, **how)
    if result is None:
        return None
    if not result.search.limits.minimums.needs_alignment:
        return result
    from swgui.jobs.search.limits import keep_within

    with part("align"):
        return (yield from keep_within(result, cancel))


def _one_direction(
    request: SearchRequest,
    cancel: threading.Event,
    journal: Journal | None,
    use: registry.UseEngine,
    *,
    vectors: bool = True,
    as_listed: bool = False,
) -> Generator[SearchEvent, None, SearchResult | None]:
    """Search by the profiles or residues of queries."""
    run = yield from _scored(request, cancel, journal, use, vectors=vectors, as_listed=as_listed)
    if run is None:
        return None
    try:
        yield Stage(RANKING)
        with part("rank"):
            return (yield from run.ranked(cancel))
    finally:
        run.close()


def unlisted_steps(
    request: SearchRequest, cancel: threading.Event, *, use: registry.UseEngine = registry.new_engine
) -> Generator[SearchEvent, None, ScanResult | None]:
    """Do as `search_steps`, with lists that are ranked lazily; E must not be corrected for composition."""
    run = yield from _scored(request, cancel, None, use, lists=False)
    return (
        None
        if run is None
        else ScanResult(run.result(()), lambda rows: run_to_end(run.listing.query_results(rows, cancel)))
    )


def scored_share(
    request: SearchRequest,
    share: Share,
    cancel: threading.Event,
    use: registry.UseEngine,
    journal: Journal | None = None,
) -> Generator[SearchEvent, None, ShareScores | None]:
    """Score a share of the database, and make no lists; None if it was stopped.

    Parameters
    ----------
    journal : Journal, optional
        As of `search_steps`.

    Raises
    ------
    SwguiError
        As `search_steps`; if scoring fails as well.
    """
    run = yield from _scored(request, cancel, journal, use, lists=False, share=share)
    if run is None:
        return None
    run.close()
    if run.fault is not None:
        raise run.fault
    return run.share_scores(share) if run.is_scored else None


def _scored(
    request: SearchRequest,
    cancel: threading.Event,
    journal: Journal | None,
    use: registry.UseEngine,
    *,
    lists: bool = True,
    share: Share | None = None,
    vectors: bool = True,
    as_listed: bool = False,
) -> Generator[SearchEvent, None, _Scoring | None]:
    """Open the database and score; returns what makes lists of that."""
    if request.search.composition != "none" and (why := native.problem()):
        raise EngineUnavailable(
            CPU_ENGINE.name,
            f"E-values are corrected by the compiled library. {why}.",
            hint=f"{native.REMEDY} Or leave the correction for composition out.",
        )
    try:
        with part("open"):
            database = yield from open_steps(request, cancel)
        asked = request.search
        request, remarks = _prepared(request, database, share, cancel)
    except Stopped:
        return None
    if cancel.is_set():
        return None
    if shifting(asked.translation) and asked.composition == "full":  # shuffles would not keep what frameshifts make
        request = replace(request, search=replace(request.search, composition="lambda"))
    wanted, actual = request.search.database_alphabet.residue_alphabet, database.alphabet.residue_alphabet
    check_same_alphabet(wanted, actual, "database")
    if not len(database):
        raise InvalidParameter("database", database.name, f"The database '{database.name}' has no sequences.")
    if request.search.organisms:
        from swgui.core.several.part import restricted  # here, as below: few searches have such limits

        yield Stage("Choosing organisms")
        database = restricted(database, request.search.organisms)
    request, database, scored = in_tracks(request, database)
    translation = with_composition(request.translation, database)
    search = replace(request.search, translation=translation, organisms=EVERY_ORGANISM)
    request, database, circular = in_circles(replace(request, search=search), database)
    run = _Scoring(request, asked, database, journal, use, lists, share, vectors)
    run.as_listed = as_listed and not shifting(asked.translation)  # the cores score frameshifts, too
    run.information += [*remarks, scored, circular]
    try:
        if share is not None:  # the file is checked once, when it is merged
            yield from run.score(cancel)
            return run
        with ContentCheck(database) as check:
            yield from run.score(cancel)
            run.content_checked = yield from all_read(check, PROGRESS_INTERVAL, cancel)
    except BaseException:
        run.close()
        raise
    return run


def _prepared(
    request: SearchRequest, database: EncodedDatabase, share: Share | None, cancel: threading.Event
) -> tuple[SearchRequest, list[str]]:
    """Return a request as the kind of subjects has it carried out, and sentences on that."""
    kind = database.subject_kind
    if share is not None:
        kind.check("parts", database.name)
    if share is not None and request.search.both_directions:
        raise InvalidParameter(
            "part",
            database.name,
            "A search in parts scores one direction: E of both directions needs all of the database.",
            hint="Leave out --both-directions, or search the database at once.",
        )
    return work_of(kind).prepared(request, database, cancel)


def _gathering(rows: int) -> Gathering | None:
    """Return the compiled form where there are many rows."""
    if rows < MANY_ROWS or native.problem():
        return None
    from swgui.engines.native.gathering import CompiledGathering  # here: few rows gain nothing

    return CompiledGathering()


class _Scoring:
    """The scoring of one request: engines in turn, one tally, a journal; `Lists` makes lists of it."""

    def __init__(
        self,
        request: SearchRequest,
        asked: Search,
        database: EncodedDatabase,
        journal: Journal | None,
        use: registry.UseEngine,
        lists: bool,
        share: Share | None,
        vectors: bool,
    ) -> None:
        search = request.search
        self.request, self.asked, self.use, self.early_lists = request, asked, use, lists
        self.as_listed = False  # whether to yield `Listed`
        self.final = replace(search, mask=False)  # the queries are masked
        self.database, self.searched = database, searched(database, request.translation)
        self.work = work_of(database.subject_kind)
        self.text = text_of(database)
        self.one_piece = len(database.pieces) == 1  # or its codes are never together, on no device
        of = database.part
        self.information = [of.describe(len(database), search.limits.effective_residues)] if of is not None else []
        self.warnings: list[str] = []
        self.queries = request.queries
        self.rows = [
            encode_part(record, request.scheme, strand, search.query_range, request.translation)
            for record in self.queries
            for strand in search.strands
        ]
        without = uncalibrated(request.scheme.matrix, request.translation)  # why there is no E
        self.published = None if without else load_statistics(request.scheme)
        self.tally = self._new_tally(fits=self.published is None and not without, vectors=vectors)
        self.frames = [subject_frame(strand) for strand in search.strands] * len(self.queries)  # by row
        self.stretch = None if share is None else share.stretch(self.text)
        residues = {frame: frame_residues(self.text, frame, self.stretch) for frame in set(self.frames)}
        self.cells_total = sum(len(row) * residues[of] for row, of in zip(self.rows, self.frames, strict=True))
        self.seconds = 0.0
        self.journal = journal
        if journal is not None:
            self._take(journal)
        self.whole = journal is not None and journal.whole  # nothing is left to be scored
        self.engine_name = ""
        self.devices: tuple[str, ...] = ()
        self.fault: EngineFault | None = None
        self.unfitted = self.published is None and not without and len(database) < MIN_SEQUENCES and share is None
        self.warnings += filter(None, [without])
        self.content_checked = False
        self.listing = Listing(request, self.queries, self.rows, self.tally, self._ranker(), self.published)
        self.lists = Lists(request, self.listing, one_piece=self.one_piece)

    def _new_tally(self, *, fits: bool, vectors: bool) -> Tally:
        """Return the collector of scores: all of them, or the best and, if E is fitted, how often each occurs."""
        search, subjects = self.request.search, len(self.database)
        least = None if fits or (vectors and search.keep_scores) else self._least_scores()
        score_bytes = 4 * len(self.rows) * subjects
        limit = SCORE_BYTES_LIMIT if self.one_piece else min(SCORE_BYTES_LIMIT, host.memory() // SCORE_SHARE)
        keep = search.keep_scores and score_bytes <= limit and least is None
        if search.keep_scores and not keep and least is None:
            self.warnings.append(f"The score vectors ({score_bytes / 2**30:.1f} GiB) were not kept.")
        # Without score vectors the best subjects are all that E-values can be corrected of.
        best = KEPT_BEST if least is not None else min(KEPT_BEST, CANDIDATE_ROWS // len(self.rows))
        top = search.limits.top if keep else max(search.limits.top, best)
        text = self.text  # not of the run, which would live until garbage is collected
        position = (lambda: text.position) if not keep else None
        gathering = _gathering(len(self.rows))
        tally = Tally(
            len(self.rows), subjects, top, keep_scores=keep, position=position, least=least, gathering=gathering
        )
        if fits and not keep:
            from swgui.core.statistics.counts import ScoreCounts  # here: most searches keep their scores

            tally.counts = [ScoreCounts(self.searched.lengths_of, len(search.strands)) for _ in self.queries]
        return tally

    def _least_scores(self) -> list[int] | None:
        """Return of each row the least score that may be listed; None where much of the database may be."""
        scheme, limits, translation = self.request.scheme, self.request.search.limits, self.request.translation
        if self.published is None or limits.max_evalue > LISTED_SHARE * limits.database_size(self.searched)[1]:
            return None
        if translation is not None and translation.of.translates_query:  # E depends on the bases of each query
            return None
        by = published_for(self.published, self.queries[0], scheme, translation)
        lengths = sorted(set(self.request.lengths))
        least = dict(zip(lengths, least_scores(lengths, self.searched, [by] * len(lengths), limits), strict=True))
        return [
            max(least[length], limits.least_score)
            for length in self.request.lengths
            for _ in self.request.search.strands
        ]

    def _take(self, journal: Journal) -> None:
        """Take in the scores that an earlier run has kept."""
        for chunk in journal.begin(self.text, len(self.rows), self.tally.needs):
            self.tally.add(self._counted(chunk))
        for counts, known in zip(self.tally.counts, journal.counts, strict=False):
            counts.merge(*known)
        self.tally.of_each_strand = journal.of_each_strand
        self.seconds = journal.seconds

    def _counted(self, chunk: ChunkScores) -> ChunkScores:
        """Return earlier scores, with their cells where no engine counted them."""
        if chunk.cells >= 0:
            return chunk
        lengths, frame = self.text.lengths_of(chunk.db_index), self.frames[chunk.query_index]
        residues = int((frame_lengths(lengths, frame) if frame else lengths).sum(dtype=np.int64))
        return replace(chunk, cells=len(self.rows[chunk.query_index]) * residues)

    def _ranker(self) -> Ranker:
        search = self.request.search
        return Ranker(
            self.searched,
            self.request.scheme,
            search.limits,
            search.composition,
            search.strands,
            search.query_range,
            workers_and_threads(len(self.queries), search.options.threads)[1],
            translation=self.request.translation,
        )

    def close(self) -> None:
        """End what other threads do."""
        self.lists.close()

    def score(self, cancel: threading.Event) -> Iterator[SearchEvent]:
        """Score everything; when an engine cannot or fails, the next one of "auto" scores the rest.

        Where no parameters are published for the scheme, small databases are fitted to shuffles.
        """
        small = self.unfitted
        if self.whole and not small:
            return
        options = self.request.search.options
        engines, why = registry.ending_first(self.request.search.engine, options, self._work())
        choices = list(engines)
        while choices:
            name = choices.pop(0)
            yield Stage("Preparing the engine")
            try:
                self.fault = None
                yield from selfcheck.require_exact_engine(name, options, cancel, self._compile_ahead)
                with self.use(name, options) as made:
                    self.information += [why] if name == engines[0] else []
                    engine = self.work.engine(made, self.database, options, self.cells_total)
                    engine = with_frameshifts(engine, self.request.scheme, self.request.translation, options)
                    helps = self._helps(engine, made)
                    if self.early_lists and not small and all(device.id != CPU for device in engine.devices):
                        self.lists.begin_early(helped=helps)  # the cores have nothing else to do
                    yield from self._score_with(engine, cancel)
                    if small and not cancel.is_set():
                        yield from self._fit_to_shuffles(engine, cancel)
                        self.unfitted = cancel.is_set()
                    if helps and self.stretch is None:
                        yield Stage(RANKING)
                        with part("rank"):
                            yield from self._make_lists(cancel)
                return
            except EngineFault as fault:
                self.fault = fault
                if not choices or cancel.is_set():
                    return
                problem: SwguiError = fault
            except EngineUnavailable as unavailable:
                if not choices:
                    raise
                problem = unavailable
            self.warnings.append(f"{problem.message} The engine '{choices[0]}' was used instead.")
            options = EngineOptions(threads=options.threads)  # devices and settings were those of the other engine

    def _work(self) -> Work:
        """Return the work of the search; of one that takes longer a cell, that of a plain search of the same time."""
        more = self.database.subject_kind.cost * (SHIFTED if shifting(self.request.translation) else 1.0)
        residues = self.cells_total / max(sum(map(len, self.rows)), 1)
        return Work(more * self.cells_total, more * residues * len(self.rows))

    def _helps(self, engine: Engine, made: Engine) -> bool:
        """Whether the device of an engine does some of the work on lists, until the engine is closed.

        Parameters
        ----------
        made : Engine
            The one whose device it uses, where frameshifts are scored; else itself.
        """
        of_device = engine.correction_work() if isinstance(engine, DeviceEngine) else None
        # Pieces of translations are in other memory each time; a device keeps the codes of a database.
        work = of_device if of_device is not None and not any(self.frames) else HOST
        self.listing.ranker = replace(self.listing.ranker, work=work)
        self.listing.narrower = self.narrower_of_engine(made)
        corrects = of_device is not None and self.request.search.composition != "none"
        return corrects or self.listing.narrower is not None

    def narrower_of_engine(self, made: Engine) -> WindowNarrower | None:
        """Return the function that narrows windows on the device of an engine; None if it cannot or does not pay."""
        search = self.request.search
        if not isinstance(made, DeviceEngine) or search.translation is None:
            return None
        if not self.one_piece:
            return None
        from swgui.jobs.search.narrowing import narrower_of  # here: few searches read DNA

        return narrower_of(made, self.searched, self.request.scheme, search, self.queries)

    def _compile_ahead(self, engine: DeviceEngine) -> None:
        """Have what this search will need compiled while an engine is checked."""
        request = self.request
        compile_ahead(engine, self.rows, request.search.strands, self.text, request.translation, request.scheme)

    def _fit_to_shuffles(self, engine: Engine, cancel: threading.Event) -> Iterator[SearchEvent]:
        """Fit statistics to shuffled subjects, where the database is too small for a fit to its own scores."""
        rows = [[self.rows[row] for row in self.listing.rows_of(index)] for index in range(len(self.request.queries))]
        asked = FitRequest(self.request, self.searched, rows, self.cells_total)
        fits = yield from self.work.fits(asked, engine, cancel)
        self.listing.shuffled_fits.update(fits)
        if (left := len(rows) - len(fits)) and not cancel.is_set():
            self.warnings.append(f"{count(left, 'query has', 'queries have')} no E-values: the scores hardly differ.")

    def _foretold(self) -> Iterator[SearchEvent]:
        from swgui.jobs.forecast import foretelling  # here: it measures speed, and few searches take long
        from swgui.jobs.search.forecast import Scanned, search_forecast

        lengths = [len(row) for row in self.rows]
        residues = self.cells_total // max(sum(lengths), 1)
        number, subjects, search = len(self.request.queries), len(self.database), self.request.search
        shifts = shifting(search.translation)
        scanned = Scanned(number, lengths, subjects, residues, self.engine_name, search.options, shifts)
        yield from foretelling(search_forecast(scanned))

    def _score_with(self, engine: Engine, cancel: threading.Event) -> Iterator[SearchEvent]:
        self.engine_name = engine.name
        self.devices = tuple(device.name for device in engine.devices)
        yield Started(
            queries=len(self.request.queries),
            subjects=len(self.database),
            residues=self.database.residues,
            cells_total=self.cells_total,
            engine=engine.name,
            devices=self.devices,
            database=self.database,
            seconds=self.seconds,
        )
        if self.seconds:
            yield self._progress()
        elif self.cells_total >= SHORT_CELLS and self.database.subject_kind.foretold:
            yield from self._foretold()
        before, began = self.seconds, time.perf_counter()
        reported, partial = began, began + PARTIAL_INTERVAL
        control = cancel if isinstance(cancel, RunControl) else None
        strands = len(self.request.search.strands)
        touched = {query for query in range(len(self.queries)) if self.tally.is_scored(self.listing.rows_of(query))}
        try:
            for chunk in parted("scan", self._chunks(engine, cancel)):
                self.tally.add(chunk)
                if self.journal is not None:
                    self.journal.add(self.tally.reduced(chunk))
                query_index = chunk.query_index // strands
                touched.add(query_index)
                if self.lists.early and self.tally.is_scored(self.listing.rows_of(query_index)):
                    self.lists.add(query_index, cancel)
                now = time.perf_counter()
                self.seconds = before + now - began
                if now - reported >= PROGRESS_INTERVAL:
                    reported = now
                    yield self._progress()
                    yield from self._listed()
                if control is None:
                    continue
                if now >= partial:
                    for index in sorted(touched)[:PARTIAL_QUERIES]:  # the others come with the next rounds
                        touched.discard(index)
                        yield self._partial(index)
                    after = time.perf_counter()
                    partial = after + max(PARTIAL_INTERVAL, (after - now) / PARTIAL_SHARE)
                if control.paused:
                    yield self._progress()
                    yield Stage(PAUSED)
                    began += control.wait_while_paused()  # not counted as time of scoring
                    yield Stage("Scoring")
        finally:
            self.seconds = before + time.perf_counter() - began
        yield self._progress()

    def _chunks(self, engine: Engine, cancel: threading.Event) -> Iterator[ChunkScores]:
        """Score the subjects that have no scores yet."""
        how, scheme = self.request.translation, self.request.scheme
        of = self.rows, self.request.search.strands, self.text
        return score_missing(engine, *of, how, self.tally, scheme, cancel, self.stretch)

    @property
    def is_scored(self) -> bool:
        """Whether everything is scored."""
        return self.tally.cells == self.cells_total

    def share_scores(self, share: Share) -> ShareScores:
        """Return the scores of a share."""
        from swgui.core.several.shares import ShareScores  # here: few searches are done in parts

        assert self.stretch is not None
        tally, rows = self.tally, range(len(self.rows))
        kept = tally.scores is not None  # otherwise nothing needs the identity of subjects
        sources = self.text.sources(*(self.stretch if kept else (0, 0)))
        return ShareScores(
            share=share,
            stretch=self.stretch,
            subjects=len(self.database),
            sources=sources,
            scores=None if tally.scores is None else tally.scores[:, sources],
            best=() if tally.scores is not None else tuple(map(tally.best, rows)),
            counts=tuple(counts.counted for counts in tally.counts),
            windows=tuple(tuple(tally.windows[row].values()) for row in rows),
            cells=tally.cells,
            rescored=tally.rescored,
            seconds=self.seconds,
            engine=self.engine_name,
            devices=self.devices,
        )

    def _progress(self) -> Progress:
        tally = self.tally
        return Progress(
            done=tally.cells,
            total=self.cells_total,
            seconds=self.seconds,
            device_done=dict(tally.device_cells),
            device_seconds=dict(tally.device_seconds),
        )

    def _partial(self, query_index: int) -> PartialHits:
        rows, strands = self.listing.rows_of(query_index), self.request.search.strands
        db_index, scores, _ = best_of_strands(rows, strands, self.tally, PARTIAL_LIMIT)
        return PartialHits(query_index, db_index[:PARTIAL_LIMIT], scores[:PARTIAL_LIMIT])

    def ranked(self, cancel: threading.Event) -> Generator[SearchEvent, None, SearchResult]:
        """Rank what was scored and return the result."""
        yield from self._make_lists(cancel)
        return self.result(self.lists.made)

    def _make_lists(self, cancel: threading.Event) -> Iterator[SearchEvent]:
        for event in self.lists.make(cancel):
            yield event
            yield from self._listed()
        if not cancel.is_set():
            yield from self._listed()

    def _listed(self) -> Iterator[Listed]:
        """Yield the queries whose lists were made since the last call, if there are any and the caller wants them."""
        if self.as_listed and (new := self.lists.news()):
            done = max(self.tally.cells, 1)
            left = self.seconds * (self.cells_total - done) / done
            yield Listed(self._result_of(self.lists.so_far, "stopped"), new, max(left, 0.0))

    def result(self, queries: Sequence[QueryResult]) -> SearchResult:
        """Return the result with the lists there are."""
        scored = self.is_scored
        if scored and self.unfitted:
            self.warnings.append("The search was stopped before its E-values were known.")
        complete = scored and not self.unfitted
        state: State = "complete" if complete else "failed" if self.fault else "stopped"
        self.warnings += [str(self.fault)] if self.fault and not complete else []
        if uncorrected := self.listing.uncorrected:
            state = "stopped" if state == "complete" else state
            which = count(len(uncorrected), "query", "queries")
            self.warnings.append(f"E-values of {which} were not corrected for composition.")
        return self._result_of(queries, state)

    def _result_of(self, queries: Sequence[QueryResult], state: State) -> SearchResult:
        statistics = self.published
        return SearchResult(
            queries=tuple(queries),
            database=self.database,
            search=self.final,
            asked=self.asked,
            engine=self.engine_name,
            devices=self.devices,
            state=state,
            cells_done=self.tally.cells,
            cells_total=self.cells_total,
            seconds=self.seconds,
            rescored=self.tally.rescored,
            statistics=statistics.describe() if statistics else self.listing.how_fitted,
            message=" ".join(self.warnings),
            information=" ".join(filter(None, self.information)),
            version=swgui.__version__,
            finished_at=datetime.now().astimezone().isoformat(timespec="seconds"),
            content_checked=self.content_checked,
        )
