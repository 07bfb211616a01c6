"""``swgui worker``: lend this computer to a cluster."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

from swgui.commands.engine import cluster_address
from swgui.commands.option import Group, Option
from swgui.core.devices import TLS_SETTINGS, device_ids
from swgui.core.engines import EngineOptions
from swgui.core.errors import EngineUnavailable
from swgui.engines import registry
from swgui.engines.cluster import engine as cluster
from swgui.engines.cluster.security import SCHEDULER_VARIABLE, make_connection
from swgui.engines.facts import GPU
from swgui.jobs.cluster import worker as cluster_worker
from swgui.jobs.cluster.worker import KEEP_MIB, local_engines

WORKER: Final = (
    Group(
        (
            Option(("address",), f"address of the scheduler (default: {SCHEDULER_VARIABLE})", "ADDRESS", default=""),
            Option(
                ("--engine",), "engine (default: the fastest here)", default="auto", choices=("auto", *local_engines())
            ),
            Option(("--device",), "devices of that engine (default: one worker for each GPU)", "ID[,ID]", default=""),
            Option(("-t", "--threads", "--num-threads"), "threads of the CPU engine (default: all)", "N", int, 0),
            Option(
                ("--database-folder",),
                "folder of .swdb files; may be repeated",
                "FOLDER",
                default=[],
                many=True,
                dest="databases",
                former=("--databases",),
            ),
            Option(("--keep",), f"residues kept in memory (default: {KEEP_MIB})", "MIB", int, KEEP_MIB),
            Option(("--name",), "name shown to users (default: computer, device and process)", default=""),
            *(Option((f"--{name}",), "for a tls:// address", "FILE.pem", default="") for name in TLS_SETTINGS),
            Option(("--allow-plain",), "allow a connection that others can read and use", default=False, flag=True),
        )
    ),
)

ADDRESS_VARIABLES: Final = (SCHEDULER_VARIABLE, "DASK_SCHEDULER_ADDRESS")  # the latter is set in Kubernetes


def run(arguments: argparse.Namespace) -> int:
    """Work until told to stop."""
    status = cluster.status()
    if not status.available:
        raise EngineUnavailable(status.name, status.reason, hint=status.hint)
    address = arguments.address or next(filter(None, map(os.environ.get, ADDRESS_VARIABLES)), "")
    connection = make_connection(cluster_address(arguments, address))
    devices = gpus_to_use(arguments.engine) if not arguments.device else ()
    if len(devices) > 1:
        return _one_for_each(devices, arguments.name)
    options = cluster_worker.WorkerOptions(
        engine=arguments.engine,
        options=EngineOptions(device_ids(arguments.device), arguments.threads),
        folders=tuple(Path(folder) for folder in arguments.databases),
        keep_mib=max(1, arguments.keep),
        name=arguments.name,
    )
    asyncio.run(cluster_worker.serve(connection, options))
    return 0


def gpus_to_use(engine: str) -> tuple[str, ...]:
    """Return the GPUs that a worker without a chosen device stands for."""
    if engine not in (registry.AUTO, GPU.name):
        return ()
    return tuple(device.id for device in registry.probe(GPU.name).devices)


def _one_for_each(devices: tuple[str, ...], name: str) -> int:
    """Start this command again for every GPU, and end with them."""
    # A frozen program is its own interpreter.
    command = [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "swgui"]
    # Ended like this, the workers must end too, and not only with the terminal.
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(1))
    workers = []
    for device in devices:
        own = ["--engine", GPU.name, "--device", device, *(["--name", f"{name}-{device}"] if name else [])]
        workers.append(subprocess.Popen([*command, *sys.argv[1:], *own]))
    try:
        return max(worker.wait() for worker in workers)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
