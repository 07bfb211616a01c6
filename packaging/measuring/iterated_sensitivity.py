"""Measure how many distant relatives iterated searches find; compare psiblast, jackhmmer and MMseqs2.

    python packaging/measuring/iterated_sensitivity.py DOMAINS FOLDER [--queries 400] [--also FASTA] [--only NAME ...]

DOMAINS holds labelled domains (``>id class.fold.superfamily.family``; ``.xz`` and ``.gz`` are read), FASTA further
sequences of the database. Queries are a sample of the domains that have a relative. For every query the hits are walked
through, best first, up to the first domain of another fold; the measure is the share of all relatives that came before
it: of the same family, of other families of the superfamily, of both. False hits are domains of another fold up to an
E-value. FOLDER keeps what each program found, so that a second run only counts.

Programs that are not installed are left out. ``docs/explanation/rounds.md`` shows the table this prints.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import math
import random
import re
import shutil
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

LEVELS = ("family", "superfamily", "any")
FALSE_AT = (0.0, -3.0)  # log10 of E
WIDE = "1000"  # E-value up to which every program lists hits
SEED = 19

Found = dict[str, list[tuple[str, float]]]  # hits of each query with log10 of E, best first


@dataclass(frozen=True)
class Files:
    """The input of the programs."""

    queries: Path
    database: Path
    work: Path
    threads: int


@dataclass
class Domains:
    """Labelled domains."""

    labels: dict[str, list[str]]
    sizes: dict[int, Counter[tuple[str, ...]]] = field(init=False)

    def __post_init__(self) -> None:
        self.sizes = {depth: Counter(tuple(label[:depth]) for label in self.labels.values()) for depth in (3, 4)}

    def wanted(self, name: str) -> np.ndarray:
        """Return how many relatives there are to find, at each level."""
        label = tuple(self.labels[name])
        family, any_ = self.sizes[4][label] - 1, self.sizes[3][label[:3]] - 1
        return np.array([family, any_ - family, any_], dtype=float)

    def shares(self, name: str, hits: list[tuple[str, float]]) -> np.ndarray:
        """Return which share of them comes before the first false hit; NaN where there are none."""
        label, got = self.labels[name], np.zeros(3)
        for subject, _ in self._others(name, hits):
            other = self.labels[subject]
            if other[:2] != label[:2]:
                break
            if other[:3] == label[:3]:
                got += [other == label, other != label, 1]
        wanted = self.wanted(name)
        return np.where(wanted > 0, got / np.maximum(wanted, 1), np.nan)

    def false(self, name: str, hits: list[tuple[str, float]]) -> list[int]:
        """Return how many hits of another fold there are at each of `FALSE_AT`."""
        fold = self.labels[name][:2]
        wrong = [evalue for subject, evalue in self._others(name, hits) if self.labels[subject][:2] != fold]
        return [sum(evalue <= limit for evalue in wrong) for limit in FALSE_AT]

    def _others(self, name: str, hits: list[tuple[str, float]]) -> Iterator[tuple[str, float]]:
        return (hit for hit in hits if hit[0] != name and hit[0] in self.labels)


def opened(path: Path) -> Iterator[str]:
    """Yield the lines of a text file, packed or not."""
    way = {".gz": gzip.open, ".xz": lzma.open}.get(path.suffix, open)
    with way(path, "rt") as file:
        yield from file


def log10(text: str) -> float:
    """Return the logarithm of a number as text; 0 is below all others."""
    value = float(text)
    return math.log10(value) if value > 0 else -400.0


def ranked(rows: Iterable[tuple[str, str, float]]) -> Found:
    """Return the hits of each query, best first, each subject once; of equals the one that came first."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for query, subject, evalue in rows:
        found[query][subject] = min(evalue, found[query].get(subject, math.inf))
    return {query: sorted(hits.items(), key=lambda hit: hit[1]) for query, hits in found.items()}


def run(*words: str | Path) -> None:
    """Run a program; its output is of no interest unless it fails."""
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


# The programs: each writes FOLDER/NAME.tsv, and is read back from there.


