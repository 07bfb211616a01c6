#!/usr/bin/env python3
"""Use the window here with runs in another network namespace of this computer, as a user does, and break the link.

    sudo env PYTHONPATH=. .venv/bin/python packaging/measuring/two_computers.py --way https
    ... --way ssh --sshd /usr/sbin/sshd

The other "computer" has an address of its own (a pair of virtual interfaces), folders of its own, and either
``swgui serve`` with a certificate and a token, or sshd. The window connects by its dialog and searches a database that
only the other side has: Stop, Resume, the link goes down in the middle and comes up again, and another search is left
when the window closes and taken up by the next one. Tables with alignments must equal those of local searches byte for
byte; so must the table of a network. Prints a line for each step; the exit status is 1 if one fails. Linux and root.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
SPACE, LINK, HERE, THERE = "swgui-there", "swgui-veth", "10.54.7.1", "10.54.7.2"
COLUMNS: Final = "qseqid,sseqid,score,evalue,bitscore,qstart,qend,sstart,send,cigar,qseq,sseq"
TOKEN: Final = "a-token-of-this-test-alone"
FOLDERS: Final = ("DATA", "CACHE", "CONFIG")


def run(*words: object) -> str:
    """Run a command to its end; returns what it prints."""
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True).stdout


@contextlib.contextmanager
def namespace() -> Iterator[None]:
    """Make the other network namespace and the link to it."""
    run("ip", "netns", "add", SPACE)
    try:
        run("ip", "link", "add", LINK, "type", "veth", "peer", "name", "eth0", "netns", SPACE)
        run("ip", "address", "add", f"{HERE}/24", "dev", LINK)
        run("ip", "-n", SPACE, "address", "add", f"{THERE}/24", "dev", "eth0")
        run("ip", "-n", SPACE, "link", "set", "lo", "up")
        run("ip", "-n", SPACE, "link", "set", "eth0", "up")
        link(up=True)
        yield
    finally:
        for process in run("ip", "netns", "pids", SPACE).split():  # a run there outlives everything else
            os.kill(int(process), signal.SIGTERM)
        run("ip", "link", "delete", LINK)
        run("ip", "netns", "delete", SPACE)


def link(*, up: bool) -> None:
    """Plug the cable in, or pull it."""
    run("ip", "link", "set", LINK, "up" if up else "down")


class There:
    """The other computer: its folders, its database, and what answers there."""

    def __init__(self, folder: Path, way: str, sshd: str) -> None:
        self.folder, self._sshd = folder, sshd
        self.variables = {f"SWGUI_{name}_DIR": str(folder / name.lower()) for name in FOLDERS}
        self.address, self.process = getattr(self, f"_{way}")()

    def database(self) -> Path:
        """Return the place of its database."""
        return self.folder / "data" / "databases" / "big.swdb"

    def runs(self) -> list[Path]:
        """Return the folders of runs there."""
        return sorted((self.folder / "data" / "remote").glob("*/2*"))

    def _https(self) -> tuple[str, subprocess.Popen[bytes]]:
        pem, key, tokens = (self.folder / name for name in ("cert.pem", "key.pem", "tokens"))
        run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", 2,
            "-keyout", key, "-out", pem, "-subj", "/CN=there", "-addext", f"subjectAltName=IP:{THERE}")  # fmt: skip
        tokens.write_text(f"anna {TOKEN}\n")
        tokens.chmod(0o600)
        os.environ["SWGUI_CA"] = str(pem)
        words = ("--address", f"{THERE}:8889", "--tls", pem, "--tls", key, "--token-file", tokens)
        served = self._begin([sys.executable, "-m", "swgui", "serve", "--search-database", self.database(), *words])
        return f"https://{THERE}:8889", served

    def _ssh(self) -> tuple[str, subprocess.Popen[bytes]]:
        program = self.folder / "swgui"
        given = " ".join(f"{name}={value}" for name, value in {**self.variables, "PYTHONPATH": ROOT}.items())
        program.write_text(f'#!/bin/sh\n{given} exec {sys.executable} -m swgui "$@"\n')
        program.chmod(0o700)
        for name in ("host", "user"):
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name)
        config = self.folder / "sshd_config"
        config.write_text(
            f"Port 22022\nListenAddress {THERE}\nHostKey {self.folder}/host\nPidFile none\nStrictModes no\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/user.pub\nPasswordAuthentication no\nPermitRootLogin yes\n"
        )
        real, own = shutil.which("ssh"), self.folder / "bin" / "ssh"
        own.parent.mkdir()
        options = f"-F none -i {self.folder}/user -o StrictHostKeyChecking=no -o UserKnownHostsFile={self.folder}/known"
        own.write_text(f'#!/bin/sh\nexec {real} {options} "$@"\n')
        own.chmod(0o700)
        os.environ["PATH"] = f"{own.parent}:{os.environ['PATH']}"
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd wants it
        return f"ssh://{THERE}:22022{program}", self._begin([self._sshd, "-D", "-f", config])

    def _begin(self, words: Sequence[object]) -> subprocess.Popen[bytes]:
        inside = ["ip", "netns", "exec", SPACE, *map(str, words)]
        said = (self.folder / "said").open("wb")
        return subprocess.Popen(inside, env={**os.environ, **self.variables}, stdout=said, stderr=said)


def made_up(folder: Path, subjects: int) -> tuple[Path, Path, Path]:
    """Write sequences to search, queries, and a set to compare; the same in every run."""
    letters = random.Random(54)

    def texts(number: int, length: int) -> list[str]:
        return ["".join(letters.choices("ACDEFGHIKLMNPQRSTVWY", k=length)) for _ in range(number)]

    big = texts(subjects, 300)
    queries = [text[:150] + other for text, other in zip(big[::50], texts(96, 250), strict=False)]
    sets = {"big": big, "queries": queries, "set": [*big[:150], *(text[20:280] for text in big[:150])]}
    for name, some in sets.items():
        (folder / f"{name}.fasta").write_text("".join(f">{name}{n}\n{text}\n" for n, text in enumerate(some)))
    big_file, queries_file, set_file = (folder / f"{name}.fasta" for name in sets)
    return big_file, queries_file, set_file


class User:
    """Uses the window: by its parts, with the eyes on what it shows."""

    def __init__(self) -> None:
        from swgui.app import application, make_window

        self.app = application()
        self.window = make_window(self.app)
        self.window.show()
        self.window.begin()
        self.said: list[str] = []
        self.window.controller.state_changed.connect(lambda state: self.said.append(state.stage.name))

    def until(self, so: Callable[[], Any], seconds: float = 180.0) -> Any:
        """Wait for something; returns it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.app.processEvents()
            if found := so():
                return found
            time.sleep(0.01)
        raise AssertionError(f"not within {seconds:.0f} s; the window said: {self.said[-5:]}")

    def part(self, kind: type, name: str, of: Any = None) -> Any:
        """Return a part of the window by its name."""
        return (of or self.window).findChild(kind, name)

    def choose_there(self, address: str, query: Path) -> None:
        """Put the query in place, and choose the database of the other computer by the dialog."""
        from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QPushButton

        from swgui.gui.inputs.another_computer import AnotherComputer

        page = self.window.search_page
        page.query.open_file(query)
        self.until(lambda: page.query.records)
        page.choose_away()
        dialog = self.window.findChild(AnotherComputer)
        self.part(QComboBox, "computerAddress", dialog).setEditText(address)
        if address.startswith("https"):
            self.part(QLineEdit, "computerToken", dialog).setText(TOKEN)
        self.part(QPushButton, "computerConnect", dialog).click()
        choose, says = self.part(QPushButton, "computerChoose", dialog), self.part(QLabel, "computerSaid", dialog)
        self.until(lambda: not says.text().startswith("Connecting"))
        assert choose.isEnabled(), says.text()
        choose.click()
        self.until(lambda: page.ready)

    def search(self) -> None:
        """Press Search, and wait until something is scored there."""
        self.said.clear()
        self.window.run_search()
        self.scored()

    def scored(self, share: float = 0.05) -> None:
        """Wait until a share is scored."""
        self.until(lambda: self.window.controller.state.figures.fraction > share)

    def ended(self) -> Any:
        """Wait until the search has ended; returns its result."""
        control = self.window.controller
        self.until(lambda: control.phase == "idle")
        return control.state.finished.outcome

    def close(self) -> bool:
        """Close the window; whether it asked, and the first answer was pressed."""
        from PySide6.QtWidgets import QMessageBox

        from swgui.app import dispose

        closed = self.window.close()
        if not closed:
            box = self.window.findChild(QMessageBox, "leaving")
            print("  the window asks:", box.text(), box.informativeText())
            box.defaultButton().click()
            self.until(lambda: not self.window.isVisible())
        dispose(self.app, self.window)
        return not closed


