#!/usr/bin/env python3
"""Measure how long the installed command takes to end after SIGTERM, at moments spread over its phases.

    python packaging/measuring/stops.py [MODE ...] [--moments 5] [--longest 20] [--folder FOLDER]

Each mode of `MODES` runs to its end once, for `--longest` seconds of processor time at most, then once for each moment,
in a process of its own; moments are processor time, too. Printed are the seconds from the signal to the end, the
processor time of these seconds (which tells a busy machine from a slow program), the exit status and the lines of the
file. The CPU engine is used unless `--engine` names another. Reads the real sequences of SWGUI_DATA (default
../shared/data).
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from swgui.core.records import SequenceRecord
from swgui.engines.facts import CPU
from swgui.io.sequences.reader import read_sequences

ROOT: Final = Path(__file__).resolve().parents[2]
DATA: Final = Path(os.environ.get("SWGUI_DATA") or ROOT.parent / "shared" / "data").resolve()
COMMAND: Final = (sys.executable, "-m", "swgui")
TICKS: Final = os.sysconf("SC_CLK_TCK")
MODES: Final = {
    "plain": ("search", "-q", "500.fa", "-d", "proteins.swdb"),
    "plain, listing": ("search", "-q", "500.fa", "-d", "few.fa"),
    "both strands": ("search", "-q", "genes.fa", "-d", "genome.fa"),
    "rounds": ("search", "-q", "40.fa", "-d", "few.fa", "--iterations", "4"),
    "blastx": ("search", "-q", "genes.fa", "-d", "few.fa"),
    "tblastn": ("search", "-q", "ecoli.fa", "-d", "genome.fa"),
    "tblastn, listing": ("search", "-q", "40.fa", "-d", "genome.fa"),
    "tblastx": ("search", "-q", "genes.fa", "-d", "part.fa", "--program", "tblastx"),
    "frameshifts, query": ("search", "-q", "genes.fa", "-d", "few.fa", "--frameshift", "15"),
    "frameshifts, database": ("search", "-q", "10.fa", "-d", "genome.fa", "--frameshift", "15"),
    "two tracks": ("search", "-q", "tracks.fa", "--query-letters", "letters.fa", "-d", "tracks.swdb"),
    "shuffles": ("search", "-q", "40.fa", "-d", "few.fa", "--statistics", "statistics.json", "--shuffles", "200"),
    "msa": ("msa", "-q", "1.fa", "-d", "proteins.swdb"),
    "deeper": ("deeper", "-q", "1.fa", "-d", "few.fa", "--iterations", "3", "--neighbours"),
    "pair": ("pair", "genome.fa", "part.fa", "--device", "cpu"),
    "peptides": ("rule", "peptides", "-q", "peptides.fa", "-d", "proteins.swdb", "--mismatches", "5"),
    "edits": ("rule", "edits", "-q", "peptides.fa", "-d", "proteins.swdb", "--edits", "5"),
    "identity": ("rule", "identity", "-q", "10.fa", "-d", "proteins.swdb", "--identity", "0.3"),
    "window": ("rule", "window", "-q", "10.fa", "-d", "proteins.swdb"),
    "words": ("rule", "words", "-q", "500.fa", "-d", "proteins.swdb", "--length", "4"),
    "guides": ("rule", "guides", "-q", "guides.fa", "-d", "genome.fa", "--mismatches", "5", "--edits", "5"),
    "primers": ("rule", "primers", "-q", "primers.fa", "-d", "genome.fa", "--mismatches", "4"),
}  # fmt: skip
OF_ENGINE: Final = ("search", "msa", "deeper", "rule")  # commands that take --engine


def write(path: Path, records: Iterable[SequenceRecord]) -> None:
    """Write sequences as FASTA."""
    path.write_text("".join(f">{record.id}\n{record.residues.decode()}\n" for record in records))


def prepare(folder: Path) -> None:
    """Make the inputs of all modes."""
    proteins = list(read_sequences(DATA / "proteins" / "swissprot_16species.fasta.gz"))
    ecoli = [record for record in proteins if record.id.endswith("_ECOLI")]
    genome = list(read_sequences(DATA / "dna" / "GCF_000005845.2_ASM584v2_genomic.fna.gz"))
    mixed = list(read_sequences(DATA / "proteins" / "uniprot_500queries.fasta"))
    text = genome[0].residues
    write(folder / "ecoli.fa", ecoli)
    write(folder / "few.fa", proteins[::8])
    write(folder / "500.fa", mixed)
    for number in (1, 10, 40):
        write(folder / f"{number}.fa", ecoli[:number])
    write(folder / "genome.fa", genome)
    write(folder / "part.fa", [SequenceRecord("part", "", text[:500_000])])
    write(folder / "genes.fa", [SequenceRecord(f"g{at}", "", text[at : at + 3000]) for at in range(0, 300_000, 10_000)])
    sites = range(1000, 1_001_000, 10_000)
    write(folder / "guides.fa", [SequenceRecord(f"c{at}", "", text[at : at + 20]) for at in sites])
    write(folder / "primers.fa", [SequenceRecord(f"p{at}", "", text[at : at + 18]) for at in sites])
    write(folder / "peptides.fa", [SequenceRecord(f"e{at}", "", r.residues[:15]) for at, r in enumerate(ecoli[:200])])
    turned = bytes.maketrans(b"ACDEFGHIKLMNPQRSTVWY", b"YWVTSRQPNMLKIHGFEDCA")
    letters = [SequenceRecord(record.id, "", record.residues.translate(turned)) for record in proteins[::8]]
    write(folder / "all_letters.fa", letters)
    write(folder / "tracks.fa", proteins[:800:8])
    write(folder / "letters.fa", letters[:100])
    all_proteins = str(DATA / "proteins" / "swissprot_16species.fasta.gz")
    in_tracks = "few.fa", "--letters", "all_letters.fa", "-o", "tracks.swdb"
    for words in ((all_proteins, "-o", "proteins.swdb"), in_tracks):
        subprocess.run([*COMMAND, "makedb", *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def processor_seconds(process: int) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def stopped(words: Sequence[str], folder: Path, moment: float) -> tuple[float, float, float, int, str]:
    """Run a command and send SIGTERM once it has used some seconds of processor time.

    Returns
    -------
    used, after, processor : float
        Processor time before the signal; time and processor time from the signal to the end, 0 where the command had
        ended by itself.
    status : int
    said : str
        The last line of the standard error.
    """
    used = after = spent = 0.0
    with (folder / "said.txt").open("w") as said:
        process = subprocess.Popen([*COMMAND, *words], cwd=folder, stdout=subprocess.DEVNULL, stderr=said)
    while used < moment and os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
        time.sleep(0.02)
        used = processor_seconds(process.pid)
    if used >= moment:
        at = time.monotonic()
        process.send_signal(signal.SIGTERM)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        after, spent = time.monotonic() - at, usage.ru_utime + usage.ru_stime - used
    lines = (folder / "said.txt").read_text().strip().splitlines()
    return used, after, spent, process.wait(), lines[-1] if lines else ""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modes", nargs="*", choices=[[], *MODES], metavar="MODE")
    parser.add_argument("--moments", type=int, default=5)
    parser.add_argument("--longest", type=float, default=20.0, help="processor seconds before the last signal")
    parser.add_argument("--engine", default=CPU.name)
    parser.add_argument("--folder", type=Path, help="keeps the inputs")
    arguments = parser.parse_args()
    folder = arguments.folder or Path(tempfile.mkdtemp(prefix="swgui-stops-"))
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "tracks.swdb").exists():
        prepare(folder)
    print(f"{'mode':22} {'signal at':>9} {'seconds':>8} {'processor':>9} {'status':>6} {'lines':>9}  last words")
    for mode in arguments.modes or MODES:
        out = folder / "out.txt"
        words = [*MODES[mode], "-o", out.name]
        words += ["--engine", arguments.engine] if words[0] in OF_ENGINE else []
        for _ in range(1 if arguments.engine == CPU.name else 2):  # the first on a GPU compiles, which takes cores
            last, *_ = stopped(words, folder, arguments.longest)
        for number in range(1, arguments.moments + 1):
            out.unlink(missing_ok=True)
            moment = min(last, arguments.longest) * number / (arguments.moments + 1)
            _, after, spent, status, said = stopped(words, folder, moment)
            lines = len(out.read_bytes().splitlines()) if out.exists() else 0
            row = f"{mode:22} {moment:9.1f} {after:8.2f} {spent:9.2f} {status:6} {lines:9,}  {said[:70]}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
