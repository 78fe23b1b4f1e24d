"""The simulator as a machine that runs the instrumented text of kernels, to test the rewriting."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import simulator
from gpubfs.machines.counted import CountedLaunches
from gpubfs.machines.sim import SimMachine
from simulator.instrument import InstrumentedModule, instrumented


class InstrumentedSim(SimMachine):
    """Runs on the simulator what a GPU would run, and takes its counters, not the simulator's."""

    def __init__(self, device: str | None, schedule: str | None, counters: bool) -> None:
        super().__init__(device, schedule, False)
        self._plain: dict[Any, Any] = {}
        self._counted = CountedLaunches()

    def module(self, path: Path, options: tuple[str, ...], cooperative: bool = False) -> Any:
        text = path.read_text(encoding="utf-8")
        made = instrumented(text, str(path), options, cooperative=cooperative)
        module = simulator.RawModule(code=made.text, enable_cooperative_groups=cooperative)
        counting = InstrumentedModule(simulator, module, made, self.warp_size)
        self._plain[counting] = super().module(path, options, cooperative)
        return self._counted.add(counting)

    def resident_blocks(self, module: Any, kernel: str, threads: int, shared: int) -> int:
        """As many of the text that does not count, as on a GPU."""
        return super().resident_blocks(self._plain[module], kernel, threads, shared)

    def counted(self) -> Sequence[Any]:
        return self._counted.new()


def facts(sites: Any) -> dict[tuple[Any, ...], tuple[int, ...]]:
    """What was counted at each place, whatever the arrays are called."""
    found: dict[tuple[Any, ...], list[int]] = {}
    for site in sites:
        key = Path(site.span.source.name).name, site.line, site.column, site.kind, site.text
        its = [site.requests, site.sectors, site.lanes, site.bank_conflicts]
        its += [site.cas_failed, site.divergent]
        old = found.setdefault(key, [0] * len(its))
        found[key] = [a + b for a, b in zip(old, its, strict=True)]
    return {key: tuple(numbers) for key, numbers in found.items()}


#: Counters that do not depend on where arrays are.
EXACT = (
    *("load_requests", "load_sectors", "load_efficiency", "store_requests", "store_sectors"),
    *("atomic_requests", "atomic_sectors", "atomic_lanes", "same_address_max", "cas_failed"),
    *("shared_requests", "bank_conflicts", "branches", "divergent_branches"),
    *("barriers", "grid_syncs", "work", "work_per_warp", "work_per_block"),
)
