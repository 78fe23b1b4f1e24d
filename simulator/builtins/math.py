"""Functions of floats, and what their bits are as integers."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.builtins.lowerings import Elementwise, Operator
from simulator.builtins.overloads import Math, Quotient
from simulator.builtins.row import Row

#: Each function of doubles, which has overloads for floats and a variant whose name ends in f.
_FUNCTIONS = {
    "sqrt": "np.sqrt({0})",
    "rsqrt": "np.reciprocal(np.sqrt({0}))",
    "cbrt": "np.cbrt({0})",
    "exp": "np.exp({0})",
    "exp2": "np.exp2({0})",
    "exp10": "special.exp10({0})",
    "expm1": "np.expm1({0})",
    "log": "np.log({0})",
    "log2": "np.log2({0})",
    "log10": "np.log10({0})",
    "log1p": "np.log1p({0})",
    "sin": "np.sin({0})",
    "cos": "np.cos({0})",
    "tan": "np.tan({0})",
    "asin": "np.arcsin({0})",
    "acos": "np.arccos({0})",
    "atan": "np.arctan({0})",
    "sinh": "np.sinh({0})",
    "cosh": "np.cosh({0})",
    "tanh": "np.tanh({0})",
    "asinh": "np.arcsinh({0})",
    "acosh": "np.arccosh({0})",
    "atanh": "np.arctanh({0})",
    "erf": "special.erf({0})",
    "erfc": "special.erfc({0})",
    "floor": "np.floor({0})",
    "ceil": "np.ceil({0})",
    "round": "round_half_away({0})",
    "trunc": "np.trunc({0})",
    "rint": "np.rint({0})",
    "nearbyint": "np.rint({0})",
    "fabs": "np.abs({0})",
    "pow": "np.power({0}, {1})",
    "fmod": "np.fmod({0}, {1})",
    "atan2": "np.arctan2({0}, {1})",
    "hypot": "np.hypot({0}, {1})",
    "copysign": "np.copysign({0}, {1})",
    "remainder": "nearest_remainder({0}, {1})",
    "fdim": "positive_difference({0}, {1})",
    "fmin": "smaller({0}, {1})",
    "fmax": "larger({0}, {1})",
    "fma": "fused({0}, {1}, {2})",
}
#: Those that C++'s library has not.
_CUDA_ONLY = {"rsqrt", "exp10"}

#: Fast approximations of floats, computed as what they approximate.
_FAST = {
    "__expf": "exp",
    "__exp10f": "exp10",
    "__logf": "log",
    "__log2f": "log2",
    "__log10f": "log10",
    "__sinf": "sin",
    "__cosf": "cos",
    "__tanf": "tan",
    "__powf": "pow",
    "__fsqrt_rn": "sqrt",
    "__frsqrt_rn": "rsqrt",
}


def _head(ctype: str, name: str, code: str) -> str:
    """Return the signature of a function of numbers of one type, as many as its code takes."""
    count = len([slot for slot in ("{0}", "{1}", "{2}") if slot in code])
    return f"{ctype} {name}({', '.join(f'{ctype} {letter}' for letter in 'xyz'[:count])})"


def _functions() -> Iterator[Row]:
    for name, code in _FUNCTIONS.items():
        how = Elementwise(code)
        yield Math(_head("double", name, code), how, standard=name not in _CUDA_ONLY)
        yield Math(_head("float", f"{name}f", code), how)
    for name, exact in _FAST.items():
        yield Math(_head("float", name, _FUNCTIONS[exact]), Elementwise(_FUNCTIONS[exact]))


ROWS = (
    *_functions(),
    Math("bool isnan(double x)", Elementwise("np.isnan({0})"), standard=True),
    Math("bool isinf(double x)", Elementwise("np.isinf({0})"), standard=True),
    Math("bool isfinite(double x)", Elementwise("np.isfinite({0})"), standard=True),
    Math("bool signbit(double x)", Elementwise("np.signbit({0})"), standard=True),
    Quotient("float __fdividef(float x, float y)", Operator()),
    Row("int __float_as_int(float x)", Elementwise("{0}.view(i4)")),
    Row("float __int_as_float(int x)", Elementwise("{0}.view(f4)")),
    Row("unsigned __float_as_uint(float x)", Elementwise("{0}.view(u4)")),
    Row("float __uint_as_float(unsigned x)", Elementwise("{0}.view(f4)")),
    Row("long long __double_as_longlong(double x)", Elementwise("{0}.view(i8)")),
    Row("double __longlong_as_double(long long x)", Elementwise("{0}.view(f8)")),
)
