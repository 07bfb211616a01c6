"""Every command that writes names of sequences, in every format, with names that attack terminals and spreadsheets.

No file and no message may hold control characters or marks that turn the direction of writing, and no cell of a table
may be a formula.
"""

from __future__ import annotations

import csv
import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from swgui.cli import main
from swgui.commands.table import COMMANDS
from swgui.io.export import FORMATS as HIT_FORMATS
from swgui.io.export.pairs import PAIR_FORMATS
from swgui.io.network.clusters import CLUSTER_FORMATS
from swgui.io.network.graphs import GRAPH_FORMATS
from swgui.io.table_files import TABLE_FORMATS
from swgui.io.tables.rules import PLACE_FORMATS

LETTERS = "ARNDCQEGHILKMFPSTWYV"
NAMES = ("=cmd|'/c_calc'!A0", "\x1b[31mred", "@SUM(1,1)", '"quoted', "+1+2", "-2\x9b5m", "turned\u202ecba", "x=1")
TITLE = "=HYPERLINK(0) \x1b]0;owned\x07 \u2028=1+1"
# A byte of a terminal's commands, a mark of direction, or a line break other than that of a line.
UNSAFE = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"[=+@-].")
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?([eE][-+]?\d+)?")
RESIDUES = ("qseq", "sseq")  # an alignment may begin with a gap

pytestmark = pytest.mark.usefixtures("user_folders")
Call = Callable[..., None]


@pytest.fixture(scope="module")
def inputs(tmp_path_factory) -> Path:
    """Return a folder with a database of two copies of each sequence, queries, DNA, and tables of other programs."""
    folder, rng = tmp_path_factory.mktemp("hostile"), np.random.default_rng(11)
    texts = ["".join(rng.choice(list(LETTERS), 80)) for _ in NAMES]

    def fasta(name: str, made: list[str], names: tuple[str, ...] = NAMES) -> None:
        lines = [f">{one} {TITLE}\n{text}\n" for one, text in zip(names, made, strict=False)]
        (folder / name).write_text("".join(lines), encoding="utf-8", newline="\n")

    fasta("db.fa", [*texts, *(text[:-3] + "GGG" for text in texts)], (*NAMES, *(f"{name}2" for name in NAMES)))
    fasta("q.fa", texts)
    fasta("one.fa", texts[:1])
    fasta("other.fa", [texts[0][:40] + texts[0][42:]])
    fasta("peptides.fa", [text[10:22] for text in texts])
    dna = "".join(rng.choice(list("ACGT"), 120))
    fasta("a.fa", [dna])
    fasta("b.fa", [dna[:60] + "T" + dna[60:]], NAMES[1:2])
    theirs = [f"{NAMES[0]}\t{NAMES[2]}\t99\t80\t1\t0\t1\t80\t1\t80\t1e-9\t99\n", "=1+1\t=2+2" + "\t1" * 10 + "\n"]
    (folder / "theirs.tsv").write_text("".join(theirs), encoding="utf-8")
    (folder / "clusters.tsv").write_text("sequence\tcluster\n" + "".join(f"{n}\tc\n" for n in written_names()))
    return folder


def written_names() -> list[str]:
    """Return the names of the database as this program's tables have them."""
    plain = [UNSAFE.sub(" ", name).strip() for name in (*NAMES, *(f"{name}2" for name in NAMES))]
    return [f"'{name}" if FORMULA.match(name) else name for name in plain]


