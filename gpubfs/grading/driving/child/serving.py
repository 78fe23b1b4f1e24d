"""The process that forks one for each run of a driver.

It has imported what a driver may import, and compiled what runs beside one, which takes longer than
most runs. It is never told anything of a submission or of a case: those go through pipes that it
hands on to the run. So each run is as new as a process that has just been started, and can neither
reach this one nor learn of others. What runs have in common is drawn once for this process: the
secret in hashes of texts, and so the order of sets of them, and where modules are in memory.

A request is one byte on its input, a socket, with three descriptors: the run's control, a socket,
and two pipes, to the run and from it. On the control it tells the number of the process (or an
error's, negated), and at the end the exit code. A byte that comes there asks the run where it is;
when the other end of the control is closed, the run is ended.
"""

from __future__ import annotations

import _socket  # socket itself imports more than a run may see, and takes longer
import errno
import gc
import os
import select
import signal
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from gpubfs.grading.driving.child import confinement, running
else:
    import confinement
    import running

#: The descriptors of a request, and the bytes of each.
DESCRIPTORS, BYTES = 3, 4
#: What is imported for this process alone.
OWN = ("serving", "_socket", "errno", "gc", "select")


class Server:
    """Forks for each request on a socket, and tells how each run ends."""

    def __init__(self, requests: int) -> None:
        self.requests = _socket.socket(fileno=requests)
        self.runs: dict[int, int] = {}  # the process on each control
        self.woken, self.wake = os.pipe()
        for one in (self.woken, self.wake):
            os.set_blocking(one, False)
        signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, (signal.SIGCHLD,))  # whatever was inherited

    def serve(self) -> None:
        """Fork until whoever asks is gone; return in a run, whose descriptors 0 and 1 are pipes."""
        number = self.requests.fileno()
        while True:
            ready = select.select([number, self.woken, *self.runs], [], [])[0]
            if self.woken in ready:
                with suppress(BlockingIOError):
                    os.read(self.woken, 4096)
            for control, run in list(self.runs.items()):
                if os.waitid(os.P_PID, run, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                    self._bury(control)
                elif control in ready:
                    self._heed(control)
            if number in ready and self._forked(self._request()):
                return

    def _request(self) -> list[int]:
        """Return the descriptors of the next request: fewer where this process has too many."""
        asked, messages, _, _ = self.requests.recvmsg(1, _socket.CMSG_LEN(DESCRIPTORS * BYTES))
        if not asked:
            self._end()
        held = b"".join(message for _, _, message in messages)
        starts = range(0, len(held) - BYTES + 1, BYTES)
        return [int.from_bytes(held[at : at + BYTES], sys.byteorder) for at in starts]

    def _forked(self, given: list[int]) -> bool:
        """Fork; return whether this is the run."""
        if not given:
            return False  # nobody can be told: that the control ends says enough
        control, *pipes = given
        parent, failed = os.getpid(), errno.EMFILE
        run = -failed
        if len(given) == DESCRIPTORS:
            try:
                run = os.fork()
            except OSError as error:
                run = -(error.errno or failed)
        if run == 0:
            self._become_run(parent, control, pipes)
            return True
        for pipe in pipes:
            os.close(pipe)
        _tell(control, run)
        if run < 0:
            os.close(control)
        else:
            self.runs[control] = run
        return False

    def _become_run(self, parent: int, control: int, pipes: list[int]) -> None:
        """Make this the run: a session of its own, and nothing of this process or other runs."""
        os.setsid()
        confinement.die_with(parent)
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        for one in (self.requests.detach(), self.woken, self.wake, control, *self.runs):
            os.close(one)
        self.runs.clear()
        for number, pipe in enumerate(pipes):
            os.dup2(pipe, number)
            os.close(pipe)

    def _heed(self, control: int) -> None:
        """Ask a run where it is, or end it when nobody holds it."""
        with suppress(ConnectionError):
            if os.read(control, 1):
                os.kill(self.runs[control], signal.SIGUSR1)
                return
        self._bury(control)

    def _bury(self, control: int) -> None:
        """End a run, and what it has started, before its number is free; tell how it ended."""
        run = self.runs.pop(control)
        for kill in (os.killpg, os.kill):  # before it has made its group it has started nothing
            with suppress(ProcessLookupError, PermissionError):
                kill(run, signal.SIGKILL)
                break
        _tell(control, os.waitstatus_to_exitcode(os.waitpid(run, 0)[1]))
        os.close(control)

    def _end(self) -> NoReturn:
        for control in list(self.runs):
            self._bury(control)
        os._exit(0)


def _tell(control: int, number: int) -> None:
    with suppress(OSError):  # nobody listens any more
        os.write(control, str(number).encode())


def main() -> NoReturn:
    """Import all that runs need, and fork for each; a run goes on with its driver, and ends."""
    confinement.deny_inspection()
    running.prepare()
    gc.freeze()
    Server(0).serve()
    for name in OWN:
        sys.modules.pop(name, None)
    running.run()
