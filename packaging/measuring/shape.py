#!/usr/bin/env python3
"""Search in two tracks on domains of SCOP: how reliable E is, and how many relatives are found.

    python packaging/measuring/shape.py evalues --half b --decoys columns windows reversed --seed 7
    python packaging/measuring/shape.py few --half b --queries 20 # the same in databases of 2 to 100 chains
    python packaging/measuring/shape.py relatives --half b
    python packaging/measuring/shape.py settings --half a
    python packaging/measuring/shape.py speed                     # on a GPU

Residues and the 36 structure symbols "Mu" of 3,453 domains, from `SWGUI_DATA` (`scop/`). Superfamilies are split into
two halves by a checksum of their names: choices are made on half a, and half b tests them. Decoys
are domains shuffled, residue and symbol of a position together.
"""

from __future__ import annotations

import argparse
import gzip
import lzma
import os
import tempfile
import threading
import time
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

CONFIG = tempfile.mkdtemp()
os.environ["SWGUI_CONFIG_DIR"] = CONFIG  # where the alphabet of the data is known, and nowhere else

from swgui.core.alphabet import ALPHABETS, PROTEIN  # noqa: E402
from swgui.core.database import ArrayDatabase, LetterTrack, encode_database  # noqa: E402
from swgui.core.hits.results import HitColumns, SearchResult  # noqa: E402
from swgui.core.limits import Limits  # noqa: E402
from swgui.core.plain import replace  # noqa: E402
from swgui.core.records import Letters, SequenceRecord  # noqa: E402
from swgui.core.scoring import ScoringScheme, TrackSettings  # noqa: E402
from swgui.core.search import Correction, Search  # noqa: E402
from swgui.core.statistics.background import background  # noqa: E402
from swgui.core.texts import TextColumn  # noqa: E402
from swgui.io.matrices import load_matrix  # noqa: E402
from swgui.jobs.events import Finished, finishing  # noqa: E402
from swgui.jobs.search.request import SearchRequest  # noqa: E402
from swgui.jobs.search.run import search_steps  # noqa: E402

DATA = Path(os.environ.get("SWGUI_DATA", "../shared/data")) / "scop"
HEAD = "# name: Mu\n# case: matters\n# beside residues: weights 1 1 gaps 11 1\n"
LIMITS = (1.0, 0.1, 0.01, 0.001)
SETTINGS = ((1, 1, 11, 1), (1, 1, 9, 1), (1, 1, 13, 1), (2, 3, 28, 3), (2, 1, 16, 2), (1, 2, 16, 2))
WINDOW = 10
# Folds taken to be related, which say nothing about chance (Soding 2005): propellers, Rossmann-like.
ALIKE = (
    frozenset(("b.66", "b.67", "b.68", "b.69", "b.70")),
    frozenset(("c.2", "c.3", "c.4", "c.5", "c.27", "c.28", "c.30", "c.31")),
)

Decoy = Callable[[np.random.Generator, int], np.ndarray]
DECOYS: dict[str, Decoy] = {
    "columns": lambda chance, length: chance.permutation(length),
    "windows": lambda chance, length: np.concatenate(
        [start + chance.permutation(min(WINDOW, length - start)) for start in range(0, length, WINDOW)]
    ),
    "themselves": lambda _, length: np.arange(length),
    "reversed": lambda _, length: np.arange(length)[::-1],
}


def sequences(name: str) -> Iterator[tuple[str, str, str]]:
    """Yield identifier, description and sequence of a packed FASTA file."""
    with lzma.open(DATA / name, "rt") as file:
        for entry in file.read().split(">")[1:]:
            head, _, text = entry.partition("\n")
            identifier, _, description = head.partition(" ")
            yield identifier, description.strip(), text.replace("\n", "")


def domains() -> list[SequenceRecord]:
    """Return the domains that have symbols."""
    folder = Path(CONFIG) / "alphabets"
    folder.mkdir(exist_ok=True)
    (folder / "Mu.txt").write_text(HEAD + (DATA / "mu_matrix.txt").read_text())
    symbols = {identifier: text for identifier, _, text in sequences("dev_domains.mu.fasta.xz")}
    return [
        SequenceRecord(identifier, label, text.encode(), letters=Letters("Mu", symbols[identifier].encode()))
        for identifier, label, text in sequences("dev_domains.fasta.xz")
        if len(symbols.get(identifier, "")) == len(text)
    ]


def in_half(record: SequenceRecord, half: str) -> bool:
    """Return whether the superfamily of a domain is in a half; every one is in "both"."""
    superfamily = record.description.rpartition(".")[0]
    return half == "both" or "ab"[zlib.crc32(superfamily.encode()) % 2] == half


