"""CuPy's `ReductionKernel`: elements mapped and combined, for which a RawKernel is written."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from simulator.host.array import ndarray
from simulator.host.creation import empty
from simulator.host.operations import (
    Operation,
    Parameter,
    ctype_of,
    dtype_of,
    fitted,
    launch_contiguous,
    statements,
    typedefs,
)

#: Threads of a block at most: each block makes one element of the result.
_BLOCK = 256


class ReductionKernel(Operation):
    """A reduction that a kernel does along axes of its arrays, which are broadcast.

    A block makes an element of the result, by a tree in shared memory. That is not CuPy's kernel,
    whose counters would be others. Arrays are copied before the launch so that what a block reads
    is contiguous.

    Parameters
    ----------
    in_params, out_params : str
        Such as "float32 x, raw T y": types are NumPy's, or one letter for any.
    map_expr : str
        What is combined, of the elements of the inputs.
    reduce_expr : str
        Two of them, `a` and `b`, combined.
    post_map_expr : str
        A statement that sets the output, of the whole, `a`.
    identity : str
        What changes nothing: reductions begin with it.
    name : str
        The kernel's name.
    reduce_type : str, optional
        The type of `a` and `b`; by default that of the first output.
    reduce_dims : bool
        As in CuPy; it changes nothing here.
    preamble : str
        CUDA C in front of the kernel.
    options : tuple of str
        As for `RawKernel`.

    Examples
    --------
    >>> import simulator
    >>> norm = simulator.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "norm")
    >>> norm(simulator.asarray([[3.0, 4.0], [6.0, 8.0]]), axis=1).get().tolist()
    [5.0, 10.0]
    """

    def __init__(
        self,
        in_params: str,
        out_params: str,
        map_expr: str,
        reduce_expr: str,
        post_map_expr: str,
        identity: Any,
        name: str = "reduce_kernel",
        reduce_type: str | None = None,
        reduce_dims: bool = True,
        preamble: str = "",
        options: tuple[str, ...] = (),
    ) -> None:
        super().__init__(in_params, out_params, name, preamble, options)
        if identity is None or identity == "":
            raise ValueError(f"{name} needs an identity, with which the simulator begins")
        if any(p.raw for p in self.out_params):
            raise ValueError(f"{name}: the simulator has no raw outputs of reductions")
        self._expressions = map_expr, reduce_expr, post_map_expr, str(identity)
        self._reduce_type = reduce_type

    def __call__(
        self,
        *args: Any,
        out: ndarray | None = None,
        axis: int | Sequence[int] | None = None,
        keepdims: bool = False,
        stream: Any = None,
    ) -> Any:
        """Launch the kernel for all elements of the result.

        Parameters
        ----------
        *args : ndarray or number
            The inputs, and after them the outputs if they are there already.
        out : ndarray, optional
            The output, if there is one.
        axis : int or tuple of int, optional
            What is reduced; all by default.
        keepdims : bool
            Keep reduced axes, with length 1.
        stream : Stream, optional
            As in CuPy; it changes nothing here.

        Returns
        -------
        ndarray or tuple of ndarray
            The outputs.
        """
        inputs, outputs = self._split(args if out is None else (*args, out))
        shapes = [a.shape for p, a in zip(self.in_params, inputs, strict=True) if _whole(p, a)]
        if not shapes:
            raise ValueError("Loop size is undecided. An array that is not raw says it")
        extent = np.broadcast_shapes(*shapes)
        reduced = _axes(axis, len(extent))
        kept = [k for k in range(len(extent)) if k not in reduced]
        full = tuple(1 if k in reduced else n for k, n in enumerate(extent))
        shape = full if keepdims else tuple(extent[k] for k in kept)
        types = self._types(inputs, outputs)
        outputs = outputs or [empty(shape, dtype_of(p, types)) for p in self.out_params]
        if any(array.shape != shape for array in outputs):
            raise ValueError(f"Out shape is mismatched: {outputs[0].shape} for {shape}")
        order = (*kept, *sorted(reduced))
        given = [
            fitted(p, value, extent, dtype_of(p, types), order)
            for p, value in zip(self.in_params, inputs, strict=True)
        ]
        self._launch(given, outputs, math.prod(extent[k] for k in reduced), types)
        return outputs[0] if len(outputs) == 1 else tuple(outputs)

    def _launch(
        self,
        given: Sequence[Any],
        outputs: Sequence[ndarray],
        inner: int,
        types: dict[str, np.dtype[Any]],
    ) -> None:
        """Launch a block for each element of the outputs."""
        count = outputs[0].size
        if not count:
            return
        block = min(_BLOCK, max(32, 1 << max(0, inner - 1).bit_length()))
        key = self._key(types, given, block)
        kernel = self._kernel(key, lambda: self._code(types, given, block))
        launch_contiguous(kernel, count, block, given, outputs, inner)

    def _code(self, types: dict[str, np.dtype[Any]], given: Sequence[Any], block: int) -> str:
        """Write the kernel."""
        parameters, elements = self._inputs(given, types)
        results = []
        for p in self.out_params:
            ctype = ctype_of(dtype_of(p, types))
            parameters.append(f"{ctype} *_raw_{p.name}")
            results.append(f"{ctype} &{p.name} = _raw_{p.name}[blockIdx.x];")
        mapped, combined, post, identity = self._expressions
        return _TEMPLATE.format(
            typedefs=typedefs(types),
            type=self._reduce_type or ctype_of(dtype_of(self.out_params[0], types)),
            preamble=self.preamble,
            name=self.name,
            parameters=", ".join([*parameters, "long long _inner"]),
            block=block,
            half=block // 2,
            identity=identity,
            elements="\n    ".join(elements),
            map=mapped,
            reduce=combined,
            results="\n    ".join(results),
            post=statements(post),
        )


_TEMPLATE = """{typedefs}
{preamble}
typedef {type} _type_reduce;
extern "C" __global__ void {name}({parameters}) {{
  __shared__ _type_reduce _shared[{block}];
  _type_reduce _sum = _type_reduce({identity});
  for (long long _j = threadIdx.x; _j < _inner; _j += {block}) {{
    const long long i = blockIdx.x * _inner + _j;
    {elements}
    const _type_reduce _mapped = _type_reduce({map});
    {{
      const _type_reduce a = _sum, b = _mapped;
      _sum = _type_reduce({reduce});
    }}
  }}
  _shared[threadIdx.x] = _sum;
  __syncthreads();
  for (int _half = {half}; _half > 0; _half /= 2) {{
    if (threadIdx.x < _half) {{
      const _type_reduce a = _shared[threadIdx.x], b = _shared[threadIdx.x + _half];
      _shared[threadIdx.x] = _type_reduce({reduce});
    }}
    __syncthreads();
  }}
  if (threadIdx.x == 0) {{
    const _type_reduce a = _shared[0];
    {results}
    {post}
  }}
}}
"""


def _whole(p: Parameter, value: Any) -> bool:
    """Say whether an input has a part in the shape."""
    return isinstance(value, ndarray) and not p.raw


def _axes(axis: int | Sequence[int] | None, ndim: int) -> set[int]:
    """Return the axes that are reduced."""
    if axis is None:
        return set(range(ndim))
    given = tuple(axis) if isinstance(axis, Sequence) else (axis,)
    if not all(-ndim <= k < ndim for k in given):
        raise np.exceptions.AxisError(f"axis {axis} is out of bounds for {ndim} dimensions")
    return {k % ndim for k in given}
