"""Write the project `swgui`: the command line and library of `swgui-core`, and what the window needs.

    .venv/bin/python packaging/release/whole.py build/whole       # then: python -m build build/whole

It has no code of its own. `pip install swgui` installs `swgui-core` of the same version with the extra `window`; each
extra of `swgui-core` for users is one of `swgui`, too.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import stamp

ROOT = Path(__file__).resolve().parents[2]
WINDOW = "window"
DEVELOPERS = ("test", "dev")  # extras of a checkout
SUMMARY = "Exact Smith-Waterman search of protein and DNA databases, on a GPU or the CPU: window, command line, library"
KEPT = ("readme", "license", "license-files", "authors", "requires-python", "keywords", "classifiers", "urls")


def main() -> int:
    """Write the project; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="is replaced")
    print(write(parser.parse_args().folder))
    return 0


def write(folder: Path) -> Path:
    """Write the project into a folder, which is replaced; returns it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    core = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    (folder / "pyproject.toml").write_text(project(core, stamp.version()), "utf-8")
    return folder


def project(core: dict[str, Any], version: str) -> str:
    """Text of the project file.

    Parameters
    ----------
    core : dict
        Project file of `swgui-core`.
    version : str
    """
    of_core = core["project"]
    name = of_core["name"]
    table: dict[str, Any] = {"name": "swgui", "version": version, "description": SUMMARY}
    table |= {key: of_core[key] for key in KEPT if key in of_core}
    table["dependencies"] = [f"{name}[{WINDOW}]=={version}"]
    extras = {
        extra: [f"{name}[{extra}]=={version}"]
        for extra in of_core["optional-dependencies"]
        if extra not in (WINDOW, *DEVELOPERS)
    }
    lines = ["[build-system]", *_rows(core["build-system"]), "", "[project]", *_rows(table)]
    lines += ["", "[project.optional-dependencies]", *_rows(extras)]
    # No package lies here: the wheel holds its metadata alone.
    lines += ["", "[tool.hatch.build.targets.wheel]", "bypass-selection = true"]
    return "\n".join([*lines, ""])


def _rows(table: dict[str, Any]) -> list[str]:
    """Rows of a table in TOML; strings and lists are written as in JSON."""
    return [f"{key} = {_value(value)}" for key, value in table.items()]


def _value(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{ {', '.join(_rows(value))} }}"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False)


if __name__ == "__main__":
    sys.exit(main())
