"""Scores of a covariance model by Infernal, where it is installed: ``cmsearch`` on stretches of sequences."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from swgui.core.errors import InvalidParameter, Stopped, SwguiError, reason_of

PROGRAM: Final = "cmsearch"
LARGEST_HEAD: Final = 1 << 16  # bytes at the beginning of a model that have its facts
MIN_MEGABASES: Final = 1e-6
REPORTED: Final = "1000"  # E up to which Infernal reports
LOOK_SECONDS: Final = 0.1  # between two looks at Stop


class InfernalError(SwguiError):
    """Infernal is not installed, or a run of it failed."""


class CovarianceModel(NamedTuple):
    """The first model of a file."""

    path: Path
    name: str
    length: int  # columns of its consensus


class ModelScore(NamedTuple):
    """The best hit of a model in a stretch."""

    bits: float
    evalue: float


def find_program() -> str:
    """Return the path of cmsearch.

    Raises
    ------
    InfernalError
        If it is not installed.
    """
    found = shutil.which(PROGRAM)
    if found is None:
        message = (
            f"The program {PROGRAM} of Infernal is not on the search path, so that no hit can be scored by a model."
        )
        raise InfernalError(message, hint="Install Infernal (packages 'infernal' of Debian and of Bioconda).")
    return found


def read_model(path: str | Path) -> CovarianceModel:
    """Return the facts of a file of a covariance model.

    Raises
    ------
    InvalidParameter
        If it cannot be read, is no covariance model, or is not calibrated.
    """
    place = Path(path)
    try:
        with place.open("rb") as file:
            head = file.read(LARGEST_HEAD).decode("ascii", "replace")
    except OSError as fault:
        message = f"The model '{place}' cannot be read: {reason_of(fault)}."
        raise InvalidParameter("infernal", str(path), message, hint="Check its name.") from fault
    if not head.startswith("INFERNAL1/a"):
        message = f"'{place.name}' is no covariance model of Infernal 1.1."
        raise InvalidParameter(
            "infernal", str(path), message, hint="cmbuild writes one, cmconvert converts older ones."
        )
    facts: dict[str, str] = dict(re.findall(r"^(NAME|CLEN|ECMLI)\s+(\S+)", head.partition("\n//")[0], re.MULTILINE))
    if "ECMLI" not in facts:
        message = f"The model '{place.name}' is not calibrated, so that its scores have no E."
        raise InvalidParameter("infernal", str(path), message, hint=f"Run: cmcalibrate {place.name}")
    if not facts.get("CLEN", "").isdecimal():
        message = f"The model '{place.name}' has no number of columns (CLEN): it is damaged."
        raise InvalidParameter("infernal", str(path), message, hint="Make it again with cmbuild.")
    return CovarianceModel(place, facts.get("NAME", place.stem), int(facts["CLEN"]))


def version_of(program: str) -> str:
    """Return the version of Infernal, empty if it does not say it; `InfernalError` if it cannot be run."""
    done = _run([program, "-h"])
    found = re.search(r"INFERNAL (\S+)", done.stdout)
    return found[1] if found else ""


def score_stretches(
    program: str,
    model: CovarianceModel,
    stretches: Sequence[bytes],
    megabases: float,
    threads: int = 0,
    cancel: threading.Event | None = None,
) -> list[ModelScore | None]:
    """Return the score of the best hit of a model in each stretch, on the strand that is given; None without one.

    Filters by profile HMMs are left out (``--nohmm``): they lose true relatives whose sequences differ.

    Parameters
    ----------
    stretches : sequence of bytes
        Bases.
    megabases : float
        Size of the search that E refers to, both strands counted.
    threads : int
        0 leaves the number to Infernal.
    cancel : Event, optional
        Ends Infernal.

    Raises
    ------
    InfernalError
        If Infernal fails.
    Stopped
        If `cancel` is set.
    """
    if not stretches:
        return []
    with tempfile.TemporaryDirectory(prefix="swgui-infernal-") as folder:
        source, table = Path(folder) / "stretches.fa", Path(folder) / "hits.tbl"
        source.write_bytes(b"".join(b">%d\n%s\n" % (number, bases) for number, bases in enumerate(stretches)))
        words = [program, "--toponly", "--noali", "--nohmm", "-E", REPORTED]
        words += ["-Z", f"{max(megabases, MIN_MEGABASES):.6f}", "--tblout", table.name, "-o", "/dev/null"]
        words += ["--cpu", str(threads)] if threads else []
        done = _run([*words, _one_word(model.path, Path(folder)), source.name], folder, cancel)
        if done.returncode:
            said = " ".join((done.stderr or done.stdout).split()) or f"exit status {done.returncode}"
            raise InfernalError(
                f"{PROGRAM} of Infernal failed: {said[:300]}.", hint="Try the same model in a terminal."
            )
        return _best(table.read_text("ascii", "replace"), len(stretches))


def _one_word(path: Path, folder: Path) -> str:
    """Name of a model without spaces, where Debian's script would take the parts of one for several names."""
    whole = path.absolute()
    if not any(map(str.isspace, str(whole))) or os.name == "nt":
        return str(whole)
    (folder / "model.cm").symlink_to(whole)
    return "model.cm"


def _run(
    words: Sequence[str], folder: str | None = None, cancel: threading.Event | None = None
) -> subprocess.CompletedProcess[str]:
    """Outcome of a program, which neither Stop nor an error leaves running."""
    pipe = subprocess.PIPE
    try:
        # In a session of its own, so that Ctrl+C comes to this program alone, which then ends what Infernal started.
        process = subprocess.Popen(
            words, cwd=folder, stdin=subprocess.DEVNULL, stdout=pipe, stderr=pipe, text=True, errors="replace",
            start_new_session=True,
        )  # fmt: skip
    except OSError as fault:
        message = f"The program {words[0]} cannot be run: {reason_of(fault)}."
        raise InfernalError(message, hint="Try it in a terminal.") from fault
    with process:
        try:
            printed, said = _printed(process, cancel)
        except BaseException:
            _kill(process)
            raise
    return subprocess.CompletedProcess(words, process.returncode, printed, said)


def _printed(process: subprocess.Popen[str], cancel: threading.Event | None) -> tuple[str, str]:
    """Wait for a program, and return its standard output and error."""
    while cancel is None or not cancel.is_set():
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=LOOK_SECONDS)
    raise Stopped("Infernal was stopped.")


def _kill(process: subprocess.Popen[str]) -> None:
    """End a program and all that it started: Debian's cmsearch is a script that starts the true one."""
    if not hasattr(os, "killpg"):
        process.kill()
        return
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def _best(table: str, stretches: int) -> list[ModelScore | None]:
    """Return the best hit in each stretch of a table as ``--tblout`` writes it."""
    best: list[ModelScore | None] = [None] * stretches
    for line in table.splitlines():
        words = line.split()
        if line.startswith("#") or len(words) < 16:
            continue
        number, found = int(words[0]), ModelScore(float(words[14]), float(words[15]))
        before = best[number]
        if before is None or found.bits > before.bits:
            best[number] = found
    return best