def shuffled(records: Sequence[SequenceRecord], decoy: Decoy, seed: int) -> list[SequenceRecord]:
    """Return decoys of domains."""
    chance, made = np.random.default_rng(seed), []
    for record in records:
        assert record.letters is not None
        order = decoy(chance, len(record.residues))
        residues, letters = (
            np.frombuffer(text, np.uint8)[order].tobytes() for text in (record.residues, record.letters.text)
        )
        made.append(replace(record, residues=residues, letters=Letters("Mu", letters)))
    return made


def search(
    queries: Sequence[SequenceRecord],
    database: ArrayDatabase,
    arguments: argparse.Namespace,
    beside: TrackSettings | None = None,
) -> SearchResult:
    """Search, and note how long it took."""
    scheme = ScoringScheme.from_blast(load_matrix("BLOSUM62", PROTEIN), 11, 1)
    composition: Correction = arguments.composition
    if arguments.residues:
        queries = [replace(query, letters=None) for query in queries]
    decides = Search(
        scheme=scheme,
        beside=beside,
        limits=Limits(5000, arguments.evalue),
        composition=composition,
        max_hsps=1,
        engine=arguments.engine,
    )
    request = SearchRequest(tuple(queries), database, decides)
    begun = time.perf_counter()
    (*_, last) = finishing(search_steps(request, threading.Event()))
    assert isinstance(last, Finished)
    arguments.seconds = time.perf_counter() - begun
    return last.outcome


def fold(record: SequenceRecord) -> str:
    """Return class and fold of a domain."""
    return ".".join(record.description.split(".")[:2])


def alike(one: str, other: str) -> bool:
    """Return whether two folds are the same, or count as related."""
    return one == other or any(one in group and other in group for group in ALIKE)


def strangers(query: SequenceRecord, hits: HitColumns, decoys: Sequence[SequenceRecord]) -> np.ndarray:
    """Return E of the decoys that were made of other folds: within windows a relative stays one."""
    other = [not alike(fold(decoys[at]), fold(query)) for at in hits.db_index.tolist()]
    return np.asarray(10.0 ** hits.log10_evalues[np.array(other, dtype=bool)])


def evalues(arguments: argparse.Namespace) -> None:
    """Print how many decoys have E up to some limits, over how many E says."""
    records = domains()
    some = [record for record in records if in_half(record, arguments.half)]
    queries = [
        some[at] for at in np.random.default_rng([arguments.seed, 1]).permutation(len(some))[: arguments.queries]
    ]
    for name in arguments.decoys:
        decoys = shuffled(records, DECOYS[name], arguments.seed)
        result = search(queries, encode_database(decoys, PROTEIN, name), arguments)
        found = np.concatenate([strangers(query.query, query.hits, decoys) for query in result.queries])
        counts = [int((found <= limit).sum()) for limit in LIMITS]
        said = ", ".join(
            f"E <= {limit:g}: {n} ({n / limit / len(queries):.2f})" for limit, n in zip(LIMITS, counts, strict=True)
        )
        print(f"{name}, {len(queries)} queries of half {arguments.half}: {said}; {arguments.seconds:.1f} s", flush=True)


def few(arguments: argparse.Namespace) -> None:
    """Print the same for real domains of other folds in small databases, where E is fitted to rearranged chains."""
    some = [record for record in domains() if in_half(record, arguments.half)]
    for chains, databases in ((2, 12), (10, 6), (30, 4), (100, 3)):
        chance, found = np.random.default_rng([arguments.seed, chains]), []
        for number in range(databases):
            picked = [some[at] for at in chance.permutation(len(some))[:chains]]
            queries = [some[at] for at in chance.permutation(len(some))[: arguments.queries]]
            result = search(queries, encode_database(picked, PROTEIN, f"few {number}"), arguments)
            found += [strangers(query.query, query.hits, picked) for query in result.queries]
        ratios = [float((np.concatenate(found) <= limit).sum()) / len(found) / limit for limit in LIMITS]
        said = ", ".join(f"E <= {limit:g}: {ratio:.2f}" for limit, ratio in zip(LIMITS, ratios, strict=True))
        print(f"{chains} chains, {len(found)} searches, hits found over hits expected: {said}", flush=True)


def shares(result: SearchResult, records: Sequence[SequenceRecord]) -> dict[str, float]:
    """Return the mean share of relatives before the first domain of another fold, by kind of relative."""
    labels = {record.id: tuple(record.description.split(".")) for record in records}
    families, superfamilies = Counter(labels.values()), Counter(label[:3] for label in labels.values())
    found: dict[str, list[float]] = {"family": [], "superfamily": []}
    for query in result.queries:
        own, got = labels[query.query.id], Counter[str]()
        for at in query.hits.db_index.tolist():
            name = result.database.ids[at]
            other = labels[name]
            if other[:2] != own[:2]:
                break
            if name != query.query.id and other[:3] == own[:3]:
                got["family" if other == own else "superfamily"] += 1
        wanted = {"family": families[own] - 1, "superfamily": superfamilies[own[:3]] - families[own]}
        for kind, share in found.items():
            if wanted[kind]:
                share.append(got[kind] / wanted[kind])
    return {kind: float(np.mean(share)) for kind, share in found.items()}


