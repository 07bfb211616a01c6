"""Every kind of search, as words of `swgui search` over small files. Tests walk the table."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.io.matrices import load_matrix
from tests.jobs.iterate.family import evolved, sequence

CODONS: Final = {
    "A": "GCT", "R": "CGT", "N": "AAT", "D": "GAT", "C": "TGC", "Q": "CAG", "E": "GAA", "G": "GGT", "H": "CAC",
    "I": "ATT", "L": "CTG", "K": "AAA", "M": "ATG", "F": "TTC", "P": "CCG", "S": "AGC", "T": "ACC", "W": "TGG",
    "Y": "TAC", "V": "GTT",
}  # fmt: skip
SPECIES: Final = ("Homo sapiens OX=9606", "Mus musculus OX=10090", "Gallus gallus OX=9031")

#: By name: words of `swgui search` without its files of results; `{}` stands for the folder of `write_files`.
MODES: Final[dict[str, str]] = {
    "plain": "-q {}/one.fasta -d {}/proteins.swdb",
    "two queries": "-q {}/two.fasta -d {}/proteins.fasta",
    "both strands": "-q {}/genes.fasta -d {}/genome.swdb --strand both",
    "minus strand": "-q {}/genes.fasta -d {}/genome.swdb --strand minus",
    "rounds": "-q {}/two.fasta -d {}/proteins.swdb --iterations 3",
    "built elsewhere": "-q {}/one.fasta -d {}/proteins.fasta --iterations 2 --build-database {}/proteins.swdb",
    "start from an alignment": "--start-from {}/family.a3m -d {}/proteins.swdb",
    "start from a profile": "--start-from {}/profile.json -d {}/proteins.swdb",
    "rounds from an alignment": "--start-from {}/family.a3m -d {}/proteins.swdb --iterations 2",
    "profile against DNA": "--start-from {}/profile.json -d {}/genome.swdb --program tblastn",
    "blastx": "-q {}/genes.fasta -d {}/proteins.swdb",
    "tblastn": "-q {}/two.fasta -d {}/genome.swdb",
    "tblastx": "-q {}/genes.fasta -d {}/genome.swdb --program tblastx",
    "frames": "-q {}/genes.fasta -d {}/proteins.swdb --frames 1,-2",
    "other codes": "-q {}/genes.fasta -d {}/genome.swdb --program tblastx --query-gencode 4 --db-gencode 2",
    "open stretches": "-q {}/genes.fasta -d {}/proteins.swdb --min-orf 20",
    "frameshift of queries": "-q {}/genes.fasta -d {}/proteins.swdb --frameshift 15",
    "frameshift of subjects": "-q {}/two.fasta -d {}/genome.swdb --frameshift 15",
    "two tracks": "-q {}/two.fasta -d {}/lettered.swdb --query-letters {}/two.3di --letters-weight 2",
    "part of a query": "-q {}/two.fasta -d {}/proteins.swdb --query-range 11-60",
    "part of a read": "-q {}/genes.fasta -d {}/proteins.swdb --query-range 31-200",
    "organisms": "-q {}/one.fasta -d {}/proteins.swdb --organism 10090",
    "own matrix": "-q {}/two.fasta -d {}/proteins.swdb --matrix {}/own.mat --gap-open 9 --gap-extend 2",
    "match and mismatch": "-q {}/genes.fasta -d {}/genome.swdb --match 3 --mismatch -4",
    "masked": "-q {}/two.fasta -d {}/proteins.swdb --mask",
    "limits": "-q {}/two.fasta -d {}/proteins.swdb --top 5 --evalue 0.1 --min-identity 30 --min-score 40 --dbsize 9999",
    "composition by lambda": "-q {}/two.fasta -d {}/proteins.swdb --composition lambda",
}


def run(command: str, *words: object) -> int:
    """Run a command of the terminal and return its exit status."""
    return main([command, *map(str, words)])


def words_of(mode: str, folder: Path) -> list[str]:
    """Return the words of `swgui search` for a kind of search over the files of a folder."""
    return [*(word.replace("{}", str(folder)) for word in MODES[mode].split()), "--engine", "cpu"]


def search(mode: str, folder: Path, *more: object) -> int:
    """Run a kind of search over the files of a folder."""
    return run("search", *words_of(mode, folder), *more)


def write_files(folder: Path) -> None:
    """Write the files that the table names: a family of proteins among strangers, its genes, and its letters."""
    rng = np.random.default_rng(38)
    ancestor = sequence(rng, 80)
    family = {f"kin{at}": evolved(rng, ancestor, 0.6) for at in range(12)}
    proteins = {f"other{at}": sequence(rng, 50 + at % 60) for at in range(90)} | family
    queries = {name: family[name] for name in ("kin0", "kin7")}
    letters = {name: sequence(rng, len(residues)) for name, residues in proteins.items()}
    genome = {
        f"contig{at}": _bases(rng, 40 + at) + _strand(_gene(residues), at) + _bases(rng, 60)
        for at, residues in enumerate((*family.values(), *list(proteins.values())[:8]))
    }
    shifted = _gene(family["kin3"])[:101] + "A" + _gene(family["kin3"])[101:]
    files = {
        "proteins.fasta": {f"{name} OS={SPECIES[at % 3]}": one for at, (name, one) in enumerate(proteins.items())},
        "proteins.3di": letters,
        "one.fasta": dict(list(queries.items())[:1]),
        "two.fasta": queries,
        "two.3di": {name: letters[name] for name in queries},
        "genes.fasta": {"gene": _strand(_gene(family["kin1"]), 1), "shifted": shifted},
        "genome.fasta": genome,
        "family.a3m": {name: family[name] for name in ("kin0", "kin1", "kin2", "kin3")},
    }
    for name, records in files.items():
        (folder / name).write_text("".join(f">{header}\n{residues}\n" for header, residues in records.items()))
    matrix = load_matrix("BLOSUM50", PROTEIN)
    rows = (f"{letter} {' '.join(map(str, row))}" for letter, row in zip(PROTEIN.letters, matrix.scores, strict=True))
    (folder / "own.mat").write_text("\n".join(("  " + " ".join(PROTEIN.letters), *rows, "")))
    for database in ("proteins", "genome"):
        assert run("makedb", folder / f"{database}.fasta", "-o", folder / f"{database}.swdb", "--quiet") == 0
    words = ["--letters", folder / "proteins.3di", "-o", folder / "lettered.swdb", "--quiet"]
    assert run("makedb", folder / "proteins.fasta", *words) == 0
    made = ["--save-profile", folder / "profile.json", "-o", folder / "made.tsv", "--quiet"]
    assert search("rounds from an alignment", folder, *made) == 0


def _gene(residues: str) -> str:
    return "ATG" + "".join(CODONS[residue] for residue in residues) + "TAA"


def _bases(rng: np.random.Generator, length: int) -> str:
    return "".join(rng.choice(list("ACGT"), length))


def _strand(bases: str, number: int) -> str:
    """Return bases, every second time their reverse complement."""
    return bases[::-1].translate(str.maketrans("ACGT", "TGCA")) if number % 2 else bases
