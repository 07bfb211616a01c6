"""Starting the driver behind the program's own start: it takes a third of a second, and needs none of our modules.

Every library in a process shares a device's primary context. This module makes it, through the driver alone, during the
import of the program and the reading of its files; CuPy finds it there. The code that needs the device meets any fault
again, and explains it.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Callable
from typing import Any, Final

from swgui.engines.cuda.identity import DRIVER, driver_version

begun: set[int] = set()  # devices
alone = False  # whether a command has this process for itself, so that no other code uses CuPy in it
DIGITS: Final = 4  # most in the number of a device


def number_of(name: str) -> int:
    """Return the number of the device to start by the name that was given; that of the first for no such name."""
    return int(name) if name.isdecimal() and len(name) <= DIGITS else 0


def begin(device: int = 0) -> tuple[threading.Thread, ...]:
    """Have the driver make the context of a device, and its management library say its version; returns at once.

    Returns
    -------
    tuple of Thread
        Those at work; none if they were begun before. They are waited for when the program ends: a driver must not be
        cut off.
    """
    if device in begun:
        return ()
    begun.add(device)
    threads = (
        threading.Thread(target=make_context, args=(device,), name="swgui-context"),
        threading.Thread(target=driver_version, name="swgui-driver"),
    )
    for thread in threads:
        thread.start()
    return threads


def make_context(device: int, load: Callable[[str], Any] = ctypes.CDLL) -> None:
    """Make the primary context of a device, by its number; do nothing where that is not possible."""
    try:
        driver = load(DRIVER)
    except OSError:
        return
    handle, context = ctypes.c_int(), ctypes.c_void_p()
    if driver.cuInit(0) == 0 and driver.cuDeviceGet(ctypes.byref(handle), device) == 0:
        driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), handle)  # kept to the end, as CUDA's runtime does
