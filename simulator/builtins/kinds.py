"""Kinds of built-in functions: how each types its arguments and its result."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from simulator.ir import tree
from simulator.ir.constants import folded
from simulator.ir.conversions import cast, convert, is_place
from simulator.ir.types import (
    BOOL,
    DOUBLE,
    FLOAT,
    INT,
    UINT,
    ULLONG,
    VOID,
    CType,
    Pointer,
    Scalar,
    Struct,
    common,
    promoted,
)
from simulator.source import CompileError, Span

Arguments = Sequence[tree.Expression]


def surplus(arguments: Arguments, most: int, span: Span) -> Span:
    """Where the arguments past the first `most` stand; `span`, the whole call, if none do."""
    extra = arguments[most:]
    return extra[0].span.to(extra[-1].span) if extra else span


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
        return self._typed(arguments, span)

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        raise CompileError(f"`{self.signature}` cannot be called", span)

    def _counted(self, arguments: Arguments, least: int, most: int, span: Span) -> None:
        if not least <= len(arguments) <= most:
            wanted = str(most or "no") if least == most else f"{least} or {most}"
            plural = "argument" if wanted == "1" else "arguments"
            place = surplus(arguments, most, span)
            masked = self.name.endswith("_sync") and len(arguments) == least - 1
            hint = "its mask comes first: 0xffffffff for all lanes" if masked else ""
            raise self._error(f"takes {wanted} {plural}, not {len(arguments)}", place, hint)

    def _error(self, what: str, span: Span, hint: str = "") -> CompileError:
        name = self.signature.split("(")[0].split()[-1].lstrip("*")
        return CompileError(
            f"`{name}` {what}", span, "\n".join(filter(None, [hint, f"it is `{self.signature}`"]))
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
    """Types that do not depend on the arguments; `defaults` end the list of parameters."""

    result: CType
    parameters: tuple[CType, ...]
    defaults: tuple[int, ...] = ()

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        most = len(self.parameters)
        self._counted(arguments, most - len(self.defaults), most, span)
        given = [self._converted(a, p) for a, p in zip(arguments, self.parameters, strict=False)]
        left_out = zip(self.parameters[::-1], self.defaults[::-1], strict=False)
        rest = [tree.Literal(value, span=span, type=ctype) for ctype, value in left_out][
            : most - len(given)
        ]
        return tree.Call(self.name, (*given, *reversed(rest)), span=span, type=self.result)


@dataclass(frozen=True)
class Vote(Fixed):
    """A mask and what is asked, which becomes an int before it is compared with 0."""

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        asked = [self._converted(a, INT) if a.type != BOOL else a for a in arguments[1:]]
        return super()._typed((*arguments[:1], *asked), span)


@dataclass(frozen=True)
class Atomic(Builtin):
    """A pointer to one of `types`, then `operands` values of the type that it points to.

    `scope` says among whom it is atomic: "block", or all.
    """

    types: tuple[Scalar, ...]
    operands: int = 1
    scope: str = ""

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, self.operands + 1, self.operands + 1, span)
        target = arguments[0]
        if not isinstance(target.type, Pointer):
            hint = f"write `&{target.span.text}`" if is_place(target) else "use `&`"
            raise self._error(f"needs a pointer first, not `{target.type}`", target.span, hint)
        if target.type.const:
            raise self._error(
                f"cannot change what `{target.type}` points to", target.span, "remove the const"
            )
        if target.type.volatile:
            plain = replace(target.type, volatile=False)
            raise self._error(
                f"takes no `{target.type}`", target.span, f"write the conversion: `({plain})…`"
            )
        ctype = target.type.to
        if ctype not in self.types or not isinstance(ctype, Scalar):
            raise self._error(f"does not exist for `{ctype}`", target.span, self._remedy(ctype))
        values = (self._converted(argument, ctype) for argument in arguments[1:])
        given = (target, *values)
        return tree.Call(self.name, given, scope=self.scope, span=span, type=ctype)

    def _remedy(self, ctype: CType) -> str:
        offered = f"CUDA offers {', '.join(map(str, self.types))}"
        if (
            isinstance(ctype, Scalar)
            and ctype.is_integer
            and ctype.size == 8
            and ULLONG in self.types
        ):
            return f"cast the pointer to `unsigned long long *`\n{offered}"
        return offered


@dataclass(frozen=True)
class Shuffle(Builtin):
    """A mask, a value of any number's type, a lane or distance, and the width, 32 if left out."""

    lane: Scalar

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
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

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2, 2, span)
        left, right = (promoted(self._number(argument)) for argument in arguments)
        alike = left.rank == right.rank or (left.is_float and right.is_float)
        if self.type is None and not alike:
            hint = "convert one of them: to CUDA's compilers such a call is ambiguous"
            what = f"takes two numbers of one kind, not `{left}` and `{right}`"
            raise self._error(what, span, hint)
        ctype = self.type or common(left, right)
        return tree.Call(self.name, tuple(cast(a, ctype) for a in arguments), span=span, type=ctype)


