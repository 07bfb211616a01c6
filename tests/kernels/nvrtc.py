"""NVRTC through ctypes: compiles for any GPU where there is no GPU, no driver and no CuPy."""

from __future__ import annotations

import ctypes
import importlib.util
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest


def at_night(*values: object) -> tuple[object, ...]:
    """Return values of a parameter, each a tuple where there are several parameters, for the nightly run alone."""
    return tuple(
        pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=pytest.mark.nightly) for value in values
    )


# Without 16-bit maxima and with those of sm_90: the two ways in which kernels are written; the others need a night.
ARCHITECTURES = (75, 90, *at_night(80, 86, 89, 100, 120))
_FUNCTION = re.compile(r"Compiling entry function '(\w+)'.*?Used (\d+) registers", re.DOTALL)
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


@dataclass(frozen=True)
class Usage:
    """Resources of a thread that one kernel uses."""

    registers: int
    spilled: int  # bytes written


@cache
def library() -> ctypes.CDLL | None:
    """Load NVRTC from its wheel; None if it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    for home in spec.submodule_search_locations or () if spec else ():
        for path in sorted(Path(home).glob("**/libnvrtc.so.*")):
            if "builtins" not in path.name and "alt" not in path.name:
                return ctypes.CDLL(str(path))
    return None


def compile_kernel(source: str, architecture: int, options: tuple[str, ...]) -> dict[str, Usage]:
    """Compile for one compute capability and return the usage of each kernel; `SyntaxError` with the log."""
    nvrtc = library()
    assert nvrtc is not None
    program = ctypes.c_void_p()
    assert nvrtc.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"kernel.cu", 0, None, None) == 0
    given = [f"-arch=sm_{architecture}", "-std=c++17", "--ptxas-options=-v", *options]
    array = (ctypes.c_char_p * len(given))(*(option.encode() for option in given))
    failed = nvrtc.nvrtcCompileProgram(program, len(given), array)
    size = ctypes.c_size_t()
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    nvrtc.nvrtcGetProgramLog(program, log)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    text = log.value.decode()
    if failed:
        raise SyntaxError(text)
    usage = {}
    for match in _FUNCTION.finditer(text):
        spills = _SPILLS.search(match.group(0))
        usage[match[1]] = Usage(int(match[2]), int(spills[1]) if spills else 0)
    return usage
