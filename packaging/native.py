#!/usr/bin/env python3
"""Compile the CPU library: kernels/cpu/*.c -> swgui/engines/native/_build/.

    python packaging/native.py                       # for this computer, unless it is there and up to date
    python packaging/native.py --compiler zig        # with the compiler of the package ziglang
    python packaging/native.py --target aarch64-darwin --compiler zig      # for another computer

Done by every installation (packaging/hatch_build.py): `pip install`, `bootstrap.py run` and `test`, wheels, bundle.
Standard library only. Every source is compiled once for each instruction set of the CPU; a system compiler (CC, gcc,
clang) serves, and where there is none the package ziglang, which brings one for every platform.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "kernels" / "cpu"
ROOM = ROOT / "swgui" / "engines" / "native"
ZIG = "ziglang==0.17.1"
SYSTEM_COMPILERS = ("gcc", "clang", "cc")
# No contraction: a product that is rounded once with the sum behind it differs from that of NumPy.
FLAGS = (
    "-std=gnu11",
    "-O3",
    "-fPIC",
    "-fvisibility=hidden",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-Wall",
    "-Wextra",
)
# Those that know residues: compiled once more for residues of two bytes (kernels/cpu/level.h).
WIDE = ("all_local", "further", "regions", "scores", "trace")
LEVELS = {
    "x86_64": {"baseline": "x86-64", "avx2": "x86-64-v3", "avx512": "x86-64-v4"},
    "aarch64": {"baseline": ""},
}


@dataclass(frozen=True)
class Target:
    """A kind of computer: what zig calls it, and the platform tag of its wheels.

    The C library is the oldest that manylinux2014 allows, so that a wheel runs on every Linux of the last ten years.
    """

    triple: str
    tag: str


TARGETS = {
    ("x86_64", "linux"): Target("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64.manylinux2014_x86_64"),
    ("aarch64", "linux"): Target("aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64.manylinux2014_aarch64"),
    ("x86_64", "win32"): Target("x86_64-windows-gnu", "win_amd64"),
    ("x86_64", "darwin"): Target("x86_64-macos.11.0", "macosx_11_0_x86_64"),
    ("aarch64", "darwin"): Target("aarch64-macos.11.0", "macosx_11_0_arm64"),
}


class NoCompiler(Exception):
    """There is nothing to compile with, or it failed; the text says what."""


def naming() -> ModuleType:
    """Load the file that names libraries, without the rest of the program."""
    spec = importlib.util.spec_from_file_location("swgui_native_naming", ROOM / "naming.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def system_compiler() -> str:
    """Return the C compiler of this computer, a command; empty if there is none."""
    if given := os.environ.get("CC"):
        return given
    return next((name for name in SYSTEM_COMPILERS if shutil.which(name)), "")


def library_path(target: tuple[str, str] | None = None) -> Path:
    """Return where the library of the present sources belongs."""
    names = naming()
    return ROOM / "_build" / names.library_name(SOURCES, target or names.this_target())


def build(
    target: tuple[str, str] | None = None,
    *,
    compiler: str = "",
    into: Path | None = None,
    flags: Sequence[str] = (),
) -> Path:
    """Compile the library, unless it is there.

    Parameters
    ----------
    target : tuple of str, optional
        CPU and operating system; this computer without it.
    compiler : {"", "system", "zig"}
        Without one the system's where there is one and the target is this computer, else zig's.
    into : Path, optional
        Another file than the one the program looks for; always compiled.
    flags : sequence of str
        More options, for sanitizers.

    Returns
    -------
    Path

    Raises
    ------
    NoCompiler
        If there is no compiler, or it fails.
    """
    here = naming().this_target()
    target = target or here
    path = into or library_path(target)
    if into is None and path.is_file():
        return path
    own = target == here and compiler != "zig" and system_compiler()
    if compiler == "system" and not own:
        raise NoCompiler("there is no C compiler on this computer for this target")
    command = shlex.split(system_compiler()) if own else _zig(target)
    levels = LEVELS.get(target[0], {"baseline": ""})
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="swgui-native-", dir=path.parent) as name:
        folder = Path(name)
        files = sorted(SOURCES.glob("*.c"))
        jobs = [(source, level, width) for source in files for level in levels for width in _widths(source)]
        objects = [str(folder / f"{source.stem}-{level}{width}.o") for source, level, width in jobs]
        lines = []
        for (source, level, width), made in zip(jobs, objects, strict=True):
            defines = [f"-DSW_LEVEL={level}{width}", *(["-DSW_BASELINE"] if level == "baseline" else [])]
            defines += ["-DSW_WIDE"] if width else []
            cpu = _cpu(levels[level], own=bool(own))
            lines.append([*command, *FLAGS, *flags, *cpu, *defines, "-c", str(source), "-o", made])
        with ThreadPoolExecutor() as pool:
            list(pool.map(_call, lines))
        draft = folder / path.name
        _call([*command, "-shared", *flags, *objects, "-o", str(draft)])
        draft.replace(path)
    if into is None:
        _remove_others(path)
    return path


def _widths(source: Path) -> tuple[str, ...]:
    """Return the flags of an instruction set for each way a source is compiled."""
    return ("", "_wide") if source.stem in WIDE else ("",)


def _zig(target: tuple[str, str]) -> list[str]:
    """Return zig's command for a target."""
    if importlib.util.find_spec("ziglang") is None:
        raise NoCompiler(f"there is no C compiler: install gcc, or 'pip install {ZIG}'")
    if target not in TARGETS:
        raise NoCompiler(f"{'-'.join(target)} is not one of {', '.join('-'.join(known) for known in TARGETS)}")
    return [sys.executable, "-m", "ziglang", "cc", "-target", TARGETS[target].triple, "-fno-sanitize=undefined", "-s"]


def _cpu(name: str, *, own: bool) -> list[str]:
    if not name:
        return []
    return [f"-march={name}"] if own else [f"-mcpu={name.replace('-', '_')}"]


def _call(command: list[str]) -> None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    except OSError as error:
        raise NoCompiler(f"'{command[0]}' cannot be started: {error.strerror}") from None
    if done.returncode:
        raise NoCompiler(f"'{shlex.join(command)}' failed:\n{done.stderr[-4000:]}")


def _remove_others(path: Path) -> None:
    """Remove the libraries of earlier sources for the same kind of computer."""
    kind = path.name.rsplit("-", 1)[0]
    for other in path.parent.glob(f"{kind}-*{path.suffix}"):
        if other != path:
            try:
                other.unlink()
            except OSError:  # Windows keeps a library that is in use
                continue


def main() -> int:
    """Compile and say where the library is; return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=["-".join(known) for known in TARGETS], help="default: this computer")
    parser.add_argument("--compiler", choices=["system", "zig"], default="", help="default: the system's, else zig")
    options = parser.parse_args()
    target = tuple(options.target.split("-")) if options.target else None
    try:
        path = build(target, compiler=options.compiler)
    except NoCompiler as missing:
        print(f"The compiled library was not built: {missing}", file=sys.stderr)
        return 1
    print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
