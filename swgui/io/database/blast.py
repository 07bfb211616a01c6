"""BLAST databases as a source of sequences, through NCBI's own reader ``blastdbcmd``.

Its output is streamed: nothing is written to disk between, and memory does not depend on the size. The format of
these files is NCBI's to change; ``blastdbcmd`` reads version 4 and 5, one or many volumes, and aliases.
"""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast

from swgui.core.errors import SequenceError
from swgui.io.sequences.report import shown
from swgui.io.sequences.sources import TextSource, open_file

PROGRAM: Final = "blastdbcmd"
INSTALL_HINT: Final = (
    "Install NCBI BLAST+ (on Debian and Ubuntu: sudo apt install ncbi-blast+), or write the sequences as FASTA on a "
    "computer that has it: blastdbcmd -db NAME -entry all -out NAME.fasta"
)
# What an index or an alias of either kind ends in; an alias comes first, as it stands for all volumes.
_ENTRANCES: Final = ((".pal", "prot"), (".nal", "nucl"), (".pin", "prot"), (".nin", "nucl"))
_PART: Final = re.compile(r"\.[pn](al|in|sq|hr|db|og|os|ot|tf|to|sd|si|nd|ni|pd|pi|hd|hi|js)$")
_SIZE: Final = re.compile(r"([\d,]+) sequences; ([\d,]+) total")
_HEADER_BYTES: Final = 80  # of a header line on the average, for the progress


@dataclass(frozen=True, slots=True)
class BlastDatabase:
    """A BLAST database that is there."""

    name: Path  # as BLAST takes it: without an ending
    kind: str  # one of "prot", "nucl"
    file: Path  # its index or alias; stands for it in lists, and changes when it is made anew


def find_blast_database(path: str | os.PathLike[str]) -> BlastDatabase | None:
    """Return the BLAST database that a path means: one of its files, or its name; None if it means none."""
    place = Path(path)
    chosen = _PART.search(place.name)
    if chosen is None:
        try:
            if place.exists():  # a file of another kind, or a folder
                return None
        except (OSError, ValueError):
            return None
    name = place.with_name(place.name[: chosen.start()]) if chosen else place
    # A file of one kind means the database of that kind; "x.pin" and "x.nin" may lie side by side.
    letter = place.name[chosen.start() + 1] if chosen else "pn"
    for ending, kind in _ENTRANCES:
        file = name.with_name(name.name + ending)
        if ending[1] in letter and file.is_file():
            return BlastDatabase(name, kind, file)
    return None


def blast_files(database: BlastDatabase) -> list[Path]:
    """Return all files of a BLAST database that lie beside its index or alias, those of its volumes too."""
    part = re.compile(re.escape(database.name.name) + r"(\.\d+)?" + _PART.pattern)
    return sorted(file for file in database.file.parent.iterdir() if part.fullmatch(file.name))


def source_file(path: str | os.PathLike[str]) -> Path:
    """Return the file that stands for a source: the index of a BLAST database, any other file itself."""
    database = find_blast_database(path)
    return database.file if database else Path(path)


def open_source(path: str | os.PathLike[str]) -> TextSource:
    """Open a sequence file, or a BLAST database as FASTA text.

    Raises
    ------
    SequenceError
        As `swgui.io.sequences.sources.open_file`; also if ``blastdbcmd`` is not installed or cannot read the database.
    """
    database = find_blast_database(path)
    return _BlastSource(database) if database else open_file(path)


class _BlastSource(TextSource):
    """The FASTA text that ``blastdbcmd`` writes; `position` counts in bytes of the index, like its file size."""

    def __init__(self, database: BlastDatabase) -> None:
        name = f"'{database.name.name}' (a BLAST database)"
        self._index_bytes = database.file.stat().st_size
        self._expected = 0
        program = shutil.which(PROGRAM)
        if program is None:
            raise SequenceError(
                f"'{database.file.name}' belongs to a BLAST database, which is read through NCBI's program {PROGRAM}; "
                "that is not installed.",
                path=str(database.file),
                hint=INSTALL_HINT,
            )
        # BLAST takes several names separated by blanks, each of them in quotes if need be.
        if '"' in str(database.name):
            raise SequenceError(
                f"BLAST cannot read {name}: there is a quotation mark in its path.",
                path=str(database.file),
                hint="Move it to another folder.",
            )
        command = [program, "-db", f'"{os.path.abspath(database.name)}"', "-dbtype", database.kind]
        self._expected = _expected_bytes([*command, "-info"])
        stream = _Output([*command, "-entry", "all", "-outfmt", "%f", "-line_length", "1000", "-ctrl_a"])
        super().__init__(cast(IO[bytes], stream), name, str(database.file))

    @property
    def position(self) -> int:
        """Share of the text consumed so far, in bytes of the index."""
        return int(self._index_bytes * min(1.0, self._consumed / max(1, self._expected)))


def _expected_bytes(command: list[str]) -> int:
    """Return about how much text a database is; 0 if its reader does not say."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    match = _SIZE.search(done.stdout)
    if match is None:
        return 0
    sequences, residues = (int(number.replace(",", "")) for number in match.groups())
    return residues + _HEADER_BYTES * sequences


class _Output(io.RawIOBase):
    """What a program writes, as a file; its failure is an `OSError` at the end, with what it said."""

    def __init__(self, command: list[str]) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the stream; a pipe could fill up
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._said, bufsize=0
            )
        except BaseException:
            self._said.close()
            raise

    def readable(self) -> bool:
        return True

    def fileno(self) -> int:
        raise OSError("a program's output is no file that could be looked at")

    def readinto(self, buffer: Any) -> int:
        assert self._process.stdout is not None
        count: int = self._process.stdout.readinto(buffer) or 0  # type: ignore[attr-defined]
        if count == 0 and (status := self._process.wait()):
            self._said.seek(0)
            lines = self._said.read(10_000).decode("utf-8", "replace").split("\n")
            reason = next((line for line in lines if line.strip()), "")
            raise OSError(status, shown(reason.strip(), 300).rstrip(".") or f"{PROGRAM} ended with status {status}")
        return count

    def close(self) -> None:
        if not self.closed:
            self._process.kill()  # nothing happens if it has ended
            self._process.wait()
            if self._process.stdout is not None:
                self._process.stdout.close()
            self._said.close()
        super().close()
