"""The end of a command: nothing is cut off."""

import subprocess
import sys

CODE = """
import atexit, threading, time
from concurrent.futures import ThreadPoolExecutor
from swgui.cli.terminal import leave
atexit.register(print, "at the end")
pool = ThreadPoolExecutor(1)  # its thread waits for more work
pool.submit(print, "pool").result()
print("command", end=" ")
threading.Thread(target=lambda: (time.sleep(0.05), print("thread"))).start()
try:
    leave(3)
finally:
    print("taken apart")
"""


def test_threads_and_those_who_asked_are_waited_for_and_output_arrives():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.split() == ["pool", "command", "thread", "at", "the", "end"]
    assert (done.returncode, done.stderr) == (3, "")
