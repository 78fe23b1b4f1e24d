"""CUDA's functions of one or two numbers, in fuzzed kernels."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.reference.expressions import Expr, Thread
from tests.reference.types import INT, LLONG, UINT, ULLONG, Number, Type


def _reversed(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def _low24(value: int) -> int:
    return ((value & 0xFFFFFF) ^ 0x800000) - 0x800000


#: CUDA's functions of integers: operands, result and meaning.
INTRINSICS: dict[str, tuple[tuple[Type, ...], Type, Callable[..., int]]] = {
    "__popc": ((UINT,), INT, int.bit_count),
    "__popcll": ((ULLONG,), INT, int.bit_count),
    "__ffs": ((INT,), INT, lambda x: (x & -x).bit_length()),
    "__ffsll": ((LLONG,), INT, lambda x: (x & -x).bit_length()),
    "__clz": ((INT,), INT, lambda x: 32 - (x & 0xFFFFFFFF).bit_length()),
    "__clzll": ((LLONG,), INT, lambda x: 64 - (x & (1 << 64) - 1).bit_length()),
    "__brev": ((UINT,), UINT, lambda x: _reversed(x, 32)),
    "__brevll": ((ULLONG,), ULLONG, lambda x: _reversed(x, 64)),
    "__mulhi": ((INT, INT), INT, lambda x, y: x * y >> 32),
    "__umulhi": ((UINT, UINT), UINT, lambda x, y: x * y >> 32),
    "__mul24": ((INT, INT), INT, lambda x, y: _low24(x) * _low24(y)),
    "__umul24": ((UINT, UINT), UINT, lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
    "min": ((INT, INT), INT, min),
    "max": ((UINT, UINT), UINT, max),
}


@dataclass
class Intrinsic(Expr):
    """A call of one of `INTRINSICS`, its arguments cast to their types."""

    name: str
    arguments: list[Expr]

    @classmethod
    def of(cls, name: str, arguments: list[Expr]) -> Intrinsic:
        return cls(INTRINSICS[name][1], name, arguments)

    def c(self) -> str:
        pairs = zip(INTRINSICS[self.name][0], self.arguments, strict=True)
        return f"{self.name}({', '.join(f'({of.name}){a.c()}' for of, a in pairs)})"

    def eval(self, t: Thread) -> Number:
        types, result, meaning = INTRINSICS[self.name]
        pairs = zip(types, self.arguments, strict=True)
        return result.convert(meaning(*(int(of.convert(a.eval(t))) for of, a in pairs)))


@dataclass
class RealCall(Expr):
    """fminf, fmaxf or fabsf, and those of double."""

    name: str
    arguments: list[Expr]

    def c(self) -> str:
        end = "f" if self.type.bits == 32 else ""
        return f"f{self.name}{end}({', '.join(a.c() for a in self.arguments)})"

    def eval(self, t: Thread) -> float:
        values = [float(a.eval(t)) for a in self.arguments]
        return float({"min": min, "max": max, "abs": lambda *v: abs(v[0])}[self.name](*values))
