"""The engine of docs/extending.md as a package of its own, the way pip would install it."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"
EXAMPLES = dict(re.findall(r"```(?:python|toml)\n# (\S+)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))


def install(folder: Path) -> Path:
    """Write module and metadata into a folder; returns it, to be put on the path."""
    ((group, point),) = re.findall(r'\[project\.entry-points\."(.*)"\]\n(.*)\n', EXAMPLES["pyproject.toml"])
    (folder / "mine.py").write_text(EXAMPLES["mine.py"], encoding="utf-8")
    about = folder / "mine-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n", encoding="utf-8")
    (about / "entry_points.txt").write_text(f"[{group}]\n{point.replace(chr(34), '')}\n", encoding="utf-8")
    return folder
