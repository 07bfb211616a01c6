"""Another computer inside the process of a test: its agent answers without ssh, its runs are threads."""

import io
import threading

from swgui.io.remote import connections
from swgui.io.remote.wire import Unreachable, read_frame
from swgui.serve.remote import folder
from swgui.serve.remote.agent import Agent
from swgui.serve.remote.process import carry_out


class OtherComputer:
    """Stands for ssh and for the computer behind it.

    `cut` holds numbers of exchanges that are lost: before the agent hears of them, or with `cut_answers` behind.
    `asked` counts exchanges. `threads` has the runs.
    """

    def __init__(self, monkeypatch):
        self.agent, self.asked, self.cut, self.cut_answers, self.threads = Agent(), 0, set(), False, []
        monkeypatch.setattr(connections, "SshConnection", lambda address: self)
        monkeypatch.setattr(folder, "start_process", self.start)
        monkeypatch.setattr("swgui.runs.remote.away.AwayRun.FIRST_WAIT", 0.01)

    def start(self, place):
        self.threads.append(threading.Thread(target=carry_out, args=(place,), daemon=True))
        self.threads[-1].start()

    def exchange(self, content):
        self.asked += 1
        lost = self.asked in self.cut
        if lost and not self.cut_answers:
            raise Unreachable("The cable was pulled.")
        answer = self.agent.answer(read_frame(io.BytesIO(content).read))
        if lost:
            raise Unreachable("The cable was pulled.")
        return read_frame(io.BytesIO(answer).read)

    def close(self):
        pass
