"""The functions that CUDA brings: a table from each name to its kind and types."""

from __future__ import annotations

from simulator.builtins.kinds import (
    Absolute,
    Alike,
    Atomic,
    Builtin,
    Fixed,
    Match,
    Math,
    Quotient,
    Read,
    Reduce,
    Shuffle,
    Store,
    Vote,
)
from simulator.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    VECTORS,
    VOID,
    CType,
    Pointer,
)

_ALL_LANES = (0xFFFFFFFF,)

ANYTHING = Pointer(VOID, const=True)

#: The table's part with fixed types: C's signature, then the types again as values.
_FIXED: list[tuple[str, CType, tuple[CType, ...]]] = [
    ("void __syncthreads()", VOID, ()),
    ("void __threadfence()", VOID, ()),
    ("void __threadfence_block()", VOID, ()),
    ("void __threadfence_system()", VOID, ()),
    ("int __syncthreads_count(int predicate)", INT, (INT,)),
    ("int __syncthreads_and(int predicate)", INT, (INT,)),
    ("int __syncthreads_or(int predicate)", INT, (INT,)),
    ("unsigned __activemask()", UINT, ()),
    ("unsigned __isShared(const void *pointer)", UINT, (ANYTHING,)),
    ("unsigned __isLocal(const void *pointer)", UINT, (ANYTHING,)),
    ("unsigned __isGlobal(const void *pointer)", UINT, (ANYTHING,)),
    ("void __trap()", VOID, ()),
    ("void __nanosleep(unsigned nanoseconds)", VOID, (UINT,)),
    ("long clock()", LONG, ()),
    ("long long clock64()", LLONG, ()),
    ("int __popc(unsigned x)", INT, (UINT,)),
    ("int __popcll(unsigned long long x)", INT, (ULLONG,)),
    ("int __ffs(int x)", INT, (INT,)),
    ("int __ffsll(long long x)", INT, (LLONG,)),
    ("int __clz(int x)", INT, (INT,)),
    ("int __clzll(long long x)", INT, (LLONG,)),
    ("unsigned __brev(unsigned x)", UINT, (UINT,)),
    ("unsigned long long __brevll(unsigned long long x)", ULLONG, (ULLONG,)),
    ("int __float_as_int(float x)", INT, (FLOAT,)),
    ("float __int_as_float(int x)", FLOAT, (INT,)),
    ("unsigned __float_as_uint(float x)", UINT, (FLOAT,)),
    ("float __uint_as_float(unsigned x)", FLOAT, (UINT,)),
    ("long long __double_as_longlong(double x)", LLONG, (DOUBLE,)),
    ("double __longlong_as_double(long long x)", DOUBLE, (LLONG,)),
    ("int __mulhi(int x, int y)", INT, (INT, INT)),
    ("unsigned __umulhi(unsigned x, unsigned y)", UINT, (UINT, UINT)),
    ("int __mul24(int x, int y)", INT, (INT, INT)),
    ("unsigned __umul24(unsigned x, unsigned y)", UINT, (UINT, UINT)),
    ("unsigned __funnelshift_l(unsigned low, unsigned high, unsigned shift)", UINT, (UINT,) * 3),
    ("unsigned __funnelshift_lc(unsigned low, unsigned high, unsigned shift)", UINT, (UINT,) * 3),
    ("unsigned __funnelshift_r(unsigned low, unsigned high, unsigned shift)", UINT, (UINT,) * 3),
    ("unsigned __funnelshift_rc(unsigned low, unsigned high, unsigned shift)", UINT, (UINT,) * 3),
    ("unsigned __byte_perm(unsigned low, unsigned high, unsigned selector)", UINT, (UINT,) * 3),
]

_ATOMIC_TYPES = {
    "Add": (INT, UINT, ULLONG, FLOAT, DOUBLE),
    "Sub": (INT, UINT),
    "Exch": (INT, UINT, ULLONG, FLOAT),
    "CAS": (INT, UINT, ULLONG),
    "Min": (INT, UINT, LLONG, ULLONG),
    "Max": (INT, UINT, LLONG, ULLONG),
    "And": (INT, UINT, LLONG, ULLONG),
    "Or": (INT, UINT, LLONG, ULLONG),
    "Xor": (INT, UINT, LLONG, ULLONG),
    "Inc": (UINT,),
    "Dec": (UINT,),
}

_MATH = {
    1: """sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan
    sinh cosh tanh asinh acosh atanh erf erfc floor ceil round trunc rint nearbyint""",
    2: "pow fmod atan2 hypot copysign remainder fdim",
    3: "fma",
}

#: Fast approximations, computed as what they approximate.
_FAST = {
    "__expf": "exp",
    "__exp10f": "exp10",
    "__logf": "log",
    "__log2f": "log2",
    "__log10f": "log10",
    "__sinf": "sin",
    "__cosf": "cos",
    "__tanf": "tan",
    "__fsqrt_rn": "sqrt",
    "__frsqrt_rn": "rsqrt",
}


