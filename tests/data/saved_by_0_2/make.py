"""Make this folder's files with the program of commit 3ef5c047: README.md says what they are.

    mkdir /data && PYTHONPATH=CHECKOUT python make.py

CHECKOUT is one of that commit: what is patched here by name is there and need not be in any other. Each file is made by
a process of its own, which can kill itself in the middle of a write. Files that shrink by half are packed with gzip.
"""

from __future__ import annotations

import gzip
import importlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

FOLDER = Path("/data/saved_by_0_2")
LETTERS = "ARNDCQEGHILKMFPSTWYV"
BASES = "ACGT"
CODONS = "GCT CGT AAT GAT TGT CAA GAA GGT CAT ATT CTG AAA ATG TTT CCG AGC ACC TGG TAT GTG"  # of the letters
SMALL_BLOCKS = {"swgui.jobs.rules.blocks:SMALLEST": 400}
OFTEN_KEPT = {
    "swgui.engines.pair.cpu:CHECKPOINT_SECONDS": 0.0,
    "swgui.engines.pair.cpu:TICK_SECONDS": 0.0,
    "swgui.jobs.pair.run:CHECKPOINT_SECONDS": 0.0,
}
JOURNAL = "swgui.io.saved.journal:Journal._append"
BLOCKS = "swgui.io.saved.block_state:BlockState._write"
ROUND = "swgui.history.folder:History._keep"
CHECKPOINT = "swgui.io.saved.pair_checkpoint:CheckpointFile.write_now"
SEARCH = ("--engine", "cpu", "--set", "chunk_residues=500", "--threads", "1", "--quiet")
RULES = {
    "peptides": ("-q", "peptides.fa", "-d", "proteins.swdb", "--mismatches", "3"),
    "edits": ("-q", "peptides.fa", "-d", "proteins.swdb", "--edits", "2"),
    "identity": ("-q", "queries.fa", "-d", "proteins.swdb", "--identity", "60%"),
    "window": ("-q", "queries.fa", "-d", "proteins.swdb", "--length", "40", "--identity", "0.5"),
    "words": ("-q", "queries.fa", "-d", "proteins.swdb", "--length", "5"),
    "guides": ("-q", "guides.fa", "-d", "genome.swdb", "--mismatches", "4", "--dna-bulges", "1"),
    "primers": ("-q", "primers.fa", "-d", "genome.swdb", "--mismatches", "6", "--exact-end", "2", "--longest", "400"),
}


# Sequences


def change(chance: random.Random, text: str, share: float, letters: str) -> str:
    """Return a sequence with so many of its residues replaced, left out or doubled."""
    made = ""
    for letter in text:
        if chance.random() > share:
            made += letter
        else:
            made += chance.choice([chance.choice(letters), chance.choice(letters), "", letter * 2])
    return made


