"""``swgui serve`` and ``swgui mcp``: their options."""

from __future__ import annotations

import argparse
import re
from typing import Final

from swgui.commands.engine import engine_group
from swgui.commands.files import database_name
from swgui.commands.msa import ROWS
from swgui.commands.option import Group, Option, options_of
from swgui.settings import FoldingSettings

CELLS: Final = 1e15
_USUAL: Final = FoldingSettings()
_ORIGIN: Final = re.compile(r"https?://[A-Za-z0-9.:\[\]-]+")
MAX_CELLS: Final = Option(
    ("--max-cells",),
    f"maximum number of cells of one search, residues of its queries times those of the database (default: {CELLS:g})",
    "N",
    float,
    CELLS,
)
MCP: Final = Group(
    (
        Option(
            ("-d", "--database", "--db"),
            "a database to search, under its name without endings or under NAME",
            "[NAME=]FILE",
            many=True,
            required=True,
            dest="databases",
        ),
        MAX_CELLS,
    ),
    "server",
)


def origin(text: str) -> str:
    """Return a site as browsers write it.

    Raises
    ------
    argparse.ArgumentTypeError
        If it is none: ``*``, for example, would let every page of the web use the server.
    """
    if not _ORIGIN.fullmatch(text):
        raise argparse.ArgumentTypeError(f"'{text}' is no site; write https://HOST or http://HOST:PORT")
    return text.lower()


SERVER: Final = Group(
    (
        Option(
            ("-d", "--database", "--db"),
            "a database of proteins: the first gives uniref.a3m, a second one the rows of the environmental file; both "
            "are searched by name, too",
            "FILE",
            database_name,
            many=True,
            usual=True,
            default=[],
            dest="databases",
            former=("--databases",),
        ),
        Option(
            ("--search-database",),
            "a database of proteins or nucleotides to search, under its name without endings or under NAME",
            "[NAME=]FILE",
            many=True,
            default=[],
        ),
        Option(
            ("--nucleotide-database",),
            "a database of RNA or DNA: /ticket/nuclmsa aligns RNA with it",
            "FILE",
            database_name,
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
        MAX_CELLS,
        Option(
            ("--watches",),
            "folder of 'swgui watch' whose feeds are offered at /watch/NAME.atom, to users who may search their "
            "databases",
            "FOLDER",
        ),
        Option(
            ("--door",),
            "open this door alone: folding, blast, page, blat, agents, runs or watches; several by repeating it "
            "(default: all)",
            "NAME",
            many=True,
            default=[],
        ),
        Option(
            ("--see",),
            "whose jobs a user with a token sees: their own, or those of all (default: own)",
            default="own",
            choices=("own", "all"),
        ),
        Option(
            ("--allow-origin",),
            "a site whose pages may use the server from a browser, as https://HOST; several by repeating it",
            "URL",
            origin,
            many=True,
            default=[],
        ),
    ),
    "server",
)


def serve_options() -> tuple[Group, ...]:
    """Return the options of ``swgui serve``."""
    return SERVER, ROWS, engine_group()


def mcp_options() -> tuple[Group, ...]:
    """Return the options of ``swgui mcp``."""
    return MCP, engine_group()


def serve_arguments(**given: object) -> argparse.Namespace:
    """Return the command's values for its defaults and some given ones, by `Option.key`."""
    return argparse.Namespace(**{option.key: option.default for option in options_of(serve_options())} | given)
