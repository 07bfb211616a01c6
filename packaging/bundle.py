"""Build the bundle and the Debian package, start both, and look at what is in them.

    .venv/bin/python packaging/bundle.py                      # -> dist/swgui/ and dist/swgui_VERSION_ARCH.deb
    .venv/bin/python packaging/bundle.py --extra cuda13       # with the GPU engine
    .venv/bin/python packaging/bundle.py --check              # quickly and into build/, as CI does

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

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"

# What must be in the package, wherever it is made.
WANTED = (
    "usr/bin/swgui",
    "usr/bin/swgui-window",
    "usr/lib/swgui/swgui",
    "usr/lib/swgui/_internal/kernels/streaming.cu",
    "usr/lib/swgui/_internal/kernels/include/sw_cell.cuh",
    "usr/lib/swgui/_internal/resources/examples/sample_database.fasta.gz",
    "usr/lib/swgui/_internal/resources/selfcheck.json",
    "usr/lib/swgui/_internal/docs/index.html",
    "usr/share/applications/swgui.desktop",
    "usr/share/mime/packages/swgui.xml",
    "usr/share/icons/hicolor/scalable/apps/swgui.svg",
    "usr/share/man/man1/swgui.1.gz",
    "usr/share/doc/swgui/copyright",
)


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

    python = make_environment(options.extra)
    tell("environment")
    call([python, "-m", "PyInstaller", "--noconfirm", "--log-level=ERROR", f"--distpath={dist}",
          f"--workpath={BUILD / 'pyinstaller'}", str(ROOT / "packaging" / "swgui.spec")])  # fmt: skip
    bundle = dist / "swgui"
    size = sum(file.lstat().st_size for file in bundle.rglob("*") if not file.is_dir())
    tell(f"bundle, {size / 1e6:.0f} MB")
    check_bundle(bundle)
    tell("bundle started: window, picture, search, doctor")
    if shutil.which("dpkg-deb"):
        package = make_package(bundle, fast=options.check)
        tell(f"{package.name}, {package.stat().st_size / 1e6:.0f} MB; its content is complete and it starts")
    return 0


def make_environment(extras: list[str]) -> Path:
    """Make the environment of the build; returns its Python."""
    folder = BUILD / "bundle-env"
    shutil.rmtree(folder, ignore_errors=True)
    call([sys.executable, "-m", "venv", "--without-pip", str(folder)])
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    wanted = [f"{ROOT}[{','.join(extras)}]", "pyinstaller>=6.11"]
    call([sys.executable, "-m", "pip", "--python", str(python), "install", "--no-input", "-q", *wanted])
    return python


def check_bundle(bundle: Path) -> None:
    """Start the bundle as a user would, with nothing of this environment."""
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
                sys.exit(f"'swgui doctor' of the bundle says nothing of the engine {engine}:\n{said}")
        if "compiled library is in use" not in said:
            sys.exit(f"The bundle does not use its compiled library:\n{said}")
    tests = [sys.executable, "-m", "pytest", "-q", "--no-header", str(ROOT / "tests" / "packaging" / "test_frozen.py")]
    call(tests, env=os.environ | {"SWGUI_FROZEN": str(bundle)}, cwd=ROOT)


def make_package(bundle: Path, *, fast: bool) -> Path:
    """Make the Debian package, and check its content by unpacking it and starting what comes out."""
    sys.path.insert(0, str(ROOT / "packaging"))
    import deb

    package = deb.build(bundle, bundle.parent, fast=fast)
    with tempfile.TemporaryDirectory(prefix="swgui-deb-") as name:
        root = Path(name)
        call(["dpkg-deb", "-x", str(package), name])
        if missing := [path for path in WANTED if not (root / path).exists()]:
            sys.exit(f"The package lacks {', '.join(missing)}.")
        if shutil.which("desktop-file-validate"):
            call(["desktop-file-validate", str(root / "usr/share/applications/swgui.desktop")])
        said = call([str(root / "usr/bin/swgui"), "--version"], env={"HOME": name, "PATH": os.defpath})
        if not said.startswith("swgui "):
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
