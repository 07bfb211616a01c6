"""Other programs that search, each with the words that make it do a job as well as it can.

Only `ssearch36` and CUDASW++ are exact; the others are here because users know them. All get the threads of this
computer, the same queries, the same database in their own form (made before anything is timed), as many hits of a
query, E-values up to 10, BLOSUM62 and gaps of 11 + k where the program has such options, for DNA +2/-3 and 5 + 2 k.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from swgui.engines.host import usable_cores

Kind = Literal["", "protein", "rounds", "tblastn", "blastx", "blastx-shifts", "dna"]
ROUNDS: Final = "6"
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
    kind : Kind
        Of the job.
    """

    program: str
    queries: Path
    database: Path
    top: str
    folder: Path
    kind: Kind = "protein"

    @property
    def prefix(self) -> str:
        """Where it keeps the database in its own form."""
        return str(self.folder / f"{self.database.stem}.{Path(self.program).name}")

    def with_name(self, name: str) -> str:
        """Return another program of the same folder."""
        return str(Path(self.program).with_name(name))

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
    """One program, or some that come together.

    Parameters
    ----------
    name : str
        Name of its executable.
    searches : Mapping of Kind to callable
        Return the words of a search, by the kinds of job that it can do.
    build : callable, optional
        Returns the words that make a database.
    gpu : bool
        Whether it computes on GPUs, and is compared with jobs that do.
    help_contains : str
        What its help must contain: other programs have the same name.
    """

    name: str
    searches: Mapping[Kind, Words]
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


def _blast(ask: PeerSearch, name: str, *more: str) -> list[str]:
    words = [ask.with_name(name), "-query", str(ask.queries), "-db", ask.prefix, "-out", ask.out(), "-outfmt", "6"]
    return [*words, "-evalue", "10", "-max_target_seqs", ask.top, "-num_threads", ask.threads, *more]


def _blastdb(ask: PeerSearch) -> list[str]:
    kind = "nucl" if ask.kind in ("tblastn", "dna") else "prot"
    return [ask.with_name("makeblastdb"), "-in", str(ask.database), "-dbtype", kind, "-out", ask.prefix]


def _mmseqs(ask: PeerSearch, *more: str) -> list[str]:
    words = [ask.program, "easy-search", str(ask.queries), ask.prefix, ask.out(), str(ask.folder / "tmp.mmseqs")]
    sensitive = [] if ask.kind == "dna" else ["-s", "7.5"]
    return [*words, *sensitive, "-e", "10", "--max-seqs", ask.top, "--threads", ask.threads, "-v", "1", *more]


def _mmseqs_db(ask: PeerSearch) -> list[str]:
    return [ask.program, "createdb", str(ask.database), ask.prefix, "-v", "1"]


def _mmseqs_gpu(ask: PeerSearch, *more: str) -> list[str]:
    words = [ask.program, "easy-search", str(ask.queries), ask.prefix, ask.out(), str(ask.folder / "tmp.mmseqs-gpu")]
    return [*words, "--gpu", "1", "-e", "10", "--max-seqs", ask.top, "--threads", ask.threads, "-v", "1", *more]


def _mmseqs_gpu_db(ask: PeerSearch) -> list[str]:
    plain = f"{ask.prefix}.plain"
    made = [ask.program, "createdb", str(ask.database), plain, "-v", "1"]
    padded = [ask.program, "makepaddedseqdb", plain, ask.prefix, "-v", "1"]
    return ["sh", "-c", f"{shlex.join(made)} && {shlex.join(padded)}"]


def _diamond(ask: PeerSearch, command: str, *more: str) -> list[str]:
    words = [ask.program, command, "-q", str(ask.queries), "-d", ask.prefix, "-o", ask.out(), "--ultra-sensitive"]
    return [*words, "-e", "10", "-k", ask.top, "-p", ask.threads, "--quiet", *more]


def _diamond_db(ask: PeerSearch) -> list[str]:
    return [ask.program, "makedb", "--in", str(ask.database), "-d", ask.prefix, "--quiet"]


def _hmmer(ask: PeerSearch, name: str, *more: str) -> list[str]:
    words = [ask.with_name(name), "--cpu", ask.threads, "-E", "10", "--noali", "--tblout", ask.out(), "-o", "/dev/null"]
    return [*words, *more, str(ask.queries), str(ask.database)]


def _cudasw(ask: PeerSearch) -> list[str]:
    scoring = ["--mat", "blosum62", "--gop", "-12", "--gex", "-1", "--dpx"]
    return [ask.program, "--query", str(ask.queries), "--db", ask.prefix, "--top", ask.top, *scoring]


def _cudasw_db(ask: PeerSearch) -> list[str]:
    return [ask.with_name("makedb"), str(ask.database), ask.prefix]


PEERS: Final[Mapping[str, Peer]] = {
    "ssearch36": Peer("ssearch36", {"protein": _ssearch}),
    "BLAST+": Peer(
        "blastp",
        {
            "protein": lambda ask: _blast(ask, "blastp"),
            "rounds": lambda ask: _blast(ask, "psiblast", "-num_iterations", ROUNDS),
            "tblastn": lambda ask: _blast(ask, "tblastn"),
            "blastx": lambda ask: _blast(ask, "blastx"),
            "dna": lambda ask: _blast(
                ask, "blastn", "-task", "blastn", "-reward", "2", "-penalty", "-3", "-gapopen", "5", "-gapextend", "2"
            ),
        },
        _blastdb,
    ),
    "mmseqs": Peer(
        "mmseqs",
        {
            "protein": _mmseqs,
            "rounds": lambda ask: _mmseqs(ask, "--num-iterations", ROUNDS),
            "tblastn": lambda ask: _mmseqs(ask, "--search-type", "4"),
            "blastx": lambda ask: _mmseqs(ask, "--search-type", "2"),
            "dna": lambda ask: _mmseqs(ask, "--search-type", "3", "--strand", "2"),
        },
        _mmseqs_db,
    ),
    "mmseqs-gpu": Peer(
        "mmseqs-gpu",
        {"protein": _mmseqs_gpu, "rounds": lambda ask: _mmseqs_gpu(ask, "--num-iterations", ROUNDS)},
        _mmseqs_gpu_db,
        gpu=True,
    ),
    "diamond": Peer(
        "diamond",
        {
            "protein": lambda ask: _diamond(ask, "blastp"),
            "blastx": lambda ask: _diamond(ask, "blastx"),
            "blastx-shifts": lambda ask: _diamond(ask, "blastx", "-F", "15"),
        },
        _diamond_db,
    ),
    "hmmer": Peer(
        "phmmer",
        {
            "protein": lambda ask: _hmmer(ask, "phmmer"),
            "rounds": lambda ask: _hmmer(ask, "jackhmmer", "-N", ROUNDS),
        },
    ),
    "CUDASW++": Peer("align", {"protein": _cudasw}, _cudasw_db, gpu=True, help_contains="--printLengthPartitions"),
}
