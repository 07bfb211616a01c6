"""The engine and the kind of run of docs/dev/extending.md as packages of their own, the way pip would install them."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "dev" / "extending.md"
EXAMPLES = dict(re.findall(r"```(?:python|toml)\n# (\S+)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))


def install(folder: Path, module: str = "mine", about: str = "pyproject.toml") -> Path:
    """Write module and metadata into a folder; returns it, to be put on the path."""
    ((group, point),) = re.findall(r'\[project\.entry-points\."(.*)"\]\n(.*)\n', EXAMPLES[about])
    (folder / f"{module}.py").write_text(EXAMPLES[f"{module}.py"], encoding="utf-8")
    info = folder / f"{module}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text(f"[{group}]\n{point.replace(chr(34), '')}\n", encoding="utf-8")
    return folder
