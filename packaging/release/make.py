"""Make everything a release consists of, in ``dist/``; all that is left to do is to upload it.

    .venv/bin/python packaging/release/make.py                 # from a clean checkout of the commit to release
    .venv/bin/python packaging/release/make.py --rehearse      # the same of a version in the making
    .venv/bin/python packaging/release/make.py --list          # what would be done

Wheels of `swgui-core` for all platforms, its source distribution, `swgui` (the same and the window), bundle and Debian
package for the CPU and for each CUDA, what is in them (CycloneDX), and ``SHA256SUMS``.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import stamp

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DIST = ROOT / "dist"
sys.path.insert(0, str(HERE.parent))

PYTHON = sys.executable
UPLOADED = (".whl", ".tar.gz", ".deb", ".cdx.json")


@dataclass(frozen=True, slots=True)
class Step:
    """One command of the release, and what it is for."""

    name: str
    command: tuple[str, ...]
    variables: dict[str, str] = field(default_factory=dict)


def steps(cuda: tuple[str, ...]) -> Iterator[Step]:
    """Yield the steps, in order.

    Parameters
    ----------
    cuda : tuple of str
        Extras with a bundle each, in addition to the one for the CPU.
    """
    import native

    yield Step("documentation", (PYTHON, str(HERE.parent / "documentation.py")))
    build = (PYTHON, "-m", "build", f"--outdir={DIST}")
    whole = ROOT / "build" / "whole"
    yield Step("project with the window", (PYTHON, str(HERE / "whole.py"), str(whole)))
    yield Step("distribution with the window", (*build, str(whole)))
    yield Step("source distribution", (*build, "--sdist", str(ROOT)))
    for cpu, system in native.TARGETS:
        yield Step(f"wheel, {cpu}-{system}", (*build, "--wheel", str(ROOT)), {"SWGUI_TARGET": f"{cpu}-{system}"})
    bundle = (PYTHON, str(HERE / "bundle.py"))
    for extra in cuda:
        yield Step(f"bundle, {extra}", (*bundle, f"--extra={extra}", f"--dist={DIST / extra}"))
    yield Step("bundle, CPU", (*bundle, f"--dist={DIST}"))


def problems() -> Iterator[str]:
    """Yield the reasons against a release of this checkout."""
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=ROOT, capture_output=True, text=True, check=False)
    if changed.returncode or changed.stdout:
        yield "The checkout has changes that are in no commit."
    version = stamp.version()
    if ".dev" in version:
        yield f"swgui/version.py says {version.partition('+')[0]}, which is no release."
    if f"## [{version}] - " not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        yield f"CHANGELOG.md has no heading '## [{version}] - date'."
    if not (ROOT / "benchmarks" / f"{version}.json").is_file():
        yield f"There are no figures of {version}: packaging/benchmarks.py store."


def sums() -> Path:
    """Write the digests of all files that are uploaded."""
    files = sorted(
        file for kind in UPLOADED for folder in ("", "*/") for file in DIST.glob(f"{folder}swgui[-_]*{kind}")
    )
    listed = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.relative_to(DIST)}" for file in files]
    made = DIST / "SHA256SUMS"
    made.write_text("\n".join([*listed, ""]), "utf-8")
    return made


def main() -> int:
    """Make the release; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rehearse", action="store_true", help="of any checkout, whatever speaks against it")
    parser.add_argument("--list", action="store_true", help="say what would be done, and do nothing")
    parser.add_argument("--cuda", action="append", default=[], help="extra of a bundle with CUDA: cuda13, cuda12")
    options = parser.parse_args()
    found = list(problems())
    for problem in found:
        print(problem)
    planned = list(steps(tuple(options.cuda)))
    if options.list:
        print(*(step.name for step in planned), sep="\n")
        return 0
    if found and not options.rehearse:
        return 1
    shutil.rmtree(DIST, ignore_errors=True)
    for step in planned:
        print(f"== {step.name}", flush=True)
        variables = os.environ | stamp.reproducible() | step.variables
        if status := subprocess.run(step.command, cwd=ROOT, env=variables, check=False).returncode:
            print(f"'{step.name}' ended with {status}.")
            return status
    print(sums())
    print(f"To do by hand: look at dist/, tag {stamp.version()}, upload.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
