"""Where hits are written to, and how, on the command line."""

from __future__ import annotations

from typing import Final

from swgui.commands.option import Group, Option
from swgui.io.export import FORMATS, HIT_COLUMNS

FILES: Final = "input and output"
TIMINGS: Final = Group(
    (Option(("--timings",), "say on the standard error in how many parts the time goes", default=False, flag=True),),
    FILES,
)


def hits_out(title: str = FILES) -> Group:
    """Return the options of every command that writes hits; with the formats that plugins bring."""
    return Group(
        (
            Option(("-o", "--out"), "where to write the hits (default: standard output)", "FILE"),
            Option(
                ("--format",),
                "; ".join(f"{name}: {form.description}" for name, form in FORMATS.items()),
                default="tsv",
                choices=tuple(FORMATS),
            ),
            Option(
                ("--columns",),
                f"columns of a table, for example sseqid,score,zscore; there are {', '.join(HIT_COLUMNS)}",
                "NAME[,NAME]",
            ),
            Option(("--comments",), "begin tables with # lines that say how they were made", default=False, flag=True),
            Option(("--flank",), "residues beside aligned parts in FASTA", "N", int, 0),
            Option(("--gaps",), "write aligned parts in FASTA with their gap signs", default=False, flag=True),
        ),
        title,
    )
