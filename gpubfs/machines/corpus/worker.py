"""Judges kernels in a process of its own, which is ended where one takes too long."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from gpubfs.machines.corpus.clocked import ClockedProcess
from gpubfs.machines.corpus.judging import Cause, Settings, Verdict, judged, kernels_of, programs

#: Seconds for finding the kernels of a file.
_LISTING = 60.0


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
    _process: ClockedProcess = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._process = ClockedProcess(partial(_answer, self.settings))

    def verdicts(self, file: Path) -> Iterator[Verdict]:
        """Yield the verdicts on the kernels of a file."""
        listed = self._process.ask(("list", file), _LISTING)
        if not isinstance(listed, list):
            yield Verdict("", str(file), 0, cause=Cause(self._why(listed, "reading the file")))
            return
        for program, number, blank in listed:
            found = self._process.ask(("judge", file, program, number), self.limit)
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
        self._process.close()


def _answer(settings: Settings, question: tuple[Any, ...]) -> Any:
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
