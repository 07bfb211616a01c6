"""The jobs: what users run, one record each.

A word that begins with ``@`` names a file, which `speed.whole.files` finds or makes before anything is timed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from speed.whole.peers import Kind
from swgui.engines.facts import CPU, GPU

FILE: Final = "@"
OUT: Final = f"{FILE}out"
SEARCHES: Final = (("search",), ("msa",), ("network",))  # commands that take an engine
SCORES: Final = ("--columns", "qseqid,sseqid,evalue")  # a table that needs no alignment
PLAIN: Final = (*SCORES, "--composition", "none", "--max-hsps", "1")
SIX: Final = ("--iterations", "6")
SHIFTS: Final = ("--frameshift", "15")
ROWS_OF: Final = ("msa", "-q", "@queries-100", "-d", "@proteomes.swdb", "-o", f"{OUT}.a3m", "--iterations", "3")
NETWORK: Final = ("network", "@swissprot.fasta", "-o", f"{OUT}.swnet")
FIVE: Final = ("--iterations", "5")
TEN: Final = ("--top", "10")
SYMBOLS: Final = ("--query-letters", "@tracks-symbols", "--letters-alphabet", "Mu")
MU: Final = (("SWGUI_CONFIG_DIR", "@mu-settings"),)
NUMPY: Final = ("@python", "-c", "import numpy")
QUIT: Final = (("QT_QPA_PLATFORM", "offscreen"), ("SWGUI_QUIT_AFTER", "0.001"))
ALIGNMENTS: Final = """
from time import perf_counter
import numpy as np
from swgui.core.alphabet import PROTEIN
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.engines import native
from swgui.engines.traceback.many import align_many
from swgui.io.matrices import load_matrix
chance, pairs = np.random.default_rng(1), 1000
query = chance.integers(0, 20, 400).astype(np.uint8)
like = np.where(chance.random((pairs, 400)) < 0.3, chance.integers(0, 20, (pairs, 400)), query).astype(np.uint8)
residues = np.hstack([like, chance.integers(0, 20, (pairs, 50)).astype(np.uint8)])
subjects = native.Subjects.packed(residues.ravel(), np.arange(pairs + 1) * 450)
scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
took = []
for _ in range(5):
    began = perf_counter()
    align_many(EncodedQuery("query", query), subjects, scheme, threads=1)
    took.append(perf_counter() - began)
