"""A row: all that there is to say of one built-in function."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from string import Formatter
from typing import Any

from simulator.builtins.lowerings import Atomic, Elementwise, Lowering, WarpFunction
from simulator.hints.context import SPECIFIERS, STATEMENT_KEYWORDS
from simulator.hints.similar import nearest
from simulator.ir import tree
from simulator.ir.conversions import convert
from simulator.ir.types import (
    COMPLEX,
    HEADER_TYPES,
    SCALARS,
    TYPE_ALIASES,
    UINT,
    VECTORS,
    VOID,
    CType,
    Pointer,
    Scalar,
    is_scoped,
)
from simulator.lanes import atomics, warp
from simulator.source import TYPE_WORDS, CompileError, Span

Arguments = Sequence[tree.Expression]

#: The type that stands for any type in a signature.
GENERIC = "T"
_TYPES: dict[str, CType] = {
    **{ctype.name: ctype for ctype in SCALARS},
    **VECTORS,
    **TYPE_ALIASES,
    **{name: ctype for name, (ctype, _) in HEADER_TYPES.items()},
    **{ctype.name: ctype for ctype in COMPLEX.values()},
    "unsigned": UINT,
    "void": VOID,
}
_FORM = re.compile(r"(?P<result>.+) (?:[\w:]+|operator\S+)\((?P<parameters>.*)\)")
_PARAMETER = re.compile(r"(?P<type>.*?)\b(?P<name>\w+)(?: = (?P<default>\w+))?")
_LANES = 32
#: Names that programs cannot call.
KEYWORDS = STATEMENT_KEYWORDS | SPECIFIERS | TYPE_WORDS | frozenset("goto sizeof struct".split())


@dataclass(frozen=True)
class Parameter:
    """A parameter: its type, None if it is generic, and what stands for it if it is left out."""

    name: str
    type: CType | None
    default: int | None = None


@dataclass(frozen=True)
class Signature:
    """A signature: the result's type, None if it is generic, and the parameters."""

    result: CType | None
    parameters: tuple[Parameter, ...]


def surplus(arguments: Arguments, most: int, span: Span) -> Span:
    """Return the span of the arguments past the first `most`; `span`, the call's, if none are."""
    extra = arguments[most:]
    return extra[0].span.to(extra[-1].span) if extra else span


