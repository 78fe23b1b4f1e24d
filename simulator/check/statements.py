"""Check statements, and the declarations among them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import singledispatch

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import Trap
from simulator.check import scopes
from simulator.check.declarations import variable
from simulator.check.declared_types import alias_is_const, deduced, has_auto, qualified, resolved
from simulator.check.heads import resolved_head
from simulator.check.initializers import copied, first_value, zero
from simulator.check.scopes import AliasOf, Frame, Scope, condition, effect, value
from simulator.check.structures import enumeration, static_assertion
from simulator.hints.similar import nearest
from simulator.hints.unsupported import declaration, refuse_name
from simulator.ir import tree
from simulator.ir.conversions import as_lvalue, as_operand, bits_of, cast, is_const, is_lvalue
from simulator.ir.tree import Storage
from simulator.ir.types import (
    INT,
    TYPE_NAMES,
    VOID,
    CType,
    Pointer,
    Scalar,
    Struct,
    is_scoped,
    promoted,
)
from simulator.ir.unchecked import (
    Alias,
    Checked,
    ConstexprIf,
    Enumeration,
    InitializerList,
    LocalPrototype,
    Naming,
    Scoped,
    StaticAssertion,
    Variable,
)
from simulator.source import CompileError, Diagnostic, Span

# Check switches: their selector, and that every label is a constant of its own.
#
# A label may stand only on the top level of its switch's body: jumps into inner blocks are refused.


def promoted_selector(node: tree.Expression) -> tree.Expression:
    """Return the checked value that a switch looks at, promoted."""
    if not _is_integer(node.type):
        what = f"a switch needs an integer, not `{node.type}`"
        raise CompileError(what, node.span, "use if and else")
    node = as_operand(node)
    assert isinstance(node.type, Scalar)
    return cast(node, promoted(node.type))


def check_labels(body: tree.Block) -> None:
    """Refuse statements that no label leads to, and labels behind the first value of a variable."""
    labelled, started = False, ""
    for node in body.body:
        if isinstance(node, tree.CaseLabel):
            labelled = True
            if started:
                what = f"this label jumps past the first value of `{started}`"
                raise CompileError(what, node.span, "put the statements before it in braces")
        elif isinstance(node, tree.Declaration):
            has_value = node.value is not None or node.values is not None
            started = node.symbol.name if has_value or node.symbol.reference else started
        elif not labelled and not isinstance(node, tree.Empty):
            hint = "write `case VALUE:` or `default:` before it"
            raise CompileError("no label of the switch leads here", node.span, hint)


def label(node: tree.CaseLabel, ctype: CType, scope: Scope, kind: CType) -> tree.CaseLabel:
    """Return a label with its value as a literal of the selector's type, `kind` if unpromoted."""
    if node.value is None:
        return node
    checked = value(node.value, scope)
    given = scopes.constant_of(checked, scope) or checked
    if not isinstance(given, tree.Literal) or not _is_integer(given.type):
        what = f"the label `{given.span.text}` is not a constant integer"
        raise CompileError(what, given.span, "compare variables and floats with if and else")
    if given.type != kind and (is_scoped(given.type) or is_scoped(kind)):
        what = f"the label `{given.span.text}` is `{given.type}`, but the switch is over `{kind}`"
        hint = f"write one of `{kind}::…`" if is_scoped(kind) else "convert it: `(int)…`"
        raise CompileError(what, given.span, hint)
    fitted = cast(given, ctype)
    if not isinstance(fitted, tree.Literal) or fitted.value != given.value:
        what = f"a selector of type `{ctype}` never has the value {given.value}"
        raise CompileError(what, given.span)
    return tree.CaseLabel(fitted, span=node.span)


def _is_integer(ctype: CType) -> bool:
    return isinstance(ctype, Scalar) and ctype.is_integer


def check_distinct(body: Iterable[tree.Statement]) -> None:
    """Refuse two labels of one value, and two defaults."""
    seen: dict[object, tree.CaseLabel] = {}
    for node in body:
        if not isinstance(node, tree.CaseLabel):
            continue
        key = node.value.value if isinstance(node.value, tree.Literal) else "default"
        if key in seen:
            name = "`default`" if key == "default" else f"the label {key}"
            hint = f"first in line {seen[key].span.line}"
            raise CompileError(f"{name} stands twice in this switch", node.span, hint)
        seen[key] = node


def stray(node: tree.CaseLabel, scope: Scope) -> CompileError:
    """Return the error for a label that is not on the top level of a switch's body."""
    word = "case" if node.value is not None else "default"
    if scope.in_switch:
        what = f"`{word}` in an inner block of a switch is not supported"
        return CompileError(what, node.span, "labels stand directly in the braces of their switch")
    return CompileError(f"`{word}` outside a switch", node.span)


