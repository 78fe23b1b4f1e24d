"""Cooperative launches, in which all threads of a grid can wait for each other."""

from __future__ import annotations

from simulator.compile.kernel import CompiledKernel
from simulator.execute.device import Device
from simulator.execute.geometry import Triple


def cooperative_problem(
    device: Device,
    kernel: CompiledKernel,
    launched: bool,
    grid: Triple,
    block: Triple,
    dynamic: int,
) -> tuple[str, str] | None:
    """What is wrong with a launch, and the remedy; None if nothing is.

    Parameters
    ----------
    device : Device
        Where it is launched.
    kernel : CompiledKernel
        What is launched.
    launched : bool
        Whether the launch is cooperative: then all its blocks must be resident at the same time.
    grid, block : tuple of three ints
        Blocks and threads along x, y and z.
    dynamic : int
        Bytes of dynamic shared memory a block.
    """
    if not launched:
        if any(site.kind == "grid barrier" for site in kernel.plan.sites):
            what = "waits for the whole grid, but is not launched cooperatively"
            return what, "Pass enable_cooperative_groups=True to RawKernel or RawModule."
        return None
    blocks, threads = (x * y * z for x, y, z in (grid, block))
    most = device.profile.resident_blocks(threads, kernel.shared_bytes + dynamic)
    if blocks <= most:
        return None
    return (
        f"launched cooperatively with {blocks:,} blocks of {threads} threads",
        f"{device.profile.title} holds {most:,} of them at the same time: use fewer blocks,\n"
        "and let each thread do its work in a loop.",
    )
