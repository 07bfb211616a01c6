"""Write the requirements that a folder of wheels meets: version and SHA-256 digest of each.

    pip download --dest wheelhouse --only-binary=:all: swgui-core
    python packaging/release/wheelhouse.py wheelhouse          # -> wheelhouse/requirements.txt
    pip install --no-index --find-links wheelhouse --require-hashes -r wheelhouse/requirements.txt

The last command needs no network, and pip refuses a wheel with another digest.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
from collections import defaultdict
from pathlib import Path

WHEEL = ".whl"


def main() -> int:
    """Write the file; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="with the wheels, and nothing that had to be compiled")
    folder = parser.parse_args().folder
    if not (lines := requirements(folder)):
        print(f"{folder} has no wheels: 'pip download --dest {folder} swgui-core' fetches them.", file=sys.stderr)
        return 1
    listed = folder / "requirements.txt"
    listed.write_text("\n".join([*lines, ""]), "utf-8")
    print(f"{listed}: {len(lines)} packages")
    return 0


def requirements(folder: Path) -> list[str]:
    """One line for each package of a folder, with the digest of each of its wheels."""
    digests: dict[str, list[str]] = defaultdict(list)
    for wheel in sorted(folder.glob(f"*{WHEEL}")):
        name, version = wheel.name.split("-")[:2]
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        digests[f"{name.replace('_', '-').lower()}=={version}"].append(f"--hash=sha256:{digest}")
    return [f"{package} {' '.join(of_package)}" for package, of_package in digests.items()]


if __name__ == "__main__":
    sys.exit(main())
