"""How a grading process is started: forked from a server on Linux, anew elsewhere."""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import IO, Protocol

from gpubfs.grading.processes.forkserver import ForkServer


class Process(Protocol):
    """What grading needs of a process."""

    stdin: IO[str]
    stdout: IO[str]

    def wait(self) -> int:
        """Wait for its end; return the exit code, negative where a signal ended it."""

    def kill(self) -> None:
        """End it, and all that it has started."""


class _Anew:
    """A process that was started from nothing, in a session of its own."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gpubfs.grading.processes.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            text=True,
            encoding="utf-8",
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self.stdin, self.stdout = self._process.stdin, self._process.stdout

    def wait(self) -> int:
        return self._process.wait()

    def kill(self) -> None:
        if sys.platform == "win32":
            self._process.kill()
            return
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)


_lock = threading.Lock()
_server: ForkServer | None = None


def start(environment: dict[str, str], variables: dict[str, str]) -> Process:
    """Start a grading process, which waits for its job.

    Parameters
    ----------
    environment : dict of str to str
        What all such processes have.
    variables : dict of str to str
        What this one has besides.

    Raises
    ------
    OSError
        If no process can be started.
    """
    if sys.platform == "linux":
        with suppress(OSError):  # a process that is started anew shows what is wrong
            return _asked(environment).started(variables)
        end_server()
    return _Anew(environment | variables)


def _asked(environment: dict[str, str]) -> ForkServer:
    """Return the server with these variables; there is one for the last that were asked for."""
    global _server
    with _lock:
        if _server is not None and _server.owner != os.getpid():
            _server = None  # that of a process of which this one is a copy
        if _server is not None and _server.environment != environment:
            _server.end()
            _server = None
        if _server is None:
            _server = ForkServer(environment)
        return _server


@atexit.register
def end_server() -> None:
    """End the server, if there is one, and what it has started."""
    global _server
    with _lock:
        if _server is not None and _server.owner == os.getpid():
            _server.end()
        _server = None
