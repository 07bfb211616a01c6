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

Kind = Literal["", "protein", "rounds", "msa", "pairs", "tblastn", "blastx", "blastx-shifts", "tblastx", "dna"]
ROUNDS: Final = {"rounds": "6", "msa": "3"}  # by the kind of job
PAIRS_EVALUE: Final = "1e-5"  # of edges of a network
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


def _ssearch_dna(ask: PeerSearch) -> list[str]:
    scoring = ["-n", "-r", "+2/-3", "-f", "-5", "-g", "-2"]
    shown = ["-q", "-m", "8", "-E", "10", "-b", ask.top, "-d", ask.top]
    return [ask.program, *shown, *scoring, "-T", ask.threads, str(ask.queries), str(ask.database)]


def _blast(ask: PeerSearch, name: str, *more: str) -> list[str]:
    words = [ask.with_name(name), "-query", str(ask.queries), "-db", ask.prefix, "-out", ask.out(), "-outfmt", "6"]
    return [*words, "-evalue", "10", "-max_target_seqs", ask.top, "-num_threads", ask.threads, *more]


def _blastdb(ask: PeerSearch) -> list[str]:
    kind = "nucl" if ask.kind in ("tblastn", "tblastx", "dna") else "prot"
    return [ask.with_name("makeblastdb"), "-in", str(ask.database), "-dbtype", kind, "-out", ask.prefix]


def _mmseqs(ask: PeerSearch, *more: str) -> list[str]:
    words = [ask.program, "easy-search", str(ask.queries), ask.prefix, ask.out(), str(ask.folder / "tmp.mmseqs")]
    sensitive = [] if ask.kind == "dna" else ["-s", "7.5"]
    return [*words, *sensitive, "-e", "10", "--max-seqs", ask.top, "--threads", ask.threads, "-v", "1", *more]


def _mmseqs_rows(ask: PeerSearch) -> list[str]:
    """Return the words that search in rounds and write an alignment of each query."""
    made = {name: str(ask.folder / f"mmseqs-{name}") for name in ("queries", "found", "tmp")}
    threads = ["--threads", ask.threads, "-v", "1"]
    rounds = ["-s", "7.5", "--num-iterations", ROUNDS[ask.kind], "-a", "1", "--max-seqs", ask.top, *threads]
    steps = (
        ["rm", "-rf", *(f"{made['found']}{end}" for end in (".dbtype", ".index"))],
        [ask.program, "createdb", str(ask.queries), made["queries"], "-v", "1"],
        [ask.program, "search", made["queries"], ask.prefix, made["found"], made["tmp"], *rounds],
        [
            ask.program,
            "result2msa",
            made["queries"],
            ask.prefix,
            made["found"],
            ask.out(),
            "--msa-format-mode",
            "6",
            *threads,
        ],
    )
    return ["sh", "-c", " && ".join(map(shlex.join, steps))]


def _mmseqs_pairs(ask: PeerSearch) -> list[str]:
    words = [ask.program, "easy-search", str(ask.queries), ask.prefix, ask.out(), str(ask.folder / "tmp.mmseqs")]
    return [*words, "-s", "7.5", "-e", PAIRS_EVALUE, "--max-seqs", "100000", "--threads", ask.threads, "-v", "1"]


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


def _diamond_pairs(ask: PeerSearch) -> list[str]:
    words = [ask.program, "blastp", "-q", str(ask.queries), "-d", ask.prefix, "-o", ask.out(), "--ultra-sensitive"]
    return [*words, "-e", PAIRS_EVALUE, "-k", "0", "-p", ask.threads, "--quiet"]


def _diamond_db(ask: PeerSearch) -> list[str]:
    return [ask.program, "makedb", "--in", str(ask.database), "-d", ask.prefix, "--quiet"]


def _hmmer(ask: PeerSearch, name: str, *more: str) -> list[str]:
    words = [ask.with_name(name), "--cpu", ask.threads, "-E", "10", "--noali", "--tblout", ask.out(), "-o", "/dev/null"]
    return [*words, *more, str(ask.queries), str(ask.database)]


