"""Where a worker listens: anyone who reaches a port of Dask can run programs, so there is one, no wider than needed."""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from swgui.core.engines import EngineOptions
from swgui.engines.cluster import engine as cluster
from tests.engines.cluster.certificates import make_certificates

pytest.importorskip("distributed", reason="dask and distributed are not installed")
from tests.engines.cluster.processes import Processes

pytestmark = pytest.mark.skipif(not Path("/proc/net/tcp").is_file(), reason="sockets are listed in /proc on Linux only")
LISTENING = "0A"


def listening(pid):
    """Return the addresses of a process's listening sockets, one for each of them."""
    inodes = set()
    for number in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):  # closed meanwhile
            inodes.add(os.readlink(number))
    found = []
    for table in ("tcp", "tcp6"):
        file = Path(f"/proc/{pid}/net/{table}")
        for line in file.read_text("ascii").splitlines()[1:] if file.is_file() else ():
            _, local, _, state, *rest = line.split()
            if state == LISTENING and f"socket:[{rest[5]}]" in inodes:
                words = local.partition(":")[0]
                parts = (int(words[i : i + 8], 16).to_bytes(4, sys.byteorder) for i in range(0, len(words), 8))
                found.append(str(ipaddress.ip_address(b"".join(parts))))
    return found


def of_a_worker(folder, arguments=(), settings=None, **options):
    """Start a scheduler and a worker, wait until it can be used, and return where the worker listens."""
    processes = Processes(folder, **options)
    try:
        worker = processes.worker("one", ["--engine", "cpu", "--threads", "1", *arguments])
        chosen = {"scheduler": processes.address, **(settings or {})}
        engine = cluster.create(EngineOptions(settings=chosen))
        engine.close()
        return listening(worker.pid)
    finally:
        processes.close()


def network_address():
    """Return an address of this computer that others can reach, or "" where there is none; nothing is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe, suppress(OSError):
        probe.connect(("192.0.2.1", 9))
        address = probe.getsockname()[0]
        return "" if ipaddress.ip_address(address).is_loopback else address
    return ""


def test_all_listening_sockets_of_a_process_are_found():
    with socket.create_server(("127.0.0.1", 0)), socket.create_server(("0.0.0.0", 0)):
        found = listening(os.getpid())
    assert {"127.0.0.1", "0.0.0.0"} <= set(found)


def test_a_plain_worker_on_this_computer_listens_once_and_on_the_loopback(tmp_path):
    assert of_a_worker(tmp_path) == ["127.0.0.1"]


def test_so_it_does_with_an_address_of_ipv6(tmp_path):
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 here")
    assert of_a_worker(tmp_path, host="[::1]") == ["::1"]


def test_an_encrypted_worker_has_no_port_without_encryption(tmp_path):
    files = make_certificates(tmp_path)
    own = [part for name, file in files.items() for part in (f"--{name}", file)]
    assert of_a_worker(tmp_path, own, files, tls=files) == ["127.0.0.1"]


def test_a_plain_worker_in_a_network_listens_where_the_scheduler_reaches_it(tmp_path):
    address = network_address()
    if not address:
        pytest.skip("no network here")
    assert of_a_worker(tmp_path, ["--allow-plain"], {"allow-plain": "on"}, host=address) == [address]
