"""Installing packages: by uv where pip can fetch it, which takes a tenth of the time, else by pip itself.

uv reads no settings of pip. Those of the user (index, proxy, certificates and so on) are passed to it; if uv has no
such setting, pip installs. Standard library only.
"""

from __future__ import annotations

import ast
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

# Setting of pip: the variable that tells uv the same, and what stands there between several values.
SAME = {
    "cert": ("SSL_CERT_FILE", ""),
    "client-cert": ("SSL_CLIENT_CERT", ""),
    "constraint": ("UV_CONSTRAINT", " "),
    "default-timeout": ("UV_HTTP_TIMEOUT", ""),
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "index-url": ("UV_DEFAULT_INDEX", ""),
    "no-index": ("UV_NO_INDEX", ""),
    "proxy": ("ALL_PROXY", ""),
    "timeout": ("UV_HTTP_TIMEOUT", ""),
    "trusted-host": ("UV_INSECURE_HOST", " "),
}
# Settings of pip that say nothing about which packages are installed or whence they come.
WITHOUT_MEANING = frozenset(
    [
        "break-system-packages",
        "cache-dir",
        "compile",
        "config-file",
        "disable-pip-version-check",
        "no-cache-dir",
        "no-color",
        "no-compile",
        "no-input",
        "no-warn-script-location",
        "prefer-binary",
        "progress-bar",
        "quiet",
        "require-virtualenv",
        "retries",
        "root-user-action",
        "user",
        "verbose",
    ]
)
# pip takes the best version of all indexes, and trusts what the system trusts.
LIKE_PIP = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_SYSTEM_CERTS": "1", "UV_NO_CONFIG": "1"}
SECTIONS = ("global", "install", ":env:")  # of pip's settings, the later before the earlier


def installers(pip: list[str], python: Path) -> Iterator[tuple[list[str], dict[str, str]]]:
    """Yield the commands that install into an environment, and their variables: the first that succeeds has done it.

    Parameters
    ----------
    pip : list of str
        The command that starts pip for the environment.
    python : Path
        Interpreter of the environment.

    Yields
    ------
    command : list of str
        To be followed by requirements.
    variables : dict
        The whole environment of the process.
    """
    # A user's "user = true" would keep packages out of the environment; all other settings of pip hold.
    variables = {**os.environ, "PIP_USER": "0", "PYTHONUNBUFFERED": "1"}
    command = [*pip, "install", "--no-input", "--disable-pip-version-check"]
    told = uv_variables(_output([*pip, "config", "list"], variables))
    if told is not None:
        places = [
            Path(interpreter).with_name("uv.exe" if os.name == "nt" else "uv") for interpreter in (pip[0], python)
        ]
        if not any(place.exists() for place in places):
            _output([*command, "--quiet", "--retries=1", "--only-binary=:all:", "uv"], variables)
        for uv in [place for place in places if place.exists()][:1]:
            yield [str(uv), "pip", "install", "--python", str(python)], {**variables, **LIKE_PIP, **told}
    yield command, variables


def uv_variables(listed: str | None) -> dict[str, str] | None:
    """Return uv's form of the settings that ``pip config list`` shows; None if uv lacks one of them."""
    if listed is None:
        return None
    settings: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        section, _, key = name.rpartition(".")
        if section in settings:
            settings[section][key] = str(ast.literal_eval(value))
    chosen = {key: value for section in SECTIONS for key, value in settings[section].items()}
    if not chosen.keys() <= SAME.keys() | WITHOUT_MEANING:
        return None
    return {SAME[key][0]: SAME[key][1].join(value.split()) for key, value in chosen.items() if key in SAME}


def _output(command: list[str], variables: dict[str, str]) -> str | None:
    """Return the output of a command; None if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", env=variables, check=False)
    return None if done.returncode else done.stdout
