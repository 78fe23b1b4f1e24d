"""CuPy's `ElementwiseKernel`: an operation on each element, for which a RawKernel is written."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.host.array import asarray, computed, ndarray
from simulator.host.creation import ascontiguousarray, empty
from simulator.host.module import RawKernel
from simulator.host.operations import (
    Operation,
    Parameter,
    ctype_of,
    dtype_of,
    number,
    statements,
    typedefs,
    with_includes,
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
        super().__init__(in_params, out_params, name)
        self.operation, self.preamble = operation, preamble
        self.no_return, self.return_tuple = no_return, return_tuple
        self._around, self._options = (loop_prep, after_loop), options

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
        """Launch on contiguous arrays, and copy from those that were made for it."""
        given = [
            _input(p, value, extent, dtype_of(p, types))
            for p, value in zip(self.in_params, inputs, strict=True)
        ]
        written = [ascontiguousarray(array) for array in outputs]
        count = int(np.prod(extent, dtype=np.int64))
        arrays = [isinstance(value, ndarray) for value in given]
        kernel = self._kernel(types, arrays)
        kernel((-(-count // block),), (block,), (*given, *written, count))
        for array, own in zip(outputs, written, strict=True):
            if own.data.ptr != array.data.ptr:
                array[...] = own.reshape(array.shape)

    def _kernel(self, types: dict[str, np.dtype[Any]], arrays: list[bool]) -> RawKernel:
        """Return the kernel for some types, and for which of the inputs are arrays."""
        key = f"{sorted((k, t.name) for k, t in types.items())} {arrays}"
        if key not in self._kernels:
            self._kernels[key] = RawKernel(self._code(types, arrays), self.name, self._options)
        return self._kernels[key]

    def _code(self, types: dict[str, np.dtype[Any]], arrays: list[bool]) -> str:
        """Write the kernel."""
        parameters, elements = [], []
        for p, array in zip(self.in_params, arrays, strict=True):
            ctype = ctype_of(dtype_of(p, types))
            inner = p.name if p.raw or not array else f"_raw_{p.name}"
            parameters.append(f"const {ctype} {'*' if array else ''}{inner}")
            if inner != p.name:
                elements.append(f"const {ctype} {p.name} = {inner}[i];")
        for p in self.out_params:
            ctype, inner = ctype_of(dtype_of(p, types)), p.name if p.raw else f"_raw_{p.name}"
            parameters.append(f"{ctype} *{inner}")
            if inner != p.name:
                elements.append(f"{ctype} &{p.name} = {inner}[i];")
        prep, after = self._around
        text = _TEMPLATE.format(
            typedefs=typedefs(types),
            preamble=self.preamble,
            name=self.name,
            parameters=", ".join([*parameters, "long long _size"]),
            prep=statements(prep),
            elements="\n    ".join(elements),
            operation=statements(self.operation),
            after=statements(after),
        )
        return with_includes(text)


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


def _input(p: Parameter, value: Any, extent: tuple[int, ...], dtype: np.dtype[Any]) -> Any:
    """Return an input as the kernel takes it: contiguous and as large as the result."""
    if not isinstance(value, ndarray):
        return number(value, dtype)
    if p.raw:
        return ascontiguousarray(value)
    return asarray(computed(np.broadcast_to, value, extent), order="C")
