"""What CuPy's kernels from an operation share: their parameters and types, which may be letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from simulator.host.array import asarray, computed, ndarray
from simulator.host.creation import ascontiguousarray
from simulator.host.module import RawKernel
from simulator.host.texture import TextureObject

#: What C++ calls NumPy's types.
_C = {
    **{"bool": "bool", "float16": "half", "float32": "float", "float64": "double"},
    **{"int8": "signed char", "int16": "short", "int32": "int", "int64": "long long"},
    **{f"uint{8 << k}": f"unsigned {c}" for k, c in enumerate(("char", "short", "int"))},
    **{"uint64": "unsigned long long"},
    **{"complex64": "complex<float>", "complex128": "complex<double>"},
}
_INCLUDES = {"complex<": "cupy/complex.cuh", "half": "cuda_fp16.h"}


class Parameter(NamedTuple):
    """One parameter of an operation; `dtype` is None where `kind` stands for any type."""

    name: str
    kind: str
    dtype: np.dtype[Any] | None
    raw: bool


class Operation:
    """The parameters of an operation, with which kernels are written for its types.

    Parameters
    ----------
    in_params, out_params : str
        Such as "float32 x, raw T y".
    name : str
        The kernel's name.
    preamble : str
        CUDA C in front of the kernel.
    options : tuple of str
        As for `RawKernel`.
    """

    def __init__(
        self, in_params: str, out_params: str, name: str, preamble: str, options: tuple[str, ...]
    ) -> None:
        if not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise ValueError(f'Invalid kernel name: "{name}"')
        self.in_params, self.out_params = _parameters(in_params), _parameters(out_params)
        self.name, self.preamble = name, preamble
        self._options = options
        self._kernels: dict[str, RawKernel] = {}

    @property
    def cached_codes(self) -> dict[str, str]:
        """The sources that were made so far, by the types of their parameters."""
        return {key: kernel.code for key, kernel in self._kernels.items()}

    @property
    def cached_code(self) -> str:
        """The first source that was made."""
        return next(iter(self.cached_codes.values()))

    def _split(self, args: Sequence[Any]) -> tuple[list[Any], list[ndarray]]:
        """Return inputs and outputs."""
        few, many = len(self.in_params), len(self.in_params) + len(self.out_params)
        if len(args) not in (few, many):
            raise TypeError(
                f"Wrong number of arguments for {self.name!r}. It must be either {few} or {many} "
                f"(with outputs), but given {len(args)}."
            )
        for arg in args:
            if not isinstance(arg, (ndarray, TextureObject, int, float, complex, np.generic)):
                raise TypeError(f"Unsupported type {type(arg)}: pass device arrays and numbers")
        if not all(isinstance(a, ndarray) for a in args[few:]):
            raise TypeError("Output arguments must be device arrays")
        return list(args[:few]), list(args[few:])

    def _types(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> dict[str, np.dtype[Any]]:
        """Decide what the letters stand for: by the outputs first, then by the inputs."""
        types: dict[str, np.dtype[Any]] = {}
        given = [
            *zip(self.out_params, outputs, strict=False),
            *zip(self.in_params, inputs, strict=True),
        ]
        for p, value in given:
            if isinstance(value, TextureObject) and p.dtype is None:
                types[p.kind] = np.dtype(np.uint64)
            if isinstance(value, ndarray):
                wanted = p.dtype or types.setdefault(p.kind, value.dtype)
                if wanted != value.dtype:
                    raise TypeError(f"Type is mismatched. {p.name} {value.dtype} {wanted}")
        for p in (*self.in_params, *self.out_params):
            if p.dtype is None and p.kind not in types:
                raise TypeError(
                    f"nothing says what {p.kind} is in {self.name}: pass an array of that type"
                )
        return types

    def _key(self, types: dict[str, np.dtype[Any]], given: Sequence[Any], *sizes: int) -> str:
        """Return what a kernel is written for: types, and which of the inputs are arrays."""
        arrays = [isinstance(value, ndarray) for value in given]
        return " ".join(map(str, (sorted((k, t.name) for k, t in types.items()), arrays, *sizes)))

    def _kernel(self, key: str, write: Callable[[], str]) -> RawKernel:
        """Return the kernel that was written for `key`, or is now."""
        if key not in self._kernels:
            self._kernels[key] = RawKernel(with_includes(write()), self.name, self._options)
        return self._kernels[key]

    def _inputs(
        self, given: Sequence[Any], types: dict[str, np.dtype[Any]]
    ) -> tuple[list[str], list[str]]:
        """Write the parameters that are inputs, and the names of their elements `i`."""
        parameters, elements = [], []
        for p, value in zip(self.in_params, given, strict=True):
            ctype, array = ctype_of(dtype_of(p, types)), isinstance(value, ndarray)
            inner = p.name if p.raw or not array else f"_raw_{p.name}"
            parameters.append(f"const {ctype} {'*' if array else ''}{inner}")
            if inner != p.name:
                elements.append(f"const {ctype} {p.name} = {inner}[i];")
        return parameters, elements


def fitted(
    p: Parameter,
    value: Any,
    extent: tuple[int, ...],
    dtype: np.dtype[Any],
    order: Sequence[int],
) -> Any:
    """Return an input as kernels take it: contiguous, of shape `extent`, with axes in an order."""
    if not isinstance(value, ndarray):
        return value if isinstance(value, TextureObject) else np.asarray(value).astype(dtype)[()]
    if p.raw:
        return ascontiguousarray(value)
    return asarray(computed(np.broadcast_to, value, extent).transpose(order), order="C")


def launch_contiguous(
    kernel: RawKernel,
    blocks: int,
    block: int,
    given: Sequence[Any],
    outputs: Sequence[ndarray],
    count: int,
) -> None:
    """Launch a kernel with contiguous outputs, and copy from those that were made for it."""
    written = [ascontiguousarray(array) for array in outputs]
    kernel((blocks,), (block,), (*given, *written, count))
    for array, own in zip(outputs, written, strict=True):
        if own.data.ptr != array.data.ptr:
            array[...] = own.reshape(array.shape)


def _parameters(text: str) -> tuple[Parameter, ...]:
    """Read a list of parameters."""
    parts = [part.split() for part in text.split(",") if part.strip()]
    return tuple(map(_parameter, parts))


def _parameter(words: list[str]) -> Parameter:
    *flags, kind, name = ["", *words] if len(words) < 2 else words
    if not kind or any(flag not in ("raw", "_non_const") for flag in flags):
        raise ValueError(f"a parameter is a type and a name, maybe behind `raw`: not {words}")
    if name == "i":
        raise ValueError("Can not use 'i' as a parameter name")
    dtype = None if len(kind) == 1 else np.dtype(kind)
    if dtype is not None and dtype.name not in _C:
        raise TypeError(f"elementwise kernels have no elements of type {dtype}")
    return Parameter(name, kind, dtype, "raw" in flags)


def dtype_of(p: Parameter, types: dict[str, np.dtype[Any]]) -> np.dtype[Any]:
    """Return the type of a parameter's elements."""
    return p.dtype or types[p.kind]


def ctype_of(dtype: np.dtype[Any]) -> str:
    """Return the type in C++."""
    return _C[dtype.name]


def statements(text: str) -> str:
    """Return CUDA C that ends a statement, with what stands for the index and the size."""
    text = re.sub(r"\b_ind\s*\.\s*size\s*\(\s*\)", "_size", text.strip())
    return text if not text or text.endswith((";", "}")) else f"{text};"


def typedefs(types: dict[str, np.dtype[Any]]) -> str:
    """Return what the letters stand for."""
    return "\n".join(f"typedef {ctype_of(t)} {k};" for k, t in sorted(types.items()))


def with_includes(text: str) -> str:
    """Return a kernel behind the headers of the types in it."""
    lines = [f"#include <{h}>\n" for word, h in _INCLUDES.items() if word in text]
    return "".join(lines) + text
