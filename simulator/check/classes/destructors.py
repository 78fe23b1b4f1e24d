"""Destructors: calls of them, written where objects end.

An object of a thread ends with its block, in the reverse order of the declarations, and before
whatever leaves the block: `return`, `break`, `continue`. A temporary ends with the statement that
makes it. All this is done to the checked body of a function, of which statements are made anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from simulator.check import members
from simulator.check.declared_types import destroys
from simulator.check.scopes import DESTRUCTOR, Scope
from simulator.check.statements import completes
from simulator.ir import tree
from simulator.ir.conversions import is_lvalue
from simulator.ir.types import INT, Array, Pointer, Struct
from simulator.ir.unchecked import Prototype
from simulator.source import CompileError, Span


def lowered(body: tree.Block, parameters: Sequence[tree.Symbol], scope: Scope) -> tree.Block:
    """Return the body of a function in which objects end as C++ says."""
    classes = scope.shared.classes.values()
    if not any(DESTRUCTOR in owner.functions for owner in classes):
        return body
    for parameter in parameters:
        own = not parameter.reference and parameter.name != "this"  # which is returned
        if own and destroys(parameter.type, scope):
            what = f"the parameter `{parameter.name}` of type `{parameter.type}`, which has a"
            hint = "pass a reference"
            raise CompileError(f"{what} destructor, is not supported", parameter.span, hint)
    made = _Body(scope).statement(body)
    assert isinstance(made, tree.Block)
    return made


@dataclass
class _Body:
    """A body that is made anew: the objects that are alive, and how many at each loop or switch."""

    scope: Scope
    alive: list[tree.Symbol] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)
    breakable: list[int] = field(default_factory=list)

    def statement(self, node: tree.Statement) -> tree.Statement:
        """Return a statement with the ends of the objects that it makes or leaves."""
        if isinstance(node, tree.Block):
            return replace(node, body=tuple(self.block(node.body)))
        if isinstance(node, tree.Loop):
            return self.loop(node)
        if isinstance(node, tree.Break | tree.Continue):
            known = self.breakable if isinstance(node, tree.Break) else self.loops
            return self.leaving(node, known[-1] if known else 0)
        if isinstance(node, tree.Return):
            return self.returned(node)
        if isinstance(node, tree.If):
            then = self.statement(node.then)
            other = self.statement(node.other) if node.other is not None else None
            return self.branch(replace(node, then=then, other=other))
        if isinstance(node, tree.Switch):
            return self.switch(node)
        if isinstance(node, tree.Evaluate):
            return self.evaluated(node)
        return node

    def block(self, body: Sequence[tree.Statement]) -> Iterator[tree.Statement]:
        """Yield the statements of a block, and the ends of its objects."""
        outer = len(self.alive)
        last: tree.Statement | None = None
        for child in body:
            if isinstance(child, tree.Declaration):
                yield from self.declared(child)
            else:
                last = self.statement(child)
                yield last
            last = child if isinstance(child, tree.Declaration) else last
        if last is None or completes(last):
            yield from self.ends(outer)
        del self.alive[outer:]

    def declared(self, node: tree.Declaration) -> Iterator[tree.Statement]:
        """Yield a declaration; what it declares is alive from there on."""
        symbol = node.symbol
        own = symbol.storage is tree.Storage.LOCAL and not symbol.reference
        if not own and not symbol.reference and destroys(symbol.type, self.scope):
            what = f"`{symbol.name}` has a destructor, which nobody calls"
            raise CompileError(what, symbol.span, "make it a thread's own variable")
        temporaries = _Temporaries(self.scope)
        value, values = node.value, node.values
        if value is not None:
            value = temporaries.consumed(value) if own else temporaries.inside(value)
        if values is not None:
            values = tuple(map(temporaries.consumed, values))
        yield from temporaries.declarations
        yield replace(node, value=value, values=values)
        yield from self.ended(temporaries.made)
        if own and symbol.name != "this" and destroys(symbol.type, self.scope):
            self.alive.append(symbol)

    def loop(self, node: tree.Loop) -> tree.Statement:
        """Return a loop; what its head declares ends behind it."""
        outer = len(self.alive)
        for part in (node.test, node.step):
            if part is not None:
                _Temporaries(self.scope, refused=True).inside(part)
        start: list[tree.Statement] = []
        for child in node.start:
            if isinstance(child, tree.Declaration):
                start += self.declared(child)
            else:
                start.append(self.statement(child))
        self.loops.append(len(self.alive))
        self.breakable.append(len(self.alive))
        body = self.statement(node.body)
        self.loops.pop()
        self.breakable.pop()
        if len(self.alive) == outer:
            return replace(node, start=tuple(start), body=body)
        ends = tuple(self.ends(outer))
        del self.alive[outer:]
        made = replace(node, start=(), body=body)
        return tree.Block((*start, made, *ends), span=node.span)

    def switch(self, node: tree.Switch) -> tree.Statement:
        """Return a switch, which `break` leaves."""
        self.breakable.append(len(self.alive))
        body = replace(node.body, body=tuple(self.block(node.body.body)))
        self.breakable.pop()
        return self.branch(replace(node, body=body))

    def branch(self, node: tree.If | tree.Switch) -> tree.Statement:
        """Return a branch; temporaries in its condition end before it."""
        test = node.test if isinstance(node, tree.If) else node.selector
        temporaries = _Temporaries(self.scope)
        value = temporaries.inside(test)
        if not temporaries.made:
            return node
        kept, known = _kept(value, test.span)
        made: tree.Statement
        if isinstance(node, tree.If):
            made = replace(node, test=known)
        else:
            made = replace(node, selector=known)
        ends = self.ended(temporaries.made)
        return tree.Block((*temporaries.declarations, kept, *ends, made), span=node.span)

    def evaluated(self, node: tree.Evaluate) -> tree.Statement:
        """Return an expression and the ends of its temporaries."""
        temporaries = _Temporaries(self.scope)
        value = temporaries.inside(node.expression)
        if not temporaries.made:
            return node
        done = replace(node, expression=_dropped(value))
        ends = self.ended(temporaries.made)
        return tree.Block((*temporaries.declarations, done, *ends), span=node.span)

    def returned(self, node: tree.Return) -> tree.Statement:
        """Return a `return`: its value is there before objects end."""
        if node.value is None:
            return self.leaving(node, 0)
        if isinstance(node.value, tree.Name) and node.value.symbol in self.alive:
            what = f"`return {node.value.name}` of a class with a destructor is not supported"
            raise CompileError(what, node.span, "return what its constructor makes")
        temporaries = _Temporaries(self.scope)
        value = temporaries.consumed(node.value)
        if not self.alive and not temporaries.made:
            return node
        kept, known = _kept(value, node.span)
        ends = (*self.ended(temporaries.made), *self.ends(0))
        whole = (*temporaries.declarations, kept, *ends, replace(node, value=known))
        return tree.Block(whole, span=node.span)

    def leaving(self, node: tree.Statement, count: int) -> tree.Statement:
        """Return a statement that leaves blocks, behind the ends of all but `count` objects."""
        ends = tuple(self.ends(count))
        return tree.Block((*ends, node), span=node.span) if ends else node

    def ends(self, count: int) -> Iterator[tree.Statement]:
        """Yield the ends of all objects that are alive but for the first `count`."""
        return self.ended(self.alive[count:])

    def ended(self, symbols: Sequence[tree.Symbol]) -> Iterator[tree.Statement]:
        for symbol in reversed(symbols):
            span = symbol.span
            yield from _end(tree.Name(symbol.name, symbol, span=span, type=symbol.type), self.scope)


def _dropped(node: tree.Expression) -> tree.Expression:
    """Return what makes a temporary where nobody wants it."""
    if isinstance(node, tree.Deref) and isinstance(node.pointer, tree.Binary):
        first = node.pointer.left
        return first if isinstance(first, tree.FirstValue) else node
    return node


def _kept(value: tree.Expression, span: Span) -> tuple[tree.Statement, tree.Expression]:
    """Return the declaration of a variable that keeps a value, and its use."""
    symbol = tree.Symbol("kept", value.type, tree.Storage.LOCAL, span)
    use = tree.Name(symbol.name, symbol, span=span, type=value.type)
    return tree.Declaration(symbol, value, span=span), use


def _end(node: tree.Expression, scope: Scope) -> Iterator[tree.Statement]:
    """Yield what ends an object: its destructor, then its members and bases, the last first."""
    ctype, span = node.type, node.span
    if isinstance(ctype, Array):
        first = tree.Decay(node, span=span, type=Pointer(ctype.of))
        for at in reversed(range(ctype.length or 0)):
            number = tree.Literal(at, span=span, type=INT)
            yield from _end(tree.Index(first, number, span=span, type=ctype.of), scope)
        return
    if not isinstance(ctype, Struct) or ctype.union:
        return
    owner = scope.shared.classes.get(ctype)
    for head in owner.functions.get(DESTRUCTOR, ()) if owner is not None else ():
        assert owner is not None
        assert isinstance(head, Prototype)
        function = members.function_of(owner, head, span)
        yield tree.Evaluate(tree.Call(head.name, (node,), function, span=span), span=span)
    for name, inner, _ in reversed(ctype.members):
        if destroys(inner, scope):
            yield from _end(tree.Member(node, name, span=span, type=inner), scope)


def _goes_on(child: tree.Expression, node: tree.Expression) -> bool:
    """Whether a value goes on as a part of another one, or as what a function returns."""
    if isinstance(node, tree.Call) and node.function is not None:
        first = node.function.parameters[:1]
        itself = bool(first) and first[0].name == "this" and not first[0].reference
        return itself and child is node.arguments[0]
    return isinstance(node, tree.Aggregate)


@dataclass
class _Temporaries:
    """The temporaries that an expression makes, and the variables that keep them.

    Where they are `refused`, no statement is there that they could end with.
    """

    scope: Scope
    refused: bool = False
    made: list[tree.Symbol] = field(default_factory=list)
    declarations: list[tree.Statement] = field(default_factory=list)
    partly: bool = False

    def consumed(self, node: tree.Expression) -> tree.Expression:
        """Return an expression whose value becomes an object: it is no temporary itself."""
        if isinstance(node, tree.Conditional) and destroys(node.type, self.scope):
            test = self.inside(node.test)
            then, other = self.sides(node.then, node.other, consumed=True)
            return replace(node, test=test, then=then, other=other)
        if isinstance(node, tree.Binary) and node.op == ",":
            left, right = self.inside(node.left), self.consumed(node.right)
            return replace(node, left=left, right=right)
        return self.below(node)

    def inside(self, node: tree.Expression) -> tree.Expression:
        """Return an expression with variables in place of temporaries that have destructors."""
        if isinstance(node, tree.FirstValue):
            return replace(node, target=self.inside(node.target), value=self.consumed(node.value))
        if isinstance(node, tree.Logical):
            left = self.inside(node.left)
            (right,) = self.sides(node.right)
            return replace(node, left=left, right=right)
        found = self.consumed(node)
        if is_lvalue(node) or not isinstance(node.type, Struct):
            return found
        if isinstance(node, tree.Assign) or not destroys(node.type, self.scope):
            return found
        return self.kept(found)

    def below(self, node: tree.Expression) -> tree.Expression:
        """Return an expression whose parts are seen to."""
        if isinstance(node, tree.Conditional):
            test = self.inside(node.test)
            then, other = self.sides(node.then, node.other)
            return replace(node, test=test, then=then, other=other)
        changed = {
            id(child): self.consumed(child) if _goes_on(child, node) else self.inside(child)
            for child in tree.children(node)
            if isinstance(child, tree.Expression)
        }
        if all(id(made) == old for old, made in changed.items()):
            return node
        made: tree.Expression = tree.rebuilt(node, changed)
        return made

    def sides(self, *nodes: tree.Expression, consumed: bool = False) -> list[tree.Expression]:
        """Return expressions that only some threads evaluate: there are no temporaries in them."""
        outer, self.partly = self.partly, True
        found = [self.consumed(one) if consumed else self.inside(one) for one in nodes]
        self.partly = outer
        return found

    def kept(self, node: tree.Expression) -> tree.Expression:
        """Return a temporary as the variable that keeps it, where it is made."""
        span = node.span
        if self.refused or self.partly:
            what = f"a temporary `{node.type}`, which has a destructor, is not supported here"
            raise CompileError(what, span, "declare a variable for it in a statement before")
        symbol = tree.Symbol("temporary", node.type, tree.Storage.LOCAL, span)
        self.made.append(symbol)
        self.declarations.append(tree.Declaration(symbol, span=span))
        name = tree.Name(symbol.name, symbol, span=span, type=node.type)
        first = tree.FirstValue(name, node, span=span, type=node.type)
        at = tree.AddressOf(name, span=span, type=Pointer(node.type))
        both = tree.Binary(",", first, at, span=span, type=at.type)
        return tree.Deref(both, span=span, type=node.type)
