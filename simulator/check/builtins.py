"""The functions that CUDA brings: a table from name to how its arguments and its result are typed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simulator import tree
from simulator.check.conversions import cast, convert
from simulator.constants import folded
from simulator.ctype import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    LLONG,
    LONG,
    UINT,
    ULLONG,
    VOID,
    CType,
    Pointer,
    Scalar,
    common,
    promoted,
)
from simulator.source import CompileError, Span

Arguments = Sequence[tree.Expression]


@dataclass(frozen=True)
class Builtin:
    """A built-in function: `name` is the one in checked calls, `signature` the one in messages."""

    name: str
    signature: str

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """The checked call; `arguments` are checked values.

        Raises
        ------
        CompileError
            if the function does not take such arguments; it shows the signature
        """
        raise CompileError(f"`{self.signature}` cannot be called", span)

    def _counted(self, arguments: Arguments, least: int, most: int, span: Span) -> None:
        if not least <= len(arguments) <= most:
            wanted = str(most) if least == most else f"{least} or {most}"
            plural = "argument" if wanted == "1" else "arguments"
            raise self._error(f"takes {wanted} {plural}, not {len(arguments)}", span)

    def _error(self, what: str, span: Span, hint: str = "") -> CompileError:
        name = self.signature.split("(")[0].split()[-1].lstrip("*")
        return CompileError(
            f"`{name}` {what}", span, "\n".join(filter(None, [f"it is `{self.signature}`", hint]))
        )

    def _number(self, argument: tree.Expression, what: str = "numbers") -> Scalar:
        if not isinstance(argument.type, Scalar):
            raise self._error(f"takes {what}, not `{argument.type}`", argument.span)
        return argument.type

    def _converted(self, argument: tree.Expression, target: CType) -> tree.Expression:
        """The argument as a `target`, the signature shown if it cannot be one."""
        try:
            return convert(argument, target, "the argument")
        except CompileError as error:
            raise self._error(
                f"takes `{target}` here, not `{argument.type}`", argument.span, error.hint
            ) from None


@dataclass(frozen=True)
class Fixed(Builtin):
    """Types that do not depend on the arguments; `defaults` are the values of the last parameters."""

    result: CType
    parameters: tuple[CType, ...]
    defaults: tuple[int, ...] = ()

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        most = len(self.parameters)
        self._counted(arguments, most - len(self.defaults), most, span)
        given = [self._converted(a, p) for a, p in zip(arguments, self.parameters, strict=False)]
        left_out = zip(self.parameters[::-1], self.defaults[::-1], strict=False)
        rest = [tree.Literal(value, span=span, type=ctype) for ctype, value in left_out][
            : most - len(given)
        ]
        return tree.Call(self.name, (*given, *reversed(rest)), span=span, type=self.result)


@dataclass(frozen=True)
class Atomic(Builtin):
    """A pointer to one of `types`, then `operands` values of the type that it points to."""

    types: tuple[Scalar, ...]
    operands: int = 1

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, self.operands + 1, self.operands + 1, span)
        target = arguments[0]
        if not isinstance(target.type, Pointer):
            raise self._error(f"needs a pointer first, not `{target.type}`", target.span, "use `&`")
        if target.type.const:
            raise self._error(
                f"cannot change what `{target.type}` points to", target.span, "remove the const"
            )
        ctype = target.type.to
        if ctype not in self.types or not isinstance(ctype, Scalar):
            raise self._error(f"does not exist for `{ctype}`", target.span, self._remedy(ctype))
        values = (self._converted(argument, ctype) for argument in arguments[1:])
        return tree.Call(self.name, (target, *values), span=span, type=ctype)

    def _remedy(self, ctype: CType) -> str:
        offered = f"CUDA offers {', '.join(map(str, self.types))}"
        if (
            isinstance(ctype, Scalar)
            and ctype.is_integer
            and ctype.size == 8
            and ULLONG in self.types
        ):
            return f"{offered}: cast the pointer to `unsigned long long *`"
        return offered


@dataclass(frozen=True)
class Shuffle(Builtin):
    """A mask, a value of any number's type, a lane or distance, and the width, which is `warpSize` if left out."""

    lane: Scalar

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 3, 4, span)
        value = arguments[1]
        ctype = promoted(self._number(value))
        width = arguments[3] if len(arguments) == 4 else tree.Literal(32, span=span, type=INT)
        checked = (
            self._converted(arguments[0], UINT),
            cast(value, ctype),
            self._converted(arguments[2], self.lane),
            self._converted(width, INT),
        )
        return tree.Call(self.name, checked, span=span, type=ctype)


