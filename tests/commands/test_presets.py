"""Settings with a name: the user's own, which window and command line share."""

from __future__ import annotations

import json
import os

import pytest

from swgui.commands import presets
from swgui.commands.presets import chosen_preset, delete_preset, keep_preset, own_presets, preset, presets_for
from swgui.core.errors import InvalidParameter
from swgui.settings import SchemeSettings

pytestmark = pytest.mark.usefixtures("user_folders")
ASKED = {"mask": True, "max_hsps": 7, "limits": {"max_evalue": 1e-5, "top": 50, "minimums": {"identity": 30.0}}}
MINE = SchemeSettings("protein", "BLOSUM45", 14, 2, "first", ASKED)


def test_own_settings_come_back_whole():
    kept = keep_preset("  My   globins ", "protein", MINE)
    assert (kept.id, kept.title, kept.own) == ("My globins", "My globins", True)
    assert own_presets() == (kept,)
    assert presets_for("protein")[-1] == chosen_preset("My globins", "protein") == kept
    taken = SchemeSettings("protein", "BLOSUM62", 11, 1)
    assert not kept.matches(taken)
    kept.apply(taken)
    assert kept.matches(taken)
    MINE.preset = "My globins"
    assert taken == MINE
    taken.search["limits"]["top"] = 60
    assert not kept.matches(taken)


def test_a_preset_of_the_same_name_is_replaced_and_of_another_kind_kept():
    keep_preset("x", "protein", MINE)
    keep_preset("x", "nucleotide", SchemeSettings("dna", "+2/-3", 5, 2, search={"strand": "minus"}))
    keep_preset("x", "protein", SchemeSettings("protein", "BLOSUM80", 10, 1))
    assert [(one.kind, one.matrix) for one in own_presets()] == [("nucleotide", "+2/-3"), ("protein", "BLOSUM80")]
    delete_preset("x", "protein")
    delete_preset("there is none", "protein")
    assert [one.kind for one in own_presets()] == ["nucleotide"]
    assert preset("x", "protein").id == "protein", "the first that ships stands in"


@pytest.mark.parametrize("name", ["", "  ", "x" * 61, "distant", "DNA Default", "Same as BLAST"])
def test_what_cannot_be_a_name_is_refused(name):
    with pytest.raises(InvalidParameter, match="preset"):
        keep_preset(name, "protein", MINE)
    assert own_presets() == ()


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"presets": 3}', '{"presets": [1, {}, {"name": "a"}]}', "\x00"])
def test_a_damaged_file_is_no_obstacle(text):
    path = presets.own_path()
    path.parent.mkdir(parents=True)
    path.write_text(text)
    assert own_presets() == ()
    keep_preset("x", "protein", MINE)
    assert len(own_presets()) == 1


def test_what_cannot_be_used_is_left_out_and_what_is_not_known_passed_over():
    keep_preset("good", "protein", MINE)
    keep_preset("bad", "protein", MINE)
    path = presets.own_path()
    document = json.loads(path.read_text())
    good, bad = document["presets"]
    bad["settings"]["gap_open"] = "eleven"
    good["settings"]["of_a_later_version"] = 1
    del good["settings"]["search"]
    path.write_text(json.dumps(document))
    os.utime(path, (0, 0))  # as of another moment
    (found,) = own_presets()
    assert (found.id, found.search) == ("good", {})


def test_the_command_line_takes_them_by_name(capsys, tmp_path):
    from swgui.cli import main

    keep_preset("My globins", "protein", MINE)
    query, database = tmp_path / "q.fasta", tmp_path / "d.fasta"
    query.write_text(">q\nMKVLWAALLVTFLAGCQAK\n")
    database.write_text(">s\nMKVLWAALLVTFLAGCQAK\n>t\nPEPTIDEPEPTIDEPEPTIDE\n")
    command = ["search", "-q", str(query), "-d", str(database), "--engine", "reference", "--format", "json"]
    assert main([*command, "--scoring-preset", "My globins"]) == 0
    assert '"BLOSUM45"' in capsys.readouterr().out
    assert main([*command, "--scoring-preset", "nobody's"]) == 2
    assert "My globins" in capsys.readouterr().err
