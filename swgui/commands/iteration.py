"""Options of a search in rounds, the request that they make, and the options of a request."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from operator import not_
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from swgui.commands.binding import asked, shown
from swgui.commands.files import database_name
from swgui.commands.option import Group, Option
from swgui.commands.percent import share
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.iteration import MAX_INCLUSION, ROUNDS, IterationSettings
from swgui.core.profiles.recipe import NUCLEOTIDE_PRESETS, PRESETS, PRESETS_OF, Preset, Recipe
from swgui.jobs.search.request import SearchRequest

if TYPE_CHECKING:
    from swgui.io.profiles.formats import StartingPoint

_DEFAULT: Final = IterationSettings()
_PLAIN_ROUNDS: Final = 1
_FIELD: Final = "iteration"  # of a search: its rounds
_RECIPE: Final = f"{_FIELD}.recipe."  # what the paths of the recipe begin with


def _ids(given: Iterable[str]) -> tuple[str, ...]:
    """Read identifiers with commas between them."""
    return tuple(name for text in given for part in text.split(",") if (name := part.strip()))


ITERATION: Final = Group(
    (
        Option(
            ("--iterations",),
            f"search in up to N rounds ({ROUNDS[0]} to {ROUNDS[1]}), each with a profile of the hits of the round "
            "before; scores are in eighths of a bit then, and E is fitted to those of each query",
            "N",
            int,
            _PLAIN_ROUNDS,
            path="iteration.rounds",
        ),
        Option(
            ("--preset",),
            "which subjects are included in profiles: "
            + "; ".join(f"{name}: {facts.help}" for name, facts in PRESETS.items())
            + "; of nucleotides "
            + ", ".join(f"up to {facts.inclusion:g}" for facts in NUCLEOTIDE_PRESETS.values()),
            default=_DEFAULT.preset,
            choices=tuple(PRESETS),
            path="iteration.preset",
        ),
        Option(
            ("--inclusion-evalue",),
            f"include subjects up to this E-value, at most {MAX_INCLUSION:g} (default: that of the preset)",
            "E",
            float,
            path="iteration.inclusion_evalue",
        ),
        Option(
            ("--include-ids",),
            "include these subjects in any case; several with commas or by repeating it",
            "ID[,ID]",
            many=True,
            path="iteration.include_ids",
            make=_ids,
        ),
        Option(
            ("--exclude-ids",),
            "never include these subjects",
            "ID[,ID]",
            many=True,
            path="iteration.exclude_ids",
            make=_ids,
        ),
        Option(
            ("--build-database",),
            "make the profiles from this database, and search the other one with the last profile",
            "FILE",
            database_name,
        ),
        Option(
            ("--max-rows",),
            "maximum number of sequences in a profile (default: 600)",
            "N",
            int,
            _DEFAULT.max_rows,
            path="iteration.max_rows",
        ),
        Option(
            ("--pseudocounts",),
            "weight of the frequencies that the matrix expects (default: 20, of nucleotides 8)",
            "BETA",
            float,
            path="iteration.recipe.beta",
        ),
        Option(
            ("--gap-prior",),
            "weight of the expected share of gaps (default: that of the preset)",
            "A",
            float,
            path="iteration.recipe.gap_prior",
        ),
        Option(
            ("--gap-chance",),
            "expected share of gaps (default: 0.01, of nucleotides 0.05)",
            "SHARE",
            share,
            path="iteration.recipe.gap_chance",
        ),
        Option(
            ("--row-coverage",),
            "part of the query that a sequence must cover (default: 0)",
            "SHARE",
            share,
            path="iteration.recipe.min_coverage",
        ),
        Option(
            ("--keep-low-complexity",),
            "let stretches of low complexity count in profiles (SEG masks them otherwise)",
            default=False,
            flag=True,
            path="iteration.recipe.mask",
            make=not_,
            show=not_,
        ),
        Option(
            ("--keep-coiled-coils",),
            "let coiled coils of subjects count in profiles (COILS masks them otherwise)",
            default=False,
            flag=True,
            path="iteration.recipe.mask_coils",
            make=not_,
            show=not_,
        ),
    ),
    "iterated search",
)


def with_rounds(
    arguments: argparse.Namespace, request: SearchRequest, start: StartingPoint | None = None
) -> SearchRequest:
    """Return a search with the requested rounds; unchanged if none are requested.

    Parameters
    ----------
    arguments : Namespace
        With the values of `ITERATION`.
    start : StartingPoint, optional
        The alignment that the first round begins with, if any.

    Raises
    ------
    InvalidParameter, ProfileError
        If it cannot be carried out.
    """
    if arguments.iterations == _PLAIN_ROUNDS:
        for option in ITERATION.options:
            if getattr(arguments, option.key) != option.default:
                name = option.names[0]
                raise InvalidParameter(
                    option.key,
                    getattr(arguments, option.key),
                    f"{name} is for searches in rounds, and this search has a single round.",
                    hint="Add --iterations.",
                )
        return request
    alphabet = request.scheme.alphabet.residue_alphabet.name
    recipe, usual = profile_recipe(arguments, alphabet), usual_recipe(arguments.preset, alphabet)
    given = {**_asked(arguments), "recipe": None if recipe == usual else recipe}
    settings = IterationSettings(**given)
    return replace(
        request,
        search=replace(request.search, iteration=settings),
        build_database=Path(arguments.build_database) if arguments.build_database else None,
        starts={} if start is None or start.alignment is None else {0: start.alignment},
    )


def iteration_values(request: SearchRequest) -> dict[str, object]:
    """Return the values of `ITERATION` for a request, by `Option.key`; of the recipe those that its preset lacks."""
    settings = request.search.iteration
    if settings is None:
        return {}
    values = shown(ITERATION.options, request.search)
    plain = replace(settings, recipe=usual_recipe(settings.preset, request.scheme.alphabet.residue_alphabet.name))
    usual = shown(ITERATION.options, replace(request.search, iteration=plain))
    of_recipe = {option.key for option in ITERATION.options if option.path.startswith(_RECIPE)}
    values = {key: value for key, value in values.items() if key not in of_recipe or value != usual[key]}
    return {**values, "build_database": request.build_database if isinstance(request.build_database, Path) else None}


def usual_recipe(preset: Preset, alphabet: str) -> Recipe:
    """Return the recipe of a preset for an alphabet; an alphabet without profiles is refused elsewhere."""
    return PRESETS_OF.get(alphabet, PRESETS)[preset].recipe


def profile_recipe(arguments: argparse.Namespace, alphabet: str) -> Recipe:
    """Return how profiles of an alphabet are made of alignments."""
    return replace(usual_recipe(arguments.preset, alphabet), **_asked(arguments)["recipe"])


def _asked(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the fields of the settings that options set."""
    fields: dict[str, Any] = asked(ITERATION.options, arguments)[_FIELD]
    return fields
