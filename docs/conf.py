"""How Sphinx makes the documentation; ``packaging/documentation.py`` calls it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import swgui  # noqa: E402 - found through the path above
from swgui.core.hits import results  # noqa: E402
from swgui.core.hits.rounds import QueryRounds  # noqa: E402
from swgui.core.profiles.alignment import MasterAlignment  # noqa: E402
from swgui.jobs.search import request  # noqa: E402

project = "swgui"
author = "the swgui developers"
copyright = "the swgui developers"
version = release = swgui.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.doctest",
    "sphinx.ext.napoleon",
]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["conf.py", "README.md"]
napoleon_google_docstring = False
autodoc_typehints = "none"  # numpydoc's sections say it
autodoc_member_order = "bysource"
default_role = "code"

html_theme = "furo"
html_title = f"swgui {release.partition('+')[0]}"
html_favicon = "../resources/icons/app.svg"
html_logo = html_favicon
html_static_path = ["static"]
html_css_files = ["swgui.css"]
html_theme_options = {
    "light_css_variables": {"color-brand-primary": "#0B5CAD", "color-brand-content": "#0B5CAD"},
    "dark_css_variables": {"color-brand-primary": "#6FB1F0", "color-brand-content": "#6FB1F0"},
}
html_show_sourcelink = False
html_copy_source = False
html_show_copyright = False


def table_of_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Make Sphinx's table of contents from the lists of links on the first page, which is plain Markdown."""
    if name == "index":
        for part in source[0].split("\n## ")[1:]:
            caption, _, rest = part.partition("\n")
            pages = re.findall(r"^\* \[[^\]]+\]\(([\w/-]+)\.md\)", rest, re.MULTILINE)
            listed = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{listed}\n```\n"


def setup(app: Sphinx) -> None:
    """Connect the function above; name the types that signatures of records have and their modules do not load."""
    results.QueryRounds, request.MasterAlignment = QueryRounds, MasterAlignment  # type: ignore[attr-defined]
    app.connect("source-read", table_of_contents)


# Examples of the Python pages run with a folder of their own and the sample that ships.
doctest_global_setup = """
import os, tempfile
_folder = tempfile.mkdtemp(prefix="swgui-docs-")
for _kind in ("CONFIG", "CACHE", "DATA"):
    os.environ[f"SWGUI_{_kind}_DIR"] = os.path.join(_folder, _kind.lower())
os.chdir(_folder)
"""
doctest_global_cleanup = """
import shutil
os.chdir("/")
shutil.rmtree(_folder, ignore_errors=True)
"""
