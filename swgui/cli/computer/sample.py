"""``swgui sample``: files to try every command with."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Final

from swgui.commands.option import Group, Option
from swgui.io.sample_files import write_sample

SAMPLE: Final = (
    Group((Option(("folder",), "the folder to write to; made where it is missing", "FOLDER", required=True),)),
)


def run(arguments: argparse.Namespace) -> int:
    """Write the sample files, and list them."""
    folder = Path(arguments.folder)
    for file, written in write_sample(folder):
        print(f"{folder / file.name}: {file.about}{'' if written else ' (was there, left as it is)'}", flush=True)
    return 0