def make_sequences() -> None:
    """Write made-up sequences: relatives of the queries among unrelated ones."""
    chance = random.Random(20_261_128)

    def text(size: int, letters: str = LETTERS) -> str:
        return "".join(chance.choices(letters, k=size))

    def write(name: str, parts: dict[str, str]) -> None:
        Path(name).write_text("".join(f">{key}\n{value}\n" for key, value in parts.items()))

    queries = {"first made up": text(90), "second made up": text(70)}
    write("queries.fa", queries)
    proteins = {f"p{n} unrelated": text(40 + 2 * n) for n in range(40)}
    for key, query in queries.items():
        for n, share in enumerate((0.0, 0.1, 0.2, 0.3, 0.4)):
            proteins[f"{key[:5]}{n} relative"] = text(10) + change(chance, query, share, LETTERS) + text(n)
    keys = sorted(proteins, key=lambda key: chance.random())
    write("proteins.fa", {key: proteins[key] for key in keys})
    pieces = [query[at : at + 9] for query in queries.values() for at in (3, 18, 33, 51)]
    write("peptides.fa", {f"pep{n}": piece for n, piece in enumerate(pieces)})
    codons = dict(zip(LETTERS, CODONS.split(), strict=True))
    genes = {f"gene{n}": "".join(codons[letter] for letter in query) for n, query in enumerate(queries.values())}
    genome = {f"chr{n}": text(300, BASES) + change(chance, gene, 0.05, BASES) + text(200, BASES)
              for n, gene in enumerate([*genes.values()] * 5)}  # fmt: skip
    write("genome.fa", genome)
    write("gene.fa", {"gene0 part": genes["gene0"][20:200]})
    write("reads.fa", {key: change(chance, gene, 0.02, BASES) for key, gene in genes.items()})
    strand, turned = genome["chr0"], str.maketrans(BASES, "TGCA")
    sites = [at for at in range(330, 500) if strand[at : at + 2] == "GG"][::2]
    write("guides.fa", {f"guide{n}": strand[at - 21 : at - 1] for n, at in enumerate(sites)})
    write("primers.fa", {"forward": strand[300:320], "reverse": strand[480:500].translate(turned)[::-1]})
    long = text(5000, BASES)
    write("long1.fa", {"long1 made up": long})
    write("long2.fa", {"long2 made up": text(300, BASES) + change(chance, long, 0.15, BASES)})
    many = [text(30) for _ in range(250)]
    write("many.fa", {f"m{n}": change(chance, many[n % 250], 0.15, LETTERS) for n in range(620)})
    write("train.fa", {f"t{n}": change(chance, one, 0.2, LETTERS) for n, one in enumerate(many[::20])})


# One process


def inside(name: str) -> tuple[Any, str]:
    """Return an object and the attribute that a text such as ``module:Class.name`` means."""
    module, _, path = name.partition(":")
    target: Any = importlib.import_module(module)
    *owners, last = path.split(".")
    for owner in owners:
        target = getattr(target, owner)
    return target, last


