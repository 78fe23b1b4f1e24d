"""Programs that this process has read, for modules that have the same text."""

from __future__ import annotations

from collections.abc import Hashable, Mapping

from simulator.ir import tree
from simulator.program.kept import Found, answers_as_before


class Remembered:
    """The programs that were asked for last, each with what it found of headers.

    A file that is included says itself whether it has changed: when it was written does not, for
    another one may stand in its place since, and what it is called does not say whether it is
    included.

    Parameters
    ----------
    most : int
        How many there are at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._programs: dict[Hashable, tuple[dict[str, Found], tree.Program]] = {}

    def find(self, made_of: Hashable, headers: Mapping[str, str]) -> tree.Program | None:
        """Return a program, or None if it must be read.

        Parameters
        ----------
        made_of : hashable
            Its text, and all that it is read with besides headers.
        headers : mapping of str to str
            The texts of headers by name, as they are now.
        """
        asked, program = self._programs.get(made_of, ({}, None))
        if program is None or not answers_as_before(asked, headers):
            return None
        self.add(made_of, asked, program)
        return program

    def add(self, made_of: Hashable, asked: dict[str, Found], program: tree.Program) -> None:
        """Remember a program, and forget the one that was asked for longest ago.

        Parameters
        ----------
        made_of : hashable
            As for `find`.
        asked : dict of str to bool or str
            What was asked of headers to read it, as `Recorded` has it.
        program : Program
            The program.
        """
        self._programs.pop(made_of, None)
        self._programs[made_of] = asked, program
        for oldest in list(self._programs)[: -self._most]:
            self._programs.pop(oldest, None)

    def clear(self) -> None:
        """Forget all of them."""
        self._programs.clear()
