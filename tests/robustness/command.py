"""The installed command in a process of its own, as a user runs it."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def environment(folder, **more):
    """Return the environment of a user whose files all lie in `folder`."""
    own = {f"SWGUI_{name}_DIR": str(folder / f"{name.lower()} of the program") for name in ("CONFIG", "CACHE", "DATA")}
    return os.environ | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | own | more


def swgui(folder, *arguments, **options):
    """Run ``swgui`` in `folder` until it ends; options are those of `subprocess.run`."""
    options = {"env": environment(folder), "capture_output": True, "timeout": 120, "check": False} | options
    return subprocess.run([sys.executable, "-m", "swgui", *arguments], cwd=folder, **options)


def begin(folder, *arguments, **options):
    """Start ``swgui`` in `folder` and return the process."""
    options = {"env": environment(folder), "stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | options
    return subprocess.Popen([sys.executable, "-m", "swgui", *arguments], cwd=folder, **options)


def sentences(ended):
    """Return the standard error of a process that ended, without a traceback in it."""
    text = ended.stderr.decode()
    assert "Traceback" not in text, text
    return text
