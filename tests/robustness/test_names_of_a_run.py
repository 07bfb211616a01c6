"""No file of one run replaces another of it, whatever the queries are called."""

import pytest

import swgui
from swgui.core.errors import InvalidParameter
from swgui.io.outputs import check_outputs
from swgui.io.profiles.saving import file_names

RESIDUES = ("MKTAYIAKQRQISFVKSHFSRQLEERLG", "WWPLKDEFGHIRNMKSTVYACQQRDEEL", "GGHAVLKPRSTDDWFYICNNMQEEKLLA")


@pytest.fixture
def folder(tmp_path):
    names = ("d", "d", "d_2")
    (tmp_path / "q.fa").write_text("".join(f">{name}\n{text}\n" for name, text in zip(names, RESIDUES, strict=True)))
    return tmp_path


@pytest.mark.parametrize(
    "ids",
    [
        ("d", "d", "d_2"),
        ("d_2", "d", "d"),
        ("d", "D", "d_2", "D_2"),
        ("a|b", "a/b", "a_b", "a_b_2"),
        ("ß", "SS", "ss"),
        ("\N{KELVIN SIGN}", "k"),
        ("x" * 70, "x" * 80, "x" * 60 + "_2"),
        (".", "..", "query"),
    ],
)
def test_every_query_has_a_file_of_its_own_where_case_does_not_count(ids):
    files = [each for files in file_names("a.{round}.sto", ids, 2) for each in files]
    assert len({file.name.casefold() for file in files}) == 2 * len(ids)


def test_the_command_writes_a_file_for_each_query(folder, typed):
    ended = typed(
        *("search", "-q", "q.fa", "-d", "q.fa", "--iterations", "2", "--engine", "reference"),
        *("--save-alignment", "al.sto", "--save-profile", "pr.json"),
    )
    assert (ended.status, "written" in ended.err) == (0, False)
    assert sorted(file.name for file in folder.glob("al*")) == ["al.d.sto", "al.d_2.sto", "al.d_2_2.sto"]
    assert sorted(file.name for file in folder.glob("pr*")) == ["pr.d.json", "pr.d_2.json", "pr.d_2_2.json"]
    texts = [file.read_text() for file in folder.glob("al*")]
    assert all(sum(residues in text for text in texts) == 1 for residues in RESIDUES)


def test_alignments_for_structure_prediction_have_a_file_each(folder, typed):
    ended = typed("msa", "-q", "q.fa", "-d", "q.fa", "-o", "m.a3m", "--engine", "reference")
    assert ended.status == 0, ended.err
    assert len(list(folder.glob("m*.a3m"))) == 3
    made = swgui.msa(folder / "q.fa", folder / "q.fa", engine="reference")
    files = made.write(folder / "w.a3m")
    assert len(set(files)) == 3
    assert all(residues in file.read_text() for residues, file in zip(RESIDUES, files, strict=True))


def test_a_folder_called_like_a_round_changes_nothing(folder, typed):
    (folder / "{round}").mkdir()
    out = "{round}/al.sto"
    arguments = ("search", "-q", "q.fa", "-d", "q.fa", "--iterations", "2", "--engine", "reference")
    assert typed(*arguments, "--save-alignment", out).status == 0
    assert len(list((folder / "{round}").iterdir())) == 3


def test_outputs_are_one_file_under_two_names(tmp_path):
    (tmp_path / "a").write_text("")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    with pytest.raises(InvalidParameter, match="--save and --out both name"):
        check_outputs({"save": tmp_path / "a", "out": tmp_path / "b"}, [])
