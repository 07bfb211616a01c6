"""Signatures of files by ``ssh-keygen``: right, of another key, of a changed file, and what is missing."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from swgui.core.errors import InvalidParameter, SwguiError
from swgui.io import signatures
from swgui.io.signatures import SignatureError, check_signature, sign, signature_to_be

needs_ssh_keygen = pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")


@pytest.fixture
def keys(tmp_path):
    """Return two keys of users."""
    made = [tmp_path / "alice", tmp_path / "bob"]
    for key in made:
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"{key.name}@lab", "-f", key], check=True)
    return made


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "claim.json"
    path.write_text('{"found": 0}\n')
    return path


def public(key):
    return key.with_suffix(".pub")


@needs_ssh_keygen
def test_a_signature_is_that_of_a_public_key_or_of_a_list(keys, file, tmp_path):
    made = sign(file, str(keys[0]))
    assert made == tmp_path / "claim.json.sig"
    said = check_signature(file, public(keys[0]))
    assert said.startswith(f"{public(keys[0])}, ED25519 key SHA256:")
    allowed = tmp_path / "allowed_signers"
    allowed.write_text("".join(f"{key.name}@lab {public(key).read_text()}" for key in keys))
    assert check_signature(file, allowed).startswith("alice@lab, ED25519 key SHA256:")
    sign(file, str(keys[1]))  # replaces it
    assert check_signature(file, allowed).startswith("bob@lab, ")


@needs_ssh_keygen
def test_what_is_not_signed_so_is_refused(keys, file, tmp_path):
    sign(file, str(keys[0]))
    with pytest.raises(SignatureError, match=r"was signed with the ED25519 key SHA256:.* does not allow"):
        check_signature(file, public(keys[1]))
    (other := tmp_path / "list").write_text(f'alice@lab namespaces="git" {public(keys[0]).read_text()}')
    with pytest.raises(SignatureError, match="does not allow"):
        check_signature(file, other)
    signature, text = tmp_path / "claim.json.sig", file.read_text()
    file.write_text(text.replace("0", "1"))
    with pytest.raises(SignatureError, match="was changed after it was signed"):
        check_signature(file, public(keys[0]))
    file.write_text(text)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", keys[0], file], input=b"y\n", check=True)
    with pytest.raises(SignatureError, match="signed for something other than swgui"):
        check_signature(file, public(keys[0]))
    signature.write_text("no signature\n")
    with pytest.raises(SignatureError, match="file or its signature was changed"):
        check_signature(file, public(keys[0]))
    signature.unlink()
    with pytest.raises(SignatureError, match=r"There is no signature '.*claim\.json\.sig'"):
        check_signature(file, public(keys[0]))


@needs_ssh_keygen
def test_keys_that_cannot_be_used_are_said(keys, file, tmp_path):
    assert signature_to_be(None, None) is None
    with pytest.raises(InvalidParameter, match="none is written"):
        signature_to_be(str(keys[0]), None)
    assert signature_to_be(str(keys[0]), "claim.json") == "claim.json.sig"
    with pytest.raises(SignatureError, match="There is no key 'nokey'"):
        signature_to_be("nokey", "claim.json")
    with pytest.raises(SignatureError, match="is no key of ssh-keygen"):
        signature_to_be(str(file), "claim.json")
    with pytest.raises(SignatureError, match="ssh-keygen did not sign"):
        sign(file, str(file))
    sign(file, str(keys[0]))
    with pytest.raises(SignatureError, match="is a private key"):
        check_signature(file, keys[0])
    with pytest.raises(SignatureError, match="There is no file of signers"):
        check_signature(file, tmp_path / "none")


def test_without_ssh_keygen_it_says_so(file, tmp_path, monkeypatch):
    monkeypatch.setattr(signatures, "PROGRAM", "no-such-program")
    (tmp_path / "claim.json.sig").write_text("any")
    (tmp_path / "key.pub").write_text("ssh-ed25519 AAAA me")
    for work in (lambda: signature_to_be("key", "claim.json"), lambda: check_signature(file, tmp_path / "key.pub")):
        with pytest.raises(SwguiError, match="no-such-program was not found") as told:
            work()
        assert "Install OpenSSH" in told.value.hint
