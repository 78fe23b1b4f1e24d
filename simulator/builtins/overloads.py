"""Rows of functions whose types follow from the arguments, a class for each rule."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace

from simulator.builtins.lowerings import Access
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import cast, is_lvalue
from simulator.ir.types import (
    BFLOAT16,
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    PAIRS,
    UINT,
    ULLONG,
    VOID,
    CType,
    Pointer,
    Scalar,
    Struct,
    common,
    is_complex,
    promoted,
)
from simulator.source import CompileError, Span

# Functions of numbers.


class Math(Row):
    """Floats in, floats out.

    A function of doubles has an overload for floats, which is taken if all arguments are floats. A
    result of type bool is one in both.
    """

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        types = [self._number(argument) for argument in arguments]
        single = self.types.parameters[0].type == FLOAT or all(
            t == FLOAT or t.is_narrow for t in types
        )
        ctype = FLOAT if single else DOUBLE
        checked = tuple(cast(argument, ctype) for argument in arguments)
        return self._called(checked, BOOL if self.types.result == BOOL else ctype, span)


class OneFloat(Row):
    """A function of doubles, with an overload for floats, which no conversion decides between.

    In the overload each double of the signature is a float, and each pointer to one a pointer to
    float. The arguments in those places must have one of the two types, or be integers beside one.
    """

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        wanted = [parameter.type for parameter in self.types.parameters]
        pairs = list(zip(arguments, wanted, strict=True))
        deciding = {_number_of(a.type) for a, ctype in pairs if _number_of(ctype) == DOUBLE}
        found = deciding & {FLOAT, DOUBLE}
        if len(found) != 1:
            hint = "convert the arguments to `float`, or to `double`"
            raise self._error("is ambiguous for these arguments", span, hint)
        (ctype,) = found
        single = ctype == FLOAT
        checked = (self._converted(a, _with_floats(of, single)) for a, of in pairs)
        return self._called(tuple(checked), _with_floats(self.types.result, single), span)


def _number_of(ctype: CType | None) -> CType | None:
    """Return a type, or the one that is pointed to."""
    return ctype.to if isinstance(ctype, Pointer) else ctype


def _with_floats(ctype: CType | None, single: bool) -> CType:
    """Return a type of a signature, with float in the place of double if that is meant."""
    assert ctype is not None
    if isinstance(ctype, Pointer):
        return replace(ctype, to=_with_floats(ctype.to, single))
    return FLOAT if single and ctype == DOUBLE else ctype


class Overload(Row):
    """One of several functions of a name."""

    @property
    def key(self) -> str:
        """By what checked calls know it: its name, with types."""
        return f"{self.name}({', '.join(str(p.type) for p in self.types.parameters)})"


class Alike(Row):
    """Two numbers of the result's type, or of their common type if that is generic."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        left, right = (promoted(self._number(argument)) for argument in arguments)
        if left.is_narrow and right.is_narrow:
            hint = f"call `__h{self.name}`, or convert them to float"
            raise self._error(f"is ambiguous for `{left}`", span, hint)
        alike = left.rank == right.rank or (left.is_float and right.is_float)
        if self.types.result is None and not alike:
            hint = "convert one of them: to CUDA's compilers such a call is ambiguous"
            what = f"takes two numbers of one kind, not `{left}` and `{right}`"
            raise self._error(what, span, hint)
        ctype = self.types.result or common(left, right)
        return self._called(tuple(cast(a, ctype) for a in arguments), ctype, span)


class Absolute(Row):
    """A signed number, of the result's type, or of its own promoted one if that is generic."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        ctype = self.types.result or promoted(self._number(arguments[0]))
        if isinstance(ctype, Scalar) and ctype.is_narrow:
            raise self._error(f"is ambiguous for `{ctype}`", span, "call `__habs`")
        if not isinstance(ctype, Scalar) or not ctype.is_signed:
            hint = "an unsigned number is never negative"
            raise self._error(f"is not needed for `{ctype}`", span, hint)
        return self._called((self._converted(arguments[0], ctype),), ctype, span)


class Quotient(Row):
    """A division of floats."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the division."""
        self._count(arguments, span)
        left, right = (self._converted(argument, FLOAT) for argument in arguments)
        return folded(tree.Binary("/", left, right, span=span, type=FLOAT))


