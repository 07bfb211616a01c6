"""Build the documentation, and run its examples.

    .venv/bin/python packaging/documentation.py            # -> build/docs/html/index.html
    .venv/bin/python packaging/documentation.py --fast     # without running the examples

Warnings are errors: a page that is not linked, a link to nowhere, a table that does not parse. The reference pages come
from the tables in the code (`reference.py`), that of Python from docstrings, and those of notebooks from running them
(`manual/`).
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build" / "docs"


def main() -> int:
    """Build; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--fast", action="store_true", help="do not run the examples")
    parser.add_argument("--out", type=Path, default=OUT, help="folder (default: build/docs)")
    options = parser.parse_args()
    started = time.monotonic()
    sys.path[:0] = [str(ROOT), str(ROOT / "packaging"), str(ROOT / "packaging" / "release")]
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from manual.notebooks import write_notebooks
    from manual.python_page import python_page
    from reference import write_pages
    from shared import write_shared
    from sphinx.cmd.build import build_main

    from swgui.io.export.json_format import json_schema

    shutil.rmtree(options.out, ignore_errors=True)  # Sphinx leaves contents of pages alone that did not change
    source = options.out / "source"
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("__pycache__"))
    write_pages(source / "reference")
    (source / "reference" / "python.md").write_text(python_page(), encoding="utf-8")
    (source / "static" / "hits.schema.json").write_text(json.dumps(json_schema(), indent=1), encoding="utf-8")
    write_notebooks(source / "notebooks", execute=not options.fast)
    write_shared(options.out / "share")
    common = ["--fail-on-warning", "--keep-going", "-q", "-d", str(options.out / "trees"), "-c", str(ROOT / "docs")]
    for builder in ("html",) if options.fast else ("doctest", "html"):
        if status := build_main([*common, "-b", builder, str(source), str(options.out / builder)]):
            print(f"The documentation is not in order ({builder}, status {status}).", file=sys.stderr)
            return int(status)
    index = options.out / "html" / "index.html"
    size = sum(file.stat().st_size for file in index.parent.rglob("*") if file.is_file())
    print(f"{index}: {size / 1e6:.1f} MB; fine, {time.monotonic() - started:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
