"""Steps through the toy on the terminal that it is started on; its argument says how."""

from __future__ import annotations

import fcntl
import os
import signal
import sys
import termios
from collections.abc import Callable

from rich.text import Text

import gpubfs
from gpubfs.show.traces import Pair
from gpubfs.show.traces.terminal.session import step_through
from tests.gpubfs.show.traces.toy import Toy


class Broken(Toy):
    """A toy whose third step has no picture."""

    def frame(self, at: int, width: int, height: int) -> list[Text]:
        if at == 2:
            raise RuntimeError("no picture of step 2")
        return super().frame(at, width, height)


def plain() -> None:
    step_through(Toy())
    print("afterwards")


def traced() -> None:
    """Step through a search, from its sixty-first step on."""
    trace = gpubfs.trace("scan-free", "toy", 0, device="toy2", block=2)
    step_through(trace, 60)


def two() -> None:
    """Step through two searches beside each other, from where they differ."""
    left, right = (
        gpubfs.trace(name, "toy", 0, device="toy2", block=2)
        for name in ("scan-free", "status-array")
    )
    pair = Pair(left, right)
    step_through(pair, pair.begin)


def broken() -> None:
    step_through(Broken())


def deaf() -> None:
    """Ignore what a terminal that is gone, a `kill` and Ctrl-Z say."""
    for number in (signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP):
        signal.signal(number, signal.SIG_IGN)
    step_through(Toy())


def handlers() -> None:
    """Say whether all handlers of signals are what they were."""
    numbers = [
        number for number in signal.Signals if number not in (signal.SIGKILL, signal.SIGSTOP)
    ]
    before = [signal.getsignal(number) for number in numbers]
    step_through(Toy())
    print("given back:", before == [signal.getsignal(number) for number in numbers])


def shell() -> None:
    """Run a job as a shell does: it says when the job stops, and continues it at a line.

    In the background if the line is `bg`.
    """
    job = os.fork()
    if not job:
        os.setpgid(0, 0)
        to_foreground(os.getpid())
        plain()
        return
    while os.WIFSTOPPED(os.waitpid(job, os.WUNTRACED)[1]):
        to_foreground(os.getpgrp())
        print("stopped", flush=True)
        if sys.stdin.readline() != "bg\n":
            to_foreground(job)
        os.kill(-job, signal.SIGCONT)


def to_foreground(group: int) -> None:
    before = signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    os.tcsetpgrp(0, group)
    signal.signal(signal.SIGTTOU, before)


CASES: dict[str, Callable[[], None]] = {
    "plain": plain,
    "logged": plain,
    "traced": traced,
    "two": two,
    "broken": broken,
    "deaf": deaf,
    "handlers": handlers,
    "shell": shell,
}

if __name__ == "__main__":
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    CASES[sys.argv[1]]()
