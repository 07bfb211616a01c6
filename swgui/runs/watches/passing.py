"""One pass of a watch: a newer release of the database, the hits that it changes, and the message on them."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Literal

import msgspec
import numpy as np

from swgui.core.database import EncodedDatabase
from swgui.core.errors import EngineFault, LogError, Stopped, SwguiError, explaining
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.core.several.joined import joined
from swgui.core.verdict.queries import significant_hits
from swgui.core.words import count
from swgui.engines import registry
from swgui.io.database.any_file import open_any_database
from swgui.io.database.dated import release_searched
from swgui.io.saved.score_log import ScoreLog
from swgui.io.saved.search import load_search, save_search
from swgui.io.whole_file import check_place
from swgui.jobs.events import Stage
from swgui.jobs.search.run import search_steps
from swgui.jobs.several.diff import SearchDiff, diff_steps
from swgui.runs.search_facts import runnable
from swgui.runs.watches.mail import MailFault, send
from swgui.runs.watches.record import PassFacts, SeenFile, WatchError, WatchState, write_facts
from swgui.runs.watches.telling import headline, message
from swgui.runs.watches.watch import Watch, stamp

JOURNAL: Final = "pass.journal"  # scores of a pass that was interrupted
Kind = Literal["unchanged", "baseline", "quiet", "news", "stopped", "failed"]


class Outcome(msgspec.Struct, frozen=True):
    """The outcome of a pass of one watch.

    Parameters
    ----------
    watch : str
        Its name.
    kind : str
        ``unchanged``: the database has the content of the last pass; ``baseline``: the first pass; ``quiet``: a newer
        release that changes no hit but rank and E; ``news``: one that does; ``stopped``, ``failed``.
    said : str
        The outcome, or the fault, in a sentence.
    made : PassFacts, optional
        The pass, of ``baseline``, ``quiet`` and ``news``.
    problems : tuple of str
        Messages that were not sent, in sentences.
    """

    watch: str
    kind: Kind
    said: str
    made: PassFacts | None = None
    problems: tuple[str, ...] = ()

    @property
    def failed(self) -> bool:
        """Whether there is something that a user has to look at."""
        return self.kind == "failed" or bool(self.problems)


def pass_steps(
    watch: Watch, cancel: threading.Event, *, use: registry.UseEngine = registry.new_engine
) -> Generator[object, None, Outcome]:
    """Look at the database of a watch, and compare, record and tell if it is another release.

    The caller holds the folder (`one_pass`). The state moves on once the record of the pass and the feed are written;
    messages are sent after that, and once more in the next pass if that fails.

    Returns
    -------
    Outcome
        Also of a pass that failed: the state stands then, with the fault.
    """
    try:
        with explaining():
            outcome = yield from _passed(watch, cancel, use)
            return _mailed(watch, outcome, cancel)
    except Stopped:
        return Outcome(watch.name, "stopped", "The pass was stopped; the next one continues.")
    except SwguiError as fault:
        with suppress(SwguiError, OSError):
            watch.keep(replace(watch.state, fault=str(fault)))
        return Outcome(watch.name, "failed", str(fault))


def _passed(watch: Watch, cancel: threading.Event, use: registry.UseEngine) -> Generator[object, None, Outcome]:
    state, places = watch.state, watch.places()
    check_place(watch.feed)
    seen = tuple(_seen(place) for place in places)
    if state.last and seen == state.seen:
        return _unchanged(watch, state)
    yield Stage("Opening the database")
    kind = watch.search.database_alphabet.residue_alphabet
    database = joined([open_any_database(place, alphabet=kind, cancel=cancel) for place in places])
    if state.last and database.checksum == watch.made_pass(state.last).checksum:
        return _unchanged(watch, replace(state, seen=seen))
    made, result = yield from _compared(watch, state, database, cancel, use)
    place = places[0] if len(places) == 1 else None
    save_search(result, watch.result(made.number), database_path=place)
    write_facts(watch.pass_file(made.number), made)
    watch.write_feed(made)
    outcome: Kind = "baseline" if made.number == 1 else "news" if made.news else "quiet"
    unsent = (*state.unsent, made.number) if watch.facts.mail and outcome == "news" else state.unsent
    watch.keep(WatchState(made.number, stamp(), seen, unsent))
    watch.drop_unfinished(made.number)
    (watch.folder / JOURNAL).unlink(missing_ok=True)
    return Outcome(watch.name, outcome, f"{headline(watch.name, made)}.", made)


def _seen(place: Path) -> SeenFile:
    try:
        return SeenFile.of(place)
    except OSError as fault:
        hint = "Put it back; the next pass compares with the last one that was finished."
        reason = "is not there" if isinstance(fault, FileNotFoundError) else f"cannot be read: {fault.strerror}"
        raise WatchError(place, f"The database '{place}' {reason}.", hint=hint) from fault


def _unchanged(watch: Watch, state: WatchState) -> Outcome:
    """Note that the database is the same, and write a feed again that is gone."""
    if not watch.feed.exists():
        watch.write_feed()
    watch.keep(replace(state, looked=stamp(), fault=""))
    made = watch.made_pass(state.last)
    return Outcome(watch.name, "unchanged", f"{watch.name}: {made.where} has not changed.")


def _compared(
    watch: Watch,
    state: WatchState,
    database: EncodedDatabase,
    cancel: threading.Event,
    use: registry.UseEngine,
) -> Generator[object, None, tuple[PassFacts, SearchResult]]:
    """Search the database, compare with the last pass if there is one, and return the record of the pass."""
    before = load_search(watch.result(state.last)).result if state.last else None
    whole = before is not None and before.database.at_hand is None
    log = _journal(watch, {"watch": watch.facts.id, "after": state.last, "to": database.checksum, "whole": whole})
    kept, found = True, None
    try:
        if before is None:
            result = _whole((yield from search_steps(watch.request(database), cancel, journal=log, use=use)))
        else:
            found = yield from _differences(before, database, cancel, use, log)
            result = found.now
    except LogError:
        kept = False  # the next pass begins anew
        raise
    finally:
        log.close() if kept and log.worth_keeping else log.delete()
    searched = len(result.database) if found is None else found.searched
    return _record(state.last + 1, result, found, searched), result


def _differences(
    before: SearchResult, database: EncodedDatabase, cancel: threading.Event, use: registry.UseEngine, log: ScoreLog
) -> Generator[object, None, SearchDiff]:
    asked = runnable(before.asked)
    found = yield from diff_steps(
        before, database, cancel, engine=asked.engine, options=asked.options, use=use, journal=log
    )
    if found is None:
        raise Stopped
    return found


def _whole(result: SearchResult | None) -> SearchResult:
    """Return a result that is complete; `Stopped` or `EngineFault` if it is not."""
    if result is not None and result.state == "failed":
        raise EngineFault(result.message)
    if result is None or result.state != "complete":
        raise Stopped
    return result


def _record(number: int, result: SearchResult, found: SearchDiff | None, searched: int) -> PassFacts:
    database = result.database.whole or result.database
    columns = [query.hits for query in result.queries]
    rated = [hits for hits in columns if not np.isnan(hits.log10_evalues).any()]
    return PassFacts(
        number=number,
        when=stamp(),
        database=database.name,
        release=release_searched(database),
        checksum=database.checksum,
        sequences=len(database),
        searched=searched,
        gone=-1 if found is None else found.gone,
        hits=sum(len(hits.db_index) for hits in columns),
        significant=sum(map(significant_hits, rated)),
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


def _mailed(watch: Watch, outcome: Outcome, cancel: threading.Event) -> Outcome:
    """Send the messages of the passes that were not sent yet, the oldest first; return the outcome with faults."""
    problems, state = list[str](), watch.state
    while state.unsent and watch.facts.mail and not problems:
        try:
            mail_pass(watch, watch.made_pass(state.unsent[0]), cancel)
        except MailFault as fault:
            waiting = count(len(state.unsent), "message waits", "messages wait")
            problems.append(f"{fault} {waiting} for the next pass.")
            state = replace(state, fault=problems[0])
        except Stopped:
            problems.append("The mail command was stopped; the next pass sends the message.")
        else:
            state = replace(state, unsent=state.unsent[1:], fault="")
        watch.keep(state)
    return replace(outcome, problems=tuple(problems)) if problems else outcome


def mail_pass(watch: Watch, made: PassFacts, cancel: threading.Event) -> None:
    """Send the message of a pass.

    Raises
    ------
    MailFault
        If the command fails.
    Stopped
        If `cancel` was set meanwhile.
    """
    subject = f"swgui watch {headline(watch.name, made)}"
    text = message(watch.name, watch.about, made, str(watch.folder.parent))
    send(watch.facts.mail, subject, text, cancel)
