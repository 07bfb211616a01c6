"""Sample files: proteins, databases, a genome with genes, reads, guides and primers, structures, for the manual."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Final, NamedTuple, TextIO

from swgui.core.alphabet import PROTEIN
from swgui.core.records import SequenceRecord
from swgui.core.translation.genetic_codes import BASES, CODON, STANDARD, genetic_code
from swgui.io.database.build import build_database
from swgui.io.sequences.reader import read_sequences
from swgui.io.whole_file import save_bytes, save_text
from swgui.paths import make_folder, resources_dir

DATABASE: Final = "sample_database.fasta.gz"
PROTEINS: Final = "sample_proteins.fasta"
LINE: Final = 60  # residues of a line of FASTA
SEED: Final = 1
CONTIG: Final = "sim|genome"
GUIDE: Final = 20  # bases, without the PAM
PRIMER: Final = 20
SPACER: Final = 600  # bases of the genome before, between and after its genes
READS: Final = 24
READ: Final = 150  # bases
ERRORS: Final = 0.01  # share of the bases of a read that are wrong
GENES: Final = ("HBA_HUMAN", "MYG_HUMAN", "LYSC_HUMAN", "CYC_HUMAN")
# A cloverleaf as that of tRNAs, a copy of it on its own way for each row, and the share of pairs and bases that change.
CLOVERLEAF: Final = "(((((((..((((........)))).(((((.......))))).....(((((.......))))))))))))."
RNAS: Final = 40
RNA_CHANGES: Final = (0.6, 0.25)
OTHER_STRAND_EVERY: Final = 3
UNRELATED_RNAS: Final = 600
BASE_PAIRS: Final = ("GC", "CG", "AU", "UA", "GU", "UG")
PEPTIDES: Final = (("HBA_HUMAN", 31, 40), ("HBB_HUMAN", 66, 75), ("MYG_HUMAN", 79, 88))  # entry, first, last from 1
TEST_EVERY: Final = 4  # one protein in four is among those of the test


class Made(NamedTuple):
    """One file of the sample."""

    name: str
    about: str
    write: Callable[[Path], None]


def sample_files() -> tuple[Made, ...]:
    """Files of the sample, in the order of their list."""
    return (
        Made("query.fasta", "five proteins, the queries of the sample search", _copied("sample_queries.fasta")),
        Made("hba.fasta", "human haemoglobin alpha", _entries("HBA_HUMAN")),
        Made("hbb.fasta", "human haemoglobin beta", _entries("HBB_HUMAN")),
        Made("proteins.fasta", "42 proteins of UniProtKB", _copied(PROTEINS)),
        Made(DATABASE, "these 42 and 4,958 simulated ones", _copied(DATABASE)),
        Made("db.swdb", f"the same as a database file, built of {DATABASE}", _built),
        Made("train.fasta", "three of four of the 42 proteins", _part(test=False)),
        Made("test.fasta", "the others", _part(test=True)),
        Made("clusters.tsv", "the 42 proteins in clusters by the names of their entries", _clusters),
        Made("peptides.fasta", "three peptides of 10 residues", _peptides),
        Made(
            "genome.fasta",
            "simulated DNA with four genes",
            lambda path: _write(path, {CONTIG: genome().encode()}),
        ),
        Made("genes.gff3", "the places of these genes", _genes_table),
        Made("guides.fasta", "two CRISPR guides within them, without their PAM", _guides),
        Made("primers.fasta", "a pair of primers of the first gene", _primers),
        Made("reads.fq", "24 simulated reads of these genes, with errors", _reads),
        Made("rna.sto", "40 simulated RNAs, aligned, with their structure", _rna),
        Made("rna.fasta", "the first of these RNAs", lambda path: _write(path, dict([next(iter(_cloverleaves()))]))),
        Made("rnas.fasta", "the other 39, every third on the other strand, and 600 unrelated ones", _rnas),
        Made("d1ecaa_.pdb.gz", "structure of a globin of an insect (PDB 1ECA)", _copied("d1ecaa_.pdb.gz")),
        Made("d1mbaa_.pdb.gz", "structure of a globin of a sea slug (PDB 1MBA)", _copied("d1mbaa_.pdb.gz")),
    )


def write_sample(folder: Path, names: Collection[str] = ()) -> Iterator[tuple[Made, bool]]:
    """Write the sample into a folder; yield each file, and whether it was written.

    A file that is there already stays as it is.

    Parameters
    ----------
    names : collection of str
        Of the files; all of them if empty.

    Raises
    ------
    FileNotWritten
        If a file cannot be written.
    OSError
        If the folder cannot be made.
    """
    make_folder(folder)
    for file in sample_files():
        if names and file.name not in names:
            continue
        missing = not (folder / file.name).exists()
        if missing:
            file.write(folder / file.name)
        yield file, missing


def genome() -> str:
    """DNA that holds the coding sequences of `GENES`, each translated back with one codon an amino acid."""
    chance = random.Random(SEED)
    proteins = _proteins()
    parts = [_bases(chance, SPACER)]
    for name in GENES:
        parts += [_back_translated(proteins[name].residues), _bases(chance, SPACER)]
    return "".join(parts)


def _example(name: str) -> Path:
    return resources_dir() / "examples" / name


def _copied(name: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        content = _example(name).read_bytes()
        save_bytes(path, lambda file: file.write(content))

    return write


def _proteins() -> dict[str, SequenceRecord]:
    return {record.id.split("|")[-1]: record for record in read_sequences(_example(PROTEINS), PROTEIN)}


def _entries(*names: str) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        proteins = _proteins()
        _write(path, {proteins[name].header: proteins[name].residues for name in names})

    return write


def _part(*, test: bool) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        records = [one for place, one in enumerate(_proteins().values()) if (place % TEST_EVERY == 0) is test]
        _write(path, {record.header: record.residues for record in records})

    return write


def _clusters(path: Path) -> None:
    lines = (f"{record.id.split('|')[-1].partition('_')[0]}\t{record.id}\n" for record in _proteins().values())
    save_text(path, lambda file: file.writelines(["cluster\tsequence\n", *lines]))


def _peptides(path: Path) -> None:
    proteins = _proteins()
    _write(path, {f"{n}_{first}-{last}": proteins[n].residues[first - 1 : last] for n, first, last in PEPTIDES})


def _built(path: Path) -> None:
    build_database([_example(DATABASE)], path)


def _genes() -> list[tuple[int, int]]:
    """First base of each gene of the genome, from 0, and the one behind its stop codon."""
    proteins, genes, place = _proteins(), [], SPACER
    for name in GENES:
        length = CODON * (len(proteins[name].residues) + 1)  # and the stop
        genes.append((place, place + length))
        place += length + SPACER
    return genes


def _genes_table(path: Path) -> None:
    lines = ["##gff-version 3\n"]
    for name, (first, end) in zip(GENES, _genes(), strict=True):
        gene, place = name.partition("_")[0], f"{first + 1}\t{end}\t.\t+"
        lines.append(f"{CONTIG}\tswgui\tgene\t{place}\t.\tID={gene};Name={gene}\n")
        lines.append(f"{CONTIG}\tswgui\tCDS\t{place}\t0\tID=cds-{gene};Parent={gene}\n")
    save_text(path, lambda file: file.writelines(lines))


def _guides(path: Path) -> None:
    dna, found = genome(), {}
    for name, (first, end) in list(zip(GENES, _genes(), strict=True))[:2]:
        place = next(at for at in range(first, end) if dna[at + GUIDE + 1 : at + GUIDE + 3] == "GG")  # N and GG
        found[f"guide_{name.partition('_')[0]}"] = dna[place : place + GUIDE].encode()
    _write(path, found)


def _primers(path: Path) -> None:
    first, end = _genes()[0]
    begin, tail = genome()[first : first + PRIMER], genome()[end - PRIMER : end]
    reverse = tail[::-1].translate(str.maketrans("ACGT", "TGCA"))
    _write(path, {"HBA_forward": begin.encode(), "HBA_reverse": reverse.encode()})


def _reads(path: Path) -> None:
    chance, dna, genes = random.Random(SEED + 1), genome(), _genes()
    lines = []
    for number in range(READS):
        first, end = genes[number % len(genes)]
        begin = first + int(chance.random() * max(end - first - READ, 1))
        read = "".join(_read_base(chance, base) for base in dna[begin : begin + READ])
        lines.append(f"@read{number + 1:02d}\n{read}\n+\n{'I' * len(read)}\n")
    save_text(path, lambda file: file.writelines(lines))


def _read_base(chance: random.Random, base: str) -> str:
    return base if chance.random() >= ERRORS else "ACGT".replace(base, "")[int(3 * chance.random())]


def _bases(chance: random.Random, length: int) -> str:
    return "".join("ACGT"[int(4 * chance.random())] for _ in range(length))


def _back_translated(protein: bytes) -> str:
    codons = dict(zip(genetic_code(STANDARD).residues, map("".join, product(BASES, repeat=CODON)), strict=True))
    return "".join(codons[residue] for residue in f"{protein.decode()}*")


def _write(path: Path, sequences: Mapping[str, bytes]) -> None:
    def write(file: TextIO) -> None:
        for header, residues in sequences.items():
            lines = (residues[first : first + LINE].decode() for first in range(0, len(residues), LINE))
            print(f">{header}", *lines, sep="\n", file=file)

    save_text(path, write)


def _cloverleaves() -> Iterator[tuple[str, bytes]]:
    """Yield names and bases of RNAs that share a structure: pairs change together, other bases alone."""
    source, opened, pairs = random.Random(SEED), list[int](), list[tuple[int, int]]()
    for column, sign in enumerate(CLOVERLEAF):
        if sign == "(":
            opened.append(column)
        elif sign == ")":
            pairs.append((opened.pop(), column))

    def change(row: list[str], shares: tuple[float, float]) -> list[str]:
        made = [source.choice("ACGU") if source.random() < shares[1] else base for base in row]
        for left, right in pairs:
            kept = source.random() >= shares[0]
            made[left], made[right] = (row[left], row[right]) if kept else source.choice(BASE_PAIRS)
        return made

    first = change(["A"] * len(CLOVERLEAF), (1.0, 1.0))
    for number in range(1, RNAS + 1):
        yield f"rna{number}", "".join(change(first, RNA_CHANGES)).encode()


def _rna(path: Path) -> None:
    rows = [f"{name:<10}{bases.decode()}" for name, bases in _cloverleaves()]
    lines = ["# STOCKHOLM 1.0", "#=GF ID cloverleaf", *rows, f"{'#=GC SS_cons':<9} {CLOVERLEAF}", "//"]
    save_text(path, lambda file: file.write("\n".join(lines) + "\n"))


def _rnas(path: Path) -> None:
    source, other_strand = random.Random(SEED), bytes.maketrans(b"ACGU", b"UGCA")
    rows = dict(list(_cloverleaves())[1:])
    for name in list(rows)[::OTHER_STRAND_EVERY]:
        rows[name] = rows[name][::-1].translate(other_strand)
    for number in range(1, UNRELATED_RNAS + 1):
        rows[f"other{number}"] = bytes(source.choices(b"ACGU", k=source.randrange(60, 100)))
    _write(path, rows)
