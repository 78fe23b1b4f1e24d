"""A process that answers questions under a clock, and is started anew where it takes too long."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Any

_STARTING = 60.0


@dataclass
class ClockedProcess:
    """Answers questions in a process of its own.

    Parameters
    ----------
    answer
        makes an answer of a question, and is found by its module's name, as questions and answers
        are pickled
    """

    answer: Callable[[Any], Any]
    _process: SpawnProcess | None = None
    _pipe: Connection | None = field(default=None, repr=False)

    def ask(self, question: Any, limit: float) -> Any:
        """Return the answer, None where there is none in time, "" where the process has ended.

        Examples
        --------
        >>> process = ClockedProcess(len)
        >>> process.ask("four", limit=60)
        4
        >>> process.close()
        """
        if self._process is None:
            self._start()
        assert self._pipe is not None
        try:
            self._pipe.send(question)
            if self._pipe.poll(limit):
                return self._pipe.recv()
        except (EOFError, OSError):
            self.close()
            return ""
        self.close()
        return None

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self.answer), daemon=True)
        self._process.start()
        other.close()
        if self._pipe.poll(_STARTING):
            self._pipe.recv()


def _serve(pipe: Connection, answer: Callable[[Any], Any]) -> None:
    """Answer until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the other side that ends this one
    pipe.send("ready")
    with suppress(EOFError, OSError):
        while True:
            pipe.send(answer(pipe.recv()))
