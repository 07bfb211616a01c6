"""The options that name files of alignments and profiles."""

from __future__ import annotations

from typing import Final

from swgui.commands.option import Group, Option
from swgui.commands.output import FILES

START: Final = Group(
    (
        Option(
            ("--start-from",),
            "search with an alignment or a profile instead of --query: A3M, aligned FASTA, Stockholm, Clustal, PSSMs "
            "of psiblast, models of HMMER3, or what --save-profile wrote; E is fitted to the scores",
            "FILE",
        ),
    ),
    FILES,
)
PROFILES_OUT: Final = Group(
    (
        Option(
            ("--save-alignment",),
            "also write the alignment of the last round: .a3m, .sto or .afa; with {round} in the name that of every "
            "round; with several queries a file for each, with its id in the name",
            "FILE",
        ),
        Option(
            ("--save-profile",),
            "also write the profile that follows from the last round: .json, .hmm or .pssm; likewise",
            "FILE",
        ),
    ),
    FILES,
)
