"""Make the golden files: simulate small sequence sets and score them with independent programs.

    python tests/data/make_golden.py            # all sets whose program is installed
    python tests/data/make_golden.py --check    # compare with the stored files instead of writing

The command lines, one per file, are in `COMMANDS`; README.md in the same folder repeats them with the
versions used. The sequences are drawn from a fixed seed and belong to no one.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).resolve().parent / "golden"
AMINO_ACIDS = "ARNDCQEGHILKMFPSTWYV"
FREQUENCIES = np.array([83, 55, 41, 55, 14, 39, 67, 71, 23, 59, 97, 58, 24, 39, 47, 66, 53, 11, 29, 69], dtype=float)
BASES = "ACGT"

Scores = Iterator[tuple[str, str, int]]


def mutate(rng: np.random.Generator, sequence: str, letters: str, share: float) -> str:
    """Return a relative: substitutions, and about one gap of up to 12 per forty residues at share 1."""
    out = [letters[rng.integers(len(letters))] if rng.random() < share else letter for letter in sequence]
    for _ in range(round(share * len(sequence) / 40)):
        at, length = int(rng.integers(len(out))), int(rng.integers(1, 13))
        if rng.random() < 0.5:
            del out[at : at + length]
        else:
            out[at:at] = [letters[rng.integers(len(letters))] for _ in range(length)]
    return "".join(out)


def families(rng: np.random.Generator, letters: str, weights: np.ndarray, lengths: tuple[int, ...]) -> dict[str, dict]:
    """Return queries and subjects: five relatives of each query, and unrelated sequences."""
    shares = weights / weights.sum()

    def draw(length: int) -> str:
        return "".join(rng.choice(list(letters), size=length, p=shares))

    queries = {f"q{length}": draw(length) for length in lengths}
    subjects = {}
    for name, sequence in queries.items():
        for percent in (0, 15, 35, 55, 75):
            relative = mutate(rng, sequence, letters, percent / 100)
            subjects[f"{name}_relative{percent}"] = draw(int(rng.integers(0, 60))) + relative + draw(25)
    for number in range(20):
        subjects[f"unrelated{number}"] = draw(int(rng.integers(5, 500)))
    return {"queries": queries, "subjects": subjects}


def make_sets() -> dict[str, dict[str, dict[str, str]]]:
    """Return all sets: name, then ``queries`` and ``subjects``, then id, then letters."""
    rng = np.random.default_rng(1981)
    protein = families(rng, AMINO_ACIDS, FREQUENCIES, (8, 31, 120, 340, 900))
    # Letters beyond the twenty, as databases have them (J, O and * are no common ground among programs).
    odd = families(rng, AMINO_ACIDS, FREQUENCIES, (60, 200))
    for part in odd.values():
        for number, (name, sequence) in enumerate(part.items()):
            letters = list(sequence)
            for at in rng.integers(0, len(letters), max(1, len(letters) // 12)):
                letters[at] = "XBZU"[(number + at) % 4]
            part[name] = "".join(letters)
    nucleotide = families(rng, BASES, np.ones(4), (25, 150, 1200))
    return {"protein": protein, "protein_odd": odd, "nucleotide": nucleotide}


def write_fasta(path: Path, sequences: dict[str, str]) -> None:
    """Write sequences in lines of 60."""
    with path.open("w", encoding="ascii", newline="\n") as file:
        for name, sequence in sequences.items():
            file.write(f">{name}\n" + "".join(f"{part}\n" for part in re.findall(".{1,60}", sequence)))


def run(command: str, folder: Path) -> str:
    """Run a command line in a folder and return what it prints."""
    return subprocess.run(command, shell=True, cwd=folder, check=True, capture_output=True, text=True).stdout


def read_ssearch(command: str, folder: Path) -> Scores:
    """Read the raw scores (``-R``) of ssearch36, run once per query so that sections need no matching."""
    for query in sorted(folder.glob("one_*.fasta")):
        run(command.replace("QUERY", query.name), folder)
        for line in (folder / "raw.txt").read_text().splitlines():
            if re.match(r"(q\d+_relative|unrelated)\d", line):
                fields = line.split()
                yield query.stem.removeprefix("one_"), fields[0], int(fields[5])


def read_water(command: str, folder: Path) -> Scores:
    """Read lines ``query subject length (score)``."""
    for query in sorted(folder.glob("one_*.fasta")):
        for line in run(command.replace("QUERY", query.name), folder).splitlines():
            if found := re.fullmatch(r"(\S+) (\S+) \d+ \((\d+)\.0\)", line.strip()):
                yield found[1], found[2], int(found[3])


def read_blast(command: str, folder: Path) -> Scores:
    """Read tabular lines ``query subject score`` and keep the best of each pair, of high scores only.

    BLAST looks from seeds, so a weak pair may be missed or cut short; strong ones are optimal.
    """
    best: dict[tuple[str, str], int] = {}
    for query in sorted(folder.glob("one_*.fasta")):
        for line in run(command.replace("QUERY", query.name), folder).splitlines():
            name, subject, score = line.split()
            best[name, subject] = max(best.get((name, subject), 0), int(score))
    for (name, subject), score in best.items():
        if score >= 150:
            yield name, subject, score


# File: set, command line, reader. QUERY is a file with one query, SUBJECTS the set's subjects.
COMMANDS: dict[str, tuple[str, str, Callable[[str, Path], Scores]]] = {
    "protein_blosum62_11_1_ssearch36": (
        "protein",
        "ssearch36 -q -p -z 3 -s BL62 -f -11 -g -1 -b 1 -d 0 -R raw.txt QUERY SUBJECTS",
        read_ssearch,
    ),
    "protein_blosum50_10_2_ssearch36": (
        "protein",
        "ssearch36 -q -p -z 3 -s BL50 -f -10 -g -2 -b 1 -d 0 -R raw.txt QUERY SUBJECTS",
        read_ssearch,
    ),
    "protein_odd_blosum62_11_1_ssearch36": (
        "protein_odd",
        "ssearch36 -q -p -z 3 -s BL62 -f -11 -g -1 -b 1 -d 0 -R raw.txt QUERY SUBJECTS",
        read_ssearch,
    ),
    "protein_blosum62_11_1_water": (
        "protein",
        "water -asequence QUERY -bsequence SUBJECTS -datafile EBLOSUM62 -gapopen 12 -gapextend 1"
        " -aformat score -stdout -auto",
        read_water,
    ),
    "protein_blosum62_11_1_blastp": (
        "protein",
        "blastp -query QUERY -subject SUBJECTS -matrix BLOSUM62 -gapopen 11 -gapextend 1"
        " -comp_based_stats 0 -seg no -evalue 10 -outfmt '6 qseqid sseqid score'",
        read_blast,
    ),
    "nucleotide_2_3_5_2_ssearch36": (
        "nucleotide",
        "ssearch36 -q -n -3 -z 3 -r +2/-3 -f -5 -g -2 -b 1 -d 0 -R raw.txt QUERY SUBJECTS",
        read_ssearch,
    ),
    "nucleotide_2_3_5_2_blastn": (
        "nucleotide",
        "blastn -task blastn -word_size 7 -strand plus -query QUERY -subject SUBJECTS -reward 2 -penalty -3"
        " -gapopen 5 -gapextend 2 -dust no -evalue 10 -outfmt '6 qseqid sseqid score'",
        read_blast,
    ),
}


def make(folder: Path) -> list[str]:
    """Write all files into a folder; returns the programs that are missing."""
    missing = []
    for name, parts in make_sets().items():
        for part, sequences in parts.items():
            write_fasta(folder / f"{name}_{part}.fasta", sequences)
    for name, (set_name, command, read) in COMMANDS.items():
        if not shutil.which(command.split()[0]):
            missing.append(command.split()[0])
            continue
        with tempfile.TemporaryDirectory() as temporary:
            work = Path(temporary)
            shutil.copy(folder / f"{set_name}_subjects.fasta", work / "subjects.fasta")
            for query, sequence in make_sets()[set_name]["queries"].items():
                write_fasta(work / f"one_{query}.fasta", {query: sequence})
            rows = sorted(read(command.replace("SUBJECTS", "subjects.fasta"), work))
        text = "query\tsubject\tscore\n" + "".join("\t".join(map(str, row)) + "\n" for row in rows)
        (folder / f"{name}.tsv").write_text(text, encoding="ascii", newline="\n")
    return sorted(set(missing))


def main() -> int:
    """Write the golden files, or compare them with what the programs say now."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the stored files, write nothing")
    if not parser.parse_args().check:
        FOLDER.mkdir(exist_ok=True)
        missing = make(FOLDER)
        print(f"not installed: {', '.join(missing)}" if missing else f"wrote {FOLDER}")
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        make(made)
        different = [path.name for path in sorted(made.iterdir()) if path.read_bytes() != _stored(path.name)]
    print(f"different: {', '.join(different)}" if different else "all the same")
    return bool(different)


def _stored(name: str) -> bytes:
    path = FOLDER / name
    return path.read_bytes() if path.is_file() else b""


if __name__ == "__main__":
    sys.exit(main())
