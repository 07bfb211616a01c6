"""Build the wheel and use it as a user would: in an environment of its own, outside the checkout.

    .venv/bin/python packaging/release/check_wheel.py

Checks that the program starts from site-packages, that kernels, resources and documentation went along, and that the
sample search finds haemoglobin alpha first: with `swgui-core` alone, which has no Qt and must say so in one sentence.
Then it installs `swgui`, whose window must open. The source distribution must hold all of the checkout that is needed
to build and to test.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Run by the wheel's own Python: where the package lies and what came with it.
LOCATE = """
import swgui
from swgui.paths import documentation, kernels_dir, resources_dir
from swgui.engines import native
if native.problem():
    raise SystemExit(native.problem())
for folder in (resources_dir() / "examples", kernels_dir(), documentation().parent):
    print(folder, sum(1 for file in folder.rglob("*") if file.is_file()))
"""
# What the source distribution must have, below its own folder.
SOURCES = (
    "pyproject.toml", "README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "swgui/__init__.py",
    "kernels/streaming.cu",
    "kernels/include/sw_cell.cuh", "kernels/cpu/level.c",
    "packaging/native.py", "resources/selfcheck.json", "resources/examples/sample_database.fasta.gz",
    "docs/index.md", "docs/conf.py", "packaging/bootstrap.py", "packaging/hatch_build.py",
    "packaging/release/swgui.spec", "swgui/_commit.txt",
    "tests/conftest.py",
)  # fmt: skip


def call(command: Sequence[str | Path], folder: Path, **variables: str) -> str:
    """Run a command in `folder`; return what it printed, or end with what it said."""
    done = subprocess.run(
        command, cwd=folder, env={**os.environ, **variables}, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def install(python: Path, *wheels: Path) -> None:
    """Install wheels and what they need into the environment of `python`, or end with the message of the installer."""
    sys.path.append(str(ROOT / "packaging"))
    from installer import installers

    for command, variables in installers([sys.executable, "-m", "pip", "--python", str(python)], python):
        done = subprocess.run([*command, *wheels], env=variables, capture_output=True, text=True, check=False)
        if not done.returncode:
            return
    sys.exit(f"{wheels[0].name} could not be installed:\n{done.stdout}{done.stderr}")


def check_core(swgui: Path, folder: Path, variables: dict[str, str]) -> None:
    """Check that an installation without Qt is well, and that its window is missed in one sentence."""
    doctor = call([swgui, "doctor"], folder, **variables)
    if "There is no window here" not in doctor:
        sys.exit(f"'swgui doctor' of swgui-core does not say that there is no window:\n{doctor}")
    done = subprocess.run([swgui], cwd=folder, env=os.environ | variables, capture_output=True, text=True, check=False)
    if done.returncode != 1 or done.stdout or done.stderr.count("\n") != 1 or "pip install swgui" not in done.stderr:
        sys.exit(f"'swgui' of swgui-core must say in one line how to install the window: {done}")


def check_whole(python: Path, core: Path, folder: Path, variables: dict[str, str]) -> Path:
    """Build `swgui`, install it over `swgui-core`, and open the window for a second; returns its wheel."""
    call([sys.executable, ROOT / "packaging" / "release" / "whole.py", folder / "whole"], ROOT)
    call([sys.executable, "-m", "build", "--wheel", "--outdir", folder / "made", folder / "whole"], folder)
    (whole,) = (folder / "made").glob("swgui-*-py3-none-any.whl")
    install(python, whole, core)
    opened = {"QT_QPA_PLATFORM": "offscreen", "SWGUI_QUIT_AFTER": "1"}
    call([python.with_name("swgui")], folder, **variables, **opened)
    return whole


def size_of(environment: Path) -> float:
    """Size of the files in an environment, in MB."""
    return sum(file.stat().st_size for file in environment.rglob("*") if file.is_file()) / 1e6


def check_source(folder: Path) -> None:
    """Build the source distribution and look for what it must have."""
    call([sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT], folder)
    (archive,) = folder.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames()}
    if missing := [name for name in SOURCES if name not in names]:
        sys.exit(f"{archive.name} lacks {', '.join(missing)}.")


def main() -> int:
    """Build, install and try the wheel."""
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="swgui-wheel-") as name:
        folder = Path(name)
        call([sys.executable, "-m", "build", "--wheel", "--outdir", folder, ROOT], folder)
        (wheel,) = folder.glob("*.whl")
        call([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], folder)
        python = folder / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        install(python, wheel)

        variables = {f"SWGUI_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "CACHE", "DATA")}
        core_mb = size_of(folder / "venv")
        check_core(python.with_name("swgui"), folder, variables)
        version = call([python.with_name("swgui"), "--version"], folder, **variables).strip()
        places = call([python, "-c", LOCATE], folder, **variables).splitlines()
        for place in places:
            where, count = place.rsplit(" ", 1)
            if not where.startswith(str(folder)) or not int(count):
                sys.exit(f"The wheel does not bring {Path(where).name}: {place}")
        examples = Path(places[0].rsplit(" ", 1)[0])
        files = ["-q", str(examples / "sample_queries.fasta"), "-d", str(examples / "sample_database.fasta.gz")]
        search = [str(python.with_name("swgui")), "search", *files, "--format", "blast6"]
        hits = call(search, folder, **variables).splitlines()
        best = hits[0].split("\t")
        if best[:2] != ["sp|P69905|HBA_HUMAN"] * 2 or float(best[2]) != 100.0:
            sys.exit(f"The sample search of the wheel does not find haemoglobin alpha first: {hits[0]}")
        whole = check_whole(python, wheel, folder, variables)
        check_source(folder)
        size = wheel.stat().st_size / 1e6
        print(f"{wheel.name}: {core_mb:.0f} MB installed, {whole.name}: {size_of(folder / 'venv'):.0f} MB")
        print(f"{wheel.name}: {size:.1f} MB, {version}, {len(hits)} hits; fine, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
