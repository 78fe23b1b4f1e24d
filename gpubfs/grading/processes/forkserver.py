"""Grading processes that are forked from one that has imported everything.

To import NumPy, SciPy and the simulator takes longer than to grade most submissions. So a process
does that once, and is asked for a copy of itself for each submission. It never reads a submission
itself: each copy is as new as a process that has just been started, has a session of its own, and
dies alone. `python -m gpubfs.grading.processes.forkserver` is that process; `ForkServer` asks it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import IO, NoReturn

#: What a process needs that is asked for: its input, its output, and where its end is told.
PIPES = 3
#: Bytes of a request, at most.
MOST = 1 << 16
#: A kernel, for what is done once for all of them.
SMALLEST = 'extern "C" __global__ void nothing() {}'
#: What only some exercises need: to build their graphs, and to run drivers.
ALSO = ("scipy.spatial", "concurrent.futures.thread", "encodings.utf_8_sig")
#: Seconds that the server may take to start, or to fork.
PATIENCE = 60.0


class Forked:
    """A process that was forked: what `subprocess.Popen` gives, as far as grading needs it.

    Attributes
    ----------
    pid : int
        Its number, which is that of its session, too.
    stdin, stdout : text files
        Its ends.
    """

    def __init__(self, pid: int, stdin: IO[str], stdout: IO[str], end: int) -> None:
        self.pid, self.stdin, self.stdout, self._end = pid, stdin, stdout, end
        self._lock = threading.Lock()
        self._code: int | None = None

    def wait(self) -> int:
        """Wait for its end; return the exit code, negative where a signal ended it."""
        with self._lock:
            if self._code is None:
                told = os.read(self._end, 64)
                os.close(self._end)
                # Nothing is told if the server was killed, and the copies with it.
                self._code = int(told) if told else -signal.SIGKILL
            return self._code

    def kill(self) -> None:
        """End it, and all that it has started."""
        if self._code is not None or select.select([self._end], [], [], 0)[0]:
            return  # the server ends the group of a process before its number is free
        _kill(self.pid)


def _kill(pid: int) -> None:
    """End a process that is not reaped yet, and its group."""
    for kill in (os.killpg, os.kill):  # before it has made its group it has started nothing
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)
            return


class ForkServer:
    """A process that is asked for copies of itself.

    Parameters
    ----------
    environment : dict of str to str
        Its variables.

    Attributes
    ----------
    owner : int
        The process that may ask it.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(self, environment: dict[str, str]) -> None:
        self.environment, self.owner = environment, os.getpid()
        self._lock = threading.Lock()
        self._socket, other = socket.socketpair(socket.AF_UNIX)
        self._socket.settimeout(PATIENCE)
        with other:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "gpubfs.grading.processes.forkserver"],
                stdin=other.fileno(),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
            )

    def started(self, variables: dict[str, str]) -> Forked:
        """Return a new process.

        Parameters
        ----------
        variables : dict of str to str
            More variables of its environment.

        Raises
        ------
        OSError
            If the server is lost, or cannot fork.
        """
        stdin, write = os.pipe()
        read, stdout = os.pipe()
        end, told = os.pipe()
        given = (stdin, stdout, told)
        try:
            with self._lock:
                answer = self._asked(json.dumps(variables).encode(), given)
            if not answer or int(answer) < 0:
                number = -int(answer or -1)
                raise OSError(number, f"it cannot be forked: {os.strerror(number)}")
        except OSError:
            for one in (write, read, end):
                os.close(one)
            raise
        finally:
            for one in given:
                os.close(one)
        ends = os.fdopen(write, "w", encoding="utf-8"), os.fdopen(read, encoding="utf-8")
        return Forked(int(answer), *ends, end)

    def _asked(self, request: bytes, pipes: tuple[int, ...]) -> bytes:
        """Return the answer to a request; after one that has none there is no other."""
        try:
            socket.send_fds(self._socket, [request], pipes)
            return self._socket.recv(64)
        except OSError:
            self._socket.close()  # an answer that comes late must not be taken for the next one
            raise

    def end(self) -> None:
        """End the server, and all that it has started."""
        self._socket.close()  # which it notices
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()
        self._process.wait()