@dataclass(frozen=True)
class Overloads(Row):
    """Several functions of one name, told apart by the types of their parameters."""

    rows: tuple[Row, ...] = field(kw_only=True)

    def is_there(self, headers: Collection[str]) -> bool:
        """Whether a program with these headers has one of the functions."""
        return any(row.is_there(headers) for row in self.rows)

    def included(self, headers: Collection[str], span: Span) -> Row:
        """Return the functions of this name that a program with these headers has."""
        found = tuple(row for row in self.rows if row.is_there(headers))
        if not found:
            headers = dict.fromkeys(row.header for row in self.rows)
            names = " or ".join(f"`#include <{header}>`" for header in headers)
            raise CompileError(f"`{self.name}` needs its header", span, f"write {names}")
        return found[0] if len(found) == 1 else replace(self, rows=found)

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call of the one that takes such arguments best."""
        fitting = [row for row in self.rows if len(row.types.parameters) == len(arguments)]
        if not fitting:
            return self.rows[0].call(arguments, span)
        ranks = [_rank(row, arguments) for row in fitting]
        best = [row for row, rank in zip(fitting, ranks, strict=True) if rank == min(ranks)]
        if len(best) > 1 and min(ranks) < _UNFIT:
            offered = "\n".join(f"there is `{row.signature}`" for row in best)
            hint = f"convert the arguments to one type\n{offered}"
            raise CompileError(f"this call of `{self.name}` is ambiguous", span, hint)
        return best[0].call(arguments, span)


_UNFIT = 3


def _rank(row: Row, arguments: Arguments) -> int:
    """Return how far arguments are from parameters: 0 the same, `_UNFIT` if one cannot be it."""
    pairs = zip(row.types.parameters, arguments, strict=True)
    return max(_distance(argument.type, parameter.type) for parameter, argument in pairs)


def _distance(source: CType, target: CType | None) -> int:
    if source == target:
        return 0
    if not isinstance(source, Scalar) or not isinstance(target, Scalar):
        return _UNFIT
    if source.is_narrow and target.is_narrow:
        return _UNFIT
    return 2 if source.is_narrow or target.is_narrow else 1


def overloads(rows: Iterable[Row], known: Mapping[str, Row]) -> list[Overloads]:
    """Join rows by their names, each with the one that is `known` by it already."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        old = known.get(row.name)
        before = [*old.rows] if isinstance(old, Overloads) else [old] if old is not None else []
        found.setdefault(row.name, before).append(row)
    joined = (tuple(group) for group in found.values())
    return [
        Overloads(group[0].signature, group[0].lowering, standard=group[0].standard, rows=group)
        for group in joined
    ]


# Functions of a warp: their first parameter is the mask.


class Vote(Row):
    """A mask and a predicate, which becomes an int before it is compared with 0."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        asked = [self._converted(a, INT) if a.type != BOOL else a for a in arguments[1:]]
        self._count(arguments, span)
        checked = (self._converted(arguments[0], UINT), self._converted(asked[0], BOOL))
        assert self.types.result is not None
        return self._called(checked, self.types.result, span)


class Shuffle(Row):
    """A mask, a number of any type, then arguments of the signature's types."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call, whose result has the promoted type of the number."""
        self._count(arguments, span)
        ctype = promoted(self._number(arguments[1]))
        rest = (*arguments, *self._defaults(len(arguments), span))[2:]
        pairs = zip(rest, self.types.parameters[2:], strict=True)
        further = [self._converted(argument, p.type) for argument, p in pairs if p.type is not None]
        checked = (self._converted(arguments[0], UINT), cast(arguments[1], ctype), *further)
        return self._called(checked, ctype, span)


