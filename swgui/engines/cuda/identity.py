"""Names under which GPUs are remembered: their UUID and the version of their driver, from the driver's own libraries.

`swgui.engines.monitor` knows both as well, but its Python binding takes longer to import than all libraries to answer.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, Final

DRIVER: Final = "nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1"
MANAGEMENT: Final = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
LONGEST_VERSION: Final = 80  # bytes
Load = Callable[[str], Any]


class _Uuid(ctypes.Structure):
    _fields_ = (("bytes", ctypes.c_ubyte * 16),)


@cache
def driver_version(load: Load = ctypes.CDLL) -> str:
    """Return the version of the driver, such as ``580.95.05``; empty if its management library does not answer."""
    try:
        library = load(MANAGEMENT)
    except OSError:
        return ""
    text = ctypes.create_string_buffer(LONGEST_VERSION)
    if library.nvmlInit_v2() or library.nvmlSystemGetDriverVersion(text, LONGEST_VERSION):
        return ""
    return text.value.decode(errors="replace")


@cache
def uuid_of(device: int, load: Load = ctypes.CDLL) -> str:
    """Return the UUID of a device by its number, as ``nvidia-smi -L`` prints it; empty if the driver has none."""
    try:
        driver = load(DRIVER)
    except OSError:
        return ""
    handle, found = ctypes.c_int(), _Uuid()
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(handle), device):
        return ""
    if driver.cuDeviceGetUuid(ctypes.byref(found), handle):
        return ""
    digits = bytes(found.bytes).hex()
    return "GPU-" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))
