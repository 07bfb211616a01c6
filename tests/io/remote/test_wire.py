"""Frames between computers: whole or refused, wherever the line breaks; and words of a login before them."""

import io
import os
import stat

import msgspec
import pytest

from swgui.io.remote.addresses import read_address
from swgui.io.remote.connections import Link
from swgui.io.remote.wire import HEAD, LARGEST, MAGIC, Call, Greeting, Refusal, Unreachable, decoded, frame, read_frame


def test_a_frame_cut_at_any_byte_is_refused_or_the_end():
    content = frame(Call("events", {"run": "x", "after": 3}))
    assert decoded(read_frame(io.BytesIO(content).read), Call) == Call("events", {"run": "x", "after": 3})
    assert read_frame(io.BytesIO(b"").read) is None
    for end in range(1, len(content)):
        with pytest.raises(Unreachable):
            read_frame(io.BytesIO(content[:end]).read)


def test_a_frame_that_is_too_large_is_neither_sent_nor_read():
    with pytest.raises(Refusal):
        frame(Call("put", {"data": bytes(LARGEST)}))
    with pytest.raises(Unreachable):
        read_frame(io.BytesIO(HEAD.pack(17 << 20)).read)


@pytest.mark.parametrize("content", [b"", b"\xff\xff", b"hello", msgspec.msgpack.encode([1, 2])])
def test_bytes_of_no_message_are_refused(content):
    with pytest.raises(Unreachable):
        decoded(content, Call)


@pytest.fixture
def ssh(tmp_path, monkeypatch):
    """Return a function that makes ``ssh`` a script of these lines."""

    def make(*lines):
        place = tmp_path / "ssh"
        place.write_text("\n".join(["#!/bin/sh", *lines, ""]))
        place.chmod(place.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
        return tmp_path

    return make


def hello(version, protocol):
    """Return shell words that print the answer to the first call."""
    content = frame({"value": msgspec.to_builtins(Greeting(protocol, version)), "fault": None})
    return "printf '" + "".join(f"\\{byte:03o}" for byte in content) + "'"


def asked_of(folder):
    link = Link(read_address("ann@gpu1"))
    try:
        return link.call("databases", list)
    finally:
        link.close()


def test_ssh_gets_its_options_first_and_the_host_behind_two_hyphens(ssh):
    folder = ssh('printf "%s\\n" "$@" > "$(dirname "$0")/words"', "echo 'Permission denied (publickey).' >&2")
    with pytest.raises(Unreachable, match="Permission denied"):
        asked_of(folder)
    words = (folder / "words").read_text().splitlines()
    assert words[-3:] == ["--", "ann@gpu1", "swgui remote --stdio"]
    assert "BatchMode=yes" in words


def test_another_protocol_is_refused_with_the_version_to_update(ssh):
    magic = MAGIC.decode().strip()
    folder = ssh("echo 'Welcome to gpu1, be careful'", f"echo {magic}", hello("9.1.0", 2), "read more")
    with pytest.raises(Refusal, match=r"9\.1\.0") as fault:
        asked_of(folder)
    assert "this computer" in fault.value.hint
    assert fault.value.kind == "version"


@pytest.mark.parametrize("lines", [(), ("echo hello",), ("head -c 200000 /dev/zero",)])
def test_a_side_that_is_no_swgui_is_named(ssh, lines):
    with pytest.raises(Unreachable, match="gpu1"):
        asked_of(ssh(*lines))
