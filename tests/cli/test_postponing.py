"""Modules that few commands use run at their first use, and are then what they always are."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import Barrier, BrokenBarrierError
from types import SimpleNamespace

import swgui
from swgui.core import later

# Import a command as the program does; print which modules wait, then use each, and print its results.
PROGRAM = """
import sys
from swgui.cli import importing
importing.shorten()
import argparse, dataclasses, concurrent.futures, pathlib
import numpy as np
import swgui.cli.search, swgui.commands.search
from swgui.core.later import Later
waiting = lambda: sorted(name for name, module in sys.modules.items() if type(module) is Later)
first = waiting()
import gettext, inspect, ipaddress, json, logging, msgspec, numpy.typing, pickle, textwrap, urllib.parse
log = logging.getLogger("one")
loud = log.isEnabledFor(logging.INFO), log.isEnabledFor(logging.WARNING)
log.info("not shown")
quiet = type(sys.modules["logging"]) is Later
log.warning("shown")
logging.basicConfig(level=logging.DEBUG, format="%(funcName)s %(message)s")
def place():
    log.info("said")
    log.debug("said")
place()
log.propagate = False
used = {
    "gettext": gettext.dgettext("none", "word"),
    "inspect": [str(inspect.signature(place)), inspect.cleandoc(" a\\n   b")],
    "ipaddress": str(ipaddress.ip_address("::1")),
    "json": [json.loads(json.dumps([1.5, "a"])), json.JSONDecodeError.__name__],
    "logging": [*loud, log.isEnabledFor(logging.INFO), logging.Logger.__name__,
        logging.root.manager.loggerDict["one"].propagate],
    "msgspec.inspect": msgspec.inspect.type_info(int).__class__.__name__,
    "numpy.linalg": [np.linalg.inv(np.eye(2)).tolist(), np.polyfit([0, 1], [1, 3], 1).round(6).tolist()],
    "numpy.typing": [str(numpy.typing.NBitBase.__name__), sys.modules["numpy.typing"].ArrayLike is not None],
    "pickle": pickle.loads(pickle.dumps({"a": 1})),
    "textwrap": textwrap.dedent("  a"),
    "urllib.parse": [urllib.parse.quote("a b"), pathlib.PurePosixPath("/a b").as_uri()],
}
print(json.dumps([first, quiet, used, waiting()]))
"""


def test_modules_wait_until_they_are_used():
    environment = {**os.environ, "PYTHONPATH": str(Path(swgui.__file__).parents[1])}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == ["shown", "place said", "place said"]
    first, quiet, used, left = json.loads(done.stdout)
    assert {"gettext", "inspect", "json", "logging", "numpy.linalg", "numpy.typing", "pickle"} <= {*first}
    assert quiet
    assert {*left} <= {"typing_extensions"}
    assert used == {
        "gettext": "word",
        "inspect": ["()", "a\nb"],
        "ipaddress": "::1",
        "json": [[1.5, "a"], "JSONDecodeError"],
        "logging": [False, True, True, "Logger", False],
        "msgspec.inspect": "IntType",
        "numpy.linalg": [[[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0]],
        "numpy.typing": ["NBitBase", True],
        "pickle": {"a": 1},
        "textwrap": "a",
        "urllib.parse": ["a%20b", "file:///a%20b"],
    }


def test_threads_that_use_a_module_at_once_import_it_once(monkeypatch):
    both = Barrier(2)

    class Slow(dict):
        def get(self, name):
            found = super().get(name)
            with suppress(BrokenBarrierError):  # the other thread waits for this one
                both.wait(0.1)
            return found

    module = later.Later("json")
    monkeypatch.setattr(later, "sys", SimpleNamespace(modules=Slow(json=module)))
    with ThreadPoolExecutor(2) as threads:
        assert list(threads.map(lambda _: module.imported(), range(2))) == [json, json]
