"""Kernel sources made one text each, and that text compiled.

CuPy keeps compiled kernels by the hash of the text it is given; files that the text includes do not
count. So includes are put in place here, with ``#line`` marks that let the compiler name the right file.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.errors import KernelCompileError
from swgui.core.trace import part

_INCLUDE: Final = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
_ONCE: Final = re.compile(r"^\s*#\s*pragma\s+once\b")
STANDARD: Final = "-std=c++17"


@cache
def source(name: str) -> str:
    """Return the text of a kernel file with its includes in place.

    Parameters
    ----------
    name : str
        File in the kernels folder, for example ``"streaming.cu"``.
    """
    return "\n".join(_inline(paths.kernels_dir() / name, set())) + "\n"


def _inline(path: Path, seen: set[Path]) -> list[str]:
    lines = [f'#line 1 "{path.name}"']
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if match := _INCLUDE.match(line):
            included = (path.parent / match[1]).resolve()
            if included not in seen:
                seen.add(included)
                lines += _inline(included, seen)
            lines.append(f'#line {number + 1} "{path.name}"')
        elif _ONCE.match(line):
            lines.append("")
        else:
            lines.append(line)
    return lines


def with_defines(file: str, defines: tuple[str, ...]) -> str:
    """Return the text of a kernel file with ``-D`` options written out in front of it.

    For every new list of options CuPy asks the compiler for its version, which takes 20 ms; so all kernels
    are compiled with the same ones.
    """
    lines = []
    for define in defines:
        if not define.startswith("-D"):
            raise ValueError(f"'{define}' is no -D option; all kernels are compiled with the same others.")
        name, _, value = define.removeprefix("-D").partition("=")
        lines.append(f"#define {name} {value or 1}")
    return "\n".join((*lines, source(file)))


def load(cupy: Any, file: str, kernel: str, defines: tuple[str, ...], shared_bytes: int = 0) -> Any:
    """Compile a kernel for the current device, or take it from the cache.

    Parameters
    ----------
    cupy : module
    file, kernel : str
        File in the kernels folder and name of the ``extern "C"`` function.
    defines : tuple of str
        ``-D`` options.
    shared_bytes : int
        Dynamic shared memory it will be launched with.

    Returns
    -------
    cupy.RawKernel
        Of the current device only.

    Raises
    ------
    KernelCompileError
    """
    try:
        with part("compile"):
            module = cupy.RawModule(code=with_defines(file, defines), options=(STANDARD,), backend="nvrtc")
            function = module.get_function(kernel)
            function.max_dynamic_shared_size_bytes = shared_bytes
    except cupy.cuda.compiler.CompileException as error:
        raise KernelCompileError(kernel, defines, str(error)) from error
    return function
