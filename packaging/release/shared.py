"""Files below ``share`` for other programs: the manual page, and the completion of shells."""

from __future__ import annotations

import sys
from pathlib import Path

import stamp

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
MANUAL = "man/man1/swgui.1"
COMPLETION = {
    "bash": "bash-completion/completions/swgui",
    "zsh": "zsh/site-functions/_swgui",
    "fish": "fish/vendor_completions.d/swgui.fish",
}


def shared_files() -> dict[str, str]:
    """Text of each file by its place below ``share``."""
    sys.path[:0] = [str(ROOT), str(HERE.parent)]
    from man_page import man_page

    from swgui.cli.computer.completion import script

    scripts = {place: script(shell) for shell, place in COMPLETION.items()}
    return {MANUAL: man_page(stamp.version(), stamp.date()), **scripts}


def write_shared(share: Path) -> None:
    """Write the files below a folder."""
    for place, text in shared_files().items():
        path = share / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
