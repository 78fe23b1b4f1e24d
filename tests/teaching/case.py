"""A teaching case, how a machine with CuPy's names runs it, and how its results are checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

KERNELS = Path(__file__).parent / "kernels"

#: Arrays by name: what a case begins with, or what it leaves.
Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Launch:
    """One launch of `kernel`, a name or for templates a name expression.

    In `args` a string is the array of that name, an int a C int, a float a C float; anything else
    is passed as it is. `shared` counts bytes of dynamic shared memory.
    """

    kernel: str
    grid: int | tuple[int, ...]
    block: int | tuple[int, ...]
    args: tuple[Any, ...]
    shared: int = 0


@dataclass(frozen=True)
class Case:
    """Launches of one file's kernels on given arrays, and what must come out.

    Attributes
    ----------
    name, file : str
        What pytest calls the case, and a file of `kernels/`.
    launches : tuple of Launch
        One after the other, on the same arrays.
    inputs : function
        From a random generator to all arrays, results included, as they are before the launches.
    expected : function
        From those arrays to the results, by name.
    tolerance : float
        Relative and absolute; 0 asks for equality.
    options : tuple of str
        Compiler options.
    constants : tuple of str
        Those of the arrays that are the module's `__constant__` variables of the same name.
    unordered : tuple of str
        Results whose elements may come in any order.
    printed : str
        What the kernels print.
    cooperative, device_launches : bool
        Whether the kernels wait at grid barriers, and whether they launch kernels.
    """

    name: str
    file: str
    launches: tuple[Launch, ...]
    inputs: Callable[[np.random.Generator], Arrays]
    expected: Callable[[Arrays], Arrays]
    tolerance: float = 0.0
    options: tuple[str, ...] = ()
    constants: tuple[str, ...] = ()
    unordered: tuple[str, ...] = ()
    printed: str = ""
    cooperative: bool = False
    device_launches: bool = False

    @property
    def path(self) -> Path:
        """The CUDA file."""
        return KERNELS / self.file

    @property
    def all_options(self) -> tuple[str, ...]:
        """The compiler options, with those that follow from what the case needs."""
        return ("-std=c++17", *self.options, *(["-dc"] if self.device_launches else []))

    @property
    def name_expressions(self) -> tuple[str, ...]:
        """The instances of templates that the case launches."""
        return tuple(dict.fromkeys(x.kernel for x in self.launches if "<" in x.kernel))


def run(case: Case, xp: Any, rng: np.random.Generator) -> tuple[Arrays, Arrays]:
    """Run a case on a machine: `xp` is the module `simulator` or `cupy`.

    Returns
    -------
    before, after : dict
        The case's arrays as the host made them, and as the launches left them.
    """
    before = case.inputs(rng)
    module = xp.RawModule(
        code=case.path.read_text(encoding="utf-8"),
        options=case.all_options,
        name_expressions=case.name_expressions or None,
        enable_cooperative_groups=case.cooperative,
    )
    arrays = {}
    for name, value in before.items():
        if name in case.constants:
            xp.ndarray(value.shape, value.dtype, module.get_global(name)).set(value)
        else:
            arrays[name] = xp.asarray(value)
    for launch in case.launches:
        kernel = module.get_function(launch.kernel)
        args = tuple(_argument(arg, arrays) for arg in launch.args)
        kernel(_extent(launch.grid), _extent(launch.block), args, shared_mem=launch.shared)
    return before, {name: xp.asnumpy(array) for name, array in arrays.items()}


def _extent(size: int | tuple[int, ...]) -> tuple[int, ...]:
    return size if isinstance(size, tuple) else (size,)


def _argument(arg: Any, arrays: dict[str, Any]) -> Any:
    """Python's numbers would be passed with 64 bits; C's int and float have 32."""
    if isinstance(arg, str):
        return arrays[arg]
    if isinstance(arg, np.generic):  # numpy.float64 is a Python float, too
        return arg
    if isinstance(arg, int):
        return np.int32(arg)
    return np.float32(arg) if isinstance(arg, float) else arg


def check(case: Case, before: Arrays, after: Arrays) -> None:
    """Compare what `run` returned with NumPy's opinion.

    Raises
    ------
    AssertionError
        Naming the array and the elements that differ.
    """
    for name, wanted in case.expected(before).items():
        got = np.sort(after[name]) if name in case.unordered else after[name]
        wanted = np.sort(wanted) if name in case.unordered else wanted
        np.testing.assert_allclose(
            got, wanted, rtol=case.tolerance, atol=case.tolerance, err_msg=f"{case.name}: {name}"
        )


def ints(rng: np.random.Generator, size: int, low: int = -1000, high: int = 1000) -> np.ndarray:
    """Random 32-bit ints from `low` to `high - 1`."""
    return rng.integers(low, high, size, dtype=np.int32)


def floats(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Random 32-bit floats from -1 to 1."""
    return rng.uniform(-1, 1, shape).astype(np.float32)


def blocks(work: int, block: int) -> int:
    """How many blocks of `block` it takes for `work` items."""
    return -(-work // block)
