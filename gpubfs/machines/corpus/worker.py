"""Judges kernels in a process of its own, which is ended where one takes too long."""

from __future__ import annotations

import multiprocessing
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from gpubfs.machines.corpus.judging import Cause, Settings, Verdict, judged, kernels_of, programs

#: Seconds for finding the kernels of a file, beside those that the process takes to start.
_LISTING = 60.0
_STARTING = 60.0


@dataclass
class Worker:
    """Judges the kernels of files one by one.

    Parameters
    ----------
    settings
        how files are read
    limit
        seconds for a kernel
    """

    settings: Settings
    limit: float
    _process: SpawnProcess | None = None
    _pipe: Connection | None = field(default=None, repr=False)

    def verdicts(self, file: Path) -> Iterator[Verdict]:
        """Yield the verdicts on the kernels of a file."""
        listed = self._asked(("list", file), _LISTING)
        if not isinstance(listed, list):
            yield Verdict("", str(file), 0, cause=Cause(self._why(listed, "reading the file")))
            return
        for program, number, blank in listed:
            found = self._asked(("judge", file, program, number), self.limit)
            if isinstance(found, Verdict):
                yield found
            else:
                cause = Cause(self._why(found, "compiling it"), blank.file, blank.line)
                yield replace(blank, cause=cause, seconds=self.limit if found is None else 0.0)

    def _why(self, found: Any, doing: str) -> str:
        if found is None:
            return f"{doing} takes more than {self.limit:g} seconds"
        return f"{doing} ended its process" if found == "" else str(found)

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process = None

    def _asked(self, question: tuple[Any, ...], limit: float) -> Any:
        """Return the answer, None where there is none in time, "" where the process has ended."""
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

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self.settings), daemon=True)
        self._process.start()
        other.close()
        if self._pipe.poll(_STARTING):
            self._pipe.recv()


def _serve(pipe: Connection, settings: Settings) -> None:
    """Answer until the other side closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is the other side that ends this one
    pipe.send("ready")
    with suppress(EOFError, OSError):
        while True:
            pipe.send(_answer(pipe.recv(), settings))


def _answer(question: tuple[Any, ...], settings: Settings) -> Any:
    word, file, *rest = question
    try:
        found = list(programs(file, settings))
        if word == "judge":
            return judged(found[rest[0]], rest[1], settings)
    except Exception as error:
        return f"it cannot be read: {type(error).__name__}: {error}"
    return [
        (number, kernel, blank)
        for number, program in enumerate(found)
        for kernel, blank in enumerate(kernels_of(program))
    ]
