"""Every command of the terminal: what it is for, its options, and what runs it.

The table holds names, so that help and one command load nothing of the others.
"""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, cast

from swgui.commands.option import Group, declare
from swgui.core.trace import part


@dataclass(frozen=True, slots=True)
class Command:
    """One command.

    Parameters
    ----------
    help : str
        What it does, in a few words.
    run : str
        ``module:function``, which takes the parsed arguments and returns the exit status.
    options : str
        ``module:table`` of its `Group`s, or of a function that returns them; empty for a command without options.
    reads_itself : bool
        Whether it reads its words by itself; they come as ``arguments.rest``.
    """

    name: str
    help: str
    run: str
    options: str = ""
    reads_itself: bool = False

    def groups(self) -> tuple[Group, ...]:
        """Return the options."""
        with part("import"):
            made = _named(self.options) if self.options else ()
        return cast("tuple[Group, ...]", made() if callable(made) else made)

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Give a parser the options, and the function that runs the command."""
        declare(parser, self.groups())
        parser.set_defaults(run=self.execute, parser=parser)

    def execute(self, arguments: argparse.Namespace) -> int:
        """Run the command; returns the exit status."""
        with part("import"):
            run = cast("Callable[[argparse.Namespace], int]", _named(self.run))
        return run(arguments)


def _named(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module), name)


_CLI: Final = "swgui.cli"
_OPTIONS: Final = "swgui.commands"
COMMANDS: Final = {
    command.name: command
    for command in (
        Command(
            "search", "search queries against a database", f"{_CLI}.search:run", f"{_OPTIONS}.search:search_options"
        ),
        Command(
            "audit",
            "compare another program's table with the exact hits",
            f"{_CLI}.audit:run",
            f"{_OPTIONS}.search:audit_options",
        ),
        Command(
            "msa",
            "make deep alignments of proteins, for structure prediction",
            f"{_CLI}.msa:run",
            f"{_OPTIONS}.msa:msa_options",
        ),
        Command(
            "deeper",
            "search in rounds, and with the best hits: profiles compared, neighbours, Forward scores",
            f"{_CLI}.deeper:run",
            f"{_OPTIONS}.deeper:deeper_options",
        ),
        Command(
            "rule",
            "list every place that meets a rule, with a certificate",
            f"{_CLI}.rule:run",
            f"{_OPTIONS}.rule:RULE",
        ),
        Command("pair", "align two long sequences", f"{_CLI}.pair:run", f"{_OPTIONS}.pair:PAIR"),
        Command("show", "print the hits of a saved search", f"{_CLI}.saved:show", f"{_OPTIONS}.saved:show_options"),
        Command(
            "find",
            "say where a subject stands in a saved search: hits ranked by E, all others behind them by score",
            f"{_CLI}.runs:find",
            f"{_OPTIONS}.saved:FIND",
        ),
        Command(
            "compare", "compare the hits of two saved searches", f"{_CLI}.runs:compare", f"{_OPTIONS}.saved:COMPARE"
        ),
        Command(
            "verify",
            "search again and compare every score; or check the certificate of a search by rule",
            f"{_CLI}.saved:run_verify",
            f"{_OPTIONS}.saved:verify_options",
        ),
        Command(
            "makedb",
            "build a database file from sequence files",
            f"{_CLI}.databases:makedb",
            f"{_OPTIONS}.databases:MAKEDB",
        ),
        Command(
            "get", "download a public set of sequences as a database", f"{_CLI}.get:run", f"{_OPTIONS}.databases:GET"
        ),
        Command(
            "fetch-query",
            "write sequences to search with, by their accession",
            f"{_CLI}.get:fetch",
            f"{_OPTIONS}.databases:FETCH",
        ),
        Command(
            "info", "describe a database file, and check it", f"{_CLI}.databases:info", f"{_OPTIONS}.databases:INFO"
        ),
        Command(
            "worker", "score for a cluster, until it is stopped", f"{_CLI}.worker:run", f"{_OPTIONS}.worker:WORKER"
        ),
        Command(
            "devices", "list engines and devices of this computer", f"{_CLI}.devices:run", f"{_CLI}.devices:OPTIONS"
        ),
        Command("doctor", "check the installation and the scores of every engine", f"{_CLI}.devices:doctor"),
        Command(
            "completion",
            "let a shell complete commands and options",
            f"{_CLI}.completion:run",
            f"{_CLI}.completion:OPTIONS",
        ),
        Command("bench", "measure the speed of the engines", f"{_CLI}.bench:run", reads_itself=True),
    )
}
