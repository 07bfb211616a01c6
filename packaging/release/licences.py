"""Put the licences of everything that the bundle brings along into it.

    .venv/bin/python packaging/release/licences.py build/bundle-env dist/swgui       # -> dist/swgui/_internal/licences

``README.txt`` there lists names, versions and licences. Python packages bring theirs; of libraries of the
system what Debian's package says.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import Distribution, distributions
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TEXTS = re.compile(r"(^|/)(licen[cs]es?|copying|notice|authors)([-_.][^/]*)?(/|$)", re.IGNORECASE)
COMMON = Path("/usr/share/common-licenses")
FAMILIES = ("LGPL-3", "LGPL-2.1", "GPL-3", "GPL-2", "Apache-2.0", "MPL-2.0")  # those that licences refer to by name


@dataclass(frozen=True, slots=True)
class Part:
    """Something that is bundled: its licence in a few words, and the files that hold it."""

    name: str
    version: str
    licence: str
    texts: tuple[Path, ...]


def main() -> int:
    """Collect; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("environment", type=Path, help="where the bundle's packages are installed")
    parser.add_argument("bundle", type=Path)
    options = parser.parse_args()
    print(f"{collect(options.environment, options.bundle)} licences")
    return 0


def collect(environment: Path, bundle: Path) -> int:
    """Write the folder and return the number of parts in it."""
    site = next(environment.rglob("site-packages"))
    parts = [python_itself(), *packages(site), *system_libraries(bundle)]
    folder = bundle / "_internal" / "licences"
    shutil.rmtree(folder, ignore_errors=True)
    for part in parts:
        home = folder / part.name
        home.mkdir(parents=True, exist_ok=True)
        for number, text in enumerate(part.texts):
            name = text.name if not (home / text.name).exists() else f"{number}-{text.name}"
            shutil.copyfile(text, home / name)
    families = [COMMON / name for name in FAMILIES if (COMMON / name).is_file()]
    for family in families:
        shutil.copyfile(family, folder / f"{family.name}.txt")
    shutil.copyfile(ROOT / "LICENSE", folder / "swgui.txt")
    width = max(len(part.name) for part in parts)
    rows = [f"{part.name:{width}}  {part.version:14}  {part.licence}".rstrip() for part in parts]
    head = "swgui is under the BSD-3-Clause licence (swgui.txt). What comes with it, and under which licence:"
    (folder / "README.txt").write_text("\n".join([head, "", *rows, ""]), "utf-8")
    return len(parts)


def packages(site: Path) -> list[Part]:
    """Return the Python packages of an environment, by name."""
    found = []
    for one in distributions(path=[str(site)]):
        name = one.metadata["Name"]
        if name != "swgui-core":
            texts = [Path(str(file.locate())) for file in one.files or () if _is_text(file.as_posix())]
            found.append(Part(name, one.version, licence_of(one), tuple(text for text in texts if text.is_file())))
    return sorted(found, key=lambda part: part.name.lower())


def _is_text(name: str) -> bool:
    return ".dist-info/" in name and TEXTS.search(name.partition(".dist-info/")[2]) is not None


def licence_of(one: Distribution) -> str:
    """Return the licence of a package in a few words, from whichever field its authors used."""
    said = one.metadata
    if expression := said.get("License-Expression"):
        return str(expression)
    classes = [
        value.rpartition(" :: ")[2] for value in said.get_all("Classifier") or () if value.startswith("License ::")
    ]
    field = str(said.get("License") or "").strip().splitlines()
    return "; ".join(classes) or (field[0] if field else "see its files")


def python_itself() -> Part:
    """Return Python, whose licence lies in another place on each system."""
    version = ".".join(map(str, sys.version_info[:3]))
    short = ".".join(map(str, sys.version_info[:2]))
    places = [
        Path(sys.base_prefix) / "LICENSE.txt",
        Path(sys.base_prefix) / "lib" / f"python{short}" / "LICENSE.txt",
        Path(f"/usr/share/doc/python{short}/copyright"),
        Path(f"/usr/share/doc/libpython{short}-stdlib/copyright"),
    ]
    return Part("Python", version, "PSF-2.0", tuple(place for place in places if place.is_file())[:1])


def system_libraries(bundle: Path) -> list[Part]:
    """Return the Debian packages whose libraries lie in the bundle; none on another system."""
    if not shutil.which("dpkg-query"):
        return []
    names = {file.name for file in (bundle / "_internal").glob("*.so*") if file.is_file()}
    searched = _asked("--search", *(f"*/{name}" for name in sorted(names)))
    owners = sorted({line.partition(":")[0] for line in searched.splitlines() if " by " not in line})
    shown = _asked("--show", "--showformat=${Package} ${Version}\n", *owners) if owners else ""
    parts = []
    for short, version in dict(line.split() for line in shown.splitlines()).items():
        text = Path("/usr/share/doc") / short / "copyright"
        parts.append(Part(short, version, "see its file", (text,) if text.is_file() else ()))
    return parts


def _asked(*words: str) -> str:
    """Return the entries of Debian's list of packages; unknown packages are left out."""
    return subprocess.run(["dpkg-query", *words], capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    sys.exit(main())
