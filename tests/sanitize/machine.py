"""Run a kernel under sanitizers on a small device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import simulator


def kernel(parameters: str, body: str, functions: str = "") -> str:
    """A file with one kernel `k`, its body from line 3 on."""
    return f'{functions}\nextern "C" __global__ void k({parameters}) {{\n{body}\n}}\n'


def sanitized(
    text: str,
    *arguments: Any,
    names: tuple[str, ...] = ("all",),
    grid: int = 1,
    block: int = 32,
    shared: int = 0,
    allow: Mapping[str, str] | None = None,
    profile: str = "h200",
) -> simulator.Report:
    """What the sanitizers let pass; NumPy arrays are copied to the device first."""
    with simulator.Device(profile, memory=1 << 24) as device:
        given = [simulator.asarray(a) if isinstance(a, np.ndarray) else a for a in arguments]
        with simulator.sanitize(*names, device=device, allow=allow) as report:
            simulator.RawKernel(text, "k")((grid,), (block,), tuple(given), shared_mem=shared)
    return report


def versions(body: str) -> tuple[str, str]:
    """A text right and wrong: «right», «!wrong»."""
    right, wrong = "", ""
    for number, part in enumerate(body.replace("»", "«").split("«")):
        only_wrong = part.startswith("!") and number % 2 == 1
        right += "" if only_wrong else part
        wrong += part.removeprefix("!") if only_wrong else "" if number % 2 else part
    return right, wrong
