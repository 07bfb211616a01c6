"""An iterated search: every round is an ordinary search, with a profile of what the round before found."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, Literal, NamedTuple, TypeVar

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.compare.matching import match_names
from swgui.core.contexts import NO_CONTEXT
from swgui.core.control import Check, checking
from swgui.core.database import EncodedDatabase
from swgui.core.devices import CPU
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineFault, InvalidParameter, Stopped, SwguiError
from swgui.core.hits.results import HitColumns, JoinedHits, QueryResult, SearchResult, State
from swgui.core.hits.rounds import Ended, QueryRounds, Round
from swgui.core.judging.correction_work import CorrectionWork
from swgui.core.judging.ranking import in_order
from swgui.core.organisms.limit import EVERY_ORGANISM
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.bases import SearchedBases, matrix_behind, searched_bases, short_sentence
from swgui.core.records import SequenceRecord
from swgui.core.score_profile import ScoreProfile
from swgui.core.trace import part
from swgui.core.words import count
from swgui.engines.base import DeviceEngine, Engine
from swgui.engines.host import usable_cores
from swgui.engines.native.correction import HOST
from swgui.engines.native.profiles import BuiltProfile, ProfileMaker
from swgui.engines.registry import KeptEngines, UseEngine
from swgui.jobs.events import Progress, Stage, run_to_end
from swgui.jobs.iterate import forward
from swgui.jobs.iterate.batches import MAX_BATCH, batch_size, together
from swgui.jobs.iterate.certain import CERTAIN, by_certain, with_certain
from swgui.jobs.iterate.comparisons import Comparisons
from swgui.jobs.iterate.deeper import evidence_steps
from swgui.jobs.iterate.floods import Flood, chosen_rows, flood_of
from swgui.jobs.iterate.inclusion import Inclusion, counted_beyond, included_each, median_coverage
from swgui.jobs.iterate.members import without_their_own
from swgui.jobs.iterate.request import first_round, settings_of
from swgui.jobs.iterate.rows import aligned_each
from swgui.jobs.iterate.sums import by_sums, compared_with_shuffles
from swgui.jobs.search.events import IterationEvent, Journal, RoundFinished, RoundStarted, SearchEvent
from swgui.jobs.search.limits import keep_within
from swgui.jobs.search.listing import ScanResult
from swgui.jobs.search.opening import open_steps
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps, unlisted_steps
from swgui.jobs.search.subjects import work_of
from swgui.jobs.threads import Tasks

T = TypeVar("T")
N = TypeVar("N", int, float)

LONG_CELLS: Final = 100_000_000  # of a query and all its members, which threads that wait for work align, too
BUILDING = "Building profiles"  # name of a stage
SEVERAL: Final = 2  # lengths of a query of bases beyond which a subject may have several segments


class AddedProgress:
    """Adds up the progress of searches that follow each other."""

    def __init__(self) -> None:
        self._before: Progress | None = None

    def of(self, steps: Generator[SearchEvent, None, T]) -> Generator[SearchEvent, None, T]:
        """Run a search, its progress added to that of the ones before; returns what it returns."""
        last = self._before
        while True:
            try:
                event = next(steps)
            except StopIteration as end:
                self._before = last
                result: T = end.value
                return result
            if isinstance(event, Progress):
                event = last = _added(self._before, event)
            yield event


def _added(before: Progress | None, now: Progress) -> Progress:
    """Return the progress of a search after others."""
    if before is None:
        return now
    return Progress(
        before.done + now.done,
        before.total + now.total,
        before.seconds + now.seconds,
        _sums(before.device_done, now.device_done),
        _sums(before.device_seconds, now.device_seconds),
    )


def _sums(one: Mapping[str, N], other: Mapping[str, N]) -> dict[str, N]:
    return {**one, **{device: one[device] + more if device in one else more for device, more in other.items()}}


def iteration_steps(
    request: SearchRequest,
    cancel: threading.Event,
    use: UseEngine | None = None,
    journal: Journal | None = None,
) -> Generator[IterationEvent, None, SearchResult | None]:
    """Search every query in rounds: yield the events of the searches and of the rounds.

    Parameters
    ----------
    use : callable, optional
        Gives an engine for a while; by default one that is kept until the last round.
    journal : Journal, optional
        Of the first round, as for `search_steps`.

    Returns
    -------
    SearchResult or None
        Of each query's last search, with `QueryResult.rounds`. After Stop or a fault it is that of the last whole
        round, and ``state`` says so; only where the first search has no result, neither has this.

    Raises
    ------
    SwguiError
        If the request cannot be carried out.
    """
    if settings_of(request).evidence.forward:
        forward.load()  # so that a missing package is reported at once
    with closing(KeptEngines()) as engines, _Iteration(request, use or engines.use, cancel) as run:
        request = yield from run.opened(cancel)
        first = None
        if not run.continued():
            first = yield from run.first_round(cancel, journal)
            if first is None:
                return None
            if first.state != "complete":
                return (yield from _within_limits(first, request, cancel))
        yield from run.later_rounds(first, cancel)
        result = run.result()
        if two := request.build_database is not None and result.state == "complete":
            result = yield from run.reported(result, cancel)
        if run.shuffles(result.database) and result.state == "complete":
            result = yield from run.shuffled(result)
        result = yield from _within_limits(result, request, cancel)
        if two and result.state != "complete":
            return run.unreported(result)
        if settings_of(request).evidence and result.state == "complete":
            result = yield from evidence_steps(
                request, result, lambda search: iteration_steps(search, cancel, run.use), cancel
            )
    return result


@dataclass(slots=True, eq=False)
class _Query:
    """One query on its way through the rounds.

    Parameters
    ----------
    profile : ScoreProfile, optional
        What it is searched with next.
    started_with_profile : bool
        Whether the first round searched with a profile.
    """

    hits: QueryResult
    profile: ScoreProfile | None = None
    rounds: list[Round] = field(default_factory=list)
    ended: Ended | None = None
    started_with_profile: bool = False
    relatives: int = 0  # beyond doubt in the last round, where its profile has no rows for all of them


@dataclass(frozen=True, slots=True, eq=False)
class _QueryRound:
    """The result of a round for one query.

    Parameters
    ----------
    profile : ScoreProfile, optional
        For the next one.
    hits : QueryResult
        Of the search, with the E that counts.
    """

    round: Round
    profile: ScoreProfile | None
    hits: QueryResult
    relatives: int = 0  # beyond doubt, where a profile has no rows for all of them


class _Built(NamedTuple):
    """The alignment and the profile of one query, and the hits that they are made of."""

    alignment: MasterAlignment
    profile: BuiltProfile
    included: HitColumns


_Tasks = Tasks[tuple[int, ...], list[_QueryRound]]  # groups of queries


class _Iteration:
    """The rounds of one request."""

    def __init__(self, request: SearchRequest, use: UseEngine, cancel: threading.Event) -> None:
        self.request, self._use = request, use
        self._used: tuple[str, EngineOptions] | None = None  # the engine of the last search
        self._held = ExitStack()  # it, until the end
        self._engine: Engine | None = None
        self.settings = settings_of(request)
        self.recipe = self.settings.profile_recipe(request.scheme.alphabet.name)
        self.maker = ProfileMaker(matrix_behind(request.scheme.matrix), self.recipe)
        self.bases: SearchedBases | None = None
        self.queries: list[_Query] = []
        self.searches: list[SearchResult] = []
        self.state: State = "complete"
        self.message = ""
        self.number = 1  # of the current round, for observers
        self.progress = AddedProgress()
        self.comparisons = Comparisons(request, self._by_sums, cancel)

    @contextmanager
    def use(self, name: str, options: EngineOptions) -> Iterator[Engine]:
        """Give an engine for a while, the one of the search before if it is the same; it is kept until it fails."""
        if self._engine is None or self._used != (name, options):
            self._release()
            self._engine, self._used = self._held.enter_context(self._use(name, options)), (name, options)
        try:
            yield self._engine
        except EngineFault as fault:
            self._release(type(fault), fault, fault.__traceback__)
            raise

    def _release(self, *error: Any) -> None:
        """Give the engine back, with the error that ended its use, if any, in the form of ``__exit__``."""
        self._engine = None
        self._held.__exit__(*(error or (None, None, None)))

    def __enter__(self) -> _Iteration:
        return self

    def __exit__(self, *error: object) -> None:
        self.comparisons.close()
        self._release(*error)

    @property
    def correction_work(self) -> CorrectionWork:
        """The corrector of E: the device of the last search, or the compiled library."""
        return (self._engine.correction_work() if isinstance(self._engine, DeviceEngine) else None) or HOST

    @property
    def _leaves_cores(self) -> bool:
        """Whether the engine of the last search leaves the cores to other work, and hits of its database are listed."""
        one_search = self.request.build_database is None
        return one_search and self._engine is not None and all(device.id != CPU for device in self._engine.devices)

    def opened(self, cancel: threading.Event) -> Generator[SearchEvent, None, SearchRequest]:
        """Open the databases of the request, and return it with them; as it was once `cancel` is set.

        Raises
        ------
        SwguiError
            If one cannot be read, rounds cannot be made of the one, or the last search not be that of the other.
        """
        request = self.request
        first = request if request.build_database is None else replace(request, database=request.build_database)
        try:
            with part("open"):
                rounds = yield from open_steps(first, cancel)
                hits = rounds if first is request else (yield from open_steps(request, cancel))
        except Stopped:
            return request
        rounds.subject_kind.check("rounds", rounds.name)
        check = work_of(hits.subject_kind).checked
        if first is not request and check is not None:
            check(replace(request, search=replace(request.search, iteration=None), build_database=None), hits)
        self.request = replace(request, database=hits, build_database=None if first is request else rounds)
        return self.request

    def first_round(
        self, cancel: threading.Event, journal: Journal | None
    ) -> Generator[IterationEvent, None, SearchResult | None]:
        """Search with the queries alone, or with profiles of the alignments they begin with."""
        search = first_round(self.request)
        if search.scheme.alphabet.name == NUCLEOTIDE.name:  # whose profiles depend on the database
            search = replace(search, database=(yield from open_steps(search, cancel)))
            assert isinstance(search.database, EncodedDatabase)
            self._fit_to(search.database)
        starts = self.request.starts
        given = [record.profile is not None or index in starts for index, record in enumerate(search.queries)]
        records = [self._first_record(record, starts.get(index)) for index, record in enumerate(search.queries)]
        yield RoundStarted(1, self.settings.rounds, len(records))
        steps = search_steps(replace(search, queries=tuple(records)), cancel, journal=journal, use=self.use)
        result = yield from self.progress.of(steps)
        if result is None or result.state != "complete":
            return result
        if any(query.scores is None for query in result.queries):
            raise InvalidParameter(
                "queries",
                len(records),
                f"The scores of {count(len(records), 'query', 'queries')} against {len(result.database):,} sequences "
                "are too many to keep, and the E-values of an iterated search are fitted to them.",
                hint="Search with fewer queries at a time.",
            )
        self.inclusion = self._inclusion(result.database)
        self.search = _opened(search, result.database)
        self.queries = [
            _Query(found, found.query.profile, started_with_profile=of_user)
            for found, of_user in zip(result.queries, given, strict=True)
        ]
        return result

    def _fit_to(self, database: EncodedDatabase) -> None:
        """Make profiles for the bases of a database from now on."""
        self.bases = searched_bases(database)
        self.maker = ProfileMaker(matrix_behind(self.request.scheme.matrix), self.recipe, self.bases)

    def _first_record(self, record: SequenceRecord, start: MasterAlignment | None) -> SequenceRecord:
        """Return the query of the first round: of nucleotides with a profile, of proteins scored by the matrix.

        The profile of a single row has the scores of the matrix for the bases of the database, and gap costs by its
        length.
        """
        if start is None and (self.bases is None or record.profile is not None):
            return record
        alignment = start or MasterAlignment.of_query(record, self.request.scheme.alphabet)
        return replace(record, profile=self._built(alignment, "round 1"))

    def continued(self) -> bool:
        """Take over the whole rounds of the search before; returns whether there is anything to continue."""
        before = self.request.before
        if before is None or any(query.rounds is None for query in before.queries):
            return False
        self._fit_to(before.database)
        for found in before.queries:
            rounds = found.rounds
            assert rounds is not None
            last, ended = rounds.last, rounds.ended if rounds.ended in ("same", "none") else None
            if ended is None and len(last.included) and len(last.alignment) == 1:  # stopped while it was aligned
                return False
            profile = last.profile if ended else self._built(last.alignment, f"round {len(rounds) + 1}")
            over: Ended | None = "rounds" if len(rounds) >= self.settings.rounds else None
            self.queries.append(_Query(found, profile, list(rounds.rounds), ended or over, rounds.from_profile))
        self.searches.append(replace(before, queries=(), message="", information=""))
        self.inclusion = self._inclusion(before.database)
        search = first_round(self.request)
        self.search = _opened(search, before.database)
        return True

    def later_rounds(
        self, first: SearchResult | None, cancel: threading.Event
    ) -> Generator[IterationEvent, None, None]:
        """Build after the first search, and search with the queries that still change until none does.

        While profiles of some queries are built others are searched with, so that they may be in different rounds. A
        round is over once it is over for all of them.

        Parameters
        ----------
        first : SearchResult, optional
            Of the first round; None where rounds are continued.
        """
        ready = [] if first else self._unfinished()
        self.number = min((len(self.queries[index].rounds) for index in ready), default=0) + 1
        if ready:
            yield RoundStarted(self.number, self.settings.rounds, len(ready))
        workers = min(len(self.queries), self.request.search.options.threads or usable_cores())
        with _Tasks(workers, "swgui-build") as tasks:
            try:
                if first is not None:
                    listed = ScanResult(replace(first, queries=()), lambda rows: [first.queries[row] for row in rows])
                    self._submit(tasks, listed, range(len(self.queries)), cancel)
                while ready or tasks:
                    unfinished = len(self._unfinished())
                    if patient := len(ready) < batch_size(unfinished):
                        yield Stage(BUILDING, len(ready), unfinished)
                    for group, finished in tasks.done(patient=patient):
                        for index, made in zip(group, finished, strict=True):
                            ready += self._add_round(index, made, cancel)
                    yield from self._rounds_over()
                    if ready and (len(ready) >= batch_size(len(self._unfinished())) or not tasks):
                        batch, ready = ready[:MAX_BATCH], ready[MAX_BATCH:]
                        yield from self._search(batch, tasks, cancel)
            except SwguiError as error:
                self._finish_early(tasks, error)

    def _unfinished(self) -> list[int]:
        """Return the queries that still change."""
        return [index for index, query in enumerate(self.queries) if query.ended is None]

    def _search(
        self, batch: Sequence[int], tasks: _Tasks, cancel: threading.Event
    ) -> Generator[SearchEvent, None, None]:
        """Search with the profiles of some queries, and have the next ones built."""
        records = tuple(replace(self.queries[index].hits.query, profile=self.queries[index].profile) for index in batch)
        steps = unlisted_steps(replace(self.search, queries=records), cancel, use=self.use)
        searched = yield from self.progress.of(steps)
        if searched is None or searched.result.state != "complete":
            self.message = searched.result.message if searched else ""
            raise SwguiError(self.message) if searched and searched.result.state == "failed" else Stopped
        self._submit(tasks, searched, batch, cancel)

    def _submit(self, tasks: _Tasks, searched: ScanResult, batch: Sequence[int], cancel: threading.Event) -> None:
        """Have the next profile of each query of a search built, those of a group together."""
        self.searches.append(searched.result)
        for rows in together([self._cost(index) for index in batch], tasks.free):
            group = tuple(batch[row] for row in rows)
            tasks.begin(group, partial(self._rounds_of, searched, rows, group, tasks, cancel))

    def _cost(self, index: int) -> int:
        """Return about how long the next profile of a query takes: residues of the last one's rows."""
        query = self.queries[index]
        return len(query.hits.query.residues) * (len(query.rounds[-1].alignment) if query.rounds else 1)

    def _may_have_more(self, query: SequenceRecord, included: HitColumns, database: EncodedDatabase) -> bool:
        """Whether another profile may find further segments in the same subjects, as in a genome."""
        longest = database.lengths_of(included.db_index).max(initial=0)
        return self.bases is not None and bool(longest > SEVERAL * len(query.residues))

    def _add_round(self, index: int, finished: _QueryRound, cancel: threading.Event | None = None) -> list[int]:
        """Take over what a round gave; returns the query if it is to be searched with again."""
        query, number = self.queries[index], len(self.queries[index].rounds) + 1
        if cancel is not None and cancel.is_set() and number > 1:
            raise Stopped
        query.rounds.append(finished.round)
        query.hits, query.profile, query.relatives = finished.hits, finished.profile, finished.relatives
        query.ended = ending(query.rounds, self.settings.rounds)
        if query.ended and self._leaves_cores and self.shuffles(self.searches[-1].database):
            self.comparisons.add(index, query.hits, self.searches[-1], self.correction_work)
        return [] if query.ended else [index]

    def _rounds_over(self) -> Iterator[RoundStarted | RoundFinished]:
        """Yield the inclusions of every round that is over now, and the beginning of the next one."""
        while all(query.ended or len(query.rounds) >= self.number for query in self.queries):
            number = self.number
            rounds = [QueryRounds(tuple(one.rounds), "rounds") for one in self.queries if len(one.rounds) >= number]
            changing = sum(not query.ended or len(query.rounds) > number for query in self.queries)
            included = sum(len(each.rounds[number - 1].included) for each in rounds)
            new, lost = (sum(len(of(each, number)) for each in rounds) for of in (QueryRounds.new, QueryRounds.lost))
            yield RoundFinished(number, included, new, lost, changing, self._result_now)
            self.number += 1
            if not changing:
                return
            self.progress = AddedProgress()
            yield RoundStarted(self.number, self.settings.rounds, changing)

    def _finish_early(self, tasks: _Tasks, error: SwguiError) -> None:
        """End the rounds after Stop or a fault; complete rounds stay, and the finished part of the first."""
        stopped = isinstance(error, Stopped)
        while tasks:
            for group, finished in tasks.done(patient=True):
                for index, made in zip(group, finished, strict=True):
                    if not stopped or not self.queries[index].rounds:
                        self._add_round(index, made)
        if not all(query.rounds for query in self.queries):
            raise error
        self._end("stopped" if stopped else "failed", "" if stopped else str(error))

    def _rounds_of(
        self, searched: ScanResult, rows: Sequence[int], group: Sequence[int], tasks: _Tasks, cancel: threading.Event
    ) -> list[_QueryRound]:
        """Return the result of a round for some queries: the next profiles, and the hits with the E that counts."""
        queries, listed = [self.queries[index] for index in group], searched.listed(rows)
        with suppress(Stopped):
            listed = self._summed(searched.result, listed, checking(cancel))
        result, lists = replace(searched.result, queries=tuple(listed)), [found.hits for found in listed]
        with suppress(Stopped):
            lists = self._judged(result, [query.rounds for query in queries], checking(cancel))
        hits = JoinedHits.joined(lists if self.bases is None else [found.hits for found in listed])
        included = included_each(result, hits, self.inclusion)
        built = dict[int, _Built]()
        floods = self._floods(result, lists)
        for number, flood in floods.items():
            included[number] = flood.candidates
        changed = [
            number
            for number, (query, found, own) in enumerate(zip(queries, listed, included, strict=True))
            if not self._same_members(query, own) or self._may_have_more(found.query, own, result.database)
        ]
        if changed and not cancel.is_set():
            with suppress(Stopped):  # then this round is the last, and its alignments are not asked for
                built = self._built_each(result, changed, included, floods, queries, tasks, checking(cancel))
        for number, made_of in built.items():
            included[number] = made_of.included
        beyond = counted_beyond(result, hits, included, self.inclusion.never)
        made = []
        for number, (query, found) in enumerate(zip(queries, listed, strict=True)):
            profile, effective, information, coverage = query.profile, 1.0, None, None
            if number in built:
                alignment, own = built[number].alignment, built[number].profile
                effective, information, coverage = own.effective_sequences, own.information, median_coverage(alignment)
                profile = own.profile if len(included[number]) else profile
            elif number in changed:  # stopped
                alignment = MasterAlignment.of_query(found.query, result.scheme.alphabet)
            else:
                past = query.rounds[-1]
                alignment, effective, information = past.alignment, past.effective_sequences, past.information
                coverage = median_coverage(alignment)
            done = Round(
                lists[number].db_index,
                lists[number].log10_evalues,
                included[number].db_index,
                found.query.profile,
                alignment,
                effective,
                result.seconds,
                coverage,
                information,
                beyond[number],
            )
            made_of_flood = number in floods and (number in built or number not in changed)  # not stopped before
            relatives = floods[number].relatives if made_of_flood else 0
            made.append(_QueryRound(done, profile, replace(found, hits=lists[number]), relatives))
        return made

    def _floods(self, result: SearchResult, lists: list[HitColumns]) -> dict[int, Flood]:
        """Return the floods of relatives of nucleotides, by query; adds their candidates to the lists of hits."""
        floods = dict[int, Flood]()
        for number in range(len(lists)) if self.bases is not None else ():
            if (flood := flood_of(result, number, self.inclusion)) is not None:
                floods[number] = flood
                new = ~np.isin(flood.candidates.db_index, lists[number].db_index)
                lists[number] = in_order(HitColumns.join([lists[number], flood.candidates.take(new)]))
        return floods

    def _built_each(
        self,
        result: SearchResult,
        changed: Sequence[int],
        included: Sequence[HitColumns],
        floods: Mapping[int, Flood],
        queries: Sequence[_Query],
        tasks: _Tasks,
        check: Check,
    ) -> dict[int, _Built]:
        """Return the alignments and the profiles of some queries of a result, by their place in it.

        Those that take long are aligned alone, by threads that wait for work, too.
        """
        aligned = dict[int, tuple[MasterAlignment, HitColumns]]()
        short, long = list[int](), list[int]()
        for number in changed:
            residues = int(result.database.lengths_of(included[number].db_index).sum())
            cells = residues * len(result.queries[number].query.residues)
            (long if cells > LONG_CELLS or number in floods else short).append(number)
        for some in (short, *([number] for number in long)):
            by = self.recipe, self._threads(tasks, alone=some is not short), check
            if some and some[0] in floods:
                aligned[some[0]] = chosen_rows(result, some[0], floods[some[0]], self.inclusion, *by)
                continue
            own = [included[number] for number in some]
            of_each = aligned_each(result, some, own, self.inclusion, *by)
            aligned.update(zip(some, zip(of_each, own, strict=True), strict=True))
        names = [f"round {len(queries[number].rounds) + 2}" for number in aligned]
        profiles = self.maker.build_each([alignment for alignment, _ in aligned.values()], names)
        each = zip(aligned.items(), profiles, strict=True)
        return {number: _Built(alignment, profile, hits) for (number, (alignment, hits)), profile in each}

    def _threads(self, tasks: _Tasks, *, alone: bool) -> int:
        """Return how many threads align queries: of the last one all, of one that takes long those that wait, too."""
        if len(self._unfinished()) == 1:
            return self.request.search.options.threads
        return 1 + tasks.free if alone else 1

    def _same_members(self, query: _Query, included: HitColumns) -> bool:
        """Whether the round before included the same subjects."""
        if not query.rounds:
            return False
        before = query.rounds[-1].included
        return len(before) == len(included) and np.array_equal(np.sort(before), np.sort(included.db_index))

    def _summed(self, result: SearchResult, listed: Sequence[QueryResult], check: Check) -> list[QueryResult]:
        """Return queries with the E of sums over all alignments, where these judge hits, within the limit of E."""
        if self.bases is None:
            return list(listed)
        limit = np.log10(max(self.request.search.limits.max_evalue, self.inclusion.evalue))  # more were candidates
        lists = [by_sums(result, found, self.recipe, self.bases, check) for found in listed]
        within = [hits.take(~(hits.log10_evalues > limit)) for hits in lists]
        return [replace(found, hits=hits) for found, hits in zip(listed, within, strict=True)]

    def _judged(self, result: SearchResult, rounds: Sequence[Sequence[Round]], check: Check) -> list[HitColumns]:
        """Return the hits of a round of queries with the E that counts.

        Doubtful members of proteins have that of a profile without them. The rows of related RNA differ so much that
        the others seldom find a member again: what members in doubt alone support keeps its place, without a small E.
        """
        if self.bases is not None:
            return [by_certain(result, query, before, self.maker, check) for query, before in enumerate(rounds)]
        threads = -(self.request.search.options.threads or usable_cores())  # for what takes long
        return without_their_own(result, rounds, self.inclusion.evalue, self.maker, check, threads)

    def _end(self, ended: Literal["stopped", "failed"], message: str) -> None:
        """End the rounds of all queries that would continue; the complete rounds stay."""
        for query in self.queries:
            query.ended = query.ended or ended
        self.state, self.message = ended, message or self.message

    def _built(self, alignment: MasterAlignment, name: str = "") -> ScoreProfile:
        return self.maker.build(alignment, name).profile

    def _inclusion(self, database: EncodedDatabase) -> Inclusion:
        """Return by what subjects of a database are included; names that it lacks are an error."""
        settings = self.settings
        named: list[list[int]] = []
        for names in (settings.include_ids, settings.exclude_ids):
            matches = match_names(names, database.ids)
            for name in (*matches.unknown, *matches.ambiguous):
                raise InvalidParameter(
                    "include_ids",
                    name,
                    f"'{name}', which is to be included or excluded, does not name one sequence of '{database.name}'.",
                    hint="Give ids as the database has them.",
                )
            named.append(list(matches.found.values()))
        limit = settings.inclusion(len(database), self.request.scheme.alphabet.name)
        return Inclusion(limit, settings.max_rows, *named)

    def _result_now(self) -> SearchResult:
        """Return the result of a search that is stopped now; limits of alignments are not applied."""
        stopped = threading.Event()
        stopped.set()
        return run_to_end(_within_limits(replace(self.result("stopped"), state="stopped"), self.request, stopped))

    def result(self, ended: Ended = "rounds") -> SearchResult:
        """Return the last search of every query as one result; `ended` is the reason why continuing ones stop."""
        last = self.searches[-1]
        queries = tuple(replace(query.hits, rounds=self._rounds(query, ended=ended)) for query in self.queries)
        return replace(
            last,
            queries=queries,
            state=self.state,
            cells_done=sum(each.cells_done for each in self.searches),
            cells_total=sum(each.cells_total for each in self.searches),
            seconds=sum(each.seconds for each in self.searches),
            rescored=sum(each.rescored for each in self.searches),
            statistics=next((each.statistics for each in self.searches if each.statistics), ""),
            message=" ".join(filter(None, (self.searches[0].message, self.message, *self._said(queries)))),
            information=self.searches[0].information,
        )

    def _said(self, queries: tuple[QueryResult, ...]) -> list[str]:
        """Return sentences on queries without an inclusion, with a flood of relatives, and on very short ones."""
        beyond_doubt = f"{10.0**CERTAIN:g}"
        floods = [
            f"'{query.hits.query.id}' has {query.relatives:,} relatives with E up to {beyond_doubt}: "
            f"its last profile is made of {len(query.rounds[-1].included):,} that differ."
            for query in self.queries
            if query.relatives
        ]
        short = [short_sentence(query.query) for query in queries if self.bases is not None]
        return [no_inclusions_message(queries), *floods, *short]

    def _rounds(self, query: _Query, database: str = "", ended: Ended = "rounds") -> QueryRounds:
        settings = self.settings
        return QueryRounds(
            tuple(query.rounds),
            query.ended or ended,
            database,
            self.recipe,
            inclusion=self.inclusion.evalue,
            max_rows=settings.max_rows,
            include_ids=settings.include_ids,
            exclude_ids=settings.exclude_ids,
            from_profile=query.started_with_profile,
            bases=self.bases,
        )

    def reported(self, built: SearchResult, cancel: threading.Event) -> Generator[IterationEvent, None, SearchResult]:
        """Search the database that is reported on with the last profiles; the rounds stay those of the other one."""
        request = self.request
        number = 1 + max(len(query.rounds) for query in self.queries)
        yield RoundStarted(number, self.settings.rounds, len(self.queries), behind=request.database_name)
        records = tuple(replace(query.hits.query, profile=query.profile) for query in self.queries)
        search = replace(self.search.search, organisms=request.search.organisms)
        check = checking(cancel)
        try:
            alignments = {index: with_certain(built, index, self.maker, check) for index in range(len(self.queries))}
        except Stopped:
            return replace(built, state="stopped")
        last = replace(self.search, queries=records, database=request.database, search=search, starts=alignments)
        result = yield from search_steps(last, cancel, use=self.use)
        if result is None:
            return replace(built, state="stopped")
        try:
            judged = self._summed(result, result.queries, check)
        except Stopped:
            return replace(built, state="stopped")
        queries = tuple(
            replace(found, rounds=self._rounds(query, built.database.name))
            for found, query in zip(judged, self.queries, strict=True)
        )
        message = " ".join(filter(None, (result.message, *self._said(queries))))
        return replace(result, queries=queries, message=message)

    def unreported(self, result: SearchResult) -> SearchResult:
        """Return the result of the rounds after Stop or a fault in the search behind them, of which a run continues."""
        ended = f"The search of '{self.request.database_name}' did not end: the hits are those of the rounds."
        message = " ".join(filter(None, (result.message, ended)))
        return replace(self._result_now(), state=result.state, message=message)

    def _by_sums(self, result: SearchResult, found: QueryResult, check: Check) -> HitColumns | None:
        return compared_with_shuffles(result, found, self.recipe, self.bases, check)

    def shuffles(self, database: EncodedDatabase) -> bool:
        """Return True if hits in a database are compared with shuffled copies."""
        return self.request.search.composition == "full" and database.subject_kind.can("shuffles")

    def shuffled(self, result: SearchResult) -> Generator[SearchEvent, None, SearchResult]:
        """Compare the hits within the E limit with shuffled copies of their regions, as a plain search does."""
        return (yield from self.comparisons.finished(result, self.correction_work))


