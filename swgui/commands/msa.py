"""``swgui msa``: its options."""

from __future__ import annotations

from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.option import Group, Option
from swgui.commands.output import FILES
from swgui.io.profiles.complexes import COMPLEXES
from swgui.jobs.iterate.request import ROUNDS

_DEFAULT_ROWS: Final = 10_000
_DEFAULT_ROUNDS: Final = 3
_DEFAULT_EVALUE: Final = 0.001

FILES_OF: Final = Group(
    (
        Option(("-q", "--query"), "proteins, one or more: FASTA, GenBank, ..., plain or gz", "FILE", required=True),
        Option(
            ("-d", "--database"),
            "a .swdb file or a sequence file; may be repeated: the rows of all come together",
            "FILE",
            many=True,
            required=True,
        ),
        Option(
            ("-o", "--out"),
            "where to write: .a3m, .sto or .afa; with several queries a file for each, with its id in the name",
            "FILE",
            required=True,
        ),
        Option(
            ("--complex",),
            "the queries are the different chains of one complex: put rows of one organism side by side, as this "
            "program reads them (" + "; ".join(f"{one.name}: {one.help}" for one in COMPLEXES.values()) + ")",
            choices=tuple(COMPLEXES),
        ),
    ),
    FILES,
)
ROWS: Final = Group(
    (
        Option(
            ("--iterations",),
            f"searches, {ROUNDS[0]} to {ROUNDS[1]} (default {_DEFAULT_ROUNDS})",
            "N",
            int,
            _DEFAULT_ROUNDS,
        ),
        Option(
            ("--inclusion-evalue",),
            "E-value up to which a round includes subjects in the next profile (default: 0.1, in databases of less "
            "than 20,000 sequences 0.03)",
            "E",
            float,
        ),
        Option(
            ("--evalue",),
            f"E-value up to which subjects of the last search are rows (default {_DEFAULT_EVALUE:g})",
            "E",
            float,
            _DEFAULT_EVALUE,
        ),
        Option(("--max-rows",), f"rows at most, best first (default {_DEFAULT_ROWS:,})", "N", int, _DEFAULT_ROWS),
        Option(("--min-coverage",), "rows that cover this part of the query, in percent", "PERCENT", float, 0.0),
        Option(("--min-identity",), "rows this identical to the query, in percent", "PERCENT", float, 0.0),
        Option(
            ("--max-identity",),
            "leave out rows more identical than this to a better one, in percent (default: none)",
            "PERCENT",
            float,
        ),
    ),
    "rows",
)


def msa_options() -> tuple[Group, ...]:
    """Return the options of ``swgui msa``."""
    return FILES_OF, ROWS, engine_group()
