#!/usr/bin/env python3
"""Genes of a genome found again in DNA with simulated insertions and deletions, by several programs.

    python packaging/measuring/shifts_trial.py make proteins.fasta genome.fasta DIR --indels 0.05 --genes 150
    swgui search -q DIR/regions.fasta -d DIR/proteins.fasta --frameshift 15 --query-code 11 --evalue 1e-3 --format tsv \
        -o DIR/swgui.tsv
    diamond makedb --in DIR/proteins.fasta -d DIR/proteins
    diamond blastx -F 15 --query-gencode 11 -k 0 -e 1e-3 -q DIR/regions.fasta -d DIR/proteins -o DIR/diamond.tsv -f 6 \
        qseqid sseqid pident length mismatch gapopen qstart qend sstart send evalue bitscore btop
    fastx36 -q -m 8CB -t 11 -E 0.001 -s BL62 -f -11 -g -1 -j 15 DIR/regions.fasta DIR/proteins.fasta > DIR/fastx36.tsv
    python packaging/measuring/shifts_trial.py judge DIR

Each region is a gene of 200 residues and more that the genome spells exactly (but for its first residue), with 300
bases on either side, after every base has been lost, or followed by another one, with a probability. `--reads N`
cuts reads of 2 to 20 kb instead, with 2 % substitutions besides 2 % insertions and deletions. `judge` says how many
genes have one hit that spans 90 % of them, and how near the shifts of alignments are to the true ones.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.translation.frames import translate

FLANK = 300
NEAR = 3
SPANNED = 0.9
LEAST = 200
COMPLEMENT = bytes.maketrans(b"ACGT", b"TGCA")


def records(path: Path) -> list[tuple[str, str]]:
    """Return name and sequence of each entry of a FASTA file."""
    entries = (part.split("\n", 1) for part in path.read_text().split(">")[1:])
    return [(head.split()[0], body.replace("\n", "").upper()) for head, body in entries]


def places(proteins: Sequence[tuple[str, str]], genome: bytes) -> dict[str, tuple[int, int, int]]:
    """Return first base, end and strand of the genes that spell a protein; bases of the plus strand, from 0."""
    codes, found = NUCLEOTIDE.encode(genome), {}
    for frame in (1, 2, 3, -1, -2, -3):
        letters = np.frombuffer(PROTEIN.letters.encode(), np.uint8)
        text = letters[translate(codes, frame, 11)].tobytes().decode()
        for name, protein in proteins:
            at = text.find(protein[1:]) if len(protein) >= LEAST else -1
            if at < 1 or name in found:
                continue
            first = abs(frame) - 1 + 3 * (at - 1)
            last = first + 3 * len(protein)
            found[name] = (first, last, 1) if frame > 0 else (len(genome) - last, len(genome) - first, -1)
    return found


def changed(
    dna: bytes, rng: np.random.Generator, indels: float, others: float
) -> tuple[bytes, list[tuple[int, int]], np.ndarray]:
    """Return DNA with errors, where bases are missing (-1) or too many (1), and the new place of every base."""
    out, events, new = bytearray(), [], np.zeros(len(dna) + 1, np.int64)
    chance, kinds, letters = rng.random(len(dna)), rng.random(len(dna)), rng.choice(list(b"ACGT"), len(dna))
    for at, base in enumerate(dna):
        new[at] = len(out)
        if chance[at] < indels and kinds[at] < 0.5:
            events.append((len(out), -1))
            continue
        out.append(int(letters[at]) if indels <= chance[at] < indels + others else base)
        if chance[at] < indels:
            events.append((len(out), 1))
            out.append(int(letters[at]))
    new[len(dna)] = len(out)
    return bytes(out), events, new


def make(given: argparse.Namespace) -> None:
    """Write regions or reads, proteins, and what is true of them."""
    rng = np.random.default_rng(given.seed)
    folder = given.folder
    folder.mkdir(parents=True, exist_ok=True)
    proteins, genome = records(given.proteins), records(given.genome)[0][1].encode()
    found = places(proteins, genome)
    lengths = {name: len(protein) for name, protein in proteins}
    truth: dict[str, Any] = {}
    dna = []
    if given.reads:
        for number in range(given.reads):
            size = int(rng.integers(2_000, 20_001))
            start = int(rng.integers(0, len(genome) - size))
            text, _, _ = changed(genome[start : start + size], rng, 0.02, 0.02)
            inside = [name for name, (a, b, _) in found.items() if a >= start and b <= start + size]
            truth[f"read{number}"] = {"genes": inside}
            dna.append((f"read{number}", text))
    else:
        names = sorted(found)
        chosen = names if given.genes >= len(names) else rng.choice(names, given.genes, replace=False).tolist()
        for name in chosen:
            first, last, strand = found[name]
            begin = max(0, first - FLANK)
            text, events, new = changed(genome[begin : last + FLANK], rng, given.indels, 0.0)
            span = [int(new[first - begin]), int(new[last - begin])]
            truth[name] = {"gene": span, "strand": strand, "events": events, "residues": lengths[name]}
            dna.append((name, text))
    (folder / "regions.fasta").write_text("".join(f">{name}\n{text.decode()}\n" for name, text in dna))
    (folder / "proteins.fasta").write_text("".join(f">{name}\n{protein}\n" for name, protein in proteins))
    (folder / "truth.json").write_text(json.dumps(truth))
    print(f"{len(found)} genes of {LEAST} residues and more at their place, {len(dna)} written")


def table(path: Path) -> list[dict[str, str]]:
    """Return the rows of a table of swgui, or of one with BLAST's twelve columns and BTOP."""
    names = "qseqid sseqid pident length mismatch gapopen qstart qend sstart send evalue bitscore btop"
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    if lines and "\tqseqid\t" in lines[0]:
        return list(csv.DictReader(lines, delimiter="\t"))
    return [dict(zip(names.split(), line.split("\t"), strict=False)) for line in lines]


