"""The virtual environment in the checkout: made once, found again in milliseconds.

Standard library only. A stamp inside the environment says for which ``pyproject.toml``, which folder and
which extras it was made; as long as it fits, nothing is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from installer import installers
from system import NoPackage, Stop, can_install, install_command, install_packages, say

# Free space needed for an installation, in megabytes: measured sizes and room for the downloads.
BASE_SPACE = 900
EXTRA_SPACE = {"dev": 500, "cuda12": 600, "cuda13": 600}

# Output of pip when it fails -> advice, and the error it needs. The first that fits is printed.
PIP_FAILURES = (
    (
        r"No space left on device|Disk quota exceeded",
        "The disk is full.",
        "Make room, then run this again.",
        Stop,
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED",
        "The package index answers with a certificate that pip does not trust.",
        "If your network has a certificate authority of its own, tell pip: 'pip config set global.cert FILE'.",
        Stop,
    ),
    (
        r"name resolution|Failed to establish a new connection|Network is unreachable|No route to host"
        r"|Name or service not known|getaddrinfo failed|ConnectTimeout|timed out|ProxyError|SSLError"
        r"|Connection refused",
        "The package index cannot be reached.",
        "Check the network, and pip's settings if you use a proxy or a mirror ('pip config list').",
        Stop,
    ),
    (
        r"No matching distribution found for ([^\s;]+)",
        "There is no package {0} for this Python and this kind of computer.",
        "Python 3.11 to 3.13 on x86_64 Linux or Windows is the safe choice; see --python.",
        NoPackage,
    ),
    (
        r"error: (?:command|Microsoft Visual C\+\+).*",
        "A package has no ready-made file for this Python and could not be compiled: {0}",
        "Python 3.11 to 3.13 on x86_64 Linux or Windows is the safe choice; see --python.",
        NoPackage,
    ),
)


def this_version() -> str:
    """Return the version of the running Python, without the last number."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


