"""Columns of contexts: the compiled code against plain NumPy, libraries in both forms, and damaged ones."""

from __future__ import annotations

import gzip

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError, SwguiError
from swgui.core.profiles.context import RESIDUES, WINDOW, ContextLibrary, context_profile, residue_counts
from swgui.core.profiles.log_odds import profile_scheme
from swgui.core.profiles.recipe import Recipe
from swgui.engines.native import context, library
from swgui.engines.native.context import TILE, ColumnMaker
from swgui.io.matrices import load_matrix
from swgui.io.profiles.contexts import read_contexts

STATES = TILE + 37


def made(rng: np.random.Generator, states: int = STATES) -> ContextLibrary:
    """Return a library of random weights."""
    columns = rng.dirichlet(np.full(len(RESIDUES), 0.3), states)
    weights = rng.normal(-2.5, 1.5, (states, WINDOW, len(RESIDUES)))
    return ContextLibrary(weights, rng.normal(-8, 2, states), columns, "made")


def reference(contexts: ContextLibrary, counts: np.ndarray) -> np.ndarray:
    """Return the columns of one sequence by their definition; parameters as of `ColumnMaker.of_counts`."""
    half, columns = WINDOW // 2, []
    for i in range(len(counts)):
        exponents = contexts.bias.astype(np.float64)
        for j in range(WINDOW):
            if 0 <= i + j - half < len(counts):
                exponents = exponents + contexts.weights[:, j].astype(np.float64) @ counts[i + j - half]
        weights = np.exp(exponents - exponents.max())
        columns.append(weights @ contexts.columns / weights.sum())
    return np.array(columns)


def as_text(contexts: ContextLibrary) -> str:
    """Return a library in the text form."""
    heading = "\t".join(RESIDUES)
    lines = ["CRF", f"SIZE\t{len(contexts)}", f"LENG\t{WINDOW}"]
    for weights, bias, column in zip(contexts.weights, contexts.bias, contexts.columns, strict=True):
        lines += ["CrfState", f"BIAS\t{bias}", f"LENG\t{WINDOW}", "ALPH\t20", f"WEIGHTS\t{heading}"]
        rows = np.rint(1000 * weights.astype(np.float64)).astype(int)
        lines += ["\t".join(map(str, (place, *row))) for place, row in enumerate(rows.tolist(), 1)]
        with np.errstate(divide="ignore"):
            logarithms = np.rint(1000 * np.log(column.astype(np.float64)))
        lines += ["PC\t" + "\t".join("*" if value == -np.inf else str(int(value)) for value in logarithms), "//"]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def contexts() -> ContextLibrary:
    return made(np.random.default_rng(5))


def test_columns_of_residues_are_those_of_the_definition(rng, contexts):
    lengths = 1, 5, 40, 0, 2 * context.SHORTEST + 3
    sequences = [rng.integers(0, len(RESIDUES), length).astype(np.uint8) for length in lengths]
    sequences[2][[0, 7, 8, 39]] = PROTEIN.code("X")
    maker = ColumnMaker(contexts)
    found = maker.of_residues(sequences, threads=2)
    assert [len(columns) for columns in found] == list(lengths)
    for codes, columns in zip(sequences, found, strict=True):
        if len(codes):
            assert np.allclose(columns, reference(contexts, residue_counts(codes)), rtol=2e-4, atol=2e-5)
    alone = [maker.of_residues([codes], threads=1)[0] for codes in sequences]
    assert all((one == of_all).all() for one, of_all in zip(alone, found, strict=True))


def test_columns_of_counts_are_those_of_the_definition(rng, contexts):
    counts = np.where(rng.random((30, len(RESIDUES))) < 0.3, 4 * rng.random((30, len(RESIDUES))), 0).astype(np.float32)
    counts[4] = 0
    found = ColumnMaker(contexts).of_counts([counts])[0]
    assert np.allclose(found, reference(contexts, counts), rtol=5e-4, atol=5e-5)


def test_every_instruction_set_gives_the_same_bits(rng, contexts, monkeypatch):
    codes = rng.integers(0, len(RESIDUES), 70).astype(np.uint8)
    loaded, levels, _ = library.probe()
    found = []
    for count in range(1, len(levels) + 1):
        monkeypatch.setattr(library, "probe", lambda count=count: (loaded, levels[:count], ""))
        library.function.cache_clear()
        found.append(ColumnMaker(contexts).of_residues([codes])[0].tobytes())
    library.function.cache_clear()
    assert len(found) == len(levels)
    assert set(found) == {found[0]}


