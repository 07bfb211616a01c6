"""The process that carries out one run for another computer, whether or not that is still connected."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from swgui.core.errors import Stopped, SwguiError, explained
from swgui.io.remote.wire import FAILED, Standing
from swgui.jobs.events import Finished, Foretold, Progress, Stage
from swgui.runs import Runs
from swgui.runs.remote.events import packed_event
from swgui.runs.remote.requests import of_bytes
from swgui.serve.remote.folder import RunPlace, runs_of
from swgui.serve.remote.turn import TurnControl

LOOK_SECONDS: Final = 0.1  # between two looks at Stop and Pause
PROGRESS_SECONDS: Final = 0.1  # between two events of progress
LIMITS: Final = {"max_runs": 1 << 30, "max_bytes": 1 << 62}  # none is pruned


def carry_out(path: Path) -> int:
    """Carry out the run of a folder, or continue it; returns the exit status. Another process that does ends this."""
    place = RunPlace(path.parent.name, path.name)
    lock = place.hold()
    if lock is None:
        return 0
    with lock:
        waiting = place.file("turn")
        control = TurnControl(lambda: _waits(place), lambda: waiting.unlink(missing_ok=True), lambda: _is_first(place))
        threading.Thread(target=_watch, args=(place, control), name="swgui-wishes", daemon=True).start()
        try:
            with control.turn():
                place.end(_carried_out(place, control))
        except Stopped:
            place.end(Standing("stopped"))
        except Exception as fault:
            known = explained(fault) if isinstance(fault, OSError) else fault
            if isinstance(known, SwguiError):
                place.end(Standing(FAILED, message=known.message, hint=known.hint))
            elif isinstance(fault, MemoryError):
                place.end(Standing(FAILED, message="There is not enough memory for this there."))
            else:
                place.end(
                    Standing(FAILED, message=f"The other computer met an internal error ({type(fault).__name__}).")
                )
                raise
        finally:
            waiting.unlink(missing_ok=True)
    return 0


def _carried_out(place: RunPlace, control: TurnControl) -> Standing:
    """Carry out a run and write its result; return how it stands; `Stopped` if there is none."""
    if control.is_set():  # before it had its turn
        raise Stopped
    runs = Runs(place.file("runs"), **LIMITS)
    kind, complete, last = "", True, 0.0
    for event in _events(place, runs, control):
        if isinstance(event, str):
            kind = event
        elif isinstance(event, Progress) and time.monotonic() - last < PROGRESS_SECONDS and event.done < event.total:
            continue
        elif (packed := packed_event(event)) is not None:
            last = time.monotonic() if isinstance(event, Progress) else last
            place.add_event(packed)
    ended = [record for record in runs.list() if runs.has_result(record.id)]
    if not ended:
        raise Stopped
    complete = ended[0].state == "done"
    place.add_event(packed_event(Stage("Writing the result")))
    runs.of(kind).send(ended[0].id, place.file("result"))
    return place.result_standing(complete=complete)


def _events(place: RunPlace, runs: Runs, control: TurnControl) -> Iterator[Any]:
    """Yield the kind of the run, then its events: from its request, or from where it ended."""
    kind, packed = of_bytes(place.file("request").read_bytes())
    yield kind
    left = [record for record in runs.list() if record.resumable]
    if left:
        asked = runs.resume(left[0].id)
        yield Foretold("The run is continued there.")
    else:
        for record in runs.list():
            with suppress(SwguiError):
                runs.delete(record.id)
        asked = runs.of(kind).received(packed, lambda name, checksum: place.database())
    for event in runs.run(kind, asked, control):
        if not isinstance(event, Finished):
            yield event


def _watch(place: RunPlace, control: TurnControl) -> None:
    """Pass on Stop and Pause."""
    while not control.is_set():
        if place.file("stop").exists():
            control.set()
            return
        (control.pause if place.file("pause").exists() else control.resume)()
        time.sleep(LOOK_SECONDS)


def _waits(place: RunPlace) -> None:
    """Note that the run waits for its turn."""
    if not place.file("turn").exists():
        place.file("turn").write_bytes(b"")
        place.add_event(packed_event(Stage("Waiting for the run before this one there")))


def _is_first(place: RunPlace) -> bool:
    """Whether no run of the same owner waits that was sent earlier."""
    earlier = (one for one in runs_of(place.path.parent.name) if one.path.name < place.path.name)
    return not any(one.standing().state == "waiting" and one.file("turn").exists() for one in earlier)
