"""One pass of a watch: a newer release of the database, the hits that it changes, and the message on them."""

from __future__ import annotations

import threading
from collections.abc import Generator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Literal

import msgspec

from swgui.core.errors import Stopped, SwguiError, explaining
from swgui.core.plain import replace
from swgui.core.words import count
from swgui.engines import registry
from swgui.io.whole_file import check_place
from swgui.jobs.events import Stage
from swgui.runs.watches.mail import MailFault, send
from swgui.runs.watches.record import PassFacts, SeenFile, WatchError, WatchState, write_facts
from swgui.runs.watches.telling import headline, message
from swgui.runs.watches.watch import Watch, stamp, watch_names

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


def passes_steps(
    root: Path, names: Sequence[str], cancel: threading.Event, use: registry.UseEngine
) -> Generator[object, None, list[Outcome]]:
    """Make one pass of some watches, one after another, until it is stopped; all if none is named.

    The caller holds the folder, as of `pass_steps`. A watch that is missing or damaged has an outcome, too.
    """
    outcomes = list[Outcome]()
    for name in dict.fromkeys(names) or watch_names(root):
        try:
            outcomes.append((yield from pass_steps(Watch(root, name), cancel, use=use)))
        except SwguiError as fault:
            outcomes.append(Outcome(name, "failed", str(fault)))
        if cancel.is_set():
            break
    return outcomes


def _passed(watch: Watch, cancel: threading.Event, use: registry.UseEngine) -> Generator[object, None, Outcome]:
    state, places = watch.state, watch.places()
    check_place(watch.feed)
    seen = tuple(_seen(place) for place in places)
    if state.last and seen == state.seen:
        return _unchanged(watch, state)
    from swgui.runs.watches.comparing import JOURNAL, compared, keep_result, opened  # here: most passes end above

    yield Stage("Opening the database")
    database = opened(watch, places, cancel)
    if state.last and database.checksum == watch.made_pass(state.last).checksum:
        return _unchanged(watch, replace(state, seen=seen))
    made, result = yield from compared(watch, state.last, database, cancel, use)
    keep_result(watch, made.number, result)
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
