"""Read: CUDA C text to an unchecked tree.

What is not in the language of cuda.lark raises a CompileError where it is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from simulator.ir import tree
from simulator.ir.tree import deepest, walk
from simulator.ir.unchecked import NameExpression, Unit
from simulator.read import grammar
from simulator.read.attributes import attributes, changes_nothing
from simulator.read.names import TypeNames
from simulator.read.namespaces import Namespaces
from simulator.read.preprocess import Preprocessor
from simulator.source import CompileError, Diagnostic, Source, Span, Token, TokenStream, bounded

MOST_LEVELS = 128


def read(
    source: Source,
    defines: Mapping[str, str] | None = None,
    headers: Mapping[str, str] | None = None,
    names: Sequence[str] = (),
) -> Unit:
    """Parse a CUDA C file.

    Parameters
    ----------
    source
        the text
    defines
        macros defined from outside, as `-DNAME=VALUE` does
    headers
        the text of each file that `#include` may name, by that name
    names
        functions that the host will ask for, instances of templates among them

    Returns
    -------
    Unit
        the unchecked program

    Raises
    ------
    CompileError
        at the first thing that is not in the language of cuda.lark

    Examples
    --------
    >>> unit = read(Source("__global__ void fill(int *a) { *a = VALUE; }"), {"VALUE": "7"})
    >>> unit.items[0].head.name
    'fill'
    """
    preprocessor = Preprocessor(defines or {}, {} if headers is None else headers)
    try:
        spaces, types = Namespaces(preprocessor.included), TypeNames(preprocessor.included)
        words = _without_attributes(bounded(preprocessor.tokens(source)), preprocessor.warnings)
        tokens = types.classify(spaces.resolved(words))
        items = grammar.parse(tokens, end_of(source))
        asked = tuple(_name_expression(text, spaces, types) for text in names)
    except RecursionError:
        start = Span(source, 1, 1, 1, 1)
        raise CompileError("the macros of this source are nested too deeply", start) from None
    for item in items:
        deep = deepest(item, MOST_LEVELS)
        if deep is not None:
            raise _too_deep(item, deep)
    whole = Span(source, 1, 1, *_last_position(source))
    warnings = tuple(preprocessor.warnings)
    included = frozenset(preprocessor.included)
    return Unit({}, (), items=items, asked=asked, headers=included, warnings=warnings, span=whole)


def _without_attributes(tokens: Iterable[Token], warnings: list[Diagnostic]) -> Iterator[Token]:
    """Yield the tokens without attributes `[[…]]`, which change nothing that a program does."""
    stream = TokenStream(tokens)
    front: tuple[Token, ...] = ()
    while (token := stream.peek()) is not None:
        if token.text == "[" and stream.text(1) == "[":
            found = attributes(stream, front)
            if found is not None:
                warnings += found
                continue
        if token.text == "__attribute__" and changes_nothing(stream):
            continue
        yield next(stream)
        front = (*front[-1:], token)


def _name_expression(text: str, spaces: Namespaces, types: TypeNames) -> NameExpression:
    """Return a name as the host writes it, such as `kernel<float, 256>`."""
    source = Source(text, "name_expressions")
    tokens = types.classify(spaces.resolved(grammar.lex(source)))
    found: NameExpression = grammar.parse(tokens, end_of(source), start="name_expression")
    return replace(found, text=text)


def _too_deep(item: tree.Node, deep: tree.Node) -> CompileError:
    """Return the error for a node too many levels down: long chains of operators are no nesting."""
    chain = _longest_chain(item)
    if len(chain) < MOST_LEVELS // 2:
        what = f"more than {MOST_LEVELS} levels of nesting"
        return CompileError(what, deep.span, "split it into several parts")
    what = f"an expression of {len(chain):,} operators in a row is too long for the simulator"
    hint = f"compute parts of fewer than {MOST_LEVELS - 8} operators in variables of their own"
    return CompileError(what, chain[0].span, hint)


def _longest_chain(root: tree.Node) -> list[tree.Binary | tree.Logical]:
    """Return the longest chain of operators, as in `a + b + c`, the last one first."""
    longest: list[tree.Binary | tree.Logical] = []
    seen: set[int] = set()
    for node in walk(root):
        if not isinstance(node, tree.Binary | tree.Logical) or id(node) in seen:
            continue
        chain = [node]
        while isinstance(left := chain[-1].left, tree.Binary | tree.Logical):
            chain.append(left)
        seen.update(map(id, chain))
        longest = max(longest, chain, key=len)
    return longest


def end_of(source: Source) -> Span:
    """Return the empty span behind the last character."""
    position = _last_position(source)
    return Span(source, *position, *position)


def _last_position(source: Source) -> tuple[int, int]:
    lines = source.text.split("\n")
    return len(lines), len(lines[-1]) + 1
