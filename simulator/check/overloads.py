"""Functions of one name: which of them a call means, and operators that a program defines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeGuard

from simulator.check import scopes, templates
from simulator.check.scopes import (
    FunctionTemplate,
    Overloads,
    Scope,
    count_taken,
    head_of,
    is_object,
    plain_name,
)
from simulator.ir import tree
from simulator.ir.conversions import (
    as_lvalue,
    as_value,
    bits_of,
    convert,
    is_const,
    is_group,
    is_lvalue,
)
from simulator.ir.types import (
    BOOL,
    INT,
    VOID,
    Array,
    CType,
    Enumerated,
    Pointer,
    Scalar,
    Struct,
    is_scoped,
    promoted,
)
from simulator.ir.unchecked import Checked, Forwarded, InitializerList, Prototype, Text
from simulator.source import CompileError, Span

#: How well a parameter takes an argument. To `CONVERTED` counts how far a base is, at most `FAR`.
EXACT, AS_NAMED, PROMOTED, CONVERTED = range(4)
FAR, TESTED, BY_CLASS = 100, 101, 102

Candidate = Prototype | FunctionTemplate


@dataclass(frozen=True)
class _Match:
    """A candidate that takes the arguments; `ranks` say how well it takes each."""

    candidate: Candidate
    ranks: tuple[int, ...]
    parameters: tuple[tree.Symbol, ...]

    def is_better(self, other: _Match) -> bool:
        """Whether C++ prefers this one: no argument worse, and one better, or no template."""
        if any(a > b for a, b in zip(self.ranks, other.ranks, strict=True)):
            return False
        if self.ranks != other.ranks:
            return True
        pairs = list(zip(self.parameters, other.parameters, strict=True))
        drops, adds = (
            any(_drops_const(*p) for p in ps) for ps in (pairs, [p[::-1] for p in pairs])
        )
        if drops or adds:
            return drops and not adds
        if self._takes_values() != other._takes_values():
            return other._takes_values() < self._takes_values()
        if _is_template(other.candidate) and _is_template(self.candidate):
            return templates.is_more_special(self.candidate, other.candidate)
        return _is_template(other.candidate) and not _is_template(self.candidate)

    def _takes_values(self) -> set[int]:
        """Return which parameters are `T &&` that take a mere value, which C++ prefers for it."""
        heads = enumerate(zip(head_of(self.candidate).parameters, self.parameters, strict=False))
        return {at for at, (a, b) in heads if isinstance(a.type, Forwarded) and not b.reference}


def _drops_const(one: tree.Symbol, other: tree.Symbol) -> bool:
    """Whether both are references, and only the other one is to a constant."""
    return one.reference and other.reference and other.const and not one.const


def _is_template(candidate: Candidate) -> TypeGuard[FunctionTemplate]:
    return isinstance(candidate, FunctionTemplate)


def checked_once(arguments: Sequence[tree.Expression], scope: Scope) -> tuple[tree.Expression, ...]:
    """Check arguments to find out their types; lists and strings have none yet."""
    return tuple(_once(argument, scope) for argument in arguments)


def _once(argument: tree.Expression, scope: Scope) -> tree.Expression:
    if isinstance(argument, InitializerList | Text | Checked):
        return argument
    checked = scopes.expression(argument, scope)
    return Checked(checked, span=argument.span, type=checked.type)


def chosen(
    name: str,
    overloads: Overloads,
    arguments: Sequence[tree.Expression],
    span: Span,
    scope: Scope,
    given: tuple[tree.Node, ...] | None = None,
) -> Candidate:
    """Return the function among `overloads` that a call means, whose template takes `given`.

    Raises
    ------
    CompileError
        if none takes the arguments, or several take them equally well
    """
    matches = [
        m for c in overloads.candidates if (m := _match(c, arguments, scope, given)) is not None
    ]
    best = [m for m in matches if all(m is o or m.is_better(o) for o in matches)]
    if best:
        return best[0].candidate
    first = head_of(overloads.candidates[0]).parameters[:1]
    object_first = bool(arguments) and any(map(is_object, first))
    types = ", ".join(_type(argument) for argument in arguments[object_first:])
    if not matches:
        what = f"no `{name}` takes ({types})"
        raise CompileError(what, span, _listed(overloads.candidates))
    what = f"`{name}` with ({types}) may mean several functions"
    undefeated = [m.candidate for m in matches if not any(o.is_better(m) for o in matches)]
    raise CompileError(what, span, f"{_listed(undefeated)}\nconvert an argument")


def takes(
    meaning: Candidate | Overloads, arguments: Sequence[tree.Expression], scope: Scope
) -> bool:
    """Whether one of the program's functions takes the arguments; CUDA's of that name may."""
    candidates = meaning.candidates if isinstance(meaning, Overloads) else (meaning,)
    return any(_match(candidate, arguments, scope) is not None for candidate in candidates)


def takes_without_classes(
    candidate: Candidate, arguments: Sequence[tree.Expression], scope: Scope
) -> bool:
    """Whether a function takes the arguments without a constructor or a conversion of classes."""
    match = _match(candidate, arguments, scope)
    return match is not None and BY_CLASS not in match.ranks


def takes_as_they_are(
    meaning: Prototype | Overloads, arguments: Sequence[tree.Expression], scope: Scope
) -> bool:
    """Whether one of the program's functions takes the arguments without a conversion."""
    candidates = meaning.candidates if isinstance(meaning, Overloads) else (meaning,)
    matches = (_match(candidate, arguments, scope) for candidate in candidates)
    return any(match is not None and set(match.ranks) <= {EXACT} for match in matches)


