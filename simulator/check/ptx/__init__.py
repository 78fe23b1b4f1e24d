"""PTX in `asm` statements: what each instruction is in C, a file a family."""

from simulator.check.ptx import bits, comparisons, conversions, floats, memory, sums, warps
from simulator.check.ptx.opcodes import expressions
from simulator.check.ptx.operands import C_TYPES, Operands

__all__ = [
    "C_TYPES",
    "Operands",
    "bits",
    "comparisons",
    "conversions",
    "expressions",
    "floats",
    "memory",
    "sums",
    "warps",
]
