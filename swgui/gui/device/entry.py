"""The Device page as the window knows it: help, commands, and how it is made."""

from __future__ import annotations

from swgui.gui.kit.pages import Answer, Page, PageHelp, PageWidget, Services, needs
from swgui.gui.live.watch import DeviceWatch

HELP = PageHelp(
    "This computer",
    """<p>Shows the devices that can run searches, and why others cannot. Every device and every setting
gives the same scores; they differ in speed only.</p>
<p><b>Devices</b>: tick those that searches use; clock, temperature and other programs on a GPU are read while you
look. The self-check compares the scores of every engine with those of an independent program.</p>
<p><b>Settings</b>: method, threads, blocks and so on. All are automatic until set; the automatic choice
is shown next to each field.</p>
<p><b>Speed</b>: one button finds the fastest settings in half a minute; below it any two settings can be swept. The
map shows the speed of each pair: ★ best, ◇ automatic, hatched: cannot run, ✖ wrong scores, never offered. Arrow
keys move over it. <i>Use these settings</i> holds for queries of that length class on that GPU and driver, here and
for <code>swgui search</code>. <i>Measure the tiles</i> times every tile of the program's own method on this GPU, in
place of figures of an H200.</p>
<p><b>Occupancy</b>: how much of a multiprocessor a kernel keeps busy and which resource ends first; try other numbers
there, also without a GPU.</p>
<p><b>Time and memory</b>: how long a search takes and what it needs, for any device and any size of database.</p>""",
    "dev/gpu",
    ("&Tools",),
)
WHY_NOT = {
    "sweep-running": "Not now: no sweep is running.",
    "sweep-there": "Not now: no sweep is shown.",
}
ANSWERS = {
    "stop": Answer("sweeps.stop", needs("sweep-running"), tip="Stop the sweep and keep what was measured"),
    "queue": Answer("queue", tip="Run the sweep of the Speed tab after those that are waiting"),
    "copy-command": Answer("copy_command", tip="Copy the terminal command that runs the sweep of the Speed tab"),
    "export": Answer("export", needs("sweep-there"), tip="Write the sweep that is shown as a table"),
}


def watch_of(services: Services) -> DeviceWatch:
    return services.shared(DeviceWatch, DeviceWatch)


def make(services: Services) -> PageWidget:
    from swgui.gui.device.cluster import ClusterPanel
    from swgui.gui.device.needs import NeedsPanel
    from swgui.gui.device.page import DevicePage

    page = DevicePage(services.settings, watch=watch_of(services), runs=services.history)
    page.add_section(ClusterPanel(services.settings, services.tasks))
    page.add_section(NeedsPanel(services.tasks), "Time and memory")
    return page


PAGE = Page(
    "device",
    "This computer",
    "This &computer",
    "Devices for searches, their speed, and the self-check",
    "device",
    make,
    HELP,
    why_not=WHY_NOT,
    menu="&Tools",
    answers=ANSWERS,
)
