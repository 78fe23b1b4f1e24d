"""CuPy's `cuda.runtime` as far as kernels need it: the device, its limits, numbers of textures."""

from __future__ import annotations

from typing import Any

from simulator.execute.device import current
from simulator.host.properties import (
    ATTRIBUTES,
    check_ordinal,
    device_attributes,
    device_properties,
)
from simulator.source import SimulatorError

#: How many launches by kernels may be pending: launched, and not ended yet.
cudaLimitDevRuntimePendingLaunchCount = 4

#: Not AMD's.
is_hip = False
#: What is raised instead of CuPy's error.
CUDARuntimeError = SimulatorError

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


def getDeviceCount() -> int:
    """Return 1.

    Returns
    -------
    int
        How many devices there are.
    """
    return 1


def getDevice() -> int:
    """Return 0.

    Returns
    -------
    int
        The current device's number.
    """
    return 0


def setDevice(device: int) -> None:
    """Choose the device, of which there is one.

    Parameters
    ----------
    device : int
        0.

    Raises
    ------
    SimulatorError
        For another number.
    """
    check_ordinal(device)


def getDeviceProperties(device: int) -> dict[str, Any]:
    """Return what is known of the current device, by CUDA's names.

    Parameters
    ----------
    device : int
        0.

    Returns
    -------
    dict
        Names with their values; one that is not known raises a KeyError that says so.

    Examples
    --------
    >>> import simulator
    >>> simulator.cuda.runtime.getDeviceProperties(0)["multiProcessorCount"]
    132
    """
    check_ordinal(device)
    return device_properties(current())


def deviceGetAttribute(attribute: int, device: int) -> int:
    """Return an attribute of the current device.

    Parameters
    ----------
    attribute : int
        Such as cudaDevAttrWarpSize.
    device : int
        0.

    Returns
    -------
    int
        Its value.

    Raises
    ------
    SimulatorError
        If it is not known.
    """
    check_ordinal(device)
    for name, number in ATTRIBUTES.items():
        if number == attribute:
            return int(device_attributes(current())[name])
    raise SimulatorError(
        f"the simulator does not know the device's attribute {attribute}",
        hint=f"It knows cudaDevAttr and one of {', '.join(ATTRIBUTES)}.",
    )


def memGetInfo() -> tuple[int, int]:
    """Return the device's free and total bytes.

    Returns
    -------
    free, total : int
        Of the current device.
    """
    memory = current().memory
    return memory.capacity - memory.bytes_used, memory.capacity


def deviceSynchronize() -> None:
    """Return: everything has ended."""


def streamSynchronize(stream: int) -> None:
    """Return: everything has ended.

    Parameters
    ----------
    stream : int
        A stream's `ptr`.
    """


def profilerStart() -> None:
    """Do nothing: `simulator.counting` tells what kernels do."""


def profilerStop() -> None:
    """Do nothing: `simulator.counting` tells what kernels do."""


def __getattr__(name: str) -> Any:
    attribute = name.removeprefix("cudaDevAttr")
    if attribute != name and attribute in ATTRIBUTES:
        return ATTRIBUTES[attribute]
    raise AttributeError(
        f"simulator.cuda.runtime has no {name!r}: of cupy.cuda.runtime it has getDeviceProperties, "
        "deviceGetAttribute, deviceSetLimit, deviceGetLimit, memGetInfo, deviceSynchronize and "
        "their like, and the numbers of textures"
    )
