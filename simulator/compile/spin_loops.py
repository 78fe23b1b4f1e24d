"""Which loops may wait for other threads: those that nothing but memory can end.

A loop makes progress by itself if what it carries from one iteration to the next decides when it
ends, or what it writes: a counter, a pointer that is chased, a ticket that atomicAdd draws. A loop
without that does the same in every iteration until another thread changes memory.

Others may wait although they count or search on the way. A decoupled look-back walks from tile to
tile and waits at each; a consumer counts what it got from a queue that may be empty. Their text
does not tell whether they wait, so the launch watches them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from simulator.builtins import lowering_of
from simulator.builtins.lowerings import (
    Atomic,
    Clock,
    MemoryBarrier,
    OrderedLoad,
    OrderedStore,
    Sleep,
)
from simulator.ir import tree
from simulator.ir.tree import children, walk

Names = set[tree.Symbol]

#: What changes memory in its own way, or not at all, at an address that it is given.
_INDIVISIBLE = Atomic | OrderedLoad | OrderedStore | MemoryBarrier


def spins(loop: tree.Loop) -> bool:
    """Return whether only other threads can end the loop, as far as its text tells."""
    moving = _moving(loop)
    if not moving:
        return not _draws(exits(loop))
    return not any(mentions(node) & moving for node in _deciding(loop))


def _moving(loop: tree.Loop) -> Names:
    """Variables whose value follows from their value one iteration before, and others'."""
    sources = _sources(loop)
    moving = {name for name in sources if _reaches_itself(name, sources)}
    moving |= {name for name, (_, drawn) in sources.items() if drawn}
    growing = True
    while growing:
        more = {name for name, (of, _) in sources.items() if of & moving} - moving
        moving |= more
        growing = bool(more)
    return moving


def _sources(loop: tree.Loop) -> dict[tree.Symbol, tuple[Names, bool]]:
    """Find what each variable that the loop sets is computed from, and whether it is drawn.

    Choices count, too: a variable that is set to constants is made of what chooses.
    """
    found: dict[tree.Symbol, tuple[Names, bool]] = defaultdict(lambda: (set(), False))
    constants: dict[tree.Symbol, set[object]] = defaultdict(set)
    chosen: dict[tree.Symbol, Names] = defaultdict(set)
    for node, chooses in _guarded(loop, frozenset()):
        for symbol, value in settings(node):
            of, drawn = found[symbol]
            of |= mentions(value) if value is not None else {symbol}
            found[symbol] = of, drawn or (value is not None and _draws([value]))
            constants[symbol].add(value.value if isinstance(value, tree.Literal) else None)
            chosen[symbol] |= chooses
    for symbol, values in constants.items():
        if len(values) > 1:
            found[symbol][0].update(chosen[symbol])
        elif None not in values:  # once set it stays, so that it cannot be what changes itself
            found[symbol][0].update(chosen[symbol] - {symbol})
    return found


def settings(
    node: tree.Node, depth: int = 0
) -> Iterator[tuple[tree.Symbol, tree.Expression | None]]:
    """Yield the variables that a node sets, and to what; None stands for an update.

    What is passed by reference counts as set unless the function does no more with it than read it
    and call atomics; functions are looked at `_DEEPEST` calls deep.
    """
    if isinstance(node, tree.Assign):
        for symbol in _variable(node.target):
            yield symbol, node.value
    elif isinstance(node, (tree.CompoundAssign, tree.Increment)):
        for symbol in _variable(node.target):
            yield symbol, None
    elif isinstance(node, tree.Declaration) and node.value is not None:
        yield node.symbol, node.value
    elif isinstance(node, tree.Call) and node.function is not None:
        for parameter, argument in zip(node.function.parameters, node.arguments, strict=True):
            if parameter.reference and _sets(node.function.body, parameter, depth):
                for symbol in _variable(argument):
                    yield symbol, None


def _sets(node: tree.Node, parameter: tree.Symbol, depth: int) -> bool:
    """Return whether a node in a function may set a parameter, other than in memory by atomics."""
    if depth >= _DEEPEST or _escapes(node, parameter):
        return True
    if any(symbol is parameter for symbol, _ in settings(node, depth + 1)):
        return True
    below = children(node)
    if isinstance(lowering_of(node), _INDIVISIBLE):
        below = [n for n in below if not isinstance(n, tree.AddressOf)]
    return any(_sets(child, parameter, depth) for child in below)


def _escapes(node: tree.Node, parameter: tree.Symbol) -> bool:
    """Return whether something may set a parameter from here on that does not name it."""
    if isinstance(node, tree.AddressOf):
        return parameter in mentions(node)
    refers = isinstance(node, tree.Declaration) and node.symbol.reference
    return refers and parameter in mentions(node)


def _guarded(
    node: tree.Node, chooses: frozenset[tree.Symbol]
) -> Iterator[tuple[tree.Node, frozenset[tree.Symbol]]]:
    """All nodes below, with the variables that decide whether they are reached."""
    yield node, chooses
    test = None if isinstance(node, tree.Loop) else choice(node)
    inner = chooses | mentions(test) if test is not None else chooses
    for child in children(node):
        yield from _guarded(child, chooses if child is test else inner)


def choice(node: tree.Node) -> tree.Expression | None:
    """Return the condition of a branch, a loop or a switch; None for other nodes."""
    if isinstance(node, tree.Switch):
        return node.selector
    return node.test if isinstance(node, (tree.If, tree.Conditional, tree.Loop)) else None


