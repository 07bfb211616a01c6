"""``swgui serve`` in a process of its own, killed in every state; and ``swgui-jackhmmer``."""

import os
import random
import re
import signal
import socket
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from swgui.cli import main as swgui_main
from swgui.serve.jackhmmer import main
from swgui.serve.nhmmer import main as nhmmer
from tests.robustness.command import begin
from tests.serve.conftest import Client
from tests.serve.readers import UNIREF, check_bytes

AS_ALPHAFOLD_3 = (
    *("-o", os.devnull, "--noali", "--F1", "0.0005", "--F2", "5e-05", "--F3", "5e-07", "--cpu", "1", "-N", "1"),
    *("-E", "0.0001", "--incE", "0.0001"),
)
AS_ALPHAFOLD_3_FOR_RNA = ("-o", os.devnull, "--noali", "--cpu", "1")


def free_port():
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return listening.getsockname()[1]


def serve(folder, databases, port):
    """Start a server and wait until it answers."""
    process = begin(folder, "serve", "-d", databases[0], "--engine", "cpu", "-t", "1", "--address", f"127.0.0.1:{port}")
    client, end = Client(f"http://127.0.0.1:{port}"), time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        try:
            client.json("/queue")
        except OSError:
            time.sleep(0.05)
        else:
            return process, client
    raise AssertionError(process.communicate(timeout=60)[1].decode())


@pytest.mark.nightly
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is a signal of POSIX")
def test_a_killed_server_loses_nothing(databases, proteins, tmp_path):
    port = free_port()
    process, client = serve(tmp_path, databases, port)
    done = client.done(client.post({"101": proteins["alpha"]}))
    assert done["status"] == "COMPLETE"
    long = {"101": ((proteins["alpha"] + proteins["beta"][::-1]) * 40)[:9_900]}
    with ThreadPoolExecutor(2) as pool:  # answers are held back, and never come
        lost = [pool.submit(client.post, long)]
        time.sleep(0.5)  # it has begun, and takes seconds
        lost.append(pool.submit(client.post, waiting := {"102": proteins["beta"] + "GGG"}))
        end = time.monotonic() + 60
        while client.json("/queue") != {"queued": 1}:
            assert time.monotonic() < end
        process.send_signal(signal.SIGKILL)
        assert all(answer.exception() is not None for answer in lost)
    process.communicate(timeout=60)
    with closing(sqlite3.connect(next(tmp_path.rglob("tickets.sqlite")))) as table:
        assert {state for (state,) in table.execute("SELECT state FROM tickets")} == {"COMPLETE", "RUNNING", "PENDING"}
    process, client = serve(tmp_path, databases, port)
    try:
        tickets = [client.post(chains) for chains in (long, waiting)]
        assert client.ask(f"/result/download/{done['id']}")[0] == 200
        assert [client.done(ticket)["status"] for ticket in tickets] == ["COMPLETE"] * 2
    finally:
        process.send_signal(signal.SIGTERM)
        said = process.communicate(timeout=60)[1].decode()
    assert process.returncode == 0
    assert "COMPLETE" in said
    assert "Traceback" not in said
    assert proteins["alpha"][:30] not in said
    assert done["id"] not in said


def test_a_server_that_would_be_open_to_all_is_refused(databases, capsys):
    assert swgui_main(["serve", "-d", databases[0], "--address", "0.0.0.0:8889"]) == 2
    assert "SSH tunnel" in capsys.readouterr().err
    assert swgui_main(["serve", "-d", "nowhere.swdb", "--folder", "nowhere"]) == 1


@pytest.fixture(scope="module")
def searched(databases, proteins, tmp_path_factory):
    folder = tmp_path_factory.mktemp("alphafold")
    place = folder / "uniprot_all.fasta"
    place.write_bytes(Path(databases[0]).read_bytes())
    assert swgui_main(["makedb", str(place), "-o", f"{place}.swdb", "--quiet"]) == 0
    (folder / "query.fasta").write_text(f">query\n{proteins['alpha']}\n")
    return folder


def jackhmmer(folder, *words, database="uniprot_all.fasta"):
    return main([*AS_ALPHAFOLD_3, *map(str, words), str(folder / "query.fasta"), str(folder / database)])


