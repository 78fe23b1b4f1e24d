"""What a program promises its compiler: nothing comes of it here but that a broken one is found."""

from __future__ import annotations

from simulator.builtins.lowerings import Operator, Unreachable
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.conversions import cast
from simulator.ir.types import BOOL, LONG, VOID, Pointer, Scalar
from simulator.source import Span


class Expectation(Row):
    """A value, and the one that it mostly has."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the value."""
        self._count(arguments, span)
        result, expected = (self._converted(argument, LONG) for argument in arguments)
        if isinstance(expected, tree.Literal):
            return tree.Cast(result, True, span=span, type=LONG)
        return tree.Binary(",", expected, result, span=span, type=LONG)


class Assumption(Row):
    """A condition, which compilers do not evaluate."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return nothing, for a condition that may be one."""
        self._count(arguments, span)
        if not isinstance(arguments[0].type, Pointer):
            self._number(arguments[0], "a condition")
        return tree.Cast(tree.Literal(0, span=span, type=LONG), True, span=span, type=VOID)


class Alignment(Row):
    """A pointer, what its address is a multiple of, and how far it is off that."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the pointer as one to void."""
        self._count(arguments, span)
        pointer, *numbers = arguments
        if not isinstance(pointer.type, Pointer):
            raise self._error(f"needs a pointer first, not `{pointer.type}`", pointer.span)
        for number in numbers:
            if not isinstance(number.type, Scalar) or not number.type.is_integer:
                raise self._error(f"takes an integer, not `{number.type}`", number.span)
        return cast(pointer, Pointer(VOID))


class Evaluated(Row):
    """Whether a `constexpr` function is being evaluated while the program is compiled."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return what is false in what runs."""
        self._count(arguments, span)
        zero = tree.Literal(0, span=span, type=LONG)
        return tree.IsEvaluated(zero, True, span=span, type=BOOL)


ROWS = (
    Expectation("long __builtin_expect(long value, long expected)", Operator()),
    Assumption("void __builtin_assume(bool condition)", Operator()),
    Alignment(
        "void * __builtin_assume_aligned(const void *pointer, size_t alignment, size_t offset = 0)",
        Operator(),
    ),
    Evaluated("bool __builtin_is_constant_evaluated()", Operator()),
    Row("void __builtin_unreachable()", Unreachable()),
)
