"""Options of files that many commands share: the database, the output, and what is kept of a run."""

from __future__ import annotations

import os
from argparse import ArgumentTypeError
from pathlib import Path
from typing import Final

from swgui.commands.endings import endings_of
from swgui.commands.option import Group, Option
from swgui.io.table_files import TABLE_FORMATS

FILES: Final = "input and output"
TABLE_ENDINGS: Final = endings_of((name, form.suffix) for name, form in TABLE_FORMATS.items())
LETTERS: Final = "3Di"  # the default alphabet of a second track
TIMINGS: Final = Group(
    (Option(("--timings",), "print how long each step took, on the standard error", default=False, flag=True),),
    FILES,
)

SIGN: Final = Option(
    ("--sign",),
    "sign the certificate by ssh-keygen with this private SSH key, into FILE.json.sig",
    "KEY",
)

RUN_OUTPUTS: Final = ("out", "save", "certificate", "checkpoint")
SAVE: Final = Option(("--save",), "also write the whole result, which 'swgui.load' opens", "FILE.result")
CHECKPOINT: Final = Option(
    ("--checkpoint",), "file of the finished work, from which the same command continues", "FILE", former=("--state",)
)
HISTORY: Final = Option(
    ("--history",),
    "also keep the run in the list of runs, under this name and also while it runs; the same command continues a run "
    "that was interrupted, and writes the files of a complete one again without computing",
    "NAME",
    bare="",
)

# A table of the user's own, whose columns are added to that of a command (`swgui.commands.metadata`).
METADATA: Final = (
    Option(
        ("--metadata",),
        "a table of your own (CSV, TSV or XLSX) whose columns are added to the rows, found by identifier or accession",
        "FILE",
    ),
    Option(
        ("--metadata-id",),
        "its column of names (default: the one that is called id, accession, entry, name or the like)",
        "COLUMN",
    ),
    Option(
        ("--metadata-for",),
        "column of the output whose names are looked up in it (default: the one of subjects or sequences)",
        "COLUMN",
    ),
)
METADATA_KEYS: Final = tuple(option.key for option in METADATA)
OWN_FEATURES: Final = ""  # value of --features without a file: the database has features of its own
FEATURES: Final = Option(
    ("--features",),
    "say where each row lies, as 'in lacZ, exon 2' or '35 bp before lacZ', by the features in this file (GFF3 or "
    "entries of GenBank, EMBL or UniProt); without FILE by those that the database has",
    "FILE",
    bare=OWN_FEATURES,
)
INFERNAL: Final = Option(
    ("--infernal",),
    "score the aligned parts of hits by this covariance model, where Infernal is installed: its bits and E in columns",
    "MODEL.cm",
)
# Options that add columns to the table of a command; the library has functions of results in their place.
ADDED_KEYS: Final = (*METADATA_KEYS, FEATURES.key, INFERNAL.key)


def context_place(text: str) -> str:
    """Return the name of a context library as a search keeps it: a file with its folder."""
    from swgui.core.contexts import NO_CONTEXT, OWN_CONTEXT  # here: few searches have one

    return text if text in (NO_CONTEXT, OWN_CONTEXT) else str(Path(text).absolute())


def database_name(name: str) -> str:
    """Return the file of a database to search, which its name may stand for (`swgui.io.database.named`).

    Raises
    ------
    argparse.ArgumentTypeError
        If that is the standard input, which can be read once and in order only.
    """
    if name == "-":
        raise ArgumentTypeError("the standard input cannot be searched; 'swgui makedb - -o NAME.swdb' builds from it")
    if os.path.dirname(name) or os.path.exists(name):
        return name
    from swgui.io.database.named import file_of  # here: most databases are named by their file

    return ",".join(file_of(one) for one in name.split(","))


def out_option(help_text: str) -> Option:
    """Return the option that names the file of the output, which is the standard output by default."""
    return Option(("-o", "--out"), f"{help_text} (default: the standard output, as -)", "FILE", out_file)


def table_format() -> Option:
    """Return the option that says how a table is written."""
    said = "; ".join(f"{name}: {form.description}" for name, form in TABLE_FORMATS.items())
    return Option(
        ("--format", "-f"),
        f"of the table (default: by the ending of --out, else tsv): {said}",
        default="tsv",
        choices=tuple(TABLE_FORMATS),
        endings=TABLE_ENDINGS,
    )


def out_file(name: str) -> str | None:
    """Return the name of an output file; None for the standard output."""
    return None if name == "-" else name


# Of every kind of run that a package adds, and which of them name outputs.
RUN_OPTIONS: Final = (
    Group(
        (
            out_option("where to write the table"),
            table_format(),
            *METADATA,
            Option(("--table",), "name of the table, if there are several (default: the first)", "NAME"),
            SAVE,
            Option(("--certificate",), "file of the certificate, as JSON, if there is one", "FILE.json"),
            CHECKPOINT,
            HISTORY,
        ),
        FILES,
    ),
)
