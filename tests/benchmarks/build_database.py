"""How long a large FASTA file takes to become a database, and how much memory.

    python -m tests.benchmarks.build_database --megabytes 500

Writes random proteins with headers like those of UniProt, builds a database of them with ``swgui makedb`` in a process
of its own, and prints time and peak memory of that.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from pathlib import Path


def write_fasta(path: Path, size: int) -> int:
    """Write so many bytes; returns the number of records."""
    source = random.Random(1)
    lines = ["".join(source.choices("ACDEFGHIKLMNPQRSTVWY", k=60)) for _ in range(4000)]
    written = records = 0
    with open(path, "w", encoding="ascii") as file:
        while written < size:
            header = (
                f">sp|P{records:07}|PROT{records}_HUMAN Protein number {records} OS=Homo sapiens OX=9606 PE=1 SV=1\n"
            )
            text = header + "\n".join(source.choices(lines, k=source.randint(2, 11))) + "\n"
            file.write(text)
            written += len(text)
            records += 1
    return records


def main() -> int:
    """Measure once."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.build_database")
    parser.add_argument("--megabytes", type=int, default=500)
    parser.add_argument("--folder", type=Path, help="for the files (default: a temporary one)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        source, target = Path(name) / "source.fasta", Path(name) / "target.swdb"
        records = write_fasta(source, options.megabytes * 10**6)
        began = time.monotonic()
        child = os.spawnv(
            os.P_NOWAIT, sys.executable, [sys.executable, "-m", "swgui", "makedb", str(source), "-o", str(target)]
        )
        _, status, used = os.wait4(child, 0)
        seconds = time.monotonic() - began
        if status:
            return 1
        print(
            f"{source.stat().st_size / 1e6:.0f} MB, {records:,} sequences: {seconds:.1f} s by the clock, "
            f"{used.ru_utime + used.ru_stime:.1f} s of processor, {used.ru_maxrss / 1024:.0f} MiB at most"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
