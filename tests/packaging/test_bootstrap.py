"""The two commands of the README: what they decide, and what they say when something is missing."""

from __future__ import annotations

import ast
import ctypes
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture
def modules(repository, monkeypatch):
    """The bootstrap scripts, imported as they import each other."""
    monkeypatch.syspath_prepend(str(repository / "packaging"))
    names = ("system", "installer", "environment", "commands")
    loaded = {name: importlib.import_module(name) for name in names}
    yield loaded
    for name in names:
        sys.modules.pop(name, None)


@pytest.fixture
def system(modules):
    return modules["system"]


@pytest.fixture
def environment(modules, tmp_path):
    """A made environment in a folder of its own, without anything in it."""
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    folder = tmp_path / ".venv"
    made = modules["environment"].Environment(tmp_path, folder, tmp_path / "log")
    made.python.parent.mkdir(parents=True)
    made.python.write_text("")
    (folder / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.11.2\n")
    return made


def write_stamp(environment, extras):
    environment.stamp.write_text(json.dumps({"key": environment.key(), "extras": extras}))


def test_old_python_is_told_so_in_one_sentence(repository):
    code = (
        "import runpy, sys; sys.version_info = (3, 9, 2, 'final', 0);"
        f"sys.argv = ['bootstrap.py', 'run']; runpy.run_path({str(repository / 'packaging' / 'bootstrap.py')!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Python 3.11 or newer is needed; this is Python 3.9.")
    assert "Traceback" not in done.stderr


def test_script_is_readable_for_an_old_python(repository):
    """Nothing that Python 2.7 cannot read: no annotations, no f-strings, no assignment expressions."""
    tree = ast.parse((repository / "packaging" / "bootstrap.py").read_text("utf-8"))
    kinds = {type(node).__name__ for node in ast.walk(tree)}
    assert kinds.isdisjoint({"JoinedStr", "AnnAssign", "NamedExpr", "Match", "arg", "AsyncFunctionDef"})


def test_stamp_is_found_again(environment):
    assert environment.installed_extras() == set()
    write_stamp(environment, ["dev"])
    assert environment.installed_extras() == {"base", "dev"}


def test_present_environment_installs_nothing(environment, monkeypatch):
    write_stamp(environment, ["cuda13", "dev"])
    monkeypatch.setattr(subprocess, "Popen", lambda *a, **k: pytest.fail("something was started"))
    environment.prepare(["dev"], renew=False, system_packages=False)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda e: (e.root / "pyproject.toml").write_text("[project]\nname = 'y'\n"),
        lambda e: (e.folder / "pyvenv.cfg").write_text("version = 3.12.1\n"),
        lambda e: e.python.unlink(),
        lambda e: e.stamp.write_text("{"),
        lambda e: e.stamp.unlink(),
    ],
    ids=["project file changed", "other Python", "no interpreter", "damaged stamp", "no stamp"],
)
def test_stale_environment_is_noticed(environment, spoil):
    write_stamp(environment, ["dev"])
    spoil(environment)
    assert environment.installed_extras() == set()


def test_foreign_folder_is_not_removed(modules, environment):
    (environment.folder / "pyvenv.cfg").unlink()
    with pytest.raises(modules["system"].Stop, match="is no virtual environment"):
        environment.prepare([], renew=True, system_packages=False)
    assert environment.python.exists()


def test_full_disk_is_noticed_before_anything_is_done(modules, environment, monkeypatch):
    usage = type("Usage", (), {"free": 5 << 20})
    monkeypatch.setattr(modules["environment"].shutil, "disk_usage", lambda path: usage)
    with pytest.raises(modules["system"].Stop, match=r"5 MB are free in .*, about \d+ MB are needed"):
        environment.prepare(["dev"], renew=False, system_packages=False)


