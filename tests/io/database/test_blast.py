"""BLAST databases as sources: the same sequences as in the FASTA file they were made of, and clear sentences."""

import gzip
import shutil
import subprocess
import sys
import threading

import pytest

from swgui.core.alphabet import NUCLEOTIDE, PROTEIN
from swgui.core.errors import DatabaseError, SequenceError, Stopped
from swgui.io.database.blast import find_blast_database, open_source
from swgui.io.database.build import build_database, update_database
from swgui.io.database.file import database_facts
from swgui.io.database.library import open_any_database
from swgui.io.sequences.reader import SequenceReader
from swgui.paths import resources_dir

PROTEINS = "".join(f">p{n} number {n}\n{'MKVLWAALLV' * (n % 9 + 1)}{'X*'[: n % 3]}\n" for n in range(300))
DNA = ">d1 first one\nACGTNNRYACGTACGTACGT\n>d2\nTTTTGGGGCCCC\n"

needs_blast = pytest.mark.skipif(
    not (shutil.which("blastdbcmd") and shutil.which("makeblastdb")), reason="NCBI BLAST+ is not installed"
)


def make(folder, text, kind, *more, name="db"):
    folder.mkdir(exist_ok=True)
    fasta = folder / f"{name}.fasta"
    fasta.write_text(text)
    command = ["makeblastdb", "-in", fasta.name, "-dbtype", kind, "-out", name, *more]
    subprocess.run(command, check=True, capture_output=True, cwd=folder)
    return fasta, folder / name


def read(path):
    with open_source(path) as source:
        return [(r.id, r.description, r.residues) for r in SequenceReader(source)]


@needs_blast
@pytest.mark.parametrize("version", ["4", "5"])
@pytest.mark.parametrize(("text", "kind", "alphabet"), [(PROTEINS, "prot", PROTEIN), (DNA, "nucl", NUCLEOTIDE)])
def test_the_same_sequences_as_in_the_file_it_was_made_of(tmp_path, version, text, kind, alphabet):
    fasta, name = make(tmp_path / "мои данные", text, kind, "-blastdb_version", version)
    assert read(name) == read(fasta)
    built = build_database([name], tmp_path / "b.swdb", alphabet=alphabet)
    assert built.checksum == build_database([fasta], tmp_path / "f.swdb", alphabet=alphabet).checksum
    for ending in ("in", "sq", "hr"):  # any of its files will do
        assert read(name.with_name(f"{name.name}.{kind[0]}{ending}")) == read(fasta)


@needs_blast
def test_an_alias_stands_for_all_its_volumes(tmp_path):
    make(tmp_path, PROTEINS, "prot", name="one")
    make(tmp_path, ">other\nMMMM\n", "prot", name="two")
    (tmp_path / "both.pal").write_text("TITLE both\nDBLIST one two\n")
    assert len(read(tmp_path / "both")) == 301
    assert find_blast_database(tmp_path / "both").file.name == "both.pal"


@needs_blast
def test_it_can_be_updated_when_it_was_made_anew(tmp_path):
    _, name = make(tmp_path, DNA, "nucl")
    target = tmp_path / "x.swdb"
    calls = []
    assert len(build_database([name], target, progress=lambda done, total: calls.append((done, total)))) == 2
    assert calls[-1][0] == calls[-1][1]
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)
    assert database_facts(target).sources[0].path == str(tmp_path / "db.nin")
    make(tmp_path, DNA + ">d3\nACGTACGT\n", "nucl")
    assert len(update_database(target)) == 3


@needs_blast
def test_stop_ends_the_reader(tmp_path):
    _, name = make(tmp_path, PROTEINS * 20, "prot")
    cancel = threading.Event()
    with pytest.raises(Stopped):
        build_database([name], tmp_path / "x.swdb", cancel=cancel, progress=lambda done, total: cancel.set())
    assert not (tmp_path / "x.swdb").exists()


def pretend(tmp_path, monkeypatch, script):
    """Put a program called blastdbcmd in the place of the real one, and files that look like a database."""
    program = tmp_path / "bin" / "blastdbcmd"
    program.parent.mkdir()
    program.write_text(f"#!{sys.executable}\nimport sys\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    for ending in ("pin", "psq", "phr"):
        (tmp_path / f"db.{ending}").write_bytes(b"\0\0\0\5")
    return tmp_path / "db"


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_a_reader_that_fails_half_way_is_no_whole_database(tmp_path, monkeypatch):
    script = "print('>a\\nMKV\\n' * 100, flush=True)\nprint('Error: volume 2 is gone', file=sys.stderr)\nsys.exit(3)"
    name = pretend(tmp_path, monkeypatch, script)
    with pytest.raises(SequenceError) as caught:
        build_database([name], tmp_path / "x.swdb")
    assert caught.value.message == "'db' (a BLAST database) cannot be read: Error: volume 2 is gone."
    assert not (tmp_path / "x.swdb").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a script")
def test_the_reader_gets_the_path_as_one_word(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    name = pretend(tmp_path, monkeypatch, "print('>' + '|'.join(sys.argv[1:]).replace(' ', '_') + '\\nMKV')")
    ((identifier, _, _),) = read(name.name)
    assert identifier.startswith(f'-db|"{name}"|-dbtype|prot|-entry|all|'.replace(" ", "_"))


def test_without_the_reader_the_sentence_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "db.nal").write_text("TITLE x\nDBLIST y\n")
    for given in ("db", "db.nal"):
        with pytest.raises(SequenceError, match=r"'db\.nal' belongs to a BLAST database.*not installed") as caught:
            open_source(tmp_path / given)
        assert "ncbi-blast+" in caught.value.hint


def test_a_quotation_mark_in_the_path_is_refused(tmp_path, monkeypatch):
    name = pretend(tmp_path, monkeypatch, "") if sys.platform != "win32" else pytest.skip("no such names on Windows")
    odd = name.with_name('d"b.pin')
    odd.write_bytes(b"\0")
    with pytest.raises(SequenceError, match="quotation mark"):
        open_source(odd)


def test_files_with_such_endings_that_belong_to_no_database_are_read_as_they_are(tmp_path):
    for name in ("letters.pin", "1abc.pdb", "x.fasta"):
        path = tmp_path / name
        path.write_text(">a\nMKV\n")
    (tmp_path / "letters.pin").rename(tmp_path / "letters.psq")
    assert find_blast_database(tmp_path / "1abc.pdb") is None
    assert find_blast_database(tmp_path / "nothing") is None
    assert find_blast_database("a\0b") is None
    assert find_blast_database(tmp_path) is None
    assert read(tmp_path / "letters.psq") == [("a", "", b"MKV")]
    assert read(tmp_path / "x.fasta") == [("a", "", b"MKV")]


def test_searching_in_one_says_to_build_a_database_first(tmp_path):
    (tmp_path / "db.pin").write_bytes(b"\0\0\0\5")
    with pytest.raises(DatabaseError, match="is a BLAST database") as caught:
        open_any_database(tmp_path / "db")
    assert f"swgui makedb {tmp_path / 'db'}" in caught.value.hint


@needs_blast
def test_the_sample_through_blast(tmp_path):
    text = gzip.decompress((resources_dir() / "examples" / "sample_database.fasta.gz").read_bytes()).decode()
    fasta, name = make(tmp_path, text, "prot")
    assert read(name) == read(fasta)
