"""State of the operating system: Qt's libraries, a compiler, a display, an NVIDIA driver.

Standard library only; used by ``bootstrap.py`` before anything is installed.
"""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

# Libraries that Qt loads; the program's own check of its surroundings reads the same file.
QT_LIBRARIES = Path(__file__).resolve().parent.parent / "resources" / "qt_libraries.json"
FONT_FOLDERS = ("/usr/share/fonts", "/usr/local/share/fonts", "~/.fonts", "~/.local/share/fonts")
FONT_PACKAGE = "fonts-dejavu-core"
COMPILERS = ("g++", "c++", "clang++")
COMPILER_PACKAGE = "g++"
VULKAN_DRIVERS = ("/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d")

# Lowest driver that serves a CUDA major version, as cuDriverGetVersion counts, and the extra to install.
CUDA_EXTRAS = ((13_000, "cuda13"), (12_000, "cuda12"))


class Stop(Exception):
    """Something that ends the script: what happened, and what to do about it."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class NoPackage(Stop):
    """A package that does not exist for this Python or this kind of computer."""


@dataclass(frozen=True)
class Driver:
    """Findings on NVIDIA's driver: the extra that fits it, and one sentence about it."""

    extra: str
    sentence: str


def say(text: str) -> None:
    """Print at once, also into a pipe."""
    print(text, flush=True)


def missing_libraries(*, window: bool) -> dict[str, str]:
    """Return the libraries Qt needs and this system lacks, with the Debian package of each."""
    if not sys.platform.startswith("linux"):
        return {}
    libraries = json.loads(QT_LIBRARIES.read_text("utf-8"))
    wanted: dict[str, str] = libraries["offscreen"] | (libraries["window"] if window else {})
    missing = {library: package for library, package in wanted.items() if not loadable(library)}
    if not has_font():
        missing["any font (*.ttf, *.otf)"] = FONT_PACKAGE
    return missing


def loadable(library: str) -> bool:
    """Whether a library of the system can be loaded."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def has_font() -> bool:
    """Whether there is any font for the window."""
    for folder in FONT_FOLDERS:
        for _, _, files in os.walk(os.path.expanduser(folder)):
            if any(name.lower().endswith((".ttf", ".otf", ".ttc")) for name in files):
                return True
    return False


def has_compiler() -> bool:
    """Whether a C++ compiler is on the path."""
    return any(shutil.which(name) for name in COMPILERS)


def missing_adapter() -> dict[str, str]:
    """Return the parts of a GPU in software that this system lacks, with the Debian package of each."""
    if not sys.platform.startswith("linux"):
        return {}
    missing = {} if loadable("libvulkan.so.1") else {"libvulkan.so.1": "libvulkan1"}
    if not any(list(Path(folder).glob("lvp_icd*.json")) for folder in VULKAN_DRIVERS):
        missing["lavapipe"] = "mesa-vulkan-drivers"
    return missing


def can_install() -> bool:
    """Whether packages can be installed here without asking for a password."""
    return shutil.which("apt-get") is not None and hasattr(os, "geteuid") and os.geteuid() == 0


def install_command(packages: Iterable[str]) -> str:
    """Return the command a user of Debian or Ubuntu would type."""
    return f"sudo apt-get install -y --no-install-recommends {' '.join(packages)}"


def install_packages(packages: Iterable[str], log: Path) -> None:
    """Install Debian packages as root; what apt says goes to the log."""
    names = list(dict.fromkeys(packages))
    say(f"Installing system packages: {' '.join(names)}")
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"}
    with log.open("a", encoding="utf-8") as file:
        for command in (["update"], ["install", "-y", "--no-install-recommends", *names]):
            # A package list that is old is no reason to stop: the installation itself will tell.
            status = subprocess.call(
                ["apt-get", "-q", *command], stdin=subprocess.DEVNULL, stdout=file, stderr=file, env=environment
            )
    if status:
        lines = log.read_text("utf-8", "replace").splitlines()
        reason = next((line for line in reversed(lines) if line.startswith("E:")), f"apt-get ended with {status}")
        raise Stop(f"System packages could not be installed: {reason}", f"The whole message is in {log}.")


def provide(missing: dict[str, str], what_for: str, log: Path, *, allowed: bool) -> bool:
    """Install what is missing, or say how; return whether all is there now.

    Parameters
    ----------
    missing : dict
        What is missing -> Debian package.
    what_for : str
        End of the sentence "... is needed ...".
    allowed : bool
        Whether the user lets this script install system packages.
    """
    if not missing:
        return True
    if allowed and can_install():
        install_packages(missing.values(), log)
        return True
    say(f"Missing on this system, needed {what_for}: {', '.join(missing)}")
    say(f"  On Debian or Ubuntu: {install_command(dict.fromkeys(missing.values()))}")
    say("  Elsewhere: the packages of your system that hold these files.")
    return False


def has_display() -> bool:
    """Whether there seems to be a screen to open a window on."""
    if not sys.platform.startswith("linux"):
        return True
    if os.environ.get("QT_QPA_PLATFORM", "").startswith(("offscreen", "minimal")):
        return False
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def find_driver() -> Driver:
    """Look for NVIDIA's driver and a GPU that it can use."""
    library = driver_library()
    if library is None:
        return Driver("", "No NVIDIA driver found: searches run on the CPU.")
    version, devices = ctypes.c_int(0), ctypes.c_int(0)
    if library.cuInit(0) or library.cuDeviceGetCount(ctypes.byref(devices)) or not devices.value:
        return Driver("", "An NVIDIA driver is there, but it finds no GPU: searches run on the CPU.")
    library.cuDriverGetVersion(ctypes.byref(version))
    known = f"{version.value // 1000}.{version.value % 1000 // 10}"
    for lowest, extra in CUDA_EXTRAS:
        if version.value >= lowest:
            count = f"{devices.value} GPU{'s' if devices.value > 1 else ''}"
            return Driver(extra, f"{count} found, driver for CUDA {known}: installing the extra '{extra}'.")
    return Driver(
        "", f"The NVIDIA driver serves CUDA {known}, 12.0 is needed: searches run on the CPU until it is newer."
    )


def driver_library() -> ctypes.CDLL | None:
    """Return the library of the NVIDIA driver; None without a driver."""
    for name in ("nvcuda.dll",) if sys.platform == "win32" else ("libcuda.so.1", "libcuda.so"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None
