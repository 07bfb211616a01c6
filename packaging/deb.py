"""Make a Debian package from the bundle.

    .venv/bin/python packaging/deb.py dist/swgui                # -> dist/swgui_0.1.0_amd64.deb
    sudo apt install ./dist/swgui_0.1.0_amd64.deb

The bundle goes to /usr/lib/swgui. Needs ``dpkg-deb``, which Debian and Ubuntu have.
"""

from __future__ import annotations

import argparse
import gzip
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HERE = ROOT / "packaging"
PROGRAMS = ("swgui", "swgui-window")

CONTROL = """Package: swgui
Version: {version}
Architecture: {architecture}
Maintainer: the swgui developers <swgui@swgui.invalid>
Installed-Size: {kilobytes}
Depends: libc6 (>= {libc}), libgl1, libegl1, libxcb1, libx11-6, fontconfig-config,
 fonts-dejavu-core | fonts-liberation | fonts-noto-core
Recommends: libcups2
Suggests: ncbi-blast+
Section: science
Priority: optional
Description: exact Smith-Waterman search of sequence databases
 Searches protein and DNA databases with the full Smith-Waterman recurrence, on
 NVIDIA GPUs or on the CPU, in a window or from the command line: no seeds, no
 bands, no cut-offs. Shows ranked hits with bit scores, E-values and optimal
 alignments.
 .
 {cuda}
"""
WITH_CUDA = "Brings what it needs of CUDA but for NVIDIA's driver."
WITHOUT_CUDA = "This package was built without the GPU engine."


def main() -> int:
    """Make the package; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path, help="folder that PyInstaller made")
    parser.add_argument("--out", type=Path, help="folder for the package (default: beside the bundle)")
    parser.add_argument("--fast", action="store_true", help="compress little, for tests")
    options = parser.parse_args()
    started = time.monotonic()
    package = build(options.bundle.resolve(), (options.out or options.bundle.parent).resolve(), fast=options.fast)
    print(f"{package}: {package.stat().st_size / 1e6:.0f} MB; fine, {time.monotonic() - started:.0f} s")
    return 0


def build(bundle: Path, out: Path, *, fast: bool = False) -> Path:
    """Lay out the files of the package and pack them; returns the package."""
    for program in PROGRAMS:
        if not (bundle / program).is_file():
            sys.exit(f"{bundle} has no program '{program}': make it with PyInstaller first.")
    version, architecture = version_of(bundle), output("dpkg", "--print-architecture")
    with tempfile.TemporaryDirectory(prefix="swgui-deb-") as name:
        root = Path(name) / "root"
        lay_out(bundle, root, version)
        kilobytes = sum(file.lstat().st_size for file in root.rglob("*") if file.is_file()) // 1024
        control = CONTROL.format(
            version=version,
            architecture=architecture,
            kilobytes=kilobytes,
            libc=newest_libc(bundle),
            cuda=WITH_CUDA if (bundle / "_internal" / "cupy").is_dir() else WITHOUT_CUDA,
        )
        (root / "DEBIAN").mkdir()
        (root / "DEBIAN" / "control").write_text(control, "utf-8")
        package = out / f"swgui_{version}_{architecture}.deb"
        packing = ["-Zgzip", "-z1"] if fast else ["-Zxz"]
        run = ["dpkg-deb", "--root-owner-group", *packing, "--build", str(root), str(package)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL)
    return package


def lay_out(bundle: Path, root: Path, version: str) -> None:
    """Put every file where the package has it."""
    home = root / "usr" / "lib" / "swgui"
    shutil.copytree(bundle, home, symlinks=True, copy_function=linked)
    share = root / "usr" / "share"
    documents = share / "doc" / "swgui"
    for folder in (root / "usr" / "bin", share / "applications", share / "mime" / "packages", share / "man" / "man1",
                   share / "icons" / "hicolor" / "scalable" / "apps", documents):  # fmt: skip
        folder.mkdir(parents=True)
    for program in PROGRAMS:
        (root / "usr" / "bin" / program).symlink_to(f"../lib/swgui/{program}")
    shutil.copy(HERE / "linux" / "swgui.desktop", share / "applications")
    shutil.copy(HERE / "linux" / "swgui.xml", share / "mime" / "packages")
    shutil.copy(ROOT / "resources" / "icons" / "app.svg", share / "icons/hicolor/scalable/apps/swgui.svg")
    shutil.copy(ROOT / "LICENSE", documents / "copyright")
    packed(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    (documents / "html").symlink_to("../../../lib/swgui/_internal/docs")
    packed(share / "man" / "man1" / "swgui.1.gz", manual(version))
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def linked(source: str, target: str) -> None:
    """Copy a file, sharing its bytes on disk where the file system can."""
    shutil.copy2(source, target)


def packed(path: Path, text: str) -> None:
    """Write a text compressed, with no time in it."""
    path.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))


def manual(version: str) -> str:
    """Return the manual page."""
    sys.path[:0] = [str(ROOT), str(HERE)]
    from man_page import man_page

    return man_page(version, time.strftime("%Y-%m-%d", time.gmtime()))


def version_of(bundle: Path) -> str:
    """Ask the program for its version."""
    return output(str(bundle / "swgui"), "--version").split()[-1]


def newest_libc(bundle: Path) -> str:
    """Return the newest version of the C library that any file of the bundle asks for."""
    found = {(2, 17)}
    for file in bundle.rglob("*"):
        if file.is_file() and not file.is_symlink() and (".so" in file.name or file.parent == bundle):
            found |= {(2, int(minor)) for minor in re.findall(rb"GLIBC_2\.(\d+)", file.read_bytes())}
    return ".".join(map(str, max(found)))


def output(*command: str) -> str:
    """Run a command; return what it printed."""
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    sys.exit(main())
