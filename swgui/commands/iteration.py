"""Options of a search in rounds, the request that they make, and the options of a request."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final

from swgui.commands.files import database_name
from swgui.commands.option import Group, Option
from swgui.commands.percent import share
from swgui.core.errors import InvalidParameter
from swgui.core.plain import replace
from swgui.core.profiles.recipe import MAX_INCLUSION, PRESETS, ROUNDS, IterationSettings, Recipe
from swgui.jobs.search.request import SearchRequest

if TYPE_CHECKING:
    from swgui.io.profiles.formats import StartingPoint

_DEFAULT: Final = IterationSettings()
_PLAIN_ROUNDS: Final = 1
_RECIPE: Final = {
    "pseudocounts": "beta",
    "gap_prior": "gap_prior",
    "gap_chance": "gap_chance",
    "row_coverage": "min_coverage",
}
_KEPT: Final = {"keep_low_complexity": "mask", "keep_coiled_coils": "mask_coils"}  # options that switch fields off

ITERATION: Final = Group(
    (
        Option(
            ("--iterations",),
            f"search in up to N rounds ({ROUNDS[0]} to {ROUNDS[1]}), each with a profile of the hits of the round "
            "before; scores are in eighths of a bit then, and E is fitted to those of each query",
            "N",
            int,
            _PLAIN_ROUNDS,
        ),
        Option(
            ("--preset",),
            "which subjects are included in profiles: "
            + "; ".join(f"{name}: {facts.help}" for name, facts in PRESETS.items()),
            default=_DEFAULT.preset,
            choices=tuple(PRESETS),
        ),
        Option(
            ("--inclusion-evalue",),
            f"include subjects up to this E-value, at most {MAX_INCLUSION:g} (default: that of the preset)",
            "E",
            float,
        ),
        Option(
            ("--include-ids",),
            "include these subjects in any case; several with commas or by repeating it",
            "ID[,ID]",
            many=True,
        ),
        Option(("--exclude-ids",), "never include these subjects", "ID[,ID]", many=True),
        Option(
            ("--build-database",),
            "make the profiles from this database, and search the other one with the last profile",
            "FILE",
            database_name,
        ),
        Option(("--max-rows",), "maximum number of sequences in a profile (default: 600)", "N", int, _DEFAULT.max_rows),
        Option(("--pseudocounts",), "weight of the frequencies that the matrix expects (default: 20)", "BETA", float),
        Option(("--gap-prior",), "weight of the expected share of gaps (default: that of the preset)", "A", float),
        Option(("--gap-chance",), "expected share of gaps (default: 0.01)", "SHARE", share),
        Option(("--row-coverage",), "part of the query that a sequence must cover (default: 0)", "SHARE", share),
        Option(
            ("--keep-low-complexity",),
            "let stretches of low complexity count in profiles (SEG masks them otherwise)",
            default=False,
            flag=True,
        ),
        Option(
            ("--keep-coiled-coils",),
            "let coiled coils of subjects count in profiles (COILS masks them otherwise)",
            default=False,
            flag=True,
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
    settings = IterationSettings(
        rounds=arguments.iterations,
        preset=arguments.preset,
        inclusion_evalue=arguments.inclusion_evalue,
        max_rows=arguments.max_rows,
        include_ids=tuple(_ids(arguments.include_ids)),
        exclude_ids=tuple(_ids(arguments.exclude_ids)),
        recipe=_recipe(arguments),
    )
    return replace(
        request,
        search=replace(request.search, iteration=settings),
        build_database=Path(arguments.build_database) if arguments.build_database else None,
        starts={} if start is None or start.alignment is None else {0: start.alignment},
    )


def iteration_values(request: SearchRequest) -> dict[str, object]:
    """Return the values of `ITERATION` for a request, by `Option.key`; files are named by their paths."""
    settings = request.search.iteration
    if settings is None:
        return {}
    recipe = settings.recipe
    usual = PRESETS[settings.preset].recipe
    given = {} if recipe is None else {
        key: getattr(recipe, name) for key, name in _RECIPE.items() if getattr(recipe, name) != getattr(usual, name)
    }  # fmt: skip
    kept = {key: True for key, name in _KEPT.items() if recipe is not None and not getattr(recipe, name)}
    return {
        "iterations": settings.rounds,
        "preset": settings.preset,
        "inclusion_evalue": settings.inclusion_evalue,
        "include_ids": settings.include_ids,
        "exclude_ids": settings.exclude_ids,
        "max_rows": settings.max_rows,
        "build_database": request.build_database if isinstance(request.build_database, Path) else None,
        **given,
        **kept,
    }


def _ids(given: list[str] | None) -> Iterator[str]:
    for text in given or ():
        yield from (name for part in text.split(",") if (name := part.strip()))


def profile_recipe(arguments: argparse.Namespace) -> Recipe:
    """Return how profiles are made of alignments."""
    return _recipe(arguments) or PRESETS[arguments.preset].recipe


def _recipe(arguments: argparse.Namespace) -> Recipe | None:
    """Return the recipe of the preset with its changes; None without changes."""
    changed = {name: value for key, name in _RECIPE.items() if (value := getattr(arguments, key)) is not None}
    changed |= {name: False for key, name in _KEPT.items() if getattr(arguments, key)}
    return replace(PRESETS[arguments.preset].recipe, **changed) if changed else None
