"""Faults from outside while the program works: files that go, programs that meet, files made to do harm."""

import os
import subprocess
import sys
import threading
from itertools import pairwise

import numpy as np
import pytest

from swgui.core.alphabet import PROTEIN
from swgui.core.errors import SwguiError
from swgui.io.database.build import build_database
from swgui.io.database.file import check_database, open_database
from swgui.io.sequences.reader import read_sequences, read_text
from swgui.io.tables.hits import HitTableError, read_hit_table
from swgui.jobs.events import Finished, Progress, Stage, finishing
from swgui.jobs.search.run import search_steps
from tests.asking import BLOSUM62, answer, search_request
from tests.described import describe_hits

pytestmark = pytest.mark.usefixtures("user_folders")


@pytest.fixture
def source(tmp_path):
    letters = np.random.default_rng(2).integers(0, 20, (300, 80), dtype=np.uint8)
    path = tmp_path / "source.fasta"
    path.write_text("".join(f">p{n}\n{PROTEIN.decode(row).decode()}\n" for n, row in enumerate(letters)))
    return path


def request_for(database, query):
    return search_request(queries=(query,), database=database, scheme=BLOSUM62, engine="cpu")


@pytest.mark.parametrize("kind", ["sequence file", "database file"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows lets nobody delete a file that is open")
def test_a_database_deleted_during_a_search_is_searched_to_its_end(source, tmp_path, kind):
    """Open files stay readable, also for the alignments."""
    query = next(read_sequences(source))
    *_, undisturbed = finishing(search_steps(request_for(source, query), threading.Event()))
    path = source
    if kind == "database file":
        path = tmp_path / "db.swdb"
        build_database([source], path)
    deleted = False
    for event in finishing(search_steps(request_for(path, query), threading.Event())):
        if not deleted and (isinstance(event, Progress) or event == Stage("Preparing the engine")):
            path.unlink()
            deleted = True
        last = event
    assert deleted
    assert isinstance(last, Finished)
    assert last.outcome.state == "complete"
    assert np.array_equal(last.outcome.queries[0].scores, undisturbed.outcome.queries[0].scores)
    assert next(describe_hits(last.outcome, 0, [0])).subject.id == "p0"


def test_a_source_deleted_before_it_is_read_is_named(source):
    request = request_for(source, next(read_sequences(source)))
    events = finishing(search_steps(request, threading.Event()))
    source.unlink()
    with pytest.raises(SwguiError, match="There is no file"):
        list(events)


BUILD = """
import sys
from swgui.io.database.build import build_database
for _ in range(5):
    build_database([sys.argv[1]], sys.argv[2])
"""


def test_two_programs_may_build_the_same_database_at_once(source, tmp_path, repository):
    target = tmp_path / "same.swdb"
    command = [sys.executable, "-c", BUILD, str(source), str(target)]
    builders = [subprocess.Popen(command, cwd=repository, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    for builder in builders:
        assert builder.communicate(timeout=60)[1] == ""
        assert builder.returncode == 0
    assert check_database(target).sequences == 300
    assert [path.name for path in tmp_path.glob("*same*")] == ["same.swdb"]


BOMB = """<?xml version="1.0"?>
<!DOCTYPE BlastOutput [
<!ENTITY a "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa">
{entities}
]>
<BlastOutput><BlastOutput_version>&{last};</BlastOutput_version></BlastOutput>
"""


def test_an_xml_bomb_is_refused(tmp_path):
    """Each entity is ten of the one before: ten levels would be 800 GB."""
    names = "abcdefghijk"
    entities = "\n".join(f'<!ENTITY {name} "{f"&{before};" * 10}">' for before, name in pairwise(names))
    path = tmp_path / "bomb.xml"
    path.write_text(BOMB.format(entities=entities, last=names[-1]))
    with pytest.raises(HitTableError, match=r"bomb\.xml' is broken XML at line"):
        read_hit_table(path)


def test_xml_reads_no_other_file(tmp_path):
    secret = tmp_path / "secret.txt"
    secret.write_text("a secret")
    path = tmp_path / "outside.xml"
    path.write_text(
        f'<?xml version="1.0"?><!DOCTYPE BlastOutput [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'
        "<BlastOutput><BlastOutput_version>&x;</BlastOutput_version><Iteration></Iteration></BlastOutput>"
    )
    try:
        program = read_hit_table(path).program
    except HitTableError:
        program = ""
    assert "secret" not in program


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_the_command_line_reads_every_encoding(tmp_path, capsys, encoding, ends):
    from swgui.cli import main

    folder = tmp_path / "путь с пробелами"
    folder.mkdir()
    path = folder / "запрос =1+1.txt"
    path.write_bytes(f">größe first{ends}MKVLWAALLV{ends}TFLAGCQ{ends}".encode(encoding))
    assert main(["search", "-q", str(path), "-d", str(path), "--engine", "cpu", "--format", "blast6"]) == 0
    fields = capsys.readouterr().out.split("\t")
    assert fields[:3] == ["größe", "größe", "100.000"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_read_once_like_a_file(source, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(source.read_bytes()), daemon=True)
    writer.start()
    query = read_text(">q\nMKVLWAALLVTFLAGCQ\n")[0]
    result = answer(request_for(pipe, query))
    writer.join()
    assert len(result.database) == 300


def test_a_link_that_leads_in_a_circle_cannot_be_opened(tmp_path):
    one, two = tmp_path / "one.fa", tmp_path / "two.fa"
    try:
        one.symlink_to(two)
        two.symlink_to(one)
    except OSError as error:
        pytest.skip(f"no symbolic links here: {error}")
    with pytest.raises(SwguiError, match="cannot be opened"):
        list(read_sequences(one))


def test_a_database_with_a_thousand_names_of_markup_keeps_them(tmp_path):
    names = [f"<img/src=x_{n}>&{{}}%s" for n in range(1000)]
    path = tmp_path / "markup.fa"
    path.write_text("".join(f">{name} <b>bold</b>\nMKV\n" for name in names))
    build_database([path], tmp_path / "markup.swdb")
    assert list(open_database(tmp_path / "markup.swdb").ids) == names
