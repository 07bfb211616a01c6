"""How long a sweep takes."""

from __future__ import annotations

import math

from swgui.core.words import count
from swgui.jobs.forecast import Forecast
from swgui.jobs.sweep.request import SweepRequest


def sweep_forecast(request: SweepRequest) -> Forecast:
    """Return the number of settings, and the time after which no further one begins, if the request has one."""
    number = math.prod(len(axis.values) for axis in request.axes)
    return Forecast(count(number, "setting"), request.budget or None, where="at most")
