#!/usr/bin/env python3
"""Count false hits: proteins against a reversed database, in which nothing is a relative; E <= 1 should be 1 a query.

    python packaging/measuring/calibration.py make swissprot_16species.fasta.gz FOLDER --random 1000 --repetitive 200
    python packaging/measuring/calibration.py search FOLDER   # this program, and blastp and ssearch36 where installed
    python packaging/measuring/calibration.py report FOLDER   # a table, and docs/images/calibration.svg

`make` writes reversed.fasta, random.fasta and repetitive.fasta (the proteins that compress best), all of 80 to 1,500
residues. `search` keeps one table of query and E-value for each set and program, and leaves alone what is there.
"""

from __future__ import annotations

import argparse
import gzip
import os
import random
import shutil
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from math import log10
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "calibration.svg"
SETS = ("random", "repetitive")
SHORTEST, LONGEST = 80, 1500  # residues of a query
LISTED = 500  # hits of a query that each program may list
THRESHOLDS = (10.0, 1.0, 0.1, 0.01, 0.001)
COLOURS = ("#0072b2", "#009e73", "#d55e00", "#cc79a7", "#999999", "#e69f00")  # Okabe and Ito
WIDTH, HEIGHT, LEFT, TOP = 330, 300, 52, 34  # of a panel


def records(path: Path) -> Iterator[tuple[str, str]]:
    """Yield name and residues of every sequence of a FASTA file."""
    name, parts = "", []
    with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as lines:
        for line in lines:
            if line.startswith(">"):
                if name:
                    yield name, "".join(parts)
                name, parts = line[1:].split()[0], []
            else:
                parts.append(line.strip())
    yield name, "".join(parts)


def make(arguments: argparse.Namespace) -> None:
    """Write the reversed database and the queries."""
    found = list(records(arguments.database))
    asked = {name for other in arguments.other_than for kind in SETS for name, _ in records(other / f"{kind}.fasta")}
    usable = [each for each in found if SHORTEST <= len(each[1]) <= LONGEST and each[0] not in asked]
    packed = sorted(usable, key=lambda record: len(zlib.compress(record[1].encode(), 9)) / len(record[1]))
    chosen = {
        "random": random.Random(arguments.seed).sample(usable, arguments.random),
        "repetitive": packed[: arguments.repetitive],
        "reversed": [(f"rev_{name}", residues[::-1]) for name, residues in found],
    }
    arguments.folder.mkdir(parents=True, exist_ok=True)
    for name, written in chosen.items():
        text = "".join(f">{name}\n{residues}\n" for name, residues in written)
        (arguments.folder / f"{name}.fasta").write_text(text)


def swgui(*options: str) -> Callable[[Path, Path], list[str]]:
    """Return a function that makes a command of this program for a file of queries and a database."""
    words = [sys.executable, "-m", "swgui", "search", "--columns", "qseqid,evalue", "--engine", "cpu"]
    words += ["--max-hsps", "1", *options]
    return lambda queries, database: [*words, "--top", str(LISTED), "-q", str(queries), "-d", str(database)]


def blastp(*options: str) -> Callable[[Path, Path], list[str]]:
    """Return the same for blastp."""
    words = ["blastp", "-outfmt", "6 qseqid evalue", "-evalue", "10", *options]
    words += ["-max_target_seqs", str(LISTED), "-max_hsps", "1"]
    return lambda queries, database: [*words, "-query", str(queries), "-db", str(database)]


def ssearch(queries: Path, database: Path) -> list[str]:
    """Return the command of ssearch36 with its own fit, and the matrix and gaps of the others."""
    words = ["ssearch36", "-q", "-m", "8", "-d", "0", "-s", "BL62", "-f", "-11", "-g", "-1", "-E", "10"]
    return [*words, "-b", str(LISTED), str(queries), str(database)]


PROGRAMS: dict[str, Callable[[Path, Path], list[str]]] = {
    "swgui, default": swgui(),
    "swgui --composition lambda": swgui("--composition", "lambda"),
    "swgui --composition none": swgui("--composition", "none"),
    "blastp, default": blastp(),
    "blastp with SEG": blastp("-seg", "yes"),
    "ssearch36": ssearch,
}


def table_of(folder: Path, name: str, program: str) -> Path:
    """Return where the hits of a program are kept."""
    return folder / f"{name}.{program.replace(',', '').replace(' ', '-')}.tsv"


def search(arguments: argparse.Namespace) -> None:
    """Search every set with every program that is installed."""
    folder, database = arguments.folder, arguments.folder / "reversed.fasta"
    if shutil.which("makeblastdb") and not database.with_suffix(".fasta.pin").exists():
        subprocess.run(["makeblastdb", "-in", database, "-dbtype", "prot"], check=True, stdout=subprocess.DEVNULL)
    for name in SETS:
        for program, command in PROGRAMS.items():
            out, words = table_of(folder, name, program), command(folder / f"{name}.fasta", database)
            if out.exists() or not shutil.which(words[0]) or (arguments.only and arguments.only not in program):
                continue
            print(f"{name}: {program}", flush=True)
            with open(out.with_suffix(".part"), "w") as file:
                environment = {**os.environ, "PYTHONPATH": str(ROOT)}
                subprocess.run(words, check=True, stdout=file, env=environment)
            out.with_suffix(".part").rename(out)


