#!/usr/bin/env python3
"""Write every output file of a fixed set of searches, to hold a changed program against an older one.

    python packaging/measuring/outputs.py FOLDER [NAME ...] [--against OLDER]

Each search of `SEARCHES` runs with the CPU engine and is written in every format that takes it, with all columns;
pairs, deep alignments and saved alignments and profiles likewise. Dates, versions, times and speeds are replaced by
`#`. With ``--against`` the files that differ from those of an older folder are named, and the status is 1. A format
that refuses a search leaves its sentence. Reads the real sequences of SWGUI_DATA (default ../shared/data).
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))
DATA: Final = Path(os.environ.get("SWGUI_DATA") or ROOT.parent / "shared" / "data").resolve()
EXAMPLES: Final = ROOT / "resources" / "examples"

PROTEINS: Final = ("-q", "queries.fa", "-d", "proteins.fa")
DNA: Final = ("-q", "gene.fa", "-d", "genome.fa")
SEARCHES: Final = {
    "plain": (*PROTEINS, "--evalue", "100"),
    "uncorrected": (*PROTEINS, "--composition", "none", "--top", "20"),
    "lambda": (*PROTEINS, "--composition", "lambda", "--max-hsps", "1", "--mask"),
    "limits": (*PROTEINS, "--min-identity", "25", "--min-coverage", "30", "--query-range", "5-100"),
    "matrix": (*PROTEINS, "--matrix", "BLOSUM45", "--gap-open", "14", "--gap-extend", "2"),
    "rounds": (*PROTEINS, "--iterations", "3"),
    "profile": ("--start-from", "rounds.json", "-d", "proteins.fa"),
    "strands": DNA,
    "plus": (*DNA, "--strand", "plus", "--match", "1", "--mismatch", "-1"),
    "blastx": ("-q", "reads.fa", "-d", "translated.fa"),
    "tblastn": ("-q", "translated.fa", "-d", "genome.fa"),
    "tblastx": (
        "-q",
        "reads.fa",
        "-d",
        "genome.fa",
        "--program",
        "tblastx",
        "--frames",
        "plus",
        "--subject-code",
        "11",
    ),
    "frameshift": ("-q", "reads.fa", "-d", "translated.fa", "--frameshift", "15"),
    "frameshift_genome": ("-q", "translated.fa", "-d", "genome.fa", "--frameshift", "15"),
    "tracks": ("-q", "model.pdb.gz", "-d", "models.swdb"),
}
PAIRS: Final = {
    "mitochondria": ("MT-human.fa", "MT-chimp.fa"),
    "proteins": ("first.fa", "second.fa", "--limit", "3"),
    "global": ("first.fa", "second.fa", "--mode", "global"),
}
PAIR_FORMATS: Final = ("text", "json", "sam", "paf", "csv", "vcf", "fasta", "maf")
VOLATILE: Final = (
    (re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:?\d\d)?)?"), "#date"),
    (re.compile(r"\d\d-[A-Z]{3}-\d{4}"), "#date"),
    (re.compile(r"\b\d+\.\d+\.\d+(\.dev\d+)?(\+[\w.]+)?"), "#version"),
    (re.compile(r"[\d.,]+ ?(GCUPS|TCUPS|MCUPS|ms|seconds|s\b|min\b|G?M?k? ?cells/s)"), "#speed"),
    (
        re.compile(r"(\b(?:seconds|gcups)\b(?:</dt><dd>|</t></is></c><c [^>]*>(?:<v>|<is><t>)?|: ?))[\d.,]+", re.I),
        r"\1#",
    ),
    (re.compile(r"((?:Scoring|Aligning|Finding the start)\"?:? )[\d.e-]+"), r"\1#"),  # stages of a pair
    (re.compile(r"(\"(?:seconds|gcups|elapsed\w*|duration|host|created|time)\": )[^,\n}]+"), r"\1#"),
)


def records(path: Path) -> list[str]:
    """Return the records of a FASTA file as text."""
    opener: Callable[..., io.TextIOBase] = gzip.open if path.suffix == ".gz" else open  # type: ignore[assignment]
    with opener(path, "rt") as file:
        return [">" + part for part in file.read().split(">")[1:]]


def mutated(residues: str, step: int) -> str:
    """Return bases with one left out and one added now and then, as in a poor read."""
    changed = "".join(base if place % step else "" for place, base in enumerate(residues, 1))
    return "".join(base + ("A" if place % (2 * step) == 0 else "") for place, base in enumerate(changed, 1))


def make_inputs(folder: Path) -> None:
    """Write the sequences that are searched, the same in every run."""
    queries = records(EXAMPLES / "sample_queries.fasta")
    sample = records(EXAMPLES / "sample_database.fasta.gz")
    (folder / "queries.fa").write_text("".join(queries[:4]))
    (folder / "proteins.fa").write_text("".join(sample[:1500] + sample[-500:]))
    genome = "".join(records(DATA / "dna" / "GCF_000005845.2_ASM584v2_genomic.fna.gz")[0].split("\n")[1:])
    dnak = genome[12162:14079]  # b0014; thrA is b0002
    thra = genome[336:2799]
    turned = dnak[300:1500][::-1].translate(str.maketrans("ACGT", "TGCA"))
    (folder / "genome.fa").write_text(f">first part of K-12\n{genome[:30000]}\n>second part\n{genome[200000:230000]}\n")
    (folder / "gene.fa").write_text(f">dnaK_part\n{dnak[200:1100]}\n>reversed\n{turned[:600]}\n")
    (folder / "reads.fa").write_text(
        f">read1\n{mutated(dnak, 301)}\n>read2 turned\n{mutated(turned, 407)}\n>read3\n{mutated(thra, 353)}\n"
    )
    table = dict(zip(_codons(), "FFLLSSSSYY**CC*WLLLLPPPPHHQQRRRRIIIMTTTTNNKKSSRRVVVVAAAADDEEGGGG", strict=True))
    proteins = "".join(
        f">{name}\n" + "".join(table[gene[k : k + 3]] for k in range(0, len(gene) - 3, 3)) + "\n"
        for name, gene in (("dnaK", dnak), ("thrA", thra))
    )
    (folder / "translated.fa").write_text(proteins)
    for name in ("MT-human.fa", "MT-chimp.fa"):
        (folder / name).write_bytes((DATA / "dna" / name).read_bytes())
    (folder / "first.fa").write_text(sample[0])
    (folder / "second.fa").write_text(sample[1])
    models = folder / "models"
    models.mkdir()
    structures = sorted((DATA / "structures").glob("*.pdb.gz"))
    for path in structures:
        (models / path.name).write_bytes(path.read_bytes())
    (folder / "model.pdb.gz").write_bytes(structures[5].read_bytes())


def _codons() -> list[str]:
    return [a + b + c for a in "TCAG" for b in "TCAG" for c in "TCAG"]


def steady(path: Path) -> None:
    """Replace what differs between two runs of one program in a file; a workbook becomes the text of its sheets."""
    if path.suffix == ".xlsx":
        with zipfile.ZipFile(path) as book:
            text = "\n".join(f"{name}\n{book.read(name).decode()}" for name in sorted(book.namelist()))
        path.unlink()
        path = path.with_suffix(".xlsx.txt")
    else:
        data = path.read_bytes()
        text = data.decode("utf-8", "replace")
    text = text.replace(str(Path.cwd()), "#folder").replace(Path.cwd().name, "#folder")
    for pattern, instead in VOLATILE:
        text = pattern.sub(instead, text)
    path.write_text(text, "utf-8", newline="")


def command(log: Path, *arguments: str) -> bool:
    """Run a command of the program in this process; what it says goes to a file if it fails."""
    from swgui.cli import main

    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        try:
            status = main(list(arguments))
        except SystemExit as error:
            status = int(error.code or 0)
    if status:
        log.write_text(f"{status} {said.getvalue()}")
        steady(log)
    return not status


def write_search(out: Path, name: str, arguments: tuple[str, ...]) -> None:
    """Run a search and write it in every format; rounds leave alignments and profiles too."""
    from swgui.io.export import FORMATS, HIT_COLUMNS

    run = Path(f"{name}.swgui")
    run.unlink(missing_ok=True)
    kept = ["--save-profile", "rounds.hmm", "--save-alignment", "rounds.sto"] if name == "rounds" else []
    common = ("--engine", "cpu", "--quiet")
    if not command(
        out / f"{name}.refused", "search", *arguments, *common, *kept, "--save", str(run), "-o", "first.tsv"
    ):
        return
    if kept:
        for path in [*Path().glob("rounds*.hmm"), *Path().glob("rounds*.sto")]:
            path.rename(out / path.name)
            steady(out / path.name)
        if not Path("rounds.json").exists():
            single = ("-q", "first.fa", "-d", "proteins.fa", "--iterations", "2", "--save-profile", "rounds.json")
            command(out / "profile.refused", "search", *single, *common, "-o", "first.tsv")
    columns = ",".join(HIT_COLUMNS) if isinstance(HIT_COLUMNS, dict) else ",".join(item.name for item in HIT_COLUMNS)
    for form in FORMATS:
        target = out / f"{name}.{form}{'.xlsx' if form == 'xlsx' else ''}"
        target.unlink(missing_ok=True)
        more = ("--columns", columns) if form in ("tsv", "csv", "xlsx") else ()
        refused = out / f"{name}.{form}.refused"
        if command(refused, "show", str(run), "--format", form, "-o", str(target), "--quiet", *more):
            steady(target)
    subjects = Path(arguments[arguments.index("-d") + 1])
    anybody = records(subjects)[-1][1:].split()[0] if subjects.suffix == ".fa" else "d1asha_"
    for what, given in (("find", (anybody,)), ("verify", ()), ("compare", (str(run),))):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            command(out / f"{name}.{what}.refused", what, str(run), *given)
        (out / f"{name}.{what}").write_text(printed.getvalue())
        steady(out / f"{name}.{what}")


def write_all(out: Path, chosen: list[str]) -> None:
    """Write the files of the chosen searches, or of all, into a folder."""
    out.mkdir(parents=True, exist_ok=True)
    out = out.resolve()
    inputs = out.parent / f"{out.name}_inputs"
    if not inputs.exists():
        inputs.mkdir()
        make_inputs(inputs)
    os.chdir(inputs)
    for name in ("CONFIG", "CACHE", "DATA"):
        os.environ[f"SWGUI_{name}_DIR"] = str(inputs / "user" / name)
    if not Path("models.swdb").exists():
        command(out / "makedb.refused", "makedb", "--structures", "models", "-o", "models.swdb", "--quiet")
    for name, arguments in SEARCHES.items():
        if not chosen or name in chosen:
            write_search(out, name, arguments)
            print(name, flush=True)
    if not chosen or "pairs" in chosen:
        for name, arguments in PAIRS.items():
            for form in PAIR_FORMATS:
                target = out / f"pair_{name}.{form}"
                target.unlink(missing_ok=True)
                call = ("pair", *arguments, "--format", form, "-o", str(target), "--method", "cpu", "--quiet")
                if command(out / f"pair_{name}.{form}.refused", *call):
                    steady(target)
            print("pair", name, flush=True)
    if not chosen or "msa" in chosen:
        for ending in ("a3m", "sto", "afa"):
            target = out / f"msa.{ending}"
            target.unlink(missing_ok=True)
            call = ("msa", "-q", "first.fa", "-d", "proteins.fa", "-o", str(target), "--engine", "cpu", "--quiet")
            if command(out / f"msa.{ending}.refused", *call):
                steady(target)
        print("msa", flush=True)


def differences(new: Path, old: Path) -> list[str]:
    """Name the files that are not the same in two folders."""
    names = {path.name for folder in (new, old) for path in folder.iterdir() if path.is_file()}

    def content(path: Path) -> bytes | None:
        return path.read_bytes() if path.exists() else None

    return sorted(name for name in names if content(new / name) != content(old / name))


def main() -> int:
    """Write the files, and compare them where that is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("names", nargs="*", help=f"of {', '.join(SEARCHES)}, pairs, msa; all without")
    parser.add_argument("--against", type=Path, metavar="OLDER")
    parser.add_argument("--compare-only", action="store_true", help="do not write anything")
    asked = parser.parse_args()
    old, new = asked.against and asked.against.resolve(), asked.folder.resolve()
    if not asked.compare_only:
        write_all(new, asked.names)
    if old is None:
        return 0
    changed = differences(new, old)
    for name in changed:
        print("differs:", name)
    print(f"{len(changed)} of {sum(path.is_file() for path in new.iterdir())} files differ")
    return bool(changed)


if __name__ == "__main__":
    sys.exit(main())
