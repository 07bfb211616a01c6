"""Covariation of an alignment, with the compiled parts."""

from __future__ import annotations

from collections.abc import Callable

from swgui.core.control import Check
from swgui.core.covariation.alignment import BaseAlignment
from swgui.core.covariation.pairs import Covariation, find_pairs
from swgui.core.covariation.settings import CovariationSettings
from swgui.engines.native.covariation import RowsOfBases


def covariation(
    alignment: BaseAlignment,
    settings: CovariationSettings,
    check: Check = lambda: None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> Covariation:
    """Pairs of columns that vary together; parameters and errors as of `find_pairs`.

    Raises
    ------
    EngineUnavailable
        If there is no compiled library.
    """
    return find_pairs(alignment, settings, RowsOfBases(), check, progress)