def swgui(preset: str, *more: str) -> Callable[[Files, Path], None]:
    """Return a function that runs this program with a preset."""

    def search(files: Files, out: Path) -> None:
        run(
            *(sys.executable, "-m", "swgui", "search", "-q", files.queries, "-d", files.database, "-o", out),
            *("--iterations", "6", "--preset", preset, "--threads", str(files.threads), "--engine", "cpu"),
            *("--evalue", WIDE, "--top", "20000", "--max-hsps", "1", *more),
            *("--columns", "qseqid,sseqid,log10_evalue,round_evalues"),
        )

    return search


def psiblast(files: Files, out: Path) -> None:
    """Five rounds, inclusion 0.002."""
    base = files.work / "blastdb"
    run("makeblastdb", "-in", files.database, "-dbtype", "prot", "-out", base)
    raw = out.with_suffix(".raw")
    run(
        *("psiblast", "-query", files.queries, "-db", base, "-num_iterations", "5", "-inclusion_ethresh", "0.002"),
        *("-evalue", WIDE, "-num_threads", str(files.threads), "-max_target_seqs", "20000"),
        *("-outfmt", "7 qseqid sseqid evalue", "-out", raw),
    )
    last: dict[str, list[str]] = {}
    for line in raw.read_text().splitlines():
        if line.startswith("# Iteration"):
            hits: list[str] = []
        elif (line and line[0] not in "#S") or line.count("\t") == 2:  # "Search has CONVERGED!"
            hits.append(line)
            last[line.split("\t")[0]] = hits
    out.write_text("".join(f"{line}\n" for hits in last.values() for line in hits))


def jackhmmer(files: Files, out: Path) -> None:
    """Three rounds, its own limits of inclusion."""
    raw = out.with_suffix(".raw")
    words = ("-N", "3", "-E", WIDE, "--noali", "-o", "/dev/null", "--tblout", raw, "--cpu", str(files.threads))
    run("jackhmmer", *words, files.queries, files.database)
    rows = (line.split() for line in raw.read_text().splitlines() if not line.startswith("#"))
    out.write_text("".join(f"{re.sub('-i[0-9]+$', '', row[2])}\t{row[0]}\t{row[4]}\n" for row in rows))


def mmseqs(files: Files, out: Path) -> None:
    """Three rounds at the highest usual sensitivity."""
    run(
        *("mmseqs", "easy-search", files.queries, files.database, out, files.work / "mmseqs"),
        *("--num-iterations", "3", "-s", "7.5", "-e", WIDE, "--max-seqs", "20000", "--threads", str(files.threads)),
        *("--format-output", "query,target,evalue"),
    )


PROGRAMS: dict[str, tuple[str, Callable[[Files, Path], None]]] = {
    "swgui careful": ("", swgui("careful")),
    "swgui standard": ("", swgui("standard")),
    "swgui wide": ("", swgui("wide")),
    "psiblast 5 rounds, 0.002": ("psiblast", psiblast),
    "jackhmmer 3 rounds": ("jackhmmer", jackhmmer),
    "mmseqs 3 rounds, -s 7.5": ("mmseqs", mmseqs),
}


def read(out: Path, is_ours: bool) -> tuple[Found, list[Found]]:
    """Return the hits of the last round, and those of every round where the program says them."""
    rows = [line.rstrip("\n").split("\t") for line in opened(out)]
    if not is_ours:
        return ranked((row[0], row[1], log10(row[2])) for row in rows), []
    rows = rows[1:]
    rounds: list[list[tuple[str, str, float]]] = []
    for query, subject, _, evalues in rows:
        each = evalues.split(";")
        for number in range(6):
            if number == len(rounds):
                rounds.append([])
            text = each[min(number, len(each) - 1)]
            if text != ".":
                rounds[number].append((query, subject, log10(text)))
    return ranked((row[0], row[1], float(row[2])) for row in rows), [ranked(one) for one in rounds]


def passes(out: Path) -> float:
    """Return how many searches a query took, on average."""
    took = {row[0]: row[3].count(";") + 1 for line in list(opened(out))[1:] if (row := line.rstrip("\n").split("\t"))}
    return float(np.mean(list(took.values())))


