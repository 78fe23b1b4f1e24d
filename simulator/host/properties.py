"""What a program may ask of the device, under CUDA's names: as far as it is known of the GPU."""

from __future__ import annotations

from typing import Any

from simulator.execute.device import Device
from simulator.execute.launch_config import Profile
from simulator.source import SimulatorError

#: A launch's sizes at most, along x, y and z.
MOST_BLOCKS = (2**31 - 1, 65535, 65535)
MOST_THREADS = (1024, 1024, 64)
#: Of every GPU from compute capability 3.5 on: registers of a block, bytes of constant memory.
_REGISTERS, _CONSTANT = 1 << 16, 1 << 16

#: The numbers of CUDA's enumeration cudaDevAttr….
ATTRIBUTES = {
    "MaxThreadsPerBlock": 1,
    "MaxBlockDimX": 2,
    "MaxBlockDimY": 3,
    "MaxBlockDimZ": 4,
    "MaxGridDimX": 5,
    "MaxGridDimY": 6,
    "MaxGridDimZ": 7,
    "MaxSharedMemoryPerBlock": 8,
    "TotalConstantMemory": 9,
    "WarpSize": 10,
    "MaxRegistersPerBlock": 12,
    "MultiProcessorCount": 16,
    "Integrated": 18,
    "ConcurrentKernels": 31,
    "MaxThreadsPerMultiProcessor": 39,
    "UnifiedAddressing": 41,
    "MaxSharedMemoryPerMultiprocessor": 81,
    "MaxRegistersPerMultiprocessor": 82,
    "CooperativeLaunch": 95,
    "MaxSharedMemoryPerBlockOptin": 97,
    "MaxBlocksPerMultiprocessor": 106,
}


class Known(dict[str, Any]):
    """What is known of a device; another name raises a KeyError that says so."""

    def __missing__(self, name: str) -> Any:
        raise KeyError(f"the simulator does not know the device's {name!r}, only {sorted(self)}")


def check_ordinal(device: int) -> None:
    """Refuse the number of a device other than the only one.

    Raises
    ------
    SimulatorError
        As CUDA does for a device that is not there.
    """
    if device != 0:
        raise SimulatorError(
            f"cudaErrorInvalidDevice: invalid device ordinal {device}",
            hint="There is one device, 0; simulator.Device makes others, each in a with block.",
        )


def device_properties(device: Device) -> Known:
    """Return what `cudaGetDeviceProperties` tells, as far as it is known.

    Parameters
    ----------
    device : Device
        Which one.

    Returns
    -------
    dict
        By CUDA's names; the device's name as bytes, as in CuPy.
    """
    profile = device.profile
    major, minor = profile.compute_capability
    return Known(
        name=profile.title.encode(),
        totalGlobalMem=device.memory.capacity,
        totalConstMem=_CONSTANT,
        sharedMemPerBlock=profile.shared_per_block,
        sharedMemPerBlockOptin=profile.shared_per_block_optin,
        sharedMemPerMultiprocessor=profile.shared_per_multiprocessor,
        regsPerBlock=_REGISTERS,
        regsPerMultiprocessor=_registers(profile),
        warpSize=profile.warp_size,
        maxThreadsPerBlock=profile.threads_per_block,
        maxThreadsDim=MOST_THREADS,
        maxGridSize=MOST_BLOCKS,
        maxThreadsPerMultiProcessor=profile.threads_per_multiprocessor,
        maxBlocksPerMultiProcessor=profile.blocks_per_multiprocessor,
        multiProcessorCount=profile.multiprocessors,
        major=major,
        minor=minor,
        integrated=0,
        concurrentKernels=1,
        cooperativeLaunch=1,
        unifiedAddressing=1,
        pciBusID=0,
        pciDeviceID=0,
        pciDomainID=0,
    )


def device_attributes(device: Device) -> Known:
    """Return the device's attributes by CuPy's names: those of CUDA without `cudaDevAttr`.

    Parameters
    ----------
    device : Device
        Which one.

    Returns
    -------
    dict
        As far as they are known.
    """
    profile = device.profile
    return Known(
        dict(zip(("MaxBlockDimX", "MaxBlockDimY", "MaxBlockDimZ"), MOST_THREADS, strict=True))
        | dict(zip(("MaxGridDimX", "MaxGridDimY", "MaxGridDimZ"), MOST_BLOCKS, strict=True)),
        MaxThreadsPerBlock=profile.threads_per_block,
        MaxSharedMemoryPerBlock=profile.shared_per_block,
        TotalConstantMemory=_CONSTANT,
        WarpSize=profile.warp_size,
        MaxRegistersPerBlock=_REGISTERS,
        MultiProcessorCount=profile.multiprocessors,
        Integrated=0,
        ConcurrentKernels=1,
        MaxThreadsPerMultiProcessor=profile.threads_per_multiprocessor,
        UnifiedAddressing=1,
        MaxSharedMemoryPerMultiprocessor=profile.shared_per_multiprocessor,
        MaxRegistersPerMultiprocessor=_registers(profile),
        CooperativeLaunch=1,
        MaxSharedMemoryPerBlockOptin=profile.shared_per_block_optin,
        MaxBlocksPerMultiprocessor=profile.blocks_per_multiprocessor,
    )


def _registers(profile: Profile) -> int:
    """Return the registers of a multiprocessor, of which one generation had twice as many."""
    return _REGISTERS * (2 if profile.compute_capability == (3, 7) else 1)
