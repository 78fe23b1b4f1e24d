"""Which loads of a loop are links that it follows, so that it does not wait for them.

A loop that waits reads the same word again until another thread has changed it. One that goes along
links (``page = next[page]``) reads another word each time: every iteration sets its variable, once,
from memory at an address made of the variable itself. The link decides how long the loop runs, but
is no message that was waited for.

Links may lead in a ring, and then a loop does wait that looks for a flag on its way (``while
(!flag[slot]) slot = next[slot]``): only the links are meant, not what else is read at the variable.
An iteration may leave the variable as it is (``if (n == NONE) continue; page = n;``, ``page =
max(page, next[page])``), and a link may lead to itself, which a loop sees that keeps a copy of
where it stood (``last = page; page = next[page];``): these may wait, and are not meant either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping

from simulator.compile.spin_loops import Names, always, mentions, settings
from simulator.ir import tree
from simulator.ir.tree import children, walk


def links(loop: tree.Loop) -> dict[tree.Expression, Names]:
    """Find what sets the variables that each iteration takes from memory at an address of theirs.

    Parameters
    ----------
    loop : Loop
        Of a checked tree.

    Returns
    -------
    dict
        The expressions, each with the variables that lead to it.
    """
    set_to = _steady(loop)
    made = {name: mentions(value) for name, value in set_to.items()}
    kept = {name: _unloaded(value) for name, value in set_to.items()}
    stays = {name for name in set_to if name in _reached(name, kept)}
    found: dict[tree.Expression, Names] = {}
    for name, value in set_to.items():
        circle = {other for other in _reached(name, made) if name in _reached(other, made)}
        copied = any(_copies(set_to[other], circle) for other in set_to.keys() - circle)
        if circle and not circle & stays and not copied:
            found[value] = circle
    return found


def waited(
    node: tree.Expression, followed: Mapping[tree.Expression, Names]
) -> Iterator[tree.Expression]:
    """Yield an expression, or its parts that are no links.

    Parameters
    ----------
    node : Expression
        What decides whether a loop goes on.
    followed : mapping
        What `links` finds.
    """
    if node in followed:
        yield from _beside(node, followed[node])
    elif any(inner in followed for inner in walk(node)):
        for child in children(node):
            if isinstance(child, tree.Expression):
                yield from waited(child, followed)
    else:
        yield node


def _beside(node: tree.Expression, leading: Names) -> Iterator[tree.Expression]:
    """Yield what is loaded for a link without being it: other loads, and those in its address."""
    for load in _loads(node):
        for other in children(load) if mentions(load) & leading else [load]:
            if isinstance(other, tree.Expression):
                yield other


def _copies(node: tree.Expression, names: Names) -> bool:
    """Whether an expression is one of some variables."""
    while isinstance(node, tree.Cast):
        node = node.operand
    return isinstance(node, tree.Name) and node.symbol in names


def _steady(loop: tree.Loop) -> dict[tree.Symbol, tree.Expression]:
    """Find the variables that every iteration sets exactly once, and to what."""
    plain = [n for n in always(loop.body) if isinstance(n, (tree.Evaluate, tree.Declaration))]
    parts = [*plain, *(part for part in (loop.test, loop.step) if part is not None)]
    sure = {node for part in parts for node in _unconditional(part)}
    found: dict[tree.Symbol, list[tree.Expression | None]] = defaultdict(list)
    for node in (n for part in (loop.body, loop.test, loop.step) if part for n in walk(part)):
        whole = isinstance(node, tree.Declaration) or (
            isinstance(node, tree.Assign) and isinstance(node.target, tree.Name)
        )
        for symbol, value in settings(node):
            found[symbol].append(value if whole and node in sure else None)
    once = {symbol: values[0] for symbol, values in found.items() if len(values) == 1}
    return {symbol: value for symbol, value in once.items() if value is not None}


def _unconditional(node: tree.Node) -> Iterator[tree.Node]:
    """Yield a node and what is evaluated below it whatever its values are."""
    yield node
    below = list(children(node))
    if isinstance(node, (tree.Logical, tree.Conditional)):
        below = below[:1]
    for child in below:
        yield from _unconditional(child)


def _reached(name: tree.Symbol, made: dict[tree.Symbol, Names]) -> Names:
    """Find the variables that one is made of, itself only if it is, too."""
    found: Names = set()
    waiting = [name]
    while waiting:
        for other in made.get(waiting.pop(), ()):
            if other in made and other not in found:
                found.add(other)
                waiting.append(other)
    return found


def _unloaded(node: tree.Node) -> Names:
    """Find the variables whose own values an expression is made of, not what they lead to."""
    if _is_load(node):
        return set()
    own = {node.symbol} if isinstance(node, tree.Name) and node.symbol is not None else set()
    return own.union(*map(_unloaded, _parts(node)))


def _loads(node: tree.Node) -> Iterator[tree.Node]:
    """Yield the outermost lvalues in memory, from a node on, whose values are taken."""
    if _is_load(node):
        yield node
    else:
        for part in _parts(node):
            yield from _loads(part)


def _parts(node: tree.Node) -> Iterator[tree.Node]:
    """Yield what a node is computed from; of an address what the address is made of."""
    inner = node
    if isinstance(node, tree.AddressOf):
        inner = node.operand
        while isinstance(inner, tree.Member):
            inner = inner.base
    yield from children(inner)


def _is_load(node: tree.Node) -> bool:
    return isinstance(node, (tree.Index, tree.Deref))
