"""The ways to make a program smaller without letting races or undefined behaviour in.

A pass yields edits, largest first; an edit changes a program in place. It finds what it changes by
its number in the order of the tree, so that it can be applied to a copy.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.fuzz.simplify import Edit, nodes, roots, simpler
from tests.reference import exchanges
from tests.reference import statements as st
from tests.reference.guards import Own
from tests.reference.program import Program, whole_warps
from tests.reference.walk import names, places, unknown, within

# What must hold of every program.


def valid(program: Program) -> bool:
    """Whether C accepts the program and every machine must give it the same meaning."""
    kernels = program.kernels
    return (
        not unknown(program)
        and all(whole_warps(program, k) for k in kernels)
        and not any(stray_jump(root) for root in roots(program))
        and all(f.result is None or gives_back(f.body) for f in program.functions)
        and all(n.cases for n in nodes(program) if isinstance(n, st.Switch))
        and all(set(k.shared) == filled(k.body) for k in kernels)
    )


def stray_jump(node: Any) -> bool:
    """Whether a break or continue stands outside loops."""
    if isinstance(node, st.Jump):
        return True
    return not isinstance(node, st.Loop) and any(stray_jump(child) for _, child in places(node))


def gives_back(body: st.Body) -> bool:
    return bool(body.statements) and isinstance(body.statements[-1], st.Return)


def filled(body: st.Body) -> set[str]:
    """The shared arrays that have first values."""
    return {node.name for node in within(body) if isinstance(node, exchanges.Fill)}


# Passes.


def fewer_kernels(program: Program) -> Iterator[Edit]:
    for at in range(len(program.order)):

        def drop(p: Program, at: int = at) -> None:
            del p.order[at]
            forget(p)

        yield drop


def forget(program: Program) -> None:
    """Drop kernels that are not launched, and functions and arrays that nobody names."""
    kept = sorted(set(program.order))
    program.kernels = [program.kernels[at] for at in kept]
    program.order = [kept.index(at) for at in program.order]
    used = {name for node in nodes(program) for name in names(node)}
    program.functions = [f for f in program.functions if f.name in used]
    for kernel in program.kernels:
        mine = [n for n in within(kernel.body) if not isinstance(n, exchanges.Fill)]
        used = {name for node in mine for name in names(node)}
        kernel.arrays = {n: c for n, c in kernel.arrays.items() if n in used}
        kernel.numbers = {n: v for n, v in kernel.numbers.items() if n in used}
        kernel.shared = {n: s for n, s in kernel.shared.items() if n in used}
        for node in within(kernel.body):
            if isinstance(node, st.Body):
                node.statements[:] = [s for s in node.statements if not unused_fill(s, used)]
    used = {name for kernel in program.kernels for name in kernel.arrays}
    program.arrays = {n: a for n, a in program.arrays.items() if n in used}


def unused_fill(statement: st.Stmt, used: set[str]) -> bool:
    return isinstance(statement, exchanges.Fill) and statement.name not in used


def tidied(program: Program) -> Iterator[Edit]:
    yield forget


def fewer_statements(program: Program) -> Iterator[Edit]:
    """Remove runs of statements, the longest first."""
    lists = [(i, len(n)) for i, n in enumerate(statement_lists(program)) if n]
    size = max((length for _, length in lists), default=0)
    while size:
        for at, length in lists:
            for start in range(0, length, size):
                if length >= size:
                    yield removal(at, start, start + size)
        size //= 2


def statement_lists(program: Program) -> list[list[Any]]:
    every = nodes(program)
    bodies = [n.statements for n in every if isinstance(n, st.Body)]
    return bodies + [n.cells for n in every if isinstance(n, exchanges.Phase)]


def removal(at: int, start: int, end: int) -> Edit:
    def remove(p: Program) -> None:
        del statement_lists(p)[at][start:end]

    return remove


def fewer_cases(program: Program) -> Iterator[Edit]:
    """Drop cases of switches."""
    for at, node in enumerate(nodes(program)):
        for case in range(len(node.cases) if isinstance(node, st.Switch) else 0):

            def drop(p: Program, at: int = at, case: int = case) -> None:
                switch = nodes(p)[at]
                del switch.cases[case], switch.breaks[case]

            yield drop


def unwrapped(program: Program) -> Iterator[Edit]:
    """Put what a branch or loop encloses in its place."""
    for at, statements in enumerate(statement_lists(program)):
        for place, statement in enumerate(statements):
            for side in range(len(sides(statement))):

                def unwrap(p: Program, at: int = at, place: int = place, side: int = side) -> None:
                    where = statement_lists(p)[at]
                    where[place : place + 1] = sides(where[place])[side].statements

                yield unwrap


def sides(statement: st.Stmt) -> list[st.Body]:
    if isinstance(statement, exchanges.Split) and meets(statement):
        return []
    if isinstance(statement, (st.If, exchanges.Split)):
        return [side for side in (statement.then, statement.other) if side]
    if isinstance(statement, st.Switch):
        return statement.cases
    if isinstance(statement, st.Body):
        return [statement]
    return [statement.body] if isinstance(statement, st.Loop) else []


def meets(split: exchanges.Split) -> bool:
    """Whether lanes exchange anything on a side, which all of them cannot do there."""
    return any(hasattr(node, "bits") for side in (split.then, split.other) for node in within(side))


def one_sided(program: Program) -> Iterator[Edit]:
    """Drop what `else` leads to."""
    for at, node in enumerate(nodes(program)):
        if isinstance(node, st.If) and node.other:

            def drop(p: Program, at: int = at) -> None:
                nodes(p)[at].other = None

            yield drop


def plainer_barriers(program: Program) -> Iterator[Edit]:
    for at, node in enumerate(nodes(program)):
        if isinstance(node, exchanges.Phase) and isinstance(node.end, st.Barrier) and node.end.vote:

            def plain(p: Program, at: int = at) -> None:
                nodes(p)[at].end = st.Barrier()

            yield plain


# Sizes.


def smaller(program: Program) -> Iterator[Edit]:
    """Fewer blocks and threads, zeros for numbers and first values, plain cells."""
    for at, kernel in enumerate(program.kernels):
        for grid in less(kernel.grid, kernel.blocks):
            yield setting(at, "grid", grid)
        for block in less(kernel.block, kernel.threads):
            yield setting(at, "block", block)
        for name in kernel.numbers:
            yield zero_number(at, name)
    for name in program.arrays:
        yield zero_start(name)
    for at, node in enumerate(nodes(program)):
        if isinstance(node, Own):
            yield from (plain_cell(at, part) for part in ("scale", "shift", "turn"))


def less(extent: tuple[int, int, int], count: int) -> list[tuple[int, int, int]]:
    sizes = {1, 2, 8, 32, 33, 64, count // 2, count - 1, count}
    flat = [(n, 1, 1) for n in sorted(sizes) if 0 < n <= count]
    return [e for e in flat if e != extent]


def setting(at: int, name: str, value: Any) -> Edit:
    return lambda p: setattr(p.kernels[at], name, value)


def zero_number(at: int, name: str) -> Edit:
    def zero(p: Program) -> None:
        numbers = p.kernels[at].numbers
        numbers[name] = (numbers[name][0], 0)

    return zero


def zero_start(name: str) -> Edit:
    return lambda p: setattr(p.arrays[name], "start", 0)


def plain_cell(at: int, part: str) -> Edit:
    value = {"scale": 1, "shift": 0, "turn": ""}[part]
    return lambda p: setattr(nodes(p)[at], part, value)


#: In the order in which they take most away.
PASSES = (
    fewer_kernels,
    fewer_statements,
    tidied,
    fewer_cases,
    unwrapped,
    one_sided,
    plainer_barriers,
    smaller,
    simpler,
)
