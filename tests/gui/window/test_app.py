import os
import subprocess
import sys
import threading

from swgui import app as program
from swgui import settings as store
from swgui.gui.window.messages.notifications import Notifications
from swgui.jobs import doctor

START = """
import sys, time
began = time.perf_counter()
from swgui import app
status = app.run({argv!r})
heavy = [name for name in sys.modules if name.split('.')[0] in ('cupy', 'cupy_backends')]
print('STATUS', status, 'HEAVY', heavy)
"""


def start(tmp_path, argv=(), **environment):
    settings = {"QT_QPA_PLATFORM": "offscreen", "SWGUI_QUIT_AFTER": "0.5"} | environment
    for name in ("CONFIG", "CACHE", "DATA"):
        settings[f"SWGUI_{name}_DIR"] = str(tmp_path / name.lower())
    return subprocess.run(
        [sys.executable, "-c", START.format(argv=list(argv))],
        env=dict(os.environ) | settings,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_program_starts_and_quits(tmp_path):
    ended = start(tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "STATUS 0" in ended.stdout
    assert (tmp_path / "config" / "settings.json").exists()
    assert (tmp_path / "config" / "window.ini").exists()
    assert "Traceback" not in ended.stderr


def test_no_screen_is_explained(tmp_path):
    ended = start(tmp_path, QT_QPA_PLATFORM="nonsense")
    assert ended.returncode == 1
    (line,) = ended.stderr.splitlines()
    assert line.startswith("swgui: No window can be opened here (")
    assert "nonsense" in line
    assert "swgui search" in line


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "xcb")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(doctor, "loadable", lambda library: library != "libxcb-cursor.so.0")
    said = program.no_window("words of Qt")
    assert "libxcb-cursor.so.0" in said
    assert "apt-get install --no-install-recommends libxcb-cursor0" in said
    assert "words of Qt" not in said


def test_a_number_that_is_none_has_no_effect(monkeypatch, caplog):
    monkeypatch.setenv("SWGUI_QUIT_AFTER", "soon")
    assert program.quit_after() == 0
    assert "soon" in caplog.text
    monkeypatch.setenv("SWGUI_QUIT_AFTER", "1.5")
    assert program.quit_after() == 1.5


def test_what_a_crash_left_is_shown_once(monkeypatch, tmp_path):
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path))
    (tmp_path / "crash.log").write_text("Fatal Python error: Segmentation fault", encoding="utf-8")
    with program.crash_log() as last:
        assert "Segmentation fault" in last
    with program.crash_log() as last:
        assert last == ""


def test_ctrl_c_closes_the_window(tmp_path):
    settings = {f"SWGUI_{name}_DIR": str(tmp_path / name) for name in ("CONFIG", "CACHE", "DATA")}
    code = (
        "import os, signal, threading, time\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in jobs of the background\n"
        "from swgui import app\n"
        "def interrupt():\n"
        "    while signal.getsignal(signal.SIGINT) is signal.default_int_handler: time.sleep(0.05)\n"
        "    time.sleep(0.3)\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "print('STATUS', app.run([]))"
    )
    environment = dict(os.environ) | settings | {"QT_QPA_PLATFORM": "offscreen", "SWGUI_QUIT_AFTER": "120"}
    ended = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=110, check=False
    )
    assert "STATUS 0" in ended.stdout, ended.stderr
    assert (tmp_path / "CONFIG" / "settings.json").exists()


def test_run_without_a_loop_returns(theme, engines):
    assert program.run([], exec_app=False) == 0
    assert store.load().schema_version == store.SCHEMA_VERSION


def test_a_cache_folder_that_cannot_be_made_is_no_obstacle(monkeypatch, tmp_path, caplog):
    (tmp_path / "file").touch()
    monkeypatch.setenv("SWGUI_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with program.crash_log():
        pass
    assert "No crash log" in caplog.text


def test_errors_nobody_caught_become_messages(qapp, qtbot):
    notifications = Notifications()
    before = sys.excepthook, threading.excepthook
    with program.hooks(notifications):
        sys.excepthook(ValueError, ValueError("in a slot"), None)
        thread = threading.Thread(target=lambda: (_ for _ in ()).throw(RuntimeError("in a thread")))
        thread.start()
        thread.join()
        qtbot.waitUntil(lambda: len(notifications.messages) == 2)
    assert (sys.excepthook, threading.excepthook) == before
    first, second = notifications.messages
    assert "in a slot" in first.text
    assert "in a thread" in second.text


def test_a_file_that_is_not_there_does_not_keep_the_window_away(tmp_path, theme, engines):
    assert program.run([str(tmp_path / "x.fasta")], exec_app=False) == 0