def _type(argument: tree.Expression) -> str:
    return "{…}" if isinstance(argument, InitializerList) else str(argument.type)


def _listed(candidates: Sequence[Candidate]) -> str:
    """Return how functions are declared, a line each."""
    return "\n".join(f"there is `{_signature(c)}`, line {c.span.line}" for c in candidates)


def _signature(candidate: Candidate) -> str:
    name = plain_name(candidate.name)
    if isinstance(candidate, FunctionTemplate):
        return f"template {name}"
    shown = (str(p).strip() for p in candidate.parameters if not is_object(p))
    return f"{name}({', '.join(shown)})"


def written(parameter: tree.Symbol) -> str:
    """Return how the names of overloaded functions write a parameter."""
    front = "const " * (parameter.reference and parameter.const)
    return f"{front}{parameter.type}{'&' * parameter.reference}"


def _match(
    candidate: Candidate,
    arguments: Sequence[tree.Expression],
    scope: Scope,
    given: tuple[tree.Node, ...] | None = None,
) -> _Match | None:
    head = head_of(candidate)
    (least, most), count = count_taken(head), len(arguments)
    if count < least or (most is not None and count > most):
        return None
    if given is not None and not isinstance(candidate, FunctionTemplate):
        return None
    if isinstance(candidate, FunctionTemplate):
        found = templates.parameter_types(candidate, arguments, given or (), scope)
        if found is None:
            return None
        parameters = found
    else:
        parameters = head.parameters
    ranks = [_rank(p, a, scope) for p, a in zip(parameters, arguments, strict=False)]
    if any(rank is None for rank in ranks):
        return None
    taken = tuple(parameters[:count])
    return _Match(candidate, tuple(rank for rank in ranks if rank is not None), taken)


def _rank(parameter: tree.Symbol, argument: tree.Expression, scope: Scope) -> int | None:
    """Return how well a parameter takes an argument, None if it does not."""
    if isinstance(argument, InitializerList):
        return CONVERTED if isinstance(parameter.type, Struct) else None
    if not isinstance(argument, Checked) or argument.type == VOID:
        return None
    lvalue = as_lvalue(argument.checked)
    if is_object(parameter) and scopes.inherits(lvalue.type, parameter.type, scope):
        return None if is_const(lvalue) and not parameter.const else EXACT
    if isinstance(parameter.type, Array):
        fits = lvalue.type == parameter.type and (parameter.const or not is_const(lvalue))
        return EXACT if fits else None
    if parameter.reference and not parameter.const:
        if scopes.inherits(lvalue.type, parameter.type, scope):
            far = _distance(lvalue.type, parameter.type, scope)
            return None if is_const(lvalue) else CONVERTED + far
        fits = (is_lvalue(lvalue) and bits_of(lvalue) is None) or is_object(parameter)
        return EXACT if fits and lvalue.type == parameter.type and not is_const(lvalue) else None
    return _conversion(as_value(argument.checked), parameter.type, scope)


