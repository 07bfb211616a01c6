"""Write the sample that ships with the program: a few real proteins in a simulated background.

    python3 packaging/make_sample.py            # writes resources/examples/sample_*.fasta[.gz]
    python3 packaging/make_sample.py --check    # compares only; exit status 1 if something differs

The real proteins are in ``resources/examples/sample_proteins.fasta`` (see ``resources/README.md``). The
background has no biology in it: each residue is drawn on its own from the amino-acid frequencies of
Robinson & Robinson (PNAS 88:8880-8884, 1991), so whatever the real queries find in it, they find by
chance. Lengths follow rounded quantiles of protein databases. Only ``random.Random.random`` and
elementary arithmetic are used, so the sequences are the same on every computer and Python version.
"""

from __future__ import annotations

import argparse
import gzip
import io
import random
import sys
from bisect import bisect
from collections.abc import Iterator
from itertools import accumulate, pairwise
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parent.parent / "resources" / "examples"
PROTEINS = EXAMPLES / "sample_proteins.fasta"
DATABASE = EXAMPLES / "sample_database.fasta.gz"
QUERIES = EXAMPLES / "sample_queries.fasta"

SEED = 1981  # the year of Smith and Waterman's paper
SEQUENCES = 5_000  # of the whole database, real ones included

# Occurrences per 100,000 residues.
ROBINSON = {
    "A": 7805, "R": 5129, "N": 4487, "D": 5364, "C": 1925, "Q": 4264, "E": 6295, "G": 7377, "H": 2199, "I": 5142,
    "L": 9019, "K": 5744, "M": 2243, "F": 3856, "P": 5203, "S": 7120, "T": 5841, "W": 1330, "Y": 3216, "V": 6441,
}  # fmt: skip

# (share of sequences up to this length, length); straight lines between.
LENGTHS = [
    (0.00, 40), (0.05, 90), (0.10, 120), (0.25, 190), (0.50, 300), (0.75, 450), (0.90, 680), (0.97, 1000),
    (0.995, 1800), (1.00, 3000),
]  # fmt: skip

# Queries, by entry name and the part of the entry that is used (None: all of it).
QUERY_PARTS = {
    "HBA_HUMAN": None,
    "CYC_HUMAN": None,
    "INS_HUMAN": None,
    "LYSC_CHICK": None,
    "UBB_HUMAN": (0, 76),  # one of the three ubiquitins that the precursor consists of
}


def read_fasta_text(text: str) -> Iterator[tuple[str, str]]:
    """Yield header and residues of each record of plain, clean FASTA."""
    for record in text.split(">")[1:]:
        header, _, residues = record.partition("\n")
        yield header, "".join(residues.split())


def read_fasta(path: Path) -> Iterator[tuple[str, str]]:
    """Yield header and residues of each record of a file."""
    return read_fasta_text(path.read_text("ascii"))


def format_fasta(header: str, residues: str) -> str:
    """Return one record with lines of 60 residues."""
    lines = (residues[at : at + 60] for at in range(0, len(residues), 60))
    return f">{header}\n" + "\n".join(lines) + "\n"


def simulated(count: int) -> Iterator[tuple[str, str]]:
    """Yield `count` records of independent residues."""
    rng = random.Random(SEED)
    letters = "".join(ROBINSON)
    steps = list(accumulate(ROBINSON.values()))
    for number in range(1, count + 1):
        length = _length_at(rng.random())
        residues = "".join(letters[bisect(steps, rng.random() * steps[-1])] for _ in range(length))
        yield f"sim|S{number:05d}|SIMULATED_{number:05d} Simulated protein, independent residues", residues


def _length_at(share: float) -> int:
    for (low, shorter), (high, longer) in pairwise(LENGTHS):
        if share < high:
            return int(shorter + (share - low) / (high - low) * (longer - shorter))
    return LENGTHS[-1][1]


def database_text() -> str:
    """Return the sample database as FASTA: the real proteins first, then the background."""
    real = list(read_fasta(PROTEINS))
    return "".join(format_fasta(*record) for record in [*real, *simulated(SEQUENCES - len(real))])


def queries_text() -> str:
    """Return the sample queries as FASTA."""
    real = {header.split("|")[2].split()[0]: (header, residues) for header, residues in read_fasta(PROTEINS)}
    records = []
    for name, part in QUERY_PARTS.items():
        header, residues = real[name]
        if part is not None:
            header += f" (residues {part[0] + 1} to {part[1]})"
            residues = residues[part[0] : part[1]]
        records.append(format_fasta(header, residues))
    return "".join(records)


def compressed(text: str) -> bytes:
    """Compress without a time or a name, so that the same text gives the same bytes."""
    buffer = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=9, fileobj=buffer, mtime=0) as file:
        file.write(text.encode("ascii"))
    return buffer.getvalue()


def main(arguments: list[str] | None = None) -> int:
    """Write the sample, or check it; return the exit status."""
    parser = argparse.ArgumentParser(description="Write the sample that ships with the program.")
    parser.add_argument("--check", action="store_true", help="compare only, write nothing")
    options = parser.parse_args(arguments)
    database, queries = database_text(), queries_text()
    if options.check:
        # The text is compared: compression libraries differ in their bytes.
        stale = [
            path.name
            for path, old, new in [
                (DATABASE, gzip.decompress(DATABASE.read_bytes()).decode("ascii"), database),
                (QUERIES, QUERIES.read_text("ascii"), queries),
            ]
            if old != new
        ]
        print(f"differs: {', '.join(stale)}" if stale else "the sample is up to date")
        return 1 if stale else 0
    DATABASE.write_bytes(compressed(database))
    QUERIES.write_text(queries, "ascii", newline="\n")
    print(f"{DATABASE.name}: {database.count('>'):,} sequences; {QUERIES.name}: {queries.count('>')} queries")
    return 0


if __name__ == "__main__":
    sys.exit(main())