def measured(domains: Domains, queries: list[str], found: Found) -> tuple[np.ndarray, np.ndarray]:
    """Return shares, shape (queries, 3), and false hits, shape (queries, 2)."""
    shares = np.array([domains.shares(name, found.get(name, [])) for name in queries])
    return shares, np.array([domains.false(name, found.get(name, [])) for name in queries])


def line_of(name: str, shares: np.ndarray, false: np.ndarray, more: str = "") -> str:
    """Return a row of the table."""
    means = " | ".join(f"{value:.3f}" for value in np.nanmean(shares, axis=0))
    return f"| {name} | {means} | {false[:, 0].mean():.2f} | {false[:, 1].mean():.3f} | {more} |"


def difference(ours: np.ndarray, other: np.ndarray) -> str:
    """Return the mean differences at superfamily level and over all, with their paired standard errors."""
    words = []
    for level in (1, 2):
        pairs = (ours - other)[:, level]
        pairs = pairs[~np.isnan(pairs)]
        words.append(f"{LEVELS[level]} {pairs.mean():+.3f} ± {pairs.std(ddof=1) / math.sqrt(len(pairs)):.3f}")
    return ", ".join(words)


def prepare(arguments: argparse.Namespace) -> tuple[Domains, list[str], Files]:
    """Sample the queries, and write what the programs read."""
    folder = Path(arguments.folder)
    folder.mkdir(parents=True, exist_ok=True)
    records, name = {}, ""
    for line in opened(Path(arguments.domains)):
        if line.startswith(">"):
            name, label = line[1:].split()[:2]
            records[name] = (label.split("."), [])
        else:
            records[name][1].append(line.strip())
    domains = Domains({name: label for name, (label, _) in records.items()})
    able = [name for name in records if domains.wanted(name)[2] > 0]
    queries = random.Random(SEED).sample(able, min(arguments.queries, len(able)))
    fasta = {name: f">{name}\n{''.join(residues)}\n" for name, (_, residues) in records.items()}
    files = Files(folder / "queries.fasta", folder / "database.fasta", folder / "work", arguments.threads)
    files.work.mkdir(exist_ok=True)
    files.queries.write_text("".join(fasta[name] for name in queries))
    with files.database.open("w") as file:
        file.writelines(fasta.values())
        if arguments.also:
            file.writelines(opened(Path(arguments.also)))
    return domains, queries, files


def main() -> None:
    """Run what has not been run, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains")
    parser.add_argument("folder")
    parser.add_argument("--queries", type=int, default=400)
    parser.add_argument("--also", help="further sequences of the database")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--only", action="append", help="programs by the beginnings of their names")
    arguments = parser.parse_args()
    domains, queries, files = prepare(arguments)
    all_shares: dict[str, np.ndarray] = {}
    print("| program | family | superfamily | any | false, E ≤ 1 | false, E ≤ 0.001 | |\n|---|---|---|---|---|---|---|")
    for name, (program, search) in PROGRAMS.items():
        if arguments.only and not name.startswith(tuple(arguments.only)):
            continue
        if program and shutil.which(program) is None:
            continue
        out = Path(arguments.folder) / f"{re.sub('[^a-z0-9]+', '-', name)}.tsv"
        took = ""
        if not out.exists():
            begun = time.perf_counter()
            part = out.with_suffix(".part")
            search(files, part)
            part.rename(out)
            took = f"{time.perf_counter() - begun:.0f} s"
        found, rounds = read(out, is_ours=not program)
        shares, false = measured(domains, queries, found)
        all_shares[name] = shares
        print(line_of(name, shares, false, f"{passes(out):.2f} passes {took}" if rounds else took), flush=True)
        for number, each in enumerate(rounds, start=1):
            print(line_of(f"round {number}", *measured(domains, queries, each)), flush=True)
    ours = all_shares.get("swgui standard")
    for name, shares in all_shares.items():
        if ours is not None and name != "swgui standard":
            print(f"swgui standard - {name}: {difference(ours, shares)}")


if __name__ == "__main__":
    main()
