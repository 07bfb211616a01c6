"""Where hits are written to, and how, on the command line."""

from __future__ import annotations

import argparse
import threading
from argparse import ArgumentTypeError
from typing import Final

from swgui.commands.endings import endings_of
from swgui.commands.files import FEATURES, FILES, INFERNAL, METADATA, out_option
from swgui.commands.option import Group, Option
from swgui.io.export import FORMATS, Column, ExportOptions

BLAST_NUMBERS: Final = {
    "0": "text", "5": "blast-xml1", "6": "blast6", "7": "blast7", "15": "blast-json", "16": "blast-xml", "17": "sam",
    "m8": "blast6",
}  # fmt: skip


def format_name(text: str) -> str:
    """Return the name of a format, which BLAST's numbers stand for as well.

    Raises
    ------
    argparse.ArgumentTypeError
        If columns are named in the same word.
    """
    name, *columns = text.split() or [""]
    if columns:
        raise ArgumentTypeError(f"columns have an option of their own: --format {name} --columns {','.join(columns)}")
    return BLAST_NUMBERS.get(name, name)


def _endings(*, saved: bool) -> dict[str, tuple[str, ...]]:
    """Return the formats by the endings of their files."""
    more: dict[str, tuple[str, ...]] = {".m8": ("blast6",), **({".swgui": ()} if saved else {})}
    return endings_of(((name, form.suffix) for name, form in FORMATS.items()), more)


def hits_out(title: str = FILES, *, saved: bool = False) -> Group:
    """Return the options of every command that writes hits; with the formats that plugins bring.

    Parameters
    ----------
    saved : bool
        Whether the command saves the whole search where the output is named so.
    """
    return Group(
        (
            out_option("where to write the hits"),
            Option(
                ("--format", "-f", "--outfmt"),
                "format of the hits (default: by the ending of --out, else tsv), also by BLAST's number; "
                "'swgui formats' lists them",
                "NAME",
                read=format_name,
                default="tsv",
                choices=tuple(FORMATS),
                endings=_endings(saved=saved),
            ),
            *METADATA,
            FEATURES,
            INFERNAL,
            Option(
                ("--columns",),
                "columns of a table, for example sseqid,score,zscore; std: BLAST's twelve; +NAME: the usual ones and "
                "this one; also BLAST's and MMseqs2's names; 'swgui columns' lists them",
                "NAME[,NAME]",
            ),
            Option(
                ("--comments",), "begin tables with # lines that describe how they were made", default=False, flag=True
            ),
            Option(
                ("--headings",), "name the columns of CSV for people: Description, not stitle", default=False, flag=True
            ),
            Option(("--flank",), "residues on either side of aligned parts in FASTA", "N", int, 0),
            Option(("--gaps",), "write aligned parts in FASTA with their gap signs", default=False, flag=True),
        ),
        title,
    )


def export_options(arguments: argparse.Namespace, cancel: threading.Event | None = None) -> ExportOptions:
    """Choices for the export of hits, with the values of `hits_out`; `cancel` ends programs that compute columns."""
    columns = tuple(key.strip() for key in arguments.columns.split(",")) if arguments.columns else None
    joined: tuple[Column, ...] = ()
    if getattr(arguments, "features", None) is not None:
        from swgui.commands.features import hit_columns  # here: few tables say where their rows lie

        joined = hit_columns(arguments)
    if getattr(arguments, "infernal", None) is not None:
        from swgui.commands.infernal import hit_columns as infernal_columns  # here: few tables have such scores

        joined += infernal_columns(arguments, cancel)
    if arguments.metadata:
        from swgui.commands.metadata import metadata_of  # here: few tables have columns of the user's own
        from swgui.io.export.own import own_columns

        own = metadata_of(arguments)
        assert own is not None  # one is named
        joined += own_columns(own, arguments.metadata_for, [column.key for column in joined])
    return ExportOptions(columns, arguments.comments, arguments.flank, arguments.gaps, arguments.headings, joined)
