import numpy as np
import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import InvalidParameter
from swgui.core.sweep.axes import PRESETS, make_axis, presets_of, quick_axes, settings_of
from swgui.core.sweep.data import synthetic_database, synthetic_query
from swgui.core.sweep.grid import Axis, Cell, SweepKey, SweepResult, query_class
from swgui.core.sweep.report import describe, sentence
from swgui.engines.facts import CPU, GPU, REFERENCE

KEY = SweepKey("cuda", "GPU-1", "580", "abc", 25, "256-383")
AXES = (Axis("threads", "Threads per block", "threads", ("64", "128")),)


def result(*cells, **changes):
    values = {"default": None, "default_again": None, "query_length": 350, "residues": 1, "subjects": 1} | changes
    return SweepResult(AXES, {c.place: c for c in cells}, key=KEY, device="GPU", database="made up", **values)


def measured(place, *gcups, **changes):
    return Cell((place,), "measured", gcups, gcups, compared=10, **changes)


def test_classes_of_queries_are_half_an_octave_wide_and_leave_no_gap():
    ends = [query_class(length) for length in range(1, 5000)]
    for length, name in enumerate(ends, start=1):
        low, high = map(int, name.split("-"))
        assert low <= length <= high
        assert high < 1.5 * low or high == 31 or (high + 1) * 2 == low * 3
    assert query_class(350) == "256-383"
    assert query_class(384) == "384-511"


def test_median_and_quartiles():
    cell = measured("64", 1.0, 5.0, 2.0, 4.0, 3.0)
    assert cell.median == 3
    assert cell.quartiles == (2, 4)
    assert measured("64", 7.0).quartiles == (7, 7)
    assert Cell(("64",)).median == 0


def test_a_small_gain_is_not_worth_a_change():
    auto = measured("auto", 100.0)
    assert "nothing to gain" in sentence(result(measured("64", 102.0), default=auto))
    assert "10 % faster than automatic" in sentence(result(measured("64", 110.0), default=auto))


def test_drift_is_told():
    drifted = result(measured("64", 90.0), default=measured("auto", 100.0), default_again=measured("auto", 90.0))
    assert drifted.drift == pytest.approx(0.9)
    assert "10 % slower at the end" in sentence(drifted)


def test_only_measured_cells_may_be_chosen():
    for state in ("waiting", "impossible", "wrong"):
        with pytest.raises(InvalidParameter):
            result(Cell(("64",), state)).settings_of(Cell(("64",), state))
    assert sentence(result(Cell(("64",), "wrong"))) == "Every setting that ran gave wrong scores."
    assert sentence(result(Cell(("64",)))) == "Nothing was measured: the sweep was stopped or its time was over."
    assert sentence(result(Cell(("64",), "impossible"))) == "Nothing could be measured."


def test_cells_in_words():
    axes = (AXES[0], Axis("method", "Method", "", ("simt",)))
    assert describe(axes, ("64", "simt")) == "64 threads per block, simt"
    assert describe(AXES, ("auto",)) == "threads per block auto"
    blocks = Axis("blocks", "Blocks per multiprocessor", "", ("1", "2"))
    assert describe((blocks,), ("1",)) == "1 block per multiprocessor"
    assert describe((blocks,), ("2",)) == "2 blocks per multiprocessor"

    queries = Axis("query", "Query length", "residues", ("1", "2048"))
    assert describe((queries,), ("2048",)) == "query of 2,048 residues"
    assert describe((queries, AXES[0]), ("1", "64")) == "query of 1 residue, 64 threads per block"


def test_with_the_query_as_an_axis_automatic_is_the_one_in_the_middle():
    axes = (Axis("query", "Query length", "residues", ("64", "350", "1024")), Axis("method", "Method", "", ("a", "b")))
    cells = [Cell((n, m), "measured", (1.0,), settings={"method": m}) for n in axes[0].values for m in axes[1].values]
    default = Cell(("350", "auto"), "measured", (1.0,), settings={"method": "b"})
    found = SweepResult(axes, {c.place: c for c in cells}, default, None, KEY, "GPU", 350, 1, 1, "made up")
    assert found.in_use == ("350", "b")
    assert found.queries == "queries of 64 to 1,024 residues"
    assert result(measured("64", 1.0)).queries == "query of 350 residues"


@pytest.mark.parametrize("values", [(), ("1", "1")])
def test_an_axis_has_values_each_once(values):
    with pytest.raises(InvalidParameter):
        Axis("threads", "", "", values)


def test_axes_come_from_the_settings_of_a_method():
    assert make_axis(GPU, "simt", "threads").values[0] == "32"
    assert make_axis(GPU, "streaming", "pinned").values == ("on", "off")
    assert make_axis(GPU, "simt", "threads", ["64", "auto"]).values == ("64", "auto")
    assert make_axis(GPU, "simt", "method", ["simt", "shared"]).values == ("simt", "shared")
    assert make_axis(CPU, "", "threads", cores=6).values == ("1", "2", "4", "6", "12")
    assert settings_of(REFERENCE, "") == ()
    for arguments in ((GPU, "simt", "lanes"), (CPU, "", "method"), (GPU, "simt", "threads", ["33"])):
        with pytest.raises(InvalidParameter):
            make_axis(*arguments)
    with pytest.raises(InvalidParameter, match="no search method"):
        make_axis(GPU, "simt", "method", ["fast"])


def test_ready_made_sweeps_have_axes_that_exist():
    for engine, methods in ((GPU, ("streaming", "simt", "shared", "intra", "vsimd", "band")), (CPU, ("",))):
        for method in methods:
            for preset in presets_of(engine, method):
                for name in preset.axes:
                    assert make_axis(engine, method, name).values
    assert "threads-blocks" in {preset.name for preset in presets_of(GPU, "shared")}
    assert "threads-chunks" in {preset.name for preset in presets_of(CPU, "")}
    assert set(PRESETS) >= {"rows-lanes", "methods", "query"}


@pytest.mark.parametrize("length", [1, 30, 350, 1000, 50_000])
def test_the_quick_sweep_has_few_cells(length):
    for engine in (GPU, CPU):
        axes = quick_axes(engine, length, cores=8)
        cells = np.prod([len(axis.values) for axis in axes])
        assert 1 < cells <= 24
        assert [axis.name for axis in axes] == (["rows", "lanes"] if engine is GPU else ["threads", "chunk_residues"])


@pytest.mark.parametrize("alphabet", [PROTEIN, NUCLEOTIDE])
def test_made_up_sequences_are_always_the_same(alphabet):
    one, again = synthetic_database(50_000, alphabet), synthetic_database(50_000, alphabet)
    assert np.array_equal(one.codes, again.codes)
    assert one.checksum == again.checksum != synthetic_database(60_000, alphabet).checksum
    assert 25_000 < one.residues < 100_000
    assert one.codes.max() < len(alphabet)
    assert np.all(np.diff(np.diff(one.offsets)) <= 0)
    assert np.array_equal(synthetic_query(10_000, alphabet).codes[:50], synthetic_query(50, alphabet).codes)
