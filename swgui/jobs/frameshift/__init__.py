"""Proteins and DNA whose reading may shift: from the request to hits, one query after the other."""

from swgui.core.frameshift.hits import ShiftHit
from swgui.jobs.frameshift.request import DEFAULT_SHIFT, ShiftedRequest
from swgui.jobs.frameshift.run import QueryHits, search_shifted

__all__ = ["DEFAULT_SHIFT", "QueryHits", "ShiftHit", "ShiftedRequest", "search_shifted"]
