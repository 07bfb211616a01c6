"""Searches that begin with an alignment or a profile in a file, in place of queries."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from swgui.commands.iteration import profile_recipe
from swgui.commands.scoring import choose_scheme
from swgui.commands.search import request_of
from swgui.core.alphabet import ALPHABETS, PROTEIN
from swgui.core.contexts import NO_CONTEXT
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.core.scoring import SubstitutionMatrix
from swgui.io.profiles.formats import StartingPoint, read_start
from swgui.jobs.iterate.request import profile_of, with_profiles
from swgui.jobs.search.request import SearchRequest


def request_from(
    arguments: argparse.Namespace, database: Path | EncodedDatabase | None = None
) -> tuple[SearchRequest, StartingPoint]:
    """Return the requested search, and the alignment or profile it begins with.

    Parameters
    ----------
    arguments : Namespace
        Of ``swgui search``, with the file as ``start_from``.
    database : Path or EncodedDatabase, optional
        The database, in place of the one they name.

    Raises
    ------
    SwguiError
        If the file cannot be read, or the search not be carried out.
    """
    if arguments.query:
        raise InvalidParameter(
            "start-from", arguments.start_from, "--query and --start-from exclude each other.",
            hint="Leave out one of them.",
        )  # fmt: skip
    if arguments.context != NO_CONTEXT:
        raise InvalidParameter(
            "context",
            arguments.context,
            "--context and --start-from exclude each other.",
            hint="Leave out one of them.",
        )
    alphabet = PROTEIN if arguments.type == "auto" else ALPHABETS[arguments.type]
    start = read_start(arguments.start_from, choose_scheme(arguments, alphabet))
    request = request_of(arguments, start.records, alphabet, database)
    if arguments.iterations > 1:
        return request, start
    recipe = profile_recipe(arguments, alphabet.name)
    request = with_profiles(request, [*_profiles(start, request.scheme.matrix, recipe)], recipe)
    # A database of profiles is compared with the alignment itself.
    return replace(request, starts={} if start.alignment is None else {0: start.alignment}), start


def _profiles(start: StartingPoint, matrix: SubstitutionMatrix, recipe: Recipe) -> Iterator[SequenceRecord]:
    for record in start.records:
        if start.alignment is None:
            yield record
        else:
            yield replace(record, profile=profile_of(start.alignment, matrix, recipe, record.id).profile)