def table_of(result: Any, place: Path) -> bytes:
    """Return the table with alignments of a result, as export writes it."""
    import swgui

    swgui.Hits(result).write(place, columns=COLUMNS.split(","))
    return place.read_bytes()


def steps(there: There, folder: Path, sets: tuple[Path, Path, Path]) -> Iterator[str]:
    """Do what a user does; yield a sentence for each step that was as it should be."""
    from swgui.runs.remote.away import LOST

    _, queries, several = sets
    own = [sys.executable, "-m", "swgui"]
    run(*own, "search", "-q", queries, "-d", there.database(), "-t", 1, "--columns", COLUMNS, "-o", folder / "here.tsv")
    wanted = (folder / "here.tsv").read_bytes()
    user = User()
    user.choose_there(there.address, queries)
    yield f"the dialog lists the database of {there.address}"
    user.search()
    user.window.stop_search()
    part = user.ended()
    assert part.state == "stopped", part.state
    assert part.cells_done < part.cells_total
    yield f"Stop keeps {part.cells_done / part.cells_total:.0%} of the search, which is shown"
    user.said.clear()
    user.window.runs_page.resume_run(part.run_id)
    user.scored(part.cells_done / part.cells_total + 0.05)
    (place,) = there.runs()
    link(up=False)
    assert not (place / "ended").exists()
    user.until(lambda: any(one.startswith(LOST.partition("{")[0]) for one in user.said))
    user.until(lambda: (place / "ended").exists())
    yield "the link is down: the window says so, and the run there continues to its end"
    link(up=True)
    whole = user.ended()
    assert whole.state == "complete", whole.state
    assert table_of(whole, folder / "away.tsv") == wanted
    yield f"the link is up: the search is complete; {len(wanted):,} bytes of table and alignments are the local ones"
    user.search()
    assert user.close()
    (place,) = there.runs()
    again = User()
    (left,) = again.until(lambda: [record for record in again.window.runs_page.records if record.on])
    assert left.on == there.address
    again.window.leaving.say_left([left])
    message = again.window.notifications.messages[-1]
    print("  the next window says:", message.title, message.text)
    message.action.does()
    again.until(lambda: again.window.controller.phase != "idle")
    taken = again.ended()
    assert table_of(taken, folder / "taken.tsv") == wanted
    assert not there.runs()
    yield "a search that was left there is offered by the next window, taken up, and the same"
    yield from network_steps(again, there, folder, several)
    assert not again.close()


