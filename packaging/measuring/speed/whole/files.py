"""The files of the jobs: found in the folder of real sequences, or made of what is there before anything is timed."""

from __future__ import annotations

import gzip
import lzma
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np

from speed.data import DataMissing
from speed.whole.child import program, take
from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.records import SequenceRecord
from swgui.io.sequences.reader import read_sequences

SOURCES: Final[Mapping[str, str]] = {
    "queries-20": "proteins/cudasw_20queries.fasta",
    "queries-500": "proteins/uniprot_500queries.fasta",
    "swissprot": "proteins/swissprot_16species.fasta.gz",
    "proteomes": "proteins/uniprot_16proteomes.fasta.gz",
    "domains": "scop/dev_domains.fasta.xz",
    "symbols": "scop/dev_domains.mu.fasta.xz",
    "mu": "scop/mu_matrix.txt",
    "k12": "dna/GCF_000005845.2_ASM584v2_genomic.fna.gz",
    "sakai": "dna/NC_002695.fna.gz",
}
DOMAINS: Final = 11_206  # those there are, again and again
SOME: Final = 400  # of them, evenly
FEW: Final = 50  # of these
ALIGNED: Final = 100  # queries with about so many residues:
MIDDLE: Final = 300
MU: Final = "# name: Mu\n# case: matters\n# beside residues: weights 1 1 gaps 11 1\n"  # how its symbols are scored
OPENERS: Final[Mapping[str, Callable[..., object]]] = {".gz": gzip.open, ".xz": lzma.open}
K12: Final = "OX=83333"
READS, READ = 100, 10_000  # how many, and their bases before the errors
GENES, GENE = 30, 1_000  # stretches of a genome, and bases of each
ERRORS: Final = (0.95, 0.01, 0.02, 0.02)  # shares of bases that are right, another one, missing, and there twice
LONG: Final = 3600.0  # seconds that making a file may take
QUERY: Final = "query-"