def test_unknown_residues_score_as_the_matrix_has_them(contexts):
    codes = PROTEIN.encode(b"WXGAU")
    scheme = profile_scheme(load_matrix("BLOSUM62", PROTEIN), Recipe())
    columns = ColumnMaker(contexts).of_residues([codes])[0]
    profile = context_profile(codes, columns, contexts, scheme)
    assert (profile.scores[[1, 4]] == scheme.matrix.scores[codes[[1, 4]]]).all()
    assert profile.scores[0, : len(RESIDUES)].max() > 0
    assert profile.gaps.are(scheme.gap_first, scheme.gap_extend)


@pytest.mark.parametrize("packed", [False, True])
def test_the_text_form_is_read(tmp_path, rng, packed):
    contexts = made(rng, 7)
    path = tmp_path / "small.crf"
    text = as_text(contexts).encode()
    path.write_bytes(gzip.compress(text) if packed else text)
    read = read_contexts(path)
    assert read.name == "small.crf"
    assert np.allclose(read.weights, contexts.weights, atol=6e-4)
    assert np.allclose(read.bias, contexts.bias, atol=1e-5)
    assert np.allclose(read.columns, contexts.columns, atol=1e-3)


def test_the_form_of_the_program_is_read(tmp_path, rng):
    contexts = made(rng, 3)
    path = tmp_path / "own.npz"
    halves = {name: getattr(contexts, name).astype(np.float16) for name in ("weights", "columns")}
    np.savez_compressed(path, bias=contexts.bias, **halves)
    read = read_contexts(path, "own")
    assert np.allclose(read.weights, contexts.weights, rtol=1e-3)
    assert np.allclose(read.columns.sum(axis=1), 1, atol=1e-6)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ProfileError, match="'own' is damaged"):
        read_contexts(path, "own")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("CRF\n", "HMM\n", "is no context library"),
        ("LENG\t13", "LENG\t9", "has windows of 9 residues; 13 are needed"),
        ("ALPH\t20", "ALPH\t4", "has an alphabet of 4 residues; 20 are needed"),
        ("WEIGHTS\tA\tR", "WEIGHTS\tR\tA", "line 8: its residues are not ARND"),
        ("\n13\t", "\nrest\t", "12 rows of weights, not 13"),
        ("BIAS\t", "BIAS\tnothing ", "line 5: a number is not readable"),
        ("SIZE\t2", "SIZE\t3", "3 states are announced, and 2 are there"),
        ("PC\t", "PQ\t", "no bias or no probabilities"),
    ],
)
def test_damaged_libraries_are_refused_in_a_sentence(tmp_path, rng, old, new, message):
    text = as_text(made(rng, 2))
    assert old in text
    path = tmp_path / "damaged.crf"
    path.write_text(text.replace(old, new, 1))
    with pytest.raises(ProfileError, match=message):
        read_contexts(path)


def test_a_library_that_ends_within_a_state_is_refused(tmp_path, rng):
    path = tmp_path / "short.crf"
    path.write_text(as_text(made(rng, 2)).rpartition("PC")[0])
    with pytest.raises(ProfileError, match="the last state has no end"):
        read_contexts(path)
    with pytest.raises(SwguiError, match="There is no file"):
        read_contexts(tmp_path / "missing.crf")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"weights": np.zeros((2, 9, 20))}, "windows of 9 residues, not 13"),
        ({"weights": np.zeros((2, 13, 4))}, "alphabet of 4 residues"),
        ({"weights": np.zeros((3, 13, 20))}, "3 states with weights, 2 with probabilities and 2 with a bias"),
        ({"bias": np.array([np.nan, 0])}, "is not finite"),
        ({"bias": np.array([1e6, 0])}, "beyond ±10,000"),
        ({"bias": np.zeros(0)}, "has no states"),
        ({"columns": np.full((2, 20), 0.2)}, "do not add up to 1"),
        ({"background": np.zeros(20)}, "or one of 0"),
        ({"scale": 0.0}, "multiplies scores by 0"),
    ],
)
def test_numbers_that_make_no_library_are_refused(changed, message):
    usual = {"weights": np.zeros((2, 13, 20)), "bias": np.zeros(2), "columns": np.full((2, 20), 0.05)}
    with pytest.raises(ProfileError, match=message):
        ContextLibrary(**(usual | changed), name="bad")