def kill_at(name: str, calls: int) -> None:
    """Let the process kill itself with a call of a method: half of a record is written then, or all of a file."""
    owner, attribute = inside(name)
    whole, left = getattr(owner, attribute), [calls]

    def method(self: Any, *given: Any) -> Any:
        left[0] -= 1
        if not left[0] and name in (JOURNAL, BLOCKS):
            framed = importlib.import_module("swgui.io.frames").framed
            written = framed(given[0]) if name == JOURNAL else given[0]
            self._file.write(bytes(written)[: len(written) // 2])
            os.kill(os.getpid(), signal.SIGKILL)
        made = whole(self, *given)
        if not left[0]:
            os.kill(os.getpid(), signal.SIGKILL)
        return made

    setattr(owner, attribute, method)


class Control(threading.Event):
    """Stops work after so many reports of progress."""

    def __init__(self, reports: int) -> None:
        super().__init__()
        self.left = reports

    def tell(self, *_: object) -> None:
        self.left -= 1
        if not self.left:
            self.set()


def search_in_history(words: list[str]) -> int:
    """Search as the window does, and stop after so many records of the journal."""
    number, *rest = words
    control = Control(int(number))
    parser = importlib.import_module("swgui.cli").build_parser()
    request = importlib.import_module("swgui.cli.search").make_request(parser.parse_args(["search", *rest]))
    history = importlib.import_module("swgui.history").History()
    owner, attribute = inside(JOURNAL)
    append = getattr(owner, attribute)
    setattr(owner, attribute, lambda self, content: (append(self, content), control.tell()))
    for event in history.search(request, control):
        if type(event).__name__ == "Finished":
            marks = {"starred": {"0": [1, 2]}, "notes": {"1": {"3": "Größe?"}}}
            history.keep_layout(event.result.run_id, {"columns": ["score"], "marks": marks})
    return 0


def pair_in_history(words: list[str]) -> int:
    """Align as the window does, and stop after so many reports of progress."""
    number, *rest = words
    parser = importlib.import_module("swgui.cli").build_parser()
    request = importlib.import_module("swgui.cli.pair").make_request(parser.parse_args(["pair", *rest]))
    control = Control(int(number))
    for event in importlib.import_module("swgui.history").History().pairs.align(request, control):
        if type(event).__name__ == "PairProgressed":
            control.tell()
    return 0


def rule_in_history(words: list[str]) -> int:
    """Search by rule as the window does, and stop after so many blocks."""
    number, *rest = words
    module = importlib.import_module
    arguments = module("swgui.cli").build_parser().parse_args(["rule", *rest, "--engine", "cpu"])
    commands = module("swgui.commands.rule")
    queries, alphabet = module("swgui.cli.queries").read_queries(arguments.query, arguments.type)
    ask = module("swgui.core.rules.request").RuleRequest
    request = ask(commands.rule_of(arguments), queries, alphabet, arguments.database, **commands.manner_of(arguments))
    opened = module("swgui.io.database.any_file").open_any_database
    run = module("swgui.jobs.rules.run").RuleRun(request, opened(arguments.database, in_blocks=True))
    history = module("swgui.history").History()
    module("swgui.gui.rules.work").find(run, "swgui rule", history, "", Control(int(number)))
    return 0


DOORS = {"search": search_in_history, "pair": pair_in_history, "rule": rule_in_history}


def one_process(spec: dict[str, Any]) -> int:
    """Do what one process does."""
    for name, value in spec["values"].items():
        setattr(*inside(name), value)
    if spec["kill"]:
        kill_at(*spec["kill"])
    if spec["door"]:
        return DOORS[spec["door"]](spec["words"])
    return int(importlib.import_module("swgui.cli").main(spec["words"]))


# All


def go(*words: str, door: str = "", kill: tuple[str, int] | None = None, values: dict[str, Any] | None = None) -> None:
    """Run one process; it must end as it is meant to."""
    spec = {"words": words, "door": door, "kill": kill, "values": values or {}}
    ended = subprocess.run([sys.executable, __file__, json.dumps(spec)], check=False).returncode
    wanted = -signal.SIGKILL if kill else 0
    if ended != wanted:
        raise SystemExit(f"{words}: status {ended}, not {wanted}")


def make_searches() -> None:
    """Searches of the history, of files and in parts."""
    proteins = ("-q", "queries.fa", "-d", "proteins.swdb", "--evalue", "100", *SEARCH)
    dna, shifted = (
        ("-q", "gene.fa", "-d", "genome.swdb"),
        ("-q", "reads.fa", "-d", "proteins.swdb", "--frameshift", "15"),
    )
    rounds = ("-q", "queries.fa", "-d", "proteins.swdb", "--iterations", "3", "--preset", "wide", *SEARCH)
    go("0", *proteins, door="search")
    go("7", *proteins, door="search")
    go("search", *proteins, "--history", "killed", "-o", "x.tsv", kill=(JOURNAL, 7))
    go("search", *rounds, "--history", "rounds done", "-o", "rounds.tsv")
    go("search", *rounds, "--history", "rounds killed", "-o", "x.tsv", kill=(JOURNAL, 6))
    often = {"swgui.history.folder:ROUND_SECONDS": 0.0}
    go("search", *rounds, "--history", "round kept", "-o", "x.tsv", kill=(ROUND, 2), values=often)
    go("search", *proteins, "-o", "proteins.tsv", "--save", "proteins.swgui")
    go("search", *dna, *SEARCH, "-o", "dna.tsv", "--save", "dna.swgui", "--history", "dna")
    go("search", *shifted, *SEARCH, "-o", "shifted.tsv", "--save", "shifted.swgui")
    limited = ("--composition", "none", "--min-identity", "30", "--query-range", "5-60", "--max-hsps", "1")
    go("search", *proteins, *limited, "-o", "limits.tsv", "--save", "limits.swgui")
    for number in "123":
        go("search", *proteins, "--part", f"{number}/3", "-o", f"{number}.part")


def make_pairs() -> None:
    """Pairs of the history, a checkpoint, and an export."""
    words = ("long1.fa", "long2.fa", "--method", "cpu", "--threads", "1")
    more = ("--strand", "both", "--limit", "3")
    go("pair", *words, *more, "--history", "pair done", "--format", "json", "-o", "pair.json", "--quiet")
    go("pair", *words, "--score-only", "--history", "score", "--format", "json", "-o", "score.json", "--quiet")
    go("2", *words, "--mode", "global", door="pair", values=OFTEN_KEPT)
    semiglobal = (*words, "--mode", "semiglobal", "--format", "json", "--quiet")
    go("pair", *semiglobal, "-o", "semiglobal.json")
    go("pair", *semiglobal, "--history", "pair killed", "-o", "x", values=OFTEN_KEPT, kill=(CHECKPOINT, 1))
    go("pair", *semiglobal, "--checkpoint", "pair.checkpoint", "-o", "x", values=OFTEN_KEPT, kill=(CHECKPOINT, 1))


def make_rules() -> None:
    """Searches by every rule: whole with a certificate, and killed; three among the runs."""
    for name, words in RULES.items():
        written = ("-o", f"{name}.tsv", "--certificate", f"{name}.json")
        go("rule", name, *words, *written, "--engine", "cpu", "--quiet", values=SMALL_BLOCKS)
        killed = ("-o", "x.tsv", "--state", f"{name}.state", "--engine", "cpu", "--quiet")
        go("rule", name, *words, *killed, values=SMALL_BLOCKS, kill=(BLOCKS, 7))
    go("0", "peptides", *RULES["peptides"], door="rule", values=SMALL_BLOCKS)
    go("3", "edits", *RULES["edits"], door="rule", values=SMALL_BLOCKS)
    go("0", "words", *RULES["words"], door="rule", values=SMALL_BLOCKS, kill=(BLOCKS, 8))


def make_networks() -> None:
    """A network, a leak, both also killed, and what is made of the network."""
    cpu = ("--engine", "cpu", "--quiet")
    go("network", "many.fa", "-o", "many.swnet", *cpu)
    go("network", "many.swnet", "--export", "many.edges", *cpu)
    go("cluster", "many.swnet", "-o", "clusters.tsv", "--identity", "0.6", *cpu)
    go("network", "many.fa", "-o", "killed.swnet", *cpu, kill=(BLOCKS, 4))
    leak = ("leak", "train.fa", "many.fa", "--evalue", "0.01", *cpu)
    go(*leak, "-o", "leak.tsv", "--certificate", "leak.json")
    go(*leak, "-o", "killed.tsv", kill=(BLOCKS, 4))


def main() -> None:
    """Make all."""
    FOLDER.mkdir()
    os.chdir(FOLDER)
    for name in ("CONFIG", "CACHE", "DATA"):
        os.environ[f"SWGUI_{name}_DIR"] = str(FOLDER / "user" / name)
    make_sequences()
    for name in ("proteins", "genome"):
        go("makedb", f"{name}.fa", "-o", f"{name}.swdb", "--quiet")
    make_searches()
    make_pairs()
    make_rules()
    make_networks()
    go("bench", "--engine", "cpu", "--sweep", "threads=1,2", "--residues", "200000", "--repeats", "1", "--use")
    (FOLDER / "user" / "DATA" / "runs").rename(FOLDER / "runs")
    (FOLDER / "user" / "CONFIG" / "tuning.json").rename(FOLDER / "tuning.json")
    (FOLDER / "user" / "CACHE" / "fits").rename(FOLDER / "fits")
    shutil.rmtree(FOLDER / "user")
    for name in ("x", "x.tsv", "proteins.fa", "genome.fa"):
        (FOLDER / name).unlink(missing_ok=True)
    for path in sorted(path for path in FOLDER.rglob("*") if path.is_file()):
        packed = gzip.compress(path.read_bytes(), mtime=0)
        if len(packed) < path.stat().st_size // 2:
            path.with_name(f"{path.name}.gz").write_bytes(packed)
            path.unlink()


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        sys.exit(one_process(json.loads(sys.argv[1])))