def skips(node: tree.Switch) -> bool:
    """Whether a selector may match no label, so that nothing of the body is run."""
    return not any(
        isinstance(child, tree.CaseLabel) and child.value is None for child in node.body.body
    )


def last(node: tree.Switch) -> tree.Block:
    """Return the statements behind the last label."""
    body = node.body.body
    start = max(
        (at for at, child in enumerate(body) if isinstance(child, tree.CaseLabel)), default=-1
    )
    return tree.Block(body[start + 1 :], span=node.body.span)


@singledispatch
def statement(node: tree.Statement, scope: Scope) -> tree.Statement:
    """`node` checked."""
    raise CompileError("this cannot stand here", node.span)


@statement.register
def _block(node: tree.Block, scope: Scope) -> tree.Statement:
    return body(node, scope.inner())


@statement.register
def _scoped(node: Scoped, scope: Scope) -> tree.Statement:
    head = scope.inner()
    head.is_head = True
    return body(node, head)


def body(node: tree.Block, scope: Scope) -> tree.Block:
    """Check the statements of a block whose scope is open already; names of types leave none."""
    checked = tuple(statement(child, scope) for child in node.body)
    return _without_types(checked, node.span)


def _without_types(checked: tuple[tree.Statement, ...], span: Span) -> tree.Block:
    return tree.Block(tuple(s for s in checked if not isinstance(s, Naming)), span=span)


@statement.register
def _declaration(node: Variable, scope: Scope) -> tree.Statement:
    node = replace(node, symbol=qualified(node.symbol, scope))
    storage, static = node.symbol.storage, "static" in node.specifiers
    if static and not node.symbol.const and storage in (Storage.LOCAL, Storage.DEVICE):
        assert scope.shared.declare_static is not None
        scope.shared.declare_static(node, scope)
        return tree.Empty(span=node.span)
    return variable(node, scope)


@statement.register
def alias(node: Alias, scope: Scope) -> tree.Statement:
    """Declare a name for a type; the node stays as it is."""
    ctype = resolved(node.type, scope, node.span)
    const = node.const or alias_is_const(node.type, scope)
    old = scope.here(node.name)
    if isinstance(old, AliasOf) and old.type == ctype and old.const == const:
        return node
    scope.declare(node.name, AliasOf(ctype, node.span, const))
    return node


statement.register(Enumeration, enumeration)
statement.register(StaticAssertion, static_assertion)


@statement.register
def _local_prototype(node: LocalPrototype, scope: Scope) -> tree.Statement:
    """Declare a function of the file, unless it is declared there; nothing is left to do."""
    name = node.head.name
    if scope.outermost.here(name) is None and scope.here(name) is None:
        scope.declare(name, resolved_head(node.head, scope))
    return tree.Empty(span=node.span)


@statement.register
def _evaluate(node: tree.Evaluate, scope: Scope) -> tree.Statement:
    product = node.expression
    if isinstance(product, tree.Binary) and product.op == "*" and _is_unknown(product.left, scope):
        text = product.left.span.text
        hint = nearest(text, TYPE_NAMES) or declaration(text)
        raise CompileError(f"`{text}` is not a type", product.left.span, hint)
    return tree.Evaluate(_dropped(effect(node.expression, scope)), span=node.span)


def _dropped(node: tree.Expression) -> tree.Expression:
    """Return what is left of an expression whose value nobody wants.

    A member function that returns its object gives the object behind a comma, which is not read;
    nor is what a reference leads to that a function returns.
    """
    while isinstance(node, tree.Binary) and node.op == ",":
        if not is_lvalue(node.right) or tree.is_volatile(node.right) or _does(node.right):
            break
        node = node.left
    if isinstance(node, tree.Deref) and isinstance(node.pointer, tree.Call):
        return node if tree.is_volatile(node) else node.pointer
    return node


def _does(node: tree.Expression) -> bool:
    """Whether evaluating `node` does more than to find a value."""
    doing = tree.Assign | tree.CompoundAssign | tree.Increment | tree.Call
    return any(isinstance(part, doing) for part in tree.walk(node))


def _is_unknown(node: tree.Expression, scope: Scope) -> bool:
    """Whether `node` is a name without a meaning, so that `node *x;` was meant to declare x."""
    if not isinstance(node, tree.Name) or scope.lookup(node.name) is not None:
        return False
    refuse_name(node.name, node.span)
    return True


@statement.register
def _if(node: tree.If, scope: Scope) -> tree.Statement:
    test = condition(node.test, scope)
    then = _branch(node.then, scope)
    other = _branch(node.other, scope) if node.other is not None else None
    return tree.If(test, then, other, span=node.span)


def _branch(node: tree.Statement, scope: Scope) -> tree.Statement:
    """One side of an `if`, a scope of its own."""
    return statement(node, scope if isinstance(node, tree.Block) else scope.inner())