def network_steps(user: User, there: There, folder: Path, several: Path) -> Iterator[str]:
    """Compare a set on the other computer, and here."""
    made = []
    page = user.window.pages["network"]
    for address in ("", there.address):
        page.computer.use(address)
        before = page.network.shown.whole
        page.use_file(several)
        user.until(lambda before=before: page.network.shown.whole is not before and not page.running)
        from swgui.io.network.file import save_network

        save_network(page.network.shown.whole.network, folder / "one.swnet")
        made.append((folder / "one.swnet").read_bytes())
    assert made[0] == made[1]
    yield f"a network of the other computer is the local file, {len(made[0]):,} bytes"


def main() -> int:
    """Carry out the steps; returns the exit status."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--way", choices=("https", "ssh"), default="https")
    parser.add_argument("--sshd", default=shutil.which("sshd") or "/usr/sbin/sshd", help="path of sshd")
    parser.add_argument("--subjects", type=int, default=40_000, help="sequences of the database (300 residues each)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="swgui-two-") as name, namespace():
        folder = Path(name)
        os.environ |= {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"}
        for one in FOLDERS:
            os.environ[f"SWGUI_{one}_DIR"] = str(folder / f"here-{one.lower()}")
        (folder / "there").mkdir()
        sets = made_up(folder, given.subjects)
        place = folder / "there" / "data" / "databases"
        place.mkdir(parents=True)
        run(sys.executable, "-m", "swgui", "makedb", sets[0], "-o", place / "big.swdb")
        there = There(folder / "there", given.way, given.sshd)
        try:
            for sentence in steps(there, folder, sets):
                print("ok:", sentence, flush=True)
        except BaseException:
            print("the other side said:", (there.folder / "said").read_text()[-2000:], flush=True)
            raise
        finally:
            there.process.terminate()
            there.process.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
