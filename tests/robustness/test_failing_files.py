"""Files that cannot be read or written, in every command: one sentence and an exit status, never a traceback."""

import builtins
import errno
import io
import os
import threading
from contextlib import suppress
from pathlib import Path

import pytest

import swgui
from swgui.cli import main
from swgui.commands.table import COMMANDS
from swgui.core.errors import FileFault, SwguiError, explained, explaining

PROTEINS = ">a\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILSRVGDGTQDNLSGAEKAV\n>b\nMKTAYIAKQRQISFVKSHFSRQLEERLGLIEVQAPILS\n"
ENGINE = ("--engine", "cpu")
READ = "{}"  # the file of a command that fails

# Command lines, and the file in whose place one is put that cannot be read.
INPUTS = [
    ("search -q {} -d db.swdb", "p.fa"),
    ("search -q p.fa -d {}", "p.fa"),
    ("search -q p.fa -d {}", "db.swdb"),
    ("search -q p.fa -d {}", "packed.swdb"),
    ("search -q p.fa -d db.swdb --matrix {}", "matrix.txt"),
    ("search --start-from {} -d db.swdb", "family.a3m"),
    ("search --start-from {} -d db.swdb", "family.json"),
    ("audit -q p.fa -d db.swdb --table {}", "hits.tsv"),
    ("audit -q {} -d db.swdb --table hits.tsv", "p.fa"),
    ("msa -q {} -d db.swdb -o out.a3m", "p.fa"),
    ("msa -q p.fa -d {} -o out.a3m", "db.swdb"),
    ("serve -d {}", "packed.swdb"),
    ("mcp -d {}", "packed.swdb"),
    ("deeper -q {} -d db.swdb --neighbours", "p.fa"),
    ("deeper -q p.fa -d {} --neighbours", "db.swdb"),
    ("rule peptides -q {} -d db.swdb", "p.fa"),
    ("rule peptides -q p.fa -d {}", "packed.swdb"),
    ("leak {} p.fa", "db.swdb"),
    ("leak p.fa {}", "p.fa"),
    ("leak p.fa --split {}", "split.tsv"),
    ("judge {} p.fa", "clusters.tsv"),
    ("judge clusters.tsv {}", "p.fa"),
    ("cluster {}", "p.fa"),
    ("cluster {}", "net.swnet"),
    ("split {}", "p.fa"),
    ("network {} -o out.swnet", "db.swdb"),
    ("network {} --export out.graphml", "net.swnet"),
    ("pair {} b.fa", "b.fa"),
    ("pair b.fa {}", "b.fa"),
    ("merge {} -d db.swdb", "one.part"),
    ("show {}", "run.swgui"),
    ("find {} a", "run.swgui"),
    ("find run.swgui a -d {}", "db.swdb"),
    ("diff {} db.swdb", "run.swgui"),
    ("diff run.swgui {}", "db.swdb"),
    ("compare {} run.swgui", "run.swgui"),
    ("verify {}", "run.swgui"),
    ("verify {} -d db.swdb", "rule.json"),
    ("verify run.swgui -d {}", "db.swdb"),
    ("covariation {}", "rna.a3m"),
    ("watch add w -q {} -d db.swdb --folder watches", "p.fa"),
    ("watch add w -q p.fa -d {} --folder watches", "db.swdb"),
    ("makedb {} -o out.swdb", "p.fa"),
    ("makedb {} -o out.swdb --packed", "db.swdb"),
    ("makedb p.fa -o out.swdb --organisms {}", "organisms.tsv"),
    ("makedb p.fa -o out.swdb --letters {} --letters-alphabet 3di", "p.fa"),
    ("update {}", "db.swdb"),
    ("update db.swdb --from {} -o out.swdb", "p.fa"),
    ("fetch-query a -d {}", "db.swdb"),
    ("info {}", "db.swdb"),
    ("info {} --check", "packed.swdb"),
    ("info {} --organisms", "db.swdb"),
    ("bench --database {} --query 20", "db.swdb"),
    ("bench --query {} --axes quick", "p.fa"),
]
# Commands that write, with the file that the disk has no space for.
OUTPUTS = [
    "search -q p.fa -d db.swdb -o /dev/full",
    "search -q p.fa -d db.swdb --scores /dev/full",
    "search -q p.fa -d db.swdb --statistics /dev/full",
    "search -q p.fa -d db.swdb --save full.swgui",
    "audit -q p.fa -d db.swdb --table hits.tsv -o /dev/full",
    "msa -q a.fa -d db.swdb -o full.a3m",
    "deeper -q p.fa -d db.swdb --neighbours -o /dev/full",
    "rule peptides -q b.fa -d db.swdb -o /dev/full",
    "rule peptides -q b.fa -d db.swdb --certificate full.json",
    "leak p.fa b.fa -o /dev/full",
    "leak p.fa b.fa --report full.html",
    "judge clusters.tsv p.fa -o /dev/full",
    "cluster p.fa -o /dev/full",
    "split p.fa -o /dev/full",
    "network p.fa -o full.swnet",
    "network p.fa --export full.graphml",
    "pair b.fa b.fa -o /dev/full",
    "merge one.part two.part -d db.swdb -o /dev/full",
    "show run.swgui -o /dev/full",
    "find run.swgui a -o /dev/full",
    "diff run.swgui db.swdb -o /dev/full",
    "compare run.swgui run.swgui -o /dev/full",
    "covariation rna.a3m -o /dev/full",
    "watch list --folder watches -o /dev/full",
    "makedb p.fa -o full.swdb",
    "makedb p.fa -o full.swdb --packed",
    "makedb odd.fa -o out.swdb --remarks /dev/full",
    "update db.swdb --from a.fa --changes /dev/full -o out.swdb",
    "fetch-query a -d db.swdb -o /dev/full",
]
WITHOUT_FILES = {
    "get",
    "databases",
    "cache",
    "sample",
    "worker",
    "remote",
    "project",
    "devices",
    "doctor",
    "completion",
    "formats",
    "columns",
    "help",
    "version",
}


