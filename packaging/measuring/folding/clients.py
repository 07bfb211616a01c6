#!/usr/bin/env python3
"""Let the real clients fetch alignments from a folding server that this starts: their own functions, unchanged.

    python packaging/measuring/folding/clients.py [CLIENT ...] [--database FILE] [--wheels FOLDER]

The packages are downloaded with ``pip download --no-deps`` into a throw-away folder (or `--wheels`, which is kept), and
of each only the file with the function that asks a server is loaded; modules that are not installed here are replaced
by empty ones, so that neither a model nor its libraries are needed. For each client are printed its version, the rows
of each chain, unpaired and paired, and the seconds from the call to the parsed result. Exit status 1 if one fails.
"""

from __future__ import annotations

import argparse
import ast
import importlib.abc
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import types
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from swgui.commands.serve import serve_arguments
from swgui.io.sequences.reader import read_sequences
from swgui.paths import resources_dir
from swgui.serve.server import FoldingServer

HELPERS: Final = ("requests", "urllib3<3", "idna", "certifi", "charset-normalizer", "tqdm")
EXAMPLES: Final = resources_dir() / "examples"


class _Anything(type):
    """A class that takes part in whatever a module does when it is loaded."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _Absent

    def __call__(cls, *arguments: Any, **_: Any) -> Any:
        return arguments[0] if len(arguments) == 1 and callable(arguments[0]) else _Absent

    def __or__(cls, _: Any) -> Any:
        return cls

    __ror__ = __or__

    def __getitem__(cls, _: Any) -> Any:
        return cls


class _Absent(metaclass=_Anything):
    """Stands for whatever is not installed."""

    def __init_subclass__(cls, **_: Any) -> None:
        """Take any keyword."""


class _AbsentModules(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that the file of a client imports and nobody else has."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def look_into(self, place: Path) -> None:
        """Take the part of whatever a file imports that is not installed."""
        for node in ast.walk(ast.parse(place.read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            roots = {name.partition(".")[0] for name in names}
            self.names |= {root for root in roots if importlib.util.find_spec(root) is None}

    def find_spec(self, name: str, path: Any, target: Any = None) -> importlib.machinery.ModuleSpec | None:
        """Find a module, or leave it to others."""
        wanted = name.partition(".")[0] in self.names
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if wanted else None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """Return an empty one."""
        module = types.ModuleType(spec.name)
        module.__getattr__ = lambda name: _missing(name)  # type: ignore[method-assign]
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        """Leave it empty."""


ABSENT: Final = _AbsentModules()


def _missing(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _Absent


@dataclass(frozen=True, slots=True)
class Client:
    """A program: its package, the file that asks a server, and what is called there."""

    package: str
    file: str
    fetch: Callable[[Any, Sequence[str], str, bool], list[int]]


def _rows(texts: Sequence[str]) -> list[int]:
    """Return the records of each chain; rows that do not fit are an error."""
    counts = []
    for text in texts:
        lines = text.splitlines()
        rows = ["".join(sign for sign in row if not sign.islower()) for row in lines[1::2]]
        assert len({len(row) for row in rows}) == 1, "rows differ in length"
        counts.append(len(rows))
    return counts


def boltz(module: Any, chains: Sequence[str], url: str, paired: bool) -> list[int]:
    """Ask as boltz does."""
    return _rows(module.run_mmseqs2(list(chains), f"boltz_{paired}", use_env=True, use_pairing=paired, host_url=url))


def colabfold(module: Any, chains: Sequence[str], url: str, paired: bool) -> list[int]:
    """Ask as colabfold does."""
    found = module.run_mmseqs2(
        list(chains), f"colabfold_{paired}", use_env=True, use_pairing=paired, host_url=url, user_agent="swgui"
    )
    return _rows(found)


def chai(module: Any, chains: Sequence[str], url: str, paired: bool) -> list[int]:
    """Ask as chai does."""
    texts, _ = module._run_mmseqs2(list(chains), f"chai_{paired}", use_pairing=paired, host_url=url, user_agent="swgui")
    return _rows(texts)


def openfold3(module: Any, chains: Sequence[str], url: str, paired: bool) -> list[int]:
    """Ask as openfold3 does."""
    found = module.query_colabfold_msa_server(
        list(chains), Path(f"openfold_{paired}"), "swgui", use_pairing=paired, host_url=url
    )
    return _rows(found[0] if isinstance(found, tuple) else found)


def protenix(module: Any, chains: Sequence[str], url: str, paired: bool) -> list[int]:
    """Ask as protenix does."""
    texts = []
    asked = ["\n".join(f">query_{n}\n{text}" for n, text in enumerate(chains))]
    if not paired:
        asked = [f">query_{n}\n{text}" for n, text in enumerate(chains)]
    for number, text in enumerate(asked):
        folder = Path(f"protenix_{paired}_{number}")
        module.run_mmseqs2_service(
            text, str(folder), use_pairing=paired, pairing_strategy="greedy", host_url=url, user_agent="swgui",
            server_mode="colabfold",
        )  # fmt: skip
        name = "pairing.a3m" if paired else "non_pairing.a3m"
        texts += [place.read_text() for place in sorted(folder.glob(f"*/{name}"))]
    return _rows(texts)


CLIENTS: Final = {
    "boltz": Client("boltz==2.2.1", "boltz/data/msa/mmseqs2.py", boltz),
    "colabfold": Client("colabfold==1.6.3", "colabfold/colabfold.py", colabfold),
    "chai_lab": Client("chai_lab==0.6.1", "chai_lab/data/dataset/msas/colabfold.py", chai),
    "openfold3": Client("openfold3==0.5.0", "openfold3/core/data/tools/colabfold_msa_server.py", openfold3),
    "protenix": Client("protenix==2.0.0", "protenix/web_service/colab_request_utils.py", protenix),
}


def download(package: str, wheels: Path, pip: str) -> None:
    """Download one package without what it needs."""
    words = [pip, "-m", "pip", "download", "-q", "--no-deps", "-d", str(wheels), package]
    subprocess.run(words, check=True, capture_output=True, timeout=300)


def unpacked(wheels: Path, folder: Path, package: str) -> Path:
    """Unpack the wheel of a package and return where."""
    name = package.split("=")[0].split("<")[0].replace("-", "_")
    wheel = next(iter(sorted(wheels.glob(f"{name}-*.whl"))))
    with zipfile.ZipFile(wheel) as file:
        file.extractall(folder)
    return folder


def loaded(place: Path, name: str) -> Any:
    """Load one file as a module of its own."""
    ABSENT.look_into(place)
    spec = importlib.util.spec_from_file_location(name, place)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def measure(name: str, chains: Sequence[str], url: str, wheels: Path, folder: Path, pip: str) -> str:
    """Return what one client got, as a line of a table."""
    client = CLIENTS[name]
    if not any(wheels.glob(f"{name}-*.whl")):
        download(client.package, wheels, pip)
    module = loaded(unpacked(wheels, folder / name, client.package) / client.file, f"client_{name}")
    said = []
    for paired in (False, True):
        began = time.monotonic()
        rows = client.fetch(module, chains, url, paired)
        assert len(rows) == len(chains), f"{len(rows)} chains came back"
        assert not paired or len(set(rows)) == 1, "paired chains differ in rows"
        said.append(
            f"{'paired' if paired else 'unpaired'} {'+'.join(map(str, rows))} in {time.monotonic() - began:.1f} s"
        )
    return f"{client.package:20} {', '.join(said)}"


def main() -> int:
    """Start a server, let every client ask it, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("clients", nargs="*", metavar="CLIENT", help=f"of {', '.join(CLIENTS)} (default: all)")
    parser.add_argument("--database", default=str(EXAMPLES / "sample_database.fasta.gz"))
    parser.add_argument("--wheels", type=Path, help="folder with the packages, filled if need be")
    parser.add_argument("--pip", default=sys.executable, help="a Python that has pip")
    parser.add_argument("--engine", default="auto")
    arguments = parser.parse_args()
    names = arguments.clients or list(CLIENTS)
    found = {record.id: record.residues.decode() for record in read_sequences(EXAMPLES / "sample_proteins.fasta")}
    chains = [text for name, text in found.items() if name.endswith(("HBA_HUMAN", "HBB_HUMAN"))]
    failed = []
    with tempfile.TemporaryDirectory(prefix="swgui-clients-") as place:
        folder, wheels = Path(place), arguments.wheels or Path(place) / "wheels"
        wheels.mkdir(exist_ok=True, parents=True)
        wheels = wheels.resolve()
        for package in HELPERS:
            if not any(wheels.glob(f"{package.split('<')[0].replace('-', '_')}-*.whl")):
                download(package, wheels, arguments.pip)
            unpacked(wheels, folder / "helpers", package)
        sys.path.append(str(folder / "helpers"))
        sys.meta_path.append(ABSENT)
        server = FoldingServer(
            serve_arguments(
                databases=[str(Path(arguments.database).resolve())], address="127.0.0.1:0", engine=arguments.engine,
                folder=str(folder / "server"),
            )
        )  # fmt: skip
        server.start(threading.Event())
        os.chdir(folder)
        try:
            for name in names:
                try:
                    print(measure(name, chains, server.url, wheels, folder, arguments.pip), flush=True)
                except Exception:
                    failed.append(name)
                    traceback.print_exc()
        finally:
            server.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
