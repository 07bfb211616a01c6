"""SIGTERM at any moment of any kind of run: little is computed after it, and what was listed is written."""

import os
import re
import signal
from itertools import product

import numpy as np
import pytest

from swgui.cli import main, rule
from swgui.core import control
from swgui.core.translation.genetic_codes import genetic_code
from swgui.engines.native import library
from swgui.engines.native.subjects import LANES_CELLS, dealt_out
from swgui.jobs.search import describe
from tests.asking import answer
from tests.io.saved.saved_searches import protein_request
from tests.stopping import Calls

pytestmark = pytest.mark.skipif(os.name == "nt" or bool(library.problem()), reason="signals of POSIX, compiled code")
STANDARD = genetic_code(1)
RESIDUES = "ACDEFGHIKLMNPQRSTVWY"
LETTERS = str.maketrans(RESIDUES, RESIDUES[::-1])
FAMILIES, MEMBERS = 10, 6
AFTER = 100  # calls of compiled functions; without Stop up to three thousand follow
MODES = {
    "plain": ("search", "-q", "proteins.fa", "-d", "proteins.fa"),
    "two strands": ("search", "-q", "genes.fa", "-d", "genome.fa"),
    "blastx": ("search", "-q", "genes.fa", "-d", "proteins.fa"),
    "tblastn": ("search", "-q", "some.fa", "-d", "genome.fa"),
    "tblastn with frameshifts": ("search", "-q", "some.fa", "-d", "part.fa", "--frameshift", "15"),
    "blastx with frameshifts": ("search", "-q", "genes.fa", "-d", "proteins.fa", "--frameshift", "15"),
    "least identity": ("search", "-q", "proteins.fa", "-d", "proteins.fa", "--min-identity", "30"),
    "two tracks": ("search", "-q", "some.fa", "--query-letters", "letters.fa", "-d", "tracks.swdb"),
    "rounds": ("search", "-q", "proteins.fa", "-d", "proteins.fa", "--iterations", "3"),
    "deeper": ("deeper", "-q", "protein.fa", "-d", "proteins.fa", "--iterations", "3", "--neighbours"),
    "msa": ("msa", "-q", "protein.fa", "-d", "proteins.fa"),
    "pair": ("pair", "part.fa", "other.fa", "--device", "cpu"),
    "peptides": ("rule", "peptides", "-q", "peptides.fa", "-d", "proteins.fa", "--mismatches", "4"),
    "edits": ("rule", "edits", "-q", "peptides.fa", "-d", "proteins.fa", "--edits", "3"),
    "identity": ("rule", "identity", "-q", "some.fa", "-d", "proteins.fa", "--identity", "0.4"),
    "window": ("rule", "window", "-q", "protein.fa", "-d", "proteins.fa"),
    "words": ("rule", "words", "-q", "proteins.fa", "-d", "proteins.fa", "--length", "4"),
    "guides": ("rule", "guides", "-q", "guides.fa", "-d", "genome.fa", "--mismatches", "5"),
    "primers": ("rule", "primers", "-q", "guides.fa", "-d", "genome.fa", "--mismatches", "5"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with families of proteins, their genes, and genomes of these."""
    folder, rng = tmp_path_factory.mktemp("stop"), np.random.default_rng(7)
    codons = {
        residue: codon for codon in map("".join, product("TCAG", repeat=3)) for residue in STANDARD.residue(codon)
    }

    def random(letters, length):
        return "".join(rng.choice(list(letters), length))

    def changed(text, letters, share):
        others = random(letters, len(text))
        return "".join(b if away else a for a, b, away in zip(text, others, rng.random(len(text)) < share, strict=True))

    founders = [random(RESIDUES, 200) for _ in range(FAMILIES)]
    proteins = [changed(one, RESIDUES, 0.4) for one in founders for _ in range(MEMBERS)]
    genes = ["".join(codons[residue] for residue in one) for one in proteins]
    genome = "".join(random("ACGT", 300) + gene for gene in genes)
    given = {"proteins": proteins, "protein": proteins[:1], "genes": genes[::3], "genome": [genome]}
    given |= {"some": proteins[::3], "part": [genome[:12_000]], "other": [changed(genome[:12_000], "ACGT", 0.1)]}
    given["tracks"] = [changed(one.translate(LETTERS), RESIDUES, 0.1) for one in proteins]
    given["letters"] = given["tracks"][::3]
    given |= {"peptides": [one[:12] for one in proteins], "guides": [one[:20] for one in genes]}
    for name, texts in given.items():
        (folder / f"{name}.fa").write_text("".join(f">{at}\n{text}\n" for at, text in enumerate(texts)))
    words = "makedb", "proteins.fa", "--letters", "tracks.fa", "-o", "tracks.swdb"
    assert main([*words[:1], *(str(folder / word) if "." in word else word for word in words[1:])]) == 0
    return folder


@pytest.mark.parametrize("moments", [2, pytest.param(8, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.sampled(9)
def test_little_is_computed_after_stop(mode, moments, folder, monkeypatch, capsys, trusted_engines):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(describe, "BEST_ALONE_SECONDS", 0.0)
    monkeypatch.setattr(rule, "LISTED_SECONDS", 0.0)
    calls, out = Calls(monkeypatch), folder / ("out.a3m" if mode == "msa" else "out.tsv")
    arguments = [*MODES[mode], "-o", str(out)]
    assert calls.of(arguments) == 0, capsys.readouterr().err
    total, head = calls.number, out.read_text().partition("\n")[0]
    for moment in range(1, moments + 1):
        out.unlink(missing_ok=True)
        assert calls.of(arguments, max(1, total * moment // (moments + 1))) == 128 + signal.SIGTERM, (
            capsys.readouterr().err
        )
        assert calls.after <= AFTER
        assert "stopped" in capsys.readouterr().err.lower()
        if mode == "msa":
            assert out.read_text().startswith(head.split()[0])
        elif mode != "pair":  # FASTA's figures, the last column, are measured once all is found
            begun = out.read_text().partition("\n")[0]
            assert begun in (head, head.removesuffix("\tfasta_identity"))
        assert mode not in ("deeper", "msa") or "partial: " in out.read_text()


def hits_of(file):
    """Return the hits of a table, each with its query once."""
    return {tuple(line.split("\t")[1:3]) for line in file.read_text().splitlines()[1:]}


@pytest.mark.parametrize("mode", ["plain", "tblastn with frameshifts"])
def test_hits_that_were_not_listed_in_time_are_left_out(mode, folder, monkeypatch, capsys, trusted_engines):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(describe, "BEST_ALONE_SECONDS", 0.0)
    monkeypatch.setattr(describe, "LISTED_SECONDS", 0.0)
    calls, out = Calls(monkeypatch), folder / "out.tsv"
    arguments = [*MODES[mode], "-o", str(out)]
    assert calls.of(arguments) == 0
    every, total, cut = hits_of(out), calls.number, 0
    for moment in (90, 70):
        assert calls.of(arguments, total * moment // 100) == 128 + signal.SIGTERM
        listed, said = hits_of(out), capsys.readouterr().err
        assert listed <= every or "not corrected" in said
        if left := re.search(r"([\d,]+) hits? of ([\d,]+) quer(?:y|ies) (?:is|are) left out", said):
            cut += 1
            missing = every - listed
            if "not corrected" not in said and "of the work" not in said:
                assert int(left[1]) == len(missing)
                assert int(left[2]) == len({query for query, _ in missing})
    assert cut


class Clock:
    """A clock that is a hundredth of a second later at every look."""

    def __init__(self):
        self.now = 100.0

    def monotonic(self):
        self.now += 0.01
        return self.now


def test_work_between_stop_and_the_lists_leaves_them_less_time(monkeypatch):
    monkeypatch.setattr(control, "time", Clock())
    result = answer(protein_request())
    parts = [(result.hit_list(0), range(len(result.queries[0].hits)))] * 60
    listed = []
    for before in (0.0, 60.0):
        cancel = control.StopEvent()
        cancel.set()
        cancel.set_at -= before
        listed.append(sum(map(len, describe.describe(parts, cancel=cancel).tables)))
    assert 0 < listed[1] < listed[0] <= len(parts) * len(parts[0][1])


def test_no_piece_of_work_is_longer_than_a_stop_may_wait():
    order = np.arange(1000)
    for threads in (0, 1, 2, -1, -2):
        pieces = dealt_out(order, 20 * LANES_CELLS, threads)
        assert len(pieces) >= 20
        assert sorted(np.concatenate(pieces).tolist()) == order.tolist()
