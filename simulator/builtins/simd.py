"""Several integers in a word of 32 bits: CUDA's SIMD functions, and sums of products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simulator.builtins.lowerings import Composite, Elementwise
from simulator.builtins.overloads import Overload, Overloads
from simulator.builtins.row import Row

Lanes = Any
Function = Callable[..., Lanes]


def _split(word: Lanes, dtype: np.dtype[Any]) -> Lanes:
    """Return the parts of each word, in a last dimension, with room to compute."""
    return np.ascontiguousarray(word).view(dtype).reshape(*word.shape, -1).astype(np.int64)


def _joined(parts: Lanes, dtype: np.dtype[Any]) -> Lanes:
    """Return the words of which these are the parts, of each as many bits as there is room for."""
    return np.ascontiguousarray(parts.astype(dtype)).view(np.uint32)[..., 0]


def _clipped(function: Function) -> Function:
    """Bring the results of a function into the range of the parts."""

    def saturated(*operands: Lanes, dtype: np.dtype[Any]) -> Lanes:
        limits = np.iinfo(dtype)
        return np.clip(function(*operands), limits.min, limits.max)

    return saturated


def _distance(x: Lanes, y: Lanes) -> Lanes:
    return np.abs(x - y)


def _rounded_average(x: Lanes, y: Lanes) -> Lanes:
    """Halves go away from zero."""
    total = x + y
    return (total + (total >= 0)) >> 1


def _lower_average(x: Lanes, y: Lanes) -> Lanes:
    return (x + y) >> 1


#: Functions of which the signs of the parts make no difference.
_UNSIGNED: dict[str, Function] = {
    "add": np.add,
    "sub": np.subtract,
    "abs": np.abs,
    "neg": np.negative,
}
#: Those for signed parts, and those for unsigned ones.
_BOTH: dict[str, Function] = {
    "absdiff": _distance,
    "avg": _rounded_average,
    "max": np.maximum,
    "min": np.minimum,
}
_COMPARISONS: dict[str, Function] = {
    "ge": np.greater_equal,
    "gt": np.greater,
    "le": np.less_equal,
    "lt": np.less,
}
_EQUALITIES: dict[str, Function] = {"eq": np.equal, "ne": np.not_equal}
_ONE_OPERAND = ("abs", "neg")


def _of_parts(function: Function, dtype: np.dtype[Any]) -> Function:
    def code(*words: Lanes) -> Lanes:
        return _joined(function(*(_split(word, dtype) for word in words)), dtype)

    return code


def _saturating(function: Function, dtype: np.dtype[Any]) -> Function:
    clipped = _clipped(function)
    return _of_parts(lambda *parts: clipped(*parts, dtype=dtype), dtype)


def _comparing(function: Function, true: int, dtype: np.dtype[Any]) -> Function:
    return _of_parts(lambda x, y: np.where(function(x, y), true, 0), dtype)


def _sum_of_distances(dtype: np.dtype[Any]) -> Function:
    def code(x: Lanes, y: Lanes) -> Lanes:
        return _distance(_split(x, dtype), _split(y, dtype)).sum(axis=-1)

    return code


def _functions(count: int) -> Iterator[tuple[str, Function]]:
    """Give the functions of words that have so many parts."""
    signed, unsigned = np.dtype(f"i{4 // count}"), np.dtype(f"u{4 // count}")
    for name, function in _UNSIGNED.items():
        yield name, _of_parts(function, signed)
        yield f"{name}ss", _saturating(function, signed)
        if name not in _ONE_OPERAND:
            yield f"{name}us", _saturating(function, unsigned)
    for name, function in _EQUALITIES.items():
        yield f"cmp{name}", _comparing(function, -1, signed)
        yield f"set{name}", _comparing(function, 1, signed)
    for letter, dtype in (("s", signed), ("u", unsigned)):
        for name, function in _BOTH.items():
            yield f"{name}{letter}", _of_parts(function, dtype)
        for name, function in _COMPARISONS.items():
            yield f"cmp{name}{letter}", _comparing(function, -1, dtype)
            yield f"set{name}{letter}", _comparing(function, 1, dtype)
        yield f"sad{letter}", _sum_of_distances(dtype)
    yield "haddu", _of_parts(_lower_average, unsigned)


def _rows() -> Iterator[Row]:
    for count in (2, 4):
        for name, function in _functions(count):
            parameters = "unsigned x" if name.startswith(_ONE_OPERAND) else "unsigned x, unsigned y"
            if name.startswith("absdiff"):
                parameters = "unsigned x, unsigned y"
            yield Row(f"unsigned __v{name}{count}({parameters})", Elementwise(function))


# Products of parts, added to a number.


def _products(left: np.dtype[Any], right: np.dtype[Any], first: int) -> Function:
    """Return the code for two words; the parts of the second count from `first`."""

    def code(x: Lanes, y: Lanes, addend: Lanes) -> Lanes:
        one, other = _split(x, left), _split(y, right)
        products = one * other[..., first : first + one.shape[-1]]
        return (products.sum(axis=-1) + addend).astype(addend.dtype)

    return code


def _products_of_members(count: int, first: int) -> Function:
    """Return the code for the members of two vectors, of which the first has `count`."""

    def code(*members: Lanes) -> tuple[Lanes]:
        left, right, addend = members[:count], members[count:-1], members[-1]
        pairs = zip(left, right[first:], strict=False)
        total = sum(a.astype(np.int64) * b.astype(np.int64) for a, b in pairs)
        return ((total + addend).astype(addend.dtype),)

    return code


def _dot(name: str, count: int, first: int) -> Overloads:
    """Return the four overloads of a function whose first operand has `count` parts."""
    rows = []
    for kind, word, sign in (("i", "int", ""), ("u", "unsigned", "u")):
        left, right = np.dtype(f"{kind}{4 // count}"), np.dtype(f"{kind}1")
        words = f"{word} {name}({word} x, {word} y, {word} addend)"
        rows.append(Overload(words, Elementwise(_products(left, right, first))))
        vector = f"{sign}{'char4' if count == 4 else 'short2'}"
        vectors = f"{word} {name}({vector} x, {sign}char4 y, {word} addend)"
        rows.append(Overload(vectors, Composite(_products_of_members(count, first))))
    return Overloads(rows[0].signature, rows[0].lowering, rows=tuple(rows))


ROWS = (*_rows(), _dot("__dp4a", 4, 0), _dot("__dp2a_lo", 2, 0), _dot("__dp2a_hi", 2, 2))
