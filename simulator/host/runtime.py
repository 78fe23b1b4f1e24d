"""CuPy's `cuda.runtime` as far as kernels need it: limits of the device, numbers of textures."""

from __future__ import annotations

from typing import NoReturn

from simulator.execute.device import current
from simulator.source import SimulatorError

#: How many launches by kernels may be pending: launched, and not ended yet.
cudaLimitDevRuntimePendingLaunchCount = 4

#: What the bits of a channel are.
cudaChannelFormatKindSigned = 0
cudaChannelFormatKindUnsigned = 1
cudaChannelFormatKindFloat = 2
cudaChannelFormatKindNone = 3
#: What a CUDA array is for.
cudaArrayDefault = 0
cudaArraySurfaceLoadStore = 2
#: What a texture is of.
cudaResourceTypeArray = 0
cudaResourceTypeMipmappedArray = 1
cudaResourceTypeLinear = 2
cudaResourceTypePitch2D = 3
#: What is outside of a texture.
cudaAddressModeWrap = 0
cudaAddressModeClamp = 1
cudaAddressModeMirror = 2
cudaAddressModeBorder = 3
#: How texels become values.
cudaFilterModePoint = 0
cudaFilterModeLinear = 1
cudaReadModeElementType = 0
cudaReadModeNormalizedFloat = 1


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
        "deviceGetLimit, cudaLimitDevRuntimePendingLaunchCount and the numbers of textures"
    )