def _conversion(value: tree.Expression, target: CType, scope: Scope) -> int | None:
    source = value.type
    if source == target:
        return EXACT
    if scopes.inherits(source, target, scope):
        return CONVERTED + _distance(source, target, scope)
    if isinstance(source, Pointer) and isinstance(target, Pointer):
        return _of_pointers(source, target, scope)
    if scopes.adapted(value, target, scope) is not value:
        return BY_CLASS
    if isinstance(target, Enumerated) or is_scoped(source):
        return None
    if isinstance(source, Enumerated) and source.fixed and target == source.of:
        return AS_NAMED
    if isinstance(source, Scalar) and isinstance(target, Scalar):
        return PROMOTED if _promotes(source, target) else CONVERTED
    try:
        convert(value, target, "")
    except CompileError:
        return None
    return TESTED if isinstance(source, Pointer) and target == BOOL else CONVERTED


def _of_pointers(source: Pointer, target: Pointer, scope: Scope) -> int | None:
    """Return how well a pointer is taken by another one."""
    if source.const > target.const or source.volatile > target.volatile:
        return None
    if source.to == target.to:
        return PROMOTED  # qualifiers that are added: less than the same type
    if scopes.inherits(source.to, target.to, scope):
        return CONVERTED + _distance(source.to, target.to, scope)
    return FAR if target.to == VOID else None


def _distance(ctype: CType, base: CType, scope: Scope) -> int:
    """Return over how many bases a class inherits from one; 1 for a base of its own."""
    owner = scope.shared.classes.get(ctype) if isinstance(ctype, Struct) else None
    if ctype == base or owner is None:
        return 0
    ways = [b for b in owner.bases if b == base or scopes.inherits(b, base, scope)]
    return min((1 + _distance(one, base, scope) for one in ways), default=0)


def _promotes(source: Scalar, target: Scalar) -> bool:
    if source.is_float:
        return target.is_float and target.size > source.size
    narrow = source.size < INT.size or isinstance(source, Enumerated)
    return narrow and promoted(source) == target


# Operators that a program defines for structures and CUDA's vector types.


def applied(
    op: str, operands: Sequence[tree.Expression], span: Span, scope: Scope
) -> tree.Call | None:
    """Return the call of the program's own operator for these checked operands, if it has one."""
    kinds = (Struct, Enumerated)
    if not any(isinstance(x.type, kinds) and not is_group(x.type) for x in operands):
        return None
    name = f"operator{op}"
    if scope.lookup(name) is None:
        return None
    given = tuple(Checked(x, span=x.span, type=x.type) for x in operands)
    return tree.Call(name, given, span=span)


def check_operator(head: Prototype) -> None:
    """Refuse operators that change what C's do with numbers, or have too many operands."""
    if not head.name.startswith("operator") or head.name[8:9].isidentifier():
        return
    if head.name[8:] in ("()", "[]", "->", "="):
        what = f"`{head.name}` is a member function"
        raise CompileError(what, head.location, "write it between the braces of its class")
    if not any(isinstance(p.type, Struct | Enumerated) for p in head.parameters):
        what = f"`{head.name}` of numbers alone cannot be defined"
        hint = "one of its parameters is a structure or an enumeration"
        raise CompileError(what, head.location, hint)
    allowed = {1, 2} if head.name[8:] in ("+", "-", "*", "&") else {2}
    allowed = {1} if head.name[8:] in ("~", "!") else allowed
    allowed = {1, 2} if head.name[8:] in ("++", "--") else allowed
    if len(head.parameters) not in allowed or head.defaults:
        what = f"`{head.name}` cannot have {len(head.parameters)} parameters"
        raise CompileError(what, head.location, "an operator has a parameter for each operand")
