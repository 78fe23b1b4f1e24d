"""Run a kernel on a fresh device, and count it; ask CUDA's compiler what it takes."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import simulator
from gpubfs.machines import nvrtc
from simulator import Fault

Triple = tuple[int, int, int]


@dataclass
class Ran:
    """What a launch left behind: the arrays in the order of the arguments, and its counters."""

    arrays: list[Any]
    launch: simulator.Launch

    @property
    def counters(self) -> simulator.Counters:
        return self.launch.counters

    def site(self, kind: str, text: str = "") -> simulator.Site:
        """The only site of `kind` whose source text is `text`."""
        (found,) = [s for s in self.launch.sites if s.kind == kind and text in (s.text, "")]
        return found


def source(parameters: str, body: str, functions: str = "") -> str:
    """A file with one kernel `k`."""
    return f'{functions}\nextern "C" __global__ void k({parameters}) {{\n{body}\n}}\n'


def grouped(parameters: str, body: str, functions: str = "") -> str:
    """`source` with cooperative groups, `cg` for short."""
    headers = ["cooperative_groups.h", "cooperative_groups/reduce.h", "cooperative_groups/scan.h"]
    included = "".join(f"#include <{name}>\n" for name in headers)
    return source(parameters, body, f"{included}namespace cg = cooperative_groups;\n{functions}")


def triple(size: int | tuple[int, ...]) -> Triple:
    sizes = (size,) if isinstance(size, int) else size
    return (*sizes, 1, 1, 1)[:3]  # type: ignore[return-value]


def run(
    text: str,
    *arguments: Any,
    grid: int | tuple[int, ...] = 1,
    block: int | tuple[int, ...] = 32,
    shared: int = 0,
    profile: str | simulator.Profile = "h200",
    schedule: str = "lockstep",
    sanitize: str = "",
) -> Ran:
    """Launch kernel `k` on a fresh device, watched by sanitizers; arrays travel there and back."""
    with simulator.Device(profile, memory=1 << 26, schedule=schedule) as device:
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        kernel = simulator.RawKernel(text, "k")
        watched = simulator.sanitize(sanitize) if sanitize else nullcontext()
        with simulator.counting(device) as record, watched:
            kernel(triple(grid), triple(block), tuple(given), shared_mem=shared)
        arrays = [a.get() if isinstance(a, simulator.ndarray) else a for a in given]
    (launch,) = record.launches
    return Ran(arrays, launch)


def fault(text: str, *arguments: Any, **more: Any) -> Fault:
    """The fault that `run` ends with."""
    with pytest.raises(Fault) as caught:
        run(text, *arguments, **more)
    return caught.value


def cuda_takes(text: str) -> bool:
    """Whether NVRTC compiles a program; the test is skipped where it or a header is missing."""
    module, reason = nvrtc.load()
    if module is None:
        pytest.skip(reason)
    try:
        nvrtc.compile_text(text, "kernel.cu", Path())
    except RuntimeError as error:
        if "cannot open source file" in str(error):
            pytest.skip("CUDA's headers are not installed")
        return False
    return True
