"""Measure how often iterated searches of proteins of several domains include wrong subjects; compare psiblast.

    python packaging/measuring/iterated_corruption.py DOMAINS PROTEINS FOLDER [--queries 100]

DOMAINS holds labelled domains (``>id class.fold.superfamily.family``), PROTEINS whole proteins; ``.xz`` and ``.gz`` are
read. Queries are proteins in which one search finds domains of at least two folds, in stretches apart from each other.
They are searched in five rounds against proteins and domains together. Each domain that the last round would include is
judged by the stretch of the query that it is aligned with: *right* where the query is known to have its fold there,
*wrong* where the query is known to have others alone, *unknown* where nothing is known of the query.

Results of each program are kept in FOLDER, so that a second run only counts. Table: ``docs/explanation/rounds.md``.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path

from iterated_sensitivity import log10, opened

KNOWN = 1e-4  # E up to which a domain says what fold a stretch of a query has
SAMPLE = 6000
LENGTHS = (250, 800)
ROUNDS = "5"
LIMITS = {"swgui": 0.1, "psiblast": 0.002}
SEED = 19

Row = tuple[str, str, float, int, int]  # query, subject, log10 of E, first and last residue of the query
Region = tuple[int, int, str]  # of a query, with its fold


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Yield header and residues of every sequence."""
    header, residues = "", []
    for line in opened(path):
        if line.startswith(">"):
            if header:
                yield header, "".join(residues)
            header, residues = line[1:].strip(), []
        else:
            residues.append(line.strip())
    yield header, "".join(residues)


def run(*words: str | Path) -> None:
    """Run a program; its output is of no interest unless it fails."""
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def swgui(queries: Path, database: Path, out: Path, *more: str) -> None:
    """Search with this program."""
    run(
        *(sys.executable, "-m", "swgui", "search", "-q", queries, "-d", database, "-o", out, "--engine", "cpu"),
        *("--top", "20000", "--max-hsps", "5", "--columns", "qseqid,sseqid,log10_evalue,qstart,qend", *more),
    )


def psiblast(queries: Path, database: Path, out: Path) -> None:
    """Search with psiblast; the last round of each query is kept."""
    base = out.parent / "blastdb"
    run("makeblastdb", "-in", database, "-dbtype", "prot", "-out", base)
    raw = out.with_suffix(".raw")
    run(
        *("psiblast", "-query", queries, "-db", base, "-num_iterations", ROUNDS, "-inclusion_ethresh", "0.002"),
        *("-evalue", "1", "-max_target_seqs", "20000", "-num_threads", "2"),
        *("-outfmt", "7 qseqid sseqid evalue qstart qend", "-out", raw),
    )
    last: dict[str, list[str]] = {}
    hits: list[str] = []
    for line in raw.read_text().splitlines():
        if line.startswith("# Iteration"):
            hits = []
        elif line.count("\t") == 4:
            hits.append(line)
            last[line.split("\t")[0]] = hits
    out.write_text("head\n" + "".join(f"{line}\n" for each in last.values() for line in each))


def rows(path: Path, *, logarithms: bool) -> list[Row]:
    """Read the results of a program."""
    found = []
    for line in list(opened(path))[1:]:
        query, subject, evalue, first, last = line.rstrip("\n").split("\t")
        found.append((query, subject, float(evalue) if logarithms else log10(evalue), int(first), int(last)))
    return found


def overlap(first: int, last: int, region: Region) -> int:
    """Return how many residues two stretches share."""
    return max(0, min(last, region[1]) - max(first, region[0]) + 1)


def regions_of(found: list[Row], folds: dict[str, str]) -> dict[str, list[Region]]:
    """Return which stretches of each query have which folds; the best hit of a stretch says so."""
    known: defaultdict[str, list[Region]] = defaultdict(list)
    for query, subject, evalue, first, last in sorted(found, key=lambda row: row[2]):
        if evalue <= log10(str(KNOWN)) and all(overlap(first, last, one) * 5 < last - first for one in known[query]):
            known[query].append((first, last, folds[subject]))
    return known


