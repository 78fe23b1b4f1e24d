"""The steps of a trace that are the two sides of a race."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from gpubfs.grading.steps.locating import Place, step_of_access, step_of_stop, steps_of_access
from simulator.ir.events import BARRIER, CLUSTER_WAIT, GRID, WARP_SYNC

if TYPE_CHECKING:
    from simulator.observe.trace import TracedLaunch
    from simulator.source import Fault, FaultAccess

    Launches = Sequence[TracedLaunch]

#: What orders threads of several blocks, of a block, and of a warp.
OF_BLOCKS = (GRID, CLUSTER_WAIT)
OF_BLOCK = (*OF_BLOCKS, BARRIER)
OF_WARP = (*OF_BLOCK, WARP_SYNC)


def steps_of_sides(launches: Launches, fault: Fault) -> list[int | None]:
    """Return the step of each access that a fault is about, in their order; None for one of none.

    Both threads of a race may access a location often, and wait for each other between some of
    these accesses: the two are the first pair between which they do not.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    fault : Fault
        What a sanitizer found.
    """
    if len(fault.accesses) == 2:
        one, other = (_Side(launches, access) for access in fault.accesses)
        pair = one.first_unordered(other)
        if pair is not None:
            return [*pair]
    return [step_of_access(launches, access) for access in fault.accesses]


class _Side:
    """All steps in which a thread does one of the accesses of a race."""

    def __init__(self, launches: Launches, access: FaultAccess) -> None:
        self.lane = access.lane
        self.steps = steps_of_access(launches, access)
        self.places = [Place.of(launches, at) for at in self.steps]

    def first_unordered(self, other: _Side) -> tuple[int, int] | None:
        """Return the first step of each side between which no barrier is; None if none are."""
        if not self.places or not other.places:
            return None
        forms = self._ordering(other)
        own, others = self.waits(forms), other.waits(forms)
        pairs = [
            (self.steps[n], other.steps[others.index(count)])
            for n, count in enumerate(own)
            if count in others
        ]
        return min(pairs, key=max, default=None)

    def _ordering(self, other: _Side) -> tuple[str, ...]:
        """Return the forms of what the threads of both sides wait at for each other."""
        place = self.places[0]
        padded, size = place.launch.waves[place.step.wave].padded, place.launch.warp_size
        if self.lane // padded != other.lane // padded:
            return OF_BLOCKS
        return OF_WARP if self.lane // size == other.lane // size else OF_BLOCK

    def waits(self, forms: tuple[str, ...]) -> list[tuple[int, int]]:
        """Return for each step its launch's begin, and how often the thread has waited before."""
        launch, begins = self.places[0].launch, self.places[0].begins
        wave, own = self.places[0].step.wave, self.places[0].lane(self.lane)
        wanted = {place.number for place in self.places}
        count, found = 0, []
        for at, step in enumerate(launch.steps[: max(wanted) + 1]):
            if at in wanted:
                found.append((begins, count))
            elif step.wave == wave and any(True for _ in step.named(*forms)):
                count += bool((step.lanes == own).any())
        return found


def step_of_fault(launches: Launches, fault: Fault) -> int | None:
    """Return the step at which a run failed.

    Of what a sanitizer found afterwards that is the access. Any other fault stops a launch.

    Parameters
    ----------
    launches : sequence of TracedLaunch
        What was recorded.
    fault : Fault
        What ended the run.

    Returns
    -------
    int or None
        The number of the step; None if no step is at fault.
    """
    found = next(iter(steps_of_sides(launches, fault)), None)
    return step_of_stop(launches, fault) if found is None else found