def evalues(path: Path) -> list[float]:
    """Return the E-values of a table: its last column, of ssearch36 the last but one."""
    at = 10 if "ssearch36" in path.name else 1
    with open(path) as lines:
        rows = (line.rstrip("\n").split("\t") for line in lines if line.strip() and line[0] != "#")
        return sorted(float(row[at]) for row in rows if row[at][:1].isdigit())


def counted(folder: Path, name: str) -> dict[str, list[float]]:
    """Return the E-values of all programs that searched a set."""
    paths = {program: table_of(folder, name, program) for program in PROGRAMS}
    return {program: evalues(path) for program, path in paths.items() if path.exists()}


def report(arguments: argparse.Namespace) -> None:
    """Print a table of false hits a query, and draw it."""
    panels = []
    for name in SETS:
        queries = sum(1 for _ in records(arguments.folder / f"{name}.fasta"))
        found = counted(arguments.folder, name)
        panels.append((f"{queries:,} {name} proteins", queries, found))
        print(f"\n| {queries:,} {name} proteins | " + " | ".join(f"E ≤ {limit:g}" for limit in THRESHOLDS) + " |")
        print("|---" * (len(THRESHOLDS) + 1) + "|")
        for program, values in found.items():
            counts = (sum(value <= limit for value in values) / queries for limit in THRESHOLDS)
            print(f"| {program} | " + " | ".join(f"{count:.4g}" for count in counts) + " |")
    PICTURE.write_text(picture(panels), encoding="utf-8")


def picture(panels: list[tuple[str, int, dict[str, list[float]]]]) -> str:
    """Draw observed against expected hits a query, both on logarithms, as SVG; E promises the diagonal."""
    drawn = [program for program in PROGRAMS if any(program in found for _, _, found in panels)]
    height = HEIGHT + 3 * TOP + 16 * ((len(drawn) + 1) // 2)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {len(panels) * (WIDTH + LEFT + 20)} {height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for column, (title, queries, found) in enumerate(panels):
        parts.append(f'<g transform="translate({LEFT + column * (WIDTH + LEFT + 20)},{TOP})">')
        parts += panel(title, queries, found)
        parts.append("</g>")
    for at, program in enumerate(drawn):
        x, y = LEFT + at % 2 * 260, HEIGHT + TOP + 56 + 16 * (at // 2)
        parts.append(f'<path d="M{x} {y - 4}h22" stroke="{colour_of(program)}" stroke-width="2.5"/>')
        parts.append(f'<text x="{x + 28}" y="{y}">{program}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def colour_of(program: str) -> str:
    """Return the colour of a program."""
    return COLOURS[list(PROGRAMS).index(program)]


def panel(title: str, queries: int, found: dict[str, list[float]]) -> Iterator[str]:
    """Yield the lines of one set of queries; the axes run from 0.0001 to 10, the upright one to 1,000."""

    def place(expected: float, observed: float) -> str:
        return f"{(log10(expected) + 4) / 5 * WIDTH:.1f},{HEIGHT - (log10(observed) + 4) / 7 * HEIGHT:.1f}"

    yield f'<text x="{WIDTH / 2}" y="-12" text-anchor="middle" font-size="13">{title}</text>'
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="none" stroke="#888"/>'
    for power in range(-4, 4):
        x, y = place(10.0 ** min(power, 1), 10.0**power).split(",")
        yield f'<path d="M0 {y}H{WIDTH}" stroke="#eee"/>'
        yield f'<text x="-6" y="{float(y) + 4}" text-anchor="end">{10.0**power:g}</text>'
        if power <= 1:
            yield f'<text x="{x}" y="{HEIGHT + 16}" text-anchor="middle">{10.0**power:g}</text>'
    yield f'<text x="{WIDTH / 2}" y="{HEIGHT + 34}" text-anchor="middle">E-value: false hits expected a query</text>'
    yield f'<text transform="translate(-38,{HEIGHT / 2}) rotate(-90)" text-anchor="middle">found a query</text>'
    yield f'<path d="M{place(1e-4, 1e-4)}L{place(10, 10)}" stroke="#444" stroke-dasharray="5 4"/>'
    for program, values in found.items():
        steps = [10 ** (step / 8 - 4) for step in range(41)]
        counts = [(limit, sum(value <= limit for value in values) / queries) for limit in steps]
        points = " ".join(place(limit, count) for limit, count in counts if count > 0)
        yield f'<polyline points="{points}" fill="none" stroke="{colour_of(program)}" stroke-width="2"/>'


def main() -> None:
    """Run one of the tasks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    task = tasks.add_parser("make", help="write the reversed database and the queries")
    task.add_argument("database", type=Path)
    task.add_argument("folder", type=Path)
    task.add_argument("--random", type=int, default=120)
    task.add_argument("--repetitive", type=int, default=40)
    task.add_argument("--seed", type=int, default=1)
    task.add_argument(
        "--other-than", type=Path, nargs="*", default=[], metavar="FOLDER", help="draw none of its queries"
    )
    task.set_defaults(run=make)
    task = tasks.add_parser("search", help="search them with every program that is installed")
    task.add_argument("folder", type=Path)
    task.add_argument("--only", metavar="TEXT", default="", help="programs with this in their name")
    task.set_defaults(run=search)
    task = tasks.add_parser("report", help="count and draw")
    task.add_argument("folder", type=Path)
    task.set_defaults(run=report)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
