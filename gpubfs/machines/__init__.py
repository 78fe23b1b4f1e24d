"""The two machines that run kernels, behind one interface: the simulator, and an NVIDIA GPU."""

from __future__ import annotations

from collections.abc import Callable

from gpubfs.errors import unknown
from gpubfs.machines.gpu import GpuMachine
from gpubfs.machines.protocol import Machine, Stopwatch
from gpubfs.machines.sim import SimMachine

__all__ = ["MACHINES", "Machine", "Stopwatch", "open_machine"]

MACHINES: dict[str, Callable[..., Machine]] = {
    "sim": SimMachine,
    "gpu": GpuMachine,
}


def open_machine(
    name: str, *, device: str | None = None, schedule: str | None = None, counters: bool = True
) -> Machine:
    """Return a machine by name, to be entered with ``with``.

    Parameters
    ----------
    name : str
        "sim" or "gpu".
    device : str, optional
        The simulator's device profile, h200 by default.
    schedule : str, optional
        The simulator's schedule, lockstep by default.
    counters : bool
        Whether the simulator counts.

    Raises
    ------
    UsageError
        If there is no such machine here; the remedy says what to install.
    """
    if not isinstance(name, str) or name not in MACHINES:
        raise unknown("machine", name, MACHINES)
    return MACHINES[name](device, schedule, counters)
