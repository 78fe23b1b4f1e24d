"""Which expressions of a loop follow links, so that the loop does not wait at them.

A loop that waits reads the same word again until another thread has changed it. One that goes along
links (``page = next[page]``) reads another word each time: its variable is set in every iteration,
from memory at an address made of the variable itself. What is read at such addresses decides how
long the loop runs, but is no message that was waited for. Where an iteration may keep the variable
(``if (n == NONE) continue; page = n;``, ``page = max(page, next[page])``) the same word may be read
again, and the loop may wait.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from simulator.compile.spin_loops import Names, always, mentions, settings
from simulator.ir import tree
from simulator.ir.tree import children, walk


def chased(loop: tree.Loop) -> Names:
    """Find the variables that each iteration sets from memory at an address made of them.

    Parameters
    ----------
    loop : Loop
        Of a checked tree.
    """
    steady = _steady(loop)
    made = {name: set().union(*map(mentions, values)) for name, values in steady.items()}
    kept = {name: set().union(*map(_unloaded, values)) for name, values in steady.items()}
    return {
        name for name in steady if name in _reached(name, made) and name not in _reached(name, kept)
    }


def waited(node: tree.Expression, links: Names) -> Iterator[tree.Expression]:
    """Yield an expression, or those of its parts that are not read along links.

    Parameters
    ----------
    node : Expression
        What decides whether a loop goes on.
    links : set of Symbol
        The loop's variables that `chased` finds.
    """
    if not any(_is_load(n) and mentions(n) & links for n in walk(node)):
        yield node
    elif not _is_load(node):
        for child in children(node):
            if isinstance(child, tree.Expression):
                yield from waited(child, links)


def _steady(loop: tree.Loop) -> dict[tree.Symbol, list[tree.Expression]]:
    """Find the variables that every iteration sets, wherever it sets them, and to what."""
    kept: dict[tree.Symbol, list[tree.Expression]] = defaultdict(list)
    reached = [node for node in always(loop.body) if isinstance(node, _PLAIN)]
    parts = [*reached, *(part for part in (loop.test, loop.step) if part is not None)]
    own = {node for part in parts for node in _unconditional(part)}
    unsure: Names = set()
    for node in (n for part in (loop.body, loop.test, loop.step) if part for n in walk(part)):
        for symbol, value in settings(node):
            if node in own and value is not None:
                kept[symbol].append(value)
            else:
                unsure.add(symbol)
    return {symbol: values for symbol, values in kept.items() if symbol not in unsure}


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
    return own.union(*(_unloaded(child) for child in children(node)))


def _is_load(node: tree.Node) -> bool:
    return isinstance(node, (tree.Index, tree.Deref))


_PLAIN = (tree.Evaluate, tree.Declaration)
