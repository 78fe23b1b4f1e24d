"""Special functions, parts and neighbours of floats, and functions that store what they find.

An integer alone does not choose between their overloads for floats and doubles.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulator.builtins.lowerings import Elementwise, Lowering, Outputs
from simulator.builtins.overloads import OneFloat
from simulator.builtins.row import Row
from simulator.lanes import reals


def _with_limit(limit: str, code: str) -> Elementwise:
    """Compute a function of one number that has a limit at both infinities, which SciPy lacks."""
    return Elementwise(f"np.where(np.isinf({{0}}), {limit}, {code})[()]")


def _of_order(name: str) -> Elementwise:
    """Compute a Bessel function, which has no negative orders here."""
    code = f"np.where(np.isinf({{1}}) & ({{1}} > 0), 0, special.{name}({{0}}, {{1}}))"
    return Elementwise(f"np.where({{0}} < 0, nan, {code}).astype({{1}}.dtype)[()]")


#: Each function of doubles, which has overloads for floats and a variant whose name ends in f.
_OVERLOADED: dict[str, Lowering] = {
    "double erfinv(double x)": Elementwise("special.erfinv({0})"),
    "double erfcinv(double x)": Elementwise("special.erfcinv({0})"),
    "double erfcx(double x)": Elementwise("special.erfcx({0})"),
    "double normcdf(double x)": Elementwise("special.ndtr({0})"),
    "double normcdfinv(double x)": Elementwise("special.ndtri({0})"),
    "double cyl_bessel_i0(double x)": _with_limit("inf", "special.i0({0})"),
    "double cyl_bessel_i1(double x)": _with_limit("{0}", "special.i1({0})"),
    "double j0(double x)": _with_limit("0", "special.j0({0})"),
    "double j1(double x)": _with_limit("0", "special.j1({0})"),
    "double jn(int n, double x)": _of_order("jv"),
    "double y0(double x)": _with_limit("np.log(np.sign({0}))", "special.y0({0})"),
    "double y1(double x)": _with_limit("np.log(np.sign({0}))", "special.y1({0})"),
    "double yn(int n, double x)": _of_order("yv"),
    "double rcbrt(double x)": Elementwise("np.reciprocal(np.cbrt({0}))"),
    "double sinpi(double x)": Elementwise(reals.sine_of_pi),
    "double cospi(double x)": Elementwise(reals.cosine_of_pi),
    "void sincos(double x, double *sine, double *cosine)": Outputs(reals.sine_and_cosine),
    "void sincospi(double x, double *sine, double *cosine)": Outputs(reals.sine_and_cosine_of_pi),
}
#: Those that C++'s library has, too.
_STANDARD: dict[str, Lowering] = {
    "double tgamma(double x)": Elementwise("special.gamma({0})"),
    "double lgamma(double x)": _with_limit("inf", "special.gammaln({0})"),
    "double logb(double x)": Elementwise(reals.exponent),
    "int ilogb(double x)": Elementwise(reals.integer_exponent),
    "double ldexp(double x, int power)": Elementwise(reals.scaled),
    "double scalbn(double x, int power)": Elementwise(reals.scaled),
    "double scalbln(double x, long power)": Elementwise(reals.scaled),
    "double nextafter(double x, double towards)": Elementwise("np.nextafter({0}, {1})"),
    "long lrint(double x)": Elementwise(reals.nearest_integer),
    "long long llrint(double x)": Elementwise(reals.nearest_integer),
    "long lround(double x)": Elementwise(reals.nearest_integer_away),
    "long long llround(double x)": Elementwise(reals.nearest_integer_away),
    "double frexp(double x, int *power)": Outputs(reals.fraction_and_exponent),
    "double modf(double x, double *whole)": Outputs(reals.fraction_and_whole),
    "double remquo(double x, double y, int *quotient)": Outputs(reals.remainder_and_quotient),
}
#: Functions of doubles that have no overload, and the parameters that they have.
_LENGTHS = {
    "rhypot": "xy",
    "norm3d": "xyz",
    "norm4d": "xyzw",
    "rnorm3d": "xyz",
    "rnorm4d": "xyzw",
}


def _single(signature: str) -> str:
    """Return the signature of the variant for floats."""
    head, parameters = signature.replace("double", "float").split("(")
    return f"{head}f({parameters}"


def _lengths() -> Iterator[Row]:
    for name, letters in _LENGTHS.items():
        code = reals.reciprocal_length if name[0] == "r" else reals.length
        parameters = ", ".join(f"double {letter}" for letter in letters)
        signature = f"double {name}({parameters})"
        yield Row(signature, Elementwise(code))
        yield Row(_single(signature), Elementwise(code))


ROWS = (
    *(OneFloat(head, how) for head, how in _OVERLOADED.items()),
    *(OneFloat(head, how, standard=True) for head, how in _STANDARD.items()),
    *(Row(_single(head), how) for head, how in (_OVERLOADED | _STANDARD).items()),
    *_lengths(),
    Row("void __sincosf(float x, float *sine, float *cosine)", Outputs(reals.sine_and_cosine)),
    Row("float __tanhf(float x)", Elementwise("np.tanh({0})")),
    Row("float fdividef(float x, float y)", Elementwise("{0} / {1}")),
    Row("double __dadd_rn(double x, double y)", Elementwise("{0} + {1}")),
    Row("double __dsub_rn(double x, double y)", Elementwise("{0} - {1}")),
    Row("double __dmul_rn(double x, double y)", Elementwise("{0} * {1}")),
    Row("double __ddiv_rn(double x, double y)", Elementwise("{0} / {1}")),
    Row("double __drcp_rn(double x)", Elementwise("np.reciprocal({0})")),
    Row("double __dsqrt_rn(double x)", Elementwise("np.sqrt({0})")),
    Row("double __fma_rn(double x, double y, double z)", Elementwise("fused({0}, {1}, {2})")),
)
