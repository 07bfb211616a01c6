"""Description of this computer for the user."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Final

PCI_DEVICES: Final = Path("/sys/bus/pci/devices")  # of Linux; a virtual GPU under Windows is none of them
NVIDIA: Final = "0x10de"  # vendor id of NVIDIA on the PCI bus


def usable_cores() -> int:
    """Return the number of cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def cpu_name() -> str:
    """Return the CPU's name as its maker writes it, or the architecture."""
    try:
        # platform.processor() is empty or just the architecture on Linux.
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "CPU"


def has_nvidia_gpu() -> bool | None:
    """Whether there is hardware of NVIDIA in this computer, with or without a driver; None if that is not known."""
    if sys.platform == "darwin":
        return False
    try:
        vendors = [file.read_text("ascii").strip() for file in PCI_DEVICES.glob("*/vendor")]
    except (OSError, UnicodeDecodeError):
        return None
    return NVIDIA in vendors if vendors else None


def memory() -> int:
    """Return the installed memory in bytes."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # Windows has no sysconf, other systems not every name
        import psutil  # here: otherwise its modules would be loaded for every search

        return int(psutil.virtual_memory().total)
