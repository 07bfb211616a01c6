"""Other programs that search, each with the words that make it do a job as well as it can.

Only `ssearch36` and CUDASW++ are exact; the others are here because users know them. All get the threads of this
computer, the same queries, the same database in their own form (made before anything is timed), as many hits of a
query, E-values up to 10, BLOSUM62 and gaps of 11 + k where the program has such options.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from swgui.engines.host import usable_cores

TOP: Final = "500"  # hits of a query if the job does not say
HELP_SECONDS: Final = 20.0  # seconds that a program may take to say what it is


@dataclass(frozen=True, slots=True)
class PeerSearch:
    """A search for another program.

    Parameters
    ----------
    program : str
        Its file.
    queries, database : Path
        FASTA.
    top : str
        Hits of a query.
    folder : Path
        For what it makes.
    """

    program: str
    queries: Path
    database: Path
    top: str
    folder: Path

    @property
    def prefix(self) -> str:
        """Where it keeps the database in its own form."""
        return str(self.folder / f"{self.database.stem}.{Path(self.program).name}")

    @property
    def threads(self) -> str:
        """How many threads it gets."""
        return str(usable_cores())

    def out(self) -> str:
        """Return where it writes its hits."""
        return str(self.folder / f"out.{Path(self.program).name}")


Words = Callable[[PeerSearch], list[str]]


@dataclass(frozen=True, slots=True)
class Peer:
    """One program.

    Parameters
    ----------
    name : str
        Name of its executable.
    search : callable
        Returns the words of a search.
    build : callable, optional
        Returns the words that make a database, `maker` the program that does.
    gpu : bool
        Whether it computes on GPUs, and is compared with jobs that do.
    help_contains : str
        What its help must contain: other programs have the same name.
    """

    name: str
    search: Words
    build: Words | None = None
    gpu: bool = False
    help_contains: str = ""

    def find(self) -> str | None:
        """Return the file of the program; None if it is not here."""
        found = shutil.which(self.name)
        if found is None or not self.help_contains:
            return found
        try:
            told = subprocess.run([found, "--help"], capture_output=True, text=True, timeout=HELP_SECONDS, check=False)
        except (OSError, subprocess.TimeoutExpired):
            return None
        return found if self.help_contains.lower() in (told.stdout + told.stderr).lower() else None


def _ssearch(ask: PeerSearch) -> list[str]:
    scoring = ["-s", "BL62", "-f", "-11", "-g", "-1"]
    shown = ["-q", "-m", "8", "-E", "10", "-b", ask.top, "-d", ask.top]
    return [ask.program, *shown, *scoring, "-T", ask.threads, str(ask.queries), str(ask.database)]


def _blastp(ask: PeerSearch) -> list[str]:
    words = [ask.program, "-query", str(ask.queries), "-db", ask.prefix, "-out", ask.out(), "-outfmt", "6"]
    return [*words, "-evalue", "10", "-max_target_seqs", ask.top, "-num_threads", ask.threads]


def _blastdb(ask: PeerSearch) -> list[str]:
    return ["makeblastdb", "-in", str(ask.database), "-dbtype", "prot", "-out", ask.prefix]


def _mmseqs(ask: PeerSearch) -> list[str]:
    words = [ask.program, "easy-search", str(ask.queries), ask.prefix, ask.out(), str(ask.folder / "tmp.mmseqs")]
    return [*words, "-s", "7.5", "-e", "10", "--max-seqs", ask.top, "--threads", ask.threads, "-v", "1"]


def _mmseqs_db(ask: PeerSearch) -> list[str]:
    return [ask.program, "createdb", str(ask.database), ask.prefix, "-v", "1"]


def _diamond(ask: PeerSearch) -> list[str]:
    words = [ask.program, "blastp", "-q", str(ask.queries), "-d", ask.prefix, "-o", ask.out(), "--ultra-sensitive"]
    return [*words, "-e", "10", "-k", ask.top, "-p", ask.threads, "--quiet"]


def _diamond_db(ask: PeerSearch) -> list[str]:
    return [ask.program, "makedb", "--in", str(ask.database), "-d", ask.prefix, "--quiet"]


def _cudasw(ask: PeerSearch) -> list[str]:
    scoring = ["--mat", "blosum62", "--gop", "-12", "--gex", "-1"]
    return [ask.program, "--query", str(ask.queries), "--db", ask.prefix, "--top", ask.top, *scoring]


def _cudasw_db(ask: PeerSearch) -> list[str]:
    return [str(Path(ask.program).with_name("makedb")), str(ask.database), ask.prefix]


PEERS: Final[Mapping[str, Peer]] = {
    "ssearch36": Peer("ssearch36", _ssearch),
    "blastp": Peer("blastp", _blastp, _blastdb),
    "mmseqs": Peer("mmseqs", _mmseqs, _mmseqs_db),
    "diamond": Peer("diamond", _diamond, _diamond_db),
    "CUDASW++": Peer("align", _cudasw, _cudasw_db, gpu=True, help_contains="CUDASW"),
}
