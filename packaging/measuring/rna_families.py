#!/usr/bin/env python3
"""Nucleotides in rounds on families of structured RNA: relatives found, and false hits where none are related.

    python packaging/measuring/rna_families.py families WORK --seeds 7 1 42 [--queries fifth] [--strand both]
        [--flanks 1000] [--rounds 1 3] [--preset wide] [--programs swgui nhmmer cmsearch]
    python packaging/measuring/rna_families.py chance WORK --seeds 7 --kinds reversed shuffled dinucleotides random
        [--lengths 100 2000 32000] [--gc 30 50 70] [--strand both] [--rounds 1 3]

WORK keeps `samples-SEED.fa`, six sequences (`cmemit`) of each covariance model of 50 to 200 columns in the file
Bacteria of Debian's package prokka (``--models``: its folder db/cm; Infernal 1.1.4 makes them). Sample 1 of some
families is the query, samples 2 to 6 of all families the database: "fifth" is every fifth family (the test), "others"
all but these (settings are chosen with them, and with other seeds), "all" every one.

The share is that of the five relatives above the first sequence of another family. False sequences are counted for each
query. Standard errors are over queries. Databases of chance are the families' sequences reversed, shuffled, or shuffled
with their dinucleotides, or random sequences of some lengths and shares of G and C.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from swgui.core.alphabet import NUCLEOTIDE
from swgui.core.database import encode_database
from swgui.core.engines import EngineOptions
from swgui.core.limits import Limits
from swgui.core.profiles.iteration import IterationSettings
from swgui.core.records import SequenceRecord
from swgui.core.scoring import ScoringScheme, match_mismatch
from swgui.core.search import Search
from swgui.jobs.events import run_to_end
from swgui.jobs.iterate.run import iteration_steps
from swgui.jobs.search.request import SearchRequest

MODELS = Path("/usr/share/prokka/db/cm")
COLUMNS = (50, 200)
SAMPLES = 6
STEP = 5  # every fifth family is for tests
BASES = "ACGT"
DATABASE_BASES = {100: 400_000, 2_000: 2_000_000, 32_000: 16_000_000}  # of random databases

Sequences = list[tuple[str, str]]
Found = dict[str, list[tuple[str, float]]]  # hits of each query with E, best first


def read_fasta(path: Path) -> Sequences:
    """Return names and sequences; U as T."""
    entries = [entry.partition("\n") for entry in path.read_text().split(">")[1:]]
    return [(head.split()[0], "".join(text.split()).upper().replace("U", "T")) for head, _, text in entries]


def write_fasta(path: Path, sequences: Iterable[tuple[str, str]]) -> Path:
    """Write sequences; returns the path."""
    path.write_text("".join(f">{name}\n{text}\n" for name, text in sequences))
    return path


def read_table(path: Path) -> Iterable[list[str]]:
    """Yield the words of the lines of a table of HMMER or Infernal that are no comments."""
    return (line.split() for line in path.read_text().splitlines() if not line.startswith("#"))


def family(name: str) -> str:
    """Return the family of a sample."""
    return name.rpartition("-sample")[0]


def models(arguments: argparse.Namespace) -> Path:
    """Return a file of the covariance models, each name once, made if it is not there."""
    path: Path = arguments.work / "models.cm"
    if path.exists():
        return path
    text = subprocess.run(["cmconvert", arguments.models / "Bacteria"], check=True, capture_output=True, text=True)
    kept: dict[str, str] = {}
    for entry in text.stdout.split("INFERNAL1")[1:]:
        facts = dict(line.split(None, 1) for line in entry.split("\n")[1:40] if len(line.split(None, 1)) == 2)
        if COLUMNS[0] <= int(facts["CLEN"]) <= COLUMNS[1]:
            kept.setdefault(facts["NAME"].strip(), f"INFERNAL1{entry}")
    path.write_text("".join(kept.values()))
    return path


def samples(arguments: argparse.Namespace, seed: int) -> Sequences:
    """Return the samples of all families."""
    path: Path = arguments.work / f"samples-{seed}.fa"
    if not path.exists():
        subprocess.run(["cmemit", "-N", str(SAMPLES), "--seed", str(seed), "-o", path, models(arguments)], check=True)
    return read_fasta(path)


def parts(arguments: argparse.Namespace, seed: int) -> tuple[Sequences, Sequences]:
    """Return queries and database."""
    given = samples(arguments, seed)
    names = list(dict.fromkeys(family(name) for name, _ in given))
    test = set(names[::STEP])
    of = {"fifth": test, "others": set(names) - test, "all": set(names)}[arguments.queries]
    queries = [(name, text) for name, text in given if name.endswith("-sample1") and family(name) in of]
    rng = random.Random(seed)

    def flank() -> str:
        return "".join(rng.choices(BASES, k=arguments.flanks))

    return queries, [(name, flank() + text + flank()) for name, text in given if not name.endswith("-sample1")]


# Chance


def with_dinucleotides(text: str, rng: random.Random) -> str:
    """Return a shuffle with the same dinucleotides: an Euler path of random order (Altschul and Erickson 1985)."""
    edges: dict[str, list[str]] = {}
    for one, other in pairwise(text):
        edges.setdefault(one, []).append(other)
    last = text[-1]
    while True:
        ends = {base: rng.choice(others) for base, others in edges.items() if base != last}
        if all(_reaches(base, last, ends) for base in ends):
            break
    for base, others in edges.items():
        rng.shuffle(others)
        if base in ends:
            others.remove(ends[base])
            others.append(ends[base])
    made, places = [text[0]], dict.fromkeys(edges, 0)
    for _ in range(len(text) - 1):
        base = made[-1]
        made.append(edges[base][places[base]])
        places[base] += 1
    return "".join(made)


def _reaches(base: str, last: str, ends: dict[str, str]) -> bool:
    for _ in range(len(ends) + 1):
        if base == last:
            return True
        base = ends[base]
    return False


KINDS: dict[str, Callable[[str, random.Random], str]] = {
    "reversed": lambda text, _: text[::-1],
    "shuffled": lambda text, rng: "".join(rng.sample(text, len(text))),
    "dinucleotides": with_dinucleotides,
}


def chance_databases(arguments: argparse.Namespace, database: Sequences) -> Iterable[tuple[str, Sequences]]:
    """Yield the names of databases without relatives, and their sequences."""
    for kind in arguments.kinds:
        rng = random.Random(3)
        if kind != "random":
            yield kind, [(name, KINDS[kind](text, rng)) for name, text in database]
            continue
        for length in arguments.lengths:
            for gc in arguments.gc:
                weights = [100 - gc, gc, gc, 100 - gc]
                number = max(DATABASE_BASES.get(length, 4_000_000) // length, 500)
                made = [(f"r{n}-sample0", "".join(rng.choices(BASES, weights, k=length))) for n in range(number)]
                yield f"random, {length} nt, GC {gc} %", made


# Programs


def swgui(queries: Sequences, database: Sequences, rounds: int, arguments: argparse.Namespace) -> Found:
    """Search in rounds by this program."""
    encoded = encode_database([SequenceRecord(name, "", text.encode()) for name, text in database], NUCLEOTIDE, "db")
    # One round: two are the least, and this limit includes no sequence.
    inclusion = 1e-300 if rounds == 1 else arguments.inclusion
    settings = IterationSettings(rounds=max(rounds, 2), preset=arguments.preset, inclusion_evalue=inclusion)
    search = Search(
        scheme=ScoringScheme.from_blast(match_mismatch(NUCLEOTIDE, 2, -3), 5, 2),
        strand=arguments.strand,
        iteration=settings,
        engine="cpu",
        options=EngineOptions(threads=arguments.threads),
        composition=arguments.composition,
        max_hsps=1,
        limits=Limits(5_000, 10.0),
        keep_scores=True,
    )
    records = tuple(SequenceRecord(name, "", text.encode()) for name, text in queries)
    result = run_to_end(iteration_steps(SearchRequest(records, encoded, search), threading.Event()))
    assert result is not None
    found = {}
    for query in result.queries:
        names = [encoded.ids[index] for index in query.hits.db_index.tolist()]
        found[query.query.id] = list(zip(names, (10.0**query.hits.log10_evalues).tolist(), strict=True))
    return found


def nhmmer(queries: Sequences, database: Sequences, rounds: int, arguments: argparse.Namespace) -> Found:
    """Search by nhmmer --max; after one round with models that hmmbuild makes of the rows of hmmalign."""

    def one(query: tuple[str, str]) -> tuple[str, list[tuple[str, float]]]:
        with tempfile.TemporaryDirectory() as folder:
            return query[0], _nhmmer_of(query, path, rounds, Path(folder), arguments)

    with tempfile.TemporaryDirectory() as kept, ThreadPoolExecutor(arguments.threads or 2) as pool:
        path = write_fasta(Path(kept) / "db.fa", database)
        return dict(pool.map(one, queries))


def _nhmmer_of(
    query: tuple[str, str], database: Path, rounds: int, work: Path, arguments: argparse.Namespace
) -> list[tuple[str, float]]:
    run = lambda *words: subprocess.run(words, check=True, stdout=subprocess.DEVNULL)  # noqa: E731
    source = write_fasta(work / "q.fa", [query])
    run("hmmbuild", "--rna", "-n", "q", work / "0.hmm", source)
    watson = ["--watson"] if arguments.strand == "plus" else []
    for number in range(rounds):
        (work / "o.sto").write_text("")
        usual = "--rna", *watson, "--max", "--cpu", "1", "--noali", "-E", "1000", "--incE", "1", "-o", "/dev/null"
        run("nhmmer", *usual, "-A", work / "o.sto", "--tblout", work / "t", source, database)
        rows: dict[str, str] = {}
        for line in (work / "o.sto").read_text().splitlines():
            if line.strip() and line[0] not in "#/":
                name, text = line.split()
                rows[name] = rows.get(name, "") + text.replace("-", "").replace(".", "")
        if number + 1 == rounds or not rows:
            break
        write_fasta(work / "r.fa", [query, *rows.items()])
        run("hmmalign", "--rna", "-o", work / "a.sto", work / "0.hmm", work / "r.fa")
        run("hmmbuild", "--rna", "-n", "q", work / "1.hmm", work / "a.sto")
        source = work / "1.hmm"
    return _best((words[0], float(words[12])) for words in read_table(work / "t"))


def cmsearch(queries: Sequences, database: Sequences, rounds: int, arguments: argparse.Namespace) -> Found:
    """Search with the true covariance models: a bound. `rounds` does not matter."""
    found: Found = {name: [] for name, _ in queries}
    asked = {family(name): name for name, _ in queries}
    with tempfile.TemporaryDirectory() as folder:
        path, out = write_fasta(Path(folder) / "db.fa", database), Path(folder) / "t"
        only = ["--toponly"] if arguments.strand == "plus" else []
        words = "cmsearch", *only, "--noali", "-E", "10", "-o", "/dev/null", "--tblout", out, models(arguments), path
        subprocess.run(words, check=True)
        for fields in read_table(out):
            if fields[2] in asked:
                found[asked[fields[2]]].append((fields[0], float(fields[15])))
    return {name: _best(hits) for name, hits in found.items()}


def _best(hits: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    best: dict[str, float] = {}
    for name, evalue in hits:
        best[name] = min(evalue, best.get(name, evalue))
    return sorted(best.items(), key=lambda hit: hit[1])


PROGRAMS = {"swgui": swgui, "nhmmer": nhmmer, "cmsearch": cmsearch}


def figures(queries: Sequences, found: Found) -> str:
    """Return the share of relatives and the false ones, with standard errors."""
    rows = []
    for name, _ in queries:
        own = [(family(hit) == family(name), evalue) for hit, evalue in found.get(name, [])]
        first = next((place for place, (related, _) in enumerate(own) if not related), len(own))
        false = [evalue for related, evalue in own if not related]
        rows.append((first / (SAMPLES - 1), *(sum(e <= limit for e in false) for limit in (1.0, 1e-3))))
    table = np.array(rows, dtype=float)
    means, errors = table.mean(axis=0), table.std(axis=0, ddof=1) / len(table) ** 0.5
    words = "share", "false, E <= 1", "E <= .001"
    return ", ".join(f"{word} {a:.4f} +- {b:.4f}" for word, a, b in zip(words, means, errors, strict=True))


def main(words: Sequence[str] | None = None) -> None:
    """Print a line for each seed, program, number of rounds and database."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("job", choices=("families", "chance"))
    parser.add_argument("work", type=Path, help="folder of samples")
    parser.add_argument("--models", type=Path, default=MODELS)
    parser.add_argument("--seeds", type=int, nargs="+", default=[7])
    parser.add_argument("--queries", default="fifth", choices=("fifth", "others", "all"))
    parser.add_argument("--strand", default="plus", choices=("plus", "both"))
    parser.add_argument("--flanks", type=int, default=0, help="random bases on each side of every sequence")
    parser.add_argument("--rounds", type=int, nargs="+", default=[1, 3])
    parser.add_argument("--preset", default="wide", choices=("careful", "standard", "wide"))
    parser.add_argument("--inclusion", type=float, help="E up to which sequences are included; that of the preset")
    parser.add_argument("--composition", default="full", choices=("none", "full"))
    parser.add_argument("--programs", nargs="+", default=["swgui"], choices=PROGRAMS)
    parser.add_argument("--kinds", nargs="+", default=[*KINDS, "random"], choices=[*KINDS, "random"])
    parser.add_argument("--lengths", type=int, nargs="+", default=list(DATABASE_BASES))
    parser.add_argument("--gc", type=int, nargs="+", default=[30, 50, 70])
    parser.add_argument("--threads", type=int, default=0)
    arguments = parser.parse_args(words)
    arguments.work.mkdir(parents=True, exist_ok=True)
    for seed in arguments.seeds:
        queries, database = parts(arguments, seed)
        chance = arguments.job == "chance"
        for label, subjects in chance_databases(arguments, database) if chance else [("families", database)]:
            for program in arguments.programs:
                for rounds in arguments.rounds:
                    begun = time.perf_counter()
                    found = PROGRAMS[program](queries, subjects, rounds, arguments)
                    took = f"{time.perf_counter() - begun:.0f} s"
                    print(seed, label, program, f"{rounds} rounds:", figures(queries, found), took, flush=True)


if __name__ == "__main__":
    main()