def verdict(row: Row, known: list[Region], folds: dict[str, str]) -> str:
    """Return whether a domain lies where the query has its fold."""
    _, subject, _, first, last = row
    shared = [(overlap(first, last, one), one[2]) for one in known]
    if 2 * sum(share for share, _ in shared) < last - first + 1:
        return "unknown"
    return "right" if any(share and fold == folds[subject] for share, fold in shared) else "wrong"


def kept(path: Path, search: Callable[[Path], None]) -> float:
    """Search unless that was done; return the seconds it took."""
    if path.exists():
        return float("nan")
    began, part = time.perf_counter(), path.with_suffix(".part")
    search(part)
    part.rename(path)
    return time.perf_counter() - began


def chosen_queries(proteins: dict[str, str], folds: dict[str, str], folder: Path, most: int) -> dict[str, list[Region]]:
    """Write the queries, and return which folds they are known to have where."""
    able = sorted(name for name, residues in proteins.items() if LENGTHS[0] <= len(residues) <= LENGTHS[1])
    sample = random.Random(SEED).sample(able, min(SAMPLE, len(able)))
    (folder / "sample.fasta").write_text("".join(f">{name}\n{proteins[name]}\n" for name in sample))
    first = folder / "sample.tsv"
    kept(first, lambda out: swgui(folder / "sample.fasta", folder / "domains.fasta", out, "--evalue", "0.001"))
    known = regions_of(rows(first, logarithms=True), folds)
    several = [name for name in sample if len({fold for *_, fold in known.get(name, [])}) > 1][:most]
    (folder / "queries.fasta").write_text("".join(f">{name}\n{proteins[name]}\n" for name in several))
    return {name: known[name] for name in several}


def main() -> None:
    """Run what has not been run, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("domains", type=Path)
    parser.add_argument("proteins", type=Path)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--only", action="append", help="programs by the beginnings of their names")
    arguments = parser.parse_args()
    folder = arguments.folder
    folder.mkdir(parents=True, exist_ok=True)
    domains = list(records(arguments.domains))
    folds = {header.split()[0]: ".".join(header.split()[1].split(".")[:2]) for header, _ in domains}
    proteins = {header.split()[0]: residues for header, residues in records(arguments.proteins)}
    (folder / "domains.fasta").write_text("".join(f">{header}\n{residues}\n" for header, residues in domains))
    both, queries = folder / "both.fasta", folder / "queries.fasta"
    both.write_text("".join(f">{name}\n{residues}\n" for name, residues in proteins.items()))
    with both.open("a") as file:
        file.write((folder / "domains.fasta").read_text())
    known = chosen_queries(proteins, folds, folder, arguments.queries)
    rounds = ("--iterations", ROUNDS, "--evalue", "1")
    programs: dict[str, Callable[[Path], None]] = {
        "psiblast 0.002": lambda out: psiblast(queries, both, out),
        "swgui careful": lambda out: swgui(queries, both, out, *rounds, "--preset", "careful"),
        "swgui standard": lambda out: swgui(queries, both, out, *rounds),
    }
    print(f"{len(known)} queries\n\n| program | right | wrong | queries with a wrong one | unknown | |")
    print("|---|---|---|---|---|---|")
    for name, search in programs.items():
        if arguments.only and not name.startswith(tuple(arguments.only)):
            continue
        path = folder / f"{name.replace(' ', '-')}.tsv"
        took = kept(path, search)
        ours = name.startswith("swgui")
        for limit in (LIMITS[name.split()[0]] if "careful" not in name else 0.01, 0.001):
            counts: defaultdict[str, int] = defaultdict(int)
            spoiled = set()
            for row in rows(path, logarithms=ours):
                if row[2] <= log10(str(limit)) and row[1] in folds and row[0] in known:
                    said = verdict(row, known[row[0]], folds)
                    counts[said] += 1
                    spoiled |= {row[0]} if said == "wrong" else set()
            numbers = f"{counts['right']} | {counts['wrong']} | {len(spoiled)} | {counts['unknown']}"
            print(f"| {name}, E ≤ {limit:g} | {numbers} | {took:.0f} s |", flush=True)


if __name__ == "__main__":
    main()