@dataclass(frozen=True)
class Absolute(Builtin):
    """The absolute value of a signed number, in its promoted type or in `type`."""

    type: Scalar | None = None

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
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

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, self.arity, self.arity, span)
        types = [self._number(argument) for argument in arguments]
        ctype = FLOAT if self.single or all(t == FLOAT for t in types) else DOUBLE
        checked = tuple(cast(argument, ctype) for argument in arguments)
        return tree.Call(self.name, checked, span=span, type=self.result or ctype)


@dataclass(frozen=True)
class Match(Builtin):
    """A mask, a value of any number's type, and with `tells` where to say whether all match."""

    tells: bool = False

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2 + self.tells, 2 + self.tells, span)
        value = arguments[1]
        told = [self._converted(pointer, Pointer(INT)) for pointer in arguments[2:]]
        checked = (
            self._converted(arguments[0], UINT),
            cast(value, promoted(self._number(value))),
            *told,
        )
        return tree.Call(self.name, checked, span=span, type=UINT)


@dataclass(frozen=True)
class Reduce(Builtin):
    """A mask and an int or unsigned value, whose type is that of the result; or `type` always."""

    type: Scalar | None = None

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2, 2, span)
        value = arguments[1]
        ctype = self.type or promoted(self._number(value))
        if ctype not in (INT, UINT):
            hint = "convert the value, or use a loop of __shfl_down_sync"
            raise self._error(f"takes int or unsigned, not `{ctype}`", value.span, hint)
        checked = (self._converted(arguments[0], UINT), self._converted(value, ctype))
        return tree.Call(self.name, checked, span=span, type=ctype)


@dataclass(frozen=True)
class Store(Builtin):
    """`__stcg` and its like: write like an assignment."""

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2, 2, span)
        pointer = arguments[0]
        if not isinstance(pointer.type, Pointer) or not _moves_whole(pointer.type.to):
            raise self._error(f"needs a pointer to a number, not `{pointer.type}`", pointer.span)
        if pointer.type.const:
            what = f"cannot change what `{pointer.type}` points to"
            raise self._error(what, pointer.span, "remove the const")
        ctype = pointer.type.to
        target = tree.Deref(pointer, span=span, type=ctype)
        stored = tree.Assign(target, self._converted(arguments[1], ctype), span=span, type=ctype)
        return tree.Cast(stored, True, span=span, type=VOID)


def _moves_whole(ctype: CType) -> bool:
    """Whether CUDA's functions that load and store take it: numbers, vectors of 2 or 4."""
    return isinstance(ctype, Scalar) or (isinstance(ctype, Struct) and ctype.whole)


@dataclass(frozen=True)
class Read(Builtin):
    """`__ldg` and its like: read as `*` does."""

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 1, 1, span)
        pointer = arguments[0]
        if not isinstance(pointer.type, Pointer) or not _moves_whole(pointer.type.to):
            raise self._error(f"needs a pointer to a number, not `{pointer.type}`", pointer.span)
        read_only = self.name == "__ldg"
        return tree.Deref(pointer, read_only, span=span, type=pointer.type.to)


@dataclass(frozen=True)
class Quotient(Builtin):
    """`__fdividef`: a division of floats."""

    def _typed(self, arguments: Arguments, span: Span) -> tree.Expression:
        self._counted(arguments, 2, 2, span)
        left, right = (self._converted(argument, FLOAT) for argument in arguments)
        return folded(tree.Binary("/", left, right, span=span, type=FLOAT))
