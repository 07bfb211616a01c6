"""The notebooks of the manual are in order; building the documentation runs them."""

from __future__ import annotations

import json

import pytest

from tests.scripts import load_script

NAMES = ("homologue", "many", "family")
# Packages that the pages tell their readers to install.
ALLOWED = {"swgui", "numpy", "matplotlib", "pandas"}


@pytest.fixture(scope="module")
def notebooks(repository):
    return load_script(repository / "packaging" / "manual" / "notebooks.py")


@pytest.mark.parametrize("name", NAMES)
def test_notebooks_are_saved_without_results(repository, name, notebooks):
    document = json.loads((repository / "docs" / "notebooks" / f"{name}.ipynb").read_text("utf-8"))
    assert (document["nbformat"], document["nbformat_minor"]) == (4, 5)
    assert len({cell["id"] for cell in document["cells"]}) == len(document["cells"])
    code = [cell for cell in document["cells"] if cell["cell_type"] == "code"]
    assert len(code) > 4
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    cells = notebooks.read_cells(repository / "docs" / "notebooks" / f"{name}.ipynb")
    assert set(notebooks.missing_packages(cells)) <= ALLOWED


def test_the_manual_has_every_notebook(repository):
    folder = repository / "docs" / "notebooks"
    assert sorted(path.stem for path in folder.glob("*.ipynb")) == sorted(NAMES)
    index = (repository / "docs" / "index.md").read_text("utf-8")
    assert all(f"(notebooks/{name}.md)" in index for name in NAMES)


def saved(folder, *cells):
    path = folder / "few.ipynb"
    made = [{"cell_type": kind, "source": source.splitlines(keepends=True)} for kind, source in cells]
    path.write_text(json.dumps({"nbformat": 4, "cells": made}))
    return path


def test_a_page_shows_what_cells_show(notebooks, tmp_path):
    saved(
        tmp_path,
        ("markdown", "# Few"),
        ("code", "class Table:\n    def _repr_html_(self):\n        return '<b>t</b>'\nprint('a\\n\\nb')\nTable()"),
        ("code", "value = 1 < 2\nvalue"),
        ("code", "value;"),
    )
    notebooks.write_notebooks(tmp_path, execute=True)
    page = (tmp_path / "few.md").read_text()
    assert not (tmp_path / "few.ipynb").exists()
    assert page.startswith("# Few\n\n```python\nclass Table:")
    assert page.count('<div class="shown">') == 3
    assert "<b>t</b>" in page
    assert "<pre>True</pre>" in page
    shown = page.split('<div class="shown">')[1].split("</div>")[0]
    assert "\n\n" not in shown.strip("\n")


def test_a_cell_that_fails_fails_all(notebooks, tmp_path):
    saved(tmp_path, ("code", "1 / 0"))
    with pytest.raises(ZeroDivisionError):
        notebooks.write_notebooks(tmp_path, execute=True)
    (tmp_path / "few.ipynb").write_text('{"nbformat": 3, "worksheets": []}')
    with pytest.raises(SystemExit, match="format 4"):
        notebooks.write_notebooks(tmp_path, execute=True)


def test_what_lacks_a_package_is_not_run_and_says_so(notebooks, tmp_path, capsys):
    saved(tmp_path, ("code", "import no_such_package\n1 / 0"))
    notebooks.write_notebooks(tmp_path, execute=True)
    assert "few.ipynb is shown without results: no_such_package is not installed." in capsys.readouterr().err
    assert "import no_such_package" in (tmp_path / "few.md").read_text()