@pytest.fixture
def call(inputs: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> Call:
    """Return a function that runs a command in the folder, and looks at its messages."""
    monkeypatch.chdir(inputs)

    def run(*words: str, status: tuple[int, ...] = (0,)) -> None:
        assert main(list(words)) in status
        for said in capsys.readouterr():
            assert not UNSAFE.search(said.replace("\r", "")), said

    return run


def check(path: Path, *, cells: str = "") -> None:
    """Look at a file; `cells` is the delimiter of a table that a spreadsheet opens."""
    data = path.read_bytes()
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as pack:
            for name in pack.namelist():
                text = pack.read(name).decode("utf-8")
                assert not UNSAFE.search(text), name
                assert "<f>" not in text
        return
    text = data.decode("utf-8")
    assert (found := UNSAFE.search(text)) is None, repr(text[max(0, found.start() - 60) : found.end() + 60])
    if cells:
        quoting = csv.QUOTE_MINIMAL if cells == "," else csv.QUOTE_NONE
        head, *rows = csv.reader(io.StringIO(text), delimiter=cells, quoting=quoting)
        assert rows
        for row in rows:
            for column, cell in zip(head, row, strict=True):
                safe = column in RESIDUES or NUMBER.fullmatch(cell) or not FORMULA.match(cell)
                assert safe, (column, cell)


SEARCH = ["-q", "q.fa", "-d", "db.fa", "--engine", "cpu", "--evalue", "10"]
TABLES = {"tsv": "\t", "csv": ",", "edges": "\t", "nodes": "\t", "pepmatch": ","}


def saved(call: Call) -> str:
    """Return the file of a saved search."""
    if not Path("r.swgui").exists():
        call("search", *SEARCH, "--save", "r.swgui", "-o", "hits.tsv")
    return "r.swgui"


def in_every_form(call: Call, out: Path, *words: str) -> None:
    """Write a table in all formats that tables have, and look at each."""
    for name, form in TABLE_FORMATS.items():
        place = out.with_suffix(form.suffix)
        call(*words, "--format", name, "-o", str(place))
        check(place, cells=TABLES.get(name, ""))


def searches(call: Call, out: Path) -> None:
    call("search", *SEARCH, "-o", str(out))
    check(out, cells="\t")
    for alignment, profile in (("a.sto", "p.hmm"), ("a.a3m", "p.json"), ("a.afa", "p.pssm")):
        words = ["search", "-q", "one.fa", "-d", "db.fa", "--engine", "cpu", "--iterations", "2", "-o", str(out)]
        call(*words, "--save-alignment", alignment, "--save-profile", profile)
        check(Path(alignment))
        check(Path(profile))


def shows(call: Call, out: Path) -> None:
    words = ["-q", "one.fa", "-d", "db.fa", "--engine", "cpu", "--evalue", "10", "--save", "one.swgui"]
    call("search", *words, "-o", str(out))
    for name in HIT_FORMATS:
        place = out.with_suffix(HIT_FORMATS[name].suffix)
        place.unlink(missing_ok=True)
        call("show", "one.swgui", "--format", name, "-o", str(place), status=(0, 1, 2))
        if place.exists():
            check(place, cells=TABLES.get(name, ""))
    call("show", "one.swgui", "--methods-text", "plain", "-o", str(out))
    check(out)


def audits(call: Call, out: Path) -> None:
    in_every_form(call, out, "audit", *SEARCH, "--table", "theirs.tsv")
    call("audit", *SEARCH, "--table", "theirs.tsv", "--comments", "-o", str(out))
    check(out)
    rule = ["rule", "peptides", "-q", "peptides.fa", "-d", "db.fa", "--engine", "cpu"]
    call(*rule, "-o", "places.tsv", "--certificate", "rule.json")
    in_every_form(call, out, "audit", "--rule", "rule.json", "--table", "places.tsv", "--engine", "cpu")
    call("audit", "--rule", "rule.json", "--table", "places.tsv", "-o", str(out), "--engine", "cpu")
    assert {row.split("\t")[0] for row in out.read_text("utf-8").splitlines()[1:]} == {"both"}


def rules(call: Call, out: Path) -> None:
    words = ["rule", "edits", "--edits", "1", "-q", "peptides.fa", "-d", "db.fa", "--engine", "cpu"]
    in_every_form(call, out, *words)
    for name in PLACE_FORMATS:
        call(*words, "--format", name, "-o", str(out), "--certificate-page", "page.html", "--certificate", "c.json")
        check(out, cells=TABLES.get(name, ""))
        check(Path("page.html"))
        check(Path("c.json"))


def leaks(call: Call, out: Path) -> None:
    words = ["leak", "db.fa", "q.fa", "--engine", "cpu", "--report", "leak.html", "--certificate", "leak.json"]
    in_every_form(call, out, *words)
    for place in (Path("leak.html"), Path("leak.json")):
        check(place)


def clusters(call: Call, out: Path) -> None:
    for name in CLUSTER_FORMATS:
        call("cluster", "db.fa", "--format", name, "-o", str(out), "--engine", "cpu")
        check(out, cells=TABLES["csv"] if name == "csv" else "")
    call("cluster", "db.fa", "-o", str(out), "--engine", "cpu")
    out.write_text(f"a\tb\n{out.read_text('utf-8')}", "utf-8")
    check(out, cells=TABLES["tsv"])


def judges(call: Call, out: Path) -> None:
    in_every_form(call, out, "judge", "clusters.tsv", "db.fa", "--engine", "cpu")


def splits(call: Call, out: Path) -> None:
    in_every_form(call, out, "split", "db.fa", "--bins", "50,50", "--engine", "cpu")


def networks(call: Call, out: Path) -> None:
    for name in GRAPH_FORMATS:
        call("network", "db.fa", "--export", str(out), "--format", name, "--engine", "cpu")
        check(out, cells=TABLES.get(name, ""))


def pairs(call: Call, out: Path) -> None:
    for name in PAIR_FORMATS:
        call("pair", "a.fa", "b.fa", "--format", name, "-o", str(out), "--method", "cpu")
        check(out)


def merges(call: Call, out: Path) -> None:
    for part in ("1/2", "2/2"):
        call("search", *SEARCH, "--part", part, "-o", f"{part[0]}.part")
    call("merge", "1.part", "2.part", "-o", str(out))
    check(out, cells="\t")


def finds(call: Call, out: Path) -> None:
    in_every_form(call, out, "find", saved(call), "=", "[31m")


def diffs(call: Call, out: Path) -> None:
    in_every_form(call, out, "diff", saved(call), "q.fa")


def watches(call: Call, out: Path) -> None:
    words, release = ["--folder", "watches"], Path("release.fa")
    release.write_bytes(Path("db.fa").read_bytes())
    call("watch", "add", "w", "-q", "q.fa", "-d", str(release), "--engine", "cpu", "--evalue", "10", *words)
    call("watch", "run", *words)
    release.write_bytes(Path("q.fa").read_bytes())
    call("watch", "run", *words)
    check(Path("watches", "w", "w.atom"))
    in_every_form(call, out, "watch", "show", "w", *words)
    in_every_form(call, out, "watch", "list", *words)


def compares(call: Call, out: Path) -> None:
    run = saved(call)
    call("compare", run, run, "--comments", "-o", str(out))
    check(out)
    in_every_form(call, out, "compare", run, run)


def verifies(call: Call, out: Path) -> None:
    call("verify", saved(call), "--engine", "cpu")


def deeper(call: Call, out: Path) -> None:
    call("deeper", "-q", "one.fa", "-d", "db.fa", "--profiles", "--neighbours", "--engine", "cpu", "-o", str(out))
    check(out, cells="\t")


def msas(call: Call, out: Path) -> None:
    words = ["msa", "-d", "db.fa", "--engine", "cpu"]
    for suffix in ("a3m", "sto", "afa"):
        call(*words, "-q", "one.fa", "-o", f"msa.{suffix}")
        check(Path(f"msa.{suffix}"))
    for form, suffix in (("alphafold3", "a3m"), ("boltz", "csv"), ("colabfold", "a3m")):
        place = out / f"complex.{suffix}"
        out.mkdir(exist_ok=True)
        call(*words, "-q", "one.fa", "other.fa", "--complex", form, "-o", str(place))
        for written in out.iterdir():
            check(written)


def databases(call: Call, out: Path) -> None:
    call("makedb", "db.fa", "-o", "h.swdb", "--remarks", str(out))
    if out.exists():
        check(out)
    call("info", "h.swdb", "--organisms")
    call("update", "h.swdb", "--from", "q.fa", "-o", "h2.swdb")


WALK = {
    "search": searches, "show": shows, "audit": audits, "rule": rules, "leak": leaks, "cluster": clusters,
    "judge": judges, "split": splits, "network": networks, "pair": pairs, "merge": merges, "find": finds,
    "diff": diffs, "watch": watches, "compare": compares, "verify": verifies, "deeper": deeper, "msa": msas,
    "makedb": databases, "info": databases, "update": databases,
}  # fmt: skip
# They write no names of sequences that the user gave: servers, devices, downloads, folders; mcp writes JSON alone.
WITHOUT = {"serve", "get", "fetch-query", "worker", "devices", "doctor", "completion", "bench"}
WITHOUT |= {
    "covariation",
    "mcp",
    "project",
    "remote",
    "databases",
    "cache",
    "sample",
    "formats",
    "columns",
    "help",
    "version",
}


def test_every_command_is_looked_at() -> None:
    assert set(WALK) | WITHOUT == set(COMMANDS)


@pytest.mark.parametrize(
    "walk", sorted(set(WALK.values()), key=lambda walk: walk.__name__), ids=lambda walk: walk.__name__
)
@pytest.mark.sampled(9)
def test_names_are_safe(walk: Callable[[Call, Path], None], call: Call, tmp_path: Path) -> None:
    walk(call, tmp_path / "out")
