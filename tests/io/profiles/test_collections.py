"""Files of many alignments and models, and folders of them."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import ProfileError
from swgui.core.plain import replace
from swgui.core.profiles.alignment import MasterAlignment
from swgui.core.profiles.recipe import Recipe
from swgui.core.records import SequenceRecord
from swgui.io.profiles.collections import collection_files, read_collection
from swgui.io.profiles.hmmer import write_hmm
from swgui.jobs.iterate.request import profile_of
from tests.asking import BLOSUM62

STOCKHOLM = "# STOCKHOLM 1.0\n#=GF ID {0}\n{0}/1-4 MKVL\nother A-VL\n//\n"


def names(path: Path) -> list[str]:
    return [record.id for start in read_collection(path, BLOSUM62) for record in start.records]


def test_every_alignment_of_a_stockholm_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pfam.sto.gz"
    path.write_bytes(gzip.compress("".join(STOCKHOLM.format(name) for name in ("a", "b", "c")).encode()))
    assert names(path) == ["a", "b", "c"]
    assert [len(start.alignment or ()) for start in read_collection(path, BLOSUM62)] == [2, 2, 2]


def test_a_zero_byte_ends_an_alignment_of_a3m(tmp_path: Path) -> None:
    path = tmp_path / "db_a3m.ffdata"
    path.write_text(">a\nMKVL\n>x\nMK-Lgg\n\0>b\nMKV\n\0>c\nM\n\0")
    assert names(path) == ["a", "b", "c"]


def test_models_of_one_file_are_read_one_by_one(tmp_path: Path) -> None:
    texts = []
    for name in ("one", "two"):
        record = SequenceRecord(name, "", b"MKVLWAALGHE")
        alignment = MasterAlignment.of_query(record, PROTEIN)
        profile = profile_of(alignment, BLOSUM62.matrix, Recipe(), name).profile
        texts.append(write_hmm(replace(record, profile=profile)))
    path = tmp_path / "two.hmm"
    path.write_text("".join(texts))
    assert names(path) == ["one", "two"]


def test_a_fault_names_the_line_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "wrong.sto"
    path.write_text(STOCKHOLM.format("a") + STOCKHOLM.format("b").replace("A-VL", "A-V"))
    with pytest.raises(ProfileError, match="line 9: 'other' has 3 columns"):
        names(path)
    path.write_text("hello\n")
    with pytest.raises(ProfileError, match="in no format of alignments"):
        names(path)


def test_folders_give_their_files_of_profiles(tmp_path: Path) -> None:
    for name in ("b.a3m", "a.sto.gz", "notes.txt"):
        (tmp_path / name).write_text("")
    assert [place.name for place in collection_files([tmp_path])] == ["a.sto.gz", "b.a3m"]
    (tmp_path / "empty").mkdir()
    with pytest.raises(ProfileError, match="The folder 'empty' has no file"):
        collection_files([tmp_path / "empty"])
