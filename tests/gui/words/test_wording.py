import pytest

from swgui.commands.presets import preset, presets_for
from swgui.core.alphabet import PROTEIN
from swgui.core.errors import EngineUnavailable, InvalidParameter, sentence_of
from swgui.core.scoring import ScoringScheme
from swgui.engines.base import DeviceInfo, EngineStatus
from swgui.gui.words import wording
from swgui.gui.words.engine_choices import UNKNOWN, engine_choices, gpu_note
from swgui.io.matrices import load_matrix
from tests.asking import BLOSUM62


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (7, "7"), (999, "999"), (1000, "1.00 k"), (162_432_000_000, "162 G"), (10_000_000_000_000, "10.0 T"),
     (999_499, "999 k"), (999_500, "1.00 M"), (5e18, "5000 P")],
)  # fmt: skip
def test_numbers_get_three_digits(number, text):
    assert wording.scaled(number) == text


def test_the_plan_says_what_will_happen():
    sentence = wording.plan(2, 781, "protein", "Swiss-Prot", 573_661, 162_400_000_000, "on NVIDIA H200", 1000.0)
    assert sentence == (
        "Search 2 proteins (781 residues) against Swiss-Prot, 573,661 sequences, exact, on NVIDIA H200: about 0.2 s."
    )
    assert "after the first run" in wording.plan(1, 10, "nucleotide", "x", 1, 100, "on the CPU", None)
    assert wording.plan(1, 10, "nucleotide", "x", 1, 100, "on the CPU", 1.0).endswith("on the CPU: under 0.1 s.")


def test_gap_costs_are_spelled_out_in_both_rules():
    assert wording.gap_costs(BLOSUM62) == "A gap of 1 costs 12, of 2 costs 13, of 3 costs 14, of 10 costs 21."
    assert wording.both_rules(BLOSUM62) == "Written 11/1 in BLAST, 12/1 in EMBOSS and CUDASW++."


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            InvalidParameter("top", 0, "A list of 0 hits is empty.", hint="Ask for 1."),
            "A list of 0 hits is empty. Ask for 1.",
        ),
        (
            FileNotFoundError(2, "No", "/b c.fa"),
            "'/b c.fa' is not there any more. Check its name; it was moved or deleted.",
        ),
        (
            PermissionError(13, "Permission denied", "/a/x.fa"),
            "'/a/x.fa' may not be read or written by you. Ask its owner.",
        ),
        (OSError(28, "No space left on device", "/a/x"), "There is no space left for '/a/x'. Free some space."),
        (OSError(28, "No space left on device"), "There is no space left for a file. Free some space."),
        (MemoryError(), "The computer has too little free memory for this."),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
def test_errors_are_one_sentence(error, sentence):
    assert wording.explain(error) == sentence


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (TimeoutError("Timed out after 10 s"), "Timed out after 10 s."),
        (OSError("It ended.\nTraceback"), "It ended."),
        (ValueError(""), "ValueError."),
        (EngineUnavailable("cluster", "Gone.", hint="Start it again."), "Gone. Start it again."),
    ],
)
def test_what_another_program_says_is_a_sentence_too(error, sentence):
    assert sentence_of(error) == sentence


@pytest.mark.parametrize(
    ("done", "total", "text"),
    [(0, 7, "0 %"), (146, 1000, "14 %"), (0.29, 1.0, "29 %"), (999_999, 1_000_000, "99 %"), (5, 5, "100 %"),
     (0, 0, "100 %")],
)  # fmt: skip
def test_only_what_is_complete_is_a_hundred_percent(done, total, text):
    assert wording.progress(done, total) == text


def test_the_preset_like_cudasw_charges_the_opening_for_the_first_residue():
    like = preset("like-cudasw", "protein")
    scheme = ScoringScheme(load_matrix(like.matrix, PROTEIN), like.gap_open, like.gap_extend)
    assert [scheme.gap_cost(k) for k in (1, 2, 3)] == [11, 12, 13]


def test_an_unknown_preset_is_the_first_of_its_kind():
    assert preset("nonsense", "nucleotide").id == "dna"
    assert {entry.kind for entry in presets_for("protein")} == {"protein"}


H200 = DeviceInfo("0", "NVIDIA H200")
SECOND = DeviceInfo("1", "NVIDIA H200")
CPU = EngineStatus("cpu", True, (DeviceInfo("cpu", "AMD EPYC"),))
NO_GPU = EngineStatus("cuda", False, reason="No CUDA GPU was found.", hint="Install a driver.")


def test_without_a_gpu_the_list_says_why():
    choices = engine_choices((NO_GPU, CPU))
    assert [(c.engine, c.text) for c in choices] == [
        ("auto", "Automatic: CPU AMD EPYC"),
        ("cuda", "GPU: not available"),
        ("cpu", "CPU AMD EPYC"),
    ]
    assert choices[1].reason.endswith("Install a driver.")
    assert choices[0].where == "on the CPU"
    assert choices[0].runs_on == ("cpu", ("AMD EPYC",))
    note = gpu_note((NO_GPU, CPU))
    assert note.startswith("No CUDA GPU")
    assert "same results" in note


def test_every_gpu_can_be_chosen_alone_or_all_together():
    both = EngineStatus("cuda", True, (H200, SECOND))
    choices = engine_choices((both, CPU))
    assert [c.run_on.ids for c in choices] == [(), ("0", "1"), ("0",), ("1",), ()]
    assert choices[1].where == "on 2 GPUs"
    assert gpu_note((both, CPU)) == ""
    alone = engine_choices((EngineStatus("cuda", True, (H200,)), CPU))
    assert [c.run_on.ids for c in alone] == [(), ("0",), ()]
    assert alone[0].where == "on NVIDIA H200"


def test_before_the_probe_there_is_only_automatic():
    assert engine_choices(()) == UNKNOWN


def test_lines_do_not_break_between_number_and_unit():
    assert wording.unbroken("1 query, 2 min, 45 % of 3 G cells.").split(" ") == [
        "1", "query,", "2\N{NO-BREAK SPACE}min,", "45\N{NO-BREAK SPACE}%", "of", "3\N{NO-BREAK SPACE}G", "cells.",
    ]  # fmt: skip


def test_time_left_is_shown_with_the_share_once_it_is_more_than_moments():
    assert wording.share_and_left(0.0, 9.0) == wording.share_and_left(0.5, 2.0) == ""
    assert wording.share_and_left(0.25, 40.0) == "25 %, about 2 min left"