class Match(Row):
    """A mask, a number of any type, and it may be where to store whether all match."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        where = [self._converted(pointer, Pointer(INT)) for pointer in arguments[2:]]
        mask, value = self._converted(arguments[0], UINT), arguments[1]
        if self._number(value).is_narrow:
            raise self._error(f"is ambiguous for `{value.type}`", value.span, "convert it")
        return self._called((mask, cast(value, promoted(self._number(value))), *where), UINT, span)


class Reduce(Row):
    """A mask and an int or unsigned number, of the result's type or of its own if it is generic."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        value = arguments[1]
        ctype = self.types.result or promoted(self._number(value))
        if ctype not in (INT, UINT):
            hint = "convert the value, or use a loop of __shfl_down_sync"
            raise self._error(f"takes int or unsigned, not `{ctype}`", value.span, hint)
        checked = (self._converted(arguments[0], UINT), self._converted(value, ctype))
        return self._called(checked, ctype, span)


# Functions of memory: their first parameter is a pointer.


@dataclass(frozen=True)
class ReadModifyWrite(Row):
    """A pointer to one of the types `on`, then values of the type that it points to."""

    on: tuple[Scalar, ...]

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call, whose result has the type that is pointed to."""
        self._count(arguments, span)
        ctype = self._pointee(arguments[0])
        values = (self._converted(argument, ctype) for argument in arguments[1:])
        return self._called((arguments[0], *values), ctype, span)

    def _pointee(self, target: tree.Expression) -> Scalar:
        """Return the type that an argument points to, which must be one of those that there are."""
        if not isinstance(target.type, Pointer):
            hint = f"write `&{target.span.text}`" if is_lvalue(target) else "use `&`"
            raise self._error(f"needs a pointer first, not `{target.type}`", target.span, hint)
        if target.type.const:
            what = f"cannot change what `{target.type}` points to"
            raise self._error(what, target.span, "remove the const")
        if target.type.volatile:
            plain = replace(target.type, volatile=False)
            hint = f"write the conversion: `({plain})…`"
            raise self._error(f"takes no `{target.type}`", target.span, hint)
        ctype = target.type.to
        if ctype not in self.on or not isinstance(ctype, Scalar):
            raise self._error(f"does not exist for `{ctype}`", target.span, self._remedy(ctype))
        return ctype

    def _remedy(self, ctype: CType) -> str:
        if ctype == BFLOAT16 or ctype in PAIRS:
            return "the simulator has it for `__half` and wider numbers"
        offered = f"CUDA offers {', '.join(str(t) for t in self.on if not t.is_narrow)}"
        wide = isinstance(ctype, Scalar) and ctype.is_integer and ctype.size == 8
        if wide and ULLONG in self.on:
            return f"cast the pointer to `unsigned long long *`\n{offered}"
        return offered


class Load(Row):
    """A load as `*` does it."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the load."""
        self._count(arguments, span)
        ctype = self._pointee(arguments[0]).to
        read_only = isinstance(self.lowering, Access) and self.lowering.read_only
        return tree.Deref(arguments[0], read_only, span=span, type=ctype)

    def _pointee(self, pointer: tree.Expression) -> Pointer:
        if not isinstance(pointer.type, Pointer) or not _moves_whole(pointer.type.to):
            raise self._error(f"needs a pointer to a number, not `{pointer.type}`", pointer.span)
        return pointer.type


class Store(Load):
    """A store as an assignment does it."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the assignment."""
        self._count(arguments, span)
        pointer, given = arguments
        to = self._pointee(pointer)
        if to.const:
            what = f"cannot change what `{to}` points to"
            raise self._error(what, pointer.span, "remove the const")
        target = tree.Deref(pointer, span=span, type=to.to)
        stored = tree.Assign(target, self._converted(given, to.to), span=span, type=to.to)
        return tree.Cast(stored, True, span=span, type=VOID)


def _moves_whole(ctype: CType) -> bool:
    """Whether CUDA's functions that load and store take it: numbers, vectors of 2 or 4."""
    whole = isinstance(ctype, Struct) and ctype.whole and not is_complex(ctype)
    return isinstance(ctype, Scalar) or whole
