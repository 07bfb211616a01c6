"""Further evidence on the hits of a search in rounds: options, and the request."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.files import FILES, TIMINGS, database_name
from swgui.commands.msa import PROTEINS, rounds_of
from swgui.commands.option import Group, Option
from swgui.core.alphabet import PROTEIN
from swgui.core.database import EncodedDatabase
from swgui.core.errors import InvalidParameter
from swgui.core.limits import Limits
from swgui.core.profiles.iteration import MAX_BEST, ROUNDS, EvidenceOptions, IterationSettings
from swgui.core.profiles.recipe import PRESETS
from swgui.core.records import SequenceRecord
from swgui.jobs.search.request import SearchRequest

_DEFAULT: Final = IterationSettings()
_BEST: Final = _DEFAULT.evidence.best

FILES_OF: Final = Group(
    (
        PROTEINS,
        Option(("-d", "--database", "--db"), "a .swdb file or a sequence file", "FILE", database_name, required=True),
        Option(("-o", "--out"), "where to write the table (default: the standard output)", "FILE"),
    ),
    FILES,
)
EVIDENCE: Final = Group(
    (
        Option(
            ("--profiles",),
            "search with the best hits too, two rounds each, and compare their profiles with that of the query",
            default=False,
            flag=True,
        ),
        Option(
            ("--neighbours",),
            "list subjects that the best hits find with E up to 0.001 and the query does not, with their paths; "
            "costs the same searches as --profiles, once for both",
            default=False,
            flag=True,
        ),
        Option(
            ("--best",),
            f"number of hits to search with (default: {_BEST}, at most {MAX_BEST:,})",
            "N",
            int,
            _BEST,
        ),
        Option(
            ("--forward",),
            "Forward scores of HMMER for all hits, by the package pyhmmer; needs no further search",
            default=False,
            flag=True,
        ),
    ),
    "further evidence",
)
SEARCH: Final = Group(
    (
        Option(
            ("--iterations",),
            f"searches with the query, {ROUNDS[0]} to {ROUNDS[1]} (default: {_DEFAULT.rounds})",
            "N",
            int,
            _DEFAULT.rounds,
        ),
        Option(
            ("--preset",), "which subjects are included in profiles", default=_DEFAULT.preset, choices=tuple(PRESETS)
        ),
        Option(("--evalue", "-e"), "list subjects up to this E-value (default: 10)", "E", float, 10.0),
        Option(("--top", "-k"), "maximum number of subjects (default: 500)", "N", int, 500),
    ),
    "search",
)


def deeper_options() -> tuple[Group, ...]:
    """Return the options of ``swgui deeper``."""
    return FILES_OF, TIMINGS, EVIDENCE, SEARCH, engine_group()


def evidence_of(arguments: argparse.Namespace) -> EvidenceOptions:
    """Return the requested evidence.

    Raises
    ------
    InvalidParameter
        If none is requested, or too much.
    """
    wanted = EvidenceOptions(arguments.profiles, arguments.neighbours, arguments.forward, arguments.best)
    if not wanted:
        raise InvalidParameter(
            "profiles",
            "",
            "'swgui deeper' needs to know which evidence to look for.",
            hint="Add --profiles, --neighbours or --forward; without them 'swgui search --iterations 6' does the same.",
        )
    return wanted


def deeper_request(
    arguments: argparse.Namespace, queries: Sequence[SequenceRecord], database: Path | EncodedDatabase
) -> SearchRequest:
    """Return the search in rounds, with the evidence to look for after the last round.

    Raises
    ------
    InvalidParameter
        If it cannot be carried out.
    """
    evidence = evidence_of(arguments)
    settings = IterationSettings(rounds=arguments.iterations, preset=arguments.preset, evidence=evidence)
    return rounds_of(arguments, queries, PROTEIN, database, Limits(arguments.top, arguments.evalue), settings)
