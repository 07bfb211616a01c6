"""Signatures of files by a key of the user, made and checked by ``ssh-keygen`` of OpenSSH: ``FILE.sig``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

from swgui.core.errors import InvalidParameter, SwguiError
from swgui.io.whole_file import save_text

if TYPE_CHECKING:
    import subprocess

PROGRAM: Final = "ssh-keygen"
PURPOSE: Final = "swgui"  # the namespace of the signatures: one that was made for something else does not count
SUFFIX: Final = ".sig"
_PUBLIC: Final = ("ssh-", "ecdsa-", "sk-")  # begin the line of a public key
_SIGNER: Final = "signer"


class SignatureError(SwguiError, ValueError):
    """A file cannot be signed, or its signature is not right."""


def signature_to_be(key: str | None, certificate: str | None) -> str | None:
    """Return the file of the signature that a certificate gets by a key, if there is one and it can sign.

    Raises
    ------
    InvalidParameter
        If no certificate is written.
    SignatureError
        If ``ssh-keygen`` is not installed, or there is no such key.
    """
    if not key:
        return None
    if not certificate:
        message = f"'{key}' is to sign a certificate, and none is written."
        raise InvalidParameter("sign", key, message, hint="Give --certificate, too.")
    _program()
    if not Path(key).is_file():
        raise SignatureError(f"There is no key '{key}'.", hint=f"Make one: ssh-keygen -t ed25519 -f {key}")
    if _run("-l", "-f", key).returncode:
        raise SignatureError(f"'{key}' is no key of {PROGRAM}.", hint="Give the file of a private SSH key.")
    return f"{certificate}{SUFFIX}"


def sign(path: str | Path, key: str) -> Path:
    """Sign a file; returns the file of the signature, which replaces a former one.

    Raises
    ------
    SignatureError
        If ``ssh-keygen`` does not sign with this key.
    FileNotWritten
        If the signature cannot be written.
    OSError
        If the file cannot be read.
    """
    done = _run("-Y", "sign", "-n", PURPOSE, "-f", key, data=Path(path).read_bytes())
    if done.returncode:
        raise SignatureError(
            f"{PROGRAM} did not sign '{path}' with '{key}': {_last(done)}.",
            hint=f"Sign it again: ssh-keygen -Y sign -n {PURPOSE} -f KEY {path}",
        )
    made = Path(f"{path}{SUFFIX}")
    save_text(made, lambda file: file.write(done.stdout.decode()))
    return made


def check_signature(path: str | Path, signers: str | Path) -> str:
    """Check the signature of a file; returns who signed it, and with which key.

    Parameters
    ----------
    signers : path
        A public key (``KEY.pub``), or a list as ``ssh-keygen`` reads it (``allowed_signers``).

    Raises
    ------
    SignatureError
        If there is none, the file or the signature was changed, or it is of another key.
    OSError
        If a file cannot be read.
    """
    signature = Path(f"{path}{SUFFIX}")
    if not signature.is_file():
        raise SignatureError(f"There is no signature '{signature}'.", hint="Ask the signer for it.")
    data = Path(path).read_bytes()
    listed, allowed = _allowed(signers)
    own = _run("-Y", "check-novalidate", "-n", PURPOSE, "-s", str(signature), data=data)
    if own.returncode:
        raise SignatureError(
            f"The signature '{signature}' is not one of this file: the file or its signature was changed after it was "
            f"signed, or it was signed for something other than {PURPOSE}.",
            hint="Do not trust the file; ask the signer for both again.",
        )
    key = own.stdout.decode().strip().rpartition(" with ")[2]
    from tempfile import TemporaryDirectory  # here: most runs sign nothing

    with TemporaryDirectory(prefix="swgui-") as folder:
        names = Path(folder) / "signers"
        names.write_text(allowed, "utf-8")
        found = _run("-Y", "find-principals", "-f", str(names), "-s", str(signature))
        who = found.stdout.decode().partition("\n")[0].strip()
        done = _run("-Y", "verify", "-f", str(names), "-I", who, "-n", PURPOSE, "-s", str(signature), data=data)
    if found.returncode or done.returncode or not who:
        raise SignatureError(
            f"'{path}' was signed with the {key}, which '{signers}' does not allow.",
            hint="Give the public key of the signer, or a list that has it.",
        )
    return f"{who if listed else signers}, {key}"


def _allowed(signers: str | Path) -> tuple[bool, str]:
    """Return whether a file is a list of signers, and it as such a list."""
    if not Path(signers).is_file():
        raise SignatureError(f"There is no file of signers '{signers}'.", hint="Give KEY.pub or a list of signers.")
    text = Path(signers).read_text("utf-8", "replace")
    if "PRIVATE KEY" in text:
        raise SignatureError(f"'{signers}' is a private key.", hint="Give the public one, which ends with .pub.")
    if text.startswith(_PUBLIC):
        return False, f"{_SIGNER} {text}"
    return True, text


def _program() -> str:
    import shutil  # here, as below: most runs sign nothing

    program = shutil.which(PROGRAM)
    if program is None:
        raise SignatureError(f"{PROGRAM} was not found.", hint="Install OpenSSH, whose program it is.")
    return program


def _run(*arguments: str, data: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    import subprocess  # here: most runs sign nothing

    return subprocess.run([_program(), *arguments], input=data, capture_output=True, check=False)


def _last(done: subprocess.CompletedProcess[bytes]) -> str:
    """Return the last line that a program wrote as an error."""
    lines = done.stderr.decode("utf-8", "replace").split("\n")
    said = [line.strip() for line in lines if line.strip()]
    return said[-1].rstrip(".") if said else f"status {done.returncode}"
