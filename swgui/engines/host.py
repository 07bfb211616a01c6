"""Description of this computer for the user."""

from __future__ import annotations

import os
import sys
from typing import Final

CPU_INFO: Final = "/proc/cpuinfo"  # of Linux
PCI_DEVICES: Final = "/sys/bus/pci/devices"  # of Linux; a virtual GPU under Windows is none of them
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
        with open(CPU_INFO, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    import platform  # here: other systems than Linux

    return platform.processor() or platform.machine() or "CPU"


def has_nvidia_gpu() -> bool | None:
    """Whether there is hardware of NVIDIA in this computer, with or without a driver; None if that is not known."""
    if sys.platform == "darwin":
        return False
    from pathlib import Path  # here: only where there is no driver

    try:
        vendors = [file.read_text("ascii").strip() for file in Path(PCI_DEVICES).glob("*/vendor")]
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
