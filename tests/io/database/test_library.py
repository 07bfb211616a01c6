"""Opening anything as a database: the cache, what makes it stale, and what cannot hurt it."""

import dataclasses
import gzip
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import AlphabetMismatch, DatabaseError, SequenceError, Stopped
from swgui.io.database import conversions
from swgui.io.database.build import build_database
from swgui.io.database.library import (
    cache_folder,
    database_files,
    forget_database,
    lost_databases,
    open_any_database,
    remember_database,
    user_databases,
    user_folder,
)
from swgui.io.sequences.reader import ReadReport

FASTA = ">one first of all\nMKVLWAALLV\nTFLAGCQU\n>two\nPP\n>three third\nMK-V\n"


@pytest.fixture(autouse=True)
def folders(tmp_path, monkeypatch):
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("SWGUI_DATA_DIR", str(tmp_path / "data"))


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "My proteins.v2.fasta"
    path.write_text(FASTA)
    make_old(path)
    return path


@pytest.fixture
def builds(monkeypatch):
    """Count how often a file is really converted."""
    calls = []

    def counting(sources, *arguments, **options):
        calls.append(sources)
        return build_database(sources, *arguments, **options)

    monkeypatch.setattr("swgui.io.database.build.build_database", counting)
    return calls


def make_old(path, seconds=60):
    then = time.time() - seconds
    os.utime(path, (then, then))


def converted():
    return sorted(path.name for path in cache_folder().glob("*.swdb"))


def test_a_sequence_file_is_converted_once(source, builds):
    first, second = ReadReport(), ReadReport()
    one = open_any_database(source, report=first)
    two = open_any_database(source, report=second)
    assert len(builds) == 1
    assert one.checksum == two.checksum
    assert one.name == two.name == "My proteins.v2"
    assert (first.summary(), first.remarks) == (second.summary(), second.remarks)
    assert second.counts == {"odd": 1, "removed": 1}
    assert two.record(0).residues == b"MKVLWAALLVTFLAGCQU"


def test_an_unchanged_file_is_not_read_again(source, monkeypatch):
    open_any_database(source)

    def refuse(self):
        raise AssertionError("hashed again")

    monkeypatch.setattr(conversions.Source, "hash_files", refuse)
    assert len(open_any_database(source)) == 3


def test_a_conversion_by_an_earlier_version_is_made_again(source, monkeypatch, builds):
    with monkeypatch.context() as earlier:
        earlier.setattr(conversions, "FORM", "")  # as the notes of 0.1 lack it
        open_any_database(source)
    open_any_database(source)
    open_any_database(source)
    assert len(builds) == len(converted()) == 2


def test_a_copy_of_the_same_content_is_not_converted_again(source, tmp_path, builds):
    open_any_database(source)
    copy = tmp_path / "copy.fa"
    shutil.copy(source, copy)
    assert open_any_database(copy).name == "copy"
    assert len(builds) == 1


def test_a_changed_file_is_noticed(source, builds):
    before = open_any_database(source)
    source.write_text(FASTA.replace("PP", "PW"))  # same size
    assert open_any_database(source).record(1).residues == b"PW"
    assert before.record(1).residues == b"PP"
    # Changed again within the resolution of the clock, with the same size and time: the young file is not trusted.
    facts = source.stat()
    source.write_text(FASTA.replace("PP", "PY"))
    os.utime(source, ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert open_any_database(source).record(1).residues == b"PY"
    assert len(builds) == 3


def test_a_database_file_is_opened_as_it_is(source, tmp_path, builds):
    path = tmp_path / "made.swdb"
    build_database([source], path)
    shutil.copy(path, tmp_path / "renamed.fasta")  # told by content
    for place in (path, tmp_path / "renamed.fasta"):
        notes = ReadReport()
        assert len(open_any_database(place, report=notes)) == 3
        assert notes.records == 3
    assert builds == []


def test_the_kind_is_checked(source, tmp_path):
    dna = tmp_path / "dna.fa"
    dna.write_text(">d\nACGTACGTACGT\n")
    for _ in range(2):
        with pytest.raises(AlphabetMismatch, match="database is nucleotide") as refused:
            open_any_database(dna, alphabet=PROTEIN)
        assert refused.value.hint.endswith("build it with 'swgui makedb --type protein'.")
        assert open_any_database(dna, alphabet=NUCLEOTIDE).alphabet is NUCLEOTIDE
    with pytest.raises(AlphabetMismatch, match="database is protein"):
        open_any_database(source, alphabet=NUCLEOTIDE)
    build_database([source], tmp_path / "p.swdb")
    with pytest.raises(AlphabetMismatch):
        open_any_database(tmp_path / "p.swdb", alphabet=NUCLEOTIDE)
    assert open_any_database(tmp_path / "p.swdb", alphabet=PROTEIN).alphabet is PROTEIN


def test_damage_in_the_cache_is_mended(source, builds):
    open_any_database(source)
    place = cache_folder() / converted()[0]
    data = place.read_bytes()
    place.unlink()
    place.write_bytes(data[:-10])
    assert len(open_any_database(source)) == 3
    for note in (cache_folder() / "paths").iterdir():
        note.write_text("{ not json")
    assert len(open_any_database(source)) == 3
    assert len(builds) == 2
    for note in (cache_folder() / "paths").iterdir():
        note.write_text('{"path": 5, "size": [], "key": "../../etc"}')
    assert len(open_any_database(source)) == 3


def test_without_a_writable_cache_it_still_opens(source, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "file" / "cache"))
    notes = ReadReport()
    assert len(open_any_database(source, report=notes)) == 3
    assert notes.records == 3
    assert notes.counts == {"odd": 1, "removed": 1}


