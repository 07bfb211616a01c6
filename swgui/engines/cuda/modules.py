"""Kernel sources made one text each, and that text compiled.

This module inserts the includes, with ``#line`` marks that let the compiler name the right file: the text alone decides
on the compilation, and it is the key of compiled kernels (`cubins`).
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any, Final

from swgui import paths
from swgui.core.errors import KernelCompileError
from swgui.core.trace import part
from swgui.engines.cuda import cubins

_INCLUDE: Final = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
_ONCE: Final = re.compile(r"^\s*#\s*pragma\s+once\b")
STANDARD: Final = "-std=c++17"
OPTIONS: Final = (STANDARD, "-ftz=true")
_SHARED, _LOCAL, _REGISTERS, _MAX_DYNAMIC_SHARED = 1, 3, 4, 8  # attributes of a function that the driver reads and sets


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
    """Return the text of a kernel file with ``-D`` options written out in front of it."""
    lines = []
    for define in defines:
        if not define.startswith("-D"):
            raise ValueError(f"'{define}' is no -D option; all kernels are compiled with the same others.")
        name, _, value = define.removeprefix("-D").partition("=")
        lines.append(f"#define {name} {value or 1}")
    return "\n".join((*lines, source(file)))


def is_built(cupy: Any, file: str, defines: tuple[str, ...]) -> bool:
    """Whether a kernel is compiled for the current device."""
    return cubins.is_kept(cubins.key_of(cupy, source(file), defines))


def build(cupy: Any, file: str, kernel: str, defines: tuple[str, ...]) -> bytes:
    """Return a kernel as the current device runs it: compiled now, or kept since it was.

    Raises
    ------
    KernelCompileError
    """
    key = cubins.key_of(cupy, source(file), defines)
    binary = cubins.find(key)
    if binary is None:
        binary = compiled(cupy, file, kernel, defines)
        cubins.keep(key, binary)
    return binary


def compiled(cupy: Any, file: str, kernel: str, defines: tuple[str, ...]) -> bytes:
    """Return a kernel compiled now, which is not kept.

    Raises
    ------
    KernelCompileError
    """
    compiler = cupy.cuda.compiler
    try:
        made, _ = compiler.compile_using_nvrtc(with_defines(file, defines), OPTIONS)
    except (compiler.CompileException, ImportError, OSError, RuntimeError) as error:  # RuntimeError: NVRTC is missing
        raise KernelCompileError(kernel, defines, str(error)) from error
    return bytes(made)


class Kernel:
    """A compiled kernel on the device that was current when it was loaded.

    Parameters
    ----------
    shared_bytes : int
        Dynamic shared memory it will be launched with.
    """

    def __init__(self, cupy: Any, function: Any, shared_bytes: int) -> None:
        self.kernel = function
        self._driver = cupy.cuda.driver
        if shared_bytes:
            self._driver.funcSetAttribute(function.ptr, _MAX_DYNAMIC_SHARED, shared_bytes)

    def __call__(self, grid: tuple[int, ...], block: tuple[int, ...], arguments: Any, *, shared_mem: int = 0) -> None:
        """Launch it on the current stream."""
        self.kernel(grid, block, arguments, shared_mem=shared_mem)

    @property
    def num_regs(self) -> int:
        return self._asked(_REGISTERS)

    @property
    def local_size_bytes(self) -> int:
        """Local memory of a thread: variables that did not fit the registers."""
        return self._asked(_LOCAL)

    @property
    def shared_size_bytes(self) -> int:
        """Shared memory of a block, apart from the dynamic."""
        return self._asked(_SHARED)

    def _asked(self, attribute: int) -> int:
        return int(self._driver.funcGetAttribute(attribute, self.kernel.ptr))


def load(cupy: Any, file: str, kernel: str, defines: tuple[str, ...], shared_bytes: int = 0) -> Kernel:
    """Make the current device hold a kernel.

    Raises
    ------
    KernelCompileError
    """
    with part("compile"):
        return loaded(cupy, build(cupy, file, kernel, defines), kernel, shared_bytes)


def loaded(cupy: Any, binary: bytes, kernel: str, shared_bytes: int = 0) -> Kernel:
    """Make the current device hold a compiled kernel."""
    module = cupy.cuda.function.Module()
    module.load(binary)
    return Kernel(cupy, module.get_function(kernel), shared_bytes)
