"""``swgui covariation``: its options."""

from __future__ import annotations

import argparse
from typing import Final

from swgui.commands.files import FILES, out_option, table_format
from swgui.commands.option import Group, Option
from swgui.commands.percent import HOW, percent, positive
from swgui.core.covariation.settings import CovariationSettings

USUAL: Final = CovariationSettings()


def covariation_options() -> tuple[Group, ...]:
    """Return the options of ``swgui covariation``."""
    return (
        Group(
            (
                Option(
                    ("alignment",),
                    "an alignment of RNA or DNA: Stockholm (SS_cons has the pairs of a structure), A3M, aligned FASTA "
                    "or Clustal, plain or compressed",
                    "FILE",
                    required=True,
                ),
                out_option("where to write the pairs"),
                table_format(),
                Option(("--picture",), "draw the pairs as arcs over the columns", "FILE.svg"),
            ),
            FILES,
        ),
        Group(
            (
                Option(
                    ("--evalue", "-e"),
                    f"E-value up to which pairs are listed, besides all of the structure (default: {USUAL.evalue:g})",
                    "E",
                    float,
                    USUAL.evalue,
                ),
                Option(
                    ("--max-identity",),
                    f"leave out rows more identical than this to one above ({HOW}; default: {USUAL.max_identity:g})",
                    "SHARE",
                    percent,
                    100 * USUAL.max_identity,
                ),
                Option(
                    ("--max-gaps",),
                    f"leave out columns in which more of the rows have no base ({HOW}; default: {USUAL.max_gaps:g})",
                    "SHARE",
                    percent,
                    100 * USUAL.max_gaps,
                ),
                Option(
                    ("--classes",),
                    "classes of pairs of bases: 16, or 2, paired and unpaired (default: 2 for up to 8 rows or "
                    "50 columns)",
                    choices=("2", "16"),
                ),
                Option(
                    ("--copies",),
                    "alignments with columns that change alone, from which E comes (default: 4 to 100, by the size)",
                    "N",
                    positive,
                ),
                Option(("--seed",), "number that the random copies come from", "N", positive, USUAL.seed),
            ),
            "pairs",
        ),
    )


def covariation_settings(arguments: argparse.Namespace) -> CovariationSettings:
    """Return the settings that are given.

    Raises
    ------
    InvalidParameter
        If one makes no sense.
    """
    return CovariationSettings(
        evalue=arguments.evalue,
        max_identity=arguments.max_identity / 100,
        max_gaps=arguments.max_gaps / 100,
        classes=int(arguments.classes or 0),
        copies=arguments.copies or 0,
        seed=arguments.seed,
    )
