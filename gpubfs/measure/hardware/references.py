"""What is recorded: which techniques, with which options, on which graphs."""

from __future__ import annotations

import hashlib
from functools import cache

from gpubfs.kernels import KERNELS
from gpubfs.search.catalogue import find, techniques
from gpubfs.search.spec import parse
from simulator.instrument import flattened

#: Small graphs of different shapes, the same on every platform.
GRAPHS = ("toy", "star:300", "path:12", "grid:8x8", "er:10", "kron:10", "kron:12")

#: Besides every technique with its defaults.
VARIANTS = (
    "central-queue:enqueue=prefix-sum",
    "central-queue:loop=persistent",
    "double-scan:alpha=0",
    "edge-frontier:enqueue=atomic",
    "no-queue:alpha=0.4",
    "scan-free:width=32",
    "single-scan:enqueue=prefix-sum",
    "single-scan:width=1",
    "strided-scan:alpha=0",
)


def specs() -> list[str]:
    """All techniques that are recorded, with their options, as `gpubfs compare` takes them."""
    return sorted([*techniques(), *VARIANTS])


@cache
def digest(spec: str) -> str:
    """Return a number that changes with the kernels of a technique, and not with their comments."""
    name, options = parse(spec)
    technique = find(name)
    defines = technique.defines(technique.complete(options))
    flags = (f"-I{KERNELS}", *(f"-D{macro}={value}" for macro, value in defines.items()))
    flat = flattened(technique.source, str(technique.path), flags)
    return hashlib.sha256(flat.source.text.encode()).hexdigest()[:16]
