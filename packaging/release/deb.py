"""Make a Debian package from the bundle.

    .venv/bin/python packaging/release/deb.py dist/swgui                # -> dist/swgui_VERSION_amd64.deb
    sudo apt install ./dist/swgui_VERSION_amd64.deb

The bundle goes to /usr/lib/swgui. Needs ``dpkg-deb``, which Debian and Ubuntu have. The same bundle gives the same
package every time.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import stamp
from layout import check_bundle, lay_out

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
    check_bundle(bundle)
    version, architecture = debian_version(stamp.version()), output("dpkg", "--print-architecture")
    with tempfile.TemporaryDirectory(prefix="swgui-deb-") as name:
        root = Path(name) / "root"
        lay_out(bundle, root)
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
        for path in (root, *root.rglob("*")):
            os.utime(path, (stamp.epoch(), stamp.epoch()), follow_symlinks=False)
        package = out / f"swgui_{version}_{architecture}.deb"
        packing = ["-Zgzip", "-z1"] if fast else ["-Zxz"]
        run = ["dpkg-deb", "--root-owner-group", *packing, "--build", str(root), str(package)]
        subprocess.run(run, check=True, stdout=subprocess.DEVNULL, env=os.environ | stamp.reproducible())
    return package


def debian_version(version: str) -> str:
    """Return a version as Debian sorts it: what leads to a release comes before it."""
    return version.replace(".dev", "~dev")


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
