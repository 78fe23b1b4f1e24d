"""CuPy's `ElementwiseKernel`: an operation on each element, for which a RawKernel is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.host.array import ndarray
from simulator.host.creation import empty
from simulator.host.operations import (
    Operation,
    ctype_of,
    dtype_of,
    fitted,
    launch_contiguous,
    statements,
    typedefs,
)


class ElementwiseKernel(Operation):
    """An operation that a kernel does for each element of its arrays, which are broadcast.

    Arrays whose elements do not lie as those of the result are copied before the launch, on the
    host, so that kernels here count accesses to contiguous arrays.

    Parameters
    ----------
    in_params, out_params : str
        Such as "float32 x, raw T y": types are NumPy's, or one letter for any.
    operation : str
        CUDA C with the names of the parameters for elements, `i` for the index and `_ind.size()`
        for how many there are; raw parameters are pointers.
    name : str
        The kernel's name.
    reduce_dims : bool
        As in CuPy; it changes nothing here.
    preamble : str
        CUDA C in front of the kernel.
    no_return, return_tuple : bool
        Return nothing, or a tuple even of one array.
    loop_prep, after_loop : str
        CUDA C before and behind the loop over the elements.
    options : tuple of str
        As for `RawKernel`.

    Examples
    --------
    >>> import simulator
    >>> squared = simulator.ElementwiseKernel("T x, T y", "T z", "z = (x - y) * (x - y)", "squared")
    >>> squared(simulator.arange(4), 1).get().tolist()
    [1, 0, 1, 4]
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        operation: str,
        name: str = "kernel",
        reduce_dims: bool = True,
        preamble: str = "",
        no_return: bool = False,
        return_tuple: bool = False,
        *,
        loop_prep: str = "",
        after_loop: str = "",
        options: tuple[str, ...] = (),
    ) -> None:
        super().__init__(in_params, out_params, name, preamble, options)
        self.operation = operation
        self.no_return, self.return_tuple = no_return, return_tuple
        self._around = loop_prep, after_loop

    def __call__(
        self, *args: Any, size: int | None = None, block_size: int = 128, stream: Any = None
    ) -> Any:
        """Launch the kernel for all elements.

        Parameters
        ----------
        *args : ndarray or number
            The inputs, and after them the outputs if they are there already.
        size : int, optional
            How many elements, if all arrays are raw.
        block_size : int
            Threads of a block.
        stream : Stream, optional
            As in CuPy; it changes nothing here.

        Returns
        -------
        ndarray or tuple of ndarray
            The outputs.
        """
        if block_size <= 0:
            raise ValueError("block_size must be greater than zero")
        inputs, outputs = self._split(args)
        extent = self._extent([*inputs, *outputs], size)
        types = self._types(inputs, outputs)
        outputs = outputs or self._new_outputs(extent, types, size)
        count = int(np.prod(extent, dtype=np.int64))
        if count:
            self._launch(inputs, outputs, extent, types, min(block_size, count))
        if self.no_return:
            return None
        return outputs[0] if len(outputs) == 1 and not self.return_tuple else tuple(outputs)

    def _extent(self, args: Sequence[Any], size: int | None) -> tuple[int, ...]:
        """Return the shape of the result."""
        shapes = [
            a.shape
            for p, a in zip((*self.in_params, *self.out_params), args, strict=False)
            if isinstance(a, ndarray) and not p.raw
        ]
        if size is not None:
            if shapes:
                raise ValueError("Specified 'size' can be used only if all of the ndarray are raw.")
            return (size,)
        if not shapes:
            raise ValueError("Loop size is undecided. Pass size=…, for all arrays are raw.")
        extent = np.broadcast_shapes(*shapes)
        for p, a in zip(self.out_params, args[len(self.in_params) :], strict=False):
            if not p.raw and a.shape != extent:
                raise ValueError(f"Out shape is mismatched: {a.shape} for {extent}")
        return extent

    def _new_outputs(
        self, extent: tuple[int, ...], types: dict[str, np.dtype[Any]], size: int | None
    ) -> list[ndarray]:
        if size is None and any(p.raw for p in self.out_params):
            raise ValueError("Output array size is Undecided: pass the raw outputs")
        return [empty(extent, dtype_of(p, types)) for p in self.out_params]

    def _launch(
        self,
        inputs: Sequence[Any],
        outputs: Sequence[ndarray],
        extent: tuple[int, ...],
        types: dict[str, np.dtype[Any]],
        block: int,
    ) -> None:
        """Launch a thread for each element."""
        given = [
            fitted(p, value, extent, dtype_of(p, types), range(len(extent)))
            for p, value in zip(self.in_params, inputs, strict=True)
        ]
        count = int(np.prod(extent, dtype=np.int64))
        kernel = self._kernel(self._key(types, given), lambda: self._code(types, given))
        launch_contiguous(kernel, -(-count // block), block, given, outputs, count)

    def _code(self, types: dict[str, np.dtype[Any]], given: Sequence[Any]) -> str:
        """Write the kernel."""
        parameters, elements = self._inputs(given, types)
        for p in self.out_params:
            ctype, inner = ctype_of(dtype_of(p, types)), p.name if p.raw else f"_raw_{p.name}"
            parameters.append(f"{ctype} *{inner}")
            if inner != p.name:
                elements.append(f"{ctype} &{p.name} = {inner}[i];")
        prep, after = self._around
        return _TEMPLATE.format(
            typedefs=typedefs(types),
            preamble=self.preamble,
            name=self.name,
            parameters=", ".join([*parameters, "long long _size"]),
            prep=statements(prep),
            elements="\n    ".join(elements),
            operation=statements(self.operation),
            after=statements(after),
        )


_TEMPLATE = """{typedefs}
{preamble}
extern "C" __global__ void {name}({parameters}) {{
  {prep}
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < _size;
       i += (long long)blockDim.x * gridDim.x) {{
    {elements}
    {operation}
  }}
  {after}
}}
"""