def command(words, *more):
    name = words.split()[0]
    engine = (
        ENGINE
        if "--engine" in {o for group in COMMANDS[name].groups() for opt in group.options for o in opt.names}
        else ()
    )
    return [*words.split(), *engine, *more]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a file of every kind that commands read."""
    folder = tmp_path_factory.mktemp("files")
    (folder / "p.fa").write_text(PROTEINS)
    (folder / "a.fa").write_text(PROTEINS[: PROTEINS.index(">b")])
    (folder / "b.fa").write_text(PROTEINS[PROTEINS.index(">b") :])
    (folder / "odd.fa").write_text(">odd\nMKTA$YIAK\n")
    (folder / "clusters.tsv").write_text("a\ta\na\tb\n")
    (folder / "split.tsv").write_text("sequence\tpart\na\ttrain\nb\ttest\n")
    (folder / "organisms.tsv").write_text("a\tHomo sapiens\nb\t10090\n")
    (folder / "family.a3m").write_text(">a\nMKTAYIAKQR\n>b\nMKTAYIAKQK\n")
    (folder / "rna.a3m").write_text(">a\nGGGAAAACCC\n>b\nGCGAAAACGC\n>c\nGAGAAAACUC\n")
    (folder / "matrix.txt").write_text("   A  C\nA  4 -1\nC -1  9\n")
    before = Path.cwd()
    os.chdir(folder)
    try:
        for words in (
            "makedb p.fa -o db.swdb",
            "makedb p.fa -o packed.swdb --packed",
            "search -q p.fa -d db.swdb --save run.swgui -o hits.tsv --format blast6",
            "search -q a.fa -d db.swdb --iterations 2 --save-profile family.json -o x.tsv",
            "search -q p.fa -d db.swdb --part 1/2 -o one.part",
            "search -q p.fa -d db.swdb --part 2/2 -o two.part",
            "rule peptides -q b.fa -d db.swdb --certificate rule.json -o x.tsv",
            "network p.fa -o net.swnet",
        ):
            assert main(command(words)) == 0, words
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    for file in made.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(words, capsys, *more):
    """Run a command; its status, once what it says was looked at."""
    try:
        status = main(command(words, *more))
    except SystemExit as end:
        status = end.code
    err = capsys.readouterr().err
    assert "Traceback" not in err
    assert "[Errno" not in err
    if status:
        last = [line for line in err.splitlines() if not line.startswith("usage: ")][-1]
        assert last.startswith("swgui"), err
        assert last.endswith((".", "?", "!")), last
    return status


def nightly(value):
    """Return a parameter that is tried in the night alone."""
    return pytest.param(value, marks=pytest.mark.nightly)


def test_every_command_is_tried():
    reading, writing = {words.split()[0] for words, _ in INPUTS}, {words.split()[0] for words in OUTPUTS}
    assert reading | WITHOUT_FILES == set(COMMANDS)
    assert reading - writing == {"serve", "mcp", "info", "verify", "bench"}


@pytest.mark.skipif(not os.path.exists("/proc/self/mem"), reason="a file of Linux")
@pytest.mark.parametrize("words", sorted({words for words, _ in INPUTS}))
@pytest.mark.parametrize("kind", ["/proc/self/mem", "folder", *(nightly(kind) for kind in ("gone", "pipe", "empty"))])
def test_what_cannot_be_read(folder, capsys, words, kind):
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    opened = threading.Event()
    if kind == "pipe":
        os.mkfifo(folder / "pipe")

        def write_nothing():
            os.close(os.open(folder / "pipe", os.O_WRONLY))
            opened.set()

        threading.Thread(target=write_nothing, daemon=True).start()
    try:
        status = run(words.replace(READ, kind), capsys)
    finally:
        if kind == "pipe" and not opened.is_set():
            os.close(os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK))
    assert status in (1, 2)


class Failing(io.FileIO):
    """A file of which the system can read so many bytes only."""

    def __init__(self, path, good):
        super().__init__(path)
        self.good = good

    def readinto(self, buffer):
        if self.tell() + len(buffer) > self.good:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().readinto(buffer)

    def readall(self):
        raise OSError(errno.EIO, os.strerror(errno.EIO))


def fail_for(monkeypatch, path, good):
    """Have every way in which Python opens a file for reading give one that fails."""
    plain = io.open

    def opened(file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None):
        if isinstance(file, str | os.PathLike) and os.path.abspath(file) == str(path) and not set(mode) & set("wax+"):
            raw = Failing(file, good)
            if buffering == 0:
                return raw
            binary = io.BufferedReader(raw)
            return binary if "b" in mode else io.TextIOWrapper(binary, encoding, errors, newline)
        return plain(file, mode, buffering, encoding, errors, newline, closefd, opener)

    class Named(Failing):
        def __init__(self, file, opener=None):
            super().__init__(file, good if os.path.abspath(file) == str(path) else 1 << 60)

        def readall(self):
            return super().readall() if self.good < 1 << 60 else io.FileIO.readall(self)

    monkeypatch.setattr(builtins, "open", opened)
    monkeypatch.setattr(io, "open", opened)
    monkeypatch.setattr("swgui.io.opening._Named", Named)


@pytest.mark.parametrize(("words", "name"), INPUTS)
@pytest.mark.parametrize("share", [0, nightly(0.5)])
def test_a_drive_that_fails(folder, capsys, monkeypatch, words, name, share):
    if words.startswith(("serve", "mcp")) and share:
        pytest.skip("what was read is enough to begin to serve")
    (folder / f"bad{Path(name).suffix}").write_bytes((folder / name).read_bytes())
    path = folder / f"bad{Path(name).suffix}"
    fail_for(monkeypatch, path, int(share * path.stat().st_size))
    status = run(words.replace(READ, path.name), capsys)
    assert status in ((1, 2) if not share else (0, 1, 2))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a device of Linux")
@pytest.mark.parametrize("words", OUTPUTS)
def test_a_full_disk(folder, capsys, words):  # as the target of a link, too
    for name in ("full.swgui", "full.a3m", "full.json", "full.html", "full.swnet", "full.graphml", "full.swdb"):
        (folder / name).symlink_to("/dev/full")
    assert run(words, capsys) == 1


@pytest.mark.parametrize(
    ("fault", "sentence"),
    [
        (OSError(errno.EIO, "Input/output error"), "A file cannot be read or written: Input/output error. Check"),
        (OSError(errno.EIO, "Input/output error", "/a/b"), "'/a/b' cannot be read or written: Input/output error."),
        (OSError(errno.EIO, "Input/output error", b"/a/\xff"), "'/a/\N{REPLACEMENT CHARACTER}' cannot be read"),
        (PermissionError(errno.EACCES, "Permission denied", "x"), "'x' may not be read or written by you."),
        (OSError(errno.EMFILE, "Too many open files", "x"), "'x' cannot be opened: too many files are open."),
        (OSError("odd"), "A file cannot be read or written: odd."),
        (OSError(), "A file cannot be read or written: OSError."),
        (ConnectionResetError(errno.ECONNRESET, "Connection reset by peer"), "A connection failed: Connection reset"),
        (TimeoutError(), "A connection failed: TimeoutError."),
    ],
)
def test_faults_of_the_system_are_explained(fault, sentence):
    made = explained(fault)
    assert str(made).startswith(sentence)
    assert isinstance(made, SwguiError)
    assert isinstance(made, OSError)
    assert made.errno == fault.errno
    assert explained(made) is made
    with pytest.raises(type(made)), explaining():
        raise fault
    with pytest.raises(BrokenPipeError), explaining():
        raise BrokenPipeError


def test_the_log_has_the_sentence(folder, capsys, monkeypatch):
    fail_for(monkeypatch, folder / "run.swgui", 0)
    assert run("show run.swgui", capsys, "--log", "log.txt") == 1
    assert "Input/output error." in (folder / "log.txt").read_text()


def test_the_library_raises_errors_with_a_sentence(folder, monkeypatch):
    for name in ("run.swgui", "packed.swdb", "p.fa"):
        with monkeypatch.context() as patch:
            fail_for(patch, folder / name, 0)
            with pytest.raises(SwguiError) as caught:
                swgui.load(name) if name == "run.swgui" else swgui.Database(name)
            assert "Input/output error" in str(caught.value)
            if name == "run.swgui":
                assert isinstance(caught.value, FileFault)
            with suppress(SwguiError):
                swgui.search("p.fa", name, engine="reference")
