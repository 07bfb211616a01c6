"""The files of the jobs: found in the folder of real sequences, or made of what is there before anything is timed."""

from __future__ import annotations

import gzip
import lzma
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Final

from speed.data import DataMissing
from speed.whole.child import program, take
from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.io.sequences.reader import read_sequences

SOURCES: Final[Mapping[str, str]] = {
    "queries-20": "proteins/cudasw_20queries.fasta",
    "queries-500": "proteins/uniprot_500queries.fasta",
    "swissprot": "proteins/swissprot_16species.fasta.gz",
    "proteomes": "proteins/uniprot_16proteomes.fasta.gz",
    "domains": "scop/dev_domains.fasta.xz",
    "k12": "dna/GCF_000005845.2_ASM584v2_genomic.fna.gz",
    "sakai": "dna/NC_002695.fna.gz",
}
DOMAINS: Final = 11_206  # those there are, again and again
OPENERS: Final[Mapping[str, Callable[..., object]]] = {".gz": gzip.open, ".xz": lzma.open}
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
        self._made: dict[str, Path] = {"out": folder / "out", "python": Path(sys.executable)}

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
        if name.endswith(".swdb"):
            made = self.folder / name
            take([*program(), "makedb", str(self.path(f"{name[:-5]}.fasta")), "-o", str(made)], self.folder, LONG)
            return made
        if name.endswith(".fasta"):
            return self._plain(name[:-6])
        if name.startswith(QUERY):
            return self._query(int(name.removeprefix(QUERY)))
        return self._repeated() if name == "domains" else self._source(name)

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

    def _repeated(self) -> Path:
        source = self._source("domains")
        with lzma.open(source, "rt", encoding="utf-8") as packed, (self.folder / "few.fasta").open("w") as plain:
            shutil.copyfileobj(packed, plain)
        records = list(read_sequences(self.folder / "few.fasta", PROTEIN))
        chosen = (records[at % len(records)] for at in range(DOMAINS))
        return self._write("domains.fasta", ((f"{one.id}.{at}", one) for at, one in enumerate(chosen)))

    def _write(self, name: str, records: Iterator[tuple[str, SequenceRecord]]) -> Path:
        made = self.folder / name
        with made.open("wb") as file:
            for identifier, record in records:
                file.write(b">%s\n%s\n" % (identifier.encode(), record.residues))
        return made