print(sorted(took)[2] / pairs)
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One job.

    Parameters
    ----------
    key : str
        Its name among the arguments of ``--whole``.
    title : str
    wanted : str
        What it should take.
    words : tuple of str
        Of the program, its name left out.
    engine : str
        What it is done with, the name of an engine; empty where nothing is computed.
    devices : int
        GPUs it needs.
    alike : str
        Kind of job that other programs can do the same with; empty without any.
    cold : bool
        Whether the folders of the program are to be empty: no kernel compiled, no device checked.
    code : str
        Python to run in place of a command of the program; it prints the seconds that count.
    beside : tuple of str
        A command to time for comparison, where none of the programs that search does the like.
    variables : tuple of (str, str)
        Of the surroundings; values may name files.
    by_cpu : bool
        Whether to measure seconds of the processor, not those of the clock.
    """

    key: str
    title: str
    wanted: str
    words: tuple[str, ...] = ()
    engine: str = ""
    devices: int = 0
    alike: Kind = ""
    cold: bool = False
    code: str = ""
    beside: tuple[str, ...] = ()
    variables: tuple[tuple[str, str], ...] = ()
    by_cpu: bool = False

    @property
    def searches(self) -> bool:
        """Whether another engine can do it, too."""
        return self.words[:1] in SEARCHES

    @property
    def files(self) -> tuple[str, ...]:
        """Names of the files it reads."""
        return tuple(word[1:] for word in self.words if word[:1] == FILE and not word.startswith(OUT))


def _search(
    key: str,
    title: str,
    wanted: str,
    queries: str,
    database: str,
    *more: str,
    engine: str = GPU.name,
    cold: bool = False,
    variables: tuple[tuple[str, str], ...] = (),
) -> Row:
    """Return a search; other programs can do the same where it is one of residues."""
    words = ("search", "-q", f"@{queries}", "-d", f"@{database}.swdb", "-o", OUT, *more)
    alike: Kind = "" if variables else "rounds" if more == SIX else "" if "--iterations" in more else "protein"
    devices = int(engine == GPU.name)
    return Row(key, title, wanted, words, engine, devices, alike=alike, cold=cold, variables=variables)


def _of_dna(
    key: str, title: str, wanted: str, queries: str, database: str, *more: str, alike: Kind, engine: str = GPU.name
) -> Row:
    """Return a search of DNA, or a translated one, with default output."""
    words = ("search", "-q", f"@{queries}", "-d", f"@{database}.swdb", "-o", OUT, *more)
    return Row(key, title, wanted, words, engine, int(engine == GPU.name), alike=alike)


def _pair(key: str, title: str, wanted: str, *more: str, devices: int = 1) -> Row:
    on = ("--device", ",".join(map(str, range(devices))))
    return Row(key, title, wanted, ("pair", "@k12", "@sakai", "-o", OUT, *on, *more), GPU.name, devices)


ROWS: Final = (
    _search("500", "500 queries x uniprot_16proteomes", "6, aim 4", "queries-500", "proteomes"),
    _search("500-hits", "the same without alignments", "3.5", "queries-500", "proteomes", *SCORES),
    _search("500-plain", "the same, E not corrected, one hit a subject", "3.5", "queries-500", "proteomes", *PLAIN),
    _search("20", "20 queries x uniprot_16proteomes", "2.5", "queries-20", "proteomes"),
    _search("20-small", "20 queries x swissprot_16species, top 10", "1.2", "queries-20", "swissprot", *TEN),
    _search("464", "query of 464 x swissprot_16species, top 10", "0.8", "query-464", "swissprot", *TEN),
    _search("464-cold", "the same as the first search of a computer", "3", "query-464", "swissprot", *TEN, cold=True),
    _search("20-cold", "20 queries, the same, as the first search", "3", "queries-20", "swissprot", *TEN, cold=True),
    _search("domains", "11,206 domains against themselves", "8", "domains", "domains", *SCORES),
    _search("rounds", "400 domains, 6 rounds x uniprot_16proteomes", "6", "domains-400", "proteomes", *SIX),
    _search("rounds-50", "50 of them", "", "domains-50", "proteomes", *SIX),
    Row("msa", "msa of 100 queries of 300 x uniprot_16proteomes, 3 rounds", "4", ROWS_OF, GPU.name, 1, alike="msa"),
    Row("network", "network of swissprot_16species, all against all", "", NETWORK, GPU.name, 1, alike="pairs"),
    _search("rounds-464", "query of 464, 5 rounds x the same four times", "1", "query-464", "proteomes-4", *FIVE),
    _search(
        "tracks", "3,453 domains in two tracks against themselves", "10", "tracks", "tracks",
        *SYMBOLS, *SCORES, variables=MU,
    ),
    _search(
        "tracks-default", "the same, default output", "", "tracks", "tracks", *SYMBOLS, variables=MU,
    ),
    _of_dna("genes", "30 stretches of 1,000 bases x K-12, both strands", "", "genes", "k12", alike="dna"),
    _of_dna("tblastn", "4,363 proteins of K-12 x its genome", "9", "k12-proteins", "k12", alike="tblastn"),
    _of_dna("tblastn-500", "500 of them", "", "k12-500", "k12", alike="tblastn"),
    _of_dna("tblastn-shifts", "500 of them with frameshifts", "8", "k12-500", "k12", *SHIFTS, alike=""),
    _of_dna("blastx", "100 reads of 10,000 bases x swissprot_16species", "10", "reads", "swissprot", alike="blastx"),
    _of_dna("blastx-shifts", "the same with frameshifts", "9", "reads", "swissprot", *SHIFTS, alike="blastx-shifts"),
    _of_dna(
        "tblastx", "30 stretches of 1,000 bases x K-12, both translated", "", "genes", "k12",
        "--program", "tblastx", alike="tblastx",
    ),
    _pair("pair", "K-12 x Sakai with alignment", "10"),
    _pair("pair-score", "K-12 x Sakai, score", "", "--score-only"),
    _pair("pair-score-2", "K-12 x Sakai, score, two GPUs", "1.8 x one", "--score-only", devices=2),
    Row("help", "swgui --help", "1.5 x numpy", ("--help",), beside=NUMPY),
    Row("version", "swgui --version", "1.5 x numpy", ("--version",), beside=NUMPY),
    _search(
        "cpu-144", "query of 144 x swissprot_16species, top 10", "0.35", "query-144", "swissprot",
        *TEN, engine=CPU.name,
    ),
    _search("cpu-1000", "query of 1,000, the same", "0.6", "query-1000", "swissprot", *TEN, engine=CPU.name),
    _search("cpu-5478", "query of 5,478, the same", "2.0", "query-5478", "swissprot", *TEN, engine=CPU.name),
    _search("cpu-20-scores", "20 queries, scores and hits", "10", "queries-20", "swissprot", *PLAIN, engine=CPU.name),
    _search(
        "cpu-20", "20 queries, the 100 best aligned", "1.2 x scores", "queries-20", "swissprot",
        "--top", "100", "--composition", "none", "--max-hsps", "1", engine=CPU.name,
    ),
    _search("cpu-20-default", "20 queries, default output", "", "queries-20", "swissprot", engine=CPU.name),
    _of_dna(
        "cpu-genes", "30 stretches of 1,000 bases x K-12, both strands", "", "genes", "k12", alike="dna",
        engine=CPU.name,
    ),
    Row("alignment", "an alignment of 400 x 450, one core", "0.0001", code=ALIGNMENTS),
    Row("window", "window, processor time to the first picture", "1.2", variables=QUIT, by_cpu=True),
)  # fmt: skip