class _Server:
    """The process that forks: it waits for requests, and for the ends of its children."""

    def __init__(self, requests: socket.socket) -> None:
        self.requests = requests
        self.children: dict[int, int] = {}
        self.woken, self.wake = os.pipe()
        for one in (self.woken, self.wake):
            os.set_blocking(one, False)
        signal.set_wakeup_fd(self.wake, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

    def run(self) -> dict[str, str]:
        """Serve until whoever asks is gone; return in a child, with the variables that it gets."""
        while True:
            ready, _, _ = select.select([self.requests.fileno(), self.woken], [], [])
            if self.woken in ready:
                with suppress(BlockingIOError):
                    os.read(self.woken, 4096)
            self._bury()
            if self.requests.fileno() in ready:
                request, pipes, _, _ = socket.recv_fds(self.requests, MOST, PIPES)
                if not request:
                    self._end()
                if self._forked(pipes):
                    variables: dict[str, str] = json.loads(request)
                    return variables

    def _forked(self, pipes: list[int]) -> bool:
        """Fork; return whether this is the child."""
        try:
            pid = os.fork()
        except OSError as error:
            self.requests.send(str(-(error.errno or 1)).encode())
            for one in pipes:
                os.close(one)
            return False
        if pid:
            stdin, stdout, self.children[pid] = pipes
            os.close(stdin)
            os.close(stdout)
            self.requests.send(str(pid).encode())
            return False
        self._become(pipes)
        return True

    def _become(self, pipes: list[int]) -> None:
        """Make this the child: a session, input and output of its own, and nothing of others."""
        os.setsid()
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(pipes[0], 0)  # in the place of the socket
        os.dup2(pipes[1], 1)
        for one in (*pipes, *self.children.values(), self.woken, self.wake, self.requests.detach()):
            os.close(one)

    def _bury(self) -> None:
        """Tell the ends of children, whose groups are ended first."""
        while self.children:
            try:
                found = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
            except ChildProcessError:
                return
            if found is None:
                return
            _kill(found.si_pid)
            _, status = os.waitpid(found.si_pid, 0)
            told = self.children.pop(found.si_pid)
            with suppress(BrokenPipeError):
                os.write(told, str(os.waitstatus_to_exitcode(status)).encode())
            os.close(told)

    def _end(self) -> NoReturn:
        for pid in self.children:
            _kill(pid)
        os._exit(0)


def warm_up(modules: Sequence[str]) -> None:
    """Import what grading needs, and build the parser's tables, by one launch that is watched."""
    for name in (*modules, *ALSO):
        importlib.import_module(name)
    simulator = importlib.import_module("simulator")
    with simulator.Device(), simulator.counting(), simulator.sanitize("all"):
        simulator.RawKernel(SMALLEST, "nothing")((1,), (1,), ())
    importlib.import_module("gpubfs").techniques()


def main() -> None:
    """Import what grading needs, and fork for each request; a child grades its job and ends."""
    from gpubfs.grading.processes import worker

    worker.keep_off_the_disk()
    warm_up(worker.SLOW)
    for name in ("SIGINT", "SIGPIPE"):
        signal.signal(getattr(signal, name), signal.SIG_IGN)
    gc.freeze()
    variables = _Server(socket.socket(fileno=os.dup(0))).run()
    os.environ.update(variables)
    tempfile.tempdir = None  # where it is is taken from the variables
    sys.stdin = os.fdopen(0, encoding="utf-8", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", closefd=False)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    worker.main()
    os._exit(0)  # all is written; modules need no farewell


if __name__ == "__main__":
    main()