def relatives(arguments: argparse.Namespace, beside: TrackSettings | None = None, name: str = "") -> None:
    """Print the share of relatives before the first wrong fold."""
    records = domains()
    queries = [record for record in records if in_half(record, arguments.half)][:: arguments.every]
    result = search(queries, encode_database(records, PROTEIN, "scop"), arguments, beside)
    said = ", ".join(f"{kind} {share:.3f}" for kind, share in shares(result, records).items())
    print(
        f"{name or 'usual'}, {len(queries)} queries of half {arguments.half}: {said}; {arguments.seconds:.1f} s",
        flush=True,
    )


def settings(arguments: argparse.Namespace) -> None:
    """Print it for several weights and gap costs."""
    for setting in SETTINGS:
        residues, letters, gap_open, gap_extend = setting
        relatives(
            arguments,
            TrackSettings(residues, letters, gap_open, gap_extend),
            f"weights {residues} {letters}, gaps {gap_open}/{gap_extend}",
        )


def repeated(path: Path, times: int) -> ArrayDatabase:
    """Return the proteins of a file, each so many times, with random symbols as a second track."""
    with gzip.open(path, "rt") as file:
        texts = [entry.partition("\n")[2].replace("\n", "").encode() for entry in file.read().split(">")[1:]]
    base = encode_database([SequenceRecord(str(at), "", text) for at, text in enumerate(texts)], PROTEIN)
    lengths = np.repeat(np.diff(base.offsets), times)
    pieces = [base.codes[a:b] for a, b in pairwise(base.offsets.tolist()) for _ in range(times)]
    codes, offsets = np.concatenate(pieces), np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    letters = ALPHABETS["3Di"]
    beside = np.random.default_rng(1).choice(len(letters), len(codes), p=background(letters)).astype(np.uint8)
    nameless = TextColumn(np.zeros(0, dtype=np.uint8), np.zeros(len(offsets), dtype=np.int64))
    track = LetterTrack(letters, beside)
    many = np.arange(len(lengths), dtype=np.int64)
    return ArrayDatabase("repeated", PROTEIN, codes, offsets, many, nameless, nameless, track=track)


def speed(arguments: argparse.Namespace) -> None:
    """Print how long searches in two tracks take on GPUs: all domains against all, and one query against many."""
    arguments.engine, records = "cuda", domains()
    database = encode_database(records, PROTEIN, "scop")
    for composition in ("none", "none", "full"):
        arguments.composition = composition
        result = search(records, database, arguments)
        said = f"all against all, correction {composition}: scores {result.seconds:.2f} s"
        print(f"{said}, all {arguments.seconds:.2f} s", flush=True)
    arguments.composition = "full"
    large = repeated(DATA.parent / "proteins" / "uniprot_16proteomes.fasta.gz", 4)
    at = int(np.flatnonzero(large.lengths >= 400)[-1])
    query = replace(large.record(at), id="query")
    assert query.letters is not None
    query = replace(query, residues=query.residues[:400], letters=Letters("3Di", query.letters.text[:400]))
    for _ in range(5):
        result = search([query], large, arguments)
        said = f"400 residues against {large.residues:,}: scores {1000 * result.seconds:.1f} ms"
        more = 18.9e9 / large.residues * result.seconds
        print(f"{said}, all {arguments.seconds:.2f} s; {more:.2f} s for 18.9 G", flush=True)


def main() -> None:
    """Run one of the tasks."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    for run, usual in ((evalues, 10.0), (few, 10.0), (relatives, 100.0), (settings, 100.0), (speed, 10.0)):
        task = tasks.add_parser(run.__name__, help=run.__doc__)
        task.add_argument("--half", choices=("a", "b", "both"), default="both")
        task.add_argument("--composition", choices=("none", "lambda", "full"), default="full")
        task.add_argument("--residues", action="store_true", help="score residues alone")
        task.add_argument("--evalue", type=float, default=usual, help="list hits up to it")
        task.add_argument("--every", type=int, default=4, metavar="N", help="take every N-th domain as query")
        task.add_argument("--queries", type=int, default=250, help="of decoys")
        task.add_argument("--decoys", nargs="+", choices=tuple(DECOYS), default=["columns"])
        task.add_argument("--seed", type=int, default=1)
        task.set_defaults(run=run, engine="cpu")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
