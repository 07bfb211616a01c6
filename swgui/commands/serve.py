"""``swgui serve``: its options."""

from __future__ import annotations

import argparse
from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.files import database_name
from swgui.commands.msa import ROWS
from swgui.commands.option import Group, Option, options_of
from swgui.settings import FoldingSettings

_USUAL: Final = FoldingSettings()

SERVER: Final = Group(
    (
        Option(
            ("-d", "--database", "--db"),
            "a database of proteins: the first gives uniref.a3m, a second one the rows of the environmental file",
            "FILE",
            database_name,
            many=True,
            required=True,
            dest="databases",
            former=("--databases",),
        ),
        Option(("--pair-database",), "database for pairs of chains (default: the first one)", "FILE", database_name),
        Option(
            ("--address",),
            f"address to listen on (default: {_USUAL.address}); others than loopback need --token-file and --tls",
            "HOST:PORT",
            default=_USUAL.address,
        ),
        Option(
            ("--token-file",),
            "lines of a name and a token, one for each user, who has a queue of their own",
            "FILE",
            default="",
        ),
        Option(
            ("--tls",),
            "encrypt: certificate of this computer, and its key",
            "FILE.pem",
            default=[],
            many=True,
            run=True,
        ),
        Option(
            ("--keep",),
            f"days to keep results (default: {_USUAL.keep_days})",
            "DAYS",
            float,
            _USUAL.keep_days,
        ),
        Option(("--folder",), "folder of jobs and results (default: in the user's data folder)", "FOLDER"),
        Option(
            ("--max-waiting",),
            f"maximum number of waiting jobs of one user (default: {_USUAL.max_waiting})",
            "N",
            int,
            _USUAL.max_waiting,
        ),
        Option(
            ("--max-chains",),
            f"maximum number of sequences in one job (default: {_USUAL.max_chains})",
            "N",
            int,
            _USUAL.max_chains,
        ),
        Option(
            ("--max-length",),
            f"maximum length of one sequence (default: {_USUAL.max_length:,})",
            "N",
            int,
            _USUAL.max_length,
        ),
        Option(
            ("--max-residues",),
            f"maximum number of residues in one job (default: {_USUAL.max_residues:,})",
            "N",
            int,
            _USUAL.max_residues,
        ),
    ),
    "server",
)


def serve_options() -> tuple[Group, ...]:
    """Return the options of ``swgui serve``."""
    return SERVER, ROWS, engine_group()


def serve_arguments(**given: object) -> argparse.Namespace:
    """Return the command's values for its defaults and some given ones, by `Option.key`."""
    return argparse.Namespace(**{option.key: option.default for option in options_of(serve_options())} | given)
