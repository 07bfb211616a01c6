"""The script that makes the library of contexts: its derivatives, and what it learns from planted relatives."""

from __future__ import annotations

import importlib.util
import sys

import numpy as np
import pytest

STATES = 5


@pytest.fixture(scope="module")
def script(repository):
    """Give the script as a module."""
    spec = importlib.util.spec_from_file_location("make_contexts", repository / "packaging" / "contexts.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


def alignments(script, number=12, columns=60, seed=3):
    """Return alignments whose rows exchange residues within two groups: 0 to 9, and 10 to 19."""
    rng = np.random.default_rng(seed)
    made = []
    for _ in range(number):
        group = np.repeat(rng.integers(0, 2, columns // 5) * 10, 5)
        rows = (group + rng.integers(0, 10, (8, columns))).astype(np.uint8)
        rows[3, 10:14] = script.GAP
        rows[4, 20] = script.UNKNOWN
        made.append(rows)
    return script.Alignments(tuple(made))


@pytest.fixture
def library(script):
    """Give a library of random parameters in double precision."""
    rng = np.random.default_rng(0)
    shapes = (script.WINDOW * script.RESIDUES, STATES), (STATES,), (STATES, script.RESIDUES)
    return script.Library(*(rng.normal(0, 0.3, shape) for shape in shapes))


def losses(script):
    """Return both losses as functions of a library."""
    rng = np.random.default_rng(1)
    rows = alignments(script).rows
    windows, counts = (each[:40] for each in script.windows_of(rows, rng))
    fragments = [each[::40][:9] for each in script.fragments_of(rows, rng, most=60)]
    background = np.full(script.RESIDUES, 1 / script.RESIDUES)
    return {
        "likelihood": (lambda made: script.likelihood(made, windows, counts.astype(float), np), np.log(2)),
        "contrast": (lambda made: script.contrast(made, *fragments, background, np), 1.0),
    }


@pytest.mark.parametrize("name", ["likelihood", "contrast"])
def test_derivatives_are_those_of_differences(script, library, name, monkeypatch):
    monkeypatch.setattr(script, "one_hot", lambda codes, xp: (codes[..., None] == np.arange(20)).astype(float))
    loss, unit = losses(script)[name]
    _, slopes = loss(library)
    rng = np.random.default_rng(2)
    for part, slope in zip((library.weights, library.bias, library.columns), slopes, strict=True):
        assert slope.shape == part.shape
        for place in rng.choice(part.size, min(part.size, 12), replace=False).tolist():
            before = part.flat[place]
            part.flat[place] = before + 1e-5
            above = loss(library)[0]
            part.flat[place] = before - 1e-5
            below = loss(library)[0]
            part.flat[place] = before
            assert unit * (above - below) / 2e-5 == pytest.approx(slope.flat[place], rel=1e-4, abs=1e-8)


def test_fitting_makes_both_losses_less(script):
    steps = 30
    for loss, _ in losses(script).values():
        rng = np.random.default_rng(5)
        library = script.first_library(*script.windows_of(alignments(script).rows, rng), STATES, rng, np)
        first = loss(library)[0]
        for _ in range(steps):
            for part, slope in zip((library.weights, library.bias, library.columns), loss(library)[1], strict=True):
                part -= np.float32(0.5) * slope.astype(np.float32)
        assert loss(library)[0] < first


def test_windows_count_the_residues_of_remote_rows_alone(script):
    rows = np.zeros((3, 40), dtype=np.uint8)
    rows[1] = 5
    rows[2, :30] = 0  # identical to the first in three quarters of its columns
    rows[2, 30:] = 7
    windows, counts = script.windows_of([rows], np.random.default_rng(0))
    assert set(np.flatnonzero(counts[windows[:, 6] == 0].sum(axis=0)).tolist()) == {5}
    assert set(np.flatnonzero(counts[windows[:, 6] == 5].sum(axis=0)).tolist()) == {0, 7}


def test_files_are_read_again(script, tmp_path):
    made = alignments(script, number=3)
    made.save(tmp_path / "rows.npz")
    for one, other in zip(made.rows, script.Alignments.load(tmp_path / "rows.npz").rows, strict=True):
        np.testing.assert_array_equal(one, other)


def test_all_steps_make_a_library_that_the_program_reads(script, tmp_path, capsys):
    alignments(script, number=40).save(tmp_path / "rows.npz")
    rows, first, last = (str(tmp_path / name) for name in ("rows.npz", "first.npz", "library.npz"))
    script.main(["learn", rows, first, "--states", str(STATES), "--steps", "2"])
    script.main(["contrast", rows, first, last, "--steps", "2"])
    from swgui.io.profiles.contexts import read_contexts

    library = read_contexts(last)
    assert (len(library), library.scale) == (STATES, 1.0)
    assert "step 0" in capsys.readouterr().out
