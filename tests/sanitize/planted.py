"""One planted bug: its file, what it is launched with, and what must come of it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import simulator

FOLDER = Path(__file__).parent / "bugs"
SCHEDULES = ("lockstep", "warp", *(f"random:{seed}" for seed in range(1, 19)))
_MARK = re.compile(r"// BUG$")


@dataclass(frozen=True)
class Unset:
    """An argument: a device array that the host does not set."""

    shape: int
    dtype: str = "int32"


@dataclass(frozen=True)
class Freed:
    """An argument: the address of a device array that the host has given back."""

    shape: int
    dtype: str = "int32"


Triple = tuple[int, int, int]


@dataclass(frozen=True)
class Bug:
    """A file of `bugs/` with a kernel of the same name, wrong where BUGGY is defined.

    Attributes
    ----------
    sanitizer, name : str
        Its folder and its name.
    arguments : tuple
        NumPy arrays travel to the device; `Unset` and `Freed` are arrays there; numbers stay.
    result : dict
        What the correct twin leaves in the array arguments, by their places.
    says : str
        A pattern that the report must match, whatever the case.
    grid, block, shared, profile
        The launch; `shared` is the dynamic shared memory in bytes.
    cooperative : bool
        Whether the kernel synchronises the whole grid.
    steps : int, optional
        The step budget, which the twin keeps to and a bug of the kind "steps" exceeds.
    schedules : tuple of str
        Under which the bug must be found.
    """

    sanitizer: str
    name: str
    arguments: tuple[Any, ...]
    result: dict[int, NDArray[Any]]
    says: str
    grid: Triple | int = 1
    block: Triple | int = 32
    shared: int = 0
    profile: str = "h200"
    cooperative: bool = False
    steps: int | None = None
    schedules: tuple[str, ...] = SCHEDULES

    @property
    def path(self) -> Path:
        """The CUDA file."""
        return FOLDER / self.sanitizer / f"{self.name}.cu"

    @property
    def marked(self) -> set[int]:
        """The lines where a report may point, counted from 1."""
        lines = self.path.read_text().splitlines()
        return {n for n, line in enumerate(lines, 1) if _MARK.search(line)}

    def launch(self, buggy: bool) -> dict[int, NDArray[Any]]:
        """Run one version on the current device; what its array arguments hold afterwards."""
        options = ("-DBUGGY",) if buggy else ()
        module = simulator.RawModule(
            path=str(self.path), options=options, enable_cooperative_groups=self.cooperative
        )
        arrays = {p: _on_device(a) for p, a in enumerate(self.arguments) if _is_array(a)}
        passed = [arrays.get(place, number) for place, number in enumerate(self.arguments)]
        for place, argument in enumerate(self.arguments):
            if isinstance(argument, Freed):
                passed[place] = arrays.pop(place).data.ptr
        kernel = module.get_function(self.name)
        kernel(_triple(self.grid), _triple(self.block), tuple(passed), shared_mem=self.shared)
        return {place: array.get() for place, array in arrays.items()}

    def __str__(self) -> str:
        return f"{self.sanitizer}-{self.name}"


def _is_array(argument: Any) -> bool:
    return isinstance(argument, np.ndarray | Unset | Freed)


def _on_device(argument: Any) -> simulator.ndarray:
    if isinstance(argument, np.ndarray):
        return simulator.asarray(argument)
    return simulator.empty(argument.shape, argument.dtype)


def _triple(extent: Triple | int) -> Triple:
    return (extent, 1, 1) if isinstance(extent, int) else extent


def mentioned(fault: simulator.Fault, path: Path) -> set[int]:
    """The lines of the file that a rendered report names."""
    places = re.finditer(rf"{re.escape(path.name)}:(\d+)|\bline (\d+)", str(fault))
    return {int(place[1] or place[2]) for place in places}
