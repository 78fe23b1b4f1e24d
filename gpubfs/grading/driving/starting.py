"""How a driver's process is started: forked on Linux from one that is ready, anew elsewhere.

The one that is ready (`child/serving.py`) belongs to the process that has started it, and to no
copy of that. It ends when its socket is closed, and all runs with it; a run ends when its control
is closed. So nothing is left when whoever grades is killed.
"""

from __future__ import annotations

import atexit
import errno
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import AbstractContextManager, ExitStack, suppress
from pathlib import Path
from typing import IO, Any, Protocol, TypeVar

CHILD = Path(__file__).parent / "child"
#: Python's arguments: it takes no notice of the environment, nor of what is installed.
PYTHON = (sys.executable, "-I", "-S", "-B", "-c")
#: What it runs then, with the modules in the folder that is its last argument.
CODE = "import sys; sys.path.insert(0, sys.argv[1]); "
SERVE = CODE + '__import__("serving").main()'
RUN = CODE + '__import__("running").main()'
#: Whether processes are forked.
FORKS = sys.platform == "linux"
#: Seconds that a process may take to be gone that is ended.
PATIENCE = 10.0
#: Seconds that are waited at least: none would be no waiting, which ends in another error.
SHORTEST = 0.001

Ends = TypeVar("Ends", bound=tuple[AbstractContextManager[Any], AbstractContextManager[Any]])


class Process(Protocol):
    """What a driver needs of its process.

    Attributes
    ----------
    pid : int
        Its number.
    stdin, stdout : binary files
        Its pipes.
    """

    pid: int
    stdin: IO[bytes]
    stdout: IO[bytes]

    def wait(self, seconds: float) -> int | None:
        """Return the exit code, negative where a signal ended it; None if it is still there."""

    def interrupt(self) -> None:
        """Have it say where it is."""

    def end(self) -> None:
        """End it, and all that it has started, and close the pipes."""


def _python(code: str, stdin: int, stdout: int) -> subprocess.Popen[bytes]:
    """Start Python with nothing of this process, in a session of its own."""
    return subprocess.Popen(
        [*PYTHON, code, str(CHILD)],
        stdin=stdin,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        bufsize=0,
        close_fds=True,
        start_new_session=True,
    )


class _Anew:
    """A process that was started from nothing."""

    def __init__(self) -> None:
        self._process = _python(RUN, subprocess.PIPE, subprocess.PIPE)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin, self.stdout = self._process.stdin, self._process.stdout
        self.pid = self._process.pid

    def wait(self, seconds: float) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def interrupt(self) -> None:
        if sys.platform != "win32":
            os.kill(self.pid, signal.SIGUSR1)

    def end(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
        with self._process:  # closes the pipes, and waits
            pass


class _Forked:
    """A process that was forked: what it is asked, and how it ends, goes through its control."""

    def __init__(
        self, pid: int, stdin: IO[bytes], stdout: IO[bytes], control: socket.socket
    ) -> None:
        self.pid, self.stdin, self.stdout, self._control = pid, stdin, stdout, control
        self._code: int | None = None

    def wait(self, seconds: float) -> int | None:
        if self._code is None:
            try:
                told = _received(self._control, seconds)
            except TimeoutError:
                return None
            # Nothing is told if the server was killed, and its copies with it.
            self._code = int(told) if told else -signal.SIGKILL
        return self._code

    def interrupt(self) -> None:
        self._control.send(b"?")

    def end(self) -> None:
        with self._control, self.stdin, self.stdout:
            with suppress(OSError):  # it has ended before
                self._control.shutdown(socket.SHUT_WR)
            with suppress(TimeoutError):
                while _received(self._control, PATIENCE):
                    pass  # until the other end is closed: nothing is left of it then


def _received(control: socket.socket, seconds: float) -> bytes:
    """Return what is told next; nothing if the other end is closed."""
    control.settimeout(max(seconds, SHORTEST))
    with suppress(ConnectionResetError):  # it was closed before it had read what it was asked
        return control.recv(64)
    return control.recv(64)


class DriverServer:
    """A process that forks one for each run of a driver.

    Attributes
    ----------
    owner : int
        The process that may ask it.
    lost : bool
        Whether it is not there any more.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    def __init__(self) -> None:
        self.owner, self.lost = os.getpid(), False
        with ExitStack() as kept, ExitStack() as given:
            self._socket, other = _held(_sockets(), kept, given)
            self._socket.settimeout(PATIENCE)
            self._process = _python(SERVE, other.fileno(), subprocess.DEVNULL)
            kept.pop_all()

    @property
    def pid(self) -> int:
        """Its number."""
        return self._process.pid

    def started(self, seconds: float) -> Process:
        """Return a new process.

        Parameters
        ----------
        seconds : float
            How long it may take.

        Raises
        ------
        OSError
            If there is none. After a ConnectionError there will be no other.
        """
        try:
            with ExitStack() as kept:
                asked = self._asked(kept, seconds)
                kept.pop_all()
                return asked
        except ConnectionError:
            self.end()
            raise

    def _asked(self, kept: ExitStack, seconds: float) -> Process:
        with ExitStack() as given:  # closed at once: only the run has them then
            control, its_control = _held(_sockets(), kept, given)
            its_stdin, stdin = _held(_pipe(), given, kept)
            stdout, its_stdout = _held(_pipe(), kept, given)
            ends = (its_control.fileno(), its_stdin.fileno(), its_stdout.fileno())
            socket.send_fds(self._socket, [b"f"], ends)
        told = _received(control, seconds)
        if not told:
            raise ConnectionResetError(errno.ECONNRESET, "what forks processes has ended")
        if int(told) < 0:
            raise OSError(-int(told), f"it cannot be forked: {os.strerror(-int(told))}")
        return _Forked(int(told), stdin, stdout, control)

    def leave(self) -> None:
        """Leave it to the process of which this one is a copy."""
        self._socket.close()
        self._process.returncode = 0  # it is no child of this one

    def end(self) -> None:
        """End it, and all that it has started."""
        self.lost = True
        self._socket.close()  # which it notices
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(PATIENCE)
        self._process.kill()
        self._process.wait()


def _sockets() -> tuple[socket.socket, socket.socket]:
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    read, write = os.pipe()
    return open(read, "rb", 0), open(write, "wb", 0)


def _held(ends: Ends, first: ExitStack, second: ExitStack) -> Ends:
    """Return two ends, each of which a stack closes."""
    for end, stack in zip(ends, (first, second), strict=True):
        stack.enter_context(end)
    return ends


_lock = threading.Lock()
_server: DriverServer | None = None


def start(seconds: float) -> Process:
    """Start a driver's process.

    Parameters
    ----------
    seconds : float
        How long that may take.

    Raises
    ------
    OSError
        If none can be started.
    """
    if FORKS:
        with suppress(OSError):  # a process that is started anew shows what is wrong
            return _current().started(seconds)
    return _Anew()


def _current() -> DriverServer:
    """Return the server of this process, which is started if there is none."""
    global _server
    with _lock:
        if _server is None or _server.lost or _server.owner != os.getpid():
            _server = DriverServer()
        return _server


@atexit.register
def end_server() -> None:
    """End the server of this process, if there is one, and what it has started."""
    global _server
    with _lock:
        server, _server = _server, None
    if server is not None and server.owner == os.getpid():
        server.end()


def _forget() -> None:
    """Hold nothing of the server of which process this one is a copy: it would outlive that."""
    global _lock, _server
    _lock, server, _server = threading.Lock(), _server, None
    if server is not None:
        server.leave()


if FORKS:
    os.register_at_fork(after_in_child=_forget)
