"""CUDASW++ 4.0 next to a sweep: its speed and what it takes, on the same device, queries and subjects.

The program is ``align`` with ``makedb`` next to it. It reads a file with the query many times over; scans are counted
from the third one on, when the database is on the device, to the one before the last.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Final, NamedTuple

from swgui.core.database import ArrayDatabase
from swgui.core.errors import EngineFault
from swgui.core.scoring import EncodedQuery, ScoringScheme
from swgui.jobs.sweep.energy import Energy, EnergyMeter

MARK: Final = b"--printLengthPartitions"  # an option that no other program of this name has
SCAN: Final = b"Processing query "
WARM: Final = 2  # scans that are not counted
MAX_SCANS: Final = 5_000  # scans at most
HELP_SECONDS: Final = 20.0
MATRICES: Final = ("BLOSUM45", "BLOSUM50", "BLOSUM62", "BLOSUM80")
FIRST_DPX: Final = 9.0  # compute capability


class PeerSpeed(NamedTuple):
    """Speed of CUDASW++, and the energy it took."""

    length: int  # residues of the query
    gcups: float  # by the clock
    energy: Energy
    gcups_per_watt: float  # 0 if energy is not known


def find() -> Path | None:
    """Return the program; None if it is not here."""
    found = shutil.which("align")
    if found is None or shutil.which("makedb", path=str(Path(found).parent)) is None:
        return None
    with suppress(OSError, subprocess.TimeoutExpired):
        told = subprocess.run([found, "--help"], capture_output=True, timeout=HELP_SECONDS, check=False)
        if MARK in told.stdout + told.stderr:
            return Path(found)
    return None


class CudaSw:
    """The program with a database in its own form.

    Parameters
    ----------
    device : str
        Number of the GPU.
    capability : str
        Its compute capability: from 9.0 on the program uses DPX instructions.
    """

    def __init__(self, program: Path, folder: Path, device: str, capability: str, scheme: ScoringScheme) -> None:
        self._program, self._folder, self._scheme = program, folder, scheme
        self._environment = {**os.environ, "CUDA_VISIBLE_DEVICES": device}
        self._dpx = ["--dpx"] if float(capability or 0) >= FIRST_DPX else []
        self._prefix = str(folder / "database")

    def take(self, database: ArrayDatabase) -> None:
        """Write subjects and have the program read them.

        Raises
        ------
        EngineFault
            If it cannot.
        """
        fasta = self._folder / "database.fasta"
        with fasta.open("wb") as file:
            for number, (start, stop) in enumerate(zip(database.offsets, database.offsets[1:], strict=False)):
                file.write(b">%d\n%s\n" % (number, database.alphabet.decode(database.codes[start:stop])))
        words = [str(self._program.with_name("makedb")), str(fasta), self._prefix]
        done = subprocess.run(words, capture_output=True, env=self._environment, check=False)
        if done.returncode:
            raise EngineFault(f"CUDASW++ could not make its database ({_last(done.stderr or done.stdout)}).")

    def measure(self, query: EncodedQuery, residues: int, gigacells: float, meter: EnergyMeter) -> PeerSpeed:
        """Scan with a query until about so many 10^9 cells are done."""
        cells = len(query) * residues
        scans = min(MAX_SCANS, WARM + 1 + max(2, round(gigacells * 1e9 / cells)))
        fasta = self._folder / "query.fasta"
        text = self._scheme.alphabet.decode(query.codes)
        fasta.write_bytes(b"".join(b">%d\n%s\n" % (number, text) for number in range(scans)))
        costs = ["--gop", str(-self._scheme.gap_first), "--gex", str(-self._scheme.gap_extend)]
        words = [str(self._program), "--query", str(fasta), "--db", self._prefix, "--verbose", "--top", "10"]
        matrix = ["--mat", self._scheme.matrix.name.lower()]
        out = ["--of", str(self._folder / "hits"), "--uploadFull"]
        with _running([*words, *matrix, *costs, *self._dpx, *out], self._environment) as output:
            energy = _metered(output, meter, scans)
        if energy is None:
            raise EngineFault("CUDASW++ ended before its scans did.")
        counted = (scans - WARM - 1) * cells / 1e9
        per_watt = counted / energy.joules if energy.joules else 0.0
        return PeerSpeed(len(query), counted / energy.seconds, energy, per_watt)


def can_score(scheme: ScoringScheme) -> bool:
    """Whether the program has the matrix of a scheme."""
    return scheme.matrix.name in MATRICES


@contextmanager
def at_hand(device: str, capability: str, scheme: ScoringScheme) -> Iterator[CudaSw | None]:
    """Give the program with a folder of its own for a while; None if it is not here, or lacks the matrix."""
    program = find()
    if program is None or not can_score(scheme):
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        yield CudaSw(program, Path(folder), device, capability, scheme)


@contextmanager
def _running(words: list[str], environment: dict[str, str]) -> Iterator[IO[bytes]]:
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout is not None
        try:
            yield process.stdout
        finally:
            if process.poll() is None:
                process.kill()


def _metered(output: IO[bytes], meter: EnergyMeter, scans: int) -> Energy | None:
    """Read to the end; return the energy from the first counted scan to the start of the last; None if none came."""
    seen, rest, begun, taken = 0, b"", False, None
    while chunk := output.read1(65_536):  # type: ignore[attr-defined]
        rest += chunk
        seen += rest.count(SCAN)
        rest = rest[-(len(SCAN) - 1) :]
        if not begun and seen > WARM:
            begun = True
            meter.begin()
        if begun and taken is None and seen == scans:
            taken = meter.end()
    return taken


def _last(text: bytes) -> str:
    return (text.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
