"""Check calls: of the program's device functions, and of what CUDA brings."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import SequenceMatcher

from simulator.builtins import ROWS, textures
from simulator.check import (
    declared_types,
    function_pointers,
    groups,
    members,
    overloads,
    scopes,
    templates,
)
from simulator.check.initializers import call_of_function
from simulator.check.reports import CHECKED_APART
from simulator.check.scopes import (
    DataMember,
    FunctionTemplate,
    Meaning,
    MemberFunctions,
    Overloads,
    Scope,
    Substitute,
)
from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.unsupported import as_macro, refuse_function
from simulator.ir import tree
from simulator.ir.matrices import WMMA
from simulator.ir.types import (
    TYPE_NAMES,
    Array,
    CType,
    Enumerated,
    FunctionPointer,
    Pointer,
    Struct,
)
from simulator.ir.unchecked import InitializerList, Prototype, TemplateCall, TypeArgument
from simulator.source import CompileError, Span


def is_builtin(name: str) -> bool:
    """Whether CUDA brings a function of this name."""
    return name in ROWS or name in CHECKED_APART


def _is_there(name: str, scope: Scope) -> bool:
    """Whether CUDA brings a function of this name to a program with its headers."""
    row = ROWS.get(name)
    return name in CHECKED_APART if row is None else row.is_there(scope.shared.headers)


def call(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return a checked call.

    Raises
    ------
    CompileError
        if there is no such function, or it takes other arguments
    """
    meaning = scope.lookup(node.name)
    if isinstance(meaning, Prototype | Overloads) and _is_there(node.name, scope):
        node = replace(node, arguments=overloads.checked_once(node.arguments, scope))
        meaning = meaning if _prefers_own(node, meaning, scope) else None
    own = _call_of_class(node, meaning, scope)
    if own is not None:
        return own
    if isinstance(meaning, Overloads):
        return _call_of_overload(node, meaning, scope)
    if isinstance(meaning, FunctionTemplate):
        return templates.call(node, meaning, scope)
    if isinstance(meaning, Prototype):
        return _call_of_prototype(node, meaning, scope)
    if meaning is not None:
        raise CompileError(f"`{node.name}` is no function", _name(node), _meant(node, meaning))
    return _call_of_cuda(node, scope)


def _call_of_class(
    node: tree.Call, meaning: Meaning | None, scope: Scope
) -> tree.Expression | None:
    """Return the call of a member, a friend, an object or a pointer; None for other calls."""
    this = scopes.object_here(scope)
    if isinstance(meaning, MemberFunctions):
        given = node.given if isinstance(node, TemplateCall) else None
        owner = meaning.owner.type
        return members.call(owner, meaning.name, this, node.arguments, node, scope, given)
    if isinstance(meaning, tree.Symbol | Substitute | DataMember):
        called = scopes.expression(tree.Name(node.name, span=_name(node)), scope)
        if isinstance(called.type, FunctionPointer):
            pointer = scopes.valued(called, scope)
            return function_pointers.call(pointer, node.arguments, node, scope)
        if members.functions_of(called.type, "operator()", scope) is not None:
            return members.call(called.type, "operator()", called, node.arguments, node, scope)
    if meaning is not None and any(
        node.name in one.friends for one in scope.shared.classes.values()
    ):
        arguments = overloads.checked_once(node.arguments, scope)
        free = members.candidates_of(meaning)
        return members.call_friend(node.name, arguments, node, scope, free)
    if meaning is not None or not scope.shared.classes:
        return None
    found = members.qualified(node.name, node, scope)
    if found is not None:
        return members.call(found[0].type, found[1], this, node.arguments, node, scope)
    if is_builtin(node.name):
        return None
    arguments = overloads.checked_once(node.arguments, scope)
    return members.call_friend(node.name, arguments, node, scope)


def _call_of_cuda(node: tree.Call, scope: Scope) -> tree.Expression:
    """Return a call of what CUDA brings."""
    if node.name.startswith("cg::"):
        return groups.call(node, scope)
    if node.name in CHECKED_APART:
        return CHECKED_APART[node.name](node, scope)
    if (name := _of_fragments(node, scope)) in ROWS:
        row = ROWS[name].included(scope.shared.headers, _name(node))
        arguments = [scopes.value(argument, scope) for argument in node.arguments]
        if isinstance(node, TemplateCall) and isinstance(row, textures.Template):
            return row.instance(_given_type(node, scope), arguments, node.span)
        return row.call(arguments, node.span)
    found = _found_by_arguments(node, scope)
    if found is not None:
        return found
    _refuse(node)
    known = [
        name
        for name in (*scope.names(Prototype, Overloads), *ROWS, *CHECKED_APART)
        if _resembles(node.name, name)
    ]
    hint = declared_types.hidden_in_base(node.name, scope) or _declared_later(node, scope)
    hint = hint or nearest(node.name, known) or as_macro(node.name)
    hint = hint or nearest(node.name, TYPE_NAMES)
    hint = hint or "define it before its use, with `__device__` in front"
    raise CompileError(f"the function `{node.name}` is not declared", _name(node), hint)