def test_python_without_venv_names_the_package(modules, environment, monkeypatch):
    monkeypatch.setattr(modules["environment"].importlib.util, "find_spec", lambda name: None)
    with pytest.raises(modules["system"].Stop) as caught:
        environment.prepare([], renew=True, system_packages=False)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    assert f"apt-get install -y --no-install-recommends python{version}-venv" in caught.value.hint


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("OSError: [Errno 28] No space left on device", "The disk is full."),
        (
            "Failed to establish a new connection: [Errno -3] Temporary failure in name resolution\n"
            "ERROR: No matching distribution found for numpy>=2.0",
            "The package index cannot be reached.",
        ),
        (
            "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] ...'",
            "a certificate that pip does not",
        ),
        ("ERROR: No matching distribution found for gemmi>=0.7.5; x", "There is no package gemmi>=0.7.5 for this"),
        (
            "      FileNotFoundError: Forced include not found: kernels\nerror: metadata-generation-failed",
            "Forced include",
        ),
        ("nothing that is known", "The installation failed: pip failed."),
    ],
)
def test_failed_installation_is_explained(modules, output, expected):
    stop = modules["environment"].explain(output, Path("bootstrap.log"))
    assert expected in str(stop)
    assert "bootstrap.log" in stop.hint


@pytest.mark.parametrize(
    ("listed", "expected"),
    [
        ("", {}),
        ("global.index-url='https://mirror/simple'", {"UV_DEFAULT_INDEX": "https://mirror/simple"}),
        ("global.timeout='10'\n:env:.timeout='60'\ninstall.timeout='20'", {"UV_HTTP_TIMEOUT": "60"}),
        ("global.extra-index-url='\\nfile:///a\\nfile:///b'", {"UV_INDEX": "file:///a file:///b"}),
        ("global.find-links='/a /b'\n:env:.user='1'", {"UV_FIND_LINKS": "/a,/b"}),
        ("global.cert='/certificates'\nlist.format='json'", {"SSL_CERT_FILE": "/certificates"}),
        ("install.no-binary=':all:'\nglobal.cert='/certificates'", None),
        (None, None),
    ],
)
def test_settings_of_pip_are_told_to_uv(modules, listed, expected):
    assert modules["installer"].uv_variables(listed) == expected


def test_pip_installs_where_uv_cannot_be_told_its_settings(modules, monkeypatch):
    monkeypatch.setenv("PIP_NO_BINARY", ":all:")
    pip = [sys.executable, "-m", "pip"]
    ((command, variables),) = modules["installer"].installers(pip, Path(sys.executable))
    assert command[:4] == [*pip, "install"]
    assert variables["PIP_USER"] == "0"


def test_failing_command_gives_its_output(modules, tmp_path):
    follow = modules["environment"].follow
    log = tmp_path / "log"
    assert follow([sys.executable, "-c", "print('fine')"], log, {}) is None
    output = follow([sys.executable, "-c", "import sys; print('not fine'); sys.exit(3)"], log, {})
    assert output == "not fine\n"
    assert log.read_text() == "fine\nnot fine\n"


