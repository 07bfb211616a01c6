#!/usr/bin/env python3
"""Time searches by rule as whole commands, by each engine, and compare their places.

    python packaging/measuring/speed/rules.py                          # by CPU and GPU, where there is one
    python packaging/measuring/speed/rules.py --engines cpu --times 1 --peers

The jobs are those of the goals: 1,000 peptides of 9 residues as they are and 1,735 of 15 with three mismatches in 16
proteomes (41 M residues), 100 guides with up to 4 differences in a genome of 4.6 M bases, the window rule for a protein
of 300 residues in 2,000 others, and words of 500 proteins. Peers run where they are installed. Shorter than two minutes
on a computer with a GPU. Exit status 1 if two engines do not list the same places.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import random
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

DATA = Path(os.environ.get("SWGUI_DATA", "../shared/data"))
PROTEOMES = DATA / "proteins/uniprot_16proteomes.fasta.gz"
GENOME = DATA / "dna/GCF_000005845.2_ASM584v2_genomic.fna.gz"
AMINO_ACIDS = "ACDEFGHIKLMNPQRSTVWY"
SWGUI = (sys.executable, "-m", "swgui")
JOBS = {
    "1,000 9-mers": ("peptides", "nine.fa", "proteomes.swdb"),
    "1,735 15-mers, 3 mismatches": ("peptides", "fifteen.fa", "proteomes.swdb", "--mismatches", "3"),
    "100 guides, 4 differences": (
        *("guides", "guides.fa", "genome.swdb", "--mismatches", "4"),
        *("--dna-bulges", "1", "--rna-bulges", "1", "--edits", "4"),
    ),
    "window rule, 300 residues": ("window", "protein.fa", "some.swdb", "--no-background"),
    "window rule with background": ("window", "protein.fa", "some.swdb"),
    "words of 500 proteins": ("words", str(DATA.absolute() / "proteins/uniprot_500queries.fasta"), "some.swdb"),
}
PEERS = {
    "seqkit locate, 1,000 9-mers in 2,000 proteins": "seqkit locate -F -P -j 2 -f nine.fa some.fa",
    "blastp-short, 1,000 9-mers in 2,000 proteins": (
        "blastp -task blastp-short -query nine.fa -subject some.fa -evalue 10000 -outfmt 6"
    ),
}


def sequences(path: Path) -> list[str]:
    """Return the residues of the records of a FASTA file."""
    with gzip.open(path, "rt") as file:
        return ["".join(record.split("\n")[1:]) for record in file.read().split(">")[1:]]


def part(rng: random.Random, texts: list[str], size: int) -> str:
    """Return some plain residues of one of the texts."""
    while True:
        text = rng.choice(texts)
        start = rng.randrange(max(len(text) - size, 1))
        if len(cut := text[start : start + size]) == size and set(cut) <= set(AMINO_ACIDS):
            return cut


def changed(rng: random.Random, text: str, count: int) -> str:
    """Return a text with other residues at some places."""
    letters = list(text)
    for place in rng.sample(range(len(text)), count):
        letters[place] = rng.choice(AMINO_ACIDS)
    return "".join(letters)


def write(path: Path, texts: list[str]) -> None:
    """Write texts as FASTA."""
    path.write_text("".join(f">{path.stem}{number}\n{text}\n" for number, text in enumerate(texts)))


def prepare(folder: Path) -> None:
    """Write queries and databases."""
    rng = random.Random(35)
    proteins, genome = sequences(PROTEOMES), sequences(GENOME)[0]
    write(folder / "nine.fa", [part(rng, proteins, 9) for _ in range(1000)])
    write(folder / "fifteen.fa", [changed(rng, part(rng, proteins, 15), 3) for _ in range(1735)])
    starts = (rng.randrange(len(genome) - 30) for _ in range(10_000))
    write(folder / "guides.fa", [genome[at : at + 20] for at in starts if genome[at + 21 : at + 23] == "GG"][:100])
    write(folder / "protein.fa", [part(rng, proteins, 300)])
    write(folder / "some.fa", proteins[:2000])
    for source, name in ((PROTEOMES, "proteomes"), (GENOME, "genome"), ("some.fa", "some")):
        source = source.absolute() if isinstance(source, Path) else source
        subprocess.run((*SWGUI, "makedb", source, "-o", f"{name}.swdb", "--quiet"), cwd=folder, check=True)


def timed(command: tuple[str, ...] | list[str], folder: Path) -> tuple[float, float]:
    """Run a command; returns its seconds, and those of CPU time."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - began, cpu


def measure(name: str, engine: str, times: int, folder: Path) -> str:
    """Run a job some times, say how long it took, and return the checksum of its places."""
    rule, queries, database, *options = JOBS[name]
    command = [*SWGUI, "rule", rule, "-q", queries, "-d", database, *options, "--engine", engine]
    command += ["-o", "places.tsv", "--certificate", "certificate.json"]
    runs = sorted(timed(command, folder) for _ in range(times))
    facts = json.loads((folder / "certificate.json").read_text())
    seconds, cpu = runs[len(runs) // 2]
    print(f"{name:30} {engine:5} {seconds:6.2f} s, {cpu:6.2f} of CPU time, scan {facts['seconds']:.2f}; "
          f"{facts['found']:,} places, {facts['device']}", flush=True)  # fmt: skip
    return str(facts["result_sha256"])


def main() -> int:
    """Carry out the requested measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", default=["auto", "cpu", "cuda"], help="default: auto cpu cuda")
    parser.add_argument("--times", type=int, default=3, help="runs, of which the median counts (default 3)")
    parser.add_argument("--jobs", nargs="*", default=list(JOBS), choices=list(JOBS), metavar="JOB")
    parser.add_argument("--peers", action="store_true", help="time other programs, too")
    asked = parser.parse_args()
    differing = 0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        prepare(folder)
        for job in asked.jobs:
            checksums = set()
            for engine in asked.engines:
                try:
                    checksums.add(measure(job, engine, asked.times, folder))
                except subprocess.CalledProcessError:
                    print(f"{job:30} {engine:5} does not run here", flush=True)
            if len(checksums) > 1:
                differing += 1
                print(f"{job}: engines list other places", flush=True)
        for peer, line in PEERS.items() if asked.peers else ():
            if shutil.which(line.split()[0]):
                seconds, cpu = timed(line.split(), folder)
                print(f"{peer}: {seconds:.2f} s, {cpu:.2f} of CPU time", flush=True)
    return int(differing > 0)


if __name__ == "__main__":
    sys.exit(main())