def test_jackhmmer_writes_what_alphafold_3_reads(searched, tmp_path):
    files = tmp_path / "a.sto", tmp_path / "t.txt"
    assert jackhmmer(searched, "-A", files[0], "--tblout", files[1]) == 0
    lines = files[0].read_text().splitlines()
    assert lines[0] == "# STOCKHOLM 1.0"
    assert lines[-1] == "//"
    rows = [line.split() for line in lines if line and not line.startswith(("#", "//"))]
    assert rows[0][0] == "query"
    assert len({len(text) for _, text in rows}) == 1
    named = [name for name, _ in rows[1:]]
    assert all(re.fullmatch(r"\S+?(/\d+-\d+)?", name) for name in named)
    described = {line.split()[1] for line in lines if line.startswith("#=GS")}
    assert set(named) <= described
    table = [line.split() for line in files[1].read_text().splitlines() if not line.startswith("#")]
    assert {name.split("/")[0] for name in named} <= {line[0] for line in table}
    assert all(float(line[4]) <= 1e-4 and float(line[5]) > 0 for line in table)
    assert any("HBA_HUMAN" in line[0] for line in table)  # the query itself


def test_jackhmmer_refuses_what_is_no_protein(searched, tmp_path, capsys):
    (tmp_path / "query.fasta").write_text(">query\nACGTACGTACGTTTGA\n")
    words = [str(tmp_path / "query.fasta"), str(searched / "uniprot_all.fasta")]
    assert main([*AS_ALPHAFOLD_3, "-A", str(tmp_path / "a.sto"), *words]) == 1
    assert "'query' is nucleotide" in capsys.readouterr().err
    assert not (tmp_path / "a.sto").exists()


def test_jackhmmer_takes_the_size_of_the_whole_and_a_limit(searched, tmp_path):
    tables = []
    for words in (
        (),
        ("-Z", "400000", "--domZ", "400000", "--domE", "0.0001", "--incdomE", "0.0001", "--seq_limit", "3"),
    ):
        files = tmp_path / "a.sto", tmp_path / "t.txt"
        name = "uniprot_all.fasta@16" if words else "uniprot_all.fasta"
        assert jackhmmer(searched, "-A", files[0], "--tblout", files[1], *words, database=name) == 0
        tables.append([line.split() for line in files[1].read_text().splitlines()[1:]])
        rows = [line for line in files[0].read_text().splitlines() if line and not line.startswith(("#", "//"))]
        assert len(rows) <= (4 if words else 1000)
    assert len(tables[1]) == 3
    assert float(tables[1][0][4]) == pytest.approx(1000 * float(tables[0][0][4]), rel=1e-3)


def test_jackhmmer_refuses_what_it_does_not_do(searched, capsys):
    for words, said in [
        (("--bogus",), "unrecognized"), (("-N", "3"), "searches once"), (("-E", "0"), "above 0"),
        (("--cpu", "x"), "cpu"),
    ]:  # fmt: skip
        assert jackhmmer(searched, *words) == 1
        assert said in capsys.readouterr().err
    assert jackhmmer(searched, database="other.fasta") == 1
    assert "swgui makedb" in capsys.readouterr().err
    with pytest.raises(SystemExit) as end:
        main(["-h", "--seq_limit", "1"])
    assert (end.value.code, "--seq_limit" in capsys.readouterr().out) == (0, True)


def test_the_archive_of_the_command_is_that_of_the_library(client, proteins):
    chains = {"101": proteins["beta"]}
    assert check_bytes(client.fetch(chains, "nofilter")[UNIREF], chains, [len(proteins["beta"])])


@pytest.fixture(scope="module")
def bases(tmp_path_factory):
    """Write RNA with relatives on both strands as FASTA and as a database; returns the file of the query."""
    folder, rng = tmp_path_factory.mktemp("rna"), random.Random(3)
    gene = "".join(rng.choices("ACGU", k=90))

    def relative(share):
        return "".join(base if rng.random() < share else rng.choice("ACGU") for base in gene)

    turned = str.maketrans("ACGU", "UGCA")
    texts = ["".join(rng.choices("ACGU", k=rng.randint(60, 300))) for _ in range(600)]
    texts += ["".join(rng.choices("ACGU", k=20)) + relative(0.8) for _ in range(4)]
    texts += [relative(0.8)[::-1].translate(turned) + "ACGU" for _ in range(4)]
    fasta = folder / "rna.fasta"
    fasta.write_text("".join(f">s{number} number {number}\n{text}\n" for number, text in enumerate(texts)))
    assert swgui_main(["makedb", str(fasta), "-o", f"{fasta}.swdb"]) == 0
    (folder / "query.a3m").write_text(f">query\n{gene}\n")
    return folder


def nhmmer_of(folder, out, *more, query="query.a3m"):
    """Run the command as AlphaFold 3 does; returns exit status, rows of the alignment, and lines of the table."""
    paths = out / "output.sto", out / "tblout.txt"
    for path in paths:
        path.touch()
    flags = *AS_ALPHAFOLD_3_FOR_RNA, "--tblout", str(paths[1]), "-E", "0.001", *more, "--rna", "-A", str(paths[0])
    status = nhmmer([*flags, "--F3", "1e-05", str(folder / query), str(folder / "rna.fasta")])
    rows = [line.split() for line in paths[0].read_text().splitlines() if line and not line.startswith(("#", "//"))]
    return status, rows, [line.split(maxsplit=15) for line in paths[1].read_text().splitlines()[1:]]


