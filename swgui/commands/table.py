"""Every command of the terminal: what it is for, its options, and what runs it.

The table holds names, so that help and one command load no module of the others.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import sys
from collections.abc import Callable
from typing import Final, NamedTuple, cast

from swgui.commands.option import Group, declare

GROUPS: Final = ("Search", "Compare", "Databases", "Runs", "Servers", "System")
# Options that add columns to the rows, and the module that checks them before and has a sentence after the command.
_ADDED: Final = {
    "features": ".commands.features",
    "infernal": ".commands.infernal",
    "metadata": ".commands.metadata",
}
OTHERS: Final = "From installed packages"  # the group of commands that packages add


class Command(NamedTuple):
    """One command."""

    name: str
    help: str  # what it does, in a few words
    # ``module:function``, which takes the parsed arguments and returns the exit status; our own modules by their name
    # in the package, with a dot before it.
    run: str
    # ``module:table`` of its `Group`s, or of a function that returns them; empty for a command without options.
    options: str = ""
    more: str = ""  # as ``options``: those that it has in common with other commands
    reports: bool = False  # whether it has --json: a report for programs (`swgui.cli.running.Report`)
    group: str = OTHERS  # or one of `GROUPS`: where the list of commands has it
    examples: tuple[str, ...] = ()  # lines that work as they stand, one after the other, where `swgui sample` wrote
    first: tuple[str, ...] = ()  # options of the short help, by a name; all without any

    def groups(self) -> tuple[Group, ...]:
        """Return the options; those of messages, and of reports for programs, are the same for all commands."""
        from swgui.core.trace import part  # here: the list of commands is not timed

        with part("import"):
            made = [_named(place) for place in (self.options, self.more) if place]
        from swgui.commands.common import FAILS, JSON, MESSAGES  # here: the list of commands needs no option

        groups = [group for one in made for group in cast("tuple[Group, ...]", one() if callable(one) else one)]
        own = (*FAILS.get(self.name, ()), *((JSON,) if self.reports else ()))
        return (*groups, *((Group(own),) if own else ()), MESSAGES)

    def declare(self, parser: argparse.ArgumentParser) -> None:
        """Give a parser the options, and the function that runs the command."""
        declare(parser, self.groups())
        parser.set_defaults(run=self.execute, parser=parser)

    def execute(self, arguments: argparse.Namespace) -> int:
        """Run the command; returns the exit status."""
        from swgui.core.trace import part

        with part("import"):
            run = cast("Callable[[argparse.Namespace], int]", _named(self.run))
        if not gc.isenabled():  # a process of its own
            gc.freeze()  # no collection looks through what was imported
            gc.enable()
        given = [place for key, place in _ADDED.items() if getattr(arguments, key, None) is not None]
        if not given:
            return run(arguments)
        added = [importlib.import_module(place, "swgui") for place in given]
        for module in added:
            module.check(arguments)
        status = run(arguments)
        for module in added:
            if said := module.summary(arguments):
                print(f"swgui: {said}", file=sys.stderr)
        return status


def _named(place: str) -> object:
    module, _, name = place.partition(":")
    return getattr(importlib.import_module(module, "swgui"), name)


COMMANDS: Final = {
    command.name: command
    for command in (
        Command(
            "search",
            "search queries against a database",
            ".cli.search:run",
            ".commands.search:search_options",
            group="Search",
            examples=(
                "swgui search -q hba.fasta -d db.swdb",
                "swgui search -q query.fasta -d db.swdb --evalue 1e-3 --outfmt 6 -o hits.b6",
                "swgui search -q reads.fq -d db.swdb --top 3 --columns qseqid,sseqid,evalue",
                "swgui search -q hba.fasta -d db.swdb --iterations 3 -o rounds.tsv",
            ),
            first=(
                "--query",
                "--database",
                "--out",
                "--format",
                "--columns",
                "--save",
                "--organism",
                "--top",
                "--evalue",
                "--min-identity",
                "--max-hsps",
                "--iterations",
                "--on",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "msa",
            "make deep alignments of proteins, for structure prediction",
            ".cli.msa:run",
            ".commands.msa:msa_options",
            group="Search",
            examples=(
                "swgui msa -q hba.fasta -d db.swdb -o hba.a3m",
                "swgui msa -q hba.fasta -d db.swdb -o wide.a3m --iterations 2 --evalue 0.001",
                "swgui msa -q hba.fasta -d db.swdb -o part.a3m --max-rows 10 --min-coverage 50",
            ),
            first=(
                "--query",
                "--database",
                "--out",
                "--complex",
                "--iterations",
                "--evalue",
                "--max-rows",
                "--min-coverage",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "deeper",
            "search in rounds, and with the best hits: profiles compared, neighbours, Forward scores",
            ".cli.deeper:run",
            ".commands.deeper:deeper_options",
            group="Search",
            examples=(
                "swgui deeper -q hba.fasta -d db.swdb --neighbours",
                "swgui deeper -q hba.fasta -d db.swdb --neighbours --best 10 -o deeper.tsv",
                "swgui deeper -q hba.fasta -d db.swdb --neighbours --iterations 2",
            ),
            first=(
                "--query",
                "--database",
                "--out",
                "--profiles",
                "--neighbours",
                "--forward",
                "--iterations",
                "--evalue",
                "--top",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "rule",
            "list every place that meets a rule, with a certificate",
            ".cli.rule:run",
            ".commands.rule:rule_options",
            group="Search",
            reports=True,
            examples=(
                "swgui rule peptides -q peptides.fasta -d db.swdb --mismatches 2",
                "swgui rule edits -q peptides.fasta -d db.swdb --edits 2 -o places.tsv",
                "swgui rule words -q hba.fasta -d db.swdb --certificate c.json -o words.tsv",
                "swgui verify c.json",
            ),
            first=(
                "--query",
                "--database",
                "--out",
                "--format",
                "--certificate",
                "--checkpoint",
                "--strand",
                "--mismatches",
                "--edits",
                "--identity",
                "--length",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "audit",
            "compare another program's table with the exact hits",
            ".cli.audit:run",
            ".commands.search:audit_options",
            group="Search",
            reports=True,
            examples=(
                "swgui search -q hba.fasta -d db.swdb --top 5 --format blast6 -o theirs.b6",
                "swgui audit -q hba.fasta -d db.swdb --table theirs.b6 --evalue 0.001",
                "swgui audit -q hba.fasta -d db.swdb --table theirs.b6 -o missed.tsv",
            ),
            first=(
                "--query",
                "--database",
                "--table",
                "--rule",
                "--out",
                "--format",
                "--top",
                "--evalue",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "pair",
            "align two long sequences",
            ".cli.pair:run",
            ".commands.pair:PAIR",
            group="Compare",
            examples=(
                "swgui pair hba.fasta hbb.fasta",
                "swgui pair hba.fasta hbb.fasta --mode global --format json -o pair.json",
                "swgui verify pair.json",
                "swgui pair genome.fasta genome.fasta --plan",
            ),
            first=(
                "--query-id",
                "--subject-id",
                "--pairs",
                "--out",
                "--format",
                "--history",
                "--mode",
                "--strand",
                "--score-only",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "covariation",
            "find pairs of columns of an RNA alignment that vary together",
            ".cli.covariation:run",
            ".commands.covariation:covariation_options",
            group="Compare",
            reports=True,
            examples=(
                "swgui covariation rna.sto",
                "swgui covariation rna.sto -o pairs.tsv --picture arcs.svg",
                "swgui covariation rna.sto --evalue 1 --json",
            ),
        ),
        Command(
            "network",
            "compare sequences all against all, for similarity networks",
            ".cli.network:network",
            ".commands.network:network_options",
            group="Compare",
            reports=True,
            examples=(
                "swgui network proteins.fasta -o all.swnet",
                "swgui network all.swnet --export all.xgmml --evalue 1e-20",
                "swgui network proteins.fasta --export all.graphml --min-identity 40%",
            ),
            first=(
                "--out",
                "--export",
                "--format",
                "--save",
                "--history",
                "--evalue",
                "--min-identity",
                "--min-coverage",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "cluster",
            "cluster sequences by a rule whose promise is checked",
            ".cli.network:cluster",
            ".commands.network:cluster_options",
            group="Compare",
            reports=True,
            examples=(
                "swgui cluster proteins.fasta --identity 0.5",
                "swgui cluster proteins.fasta --identity 0.9 --coverage 0.8 -o clusters.tsv",
                "swgui cluster proteins.fasta --rule greedy --format clstr -o clusters.clstr",
            ),
            first=(
                "--out",
                "--format",
                "--rule",
                "--identity",
                "--coverage",
                "--evalue",
                "--save",
                "--history",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "split",
            "split sequences into parts without a similar pair between them",
            ".cli.network:split",
            ".commands.network:split_options",
            group="Compare",
            reports=True,
            examples=(
                "swgui split proteins.fasta --identity 0.3",
                "swgui split proteins.fasta --identity 0.3 --bins 80,10,10 -o parts.tsv",
                "swgui leak proteins.fasta --split parts.tsv",
            ),
            first=(
                "--out",
                "--format",
                "--bins",
                "--names",
                "--drop",
                "--identity",
                "--coverage",
                "--evalue",
                "--history",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "leak",
            "find the nearest training sequence of every test sequence",
            ".cli.network:leak",
            ".commands.network:leak_options",
            group="Compare",
            reports=True,
            examples=(
                "swgui leak train.fasta test.fasta",
                "swgui leak train.fasta test.fasta --certificate leak.json -o leaks.tsv",
                "swgui verify leak.json",
            ),
            first=(
                "--out",
                "--format",
                "--split",
                "--report",
                "--certificate",
                "--coverage",
                "--evalue",
                "--history",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "judge",
            "check the clusters of CD-HIT, MMseqs2 and others by all pairs",
            ".cli.network:judge",
            ".commands.network:judge_options",
            group="Compare",
            reports=True,
            examples=(
                "swgui cluster proteins.fasta --format clstr -o theirs.clstr",
                "swgui judge theirs.clstr proteins.fasta --identity 0.5",
                "swgui judge theirs.clstr proteins.fasta --identity 0.5 -o wrong.tsv",
            ),
            first=(
                "--out",
                "--format",
                "--joined",
                "--identity",
                "--coverage",
                "--evalue",
                "--history",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "makedb",
            "build a database file from sequence files",
            ".cli.databases:makedb",
            ".commands.databases:MAKEDB",
            group="Databases",
            reports=True,
            examples=(
                "swgui makedb proteins.fasta -o proteins.swdb",
                "swgui makedb sample_database.fasta.gz --packed -o packed.swdb",
                "swgui makedb d1ecaa_.pdb.gz d1mbaa_.pdb.gz --structures -o models.swdb",
                "swgui makedb --profiles test.fasta --build-database db.swdb -o pairs.swdb",
            ),
            first=(
                "--out",
                "--name",
                "--type",
                "--structures",
                "--organisms",
                "--taxonomy",
                "--mask",
                "--packed",
                "--remarks",
            ),
        ),
        Command(
            "update",
            "build a database file again, from its sources or those of a newer release",
            ".cli.databases:update",
            ".commands.databases:UPDATE",
            group="Databases",
            reports=True,
            examples=(
                "swgui makedb train.fasta --packed -o release.swdb",
                "swgui update release.swdb --from proteins.fasta --changes changes.tsv",
                "swgui update release.swdb --from train.fasta -o older.swdb",
            ),
        ),
        Command(
            "get",
            "download a public set of sequences as a database",
            ".cli.get:run",
            ".commands.databases:GET",
            group="Databases",
            reports=True,
            examples=("swgui get", "swgui get swissprot"),
        ),
        Command(
            "fetch-query",
            "write sequences to search with, by their accession",
            ".cli.get:fetch",
            ".commands.databases:FETCH",
            group="Databases",
            examples=(
                "swgui fetch-query P69905 -d db.swdb",
                "swgui fetch-query P69905 HBB_HUMAN -d db.swdb -o two.fasta",
                "swgui fetch-query P01308 --online -o insulin.fasta",
            ),
        ),
        Command(
            "databases",
            "list the databases that are found by name",
            ".cli.databases:list_databases",
            group="Databases",
            reports=True,
            examples=("swgui databases", "swgui databases --json"),
        ),
        Command(
            "info",
            "describe a database file, and check it",
            ".cli.databases:info",
            ".commands.databases:INFO",
            group="Databases",
            reports=True,
            examples=("swgui info db.swdb", "swgui info db.swdb --check", "swgui info db.swdb --organisms"),
        ),
        Command(
            "show",
            "print the hits of a saved search, or the table of another run",
            ".cli.saved:show",
            ".commands.saved:show_options",
            group="Runs",
            examples=(
                "swgui search -q hba.fasta -d db.swdb --save run.swgui -o hits.tsv",
                "swgui show run.swgui --top 5 --columns sseqid,evalue,pident",
                "swgui show run.swgui --format html -o run.html",
                "swgui show run.swgui --methods-text plain",
            ),
            first=("--database", "--top", "--evalue", "--out", "--format", "--columns", "--methods-text", "--only"),
        ),
        Command(
            "find",
            "print the rank of a subject in a saved search: hits by E, all others behind them by score",
            ".cli.runs:find",
            ".commands.saved:FIND",
            group="Runs",
            reports=True,
            examples=(
                "swgui search -q hba.fasta -d db.swdb --save run.swgui -o hits.tsv",
                "swgui find run.swgui MYG_HUMAN",
                "swgui find run.swgui LGB --format csv -o places.csv",
            ),
        ),
        Command(
            "compare",
            "compare the hits of two saved searches",
            ".cli.runs:compare",
            ".commands.saved:COMPARE",
            group="Runs",
            reports=True,
            examples=(
                "swgui search -q hba.fasta -d db.swdb --save run.swgui -o hits.tsv",
                "swgui search -q hba.fasta -d db.swdb --matrix PAM70 --save b.swgui -o b.tsv",
                "swgui compare run.swgui b.swgui",
                "swgui compare run.swgui b.swgui --format csv -o changes.csv",
            ),
        ),
        Command(
            "diff",
            "report how a newer release of the database changes the hits of a saved search, and why",
            ".cli.several.diff:run",
            ".commands.saved:diff_options",
            group="Runs",
            reports=True,
            examples=(
                "swgui makedb train.fasta -o old.swdb",
                "swgui makedb proteins.fasta -o new.swdb",
                "swgui search -q hba.fasta -d old.swdb --save old.swgui -o old.tsv",
                "swgui diff old.swgui new.swdb --save new.swgui -o changes.tsv",
            ),
            first=("--database", "--out", "--format", "--save", "--device", "--threads"),
        ),
        Command(
            "watch",
            "repeat a search with each new release of its database, and tell what changed: Atom feed and mail",
            ".cli.watch:run",
            ".commands.watch:watch_options",
            group="Runs",
            reports=True,
            examples=(
                "swgui makedb train.fasta -o release.swdb",
                "swgui watch add globins -q hba.fasta -d release.swdb --folder watches",
                "swgui watch run --folder watches",
                "swgui watch show globins --folder watches",
            ),
            first=(
                "--query",
                "--database",
                "--folder",
                "--feed",
                "--mail",
                "--out",
                "--organism",
                "--top",
                "--evalue",
            ),
        ),
        Command(
            "verify",
            "search again and compare every score; or check the certificate of a search by rule",
            ".cli.saved:run_verify",
            ".commands.saved:verify_options",
            group="Runs",
            reports=True,
            examples=(
                "swgui search -q hba.fasta -d db.swdb --save run.swgui -o hits.tsv",
                "swgui verify run.swgui",
                "swgui leak train.fasta test.fasta --certificate leak.json -o leaks.tsv",
                "swgui verify leak.json --full",
            ),
            first=("--database", "--full", "--signer", "--device", "--threads"),
        ),
        Command(
            "merge",
            "merge the parts of a search",
            ".cli.several.merge:run",
            ".commands.saved:merge_options",
            group="Runs",
            examples=(
                "swgui search -q hba.fasta -d db.swdb --part 1/2 -o 1.part",
                "swgui search -q hba.fasta -d db.swdb --part 2/2 -o 2.part",
                "swgui merge 1.part 2.part -o hits.tsv",
            ),
            first=("--database", "--out", "--format", "--columns", "--save"),
        ),
        Command(
            "project",
            "keep runs, tables, stars and notes in a folder, and send it as one file",
            ".cli.project:run",
            ".commands.project:PROJECT",
            group="Runs",
            reports=True,
            examples=(
                "swgui search -q hba.fasta -d db.swdb --save run.swgui -o hits.tsv",
                "swgui project make globins",
                "swgui project add globins run.swgui db.swdb",
                "swgui project pack globins -o globins.zip",
            ),
        ),
        Command(
            "serve",
            "answer searches of browsers and other programs, and make alignments for structure prediction",
            ".serve.command:run",
            ".commands.serve:serve_options",
            group="Servers",
            examples=(
                "swgui serve -d db.swdb",
                "swgui serve --search-database db.swdb --address 127.0.0.1:8888 --folder jobs",
            ),
            first=(
                "--database",
                "--search-database",
                "--pair-database",
                "--address",
                "--token-file",
                "--tls",
                "--keep",
                "--folder",
                "--max-waiting",
                "--max-rows",
                "--device",
                "--threads",
            ),
        ),
        Command(
            "remote",
            "list databases and runs of another computer, where '--on HOST' carries runs out",
            ".cli.remote:run",
            ".commands.remote:REMOTE",
            group="Servers",
            reports=True,
            examples=("swgui remote",),
        ),
        Command(
            "mcp",
            "give agents tools for searches, over standard input and output",
            ".serve.stdio:run",
            ".commands.serve:mcp_options",
            group="Servers",
            examples=("swgui mcp -d db.swdb",),
        ),
        Command(
            "worker",
            "score for a cluster, until it is stopped",
            ".cli.computer.worker:run",
            ".cli.computer.worker:WORKER",
            group="Servers",
            examples=("swgui worker tcp://127.0.0.1:8786 --allow-plain",),
            first=(
                "--engine",
                "--device",
                "--threads",
                "--database-folder",
                "--keep",
                "--name",
                "--tls-ca",
                "--tls-cert",
                "--tls-key",
            ),
        ),
        Command(
            "devices",
            "list engines and devices of this computer",
            ".cli.computer.devices:run",
            group="System",
            reports=True,
            examples=("swgui devices", "swgui devices --json"),
        ),
        Command(
            "doctor",
            "check the installation and the scores of every engine",
            ".cli.computer.doctor:doctor",
            group="System",
            reports=True,
            examples=("swgui doctor",),
        ),
        Command(
            "bench",
            "measure the speed of the engines",
            ".cli.computer.bench:run",
            ".commands.bench:bench_options",
            group="System",
            examples=("swgui bench --sweep threads=1 --residues 4000 --query 24 --repeats 1",),
            first=(
                "--sweep",
                "--engine",
                "--method",
                "--device",
                "--query",
                "--database",
                "--repeats",
                "--json",
                "--csv",
                "--keep",
                "--use",
                "--tune",
                "--watts",
            ),
        ),
        Command(
            "sample",
            "write files to try every command with: queries, databases, reads, structures",
            ".cli.computer.sample:run",
            ".cli.computer.sample:SAMPLE",
            group="System",
            examples=("swgui sample samples",),
        ),
        Command(
            "formats",
            "list the formats that hits are written in",
            ".cli.computer.lists:formats",
            ".cli.computer.lists:FORMATS_OPTIONS",
            group="System",
            reports=True,
            examples=("swgui formats", "swgui formats --json", "swgui formats --schema"),
        ),
        Command(
            "columns",
            "list the columns that tables of hits can have",
            ".cli.computer.lists:columns",
            group="System",
            reports=True,
            examples=("swgui columns", "swgui columns --json"),
        ),
        Command(
            "cache",
            "list converted databases and compiled kernels, or delete those used longest ago",
            ".cli.computer.cache:run",
            ".cli.computer.cache:CACHE",
            group="System",
            reports=True,
            examples=("swgui cache list", "swgui cache prune --older 90 --max 50G"),
        ),
        Command(
            "completion",
            "let a shell complete commands and options",
            ".cli.computer.completion:completion",
            ".cli.computer.completion:COMPLETION",
            group="System",
            examples=("swgui completion bash",),
        ),
        Command(
            "help",
            "show all options of a command, or list the commands",
            ".cli.computer.lists:help_",
            ".cli.computer.lists:HELP",
            group="System",
            examples=("swgui help", "swgui help search"),
        ),
        Command(
            "version",
            "print the version",
            ".cli.computer.lists:version",
            group="System",
            reports=True,
            examples=("swgui version",),
        ),
    )
}


def declared() -> dict[str, Command]:
    """Return the commands of kinds of runs that installed packages add, by name."""
    from swgui.packages import entry_points  # here, as below: few words are none of the program's own commands

    if not entry_points("swgui.kinds"):
        return {}
    from swgui.jobs.kind import kinds

    return {
        kind.name: Command(
            kind.name, kind.help, ".cli.kinds:run", kind.options, ".commands.files:RUN_OPTIONS", reports=True
        )
        for kind in kinds().values()
        if kind.options and kind.name not in COMMANDS
    }
