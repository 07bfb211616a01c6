"""Drives the real window through real searches and writes a picture of every page and dialog.

    python packaging/screenshots.py OUT_FOLDER [--data FOLDER] [--only search,rules] [--themes light,dark]
        [--sizes 1280x720,1440x900,1920x1080] [--texts 100,200] [--scales 100]
    python packaging/screenshots.py --documentation --data FOLDER      # writes those of docs/images

FOLDER holds real sequences (`proteins`, `dna`, `structures`); without it the sample is searched, and pictures that
need more are left out. Each size and scale runs in a process of its own, on a screen of that size, because Qt reads
both once; themes and text sizes are changed in the window that is shown. ``QT_QPA_PLATFORM=xcb`` under Xvfb gives
pictures as a desktop draws them; the default is Qt's offscreen platform.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from window_walk import PARTS, REPOSITORY, Walk

# Pictures of the documentation: name of the step, name of the file. Those of the sample, which the tutorial describes:
DOCUMENTED = {
    "search-filled": "first-search",
    "search-sheet": "settings",
    "results-running": "first-running",
    "results-one": "results",
    "results-export": "export",
    "rounds-family": "family",
    "rounds-after": "rounds",
    "away-dialog": "another-computer",
    "covariation-file": "covariation",
    "device": "device",
    "pair-after": "pair",
}
# Those of real sequences:
DOCUMENTED_WITH_DATA = {
    "translated-frameshifts": "frameshifts",
    "structures-shape": "shape",
    "rules-primers-found": "rule",
    "locus-place": "locus",
    "network": "network",
    "network-leak": "leaks",
    "databases": "databases",
    "runs": "runs",
    "folding-jobs": "folding",
}
# Files and folders of the data that these need:
DATA = (
    "proteins/swissprot_16species.fasta.gz",
    "proteins/uniprot_500queries.fasta",
    "dna",
    "structures",
)


def main() -> int:
    """Take the pictures; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", help="folder for the pictures")
    parser.add_argument("--documentation", action="store_true", help="write the pictures of docs/images")
    parser.add_argument("--data", type=Path, help="folder of real sequences (default: the sample alone)")
    parser.add_argument("--only", default="", help=f"parts of the walk: {', '.join(PARTS)} (default: all)")
    parser.add_argument("--themes", default="light,dark")
    parser.add_argument("--sizes", default="1280x720,1440x900,1920x1080", help="of window and screen")
    parser.add_argument("--texts", default="100,200", help="text sizes in percent")
    parser.add_argument("--scales", default="100", help="percent, QT_SCALE_FACTOR")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.documentation:
        return document(DOCUMENTED) or (document(DOCUMENTED_WITH_DATA, options.data) if options.data else 0)
    if options.out is None:
        parser.error("a folder for the pictures is needed")
    if unknown := {*options.only.split(",")} - {*PARTS, ""}:
        parser.error(f"no such part: {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}")
    options.out.mkdir(parents=True, exist_ok=True)
    if options.one:
        return Walk(options).go()
    for scale in options.scales.split(","):
        for size in options.sizes.split(","):
            if status := in_own_process(scale, size):
                return status
    return 0


def in_own_process(scale: str, size: str) -> int:
    """Take the pictures of a scale and a size on a screen of this size; returns the exit status."""
    width, height = map(int, size.split("x"))
    environment = dict(os.environ, QT_SCALE_FACTOR=str(int(scale) / 100))
    with tempfile.TemporaryDirectory() as folder:
        screen = Path(folder) / "screen.json"
        shape = {"name": size, "x": 0, "y": 0, "width": width, "height": height, "logicalDpi": 96, "dpr": 1}
        screen.write_text(json.dumps({"screens": [shape]}))
        if environment.get("QT_QPA_PLATFORM", "offscreen") == "offscreen":
            environment["QT_QPA_PLATFORM"] = f"offscreen:configfile={screen}"
        for name in ("CONFIG", "CACHE", "DATA"):
            environment[f"SWGUI_{name}_DIR"] = str(Path(folder) / name.lower())
        command = [sys.executable, __file__, *sys.argv[1:], "--one", "--scales", scale, "--sizes", size]
        return subprocess.run(command, env=environment, check=False).returncode


def document(pictures: dict[str, str], data: Path | None = None) -> int:
    """Take pictures of the documentation in a light window, of the sample or of real sequences; returns the status."""
    with tempfile.TemporaryDirectory(prefix="swgui-") as folder:
        out, sequences = Path(folder) / "pictures", Path(folder) / "sequences"
        for name in DATA if data else ():  # whose path is in some pictures
            (sequences / name).parent.mkdir(parents=True, exist_ok=True)
            copy = shutil.copytree if (data / name).is_dir() else shutil.copy
            copy(data / name, sequences / name)
        parts = ",".join(part for part in PARTS if any(step.partition("-")[0] == part for step in pictures))
        command = [sys.executable, __file__, str(out), "--themes", "light", "--texts", "100", "--sizes", "1280x860",
                   "--only", parts, *(["--data", str(sequences)] if data else [])]  # fmt: skip
        if status := subprocess.run(command, check=False).returncode:
            return status
        for step, name in pictures.items():
            made = REPOSITORY / "docs" / "images" / f"{name}.png"
            save_small(out / f"{step}-light-1280x860-100.png", made)
    return 0


def save_small(picture: Path, made: Path) -> None:
    """Save a picture of the window with 256 colours: a third of the size, and no difference to the eye."""
    from PIL import Image  # comes with matplotlib

    with Image.open(picture) as opened:
        colours = opened.convert("RGB").quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        colours.save(made, optimize=True)


if __name__ == "__main__":
    raise SystemExit(main())