@statement.register
def _constexpr_if(node: ConstexprIf, scope: Scope) -> tree.Statement:
    test = scopes.constant_of(condition(node.test, scope), scope)
    if not isinstance(test, tree.Literal):
        what = "the condition of `if constexpr` must be constant"
        raise CompileError(what, node.test.span, "write a plain `if`")
    chosen = node.then if test.value else node.other
    return tree.Empty(span=node.span) if chosen is None else _branch(chosen, scope)


@statement.register
def _loop(node: tree.Loop, scope: Scope) -> tree.Statement:
    inside = scope.inner(loop=True)
    start = tuple(statement(child, inside) for child in node.start)
    test = condition(node.test, inside) if node.test is not None else None
    step = _dropped(effect(node.step, inside)) if node.step is not None else None
    if node.kind == "for" and isinstance(node.body, tree.Block):
        inner: tree.Statement = body(node.body, inside)
    else:
        inner = statement(node.body, inside.inner())
    return tree.Loop(node.kind, start, test, step, inner, node.unroll, span=node.span)


@statement.register
def _switch(node: tree.Switch, scope: Scope) -> tree.Statement:
    given = value(node.selector, scope)
    if isinstance(given.type, Struct):
        given = scopes.adapted(given, INT, scope)
    selector = promoted_selector(given)
    check_labels(node.body)
    inside = scope.inner(switch=True)
    checked = tuple(
        label(child, selector.type, inside, given.type)
        if isinstance(child, tree.CaseLabel)
        else statement(child, inside)
        for child in node.body.body
    )
    check_distinct(checked)
    return tree.Switch(selector, _without_types(checked, node.body.span), span=node.span)


@statement.register
def _case(node: tree.CaseLabel, scope: Scope) -> tree.Statement:
    raise stray(node, scope)


@statement.register
def _break(node: tree.Break, scope: Scope) -> tree.Statement:
    if not scope.in_loop and not scope.in_switch:
        raise CompileError("`break` outside a loop or switch", node.span)
    return node


@statement.register
def _continue(node: tree.Continue, scope: Scope) -> tree.Statement:
    if not scope.in_loop:
        raise CompileError("`continue` outside a loop", node.span)
    return node


@statement.register
def _return(node: tree.Return, scope: Scope) -> tree.Statement:
    assert scope.frame is not None
    frame = scope.frame
    if has_auto(frame.result) and frame.reference and node.value is not None:
        return _reference_of_any(node, node.value, frame, scope)
    if has_auto(frame.result):
        return _return_of_any(node, frame, scope)
    if frame.constructs and node.value is None:
        return tree.Return(scopes.itself(scope), span=node.span)
    if node.value is None:
        if frame.result != VOID:
            what = f"`{frame.name}` must return `{frame.result}`"
            scope.shared.warnings.append(Diagnostic(what, node.span, "write `return value;`"))
            return tree.Block(without_value(frame.result, node.span), span=node.span)
        return node
    if frame.result == VOID:
        return _nothing_returned(node, node.value, frame, scope)
    if frame.reference:
        return tree.Return(_referred(node.value, frame.result, scope), span=node.span)
    if isinstance(frame.result, Struct) and not isinstance(node.value, InitializerList):
        found = value(node.value, scope)  # which is made where it is returned to
        if found.type == frame.result:
            kept = found if _ends_here(found) else copied(found, scope)
            return tree.Return(kept, span=node.span)
        again = Checked(found, span=found.span, type=found.type)
        node = tree.Return(again, span=node.span)
    assert node.value is not None
    returned = first_value(node.value, frame.result, "the returned value", scope)
    return tree.Return(returned, span=node.span)


def _ends_here(node: tree.Expression) -> bool:
    """Whether a value is a variable of the function, which needs no copy where it is returned."""
    symbol = node.symbol if isinstance(node, tree.Name) else None
    own = symbol is not None and (symbol.storage is tree.Storage.LOCAL or symbol.name == "this")
    return symbol is not None and own and not symbol.reference


def _return_of_any(node: tree.Return, frame: Frame, scope: Scope) -> tree.Statement:
    """Return a value of the type that the first `return` of a function with `auto` has."""
    checked = scopes.expression(node.value, scope) if node.value is not None else None
    nothing = checked is not None and checked.type == VOID
    given = scopes.valued(checked, scope) if checked is not None and not nothing else None
    ctype = VOID if given is None else deduced(frame.result, given.type)
    if ctype is None:
        assert given is not None
        raise CompileError(f"`{frame.result}` does not match `{given.type}`", node.span)
    frame.returned.append(ctype)
    if frame.returned[0] != ctype:
        what = f"`{frame.name}` returns `{frame.returned[0]}` before, and `{ctype}` here"
        raise CompileError(what, node.span, "write the type of its result instead of auto")
    if given is not None and not _ends_here(given):
        given = copied(given, scope)
    last = tree.Return(given, span=node.span)
    if checked is None or not nothing:
        return last
    return tree.Block((tree.Evaluate(checked, span=checked.span), last), span=node.span)


