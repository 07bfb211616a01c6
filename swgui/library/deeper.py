"""``swgui.deeper``."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from swgui.commands.deeper import deeper_options, deeper_request
from swgui.commands.engine import check_method, engine_name, engine_options
from swgui.core.alphabet import PROTEIN
from swgui.library.databases import DatabaseLike, to_search
from swgui.library.hits import Hits
from swgui.library.options import Parameters, described
from swgui.library.queries import Sequences, read_given
from swgui.library.search import database_inputs, hits_of, query_inputs, searched
from swgui.library.session import KEPT, OnProgress, finish

DEEPER: Final = Parameters("deeper", deeper_options)


@described(DEEPER)
def deeper(
    queries: Sequences, database: DatabaseLike, *, progress: OnProgress | bool | None = None, **options: Any
) -> Hits:
    """Search proteins in rounds, and look for further evidence on what was found.

    All other parameters are the options of ``swgui deeper``, with the same names, defaults and checks; one of
    ``profiles``, ``neighbours`` and ``forward`` must be given.

    Parameters
    ----------
    queries, database, progress : as of `swgui.search`
        Proteins.

    Returns
    -------
    Hits
        As of `swgui.iterate`, with the columns ``profile_bits`` and ``profile_evalue``, ``forward_bits`` and
        ``forward_evalue``, ``path`` and ``path_evalues``. What only the best hits find stands among the hits with its
        own E, however large. After Ctrl+C with what was known by then, and `Hits.partial` is True.

    Raises
    ------
    SwguiError
        If it cannot be carried out.
    KeyboardInterrupt
        As `swgui.search`.
    """
    arguments = DEEPER.arguments(options)
    check_method(arguments)
    KEPT.begin(engine_name(arguments), engine_options(arguments))
    given = read_given(queries, PROTEIN.name)
    place = to_search(database)
    request = deeper_request(arguments, given.records, place)
    result, notes = finish(partial(searched, request), progress)
    return hits_of(result, [*given.notes, *notes], [*query_inputs(given), *database_inputs(place)])
