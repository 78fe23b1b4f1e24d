"""What came of one operation on a graph that changes: what it did, and what it cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from gpubfs.errors import UsageError
from gpubfs.host import Launch
from gpubfs.search.counters import merged_sites, plain, total
from gpubfs.search.verify import VerificationError

if TYPE_CHECKING:
    from simulator.observe.counters import Site


#: What a host counts of an operation.
COUNTED = ("launches", "host_reads", "host_writes", "allocations")


@dataclass(frozen=True)
class Effect:
    """What a batch did to the graph; each of its updates is one of these.

    Attributes
    ----------
    applied : int
        Updates that took effect.
    unchanged : int
        Updates that changed nothing: edges inserted that were there, or deleted that were not.
    refused : int
        Insertions for which there was no room.
    facts : mapping of str to int
        What else the structure counts, such as lock_attempts or blocks_taken.
    """

    applied: int
    unchanged: int = 0
    refused: int = 0
    facts: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Operation:
    """One operation: its effect and its cost.

    Attributes
    ----------
    name : str
        The method, such as "insert_edges".
    updates : int
        How many updates it was given.
    effect : Effect
        What they did.
    launches : int
        Launches from the host.
    host_reads, host_writes : int
        How often the host waited for a value from the device, and copied some to it.
    allocations : int
        How often the host allocated device memory.
    seconds : float
        From the first launch until the last read: device time on gpu, wall time on sim.
    elapsed : float
        Wall time of the whole operation, in which the batch is checked and copied, too.
    per_launch : tuple of Launch
        Every launch with its time and its counters.
    """

    name: str
    updates: int
    effect: Effect
    launches: int
    host_reads: int
    host_writes: int
    allocations: int
    seconds: float
    elapsed: float
    per_launch: tuple[Launch, ...] = field(default=(), repr=False)

    @property
    def counters(self) -> dict[str, Any] | None:
        """The device counters of its launches added up; None if they were not counted."""
        counted = total(launch.counters for launch in self.per_launch)
        counts: dict[str, Any] | None = None if counted is None else plain(counted)
        return counts

    @property
    def sites(self) -> tuple[Site, ...] | None:
        """The counters per place in the source; None if they were not counted."""
        return merged_sites(self.per_launch)

    @property
    def rate(self) -> float:
        """Updates per second of `seconds`: on sim, of the simulator's own time."""
        return self.updates / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return everything but single launches, ready for JSON."""
        effect = {name: value for name, value in vars(self.effect).items() if name != "facts"}
        costs = (*COUNTED, "seconds", "elapsed", "rate", "counters")
        own = {"name": self.name, "updates": self.updates, **effect, **self.effect.facts}
        return own | {name: getattr(self, name) for name in costs}


class ExhaustedError(UsageError):
    """The memory of a structure was exhausted in the middle of a batch; the structure is intact.

    Parameters
    ----------
    message, hint : str
        As of `UsageError`.
    operation : Operation
        What the batch did all the same.
    """

    def __init__(self, message: str, hint: str, operation: Operation) -> None:
        super().__init__(message, hint)
        self.operation = operation


def exhausted(operation: Operation, hint: str) -> ExhaustedError:
    """Return the error for an operation of which some updates were refused."""
    effect = operation.effect
    return ExhaustedError(
        f"memory was exhausted: {effect.applied:,} of {operation.updates:,} updates took effect, "
        f"{effect.unchanged:,} changed nothing, and {effect.refused:,} found no room",
        hint,
        operation,
    )


class StructureError(VerificationError):
    """The memory of a structure is not as it must be.

    Parameters
    ----------
    vertex : int or None
        A vertex at which it shows; None if it shows at none.
    reason : str
        What is wrong with it.
    """
