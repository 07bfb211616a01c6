"""The standing query of a search that was carried out."""

from __future__ import annotations

from swgui.core.errors import InvalidParameter
from swgui.core.hits.results import SearchResult
from swgui.core.plain import replace
from swgui.io.saved.database import database_file_of
from swgui.jobs.search.request import SearchRequest


def query_of(result: SearchResult, max_evalue: float) -> tuple[SearchRequest, list[str]]:
    """Return the search of a result, and the files of its database.

    Parameters
    ----------
    max_evalue : float
        Limit of E in place of the search's own.

    Raises
    ------
    InvalidParameter
        If it had rounds or began with a profile, was on another computer, or its database is in no file here.
    """
    own = result.asked
    if own.iteration is not None or (own.context == "none" and any(one.query.profile for one in result.queries)):
        message = "A search with profiles, or in rounds, cannot be watched: its profiles depend on the database."
        raise InvalidParameter(
            "result", result.database.name, message, hint="Search once without rounds, and watch that."
        )
    members = (result.database.whole or result.database).members
    places = [place for one in members if (place := database_file_of(one)) is not None and place.is_file()]
    if not places or len(places) < len(members):
        message = f"The database '{result.database.name}' of this result is in no file on this computer."
        raise InvalidParameter(
            "database", result.database.name, message, hint="Search a database file, and watch that."
        )
    queries = tuple(replace(one.query, profile=None) for one in result.queries)
    search = replace(own, limits=replace(own.limits, max_evalue=max_evalue), options=replace(own.options, on=""))
    asked = SearchRequest(queries, tuple(places) if len(places) > 1 else places[0], search, queries_masked=True)
    return asked, list(map(str, places))
