"""Each dependency stands in the table of CONTRIBUTING.md with what it is for, and what is used is a dependency."""

import ast
import re
import runpy
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, packages_distributions
from pathlib import Path

from tests.sources import statements_of, tree_of

# Words of metadata -> words of the table.
FAMILIES = {"Python Software Foundation": "PSF", "Mozilla": "MPL", "Library or Lesser": "LGPL"}
NOT_INSTALLED = {"pandas", "polars", "pyarrow"}  # in extras that a checkout need not have
ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def named(requirements):
    """Return the names of packages, without those of our own extras."""
    names = {re.match(r"[A-Za-z0-9_.-]+", one)[0] for one in requirements}
    return names - {"swgui-core"}


def everything():
    extras = PROJECT["optional-dependencies"].values()
    return named([*PROJECT["dependencies"], *(one for extra in extras for one in extra)])


def rows():
    """Return the rows of the table by package."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("## Dependencies")[1].split("\n## ")[0]
    found = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        for name in re.findall(r"`([^`]+)`", cells[0]) if line.startswith("| `") else ():
            assert name not in found
            found[name] = cells
    return found


def test_the_table_has_each_dependency_and_no_other():
    assert sorted(rows()) == sorted(everything())


def test_every_row_says_all():
    for name, cells in rows().items():
        assert len(cells) == 5, name
        assert all(cells), name
        assert float(cells[2]) > 0, name


def families(licence):
    """Families of licences that a text names."""
    for name, short in FAMILIES.items():
        licence = licence.replace(name, short)
    return set(re.findall(r"MIT|BSD|Apache|MPL|LGPL|PSF|NVIDIA|Biopython", licence))


def test_the_table_names_the_licences_that_packages_state():
    licence_of = runpy.run_path(str(ROOT / "packaging" / "release" / "licences.py"))["licence_of"]
    compared = set()
    for name, cells in rows().items():
        try:
            stated = licence_of(distribution(name))
        except PackageNotFoundError:
            continue
        assert families(stated) & families(cells[3]), f"{name}: {stated}, not {cells[3]}"
        compared.add(name)
    assert {"numpy", "shtab", "gemmi", "PySide6-Essentials"} <= compared


def test_what_is_imported_is_a_dependency():
    imported = set()
    for path in (ROOT / "swgui").rglob("*.py"):
        for node in statements_of(tree_of(path)):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                imported.add(node.module.split(".")[0])
    ours = {"swgui", *sys.stdlib_module_names, "compression"}
    known = {name.lower().replace("_", "-") for name in everything()} | {"shiboken6"}  # PySide6 is made of it
    of = packages_distributions()
    unknown = {
        module: of.get(module, [])
        for module in imported - ours
        if not {name.lower().replace("_", "-") for name in of.get(module, [])} & known
    }
    assert set(unknown) <= {"cupy", "cupy_backends", "pynvml"} | NOT_INSTALLED
    assert "scipy" not in imported