def runs_of(row: dict[str, str]) -> list[tuple[int, str]]:
    """Return the runs of an alignment: those of swgui's CIGAR, or of BTOP as DIAMOND and fastx36 write it."""
    if "cigar" in row:
        return [(int(number), letter) for number, letter in re.findall(r"(\d+)([MIDFR])", row["cigar"])]
    runs = []
    for number, pair in re.findall(r"(\d+)|([^\d][^\d])", row.get("btop") or ""):
        kinds = {"\\-": "F", "/-": "R"}
        kind = kinds.get(pair) or ("M" if number or "-" not in pair else "I" if pair[1] == "-" else "D")
        runs.append((int(number or 1), kind))
    return runs


def shift_places(row: dict[str, str]) -> list[tuple[int, int]]:
    """Return where an alignment shifts, in bases of the plus strand from 0, and by how many bases."""
    first, last = int(row["qstart"]), int(row["qend"])
    plus, at, found = first <= last, 0, []
    for n, letter in runs_of(row):
        if letter in "FR":
            found.append((first - 1 + at if plus else first - at, n if letter == "F" else -n))
        at += {"M": 3 * n, "I": 3 * n, "D": 0, "F": n, "R": -n}[letter]
    return found


def judge(given: argparse.Namespace) -> None:
    """Print the results of each program."""
    truth = json.loads((given.folder / "truth.json").read_text())
    for path in sorted(given.folder.glob("*.tsv")):
        rows = table(path)
        if any("genes" in one for one in truth.values()):
            hits = {(row["qseqid"], row["sseqid"]) for row in rows}
            true = {(read, gene) for read, one in truth.items() for gene in one["genes"]}
            print(f"{path.stem}: {len(true & hits)} of {len(true)} genes of {len(truth)} reads")
            continue
        judge_genes(path.stem, rows, truth)


def judge_genes(program: str, rows: list[dict[str, str]], truth: dict[str, Any]) -> None:
    """Print how many genes have a hit, one that spans them, and how near the shifts are."""
    best: dict[str, dict[str, str]] = {}
    for row in rows:
        name = row["qseqid"]
        low, high = sorted((int(row["qstart"]), int(row["qend"])))
        gene = truth[name]["gene"]
        if row["sseqid"] != name or min(high, gene[1]) - max(low, gene[0]) <= 0:
            continue
        if name not in best or _spanned(row) > _spanned(best[name]):
            best[name] = row
    whole = [name for name, row in best.items() if _spanned(row) >= SPANNED * int(truth[name]["residues"])]
    share = 100 * len(whole) / len(truth)
    print(f"{program}: {len(truth)} genes, {len(best)} with a hit, {len(whole)} ({share:.1f} %) spanned")
    if not rows or not runs_of(rows[0]):
        return
    seen = near = said = right = 0
    for name, row in best.items():
        low, high = sorted((int(row["qstart"]) - 1, int(row["qend"])))
        events = [(at, kind) for at, kind in truth[name]["events"] if low < at < high]
        shifts = [at for at, _ in shift_places(row)]
        seen, said = seen + len(events), said + len(shifts)
        near += sum(any(abs(at - one) <= NEAR for one in shifts) for at, _ in events)
        right += sum(any(abs(at - one) <= NEAR for one, _ in events) for at in shifts)
    print(f"  {said} shifts, {100 * right / max(1, said):.1f} % within {NEAR} bases of a true one; ", end="")
    print(f"{seen} true ones inside hits, {100 * near / max(1, seen):.1f} % with a shift within {NEAR} bases")


def _spanned(row: dict[str, str]) -> int:
    return int(row["send"]) - int(row["sstart"]) + 1


def main() -> None:
    """Make a trial, or judge one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    making, judging = commands.add_parser("make"), commands.add_parser("judge")
    for name in ("proteins", "genome", "folder"):
        making.add_argument(name, type=Path)
    making.add_argument("--indels", type=float, default=0.05)
    making.add_argument("--genes", type=int, default=150)
    making.add_argument("--reads", type=int, default=0)
    making.add_argument("--seed", type=int, default=16)
    making.set_defaults(run=make)
    judging.add_argument("folder", type=Path)
    judging.set_defaults(run=judge)
    given = parser.parse_args()
    given.run(given)


if __name__ == "__main__":
    main()
