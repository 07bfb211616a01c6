"""Runs notebooks, and makes pages of the manual of them with their outputs.

    .venv/bin/python packaging/manual/notebooks.py docs/notebooks/*.ipynb     # run them; names those that fail

The cells are run by Python alone, in order, in a folder of their own: Jupyter is not needed, and a notebook takes
some seconds. The outputs that Jupyter would show are kept: printed text, the last value of a cell, and figures of
Matplotlib.
"""

from __future__ import annotations

import argparse
import ast
import base64
import contextlib
import html
import importlib.util
import io
import json
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
BLANK, EMPTY = re.compile(r"\n[ \t]*(?=\n)"), "\n&#8203;"  # an empty line would end HTML in Markdown


@dataclass(frozen=True)
class Cell:
    """One cell, and what it shows: HTML of each thing, in order."""

    kind: str
    source: str
    shown: list[str] = field(default_factory=list)


def read_cells(path: Path) -> list[Cell]:
    """Return the cells of a notebook (format 4) without what they showed when it was saved."""
    document = json.loads(path.read_text("utf-8"))
    if document.get("nbformat") != 4:
        raise SystemExit(f"{path} is no notebook of format 4.")
    return [Cell(cell["cell_type"], "".join(cell["source"])) for cell in document["cells"]]


def missing_packages(cells: list[Cell]) -> list[str]:
    """Return the packages that a notebook imports and that are not installed."""
    source = "\n".join(cell.source for cell in cells if cell.kind == "code")
    names = {alias.name for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom) and node.module}
    names |= {"pandas"} if ".to_pandas(" in source else set()
    packages = {name.partition(".")[0] for name in names}
    return sorted(name for name in packages if importlib.util.find_spec(name) is None)


def run(cells: list[Cell]) -> list[Cell]:
    """Run the code of a notebook in the folder that is current; whatever a cell raises is raised here.

    Returns
    -------
    list of Cell
        With what they show.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    return [
        Cell(cell.kind, cell.source, list(shown(cell.source, f"cell {number}", names))) if cell.kind == "code" else cell
        for number, cell in enumerate(cells, start=1)
    ]


def shown(source: str, name: str, names: dict[str, Any]) -> Iterator[str]:
    """Run the code of one cell and yield what it shows."""
    tree = ast.parse(source, name)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, name, "exec"), names)
        value = eval(compile(ast.Expression(last.value), name, "eval"), names) if last is not None else None
    if text := printed.getvalue():
        yield f"<pre>{html.escape(text)}</pre>"
    figures = list(pictures())
    if value is not None and not source.rstrip().endswith(";") and not figures:
        yield value._repr_html_() if hasattr(value, "_repr_html_") else f"<pre>{html.escape(repr(value))}</pre>"
    yield from figures


def pictures() -> Iterator[str]:
    """Yield the open figures of Matplotlib, and close them."""
    if "matplotlib.pyplot" not in sys.modules:
        return
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        file = io.BytesIO()
        pyplot.figure(number).savefig(file, format="png", dpi=100, bbox_inches="tight")
        yield f'<img alt="figure" src="data:image/png;base64,{base64.b64encode(file.getvalue()).decode("ascii")}">'
    pyplot.close("all")


def as_page(cells: list[Cell], name: str) -> str:
    """Return a notebook as a page in Markdown."""
    parts = []
    for cell in cells:
        if cell.kind == "markdown":
            parts.append(cell.source)
            continue
        parts.append(f"```python\n{cell.source}\n```")
        parts += [f'<div class="shown">\n{BLANK.sub(EMPTY, text)}\n</div>' for text in cell.shown]
    parts.append(f"This page is the notebook `docs/notebooks/{name}`, run with this version.")
    return "\n\n".join(parts) + "\n"


def write_notebooks(folder: Path, *, execute: bool) -> None:
    """Make a page of every notebook in a folder, in place of it; report those that lack a package and are not run."""
    for path in sorted(folder.glob("*.ipynb")):
        cells = read_cells(path)
        missing = missing_packages(cells) if execute else []
        if missing:
            print(f"{path.name} is shown without results: {', '.join(missing)} is not installed.", file=sys.stderr)
        elif execute:
            with folder_of_its_own():
                cells = run(cells)
        path.with_suffix(".md").write_text(as_page(cells, path.name), encoding="utf-8")
        path.unlink()


@contextlib.contextmanager
def folder_of_its_own() -> Iterator[None]:
    """Work in an empty folder, with user folders in it, and figures without a screen."""
    kinds = ("CONFIG", "CACHE", "DATA")
    with tempfile.TemporaryDirectory(prefix="swgui-notebook-") as place, contextlib.chdir(place):
        folders = {f"SWGUI_{kind}_DIR": os.path.join(place, kind.lower()) for kind in kinds}
        before = {name: os.environ.get(name) for name in (*folders, "MPLBACKEND")}
        os.environ.update({**folders, "MPLBACKEND": "Agg"})
        try:
            yield
        finally:
            for name, value in before.items():
                os.environ.pop(name, None)
                os.environ.update({} if value is None else {name: value})


def main() -> int:
    """Run notebooks; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="+", type=Path)
    sys.path.insert(0, str(ROOT))
    for path in parser.parse_args().notebooks:
        started = time.monotonic()
        cells = read_cells(path)
        with folder_of_its_own():
            done = run(cells)
        print(f"{path.name}: {sum(len(cell.shown) for cell in done)} results in {time.monotonic() - started:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
