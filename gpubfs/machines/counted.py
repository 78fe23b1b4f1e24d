"""The launches of builds that count, as far as they were not asked for yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simulator.instrument import InstrumentedModule


class CountedLaunches:
    """What several modules of one machine have counted: a file's kernels may follow another's."""

    def __init__(self) -> None:
        self._taken: dict[InstrumentedModule, int] = {}

    def add(self, module: InstrumentedModule) -> InstrumentedModule:
        """Return a module whose launches count from here on."""
        self._taken[module] = 0
        return module

    def new(self) -> list[Any]:
        """Return the launches since the last call, of all modules."""
        found: list[Any] = []
        for module, taken in self._taken.items():
            found += module.launches[taken:]
            self._taken[module] = len(module.launches)
        return found
