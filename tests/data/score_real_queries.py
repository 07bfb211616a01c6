"""Score the 20 CUDASW queries against the 16-species proteins with ssearch36, and keep what a test needs.

    python tests/data/score_real_queries.py DATA_FOLDER > tests/data/cudasw_queries_16species_ssearch36.tsv

Runs about a minute on two cores. Each line has the length of a query, the number of subjects, the sum and
the maximum of all its scores, the id of the first subject with that maximum, and the BLAKE2b digest (128
bits) of its scores as little-endian int32 in the order of the file. The sequences are UniProt's (CC BY
4.0); only these figures are kept here.
"""

from __future__ import annotations

import gzip
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

COMMAND = "ssearch36 -q -p -z 1 -s BL62 -f -11 -g -1 -T 2 -b 5 -d 0 -R raw.txt queries.fasta subjects.fasta"


def headers(text: str) -> list[str]:
    """Return the first word of every header line."""
    return [line[1:].split()[0] for line in text.splitlines() if line.startswith(">")]


def read_raw(path: Path, subjects: list[str]) -> list[np.ndarray]:
    """Return the scores of each query in the order of `subjects`; ids are cut short, accessions are not."""
    place = {name.split("|")[1]: index for index, name in enumerate(subjects)}
    rows: list[np.ndarray] = []
    for line in path.read_text().splitlines():
        if line.startswith(">>>"):
            rows.append(np.full(len(subjects), -1, dtype="<i4"))
        elif line.startswith(("sp|", "tr|")):
            _, accession, rest = line.split("|", 2)
            rows[-1][place[accession]] = int(rest.split()[5])
    if any((row < 0).any() for row in rows):
        sys.exit("ssearch36 left subjects out.")
    return rows


def main() -> None:
    """Run ssearch36 and print the table."""
    proteins = Path(sys.argv[1]) / "proteins"
    queries = (proteins / "cudasw_20queries.fasta").read_text()
    subjects = gzip.decompress((proteins / "swissprot_16species.fasta.gz").read_bytes()).decode()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "queries.fasta").write_text(queries)
        Path(folder, "subjects.fasta").write_text(subjects)
        subprocess.run(COMMAND.split(), cwd=folder, check=True, stdout=subprocess.DEVNULL)
        rows = read_raw(Path(folder, "raw.txt"), headers(subjects))
    names = headers(subjects)
    lengths = [sum(len(line) for line in part.splitlines()[1:]) for part in queries.split(">")[1:]]
    print("query", "length", "subjects", "sum", "max", "best", "blake2b", sep="\t")
    for name, length, row in zip(headers(queries), lengths, rows, strict=True):
        digest = hashlib.blake2b(row.tobytes(), digest_size=16).hexdigest()
        print(name, length, len(row), row.sum(dtype=np.int64), row.max(), names[int(row.argmax())], digest, sep="\t")


if __name__ == "__main__":
    main()
