"""Abilities of every kind of run: each is exercised by a test that is named here, or its record gives the reason."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from swgui.cli import main
from swgui.core.errors import EngineUnavailable
from swgui.engines.facts import GPU
from swgui.jobs.kind import ABILITIES, kinds
from swgui.jobs.network import edges as pairs

TESTS: Final = Path(__file__).parents[1]

# One suite for all kinds, also those of packages.
LIFE: Final = {
    "pause": "runs/test_life.py::test_a_paused_run_rests_and_ends_as_one_that_was_not",
    "stop": "runs/test_life.py::test_stop_keeps_what_is_done_and_resume_does_the_rest",
    "resume": "runs/test_life.py::test_a_killed_run_is_listed_and_resumed",
    "history": "runs/test_life.py::test_a_run_that_is_active_is_left_alone",
}
GROUPED: Final = LIFE | {
    "queue": "runs/test_groupings.py::test_a_run_again_waits_pauses_and_stops_in_the_queue",
    "file": "runs/test_groupings.py::test_a_run_is_kept_in_the_list_and_as_a_file",
    "open": "runs/test_groupings.py::test_a_run_is_kept_in_the_list_and_as_a_file",
    "verify": "runs/test_groupings.py::test_a_run_is_kept_in_the_list_and_as_a_file",
    "command": "runs/test_groupings.py::test_a_copy_as_command_and_as_python_finds_the_same",
    "python": "runs/test_groupings.py::test_a_copy_as_command_and_as_python_finds_the_same",
    "device": "runs/test_abilities.py::test_commands_of_networks_compute_on_the_chosen_device",
    "tables": "runs/test_groupings.py::test_the_library_finds_what_the_command_writes",
    "methods": "runs/test_groupings.py::test_the_methods_say_what_was_compared_and_found",
    "marks": "gui/network/test_sets.py::test_the_answer_has_the_sentences_of_the_command",
}
# The test of each ability of each kind; where there is none, `Kind.without` has the reason.
EXERCISED: Final[Mapping[str, Mapping[str, str]]] = {
    "search": LIFE
    | {
        "queue": "gui/runs/test_page.py::test_searches_run_one_after_another_in_the_order_of_the_queue",
        "file": "library/test_search.py::test_a_search_is_saved_and_opened_again",
        "open": "gui/runs/test_page.py::test_a_file_from_elsewhere_is_opened_with_what_the_user_must_know",
        "verify": "cli/test_saved.py::test_verify_tells_the_differences",
        "command": "commands/test_round_trip.py::test_a_search_survives_its_command",
        "python": "commands/test_python_call.py::test_the_lines_find_what_the_search_finds",
        "device": "gui/device/test_page.py::test_the_device_chosen_here_is_that_of_the_search_page",
        "tables": "library/test_search.py::test_frames_hold_the_columns",
        "methods": "gui/results/test_methods.py::test_shown_copied_and_saved_in_every_form",
        "marks": "gui/results/test_marks.py::test_a_star_given_elsewhere_is_shown_and_one_given_here_is_everywhere",
    },
    "pair": LIFE
    | {
        "queue": "gui/runs/test_kinds_in_queue.py::test_searches_and_pairs_take_turns",
        "file": "runs/test_saved_by_0_2.py::test_pairs_of_the_history_and_of_files_are_the_same",
        "open": "runs/test_saved_by_0_2.py::test_pairs_of_the_history_and_of_files_are_the_same",
        "verify": "cli/test_saved_pair.py::test_a_pair_is_verified",
        "tables": "cli/test_saved_pair.py::test_alignments_are_a_table_in_every_format",
        "command": "commands/test_round_trip.py::test_a_pair_survives_its_command",
        "python": "commands/test_python_call.py::test_the_lines_align_what_the_pair_aligns",
        "device": "library/test_pair.py::test_devices_are_those_of_the_command",
        "methods": "io/methods/test_other_kinds.py::test_a_pair_says_its_score_and_costs",
    },
    "rule": LIFE
    | {
        "queue": "gui/rules/test_page.py::test_a_search_waits_in_the_queue_pauses_and_is_kept",
        "file": "runs/test_rule_runs.py::test_places_and_certificate_are_one_file",
        "open": "runs/test_rule_runs.py::test_places_and_certificate_are_one_file",
        "verify": "cli/test_rule.py::test_a_certificate_holds",
        "command": "gui/rules/test_page.py::test_the_command_and_the_files_of_a_drop",
        "python": "gui/rules/test_page.py::test_the_command_and_the_files_of_a_drop",
        "device": "jobs/rules/test_runs.py::test_a_rule_runs_on_the_gpu_that_was_chosen",
        "tables": "io/tables/test_hostile_names.py::test_names_are_safe",
        "methods": "io/methods/test_other_kinds.py::test_a_rule_says_what_was_tested_and_found",
        "marks": "gui/rules/test_page.py::test_places_have_the_stars_and_notes_of_their_sequences",
    },
    "network": LIFE
    | {
        "queue": "gui/network/test_page.py::test_runs_of_the_queue_are_shown_here",
        "file": "cli/test_network.py::test_a_network_is_saved_and_exported",
        "open": "gui/window/test_recent.py::test_a_saved_network_opens_on_its_page",
        "verify": "runs/test_networks.py::test_a_network_is_computed_again_and_compared",
        "command": "gui/network/test_page.py::test_the_copied_command_and_python_make_the_same_network",
        "python": "gui/network/test_page.py::test_the_copied_command_and_python_make_the_same_network",
        "device": "runs/test_abilities.py::test_commands_of_networks_compute_on_the_chosen_device",
        "tables": "io/tables/test_hostile_names.py::test_names_are_safe",
        "methods": "io/methods/test_other_kinds.py::test_a_network_says_how_many_pairs_were_compared",
        "marks": "gui/network/test_page.py::test_lists_follow_the_choice",
    },
    **dict.fromkeys(("cluster", "split", "judge", "leak"), GROUPED),
    "sweep": LIFE
    | {
        "queue": "gui/device/test_sweep.py::test_a_sweep_waits_in_the_queue_for_runs_of_the_user",
        "file": "runs/test_sweeps.py::test_a_sweep_is_one_file",
        "open": "runs/test_sweeps.py::test_a_sweep_is_one_file",
        "command": "cli/test_bench.py::test_a_sweep_in_the_terminal",
        "tables": "runs/test_sweeps.py::test_cells_are_a_table_in_every_format",
        "device": "gui/device/test_sweep.py::test_a_sweep_is_run_shown_kept_and_used",
    },
}
OWN: Final = [(kind, ability) for kind in EXERCISED for ability in ABILITIES]


@cache
def functions(file: str) -> set[str]:
    """Return the names of the tests in a file."""
    tree = ast.parse((TESTS / file).read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_every_kind_is_looked_at():
    assert set(EXERCISED) == set(kinds())
    for kind in kinds().values():
        assert set(kind.without) <= set(ABILITIES)
        assert all(reason and reason == reason.strip(" .") for reason in kind.without.values())


@pytest.mark.parametrize(("kind", "ability"), OWN)
def test_an_ability_is_exercised_or_declared_to_be_missing(kind, ability):
    named, reason = EXERCISED[kind].get(ability, ""), kinds()[kind].without.get(ability, "")
    assert named or reason, f"Name the test by which a {kind} {ABILITIES[ability]}, or declare why not."
    assert not (named and reason), f"A {kind} {ABILITIES[ability]}: delete the reason in its record."
    if named:
        file, _, test = named.partition("::")
        assert test in functions(file), f"{file} has no {test}."


@pytest.mark.parametrize("kind", ["network", "cluster", "split", "judge", "leak"])
def test_commands_of_networks_compute_on_the_chosen_device(kind, tmp_path, monkeypatch, capsys):
    chosen = []

    def made(name, options):
        chosen.append((name, options.devices))
        raise EngineUnavailable("here", "It is not there.")

    monkeypatch.setattr(pairs.registry, "make_engine", made)
    file, clusters = tmp_path / "few.fasta", tmp_path / "clusters.tsv"
    file.write_text(">a\nMKVLAAGICWWSIINFEKLHH\n>b\nMKVLAAGICWWSIINFEKLHW\n")
    clusters.write_text("a\ta\nb\tb\n")
    out = str(tmp_path / ("out.swnet" if kind == "network" else "out"))
    files = {"leak": [str(file), str(file)], "judge": [str(clusters), str(file)]}
    main([kind, *files.get(kind, [str(file)]), "-o", out, "--engine", GPU.name, "--device", "3"])
    assert chosen == [(GPU.name, ("3",))]