def test_bad_files_are_refused_each_time(tmp_path):
    bad = tmp_path / "bad.fa"
    bad.write_text("no header here, only prose\n")
    for _ in range(2):
        with pytest.raises(SequenceError):
            open_any_database(bad)
    with pytest.raises(SequenceError, match="There is no file"):
        open_any_database(tmp_path / "missing.fa")
    with pytest.raises(DatabaseError, match="There is no database"):
        open_any_database(tmp_path / "missing.swdb")
    with pytest.raises(SequenceError, match="is a folder"):
        open_any_database(tmp_path)
    assert converted() == []


def test_cancel(source):
    cancel = threading.Event()
    cancel.set()
    with pytest.raises(Stopped):
        open_any_database(source, cancel=cancel)
    assert not cache_folder().exists()
    cancel.clear()
    with pytest.raises(Stopped):
        open_any_database(source, cancel=cancel, progress=lambda done, total: cancel.set())
    assert list(cache_folder().iterdir()) == []


def test_what_crashed_programs_left_is_swept_away(source):
    cache_folder().mkdir(parents=True)
    old, young = cache_folder() / ".x.swdb.abc.part", cache_folder() / ".y.swdb.abc.part"
    for path in (old, young):
        path.write_bytes(b"half")
    make_old(old, 2 * 86_400)
    open_any_database(source)
    assert not old.exists()
    assert young.exists()


def test_many_at_once(source):
    script = (
        "import sys; from swgui.io.database.library import open_any_database;"
        "d = open_any_database(sys.argv[1]); print(d.checksum, len(d))"
    )
    running = [
        subprocess.Popen([sys.executable, "-c", script, str(source)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    outputs = {process.communicate()[0] for process in running}
    assert all(process.returncode == 0 for process in running)
    assert len(outputs) == 1
    assert len(converted()) == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_read_once(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(gzip.compress(FASTA.encode())))
    writer.start()
    assert database_files(pipe) == [pipe]  # without a look into it
    assert len(open_any_database(pipe, alphabet=PROTEIN)) == 3
    writer.join()
    assert converted() == []


def test_a_source_that_changes_while_it_is_read_is_not_cached(source, monkeypatch):
    def build_and_touch(sources, *arguments, **options):
        built = build_database(sources, *arguments, **options)
        source.write_text(FASTA + ">late\nMMM\n")
        return built

    monkeypatch.setattr("swgui.io.database.build.build_database", build_and_touch)
    assert len(open_any_database(source)) == 3
    assert converted() == []
    monkeypatch.undo()


def test_the_list_of_databases(source, tmp_path):
    assert user_databases() == []
    open_any_database(source)
    user_folder().mkdir(parents=True)
    build_database([source], user_folder() / "zebra.swdb")
    elsewhere = tmp_path / "elsewhere.swdb"
    build_database([source], elsewhere, name="Alpha")
    remember_database(elsewhere)
    remember_database(tmp_path / "gone.swdb")
    (user_folder() / "broken.swdb").write_bytes(b"no database")
    listed = user_databases()
    assert [entry.name for entry in listed] == ["Alpha", "My proteins.v2", "zebra"]
    assert [entry.path for entry in listed] == [elsewhere, source, user_folder() / "zebra.swdb"]
    for entry in listed:
        assert (entry.sequences, entry.residues, entry.longest, entry.alphabet) == (3, 23, 18, PROTEIN)
        assert entry.sources == (source,)
        assert not entry.outdated
        assert entry.made.startswith("20")
        assert dataclasses.is_dataclass(entry)
    source.write_text(FASTA + ">new\nWWW\n")
    assert [entry.outdated for entry in user_databases()] == [True, True, True]
    forget_database(elsewhere)
    forget_database(source)
    assert [entry.name for entry in user_databases()] == ["zebra"]
    assert elsewhere.exists()
    assert source.exists()


def test_a_file_that_was_only_compared_is_no_database(source, builds):
    open_any_database(source, listed=False)
    assert user_databases() == []
    open_any_database(source)
    assert [entry.path for entry in user_databases()] == [source]
    open_any_database(source, listed=False)  # which takes it from no list
    assert [entry.path for entry in user_databases()] == [source]
    assert len(builds) == 1


def test_the_file_of_an_entry_is_the_database_itself(source):
    open_any_database(source)
    (entry,) = user_databases()
    assert entry.path == source
    assert entry.file.parent == cache_folder()
    assert len(open_any_database(entry.file)) == 3


def test_lost_files_are_named_with_the_reason(source, tmp_path):
    gone, broken = tmp_path / "gone.swdb", user_folder() / "broken.swdb"
    remember_database(gone)
    user_folder().mkdir(parents=True, exist_ok=True)
    broken.write_bytes(b"no database")
    lost = {entry.path: str(entry.error) for entry in lost_databases()}
    assert set(lost) == {gone, broken}
    assert "no database" in lost[gone]
    assert "broken.swdb" in lost[broken]
    forget_database(gone)
    forget_database(broken)
    assert lost_databases() == []
    assert broken.exists()


def test_a_file_of_the_folder_taken_off_the_list_stays_off_until_it_is_wanted_or_built_anew(source):
    path = user_folder() / "mine.swdb"
    user_folder().mkdir(parents=True)
    build_database([source], path)
    forget_database(path)
    assert user_databases() == []
    assert path.exists()
    remember_database(path)
    assert [entry.name for entry in user_databases()] == ["mine"]
    forget_database(path)
    path.unlink()
    assert user_databases() == []
    assert lost_databases() == []
    build_database([source], path)
    make_old(path)
    assert [entry.name for entry in user_databases()] == ["mine"]


def test_no_place_to_write_at_all(source, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(DatabaseError, match="neither"):
        open_any_database(source)
