"""Kernels that count by themselves: an instrumented module, launched and read by CuPy's names."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

from simulator.instrument.build import Instrumented
from simulator.instrument.results import gathered
from simulator.observe.counting import Launch


class InstrumentedModule:
    """A module whose kernels leave their counters behind.

    Parameters
    ----------
    arrays : module
        CuPy, or what is shaped like it.
    module : RawModule
        The compiled text of `made`.
    made : Instrumented
        What its counters stand for.
    warp_size : int
        Lanes of a warp.
    named : callable
        The name of the array that an address is in.

    Examples
    --------
    Here on the simulator; on a GPU, `import cupy as xp`.

    >>> import simulator as xp
    >>> from simulator.instrument import InstrumentedModule, instrumented
    >>> text = 'extern "C" __global__ void f(int *a) { a[threadIdx.x] = 1; }'
    >>> made = instrumented(text)
    >>> module = InstrumentedModule(xp, xp.RawModule(code=made.text), made)
    >>> module.get_function("f")((1,), (64,), (xp.zeros(64, "int32"),))
    >>> module.launches[0].counters.store_sectors
    8
    """

    def __init__(
        self,
        arrays: Any,
        module: Any,
        made: Instrumented,
        warp_size: int = 32,
        named: Callable[[int], str] = lambda address: "",
    ) -> None:
        self.launches: list[Launch] = []
        self._arrays = arrays
        self._module = module
        self._made = made
        self._warp_size = warp_size
        self._named = named

    def get_function(self, name: str) -> InstrumentedKernel:
        """Return the kernel called `name`."""
        return InstrumentedKernel(self, name, self._module.get_function(name))

    def launch(self, name: str, kernel: Any, grid: Any, block: Any, *more: Any, **how: Any) -> None:
        """Launch a kernel with fresh counters, and keep what it counted."""
        counts = self._global("gb_counts", self._made.slots, "uint64")
        counts.fill(0)
        work = self._arrays.zeros(prod(grid) * prod(block), "uint32")
        self._global("gb_work", 1, "uint64").fill(work.data.ptr)
        kernel(grid, block, *more, **how)
        numbers = self._arrays.asnumpy(counts), self._arrays.asnumpy(work)
        shape = prod(block), self._warp_size
        merged = self._made.merged.get(name, {})
        found = gathered(self._made.places, *numbers, *shape, self._named, merged)
        self.launches.append(Launch(name, tuple(grid), tuple(block), *found))

    def _global(self, name: str, size: int, dtype: str) -> Any:
        return self._arrays.ndarray((size,), dtype, self._module.get_global(name))


class InstrumentedKernel:
    """One kernel of an `InstrumentedModule`; call it to launch it."""

    def __init__(self, module: InstrumentedModule, name: str, kernel: Any) -> None:
        self.name = name
        self._module = module
        self._kernel = kernel

    def __call__(self, grid: Any, block: Any, args: Any, *, shared_mem: int = 0) -> None:
        """Launch it."""
        self._module.launch(self.name, self._kernel, grid, block, args, shared_mem=shared_mem)

    @property
    def max_dynamic_shared_size_bytes(self) -> int:
        """Dynamic shared memory that launches may ask for."""
        size: int = self._kernel.max_dynamic_shared_size_bytes
        return size

    @max_dynamic_shared_size_bytes.setter
    def max_dynamic_shared_size_bytes(self, size: int) -> None:
        self._kernel.max_dynamic_shared_size_bytes = size
