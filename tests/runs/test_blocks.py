"""A search of a packed database in blocks that keeps the best alone: killed at any moment it continues from there."""

import shutil
import signal
import subprocess
import sys

import numpy as np
import pytest

from swgui.cli import main
from swgui.core.alphabet import PROTEIN
from swgui.core.database import encode_database
from swgui.io.database.packed import opening, writer
from swgui.io.database.packed.build import save_packed
from swgui.io.saved.score_log import ScoreLog
from swgui.jobs.search import run
from swgui.runs import Runs
from swgui.runs.records import new_id
from tests.cli.several.test_several import LETTERS, write
from tests.core.several.test_joined import records, with_relatives

pytestmark = pytest.mark.usefixtures("user_folders", "trusted_engines")


FEW: dict[tuple[object, str], int] = {
    (opening, "WHOLE_SHARE"): 1 << 40,  # no database is held in memory
    (run, "SCORE_BYTES_LIMIT"): 0,
    (run, "KEPT_BEST"): 12,
}


@pytest.fixture
def words(tmp_path, monkeypatch):
    """Options of a search of a database in several blocks."""
    for (module, name), value in FEW.items():
        monkeypatch.setattr(module, name, value)
    monkeypatch.setitem(writer.PackedWriter.__init__.__kwdefaults__, "block_sequences", 90)
    chance = np.random.default_rng(3)
    queries = [record for record in records(chance, 9, LETTERS, 90) if len(record.residues) > 30][:2]
    made = [one for one in with_relatives(chance, records(chance, 700, LETTERS), queries, LETTERS) if one.residues]
    save_packed(encode_database(made, PROTEIN, "packed"), tmp_path / "packed.swdb")
    return ["-q", str(write(tmp_path / "q.fasta", queries)), "-d", str(tmp_path / "packed.swdb")]


def searched(folder, *words):
    assert main(["search", "--quiet", *words, "-o", str(folder / "hits.tsv")]) == 0
    return (folder / "hits.tsv").read_bytes()


def kept(folder, words):
    """Search to the end; returns the table, and the journal as it was then."""
    with pytest.MonkeyPatch.context() as patch:
        delete = ScoreLog.delete
        patch.setattr(ScoreLog, "delete", lambda self: (shutil.copy(self.path, folder / "whole"), delete(self)))
        whole = searched(folder, *words, "--engine", "cpu", "--top", "5", "--evalue", "1000", "--history", "x")
    return whole, (folder / "whole").read_bytes()


def begun(journal):
    """Return the place in a journal from which on it is known what is searched."""
    return journal.index(b'"pieces"') + 50


def test_it_goes_on_wherever_it_was_killed(tmp_path, words, monkeypatch, capsys):
    added, add = [], ScoreLog.add
    monkeypatch.setattr(ScoreLog, "add", lambda self, chunk: (added.append(chunk), add(self, chunk)))
    whole, journal = kept(tmp_path, words)
    assert whole.count(b"\n") > 10
    assert all(chunk.best_of is not None and len(chunk.scores) < 18 for chunk in added)
    left = [len(added)]
    for place in np.linspace(begun(journal), len(journal), 3).astype(int):  # a kill leaves a beginning
        added.clear()
        run_id = new_id()
        (Runs().folder / f"{run_id}.journal").write_bytes(journal[:place])
        assert searched(tmp_path, "--resume", run_id) == whole
        left.append(len(added))
    assert left[0] == left[1] > left[2] > left[3] == 0
    for limits, name, value in (
        (run, "KEPT_BEST", 50),
        (opening, "WHOLE_SHARE", 2),
    ):  # more are needed; other blocks
        run_id = new_id()
        (Runs().folder / f"{run_id}.journal").write_bytes(journal)
        with monkeypatch.context() as patch:
            patch.setattr(limits, name, value)
            assert main(["search", "--resume", run_id]) != 0
        assert "has changed since" in capsys.readouterr().err


KILLED = """
import os, signal, sys
root, left, *words = sys.argv[1:]
sys.path.insert(0, root)
from swgui.cli import main
from swgui.io.saved.log import MAGIC, Log
from tests.runs.test_blocks import FEW
for (module, name), value in FEW.items():
    setattr(module, name, value)
write, left = Log.write_frames, int(left) - len(MAGIC)
def killed(self, frames):
    global left
    content = b"".join(map(bytes, frames))
    write(self, [content[:left]])
    left -= len(content)
    if left <= 0:
        os.kill(os.getpid(), signal.SIGKILL)
Log.write_frames = killed
sys.exit(main(words))
"""


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL")
def test_it_goes_on_when_it_is_killed_at_any_byte(tmp_path, words, repository):
    whole, journal = kept(tmp_path, words)
    asked = [*words, "--engine", "cpu", "--top", "5", "--evalue", "1000", "--history"]
    for place in np.linspace(begun(journal), 0.97 * len(journal), 20).astype(int).tolist():  # times differ in length
        run_it = [sys.executable, "-c", KILLED, str(repository), str(place), "search", "--quiet", *asked, f"at {place}"]
        assert subprocess.run(run_it, check=False).returncode == -signal.SIGKILL
        (run_id,) = [record.id for record in Runs().list() if record.state == "interrupted"]
        assert searched(tmp_path, "--resume", run_id) == whole