def _last(ask: PeerSearch, *more: str) -> list[str]:
    """Return the words of LAST, with more initial matches than by default: it is to find as much as it can."""
    return [
        ask.with_name("lastal"),
        "-P",
        ask.threads,
        "-m",
        "100",
        "-f",
        "BlastTab",
        *more,
        ask.prefix,
        str(ask.queries),
    ]


def _last_db(ask: PeerSearch) -> list[str]:
    kind = [] if ask.kind == "dna" else ["-p"]
    return [ask.with_name("lastdb"), *kind, "-P", ask.threads, ask.prefix, str(ask.database)]


def _cudasw(ask: PeerSearch) -> list[str]:
    scoring = ["--mat", "blosum62", "--gop", "-12", "--gex", "-1", "--dpx"]
    return [ask.program, "--query", str(ask.queries), "--db", ask.prefix, "--top", ask.top, *scoring]


def _cudasw_db(ask: PeerSearch) -> list[str]:
    return [ask.with_name("makedb"), str(ask.database), ask.prefix]


PEERS: Final[Mapping[str, Peer]] = {
    "ssearch36": Peer("ssearch36", {"protein": _ssearch, "dna": _ssearch_dna}),
    "BLAST+": Peer(
        "blastp",
        {
            "protein": lambda ask: _blast(ask, "blastp"),
            "rounds": lambda ask: _blast(ask, "psiblast", "-num_iterations", ROUNDS[ask.kind]),
            "tblastn": lambda ask: _blast(ask, "tblastn"),
            "blastx": lambda ask: _blast(ask, "blastx"),
            "tblastx": lambda ask: _blast(ask, "tblastx"),
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
            "rounds": lambda ask: _mmseqs(ask, "--num-iterations", ROUNDS[ask.kind]),
            "msa": _mmseqs_rows,
            "pairs": _mmseqs_pairs,
            "tblastn": lambda ask: _mmseqs(ask, "--search-type", "4"),
            "blastx": lambda ask: _mmseqs(ask, "--search-type", "2"),
            "tblastx": lambda ask: _mmseqs(ask, "--search-type", "4"),
            "dna": lambda ask: _mmseqs(ask, "--search-type", "3", "--strand", "2"),
        },
        _mmseqs_db,
    ),
    "mmseqs-gpu": Peer(
        "mmseqs-gpu",
        {"protein": _mmseqs_gpu, "rounds": lambda ask: _mmseqs_gpu(ask, "--num-iterations", ROUNDS[ask.kind])},
        _mmseqs_gpu_db,
        gpu=True,
    ),
    "diamond": Peer(
        "diamond",
        {
            "protein": lambda ask: _diamond(ask, "blastp"),
            "pairs": _diamond_pairs,
            "blastx": lambda ask: _diamond(ask, "blastx"),
            "blastx-shifts": lambda ask: _diamond(ask, "blastx", "-F", "15"),
        },
        _diamond_db,
    ),
    "hmmer": Peer(
        "phmmer",
        {
            "protein": lambda ask: _hmmer(ask, "phmmer"),
            "rounds": lambda ask: _hmmer(ask, "jackhmmer", "-N", ROUNDS[ask.kind]),
            "msa": lambda ask: _hmmer(ask, "jackhmmer", "-N", ROUNDS[ask.kind], "-A", f"{ask.out()}.sto"),
        },
    ),
    "LAST": Peer(
        "lastal",
        {
            "blastx-shifts": lambda ask: _last(ask, "-F", "15"),
            "dna": lambda ask: _last(ask, "-r", "2", "-q", "3", "-a", "5", "-b", "2"),
        },
        _last_db,
    ),
    "CUDASW++": Peer("align", {"protein": _cudasw}, _cudasw_db, gpu=True, help_contains="--printLengthPartitions"),
}
