"""Schedulers and workers as processes of their own, on the loopback unless told otherwise, gone when a test is over.

They are forked from one that has loaded Dask and the worker: to load these takes a process more than a second.
"""

from __future__ import annotations

import json
import multiprocessing
import os
import runpy
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType

REPOSITORY = Path(__file__).resolve().parents[3]
START_SECONDS = 60

# A worker of this program without its command, so that these tests need not the command line's table.
WORKER = """
import argparse, sys
from swgui.cli.computer import worker
from swgui.commands.option import declare
from swgui.cli.computer.worker import WORKER
parser = argparse.ArgumentParser()
declare(parser, WORKER)
sys.exit(worker.run(parser.parse_args(sys.argv[1:])))
"""
SCHEDULER = ["-m", "distributed.cli.dask_scheduler"]
NO_HTTP = ["--no-dashboard", "--dashboard-address", "127.0.0.1:0"]  # without the latter it is on every interface


FORKS = multiprocessing.get_context("forkserver")
FORKS.set_forkserver_preload(
    ["distributed.cli.dask_scheduler", "distributed.cli.dask_worker", "swgui.cli.computer.worker"]
)


def run_python(arguments: list[str], folder: Path, log: Path, environment: dict[str, str]) -> None:
    """Do in a forked process what ``python ARGUMENTS`` does, which begin with ``-m`` or ``-c``."""
    with open(log, "wb") as file, open(os.devnull, "rb") as nothing:
        for given, descriptor in ((nothing, 0), (file, 1), (file, 2)):
            os.dup2(given.fileno(), descriptor)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    kind, program, *sys.argv[1:] = arguments
    if kind == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(program, {"__name__": "__main__"})


class Started:
    """A forked process, with the interface of `subprocess.Popen`."""

    def __init__(self, *arguments: object) -> None:
        self._process = FORKS.Process(target=run_python, args=arguments)
        self._process.start()
        self.pid, self.terminate, self.kill = self._process.pid, self._process.terminate, self._process.kill

    def poll(self) -> int | None:
        return self._process.exitcode

    def send_signal(self, number: int) -> None:
        os.kill(self.pid or 0, number)

    def wait(self, seconds: float | None = None) -> None:
        self._process.join(seconds)
        if self.poll() is None:
            raise subprocess.TimeoutExpired("python", seconds or 0)


class Processes:
    """A scheduler and its workers; `close` ends all of them.

    Parameters
    ----------
    folder : Path
        For logs and what the processes write.
    host : str
        Where the scheduler listens.
    tls : mapping of str to str
        Certificates by the names of the engine's settings; empty for plain connections.
    """

    def __init__(self, folder: Path, *, host: str = "127.0.0.1", tls: Mapping[str, str] = MappingProxyType({})) -> None:
        self.folder = folder
        self.all: list[Started] = []
        self.workers: dict[str, Started] = {}
        file = folder / "scheduler.json"
        protocol = ["--protocol", "tls", "--tls-ca-file", tls["tls-ca"]] if tls else []
        protocol += [part for name in ("tls-cert", "tls-key") if tls for part in (f"--{name}", tls[name])]
        where = ["--host", host, "--port", "0", "--no-show", "--scheduler-file", str(file), *NO_HTTP]
        self.scheduler = self.start("scheduler", [*SCHEDULER, *where, *protocol])
        self.address = self._address(file)

    def worker(
        self,
        name: str,
        arguments: Iterable[str] = ("--engine", "cpu", "--threads", "1"),
        *,
        before: str = "",
    ) -> Started:
        """Start a worker, having run the program text `before`; it may take seconds until the scheduler knows it."""
        command = ["-c", before + WORKER, self.address, "--name", name, *arguments]
        self.workers[name] = self.start(name, command)
        return self.workers[name]

    def log(self, name: str) -> str:
        return (self.folder / f"{name}.log").read_text("utf-8", "replace")

    def kill(self, process: Started) -> None:
        process.kill()
        process.wait()

    def close(self) -> None:
        # The scheduler last: Dask's own workers try for long to take their leave of it.
        for group in (self.all[1:], self.all[:1]):
            for process in group:
                if process.poll() is None:
                    process.send_signal(signal.SIGCONT)
                    process.terminate()
            deadline = time.monotonic() + 10
            for process in group:
                try:
                    process.wait(max(0.1, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    self.kill(process)

    def start(self, name: str, arguments: list[str], environment: dict[str, str] | None = None) -> Started:
        every = {**os.environ, "PYTHONPATH": str(REPOSITORY), **(environment or {})}
        process = Started(arguments, self.folder, self.folder / f"{name}.log", every)
        self.all.append(process)
        return process

    def _address(self, file: Path) -> str:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            assert self.scheduler.poll() is None, self.log("scheduler")
            try:
                return str(json.loads(file.read_text("utf-8"))["address"])
            except (OSError, ValueError):
                time.sleep(0.05)
        raise AssertionError(f"the scheduler did not start: {self.log('scheduler')}")
