"""Make an AppImage from the bundle: one file that runs on a Linux desktop without being installed.

    .venv/bin/python packaging/release/appimage.py dist/swgui --runtime FILE   # -> dist/swgui-VERSION.AppImage
    .venv/bin/python packaging/release/appimage.py dist/swgui --folder         # -> dist/swgui.AppDir

Needs ``mksquashfs`` (Debian: squashfs-tools) and the runtime that the AppImage project publishes, which mounts the rest
of the file and starts ``AppRun`` in it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

import stamp
from layout import check_bundle, lay_out


def main() -> int:
    """Make the file or its folder; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("bundle", type=Path, help="folder that PyInstaller made")
    wanted = parser.add_mutually_exclusive_group(required=True)
    wanted.add_argument("--runtime", type=Path, help="of the AppImage project, for this processor")
    wanted.add_argument(
        "--folder", action="store_true", help="leave the folder unpacked; AppRun in it starts the program"
    )
    options = parser.parse_args()
    check_bundle(options.bundle)
    folder = options.bundle.resolve().with_suffix(".AppDir")
    fill(options.bundle, folder)
    if options.folder:
        print(folder)
        return 0
    made = folder.with_name(f"swgui-{stamp.version()}.AppImage")
    pack(folder, options.runtime, made)
    shutil.rmtree(folder)
    print(f"{made}: {made.stat().st_size / 1e6:.0f} MB")
    return 0


def fill(bundle: Path, folder: Path) -> None:
    """Lay out the folder: the system's layout below it, and what its root must have."""
    shutil.rmtree(folder, ignore_errors=True)
    lay_out(bundle, folder)
    share = folder / "usr" / "share"
    shutil.copy(share / "applications" / "swgui.desktop", folder)
    shutil.copy(share / "icons" / "hicolor" / "256x256" / "apps" / "swgui.png", folder)
    (folder / ".DirIcon").symlink_to("swgui.png")
    start = folder / "AppRun"
    # With arguments it is the command: ./swgui.AppImage search ...
    start.write_text('#!/bin/sh\nexec "$(dirname "$(readlink -f "$0")")/usr/bin/swgui" "$@"\n')
    start.chmod(0o755)


def pack(folder: Path, runtime: Path, made: Path) -> None:
    """Write the runtime and behind it the packed folder."""
    image = made.with_suffix(".squashfs")
    packing = ["-root-owned", "-noappend", "-comp", "zstd", "-quiet", "-no-progress"]
    subprocess.run(["mksquashfs", str(folder), str(image), *packing], check=True, env=os.environ | stamp.reproducible())
    made.write_bytes(runtime.read_bytes() + image.read_bytes())
    made.chmod(0o755)
    image.unlink()


if __name__ == "__main__":
    sys.exit(main())
