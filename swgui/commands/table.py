"""Every command of the terminal: what it is for, its options, and what runs it.

The table holds names, so that help and one command load nothing of the others.
"""

from __future__ import annotations

import argparse
import gc
import importlib
from collections.abc import Callable
from typing import Final, NamedTuple, cast

from swgui.commands.option import Group, declare
from swgui.core.trace import part


class Command(NamedTuple):
    """One command."""

    name: str
    help: str  # what it does, in a few words
    # ``module:function``, which takes the parsed arguments and returns the exit status; our own modules by their name
    # in the package, with a dot before it.
    run: str
    # ``module:table`` of its `Group`s, or of a function that returns them; empty for a command without options.
    options: str = ""
    reads_itself: bool = False  # whether it reads its words by itself; they come as ``arguments.rest``
    more: str = ""  # as ``options``: those that it has in common with other commands

    def groups(self) -> tuple[Group, ...]:
        """Return the options."""
        with part("import"):
            made = [_named(place) for place in (self.options, self.more) if place]
        return tuple(group for one in made for group in cast("tuple[Group, ...]", one() if callable(one) else one))

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Give a parser the options, and the function that runs the command."""
        declare(parser, self.groups())
        parser.set_defaults(run=self.execute, parser=parser)

    def execute(self, arguments: argparse.Namespace) -> int:
        """Run the command; returns the exit status."""
        with part("import"):
            run = cast("Callable[[argparse.Namespace], int]", _named(self.run))
        if not gc.isenabled():  # a process of its own
            gc.freeze()  # no collection looks through what was imported
            gc.enable()
        return run(arguments)


def _named(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module, "swgui"), name)


COMMANDS: Final = {
    command.name: command
    for command in (
        Command("search", "search queries against a database", ".cli.search:run", ".commands.search:search_options"),
        Command(
            "audit",
            "compare another program's table with the exact hits",
            ".cli.audit:run",
            ".commands.search:audit_options",
        ),
        Command(
            "msa",
            "make deep alignments of proteins, for structure prediction",
            ".cli.msa:run",
            ".commands.msa:msa_options",
        ),
        Command(
            "serve",
            "make alignments for ColabFold, Boltz and other programs that fold proteins",
            ".serve.command:run",
            ".commands.serve:serve_options",
        ),
        Command(
            "deeper",
            "search in rounds, and with the best hits: profiles compared, neighbours, Forward scores",
            ".cli.deeper:run",
            ".commands.deeper:deeper_options",
        ),
        Command(
            "rule",
            "list every place that meets a rule, with a certificate",
            ".cli.rule:run",
            ".commands.rule:rule_options",
        ),
        Command(
            "leak",
            "find the nearest training sequence of every test sequence",
            ".cli.network:leak",
            ".commands.network:leak_options",
        ),
        Command(
            "judge",
            "hold the clusters of CD-HIT, MMseqs2 and others against all pairs",
            ".cli.network:judge",
            ".commands.network:judge_options",
        ),
        Command(
            "cluster",
            "cluster sequences by a rule whose promise is checked",
            ".cli.network:cluster",
            ".commands.network:cluster_options",
        ),
        Command(
            "split",
            "split sequences into parts without a similar pair between them",
            ".cli.network:split",
            ".commands.network:split_options",
        ),
        Command(
            "network",
            "compare sequences all against all, for similarity networks",
            ".cli.network:network",
            ".commands.network:network_options",
        ),
        Command("pair", "align two long sequences", ".cli.pair:run", ".commands.pair:PAIR"),
        Command(
            "merge",
            "make of the parts of a search what one search would have written",
            ".cli.several.merge:run",
            ".commands.saved:merge_options",
        ),
        Command(
            "show",
            "print the hits of a saved search, or the table of another run",
            ".cli.saved:show",
            ".commands.saved:show_options",
        ),
        Command(
            "find",
            "say where a subject stands in a saved search: hits ranked by E, all others behind them by score",
            ".cli.runs:find",
            ".commands.saved:FIND",
        ),
        Command(
            "diff",
            "say what became of the hits of a saved search in a newer release of its database, and why",
            ".cli.several.diff:run",
            ".commands.saved:diff_options",
        ),
        Command("compare", "compare the hits of two saved searches", ".cli.runs:compare", ".commands.saved:COMPARE"),
        Command(
            "verify",
            "search again and compare every score; or check the certificate of a search by rule",
            ".cli.saved:run_verify",
            ".commands.saved:verify_options",
        ),
        Command(
            "makedb", "build a database file from sequence files", ".cli.databases:makedb", ".commands.databases:MAKEDB"
        ),
        Command(
            "update",
            "build a database file again, from its sources or those of a newer release",
            ".cli.databases:update",
            ".commands.databases:UPDATE",
        ),
        Command("get", "download a public set of sequences as a database", ".cli.get:run", ".commands.databases:GET"),
        Command(
            "fetch-query",
            "write sequences to search with, by their accession",
            ".cli.get:fetch",
            ".commands.databases:FETCH",
        ),
        Command("info", "describe a database file, and check it", ".cli.databases:info", ".commands.databases:INFO"),
        Command(
            "worker",
            "score for a cluster, until it is stopped",
            ".cli.computer.worker:run",
            ".cli.computer.worker:WORKER",
        ),
        Command(
            "devices",
            "list engines and devices of this computer",
            ".cli.computer.devices:run",
            ".cli.computer.devices:OPTIONS",
        ),
        Command("doctor", "check the installation and the scores of every engine", ".cli.computer.doctor:doctor"),
        Command(
            "completion",
            "let a shell complete commands and options",
            ".cli.computer.completion:completion",
            ".cli.computer.completion:COMPLETION",
        ),
        Command("bench", "measure the speed of the engines", ".cli.computer.bench:run", reads_itself=True),
    )
}


def declared() -> dict[str, Command]:
    """Return the commands of kinds of runs that installed packages add, by name."""
    from swgui.packages import entry_points  # here, as below: few words are none of the program's own commands

    if not entry_points("swgui.kinds"):
        return {}
    from swgui.jobs.kind import kinds

    return {
        kind.name: Command(kind.name, kind.help, ".cli.kinds:run", kind.options, more=".commands.messages:RUN_OPTIONS")
        for kind in kinds().values()
        if kind.options and kind.name not in COMMANDS
    }
