"""Commands on another computer, with a script in the place of ssh: processes of their own, in folders of their own."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from swgui.cli import main
from swgui.io.remote.computers import known_computers
from swgui.paths import resources_dir

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = resources_dir() / "examples"
SSHD = os.environ.get("SWGUI_SSHD") or shutil.which("sshd")
LONG = ("search", "-q", "long.fasta", "-d", "big", "-t", 1, "--evalue", 1000, "-o", "away.tsv")
COLUMNS = "qseqid,sseqid,score,evalue,bitscore,qstart,qend,sstart,send,cigar,qseq,sseq"


class There:
    """The other computer: folders of its own, and ``ssh`` that runs a command with them."""

    def __init__(self, folder, ssh=None):
        self.folder, self.here = folder / "there", folder
        self.variables = {f"SWGUI_{name}_DIR": str(self.folder / name.lower()) for name in ("DATA", "CACHE", "CONFIG")}
        (self.folder / "data" / "databases").mkdir(parents=True)
        program = folder / "bin" / "swgui"
        program.parent.mkdir()
        given = " ".join(f"{name}={value}" for name, value in {**self.variables, "PYTHONPATH": ROOT}.items())
        program.write_text(f'#!/bin/sh\n{given} exec {sys.executable} -m swgui "$@"\n')
        program.chmod(0o700)
        self.ssh = folder / "bin" / "ssh"
        lines = ("echo hello", f"PATH={program.parent}:$PATH", "for last; do :; done", 'exec sh -c "$last"')
        self.ssh.write_text(ssh or "\n".join(["#!/bin/sh", *lines, ""]))
        self.ssh.chmod(0o700)
        self.program = program
        self.own = {**os.environ, "PATH": f"{program.parent}:{os.environ['PATH']}", "PYTHONPATH": str(ROOT)} | {
            f"SWGUI_{name}_DIR": str(folder / f"here-{name}") for name in ("DATA", "CACHE", "CONFIG")
        }

    def swgui(self, *words, **more):
        """Run a command here."""
        command = [sys.executable, "-m", "swgui", *map(str, words)]
        return subprocess.run(command, cwd=self.here, env=self.own, capture_output=True, text=True, check=False, **more)

    def begin(self, *words):
        command = [sys.executable, "-m", "swgui", *map(str, words)]
        return subprocess.Popen(command, cwd=self.here, env=self.own, stderr=subprocess.PIPE, text=True)

    def build(self, source, name):
        place = self.folder / "data" / "databases" / f"{name}.swdb"
        assert main(["makedb", str(source), "-o", str(place)]) == 0
        shutil.copy(place, self.here / f"{name}.swdb")

    @property
    def runs(self):
        return sorted((self.folder / "data" / "remote" / "local").glob("*"))


@pytest.fixture
def there(tmp_path, capsys):
    made = There(tmp_path)
    made.build(EXAMPLES / "sample_proteins.fasta", "proteins")
    return made


def test_hits_and_alignments_of_another_computer_are_those_of_this_one(there, monkeypatch, capsys):
    query = str(EXAMPLES / "sample_queries.fasta")
    words = ("search", "-q", query, "--columns", COLUMNS, "-t", "1")
    away = there.swgui(*words, "-d", "proteins", "--on", "gpu1", "--history", "mine", "-o", "away.tsv")
    assert (away.returncode, away.stderr) == (0, "")
    for name, value in there.own.items():  # the rest without processes of this side
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(there.here)
    assert main([*words, "-d", "proteins.swdb", "-o", "here.tsv"]) == 0
    assert (there.here / "away.tsv").read_bytes() == (there.here / "here.tsv").read_bytes()
    assert (there.here / "away.tsv").stat().st_size > 1000
    assert there.runs == []
    for place in (there.here, there.folder / "data" / "databases"):  # alignments are drawn of what came over
        (place / "proteins.swdb").unlink()
    assert main(["show", "mine", "--columns", COLUMNS, "-o", "again.tsv"]) == 0
    assert "was not found" in capsys.readouterr().err
    assert (there.here / "again.tsv").read_bytes() == (there.here / "here.tsv").read_bytes()
    assert main([*words, "-d", "nr", "--on", "gpu1"]) == 1
    said = capsys.readouterr().err
    assert "no database 'nr'" in said
    assert "It has none" in said


def test_an_address_that_is_an_option_is_refused_before_ssh_is_started(capsys):
    for address in ("-oProxyCommand=x", "gpu1;ls"):
        with pytest.raises(SystemExit) as end:
            main(["search", "-q", "x.fasta", "-d", "y", f"--on={address}"])
        assert end.value.code == 2
        assert "no address" in capsys.readouterr().err


def test_the_list_of_computers(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_CONFIG_DIR", str(tmp_path))
    monkeypatch.setattr("swgui.cli.remote.databases_on", lambda link: [])
    token = tmp_path / "token"
    token.write_text("a-secret\n")
    assert main(["remote", "https://gpu1:8889", "--token-file", str(token)]) == 0
    assert main(["remote", "gpu2"]) == 0
    assert [(one.address, one.token) for one in known_computers()] == [("gpu2", ""), ("https://gpu1:8889", "a-secret")]
    assert (tmp_path / "computers.json").stat().st_mode & 0o077 == 0
    capsys.readouterr()
    assert main(["remote"]) == 0
    assert capsys.readouterr().out.splitlines() == ["gpu2", "https://gpu1:8889   with a token"]
    assert main(["remote", "gpu2", "--forget"]) == 0
    assert [one.address for one in known_computers()] == ["https://gpu1:8889"]


# By night: whole lives, over a script and over a real server


def over_sshd(folder):
    """Return the other computer behind a real sshd on loopback, and its process."""
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    port = 22022
    (folder / "sshd_config").write_text(
        f"Port {port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        f"PidFile {folder}/pid\nStrictModes no\nUsePAM no\nPasswordAuthentication no\n"
    )
    server = subprocess.Popen([SSHD, "-D", "-e", "-f", folder / "sshd_config"], stderr=subprocess.PIPE, text=True)
    assert "listening" in server.stderr.readline()
    options = f"-F none -p {port} -i {folder}/user -o StrictHostKeyChecking=no -o UserKnownHostsFile={folder}/known"
    real = shutil.which("ssh")
    return There(folder, f'#!/bin/sh\nexec {real} {options} "$@"\n'), server


@pytest.fixture(params=["script", pytest.param("sshd", marks=pytest.mark.skipif(not SSHD, reason="no sshd"))])
def long_run(request, tmp_path):
    """Return the other computer with a database that takes some seconds to search."""
    server = None
    if request.param == "sshd":
        made, server = over_sshd(tmp_path)
        host = f"ssh://127.0.0.1{made.program}"
    else:
        made, host = There(tmp_path), "gpu1"
    import random

    letters = random.Random(1)
    for name, count, length in (("big", 20_000, 300), ("long", 40, 400)):
        with (tmp_path / f"{name}.fasta").open("w") as file:
            for row in range(count):
                file.write(f">{name}{row}\n{''.join(letters.choices('ACDEFGHIKLMNPQRSTVWY', k=length))}\n")
    made.build(tmp_path / "big.fasta", "big")
    yield made, (*LONG, "--on", host)
    if server is not None:
        server.terminate()
        server.communicate()


def wait_for_scores(made):
    """Wait until the run there has scored something."""
    end = time.monotonic() + 120
    while time.monotonic() < end:
        if any(path.stat().st_size > 100_000 for run in made.runs for path in (run / "runs").glob("*.journal")):
            return
        time.sleep(0.1)
    raise AssertionError("nothing was scored")


def children(process):
    """Return the processes that a process has begun."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    return [int(one) for one in listed.read_text().split()] if listed.exists() else []


@pytest.mark.nightly
@pytest.mark.parametrize("how", ["break", "kill", "stop"])
def test_a_run_survives_its_line_and_its_caller(long_run, how):
    made, words = long_run
    here = made.swgui(*LONG[:3], "-d", "big.swdb", *LONG[5:-2], "-o", "here.tsv")
    assert here.returncode == 0, here.stderr
    caller = made.begin(*words)
    wait_for_scores(made)
    if how == "break":
        for line in children(caller.pid):  # ssh
            os.kill(line, signal.SIGKILL)
    else:
        caller.send_signal(signal.SIGKILL if how == "kill" else signal.SIGINT)
    said = caller.communicate()[1]
    if how == "kill":
        assert len(made.runs) == 1
    elif how == "stop":
        assert caller.returncode in (3, 130), said
        assert "stopped" in said
    if how != "break":
        again = made.swgui(*words)
        assert again.returncode == 0, again.stderr
        assert "is continued" in again.stderr
    assert (made.here / "away.tsv").read_bytes() == (made.here / "here.tsv").read_bytes()
    assert made.runs == []
