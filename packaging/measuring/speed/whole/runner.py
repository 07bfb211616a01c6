"""Run one command and say how long it took and how much memory it had; also a script, which loads next to nothing.

The memory that an operating system counts for a new process begins with that of the process which started it. So
`speed.whole.child` has this file run by an interpreter that has loaded no more than this.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import TypedDict

UNIT = 1 if sys.platform == "darwin" else 1024  # of the memory that systems report


class Figures(TypedDict):
    """Costs of a command.

    Parameters
    ----------
    status : int
        Negative for a signal.
    seconds : float
        On the clock.
    cpu_seconds : float or None
        Seconds of processor time; None where the system does not tell.
    memory : int or None
        Bytes at the peak, of the largest process; likewise.
    late : bool
        Whether it was killed because it took too long.
    """

    status: int
    seconds: float
    cpu_seconds: float | None
    memory: int | None
    late: bool


def run(
    words: Sequence[str], out: str, errors: str, limit: float, variables: Mapping[str, str] | None = None
) -> Figures:
    """Run a command to its end.

    Parameters
    ----------
    words : sequence of str
    out, errors : str
        Files that take its standard output and its standard error.
    limit : float
        Seconds; a command that takes longer is killed.
    variables : Mapping[str, str], optional
        Of its surroundings; ours if nothing is given.
    """
    late = threading.Event()
    with open(out, "wb") as output, open(errors, "wb") as wrong:
        began = time.perf_counter()
        child = subprocess.Popen(
            words,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=wrong,
            env=variables,
            start_new_session=hasattr(os, "setsid"),
        )

        def end() -> None:
            if hasattr(os, "killpg"):
                os.killpg(child.pid, signal.SIGKILL)  # workflows have children of their own
            else:
                child.kill()

        def too_late() -> None:
            late.set()
            end()

        timer = threading.Timer(limit, too_late)
        timer.daemon = True
        timer.start()
        cpu_seconds: float | None = None
        memory: int | None = None
        try:
            if hasattr(os, "wait4"):
                _, ended, used = os.wait4(child.pid, 0)
                status = child.returncode = os.waitstatus_to_exitcode(ended)
                cpu_seconds = used.ru_utime + used.ru_stime
                memory = used.ru_maxrss * UNIT
            else:
                status = child.wait()
        except BaseException:
            end()
            raise
        finally:
            timer.cancel()
        seconds = time.perf_counter() - began
    return {"status": status, "seconds": seconds, "cpu_seconds": cpu_seconds, "memory": memory, "late": late.is_set()}


if __name__ == "__main__":
    print(json.dumps(run(sys.argv[4:], sys.argv[1], sys.argv[2], float(sys.argv[3]))))
