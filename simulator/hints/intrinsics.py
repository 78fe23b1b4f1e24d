"""The functions of CUDA's own that the simulator has not, by patterns of their names."""

from __future__ import annotations

import re

_TEXTURES = "textures and surfaces do not exist here: pass a pointer and read the array"
_BYTES = "take the parts with shifts and `&`, compute, and put them together"
_ROUND = "the simulator rounds to nearest: use the plain operator, or fma and sqrt"
_CONVERT = "use a cast: it rounds to zero for integers, to nearest for floats"
_ASYNC = "copy through a variable, then __syncthreads()"

#: Each pattern of whole names, and what to do instead; the first that fits counts.
_PATTERNS = [
    (r"tex[123]D\w*|texCubemap\w*|surf[123]D\w*|surfCubemap\w*", _TEXTURES),
    (r"__dp[24]a(_lo|_hi)?", "multiply the bytes one by one and add the products"),
    (r"__v[a-z]+[24]", _BYTES),
    (r"__reduce_\w+_sync", "use a loop of __shfl_down_sync"),
    (r"__(shfl(_up|_down|_xor)?|ballot|any|all)", "use `{name}_sync` with a mask"),
    (r"__clock\w*|__globaltimer", "use clock64; measure on the host, with events"),
    (r"__brkpt|__prof_trigger", "leave it out; __trap ends the kernel"),
    (r"__fns", "find the bit with __ffs in a loop"),
    (r"__saturatef", "use fminf and fmaxf"),
    (r"__[fd](add|sub|mul|div|maf?|sqrt|rsqrt|rcp)_r[nzud]|__fmaf_r[nzud]", _ROUND),
    (r"__double2(hi|lo)int", "shift the bits that __double_as_longlong gives"),
    (r"__hiloint2double", "put the bits together and use __longlong_as_double"),
    (
        r"__(u?int|u?ll|float|double|half|hi|lo)\w*2(u?int|u?ll|float|double|half|hi|lo)\w*",
        _CONVERT,
    ),
    (r"__cvta_\w+", _ASYNC),
    (r"__is(Constant|GridConstant)", "keep apart what points where"),
    (r"__builtin_assume|__assume|__builtin_expect|__builtin_unreachable", "leave it out"),
    (r"__sincosf|sincosf?|sincospif?", "call sin and cos"),
    (r"(sin|cos|tan)pif?", "multiply by M_PI first"),
    (r"l?l(rint|round)f?", "use a cast of rint or round"),
    (r"(frexp|modf|ldexp|scalbn|scalbln|ilogb|logb|nextafter|remquo)f?", "compute it with plain C"),
    (
        r"([lt]gamma|erfinv|erfcinv|erfcx|normcdf|normcdfinv|[jy][01n]|cyl_bessel_i[01]|rcbrt"
        r"|rhypot|r?norm[34]?d?)f?",
        "compute it on the host, or write the formula",
    ),
    (r"cudaGridDependencySynchronize|cudaTriggerProgrammaticLaunchCompletion", "leave it out"),
    (r"cuda[A-Z]\w*", "keep host code in Python"),
]
_COMPILED = [(re.compile(pattern), remedy) for pattern, remedy in _PATTERNS]


def remedy(name: str) -> str | None:
    """What to do instead of calling CUDA's `name`, None if CUDA has no such function.

    Examples
    --------
    >>> remedy("__reduce_mul_sync")
    'use a loop of __shfl_down_sync'
    >>> remedy("reduce") is None
    True
    """
    for pattern, text in _COMPILED:
        if pattern.fullmatch(name):
            return text.format(name=name)
    return None
