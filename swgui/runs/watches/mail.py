"""The mail command of a watch: a program of the user's that is started without a shell and reads the message."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from typing import IO, Final

from swgui.core.errors import InvalidParameter, Stopped, SwguiError

SUBJECT: Final = "{subject}"  # word of a command that the subject replaces; without it the message has a head
SECONDS: Final = 60.0  # that a command may take
LOOK: Final = 0.1  # seconds between two looks at Stop
SAID: Final = 200  # characters of what a command that failed wrote
_LONGEST: Final = 200  # characters of a subject
_HINT: Final = f'Give --mail a program and its arguments, as "mail -s {SUBJECT} me@example.org".'


class MailFault(SwguiError):
    """A message that was not sent."""


def words_of(command: str) -> list[str]:
    """Return the words of a mail command, as a shell splits them; `InvalidParameter` if a quote is open."""
    try:
        return shlex.split(command)
    except ValueError as fault:
        message = f"The mail command cannot be read: {str(fault).lower()}."
        raise InvalidParameter("mail", command, message, hint=_HINT) from fault


def check_mail(command: str) -> None:
    """Refuse a mail command that has no program here; `InvalidParameter` then."""
    if not command:
        return
    words = words_of(command)
    if not words or shutil.which(words[0]) is None:
        named = words[0] if words else ""
        message = f"There is no program '{named}' for --mail on this computer."
        raise InvalidParameter("mail", command, message, hint=_HINT)


def send(command: str, subject: str, text: str, cancel: threading.Event, *, seconds: float = SECONDS) -> None:
    """Start a mail command, and give it a message on its standard input.

    The command is started without a shell. A word `SUBJECT` in it stands for the subject, and the command reads the
    text alone; otherwise the message begins with its head: subject, kind and coding of the text.

    Raises
    ------
    MailFault
        If it cannot be started, fails, or takes longer than allowed; it is ended then, with all that it started.
    Stopped
        If `cancel` was set meanwhile.
    """
    words, line = words_of(command), " ".join(subject.split())[:_LONGEST]
    inside = any(SUBJECT in word for word in words)
    message = text.encode("utf-8", "replace") if inside else _with_head(line, text)
    given = [word.replace(SUBJECT, line) for word in words]
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as letter:
        letter.write(message)
        letter.seek(0)
        try:
            process = subprocess.Popen(
                given, stdin=letter, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True
            )
        except (OSError, ValueError) as fault:
            reason = getattr(fault, "strerror", None) or fault
            raise MailFault(f"The mail command '{words[0]}' cannot be started: {reason}.") from fault
        _wait(process, words[0], cancel, seconds)
        if process.returncode:
            raise MailFault(f"The mail command '{words[0]}' ended with status {process.returncode}{_said(said)}.")


def _with_head(subject: str, text: str) -> bytes:
    letter = EmailMessage(SMTP.clone(linesep="\n", max_line_length=998))
    letter["Subject"] = subject
    letter.set_content(text, cte="8bit")
    return letter.as_bytes()


def _wait(process: subprocess.Popen[bytes], name: str, cancel: threading.Event, seconds: float) -> None:
    end = time.monotonic() + seconds
    try:
        while process.poll() is None:
            if cancel.wait(LOOK):
                raise Stopped
            if time.monotonic() > end:
                raise MailFault(f"The mail command '{name}' did not end within {seconds:g} s, and was ended.")
    finally:
        if process.poll() is None:
            _kill(process)


def _kill(process: subprocess.Popen[bytes]) -> None:
    """End a command and all that it started."""
    with suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _said(file: IO[bytes]) -> str:
    """Return the first line that a command wrote on its standard error, behind a colon; empty without one."""
    file.seek(0)
    lines = file.read(1 << 12).decode("utf-8", "replace").strip().splitlines()
    return f": {lines[0][:SAID].rstrip('.')}" if lines else ""
