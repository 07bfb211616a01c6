"""Where the files of the bundle go on a Linux system: one layout for the Debian package and the AppImage."""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

import stamp
from icons import write_icons
from shared import COMPLETION, MANUAL, write_shared

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ("swgui", "swgui-window")
METAINFO = "org.swgui.swgui.metainfo.xml"
DEBIAN_ZSH = "zsh/vendor-completions/_swgui"  # where Debian's zsh looks

# Files that must be there, wherever it is made.
WANTED = (
    "usr/bin/swgui",
    "usr/bin/swgui-window",
    "usr/lib/swgui/swgui",
    "usr/lib/swgui/_internal/kernels/streaming.cu",
    "usr/lib/swgui/_internal/kernels/include/sw_cell.cuh",
    "usr/lib/swgui/_internal/resources/examples/sample_database.fasta.gz",
    "usr/lib/swgui/_internal/resources/selfcheck.json",
    "usr/lib/swgui/_internal/docs/index.html",
    "usr/lib/swgui/_internal/licences/README.txt",
    "usr/lib/swgui/_internal/swgui/_commit.txt",
    "usr/share/applications/swgui.desktop",
    f"usr/share/metainfo/{METAINFO}",
    "usr/share/mime/packages/swgui.xml",
    "usr/share/icons/hicolor/scalable/apps/swgui.svg",
    "usr/share/icons/hicolor/48x48/apps/swgui.png",
    f"usr/share/{MANUAL}.gz",
    *(f"usr/share/{COMPLETION[shell]}" for shell in ("bash", "fish")),
    f"usr/share/{DEBIAN_ZSH}",
    "usr/share/doc/swgui/copyright",
)


def check_bundle(bundle: Path) -> None:
    """End with a sentence if a folder is no bundle."""
    for program in PROGRAMS:
        if not (bundle / program).is_file():
            sys.exit(f"{bundle} has no program '{program}': make it with PyInstaller first.")


def lay_out(bundle: Path, root: Path) -> None:
    """Put every file where a system has it, below `root`."""
    shutil.copytree(bundle, root / "usr" / "lib" / "swgui", symlinks=True)
    share = root / "usr" / "share"
    documents = share / "doc" / "swgui"
    folders = ("applications", "metainfo", "mime/packages", "doc/swgui")
    for folder in (root / "usr" / "bin", *(share / name for name in folders)):
        folder.mkdir(parents=True)
    for program in PROGRAMS:
        (root / "usr" / "bin" / program).symlink_to(f"../lib/swgui/{program}")
    shutil.copy(HERE / "linux" / "swgui.desktop", share / "applications")
    shutil.copy(HERE / "linux" / "swgui.xml", share / "mime" / "packages")
    (share / "metainfo" / METAINFO).write_text(metainfo(), "utf-8")
    write_icons(share)
    shutil.copy(ROOT / "LICENSE", documents / "copyright")
    packed(documents / "changelog.gz", (ROOT / "CHANGELOG.md").read_text("utf-8"))
    (documents / "html").symlink_to("../../../lib/swgui/_internal/docs")
    (documents / "licences").symlink_to("../../../lib/swgui/_internal/licences")
    write_shared(share)
    manual = share / MANUAL  # Debian's are packed
    packed(manual.with_name(f"{manual.name}.gz"), manual.read_text("utf-8"))
    manual.unlink()
    (share / DEBIAN_ZSH).parent.mkdir()
    (share / COMPLETION["zsh"]).rename(share / DEBIAN_ZSH)
    (share / COMPLETION["zsh"]).parent.rmdir()
    for path in root.rglob("*"):
        if not path.is_symlink():
            path.chmod(0o755 if path.is_dir() or path.stat().st_mode & 0o100 else 0o644)


def metainfo() -> str:
    """Return the entry for software centres, with this version."""
    text = (HERE / "linux" / METAINFO).read_text("utf-8")
    kind = ' type="development"' if ".dev" in stamp.version() else ""
    return text.replace("@VERSION@", stamp.version()).replace("@DATE@", stamp.date()).replace("@TYPE@", kind)


def packed(path: Path, text: str) -> None:
    """Write a text compressed, with no time in it."""
    path.write_bytes(gzip.compress(text.encode("utf-8"), 9, mtime=0))
