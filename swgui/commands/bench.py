"""``swgui bench``: its options, and the command of a sweep of the window."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Final

from swgui.commands.files import FILES, database_name
from swgui.commands.option import Group, Option, command_line
from swgui.commands.percent import positive
from swgui.commands.scoring import SCORING, scoring_values
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.methods.base import AUTO
from swgui.core.sweep.axes import PRESETS
from swgui.core.sweep.grid import METHOD_AXIS, QUERY_AXIS
from swgui.engines.facts import GPU
from swgui.engines.registry import listed_names
from swgui.io.sequences.sources import STANDARD
from swgui.jobs.sweep.request import SweepRequest

QUICK: Final = "quick"
QUERY: Final = "query.fasta"  # stands for the file of a query that has none
WATT_SECONDS: Final = 5.0  # of a cell whose energy is measured
DATABASE: Final = "database.fasta"  # stands for the file of a database that has none
_TUNE: Final = Group(
    (
        Option(
            ("--tune",),
            "measure the tiles of the kernel on this GPU, in place of those of an H200 that came with the program; "
            "searches use them until driver or kernels change, and no score changes",
            default=False,
            flag=True,
        ),
        Option(("--forget-tune",), "forget what --tune measured, on all GPUs", default=False, flag=True),
    ),
    "tiles of the GPU",
)
_OUT: Final = Group(
    (
        Option(("--json",), "print everything as JSON, for programs, or write it to a file", "FILE", bare=STANDARD),
        Option(("--csv",), "write a table of all cells to a file", "FILE"),
        Option(("--keep",), "keep it among the runs, which the window lists", default=False, flag=True),
        Option(
            ("--use",),
            "keep it, and search with the best settings from now on, for queries of that length on that device; "
            "with automatic ones if nothing is gained",
            default=False,
            flag=True,
        ),
    ),
    FILES,
)


def seconds_of(text: str) -> float:
    """Return a number of seconds; `ArgumentTypeError` if it is none."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds >= 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds")
    return seconds


def bench_options() -> tuple[Group, ...]:
    """Return the options of ``swgui bench``."""
    what = Group(
        (
            Option(
                ("--sweep",),
                f"one or two settings to vary, each with its values if not all usual ones are wanted: "
                f"'threads=64,128 blocks', 'query method'; or {', '.join((QUICK, *PRESETS))}; the first runs along the "
                f"bottom (default: {QUERY_AXIS}; without AXES, or with --use: {QUICK})",
                "AXES",
                many=True,
                run=True,
                bare=[],
            ),
            Option(("--engine",), f"{', '.join(listed_names())} (default: the fastest here)", "NAME", default="auto"),
            Option(("--method",), f"search method of the {GPU.name} engine (default: its own)", "NAME", default=AUTO),
            Option(
                ("--set", "--setting"),
                "a setting that all cells share",
                "NAME=VALUE",
                default=[],
                many=True,
                run=True,
                dest="settings",
            ),
            Option(("--device",), "the device to measure (default: the first)", "ID", default=""),
            Option(
                ("-q", "--query"),
                "residues of a synthetic query, or a FASTA file (default: 350)",
                "N|FILE",
                default="350",
            ),
            Option(
                ("-d", "--database", "--db"),
                "a .swdb file or sequences (default: synthetic ones)",
                "FILE",
                database_name,
            ),
            Option(
                ("--type",),
                f"kind of sequence (default: {PROTEIN.name})",
                default=PROTEIN.name,
                choices=(PROTEIN.name, NUCLEOTIDE.name),
            ),
            Option(("--residues",), "residues of the synthetic database (default: by the engine)", "N", int, 0),
            Option(("--repeats",), "timed runs of a cell (default: 5)", "N", positive, 5),
            Option(
                ("--watts",),
                "measure also what the GPU takes, for so many seconds a cell (5 without a number), next to CUDASW++ "
                "4.0 where its programs 'align' and 'makedb' are installed",
                "SECONDS",
                seconds_of,
                0.0,
                bare=WATT_SECONDS,
            ),
            Option(("--budget",), "seconds after which no further cell is begun", "SECONDS", seconds_of, 0.0),
        )
    )
    return what, _TUNE, SCORING, _OUT


def sweep_command(asked: SweepRequest) -> str:
    """Return the command that measures the same; `QUERY` and `DATABASE` stand for sequences that no file has."""
    settings, made_up = dict(asked.options.settings), isinstance(asked.database, int)
    values: dict[str, object] = {
        "sweep": [f"{axis.name}={','.join(axis.values)}" for axis in asked.axes],
        "engine": asked.engine,
        "method": settings.pop(METHOD_AXIS, AUTO),
        "settings": [f"{name}={value}" for name, value in settings.items()],
        "device": asked.options.devices[0] if asked.options.devices else "",
        "query": str(asked.query) if isinstance(asked.query, int) else asked.query_file or QUERY,
        "database": None if made_up else asked.file or DATABASE,
        "type": asked.scheme.alphabet.name,
        "residues": asked.database if made_up else 0,
        "repeats": asked.repeats,
        "watts": asked.watts,
        "budget": asked.budget,
        **scoring_values(asked.scheme, asked.scheme.matrix.name),
        "keep": True,
    }
    return command_line("bench", bench_options(), values)


def to_be_saved(asked: SweepRequest) -> tuple[str, ...]:
    """Return the names that stand for sequences which no file has, in the command of a sweep."""
    query = () if isinstance(asked.query, int) or asked.query_file else (QUERY,)
    return query if isinstance(asked.database, int | Path) or asked.file else (*query, DATABASE)
