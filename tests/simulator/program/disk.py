"""A folder for results of earlier runs, and runs that begin as in a new process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from simulator import cache
from simulator.ir.additions import ADDED
from simulator.program import kept
from simulator.program.load import forget_programs


class Disk:
    """The folder, and how often programs were read and kernels compiled since it was made."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.read = self.compiled = 0

    @property
    def files(self) -> list[Path]:
        return sorted(self.folder.glob("*.kept"))

    def anew(self, run: Callable[[], Any]) -> tuple[Any, int, int]:
        """What a run gives as the first of a process; how much it reads, and compiles."""
        forget_programs()
        before = self.read, self.compiled
        result = run()
        return result, self.read - before[0], self.compiled - before[1]


@contextmanager
def disk(folder: Path, version: str = "one") -> Iterator[Disk]:
    """Use a folder as the cache, whatever has been edited since this process began."""
    from simulator import read
    from simulator.compile import kernel
    from simulator.read import grammar

    grammar.machine()  # whose tables are elsewhere
    made = Disk(folder)
    real_read, real_compile = read.read, kernel.compile_kernel

    def counted_read(*given: Any) -> Any:
        made.read += 1
        return real_read(*given)

    def counted_compile(*given: Any) -> Any:
        made.compiled += 1
        return real_compile(*given)

    with (
        mock.patch.dict("os.environ", {cache.VARIABLE: str(folder)}),
        mock.patch.object(cache, "version", return_value=version),
        mock.patch.object(ADDED, "rows", 0),  # built-ins that other tests have added
        mock.patch.object(cache.entries, "is_unchanged", return_value=True),
        mock.patch.object(read, "read", counted_read),
        mock.patch.object(kernel, "compile_kernel", counted_compile),
    ):
        kept.use_disk(True)
        try:
            yield made
        finally:
            kept.use_disk(False)
            forget_programs()