def _opened(request: SearchRequest, database: EncodedDatabase) -> SearchRequest:
    """Return the search of a later round, in the database as the first one searched it, with its queries masked."""
    search = replace(request.search, organisms=EVERY_ORGANISM, mask=False, context=NO_CONTEXT)
    return replace(request, database=database, search=search)


def _within_limits(
    result: SearchResult, request: SearchRequest, cancel: threading.Event
) -> Generator[SearchEvent, None, SearchResult]:
    """Apply the requested limits to hits that were listed only as candidates for inclusion."""
    queries, limits = [], request.search.limits
    for query in result.queries:
        beyond = query.hits.log10_evalues > np.log10(limits.max_evalue)
        beyond |= query.hits.scores < limits.minimums.score
        queries.append(replace(query, hits=query.hits.take(~beyond).take(slice(0, limits.top))))
    search = replace(result.search, limits=limits)
    return (
        yield from keep_within(replace(result, queries=tuple(queries), search=search, asked=request.search), cancel)
    )


def ending(rounds: Sequence[Round], most: int) -> Ended | None:
    """Return why a query is not searched again after its rounds so far, of at most `most`; None if it is."""
    if not len(rounds[-1].included):
        return "none"
    members = [_members(each) for each in rounds]
    if members[-1] in members[:-1]:
        return "same"
    return "rounds" if len(rounds) == most else None


def _members(made: Round) -> tuple[frozenset[int], int]:
    """Return the subjects of a round and, of nucleotides, the number of rows: a genome is one subject with many."""
    rows = len(made.alignment) if made.alignment.alphabet.name == NUCLEOTIDE.name else 0
    return frozenset(made.included.tolist()), rows


def no_inclusions_message(queries: tuple[QueryResult, ...]) -> str:
    """Return the message that names the queries without an inclusion, and what their result is; empty without any."""
    alone = [query.query.id for query in queries if query.rounds and query.rounds.found_none]
    if not alone:
        return ""
    who = f"'{alone[0]}'" if len(alone) == 1 else count(len(alone), "query", "queries")
    return f"{who} found no sequence to include: the result is that of the plain search."
