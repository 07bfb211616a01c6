"""``swgui.deeper``: the columns of further evidence, saved and stopped."""

import math

import pytest

import swgui
from tests.jobs.iterate.two_domains import with_two_domains

HOW = {"engine": "cpu", "iterations": 3, "best": 20}


@pytest.fixture(scope="module")
def records():
    return with_two_domains()


@pytest.fixture(scope="module")
def query(records):
    return next(f">{one.id}\n{one.residues.decode()}\n" for one in records if one.id == "kin0")


@pytest.fixture(scope="module")
def database(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("deeper") / "family.fasta"
    path.write_text("".join(f">{one.id}\n{one.residues.decode()}\n" for one in records))
    return path


@pytest.fixture(scope="module")
def hits(query, database):
    return swgui.deeper(query, database, profiles=True, neighbours=True, **HOW)


def by_id(hits):
    return {hit.id: hit for hit in hits}


def test_evidence_stands_beside_an_evalue_that_is_that_of_the_rounds(hits, query, database):
    found, plain = by_id(hits), by_id(swgui.iterate(query, database, engine="cpu", iterations=3, max_hsps=1))
    assert {name: one["evalue"] for name, one in found.items() if name in plain} == {
        name: one["evalue"] for name, one in plain.items()
    }
    assert found["kin1"]["profile_evalue"] < 1e-6
    assert math.isnan(float(found["kin1"]["forward_evalue"] or "nan"))
    assert not found["kin1"]["path"]
    assert found.keys() - plain.keys() <= {"beyond"}


def test_what_hits_alone_find_has_a_path_and_the_evalue_of_the_query(hits):
    beyond = by_id(hits)["beyond"]
    assert beyond["path"] == "both > beyond (another domain)"
    assert beyond["evalue"] > 0.01
    first, second = map(float, beyond["path_evalues"].split(";"))
    assert max(first, second) < 1e-3
    assert any("another domain" in remark for remark in hits.remarks)


def test_saved_hits_have_their_evidence(hits, tmp_path):
    hits.save(tmp_path / "deeper.swgui")
    again = by_id(swgui.load(tmp_path / "deeper.swgui"))
    for name, hit in by_id(hits).items():
        for key in ("profile_bits", "profile_evalue", "path", "path_evalues"):
            assert again[name][key] == hit[key] or (hit[key] != hit[key] and again[name][key] != again[name][key])


def test_it_must_be_told_what_to_look_at(query, database):
    with pytest.raises(swgui.InvalidParameter, match="needs to know which evidence to look for"):
        swgui.deeper(query, database)
    with pytest.raises(swgui.InvalidParameter, match="from 1 to 1,000"):
        swgui.deeper(query, database, profiles=True, best=0)
