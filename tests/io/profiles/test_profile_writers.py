"""Profiles as files of other programs: read back here, and taken by those programs."""

import shutil
import subprocess

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.profiles.plan7 import implied_frequencies, implied_model
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.engines.native.profiles import ProfileMaker
from swgui.io.profiles.alignments import read_fasta, write_stockholm
from swgui.io.profiles.ascii_pssm import write_ascii_pssm
from swgui.io.profiles.base import ProfileText
from swgui.io.profiles.formats import FORMATS, read_start
from swgui.io.profiles.hmmer import write_hmm
from swgui.paths import resources_dir
from tests.io.profiles.test_alignments import family

PROTEINS = resources_dir() / "examples" / "sample_proteins.fasta"


@pytest.fixture(scope="module")
def globins(scheme):
    """Return a query with the profile of some haemoglobins, which align without gaps."""
    records = PROTEINS.read_text().split(">")[1:6]
    text = "".join(f">{record}" for record in records)
    alignment = read_fasta(ProfileText(text, "globins", scheme))
    built = ProfileMaker(scheme.matrix, Recipe()).build(alignment, "globins")
    residues = PROTEIN.decode(alignment.query.codes)
    return SequenceRecord(alignment.query.id, alignment.query.description, residues, profile=built.profile)


def run(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("kind", [one for one in FORMATS if one.write], ids=lambda one: one.name)
def test_what_is_written_is_read_back(tmp_path, scheme, globins, kind):
    path = tmp_path / "made"
    path.write_text(kind.write(globins))
    start = read_start(path, scheme)
    (record,) = start.records
    assert start.format is kind
    assert record.residues == globins.residues
    before, after = (implied_frequencies(one.profile) for one in (globins, record))
    assert np.abs(np.log2(after / before)).max() < 0.5  # half bits are rounded; models have another background
    if kind.name != "ASCII PSSM":
        assert (record.id, record.description) == (globins.id, globins.description)


def test_a_model_opens_gaps_where_the_profile_does(scheme):
    built = ProfileMaker(scheme.matrix, Recipe()).build(family())
    model = np.exp(implied_model(built.profile).transitions)
    assert np.allclose(model[:, :3].sum(axis=1), 1)
    assert np.allclose(model[:, 3:5].sum(axis=1), 1)
    assert np.allclose(model[:, 5:].sum(axis=1), 1)
    assert model[41, 1] > 3 * np.median(model[:, 1])  # rows have insertions behind the 41st column
    assert model[20:25, 2].max() > 3 * np.median(model[:, 2])


@pytest.mark.skipif(not shutil.which("hmmsearch"), reason="hmmsearch is not installed")
def test_hmmsearch_reads_a_model_and_finds_the_family(tmp_path, globins):
    path, table = tmp_path / "g.hmm", tmp_path / "table"
    path.write_text(write_hmm(globins))
    made = run("hmmsearch", "--tblout", table, path, PROTEINS)
    assert made.returncode == 0, made.stderr
    rows = [row.split() for row in table.read_text().splitlines() if not row.startswith("#")]
    evalues = {row[0]: float(row[4]) for row in rows}
    assert {"sp|P69905|HBA_HUMAN", "sp|P68871|HBB_HUMAN", "sp|P02144|MYG_HUMAN"} <= {
        n for n, e in evalues.items() if e < 1e-9
    }


@pytest.mark.skipif(not shutil.which("hmmbuild"), reason="hmmbuild is not installed")
def test_models_are_calibrated_as_hmmbuild_does(tmp_path, scheme):
    """The same model, calibrated by hmmbuild and here after it was read and written."""
    alignment, theirs, ours = (tmp_path / name for name in ("f.sto", "theirs.hmm", "ours.hmm"))
    alignment.write_text(write_stockholm(family()))
    assert run("hmmbuild", "--amino", "--hand", theirs, alignment).returncode == 0
    (record,) = read_start(theirs, scheme).records
    ours.write_text(write_hmm(record))
    places = [
        [[float(word) for word in row.split()[3:]] for row in path.read_text().splitlines() if row.startswith("STATS")]
        for path in (theirs, ours)
    ]
    assert np.array(places).shape == (2, 3, 2)
    assert np.abs(np.array(places[0]) - np.array(places[1])).max() < 1.0  # bits; it depends on random sequences
    assert places[0][0][1] == pytest.approx(places[1][0][1], abs=0.01)


def test_a_table_has_frequencies_and_information(globins):
    rows = [row.split() for row in write_ascii_pssm(globins).splitlines() if row[:5].strip().isdecimal()]
    assert len(rows) == 142
    assert all(80 <= sum(map(int, row[22:42])) <= 100 for row in rows)  # rounded down
    assert all(float(row[42]) > 0 for row in rows)
