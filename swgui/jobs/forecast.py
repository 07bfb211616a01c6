"""How long a run takes, foretold before it begins: in one form for every kind, in window and terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from swgui.core.words import duration
from swgui.jobs.events import Foretold

if TYPE_CHECKING:
    from collections.abc import Iterator

    from swgui.jobs.kind import Kind

LONG: Final = 60.0  # seconds; the time of a longer run is foretold
MANY_CELLS: Final = 10**12  # the same in cells, where the speed of the device is not known


class Forecast(msgspec.Struct, frozen=True):
    """The work of a run, and how long it takes.

    Parameters
    ----------
    work : str
        In words, without a stop at its end.
    seconds : float or None
        None where the speed of the device is not known.
    cells : int
        To compute; 0 where they are not counted.
    where : str
        Words behind the time, as ``on the CPU``.
    """

    work: str
    seconds: float | None
    cells: int = 0
    where: str = ""

    @property
    def long(self) -> bool:
        """Whether it is foretold before it begins."""
        return self.cells > MANY_CELLS if self.seconds is None else self.seconds > LONG

    @property
    def sentence(self) -> str:
        """Work and time."""
        if self.seconds is None:
            return f"{self.work}: the speed of the device is not known."
        return f"{self.work}: {' '.join(filter(None, ('about', duration(self.seconds), self.where)))}."


def forecast_of(kind: Kind, begun: Any) -> Forecast:
    """Return the forecast of a run by the function that its kind names (`Kind.forecast`)."""
    from swgui.jobs.kind import load  # here: most runs know their forecast

    made: Forecast = load(kind.forecast)(begun)
    return made


def foretelling(forecast: Forecast) -> Iterator[Foretold]:
    """Yield the event of a long run; of a short one nothing."""
    if forecast.long:
        yield Foretold(forecast.sentence)
