"""Write the scores that the sample search must give, computed by an independent program.

    .venv/bin/python packaging/make_sample_scores.py [SSEARCH36]

Runs ``ssearch36`` of the FASTA package (Debian: fasta3) with BLOSUM62 and gap costs 11/1 and stores the score of
every pair in ``resources/examples/sample_scores.npz``, in the layout that ``swgui search --scores`` writes.
"""

from __future__ import annotations

import gzip
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from make_sample import DATABASE, EXAMPLES, QUERIES, read_fasta, read_fasta_text

SCORES = EXAMPLES / "sample_scores.npz"
OPTIONS = ["-q", "-s", "BL62", "-f", "-11", "-g", "-1", "-m", "10", "-E", "1e12", "-b", "5000", "-d", "5000"]


def main(program: str = "ssearch36") -> int:
    """Run the program and store what it says."""
    text = gzip.decompress(DATABASE.read_bytes()).decode("ascii")
    subjects = {header.split()[0]: index for index, (header, _) in enumerate(read_fasta_text(text))}
    queries = {header.split()[0]: index for index, (header, _) in enumerate(read_fasta(QUERIES))}
    scores = np.full((len(queries), len(subjects)), -1, dtype=np.int32)
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder) / "sample.fasta"
        database.write_text(text, "ascii")
        output = subprocess.run(
            [program, *OPTIONS, QUERIES, database], capture_output=True, text=True, check=True
        ).stdout
    row = column = -1
    for line in output.splitlines():
        # ">>>query", ">>subject" and "; sw_s-w opt: score"; further alignments of a subject score less.
        if line.startswith(">>>"):
            row = queries.get(line[3:].split(",")[0].split()[0], row)
        elif line.startswith(">>"):
            column = subjects[line[2:].split()[0]]
        elif line.startswith("; sw_s-w opt:"):
            scores[row, column] = max(scores[row, column], int(line.rpartition(":")[2]))
    if (scores < 0).any():
        sys.exit(f"{program} gave no score for {(scores < 0).sum()} pairs.")
    np.savez_compressed(SCORES, query_ids=list(queries), subject_ids=list(subjects), scores=scores)
    print(f"{SCORES.name}: {scores.shape[0]} x {scores.shape[1]} scores, the highest {scores.max()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