def _reference_of_any(
    node: tree.Return, value: tree.Expression, frame: Frame, scope: Scope
) -> tree.Statement:
    """Return a reference from a function with `auto &` to what its first `return` names."""
    target = as_lvalue(scopes.expression(value, scope))
    pointer = deduced(frame.result, Pointer(target.type, is_const(target)))
    if pointer is None:
        raise CompileError(f"`{frame.result}` does not match `{target.type}`", node.span)
    frame.returned.append(pointer)
    if frame.returned[0] != pointer:
        what = f"`{frame.name}` returns `{frame.returned[0]}` before, and `{pointer}` here"
        raise CompileError(what, node.span, "write the type of its result instead of auto")
    again = Checked(target, span=value.span, type=target.type)
    return tree.Return(_referred(again, pointer, scope), span=node.span)


def _nothing_returned(
    node: tree.Return, given: tree.Expression, frame: Frame, scope: Scope
) -> tree.Statement:
    """`return f();` of a function without a value, in one without a value."""
    done = effect(given, scope)
    if done.type != VOID or frame.kind == "__global__":
        raise _returns_nothing(node, given, frame)
    whole = tree.Evaluate(done, span=given.span), tree.Return(None, span=node.span)
    return tree.Block(whole, span=node.span)


def _referred(given: tree.Expression, pointer: CType, scope: Scope) -> tree.Expression:
    """Return the address of what a function returns a reference to."""
    assert isinstance(pointer, Pointer)
    target = as_lvalue(scopes.expression(given, scope))
    if isinstance(pointer.to, Struct):
        target = scopes.as_base(target, pointer.to, scope)
    if not is_lvalue(target) or target.type != pointer.to or bits_of(target) is not None:
        what = f"a reference to `{pointer.to}` cannot be `{given.span.text}`"
        raise CompileError(what, given.span, "return what has an address")
    if is_const(target) and not pointer.const:
        what = f"the result would change `{given.span.text}`, which is const"
        raise CompileError(what, given.span, "return a `const` reference")
    return tree.AddressOf(target, span=given.span, type=pointer)


def without_value(result: CType, span: Span) -> tuple[tree.Statement, ...]:
    """Return what stands where a function should return a value and does not: a fault."""
    fault = tree.Call(tree.NO_VALUE, (), span=span, type=VOID)
    return tree.Evaluate(fault, span=span), tree.Return(zero(result, span), span=span)


def _returns_nothing(node: tree.Return, given: tree.Expression, frame: Frame) -> CompileError:
    """Return the error for a value that a void function returns."""
    if given.span.line > node.span.line and not node.span.macro:
        word = node.span.starting("return")
        gap = Span(word.source, word.line, word.end_column, word.line, word.end_column)
        return CompileError("`;` is missing after `return`", gap)
    if frame.kind == "__global__":
        hint = "write results to an array"
        return CompileError(f"the kernel `{frame.name}` returns nothing", given.span, hint)
    hint = "write `return;`, or the type of the value in place of `void`"
    return CompileError(f"`{frame.name}` returns nothing", given.span, hint)


@statement.register
def _empty(node: tree.Empty, scope: Scope) -> tree.Statement:
    return node


def completes(node: tree.Statement | None) -> bool:
    """Whether control can come out at the end of `node`, as far as its shape tells.

    An `if` without `else` does, a loop for ever without `break` does not.
    """
    if isinstance(node, tree.Return | tree.Break | tree.Continue):
        return False
    if isinstance(node, tree.Evaluate):
        return not isinstance(lowering_of(node.expression), Trap)
    if isinstance(node, tree.Block):
        return all(completes(child) for child in node.body)
    if isinstance(node, tree.If):
        return node.other is None or completes(node.then) or completes(node.other)
    if isinstance(node, tree.Loop):
        return not _is_endless(node) or _breaks(node.body)
    if isinstance(node, tree.Switch):
        return skips(node) or _breaks(node.body) or completes(last(node))
    return True


def _is_endless(node: tree.Loop) -> bool:
    return node.test is None or (isinstance(node.test, tree.Literal) and bool(node.test.value))


def _breaks(node: tree.Statement | None) -> bool:
    """Whether a `break` in `node` leaves the loop around it."""
    if isinstance(node, tree.Block):
        return any(_breaks(child) for child in node.body)
    if isinstance(node, tree.If):
        return _breaks(node.then) or _breaks(node.other)
    return isinstance(node, tree.Break)
