"""Superpositions against known values, and against Biopython's."""

from __future__ import annotations

import numpy as np
import pytest
from Bio.SVDSuperimposer import SVDSuperimposer

from swgui.core.alignment import Alignment
from swgui.core.structures import superposition
from swgui.core.structures.compact import Places, pack, unpack
from swgui.core.structures.superposition import d0, kabsch, lddt, rmsd, superpose, superposed, tm_score


@pytest.fixture
def generator() -> np.random.Generator:
    return np.random.default_rng(11)


def chain(generator: np.random.Generator, residues: int) -> np.ndarray:
    """Return a chain that bends at random, 3.8 Å from residue to residue."""
    steps = generator.normal(size=(residues, 3)) + np.array([0.5, 0.2, 0])
    return np.cumsum(3.8 * steps / np.linalg.norm(steps, axis=1, keepdims=True), axis=0)


def rotated(points: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    rotation, _ = np.linalg.qr(generator.normal(size=(3, 3)))
    rotation[:, 0] *= np.sign(np.linalg.det(rotation))
    return points @ rotation + generator.normal(size=3) * 30


def test_a_copy_that_was_moved_fits(generator: np.random.Generator):
    points = chain(generator, 80)
    found = superpose(points, rotated(points, generator), Alignment.from_cigar(0, 0, "80M", 0))
    assert found is not None
    assert found.pairs == 80
    assert found.rmsd == pytest.approx(0, abs=1e-9)
    assert (found.tm_query, found.tm_subject, found.lddt) == pytest.approx((1, 1, 1))


def test_a_mirror_image_does_not_fit(generator: np.random.Generator):
    points = chain(generator, 80)
    found = superpose(points, points * [1, 1, -1], Alignment.from_cigar(0, 0, "80M", 0))
    assert found is not None
    assert found.rmsd > 1
    assert np.linalg.det(found.motion.rotation) == pytest.approx(1)
    assert found.lddt == pytest.approx(1)  # distances are those of the original


def test_rmsd_and_rotation_are_those_of_biopython(generator: np.random.Generator):
    for _ in range(5):
        fixed = chain(generator, 60)
        moving = rotated(fixed + generator.normal(size=fixed.shape) * 2, generator)
        other = SVDSuperimposer()
        other.set(fixed, moving)
        other.run()
        motion = kabsch(moving, fixed)
        assert rmsd(motion.moved(moving), fixed) == pytest.approx(other.get_rms())
        np.testing.assert_allclose(motion.rotation, other.get_rotran()[0], atol=1e-8)


def test_tm_score_is_the_published_formula(generator: np.random.Generator):
    assert d0(150) == pytest.approx(1.24 * 135 ** (1 / 3) - 1.8)
    assert d0(10) == 0.5
    points = chain(generator, 100)
    assert tm_score(points[:50], points[:50], 100) == pytest.approx(0.5)
    # Half of the chain fits, the other half is far away: the best superposition is that of the half.
    moved = rotated(points, generator)
    moved[50:] += 1000
    kept = tm_score(moved, points, 100)
    assert kept == pytest.approx(0.5, abs=0.01)
    motion = kabsch(moved, points)
    plain = (1 / (1 + ((motion.moved(moved) - points) ** 2).sum(axis=1) / d0(100) ** 2)).sum() / 100
    assert plain < 0.1 < kept


def test_lddt_counts_kept_distances():
    line = np.array([[0.0, 0, 0], [3, 0, 0], [6, 0, 0], [40, 0, 0]])  # the last one is near none
    other = line.copy()
    other[2, 0] = 7.5
    # Distances 3, 6 and 3 became 3, 7.5 and 4.5: kept to 4, 2 and 2 of the four limits.
    each = [(4 + 2) / 8, (4 + 2) / 8, (2 + 2) / 8]
    assert lddt(line, other) == pytest.approx(sum(each) / 3)
    assert lddt(line, line) == 1
    assert lddt(line[:1], line[:1]) == 0


def test_gaps_and_missing_atoms_are_left_out(generator: np.random.Generator):
    query = chain(generator, 40)
    subject = np.concatenate([query[5:20], chain(generator, 3), query[20:38]])
    subject[4] = np.nan
    found = superpose(query, rotated(subject, generator), Alignment.from_cigar(5, 0, "15M3D18M", 0))
    assert found is not None
    assert found.pairs == 32
    assert found.rmsd == pytest.approx(0, abs=1e-9)
    assert found.tm_query == pytest.approx(32 / 40)
    assert found.tm_subject == pytest.approx(32 / 36)
    assert superpose(query, subject, Alignment.from_cigar(0, 0, "2M", 0)) is None


def test_packed_coordinates_are_superposed(generator: np.random.Generator):
    points = chain(generator, 50).astype(np.float32)
    packed, other = pack(Places(points)), pack(Places(rotated(points, generator).astype(np.float32)))
    found = superposed(packed, 50, other, 50, (0, 0, "50M"))
    assert found is not None
    assert found.rmsd < 0.01
    assert superposed(packed, 50, b"", 50, (0, 0, "50M")) is None


def test_lddt_of_long_chains_is_taken_in_parts(generator, monkeypatch):
    one = chain(generator, 60)
    other = one + generator.normal(size=one.shape)
    whole = lddt(one, other)
    monkeypatch.setattr(superposition, "_LDDT_ROWS", 7)
    assert lddt(one, other) == pytest.approx(whole, rel=1e-12)
    assert 0 < whole < 1


@pytest.mark.parametrize("missing", [0, 3, 10])
def test_packed_places_come_back_and_what_is_missing_stays_missing(generator: np.random.Generator, missing: int):
    ca = chain(generator, 10).astype(np.float32)
    ca[:missing] = np.nan
    packed = pack(Places(ca, np.linspace(0, 100, 10, dtype=np.float32)))
    assert np.isfinite(np.frombuffer(packed, "<f4", 4)).all()
    assert np.frombuffer(packed, "<f4", 4)[3] == pytest.approx(0.01)
    back = unpack(packed, 10)
    np.testing.assert_allclose(back.ca, ca, atol=0.006)
    np.testing.assert_allclose(back.plddt, np.linspace(0, 100, 10), atol=0.26)
    assert unpack(packed, 9) is None
    assert unpack(b"", 0) is None
