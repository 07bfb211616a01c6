"""Makes the manual of a build without Sphinx: Markdown with the reference, or without links to pages that it lacks."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LINK = re.compile(r"(?<!!)\[([^\]]+)\]\(([^)#\s:]+\.md)(?:#[^)]*)?\)")

WRITE = "import pathlib, sys, reference; reference.write_pages(pathlib.Path(sys.argv[1]))"


def write_manual(folder: Path) -> Path:
    """Write the manual into a folder: its pages, and the reference pages where they can be made here."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("__pycache__", "conf.py", "*.ipynb"))
    write_reference(folder / "reference")
    for page in folder.rglob("*.md"):
        text = page.read_text("utf-8")
        page.write_text(without_dead_links(text, page.parent), encoding="utf-8")
    return folder


def write_reference(folder: Path) -> bool:
    """Write the pages that are made from the code; False if no Python here has the packages that the code needs."""
    own = [ROOT / ".venv" / "bin" / "python", ROOT / ".venv" / "Scripts" / "python.exe"]
    for python in [Path(sys.executable), *(path for path in own if path.is_file())]:
        command = [str(python), "-c", WRITE, str(folder)]
        path = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "packaging")])}
        if subprocess.run(command, cwd=ROOT, env=path, capture_output=True, check=False).returncode == 0:
            return True
    return False


def without_dead_links(text: str, folder: Path) -> str:
    """Text of a page in a folder without links to pages that do not exist; list entries that are one are left out."""

    def kept(found: re.Match[str]) -> str:
        return found[0] if (folder / found[2]).is_file() else found[1]

    lines = []
    for line in text.splitlines(keepends=True):
        entry = re.fullmatch(rf"\* {LINK.pattern}.*\n?", line)
        if not entry or (folder / entry[2]).is_file():
            lines.append(line)
    return LINK.sub(kept, "".join(lines))  # a link may go over two lines