def _reaches_itself(name: tree.Symbol, sources: dict[tree.Symbol, tuple[Names, bool]]) -> bool:
    seen: Names = set()
    waiting = list(sources[name][0])
    while waiting:
        symbol = waiting.pop()
        if symbol is name:
            return True
        if symbol not in seen and symbol in sources:
            seen.add(symbol)
            waiting += sources[symbol][0]
    return False


def _deciding(loop: tree.Loop) -> Iterator[tree.Node]:
    """Yield what decides when the loop ends and what it writes."""
    yield from exits(loop)
    for node in walk(loop):
        test = choice(node)
        if test is not None and node is not loop and _acts(node):
            yield test
        elif _is_act(node):
            yield node


def exits(loop: tree.Loop) -> list[tree.Expression]:
    """Find the conditions that end the loop."""
    found = [] if loop.test is None else [loop.test]
    waiting: list[tuple[tree.Node, bool]] = [(loop.body, True)]
    while waiting:
        node, own = waiting.pop()
        test = choice(node) if isinstance(node, (tree.If, tree.Switch)) else None
        if test is not None and _leaves(node, own):
            found.append(test)
        inner = own and not isinstance(node, (tree.Loop, tree.Switch))
        waiting += [(child, inner) for child in children(node)]
    return found


def _leaves(node: tree.Node, own: bool) -> bool:
    """Return whether a break of the loop itself, or a return, stands below."""
    if isinstance(node, tree.Return) or (own and isinstance(node, tree.Break)):
        return True
    inner = own and not isinstance(node, (tree.Loop, tree.Switch))
    return any(_leaves(child, inner) for child in children(node))


def _acts(node: tree.Node) -> bool:
    return any(_is_act(inner) for inner in walk(node))


def _is_act(node: tree.Node) -> bool:
    """Return whether a node changes memory, or may."""
    if isinstance(node, (tree.Assign, tree.CompoundAssign, tree.Increment)):
        held = _variable(node.target)
        return not held or any(symbol.reference for symbol in held)
    return isinstance(node, tree.Call) and (
        node.function is not None or isinstance(lowering_of(node), Atomic | OrderedStore)
    )


def _draws(nodes: Iterable[tree.Node], depth: int = 0) -> bool:
    """Return whether one of the expressions draws a number that nobody else gets.

    Also by what they call, such as a member function of `cuda::atomic`.
    """
    calls = (n for node in nodes for n in walk(node) if isinstance(n, tree.Call))
    for call in calls:
        if call.function is not None:
            if depth < _DEEPEST and _draws([call.function.body], depth + 1):
                return True
        elif _draws_anew(call) and not _adds_nothing(call):
            return True
    return False


def _draws_anew(node: tree.Call) -> bool:
    """Return whether a call gives another result each time."""
    how = lowering_of(node)
    return isinstance(how, Clock) or (isinstance(how, Atomic) and how.draws)


def _adds_nothing(node: tree.Call) -> bool:
    last = node.arguments[-1] if node.arguments else None
    return isinstance(last, tree.Literal) and last.value == 0


def mentions(node: tree.Node) -> Names:
    """Find the variables below a node, except in how long threads sleep: that changes nothing."""
    if isinstance(lowering_of(node), Sleep):
        return set()
    own = {node.symbol} if isinstance(node, tree.Name) and node.symbol is not None else set()
    return own.union(*(mentions(child) for child in children(node)))


def _variable(node: tree.Expression) -> Names:
    """Return the variable that an lvalue is, or is a member of; a reference is its own."""
    while isinstance(node, tree.Member):
        node = node.base
    if not isinstance(node, tree.Name) or node.symbol is None:
        return set()
    held = node.symbol.storage in (tree.Storage.LOCAL, tree.Storage.PARAMETER)
    return {node.symbol} if held else set()


def may_spin(loop: tree.Loop) -> bool:
    """Return whether what other threads write may decide how often a loop runs that does not count.

    A loop that steps a variable of its own test in every iteration comes to its end by itself.
    """
    return not _counts(loop) and _hears(loop)


def _counts(loop: tree.Loop) -> bool:
    tested = set(_variables(loop.test)) if loop.test is not None else set()
    steps = [] if loop.step is None else [loop.step]
    steps += [node.expression for node in always(loop.body) if isinstance(node, tree.Evaluate)]
    return any(
        tested.intersection(_variables(node.target))
        for step in steps
        for node in walk(step)
        if isinstance(node, (tree.CompoundAssign, tree.Increment))
    )


def always(body: tree.Statement) -> Iterator[tree.Node]:
    """Yield the statements that every iteration executes; none where `continue` may skip them.

    Parameters
    ----------
    body : Statement
        Of a loop.
    """
    if any(isinstance(node, tree.Continue) for node in walk(body)):
        return
    if isinstance(body, tree.Block):
        for node in children(body):
            if isinstance(node, tree.Statement):
                yield from always(node)
    else:
        yield body


def _variables(node: tree.Node) -> Iterator[tree.Symbol]:
    return (n.symbol for n in walk(node) if isinstance(n, tree.Name) and n.symbol is not None)


def _hears(node: tree.Node, depth: int = 0) -> bool:
    """Whether there are atomics or volatile accesses below, functions that are called included."""
    for inner in walk(node):
        if isinstance(inner, tree.Call):
            if isinstance(lowering_of(inner), Atomic | OrderedLoad | MemoryBarrier):
                return True
            body = inner.function.body if inner.function is not None and depth < _DEEPEST else None
            if body is not None and _hears(body, depth + 1):
                return True
        if isinstance(inner, tree.Expression) and tree.is_volatile(inner):
            return True
    return False


#: How many calls below the loop are looked at; functions may call themselves.
_DEEPEST = 4
