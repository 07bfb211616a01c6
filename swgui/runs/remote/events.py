"""Events of a run on their way between two computers: plain values by the name of their class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from swgui.jobs.events import Foretold, Progress, Stage
from swgui.jobs.search.events import DatabaseAltered, Parted, RoundStarted, Started

# Those that travel. `Found` and `RoundFinished` hold results: they come with the file of the run.
TRAVELLING: Final = (Stage, Foretold, Progress, Started, Parted, RoundStarted, DatabaseAltered)
_BY_NAME: Final = {kind.__name__: kind for kind in TRAVELLING}
_HERE_ALONE: Final = ("database",)  # fields that are objects of one program


def packed_event(event: Any) -> list[Any] | None:
    """Return an event as plain values; None if it does not travel."""
    kind = next((kind for kind in TRAVELLING if type(event) is kind), None)
    if kind is None:
        return None
    fields = {name: getattr(event, name) for name in kind.__struct_fields__ if name not in _HERE_ALONE}
    return [kind.__name__, msgspec.to_builtins(fields, enc_hook=dict)]


def unpacked_events(packed: Iterable[Any]) -> Iterator[Any]:
    """Yield events again; those that this version does not know are left out."""
    for one in packed:
        match one:
            case [str(name), dict(fields)] if name in _BY_NAME:
                try:
                    yield msgspec.convert(fields, _BY_NAME[name])
                except msgspec.ValidationError:
                    continue