class Files:
    """Where the files of the jobs are; each is made when it is first asked for.

    Parameters
    ----------
    data : Path
        Folder of the real sequences.
    folder : Path
        For what is made.
    """

    def __init__(self, data: Path, folder: Path) -> None:
        self.folder = folder
        self._data = data
        self._made: dict[str, Path] = {
            **{f"out{ending}": folder / f"out{ending}" for ending in ("", ".a3m", ".swnet")},
            "python": Path(sys.executable),
        }

    def path(self, name: str) -> Path:
        """Return the place of a file.

        Parameters
        ----------
        name : str
            Of `SOURCES`, with ``.fasta`` where it is to be plain text and with ``.swdb`` for a database of it;
            ``query-464``: that of the 20 queries which has 464 residues.

        Raises
        ------
        DataMissing
        CommandFailed
        """
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def word(self, word: str) -> str:
        """Return a word of a command, a name of a file replaced by its place."""
        return str(self.path(word[1:])) if word.startswith("@") else word

    def _make(self, name: str) -> Path:
        if name in MADE:
            return MADE[name](self)
        if name.endswith(".swdb"):
            return self._database(name[:-5])
        if name.endswith(".fasta"):
            return self._plain(name[:-6])
        if name.startswith(QUERY):
            return self._query(int(name.removeprefix(QUERY)))
        return self._source(name)

    def _database(self, name: str) -> Path:
        made = self.folder / f"{name}.swdb"
        words = [*program(), "makedb", str(self.path(f"{name}.fasta")), "-o", str(made)]
        if name != "tracks":
            take(words, self.folder, LONG)
            return made
        letters = ["--letters", str(self.path("tracks-symbols")), "--letters-alphabet", "Mu"]
        take([*words, *letters], self.folder, LONG, {"SWGUI_CONFIG_DIR": str(self.path("mu-settings"))})
        return made

    def _source(self, name: str) -> Path:
        path = self._data / SOURCES[name]
        if not path.is_file():
            raise DataMissing(f"{path.name} is not in {path.parent}", hint="")
        return path

    def _plain(self, name: str) -> Path:
        source = self.path(name)
        made = self.folder / f"{name}.fasta"
        opened = OPENERS.get(source.suffix)
        if opened is None:
            return source
        with opened(source, "rb") as packed, made.open("wb") as file:  # type: ignore[attr-defined]
            shutil.copyfileobj(packed, file)
        return made

    def _query(self, residues: int) -> Path:
        records = read_sequences(self.path("queries-20"), PROTEIN)
        chosen = next((record for record in records if len(record.residues) == residues), None)
        if chosen is None:
            raise DataMissing(f"{self.path('queries-20').name} has no query of {residues} residues", hint="")
        return self._write(f"{QUERY}{residues}.fasta", iter([(chosen.id, chosen)]))

    def repeated(self) -> Path:
        """Return 11,206 domains: those there are, again and again."""
        records = self._records("domains")
        chosen = (records[at % len(records)] for at in range(DOMAINS))
        return self._write("domains.fasta", ((f"{one.id}.{at}", one) for at, one in enumerate(chosen)))

    def some(self) -> Path:
        """Return 400 domains, taken evenly."""
        return self._write("domains-400.fasta", ((one.id, one) for one in self._records("domains")[::8][:SOME]))

    def few(self) -> Path:
        """Return 50 of them, for programs that take long."""
        chosen = self._records("domains")[::8][:SOME][:: SOME // FEW]
        return self._write("domains-50.fasta", ((one.id, one) for one in chosen))

    def middling(self) -> Path:
        """Return the 100 queries whose lengths are nearest to 300 residues."""
        records = list(read_sequences(self.path("queries-500"), PROTEIN))
        records.sort(key=lambda one: abs(len(one.residues) - MIDDLE))
        return self._write("queries-100.fasta", ((one.id, one) for one in records[:ALIGNED]))

    def proteins_of_k12(self) -> Path:
        """Return the proteins of *E. coli* K-12."""
        own = (one for one in read_sequences(self.path("proteomes"), PROTEIN) if K12 in one.description)
        return self._write("k12-proteins.fasta", ((one.id, one) for one in own))

    def some_of_k12(self) -> Path:
        """Return the first 500 of them."""
        own = read_sequences(self.path("k12-proteins"), PROTEIN)
        return self._write("k12-500.fasta", ((one.id, one) for one, _ in zip(own, range(500), strict=False)))

    def reads(self) -> Path:
        """Return 100 stretches of the genome with the errors of long reads."""
        genome = next(iter(read_sequences(self.path("k12"), NUCLEOTIDE))).residues
        chance, bases = np.random.default_rng(1), np.frombuffer(b"ACGT", dtype=np.uint8)
        made = self.folder / "reads.fasta"
        with made.open("wb") as file:
            for number, at in enumerate(np.linspace(0, len(genome) - READ, READS).astype(int).tolist()):
                read = np.frombuffer(genome[at : at + READ], dtype=np.uint8)
                kinds = chance.choice(4, len(read), p=ERRORS)
                read = np.where(kinds == 1, bases[chance.integers(0, 4, len(read))], read)  # another base
                file.write(b">read%d\n%s\n" % (number, np.repeat(read, np.array([1, 1, 0, 2])[kinds]).tobytes()))
        return made

    def genes(self) -> Path:
        """Return 30 stretches of 1,000 bases of the genome, as long as most genes are."""
        genome = next(iter(read_sequences(self.path("k12"), NUCLEOTIDE))).residues
        made = self.folder / "genes.fasta"
        with made.open("wb") as file:
            for number, at in enumerate(np.linspace(0, len(genome) - GENE, GENES).astype(int).tolist()):
                file.write(b">gene%d\n%s\n" % (number, genome[at : at + GENE]))
        return made

    def four_times(self) -> Path:
        """Return the proteomes four times over."""
        once, made = self.path("proteomes.fasta"), self.folder / "proteomes-4.fasta"
        with made.open("wb") as file:
            for number in range(4):
                with once.open("rb") as plain:
                    for line in plain:
                        file.write(b">%d." % number + line[1:] if line[:1] == b">" else line)
        return made

    def settings(self) -> Path:
        """Return a folder of settings in which the alphabet of the symbols is known."""
        folder = self.folder / "settings"
        (folder / "alphabets").mkdir(parents=True, exist_ok=True)
        (folder / "alphabets" / "Mu.txt").write_text(MU + self._source("mu").read_text("utf-8"), "utf-8")
        return folder

    def tracks(self) -> tuple[Path, Path]:
        """Return the domains that have symbols, and their symbols, of which lower case is another one."""
        with lzma.open(self._source("symbols"), "rt", encoding="utf-8") as packed:
            entries = (entry.partition("\n") for entry in packed.read().split(">")[1:])
            symbols = {head.split()[0]: text.replace("\n", "") for head, _, text in entries}
        chosen = [one for one in self._records("domains") if len(symbols.get(one.id, "")) == len(one.residues)]
        made = self.folder / "tracks-symbols.fasta"
        made.write_text("".join(f">{one.id}\n{symbols[one.id]}\n" for one in chosen), "utf-8")
        return self._write("tracks.fasta", ((one.id, one) for one in chosen)), made

    def _records(self, name: str) -> list[SequenceRecord]:
        """Return the records of a packed file."""
        plain = self.folder / f"{name}-as-they-are.fasta"
        with lzma.open(self._source(name), "rt", encoding="utf-8") as packed, plain.open("w") as file:
            shutil.copyfileobj(packed, file)
        return list(read_sequences(plain, PROTEIN))

    def _write(self, name: str, records: Iterator[tuple[str, SequenceRecord]]) -> Path:
        made = self.folder / name
        with made.open("wb") as file:
            for identifier, record in records:
                file.write(b">%s\n%s\n" % (identifier.encode(), record.residues))
        return made


MADE: Final[Mapping[str, Callable[[Files], Path]]] = {
    "domains": Files.repeated,
    "domains-400": Files.some,
    "domains-50": Files.few,
    "queries-100": Files.middling,
    "proteomes-4.fasta": Files.four_times,
    "mu-settings": Files.settings,
    "k12-proteins": Files.proteins_of_k12,
    "k12-500": Files.some_of_k12,
    "genes": Files.genes,
    "reads": Files.reads,
    "tracks": lambda files: files.tracks()[0],
    "tracks-symbols": lambda files: files.tracks()[1],
}  # files that are put together of others