def _fixed() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {}
    for signature, result, parameters in _FIXED:
        name = signature.split("(")[0].split()[-1]
        table[name] = Fixed(name, signature, result, parameters)
    for name, of in {"ballot": UINT, "any": INT, "all": INT}.items():
        signature = f"{of} __{name}_sync(unsigned mask, int predicate)"
        table[f"__{name}_sync"] = Vote(f"__{name}_sync", signature, of, (UINT, BOOL))
    table["__syncwarp"] = Fixed(
        "__syncwarp", "void __syncwarp(unsigned mask = 0xffffffff)", VOID, (UINT,), _ALL_LANES
    )
    return table


def _vectors() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {}
    for vector in VECTORS.values():
        parameters = ", ".join(f"{ctype} {name}" for name, ctype, _ in vector.members)
        name = f"make_{vector}"
        types = tuple(ctype for _, ctype, _ in vector.members)
        table[name] = Fixed(name, f"{vector} {name}({parameters})", vector, types)
    return table


def _atomics() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {}
    for operation, types in _ATOMIC_TYPES.items():
        name = f"atomic{operation}"
        values, operands = ("T compare, T value", 2) if operation == "CAS" else ("T value", 1)
        for suffix, scope in {"": "", "_block": "block", "_system": ""}.items():
            table[name + suffix] = Atomic(
                name, f"T {name}{suffix}(T *address, {values})", types, operands, scope
            )
    return table


def _shuffles() -> dict[str, Builtin]:
    lanes = {
        "": ("int lane", INT),
        "_up": ("unsigned delta", UINT),
        "_down": ("unsigned delta", UINT),
    }
    table: dict[str, Builtin] = {}
    for kind, (parameter, ctype) in {**lanes, "_xor": ("int lanes", INT)}.items():
        name = f"__shfl{kind}_sync"
        signature = f"T {name}(unsigned mask, T value, {parameter}, int width = warpSize)"
        table[name] = Shuffle(name, signature, ctype)
    return table


def _collective() -> dict[str, Builtin]:
    any_, all_ = "__match_any_sync", "__match_all_sync"
    table: dict[str, Builtin] = {
        any_: Match(any_, f"unsigned {any_}(unsigned mask, T value)"),
        all_: Match(all_, f"unsigned {all_}(unsigned mask, T value, int *all)", tells=True),
    }
    for which in ("add", "min", "max", "and", "or", "xor"):
        name, bits = f"__reduce_{which}_sync", which in ("and", "or", "xor")
        of = "unsigned" if bits else "T"
        signature = f"{of} {name}(unsigned mask, {of} value)"
        table[name] = Reduce(name, signature, UINT if bits else None)
    return table


def _cached() -> dict[str, Builtin]:
    """Loads and stores that say which cache they would like; here they are plain ones."""
    table: dict[str, Builtin] = {}
    for hint in ("g", "cg", "ca", "cs", "lu", "cv"):
        table[f"__ld{hint}"] = Read(f"__ld{hint}", f"T __ld{hint}(const T *address)")
    for hint in ("wb", "cg", "cs", "wt"):
        table[f"__st{hint}"] = Store(f"__st{hint}", f"void __st{hint}(T *address, T value)")
    return table


def _numeric() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {
        "abs": Absolute("abs", "T abs(T x)"),
        "labs": Absolute("abs", "long labs(long x)", LONG),
        "llabs": Absolute("abs", "long long llabs(long long x)", LLONG),
        "fabs": Math("abs", "double fabs(double x)"),
        "fabsf": Math("abs", "float fabsf(float x)", single=True),
        "__fdividef": Quotient("/", "float __fdividef(float x, float y)"),
        "__powf": Math("pow", "float __powf(float x, float y)", 2, True),
    }
    for which in ("min", "max"):
        table[which] = Alike(which, f"T {which}(T x, T y)")
        table[f"u{which}"] = Alike(which, f"unsigned u{which}(unsigned x, unsigned y)", UINT)
        table[f"ll{which}"] = Alike(which, f"long long ll{which}(long long x, long long y)", LLONG)
        table[f"ull{which}"] = Alike(which, f"unsigned long long ull{which}(T x, T y)", ULLONG)
        table[f"f{which}"] = Math(which, f"double f{which}(double x, double y)", 2)
        table[f"f{which}f"] = Math(which, f"float f{which}f(float x, float y)", 2, True)
    for which in ("isnan", "isinf", "isfinite", "signbit"):
        table[which] = Math(which, f"bool {which}(double x)", result=BOOL)
    return table


def _math() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {}
    for arity, names in _MATH.items():
        parameters = ["double x", "double y", "double z"][:arity]
        for name in names.split():
            signature = f"double {name}({', '.join(parameters)})"
            table[name] = Math(name, signature, arity)
            single = signature.replace("double", "float").replace(f" {name}(", f" {name}f(")
            table[f"{name}f"] = Math(name, single, arity, True)
    for fast, name in _FAST.items():
        table[fast] = Math(name, f"float {fast}(float x)", single=True)
    return table


#: Every built-in function by the name that programs call it.
BUILTINS: dict[str, Builtin] = (
    _fixed()
    | _vectors()
    | _atomics()
    | _shuffles()
    | _collective()
    | _cached()
    | _numeric()
    | _math()
)