@dataclass(frozen=True)
class Environment:
    """A virtual environment in `folder` for the checkout in `root`."""

    root: Path
    folder: Path
    log: Path

    @property
    def python(self) -> Path:
        """Interpreter of the environment."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    @property
    def stamp(self) -> Path:
        """File that says what the environment was made for."""
        return self.folder / "swgui-environment.json"

    def key(self) -> str:
        """Return a hash of the inputs of an installation: project file, compiled sources, folder, Python version."""
        digest = hashlib.sha256((self.root / "pyproject.toml").read_bytes())
        for source in sorted((self.root / "kernels" / "cpu").glob("*.[ch]")):
            digest.update(source.read_bytes())
        digest.update(f"{self.root}\n{self.version()}".encode())
        return digest.hexdigest()

    def version(self) -> str:
        """Return the Python version that made the environment, or an empty text."""
        try:
            text = (self.folder / "pyvenv.cfg").read_text("utf-8")
        except OSError:
            return ""
        found = re.search(r"^version(?:_info)?\s*=\s*(\d+\.\d+)", text, re.MULTILINE)
        return found[1] if found else ""

    def installed_extras(self) -> set[str]:
        """Return the extras of a finished installation that still fits; empty if there is none."""
        try:
            content = json.loads(self.stamp.read_text("utf-8"))
        except (OSError, ValueError):
            return set()
        if content.get("key") != self.key() or not self.python.exists():
            return set()
        return {"base", *content.get("extras", [])}

    def prepare(self, extras: Iterable[str], *, renew: bool, system_packages: bool) -> None:
        """Make the environment and install the program with `extras`, unless it is there.

        Parameters
        ----------
        renew : bool
            Make it anew even if it is there.
        system_packages : bool
            Whether Debian's package for virtual environments may be installed.
        """
        wanted = {"base", *extras}
        present = set() if renew else self.installed_extras()
        if wanted <= present:
            return
        wanted |= present
        self._check_space(wanted)
        if renew or not self._works():
            self._make(system_packages=system_packages)
        names = sorted(wanted - {"base"})
        self._install(f"{self.root}[{','.join(['window', *names])}]")
        text = json.dumps({"key": self.key(), "extras": names}, indent=1)
        draft = self.stamp.with_suffix(".new")
        draft.write_text(text, "utf-8")
        draft.replace(self.stamp)

    def _check_space(self, wanted: set[str]) -> None:
        needed = BASE_SPACE + sum(EXTRA_SPACE.get(extra, 0) for extra in wanted)
        free = shutil.disk_usage(self.root).free >> 20
        if free < needed:
            raise Stop(f"{free} MB are free in {self.root}, about {needed} MB are needed.", "Make room first.")

    def _works(self) -> bool:
        """Whether the folder holds an environment that starts and is new enough."""
        code = "import sys; sys.exit(sys.version_info < (3, 11))"
        try:
            return subprocess.call([self.python, "-c", code], stderr=subprocess.DEVNULL) == 0
        except OSError:
            return False

    def _make(self, *, system_packages: bool) -> None:
        if self.folder.exists():
            if not (self.folder / "pyvenv.cfg").exists():
                raise Stop(
                    f"{self.folder} is there, but is no virtual environment.", "Move it away, then run this again."
                )
            say(f"Making {self.folder.name} anew")
            shutil.rmtree(self.folder)
        options = ["--without-pip"] if self._outside_pip(system_packages=system_packages) else []
        say(f"Making the environment {self.folder} with Python {sys.version.split()[0]}")
        done = subprocess.run(
            [sys.executable, "-m", "venv", *options, self.folder], capture_output=True, text=True, check=False
        )
        if done.returncode:
            shutil.rmtree(self.folder, ignore_errors=True)
            reason = (done.stderr.strip() or done.stdout.strip()).splitlines()[-1:] or ["no reason given"]
            raise Stop(f"The environment could not be made: {reason[0]}", "")

    def _outside_pip(self, *, system_packages: bool) -> bool:
        """Whether pip must be used from outside the environment; makes sure that there is one at all.

        Debian and Ubuntu ship Python without ``ensurepip``, which puts pip into an environment.
        """
        if importlib.util.find_spec("ensurepip"):
            return False
        if importlib.util.find_spec("pip"):
            return True
        package = f"python{this_version()}-venv"
        if system_packages and can_install():
            install_packages([package], self.log)
            return False
        raise Stop(
            "This Python cannot make virtual environments.", f"On Debian or Ubuntu: {install_command([package])}"
        )

    def _install(self, requirement: str) -> None:
        inside = (self.folder / "Lib" if os.name == "nt" else self.folder / "lib").rglob(
            "site-packages/pip/__init__.py"
        )
        pip = (
            [str(self.python), "-m", "pip"]
            if any(inside)
            else [sys.executable, "-m", "pip", "--python", str(self.python)]
        )
        say(f"Installing the program and what it needs (first time: a minute or two; log: {self.log})")
        tail: str | None = ""
        for command, variables in installers(pip, self.python):
            tail = follow([*command, "--editable", requirement], self.log, variables)
            if tail is None:
                return
        raise explain(tail, self.log)


def follow(command: list[str], log: Path, environment: dict[str, str]) -> str | None:
    """Run a command into the log, showing on a terminal what it is at; return its output if it failed."""
    width = shutil.get_terminal_size().columns - 1
    live = sys.stdout.isatty()
    lines: list[str] = []
    with (
        log.open("a", encoding="utf-8") as file,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", env=environment
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            file.write(line)
            lines.append(line)
            if live:
                print("\r" + f"  {line.strip()}"[:width].ljust(width), end="", flush=True)
    if live:
        print("\r" + " " * width + "\r", end="", flush=True)
    return "".join(lines) if process.returncode else None


def explain(output: str, log: Path) -> Stop:
    """Return the reason why pip failed, as far as its output is known, with what to do."""
    for pattern, message, hint, error in PIP_FAILURES:
        if found := re.search(pattern, output):
            detail = found[found.lastindex or 0].strip()
            return error(message.format(detail), f"{hint} The whole message is in {log}.")
    # An exception of a build tells more than pip's own summary of it.
    errors = re.findall(r"^\s*[\w.]*[a-z]Error: .+", output, re.MULTILINE) or re.findall(
        r"(?i)^\s*error: .+", output, re.M
    )
    reason = errors[-1].strip() if errors else "pip failed."
    return Stop(f"The installation failed: {reason}", f"The whole message is in {log}.")
