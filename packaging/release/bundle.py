"""Build the bundle and the Debian package, start both, and look at what is in them.

    .venv/bin/python packaging/release/bundle.py                      # -> dist/swgui/ and dist/swgui_VERSION_ARCH.deb
    .venv/bin/python packaging/release/bundle.py --extra cuda13       # with the GPU engine
    .venv/bin/python packaging/release/bundle.py --check              # quickly and into build/, as CI does

The environment of the build is its own (build/bundle-env): what is installed in it decides what is bundled.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import deb
import licences
import stamp
from layout import METAINFO, WANTED

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).resolve().parent
BUILD = ROOT / "build"

SBOM = "cyclonedx-bom>=5"


def main() -> int:
    """Build and check; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--extra", action="append", default=[], help="extra to bundle; may be repeated")
    parser.add_argument("--check", action="store_true", help="into build/, compressed little, no environment kept")
    parser.add_argument("--dist", type=Path, help="folder (default: dist, or build/dist with --check)")
    options = parser.parse_args()
    dist = (options.dist or (BUILD / "dist" if options.check else ROOT / "dist")).resolve()
    started = time.monotonic()

    def tell(what: str) -> None:
        print(f"   {what}, {time.monotonic() - started:.0f} s", flush=True)

    program = f"{ROOT}[{','.join(['window', *options.extra])}]"
    python = make_environment("bundle-env", [program, "pyinstaller>=6.11"])
    tell("environment")
    call([python, "-m", "PyInstaller", "--noconfirm", "--log-level=ERROR", f"--distpath={dist}",
          f"--workpath={BUILD / 'pyinstaller'}", str(HERE / "swgui.spec")],
         env=os.environ | stamp.reproducible())  # fmt: skip
    bundle = dist / "swgui"
    tell(f"{licences.collect(BUILD / 'bundle-env', bundle)} licences")
    tell(f"{list_parts(python, dist)}: what is in it")
    size = sum(file.lstat().st_size for file in bundle.rglob("*") if not file.is_dir())
    tell(f"bundle, {size / 1e6:.0f} MB")
    start_bundle(bundle)
    tell("bundle started: window, picture, search, doctor")
    if shutil.which("dpkg-deb"):
        package = make_package(bundle, fast=options.check)
        tell(f"{package.name}, {package.stat().st_size / 1e6:.0f} MB; its content is complete and it starts")
    return 0


def make_environment(name: str, wanted: list[str]) -> Path:
    """Make an environment with some packages below the build folder; returns its Python."""
    folder = BUILD / name
    shutil.rmtree(folder, ignore_errors=True)
    call([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    call([sys.executable, "-m", "pip", "--python", str(python), "install", "--no-input", "-q", *wanted])
    return python


def list_parts(python: Path, dist: Path) -> str:
    """Write which packages an environment holds, with versions and licences, as CycloneDX; returns the file's name."""
    tool = make_environment("sbom-env", [SBOM])
    made = dist / f"swgui-{stamp.version()}.cdx.json"
    call([tool, "-m", "cyclonedx_py", "environment", str(python), f"--pyproject={ROOT / 'pyproject.toml'}",
          "--output-reproducible", "--validate", "--output-file", str(made)],
         env=os.environ | stamp.reproducible())  # fmt: skip
    return made.name


def start_bundle(bundle: Path) -> None:
    """Start the bundle as a user would, without this environment."""
    if dangling := [path.name for path in bundle.rglob("*") if path.is_symlink() and not path.exists()]:
        sys.exit(f"Links of the bundle lead nowhere: {', '.join(dangling)}.")
    program = str(bundle / ("swgui.exe" if os.name == "nt" else "swgui"))
    with tempfile.TemporaryDirectory(prefix="swgui-bundle-") as name:
        folder = Path(name)
        kept = {
            key: value for key, value in os.environ.items() if key in ("SYSTEMROOT", "TEMP", "DISPLAY", "XAUTHORITY")
        }
        clean = kept | {"HOME": name, "PATH": os.defpath, "LANG": "C.UTF-8", "QT_QPA_PLATFORM": "offscreen"}
        picture = folder / "window.png"
        call([program, "--snapshot", str(picture)], env=clean, cwd=folder)
        if picture.stat().st_size < 20_000:
            sys.exit(f"The picture of the window is too small to be one: {picture.stat().st_size} bytes.")
        call([program], env=clean | {"SWGUI_QUIT_AFTER": "1"}, cwd=folder)
        said = call([program, "doctor"], env=clean, cwd=folder)
        for engine in ("cpu", "reference"):
            if engine not in said:
                sys.exit(f"'swgui doctor' of the bundle does not name the engine {engine}:\n{said}")
        if "compiled library is in use" not in said:
            sys.exit(f"The bundle does not use its compiled library:\n{said}")
    tests = [sys.executable, "-m", "pytest", "-q", "--no-header", str(ROOT / "tests" / "packaging" / "test_frozen.py")]
    call(tests, env=os.environ | {"SWGUI_FROZEN": str(bundle)}, cwd=ROOT)


def make_package(bundle: Path, *, fast: bool) -> Path:
    """Make the Debian package, and check its content by unpacking it and starting what comes out."""
    package = deb.build(bundle, bundle.parent, fast=fast)
    with tempfile.TemporaryDirectory(prefix="swgui-deb-") as name:
        root = Path(name)
        call(["dpkg-deb", "-x", str(package), name])
        if missing := [path for path in WANTED if not (root / path).exists()]:
            sys.exit(f"The package lacks {', '.join(missing)}.")
        for *validator, file in (
            ["desktop-file-validate", "applications/swgui.desktop"],
            ["appstreamcli", "validate", "--no-net", f"metainfo/{METAINFO}"],
        ):
            if shutil.which(validator[0]):
                call([*validator, str(root / "usr" / "share" / file)])
        said = call([str(root / "usr/bin/swgui"), "--version"], env={"HOME": name, "PATH": os.defpath})
        if said.strip() != f"swgui {stamp.version()}":
            sys.exit(f"The program of the package says '{said}' when asked for its version.")
    return package


def call(command: list[str | Path], **more: object) -> str:
    """Run a command; return what it printed, or end with what it said."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, **more)  # type: ignore[call-overload]
    if done.returncode:
        sys.exit(
            f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stdout[-4000:]}{done.stderr[-4000:]}"
        )
    return str(done.stdout)


if __name__ == "__main__":
    sys.exit(main())