def _found_by_arguments(node: tree.Call, scope: Scope) -> tree.Expression | None:
    """Return the call of a function of the namespace that an argument's type is from, if any."""
    if "::" in node.name or any(isinstance(one, InitializerList) for one in node.arguments):
        return None
    arguments = overloads.checked_once(node.arguments, scope)
    for argument in arguments:
        ctype = argument.type.to if isinstance(argument.type, Pointer) else argument.type
        front = str(ctype).partition("<")[0].rpartition("::")[0]
        name = f"{front}::{node.name}"
        if front and isinstance(ctype, Struct | Enumerated) and scope.lookup(name) is not None:
            return call(replace(node, name=name, arguments=arguments), scope)
    return None


def _of_fragments(node: tree.Call, scope: Scope) -> str:
    """Return the name that a call means: that of a fragment's namespace, where its header has it.

    C++ looks for functions where the types of arguments are declared.
    """
    whole = f"{WMMA}::{node.name}"
    row = None if node.name in ROWS else ROWS.get(whole)
    return whole if row is not None and row.is_there(scope.shared.headers) else node.name


def _prefers_own(node: tree.Call, meaning: Prototype | Overloads, scope: Scope) -> bool:
    """Whether a call means the program's function and not CUDA's of the same name."""
    if overloads.takes_as_they_are(meaning, node.arguments, scope):
        return True
    return overloads.takes(meaning, node.arguments, scope) and not _builtin_takes(node, scope)


def _builtin_takes(node: tree.Call, scope: Scope) -> bool:
    row = ROWS.get(node.name)
    if row is None:
        return False
    try:
        row.call([scopes.value(argument, scope) for argument in node.arguments], node.span)
    except CompileError:
        return False
    return True


def _given_type(node: TemplateCall, scope: Scope) -> CType:
    """Return the one type in the `<…>` of a call."""
    if len(node.given) != 1 or not isinstance(node.given[0], TypeArgument):
        what = f"`{node.name}` takes one type in its `<…>`"
        raise CompileError(what, _name(node), f"write `{node.name}<float>(…)`")
    return declared_types.resolved(node.given[0].type, scope, node.given[0].span)


def _name(node: tree.Call) -> Span:
    """Return the span of a called function's name."""
    return node.span.starting(node.name)


def _meant(node: tree.Call, meaning: Meaning) -> str:
    """Return the hint for a call of something else."""
    if isinstance(meaning, tree.Symbol) and isinstance(meaning.type, Array | Pointer):
        return f"for an element, write `{node.name}[…]`"
    if isinstance(meaning, tree.Symbol):
        return f"for a product, write `{node.name} * (…)`"
    return f"it was declared in line {meaning.span.line}"


def _refuse(node: tree.Call) -> None:
    """Raise at a function that CUDA or another language has, and the simulator has not."""
    name = _name(node)
    if re.fullmatch(r"__(shfl(_up|_down|_xor)?|ballot|any|all)", node.name):
        what = f"CUDA has no `{node.name}` any more"
        hint = f"write `{node.name}_sync(0xffffffff, …)`: its mask names the lanes that take part"
        raise CompileError(what, name, hint)
    refuse_function(node.name, name)
    if (remedy := foreign.FUNCTIONS.get(node.name)) is not None:
        raise CompileError(f"CUDA C has no function `{node.name}`", name, remedy)


def _resembles(name: str, known: str) -> bool:
    """Whether `name` may be `known` misspelt: one letter wrong, or every third one."""
    one, other = name.strip("_").lower(), known.strip("_").lower()
    if sorted(one) == sorted(other):
        return True
    if abs(len(one) - len(other)) > (most := max(1, len(one) // 3)):
        return False
    changes = SequenceMatcher(None, one, other, autojunk=False).get_opcodes()
    return sum(max(b - a, d - c) for kind, a, b, c, d in changes if kind != "equal") <= most


def _declared_later(node: tree.Call, scope: Scope) -> str:
    later = scope.shared.functions.get(node.name)
    return (
        f"it is defined in line {later.span.line}: move it up, or declare it before its use"
        if later
        else ""
    )


def _call_of_overload(node: tree.Call, meaning: Overloads, scope: Scope) -> tree.Expression:
    """Call the one function of several that takes the arguments best."""
    arguments = overloads.checked_once(node.arguments, scope)
    given = node.given if isinstance(node, TemplateCall) else None
    found = [c for c in meaning.candidates if isinstance(c, FunctionTemplate)]
    if given is not None and len(found) == 1:
        return templates.call(replace(node, arguments=arguments), found[0], scope)
    candidate = overloads.chosen(node.name, meaning, arguments, node.span, scope, given)
    made = replace(node, arguments=arguments)
    if isinstance(candidate, FunctionTemplate):
        return templates.call(made, candidate, scope)
    return _call_of_prototype(made, candidate, scope)


def _call_of_prototype(node: tree.Call, head: Prototype, scope: Scope) -> tree.Expression:
    if "__global__" in head.specifiers:
        what = f"the kernel `{node.name}` cannot be called from device code"
        raise CompileError(what, _name(node), f"launch it: `{node.name}<<<grid, block>>>(…)`")
    assert scope.shared.demand is not None
    function = scope.shared.demand(head.name)
    if function is None:
        what = f"`{node.name}` is declared, but not defined"
        raise CompileError(what, _name(node), "define it in this program")
    return call_of_function(node, function, scope, head, scope.outermost)