@dataclass(frozen=True)
class Alike(Builtin):
    """Two numbers of one type, the common one of the arguments or `type`."""

    type: Scalar | None = None

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2, 2, span)
        left, right = (self._number(argument) for argument in arguments)
        ctype = self.type or common(left, right)
        return tree.Call(self.name, tuple(cast(a, ctype) for a in arguments), span=span, type=ctype)


@dataclass(frozen=True)
class Absolute(Builtin):
    """The absolute value of a signed number, in its promoted type or in `type`."""

    type: Scalar | None = None

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 1, 1, span)
        ctype = self.type or promoted(self._number(arguments[0]))
        if not ctype.is_signed:
            raise self._error(
                f"is not needed for `{ctype}`", span, "an unsigned number is never negative"
            )
        return tree.Call(self.name, (self._converted(arguments[0], ctype),), span=span, type=ctype)


@dataclass(frozen=True)
class Math(Builtin):
    """Floats in, floats out: float if all arguments are, else double; `single` makes all float."""

    arity: int = 1
    single: bool = False
    result: Scalar | None = None

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, self.arity, self.arity, span)
        types = [self._number(argument) for argument in arguments]
        ctype = FLOAT if self.single or all(t == FLOAT for t in types) else DOUBLE
        checked = tuple(cast(argument, ctype) for argument in arguments)
        return tree.Call(self.name, checked, span=span, type=self.result or ctype)


@dataclass(frozen=True)
class Read(Builtin):
    """`__ldg`: reads like `*`."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 1, 1, span)
        pointer = arguments[0]
        if not isinstance(pointer.type, Pointer) or not isinstance(pointer.type.to, Scalar):
            raise self._error(f"needs a pointer to a number, not `{pointer.type}`", pointer.span)
        return tree.Deref(pointer, span=span, type=pointer.type.to)


@dataclass(frozen=True)
class Quotient(Builtin):
    """`__fdividef`: a division of floats."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2, 2, span)
        left, right = (self._converted(argument, FLOAT) for argument in arguments)
        return folded(tree.Binary("/", left, right, span=span, type=FLOAT))


_ALL_LANES = (0xFFFFFFFF,)

#: The table's part with fixed types: C's signature, then the types again as values.
_FIXED = [
    ("void __syncthreads()", VOID, ()),
    ("void __threadfence()", VOID, ()),
    ("void __threadfence_block()", VOID, ()),
    ("void __threadfence_system()", VOID, ()),
    ("int __syncthreads_count(int predicate)", INT, (INT,)),
    ("int __syncthreads_and(int predicate)", INT, (INT,)),
    ("int __syncthreads_or(int predicate)", INT, (INT,)),
    ("unsigned __ballot_sync(unsigned mask, int predicate)", UINT, (UINT, BOOL)),
    ("int __any_sync(unsigned mask, int predicate)", INT, (UINT, BOOL)),
    ("int __all_sync(unsigned mask, int predicate)", INT, (UINT, BOOL)),
    ("unsigned __activemask()", UINT, ()),
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
    1: """sqrt rsqrt cbrt exp exp2 exp10 expm1 log log2 log10 log1p sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh erf erfc floor ceil round trunc rint nearbyint""",
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
    table["__syncwarp"] = Fixed(
        "__syncwarp", "void __syncwarp(unsigned mask = 0xffffffff)", VOID, (UINT,), _ALL_LANES
    )
    return table


def _atomics() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {}
    for operation, types in _ATOMIC_TYPES.items():
        name = f"atomic{operation}"
        values, operands = ("T compare, T value", 2) if operation == "CAS" else ("T value", 1)
        for suffix in ("", "_block", "_system"):
            table[name + suffix] = Atomic(
                name, f"T {name}{suffix}(T *address, {values})", types, operands
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


def _numeric() -> dict[str, Builtin]:
    table: dict[str, Builtin] = {
        "abs": Absolute("abs", "T abs(T x)"),
        "labs": Absolute("abs", "long labs(long x)", LONG),
        "llabs": Absolute("abs", "long long llabs(long long x)", LLONG),
        "fabs": Math("abs", "double fabs(double x)"),
        "fabsf": Math("abs", "float fabsf(float x)", single=True),
        "__ldg": Read("__ldg", "T __ldg(const T *address)"),
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
BUILTINS: dict[str, Builtin] = _fixed() | _atomics() | _shuffles() | _numeric() | _math()
