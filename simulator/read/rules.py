"""How Lark's lists of children reach the methods of the builder."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from simulator.ir.tokens import Token


def _takes_children(method: Callable[..., Any]) -> Callable[[Any, list[Any]], Any]:
    return lambda self, children: method(self, *children)


def inlined(cls: type) -> type:
    """Lark hands over a list of children; the public methods of `cls` name them."""
    for name, method in list(vars(cls).items()):
        if not name.startswith("__"):
            setattr(cls, name, _takes_children(method))
    return cls


def flat(children: tuple[Any, ...]) -> Iterator[Any]:
    """The nodes among `children`, tuples of them opened, tokens and gaps left out."""
    for child in children:
        if isinstance(child, tuple):
            yield from child
        elif child is not None and not isinstance(child, Token):
            yield child