def test_missing_libraries_are_named_with_their_packages(system, monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(system.sys, "platform", "linux")
    monkeypatch.setattr(system, "loadable", lambda library: library != "libEGL.so.1")
    monkeypatch.setattr(system, "has_font", lambda: True)
    missing = system.missing_libraries(window=True)
    assert missing == {"libEGL.so.1": "libegl1"}
    assert not system.provide(missing, "by the window", tmp_path / "log", allowed=False)
    said = capsys.readouterr().out
    assert "Missing on this system, needed by the window: libEGL.so.1" in said
    assert "sudo apt-get install -y --no-install-recommends libegl1" in said


def test_window_needs_more_libraries_than_tests(system, monkeypatch):
    monkeypatch.setattr(system.sys, "platform", "linux")
    monkeypatch.setattr(system, "loadable", lambda library: False)
    offscreen, window = (system.missing_libraries(window=which) for which in (False, True))
    assert offscreen.keys() < window.keys()
    assert "libxcb-cursor.so.0" in window


def test_no_display_without_a_server(system, monkeypatch):
    monkeypatch.setattr(system.sys, "platform", "linux")
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    assert not system.has_display()
    monkeypatch.setenv("DISPLAY", ":7")
    assert system.has_display()
    monkeypatch.setenv("QT_QPA_PLATFORM", "offscreen")
    assert not system.has_display()


class FakeDriver:
    """NVIDIA's driver as the script sees it."""

    def __init__(self, version: int, devices: int, status: int = 0) -> None:
        self.version, self.devices, self.status = version, devices, status

    def cuInit(self, flags):
        return self.status

    def cuDeviceGetCount(self, pointer):
        ctypes.cast(pointer, ctypes.POINTER(ctypes.c_int))[0] = self.devices
        return 0

    def cuDriverGetVersion(self, pointer):
        ctypes.cast(pointer, ctypes.POINTER(ctypes.c_int))[0] = self.version
        return 0


@pytest.mark.parametrize(
    ("driver", "extra", "words"),
    [
        (None, "", "No NVIDIA driver found"),
        (FakeDriver(13_000, 0, status=100), "", "finds no GPU"),
        (FakeDriver(13_000, 1), "cuda13", "1 GPU found, driver for CUDA 13.0"),
        (FakeDriver(12_080, 2), "cuda12", "2 GPUs found, driver for CUDA 12.8"),
        (FakeDriver(11_040, 1), "", "serves CUDA 11.4"),
    ],
)
def test_extra_follows_the_driver(system, monkeypatch, driver, extra, words):
    monkeypatch.setattr(system, "driver_library", lambda: driver)
    found = system.find_driver()
    assert found.extra == extra
    assert words in found.sentence


def test_unknown_arguments_are_refused_for_run_and_passed_on_by_test(modules, capsys):
    parse = modules["commands"].parse
    assert parse(["test", "-k", "laws", "--", "-x"]).arguments == ["-k", "laws", "-x"]
    with pytest.raises(SystemExit):
        parse(["run", "--nonsense"])
    assert "--nonsense" in capsys.readouterr().err


def test_gpu_packages_that_do_not_exist_are_left_out(modules, monkeypatch, tmp_path, capsys):
    commands, system = modules["commands"], modules["system"]
    asked = []

    def prepare(self, extras, *, renew, system_packages):
        asked.append(list(extras))
        if "cuda13" in extras:
            raise system.NoPackage("There is no package cupy.", "Try --python.")

    monkeypatch.setattr(commands, "BUILD", tmp_path)
    monkeypatch.setattr(commands, "find_driver", lambda: system.Driver("cuda13", "1 GPU found."))
    monkeypatch.setattr(commands.Environment, "prepare", prepare)
    commands.prepare(commands.parse(["test"]), ["dev"])
    assert asked == [["dev", "cuda13"], ["dev"]]
    assert "Without the GPU packages: There is no package cupy." in capsys.readouterr().out
    with pytest.raises(system.NoPackage):
        commands.prepare(commands.parse(["test", "--cpu-only"]), ["cuda13"])


@pytest.mark.parametrize("given", [["--python", "/no/python"], ["--python=/no/python"]])
def test_python_that_is_not_there_is_named(modules, capsys, given):
    assert modules["commands"].main(["run", *given, "--terminal"]) == 1
    assert "/no/python cannot be started: No such file or directory. Name a Python" in capsys.readouterr().out


def test_named_python_runs_the_same_command(modules, monkeypatch):
    called = []
    monkeypatch.setattr(subprocess, "call", lambda command, **more: called.append(command) or 7)
    assert modules["commands"].main(["test", "--cpu-only", "--python", "/other/python", "-k", "laws"]) == 7
    (command,) = called
    assert command[0] == "/other/python"
    assert command[1].name == "bootstrap.py"
    assert command[2:] == ["test", "--this-python", "--cpu-only", "-k", "laws"]


def test_report_ends_after_its_first_alignment(modules):
    cut = modules["commands"].until_second_alignment
    report = "head\n\nQuery= Q\n\n>S1 one\nLength=3\n\nQuery 1 AAA 3\n\n\n>S2 two\nLength=4\n"
    assert cut(report) == "head\n\nQuery= Q\n\n>S1 one\nLength=3\n\nQuery 1 AAA 3\n"
    assert cut("no hits\n") == "no hits\n"