def test_alphafold_3_reads_rna_of_both_strands_best_first(bases, tmp_path):
    status, rows, table = nhmmer_of(bases, tmp_path)
    assert status == 0
    names = [name for name, _ in rows]
    assert {name.partition("/")[0] for name in names} == {f"s{number}" for number in range(600, 608)}
    assert all(re.fullmatch(r"\S+/\d+-\d+", name) for name in names)
    assert {letter for _, row in rows for letter in row.upper()} <= {*"ACGU.-"}
    assert [f"{line[0]}/{line[6]}-{line[7]}" for line in table] == names
    assert [line[11] for line in table] == ["+" if int(line[6]) < int(line[7]) else "-" for line in table]
    assert {line[11] for line in table} == {"+", "-"}
    assert all(len(line) == 16 for line in table)
    keys = [(float(line[12]), f"{line[0]}/{line[6]}-{line[7]}") for line in table]
    assert keys == sorted(keys)
    whole = {}
    for entry in (bases / "rna.fasta").read_text().split(">")[1:]:
        head, _, text = entry.partition("\n")
        whole[head.split()[0]] = text.replace("\n", "")
    for name, row in rows:
        first, last = map(int, name.partition("/")[2].split("-"))
        segment = whole[name.partition("/")[0]][min(first, last) - 1 : max(first, last)]
        own = segment if first < last else segment[::-1].translate(str.maketrans("ACGU", "UGCA"))
        assert re.sub("[.-]", "", row).upper() == own


def test_megabases_scale_e_and_no_hit_is_an_empty_file(bases, tmp_path):
    _, _, table = nhmmer_of(bases, tmp_path)
    _, _, larger = nhmmer_of(bases, tmp_path, "-Z", "110")
    size = sum(
        len(text.split("\n", 1)[1].replace("\n", "")) for text in (bases / "rna.fasta").read_text().split(">")[1:]
    )
    assert float(larger[0][12]) == pytest.approx(float(table[0][12]) * 110e6 / size, rel=1e-2)
    (bases / "none.fa").write_text(">query\n" + "ACGGUUACGAUCGGAUUACG" + "\n")
    status, rows, table = nhmmer_of(bases, tmp_path, "-Z", "100000", query="none.fa")
    assert (status, rows, table) == (0, [], [])
    assert (tmp_path / "output.sto").read_bytes() == b""


def test_bad_input_of_nhmmer_changes_no_file(bases, tmp_path, capsys):
    out = tmp_path / "kept.sto"
    out.write_text("kept")
    (tmp_path / "two.fa").write_text(">a\nACGUACGUACGU\n>b\nACGUACGUACGU\n")
    (tmp_path / "protein.fa").write_text(">p\nMKVLAAGIVGWELLRFPWE\n")
    (tmp_path / "empty.fa").write_text("")
    (tmp_path / "unknown.fa").write_text(">n\n" + "N" * 31 + "ACGU" * 7 + "\n")
    (tmp_path / "long.fa").write_text(">l\n" + "ACGUU" * 6_001 + "\n")
    given = str(bases / "query.a3m"), str(bases / "rna.fasta")
    for words in (
        ("--incE", "-1", *given),
        [*given, "--unknown"],
        ["-E", "0", *given],
        ["--seq_limit", "0", *given],
        *([str(tmp_path / name), given[1]] for name in ("two.fa", "protein.fa", "empty.fa", "unknown.fa", "long.fa")),
        [given[0], str(tmp_path / "missing.fasta")],
    ):
        assert nhmmer(["-A", str(out), *words]) == 1
        assert len(capsys.readouterr().err.splitlines()) == 1
    assert out.read_text() == "kept"


def test_nhmmer_says_how_many_it_found_and_that_a_query_is_short(bases, tmp_path, capsys):
    _, whole, _ = nhmmer_of(bases, tmp_path)
    assert capsys.readouterr().err == ""
    _, rows, _ = nhmmer_of(bases, tmp_path, "--seq_limit", "2")
    assert len(rows) <= 2 < len(whole)
    assert "the best 2 rows are written" in capsys.readouterr().err
    (tmp_path / "short.fa").write_text(">s\nACGUACGUGGAUCUUCC\n")
    assert nhmmer([str(tmp_path / "short.fa"), str(bases / "rna.fasta")]) == 0
    assert "'s' has 17 bases" in capsys.readouterr().err