@dataclass(frozen=True)
class Row:
    """A built-in function whose types are those of its signature.

    Functions with overloads have rows of other classes (`simulator.builtins.overloads`).

    Parameters
    ----------
    signature : str
        The function's head in C, as messages show it: `"unsigned __brev(unsigned x)"`. A default
        argument is an integer, or `warpSize`.
    lowering : Lowering
        What becomes of a call: the NumPy code, and what the stages must know of it
        (`simulator.builtins.lowerings`).
    standard : bool, default False
        Whether it is also in the namespaces `std` and `cuda::std`.
    header : str, default ""
        The header that brings it; without one, it is always there.

    Examples
    --------
    >>> from simulator.builtins.lowerings import Elementwise
    >>> Row("unsigned __brev(unsigned x)", Elementwise("reverse_bits({0})")).name
    '__brev'
    """

    signature: str
    lowering: Lowering
    standard: bool = field(default=False, kw_only=True)
    header: str = field(default="", kw_only=True)

    @property
    def key(self) -> str:
        """By what checked calls know it: its name, with types if others have the same name."""
        if not self.header:
            return self.name
        return f"{self.name}({', '.join(str(p.type) for p in self.types.parameters)})"

    def is_there(self, headers: Collection[str]) -> bool:
        """Whether a program with these headers has the function."""
        return not self.header or self.header in headers

    def included(self, headers: Collection[str], span: Span) -> Row:
        """Return what calls in a program with these headers mean by the name.

        Raises
        ------
        CompileError
            if the function comes from another header
        """
        if not self.is_there(headers):
            what = f"`{self.name}` needs its header"
            raise CompileError(what, span, f"write `#include <{self.header}>`")
        return self

    @cached_property
    def name(self) -> str:
        """The name that programs call."""
        return self.signature.partition("(")[0].rpartition(" ")[2]

    @cached_property
    def types(self) -> Signature:
        """The types that the signature says.

        Raises
        ------
        ValueError
            if it is no signature, or names a type that there is not
        """
        form = _FORM.fullmatch(self.signature)
        if form is None:
            what = f"`{self.signature}` is no signature"
            raise ValueError(f"{what}, such as `int __popc(unsigned x)`")
        inside = form["parameters"]
        parts = inside.split(", ") if inside else []
        parameters = tuple(_parameter(part, self.signature) for part in parts)
        return Signature(_type(form["result"], self.signature), parameters)

    def verify(self) -> None:
        """Check that the row can be used, whatever it was made of.

        Raises
        ------
        ValueError
            if the signature is wrong, or its NumPy code takes other arguments
        """
        signature: Any = self.signature
        lowering: Any = self.lowering
        if not isinstance(signature, str):
            raise ValueError(f"{signature!r} is no signature, such as `int __popc(unsigned x)`")
        if not isinstance(lowering, Lowering):
            hint = "give one of simulator.builtins.lowerings, such as Elementwise(function)"
            raise ValueError(f"`{signature}`: {lowering!r} is no lowering; {hint}")
        types = self.types
        if not re.fullmatch(r"[A-Za-z_]\w*", self.name, re.ASCII) or self.name in KEYWORDS:
            raise ValueError(f"`{signature}`: `{self.name}` is no name that programs can call")
        generic = [p.name for p in types.parameters if p.type is None]
        if type(self) is Row and (generic or types.result is None):
            what = f"`{self.signature}`: a `Row` has no generic types"
            raise ValueError(f"{what}; take a class of simulator.builtins.overloads")
        if isinstance(self.lowering, Elementwise | WarpFunction | Atomic):
            if types.result == VOID:
                raise ValueError(f"`{self.signature}`: such a function has a result")
            _verify_code(self.lowering, len(types.parameters), self.signature)
        if isinstance(self.lowering, Atomic) and not _begins_with_pointer(types):
            raise ValueError(f"`{self.signature}`: the first parameter of an atomic is a pointer")

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call; `arguments` are checked values.

        Raises
        ------
        CompileError
            if the function does not take such arguments; it shows the signature
        """
        self._count(arguments, span)
        parameters = self.types.parameters
        given = [
            self._converted(a, p.type)
            for a, p in zip(arguments, parameters, strict=False)
            if p.type
        ]
        assert self.types.result is not None
        return self._called((*given, *self._defaults(len(given), span)), self.types.result, span)

    def _called(
        self, arguments: tuple[tree.Expression, ...], result: CType, span: Span
    ) -> tree.Expression:
        return tree.Call(self.key, arguments, span=span, type=result)

    def _defaults(self, given: int, span: Span) -> list[tree.Expression]:
        """Return the arguments that are left out."""
        left_out = ((p.default, p.type) for p in self.types.parameters[given:])
        return [
            tree.Literal(value, span=span, type=ctype)
            for value, ctype in left_out
            if value is not None and ctype is not None
        ]

    def _count(self, arguments: Arguments, span: Span) -> None:
        parameters = self.types.parameters
        most = len(parameters)
        least = sum(parameter.default is None for parameter in parameters)
        if not least <= len(arguments) <= most:
            wanted = str(most or "no") if least == most else f"{least} or {most}"
            plural = "argument" if wanted == "1" else "arguments"
            at = surplus(arguments, most, span)
            masked = most > 0 and parameters[0].name == "mask" and len(arguments) == least - 1
            hint = "its mask comes first: 0xffffffff for all lanes" if masked else ""
            raise self._error(f"takes {wanted} {plural}, not {len(arguments)}", at, hint)

    def _error(self, what: str, span: Span, hint: str = "") -> CompileError:
        hints = filter(None, [hint, f"it is `{self.signature}`"])
        return CompileError(f"`{self.name}` {what}", span, "\n".join(hints))

    def _number(self, argument: tree.Expression, what: str = "numbers") -> Scalar:
        if not isinstance(argument.type, Scalar) or is_scoped(argument.type):
            raise self._error(f"takes {what}, not `{argument.type}`", argument.span)
        return argument.type

    def _converted(self, argument: tree.Expression, target: CType) -> tree.Expression:
        """Return the argument as a `target`, the signature shown if it cannot be one."""
        try:
            return convert(argument, target, "the argument")
        except CompileError as error:
            raise self._error(
                f"takes `{target}` here, not `{argument.type}`", argument.span, error.hint
            ) from None


def _parameter(text: str, signature: str) -> Parameter:
    found = _PARAMETER.fullmatch(text.strip())
    if found is None or not found["type"]:
        raise ValueError(f"`{signature}`: write `{text}` as `TYPE NAME` or `TYPE NAME = NUMBER`")
    default = found["default"]
    if default is not None and default != "warpSize" and not _is_number(default):
        raise ValueError(f"`{signature}`: the default `{default}` is no integer")
    value = _LANES if default == "warpSize" else None if default is None else int(default, 0)
    return Parameter(found["name"], _type(found["type"], signature), value)


def _is_number(text: str) -> bool:
    try:
        int(text, 0)
    except ValueError:
        return False
    return True


def _type(text: str, signature: str) -> CType | None:
    """Return the type that a text names, None for generic ones."""
    text = text.strip()
    if text.endswith("*"):
        words = text[:-1].split()
        const = "const" in words
        to = _type(" ".join(word for word in words if word != "const"), signature)
        return None if to is None else Pointer(to, const=const)
    if text == GENERIC:
        return None
    if text not in _TYPES:
        hint = nearest(text, _TYPES)
        what = f"`{signature}`: there is no type `{text}`"
        raise ValueError(f"{what}; {hint}" if hint else what)
    return _TYPES[text]


def _verify_code(how: Elementwise | WarpFunction | Atomic, arguments: int, signature: str) -> None:
    """Refuse NumPy code that does not take the function's arguments."""
    if isinstance(how, Elementwise) and isinstance(how.code, str):
        names = {name for _, name, _, _ in Formatter().parse(how.code) if name is not None}
        if not names <= {str(number) for number in range(arguments)}:
            raise ValueError(f"`{signature}` has {arguments} parameters, not those of `{how.code}`")
    elif isinstance(how.code, str):
        if not any(hasattr(module, how.code) for module in (warp, atomics)):
            what = f"`{how.code}` is no function of simulator.lanes"
            raise ValueError(f"`{signature}`: {what}; give a Python function")
    else:
        # Before the arguments come the lanes and the size of a warp; an atomic has the view and
        # the index instead of the pointer, and the number of lanes behind its operands.
        extra = {Elementwise: 0, WarpFunction: 2, Atomic: 2}[type(how)]
        result = isinstance(how, WarpFunction) and how.tells
        _verify_function(how.code, arguments + extra - result, signature)


def _begins_with_pointer(types: Signature) -> bool:
    """Whether the first parameter is a pointer, or of a generic type that is one."""
    first = types.parameters[0].type if types.parameters else UINT
    return first is None or isinstance(first, Pointer)


def _verify_function(function: Callable[..., object], wanted: int, signature: str) -> None:
    try:
        inspect.signature(function).bind(*range(wanted))
    except TypeError:
        name = getattr(function, "__name__", str(function))
        what = f"the function `{name}` does not take {wanted} arguments"
        raise ValueError(f"`{signature}`: {what}, as its NumPy code must") from None
    except ValueError:  # a NumPy function that does not say what it takes
        return
