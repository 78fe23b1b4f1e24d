"""Complex numbers: the functions of `cuComplex.h`, and `complex<T>` with all that goes with it.

Operators compute with the parts, in the order of CUDA's and CuPy's headers, so that they round as a
GPU does that fuses nothing. Other functions are NumPy's of doubles, rounded once for floats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from simulator.builtins.lowerings import Composite, Lowering
from simulator.builtins.overloads import overloads
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.types import is_complex
from simulator.source import Span

Lanes = Any
Parts = tuple[Lanes, ...]
Function = Callable[..., Parts]

# Arithmetic of real and imaginary parts: `a + b i` and `c + d i`.


def _sum(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Parts:
    return a + c, b + d


def _difference(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Parts:
    return a - c, b - d


def _product(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Parts:
    return a * c - b * d, a * d + b * c


def _quotient(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Parts:
    """Divide; both are scaled by the size of the divisor, whose square may overflow."""
    scale = 1 / (np.abs(c) + np.abs(d))
    a, b, c, d = a * scale, b * scale, c * scale, d * scale
    scale = 1 / (c * c + d * d)
    return (a * c + b * d) * scale, (b * c - a * d) * scale


def _conjugate(a: Lanes, b: Lanes) -> Parts:
    return a, -b


def _absolute(a: Lanes, b: Lanes) -> Parts:
    return (np.hypot(a, b),)


def _multiply_add(a: Lanes, b: Lanes, c: Lanes, d: Lanes, e: Lanes, f: Lanes) -> Parts:
    return (a * c + e) - b * d, (a * d + f) + b * c


def _same(*parts: Lanes) -> Parts:
    return parts


def _first(a: Lanes, b: Lanes) -> Parts:
    return (a,)


def _second(a: Lanes, b: Lanes) -> Parts:
    return (b,)


def _head(result: str, name: str, types: list[str]) -> str:
    named = ", ".join(f"{ctype} {letter}" for ctype, letter in zip(types, "xyz", strict=False))
    return f"{result} {name}({named})"


# `cuComplex.h`: numbers are CUDA's vectors of two.


def _cu_complex(number: str, part: str, suffix: str) -> Iterator[tuple[str, Lowering]]:
    """Yield the heads of the functions for one precision, with what executes them."""
    for name, count, code in (
        ("cuCadd", 2, _sum),
        ("cuCsub", 2, _difference),
        ("cuCmul", 2, _product),
        ("cuCdiv", 2, _quotient),
        ("cuCfma", 3, _multiply_add),
        ("cuConj", 1, _conjugate),
    ):
        yield _head(number, f"{name}{suffix}", [number] * count), Composite(code)
    for name, part_of in (("cuCreal", _first), ("cuCimag", _second), ("cuCabs", _absolute)):
        yield _head(part, f"{name}{suffix}", [number]), Composite(part_of)
    yield _head(number, f"make_{number}", [part, part]), Composite(_same)


def _cu_complex_rows() -> Iterator[Row]:
    single, double = "cuFloatComplex", "cuDoubleComplex"
    for head, how in (
        *_cu_complex(single, "float", "f"),
        *_cu_complex(double, "double", ""),
        (_head("cuComplex", "make_cuComplex", ["float", "float"]), Composite(_same)),
        (_head(double, "cuComplexFloatToDouble", [single]), Composite(_same)),
        (_head(single, "cuComplexDoubleToFloat", [double]), Composite(_same)),
    ):
        yield Row(head, how, header="cuComplex.h")


# `complex<T>`: a real operand is no complex number, so that infinities stay what they are.


def _negated(a: Lanes, b: Lanes) -> Parts:
    return a * -1, b * -1


_OPERATORS: dict[str, tuple[Function, Function, Function]] = {
    # of two complex numbers, of one and a real number, of a real number and one
    "+": (_sum, lambda a, b, c: (a + c, b), lambda a, c, d: (c + a, d)),
    "-": (_difference, lambda a, b, c: (a - c, b), lambda a, c, d: (a - c, -d)),
    "*": (_product, lambda a, b, c: (a * c, b * c), lambda a, c, d: (c * a, d * a)),
    "/": (
        _quotient,
        lambda a, b, c: (a / c, b / c),
        lambda a, c, d: _quotient(a, np.zeros_like(a), c, d),
    ),
}


def _equal(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Lanes:
    return (a == c) & (b == d)


def _ordered(test: Callable[..., Lanes]) -> Callable[..., Lanes]:
    """Compare real parts, and where these are equal imaginary ones."""
    return lambda a, b, c, d: np.where(a == c, test(b, d), test(a, c))


_TESTS: dict[str, Callable[..., Lanes]] = {
    "==": _equal,
    "!=": lambda *parts: ~_equal(*parts),
    "<": _ordered(np.less),
    ">": _ordered(np.greater),
    "<=": lambda *parts: _equal(*parts) | _ordered(np.less)(*parts),
    ">=": lambda *parts: _equal(*parts) | _ordered(np.greater)(*parts),
}


def _with_zero(test: Callable[..., Lanes]) -> tuple[Function, Function, Function]:
    """Return a test of two complex numbers, and those in which one of the two is real."""
    return (
        lambda *parts: (test(*parts),),
        lambda a, b, c: (test(a, b, c, np.zeros_like(c)),),
        lambda a, c, d: (test(a, np.zeros_like(a), c, d),),
    )


def _norm(a: Lanes, b: Lanes) -> Parts:
    """Square the size; squares of small parts are taken of larger ones."""
    small = np.sqrt(np.finfo(a.dtype).tiny)
    times = np.where((np.abs(a) < small) & (np.abs(b) < small), 4, 1).astype(a.dtype)
    return ((a * times * (a * times) + b * times * (b * times)) / (times * times),)


def _polar(size: Lanes, angle: Lanes) -> Parts:
    return size * np.cos(angle), size * np.sin(angle)


def _joined(a: Lanes, b: Lanes) -> Lanes:
    """Return complex numbers of doubles; a sum with 1j would lose infinities."""
    found = np.empty(np.shape(a), np.complex128)
    found.real, found.imag = a, b
    return found


def _computed(function: Callable[[Lanes], Lanes]) -> Function:
    """Compute with NumPy's complex numbers."""

    def code(a: Lanes, b: Lanes) -> Parts:
        found = function(_joined(a, b))
        return found.real, found.imag

    return code


