"""The search and the comparison of a pass that found another release."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from swgui.core.circular import as_given
from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, LogError, Stopped
from swgui.core.hits.results import SearchResult
from swgui.core.plain import from_plain
from swgui.core.search import Search
from swgui.core.several.joined import joined
from swgui.core.several.releases import content_hashes
from swgui.core.verdict.queries import significant_hits
from swgui.engines import registry
from swgui.io.database.any_file import open_any_database
from swgui.io.database.dated import release_of
from swgui.io.saved.database import EMBEDDED
from swgui.io.saved.facts import search_of
from swgui.io.saved.score_log import ScoreLog
from swgui.io.saved.search import load_search, save_search
from swgui.io.whole_file import save_bytes
from swgui.jobs.search.request import SearchRequest
from swgui.jobs.search.run import search_steps
from swgui.jobs.several.diff import SearchDiff, diff_steps
from swgui.runs.search_facts import RequestFacts, runnable
from swgui.runs.watches.record import WATCH, PassFacts, damaged
from swgui.runs.watches.watch import Watch, stamp

JOURNAL: Final = "pass.journal"  # scores of a pass that was interrupted
CONTENTS: Final = "contents-{}.npy"  # hashes of the subjects of a pass: the database itself is often replaced


def opened(watch: Watch, places: Sequence[Path], cancel: threading.Event) -> EncodedDatabase:
    """Return the database of a watch, several as one; errors as of `open_any_database`."""
    kind = _search(watch).database_alphabet.residue_alphabet
    return joined([open_any_database(place, alphabet=kind, cancel=cancel) for place in places])


def _search(watch: Watch) -> Search:
    with _readable(watch):
        return runnable(search_of(watch.facts.asked["search"]))


def _request(watch: Watch, database: EncodedDatabase) -> SearchRequest:
    """Return the search of a database; `WatchError` if its record is damaged."""
    with _readable(watch):
        asked = from_plain(RequestFacts, watch.facts.asked)
        queries = tuple(query.record() for query in asked.queries)
    return SearchRequest(queries, database, _search(watch), queries_masked=asked.queries_masked, name=watch.name)


@contextmanager
def _readable(watch: Watch) -> Iterator[None]:
    try:
        yield
    except (KeyError, TypeError, ValueError) as fault:
        raise damaged(watch.folder / WATCH) from fault


def compared(
    watch: Watch,
    last: int,
    database: EncodedDatabase,
    cancel: threading.Event,
    use: registry.UseEngine,
) -> Generator[object, None, tuple[PassFacts, SearchResult]]:
    """Search a database, compare with the last pass if there is one, and return the record of this pass.

    The scores stay in the journal until the caller deletes it.

    Raises
    ------
    Stopped
        If it was stopped; the next call continues.
    SwguiError
        As `search_steps`, `diff_steps` and `load_search`.
    """
    before = load_search(watch.result(last)).result if last else None
    hashes = _hashes(watch, before, last) if before is not None else None
    whole = before is not None and (hashes is not None or before.database.at_hand is None)
    log = _journal(watch, {"watch": watch.facts.id, "after": last, "to": database.checksum, "whole": whole})
    kept, found = True, None
    try:
        if before is None:
            result = _whole((yield from search_steps(_request(watch, database), cancel, journal=log, use=use)))
        else:
            found = yield from _differences(before, database, cancel, use, log, hashes)
            result = found.now
    except LogError:
        kept = False  # the next pass begins anew
        raise
    finally:
        log.close() if kept and log.worth_keeping else log.delete()
    searched = len(result.database) if found is None else found.searched
    return _record(watch, last + 1, result, found, searched), result


def _differences(
    before: SearchResult,
    database: EncodedDatabase,
    cancel: threading.Event,
    use: registry.UseEngine,
    log: ScoreLog,
    hashes: NDArray[np.uint64] | None,
) -> Generator[object, None, SearchDiff]:
    asked = runnable(before.asked)
    found = yield from diff_steps(
        before, database, cancel, engine=asked.engine, options=asked.options, use=use, journal=log, hashes=hashes
    )
    if found is None:
        raise Stopped
    return found


def keep_result(watch: Watch, number: int, result: SearchResult) -> None:
    """Write the search of a pass, and the hashes of its subjects where the search has all names, too.

    Raises
    ------
    FileNotWritten
        If one cannot be written.
    """
    places = watch.places()
    save_search(result, watch.result(number), database_path=places[0] if len(places) == 1 else None)
    database = as_given(result.database)
    if database.profiles is None and database.ids.size < EMBEDDED:
        hashes = content_hashes(database)
        save_bytes(watch.folder / CONTENTS.format(number), lambda file: np.save(file, hashes))


def _hashes(watch: Watch, before: SearchResult, number: int) -> NDArray[np.uint64] | None:
    """Return the hashes of the subjects of a pass; None where they were not kept, or cannot be read."""
    with suppress(OSError, ValueError, EOFError):
        hashes: NDArray[np.uint64] = np.load(watch.folder / CONTENTS.format(number), allow_pickle=False)
        if hashes.shape == (len(before.database), 2) and hashes.dtype == np.uint64:
            return hashes
    return None


def _whole(result: SearchResult | None) -> SearchResult:
    """Return a result that is complete; `Stopped` or `EngineFault` if it is not."""
    if result is not None and result.state == "failed":
        raise EngineFault(result.message)
    if result is None or result.state != "complete":
        raise Stopped
    return result


def _record(watch: Watch, number: int, result: SearchResult, found: SearchDiff | None, searched: int) -> PassFacts:
    database = result.database.whole or result.database
    columns = [query.hits for query in result.queries]
    rated = not any(np.isnan(hits.log10_evalues).any() for hits in columns)
    return PassFacts(
        number=number,
        when=stamp(),
        database=database.name,
        release=", ".join(filter(None, map(release_of, watch.places()))),
        checksum=database.checksum,
        sequences=len(database),
        searched=searched,
        gone=-1 if found is None else found.gone,
        hits=sum(len(hits.db_index) for hits in columns),
        significant=sum(map(significant_hits, columns)) if rated else None,
        changes=() if found is None else found.changes,
    )


def _journal(watch: Watch, facts: dict[str, Any]) -> ScoreLog:
    """Open the scores of a pass that was interrupted, if it was this one; else a new file."""
    path = watch.folder / JOURNAL
    if path.is_file():
        with suppress(LogError):
            log = ScoreLog(path)
            if all(log.facts.get(key) == value for key, value in facts.items()):
                return log
            log.close()
        path.unlink(missing_ok=True)
    return ScoreLog(path, facts)
