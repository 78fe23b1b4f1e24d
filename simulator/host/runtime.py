"""CuPy's `cuda.runtime` as far as kernels that launch kernels need it: limits of the device."""

from __future__ import annotations

from typing import NoReturn

from simulator.execute.device import current
from simulator.source import SimulatorError

#: How many launches by kernels may be pending: launched, and not ended yet.
cudaLimitDevRuntimePendingLaunchCount = 4


def deviceSetLimit(limit: int, value: int) -> None:
    """Set a limit of the current device.

    Parameters
    ----------
    limit : int
        Which one: cudaLimitDevRuntimePendingLaunchCount.
    value : int
        What it becomes.

    Raises
    ------
    SimulatorError
        For a limit that the simulator has not, or a value that cannot be.

    Examples
    --------
    >>> import simulator
    >>> runtime = simulator.cuda.runtime
    >>> with simulator.Device():
    ...     runtime.deviceSetLimit(runtime.cudaLimitDevRuntimePendingLaunchCount, 32768)
    ...     runtime.deviceGetLimit(runtime.cudaLimitDevRuntimePendingLaunchCount)
    32768
    """
    _check(limit)
    current().allow_pending(value)


def deviceGetLimit(limit: int) -> int:
    """Return a limit of the current device.

    Parameters
    ----------
    limit : int
        Which one: cudaLimitDevRuntimePendingLaunchCount.

    Returns
    -------
    int
        Its value.

    Raises
    ------
    SimulatorError
        For a limit that the simulator has not.
    """
    _check(limit)
    return current().pending_launches


def _check(limit: int) -> None:
    if limit != cudaLimitDevRuntimePendingLaunchCount:
        raise SimulatorError(
            f"the simulator has no limit {limit}",
            hint="it has cudaLimitDevRuntimePendingLaunchCount, which is 4; no other bounds it",
        )


def __getattr__(name: str) -> NoReturn:
    raise AttributeError(
        f"simulator.cuda.runtime has no {name!r}: of cupy.cuda.runtime it has deviceSetLimit, "
        "deviceGetLimit and cudaLimitDevRuntimePendingLaunchCount"
    )