_FUNCTIONS: dict[str, Callable[[Lanes], Lanes]] = {
    **{name: getattr(np, name) for name in "exp log log10 sqrt sin cos tan sinh cosh tanh".split()},
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "log1p": lambda z: np.log(z + 1),
    "log2": lambda z: np.log(z) / np.log(2.0),
    "expm1": lambda z: np.exp(z) - 1,
}
#: Functions of one number whose results are its parts', or one for both.
_OF_PARTS: dict[str, Function] = {
    "real": _first,
    "imag": _second,
    "abs": _absolute,
    "norm": _norm,
    "arg": lambda a, b: (np.arctan2(b, a),),
}
_PREDICATES: dict[str, Function] = {
    "isnan": lambda a, b: (np.isnan(a) | np.isnan(b),),
    "isinf": lambda a, b: (np.isinf(a) | np.isinf(b),),
    "isfinite": lambda a, b: (np.isfinite(a) & np.isfinite(b),),
}


def _chosen(test: Callable[[Lanes, Lanes], Lanes]) -> Function:
    """Choose one of two numbers: by the real parts, then the imaginary ones; no NaN if it can."""

    def code(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Parts:
        first = np.where(a == c, test(b, d), test(a, c)) | np.isnan(c) | np.isnan(d)
        first &= ~(np.isnan(a) | np.isnan(b))
        return np.where(first, a, c), np.where(first, b, d)

    return code


def _power(a: Lanes, b: Lanes, c: Lanes, d: Lanes) -> Parts:
    e, f = _computed(np.log)(a, b)
    return _computed(np.exp)(*_product(e, f, c, d))


_POWERS: tuple[Function, Function, Function] = (
    _power,
    lambda a, b, c: _power(a, b, c, np.zeros_like(c)),
    lambda a, c, d: _power(a, np.zeros_like(a), c, d),
)


def _alone_and_with_reals(
    result: str, name: str, number: str, part: str, codes: tuple[Function, Function, Function]
) -> Iterator[tuple[str, Lowering]]:
    """Yield what takes two complex numbers, or a complex and a real one."""
    for types, code in zip(([number] * 2, [number, part], [part, number]), codes, strict=True):
        yield _head(result, name, types), Composite(code)


def _of_precision(part: str) -> Iterator[tuple[str, Lowering]]:
    """Yield the heads of operators and functions of `complex<part>`, with what executes them."""
    number = f"complex<{part}>"
    for sign, codes in _OPERATORS.items():
        yield from _alone_and_with_reals(number, f"operator{sign}", number, part, codes)
    for sign, test in _TESTS.items():
        codes = _with_zero(test)
        yield from _alone_and_with_reals("bool", f"operator{sign}", number, part, codes)
    yield _head(number, "operator-", [number]), Composite(_negated)
    yield _head(number, "operator+", [number]), Composite(_same)
    yield _head(number, "conj", [number]), Composite(_conjugate)
    yield _head(number, "polar", [part, part]), Composite(_polar)
    yield _head(number, "polar", [part]), Composite(lambda size: (size, np.zeros_like(size)))
    for name, function in _FUNCTIONS.items():
        yield _head(number, name, [number]), Composite(_computed(function))
    for name, code in _OF_PARTS.items():
        yield _head(part, name, [number]), Composite(code)
    for name, code in _PREDICATES.items():
        yield _head("bool", name, [number]), Composite(code)
    yield _head(number, "rint", [number]), Composite(lambda a, b: (np.rint(a), np.rint(b)))
    yield _head(number, "min", [number] * 2), Composite(_chosen(np.less))
    yield _head(number, "max", [number] * 2), Composite(_chosen(np.greater))
    yield from _alone_and_with_reals(number, "pow", number, part, _POWERS)


def _powers_of_both() -> Iterator[tuple[str, Lowering]]:
    """Yield powers of a float and a double, which are of doubles."""
    single, double = "complex<float>", "complex<double>"
    _, with_real, with_complex = _POWERS
    yield _head(double, "pow", [single, "double"]), Composite(with_real)
    yield _head(double, "pow", ["double", single]), Composite(with_complex)


class _Template(Row):
    """A template of `complex<T>`, whose argument must be such a number: nothing is converted."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        for argument, parameter in zip(arguments, self.types.parameters, strict=False):
            if is_complex(parameter.type) and argument.type != parameter.type:
                what = f"takes `{parameter.type}` here, not `{argument.type}`"
                raise self._error(what, argument.span)
        return super().call(arguments, span)


def rows(known: dict[str, Row]) -> list[Row]:
    """Return all rows, those of `complex<T>` joined with those of the same names."""
    heads = (*_of_precision("float"), *_of_precision("double"), *_powers_of_both())
    brought = [_Template(head, how, header="cupy/complex.cuh") for head, how in heads]
    return [*_cu_complex_rows(), *overloads(brought, known)]


#: What the checker makes of conversions from one precision to the other.
CALLS: dict[str, Lowering] = {
    "complex<float>(complex<double>)": Composite(_same),
    "complex<double>(complex<float>)": Composite(_same),
}
