"""Changes of a driver: of Python's tree, made in the text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from tests.lessons.mutants.mutant import Edit, Place, student_lines, taken

COMPARED = {
    ast.Lt: ("<=", "!="),
    ast.LtE: ("<",),
    ast.Gt: (">=", "!="),
    ast.GtE: (">",),
    ast.Eq: ("!=",),
    ast.NotEq: ("==",),
}
BINARY = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.FloorDiv: "*", ast.Mod: "//"}
#: How many other names take the place of one.
OTHERS = 3


def edits(text: str) -> Iterator[Edit]:
    """All single changes of a file."""
    return _Edits(text).all()


class _Edits:
    """The changes of one file."""

    def __init__(self, text: str) -> None:
        self.text = text
        lines = student_lines(text)
        self.nodes = [n for n in ast.walk(ast.parse(text)) if getattr(n, "lineno", 0) in lines]
        uses = (node.id for node in self.nodes if isinstance(node, ast.Name))
        self.names = list(dict.fromkeys([*uses, "source"]))

    def all(self) -> Iterator[Edit]:
        for node in self.nodes:
            for kinds, change in self._changes():
                if isinstance(node, kinds):
                    yield from change(node)

    def _changes(self) -> list[tuple[Any, Callable[[Any], Iterator[Edit]]]]:
        """What is done with nodes of each kind."""
        return [
            (ast.Constant, self._constant),
            (ast.Name, self._name),
            (ast.Call | ast.Tuple, self._arguments),
            (ast.While | ast.If, lambda node: self._condition(node.test)),
            (ast.AugAssign | ast.BinOp, self._operator),
            (ast.Compare, self._compare),
            (ast.Expr | ast.Assign | ast.AugAssign, self._statement),
        ]

    def _constant(self, node: ast.Constant) -> Iterator[Edit]:
        if isinstance(node.value, int):
            for other in (node.value - 1, node.value + 1, node.value + 2):
                yield self._edit("constant", node, str(other))

    def _statement(self, node: ast.stmt) -> Iterator[Edit]:
        yield self._edit("dropped", node, "pass")
        yield self._edit("twice", node, f"{self._of(node)}; {self._of(node)}")

    def _of(self, node: ast.AST) -> str:
        return taken(self.text, place_of(node))

    def _edit(self, kind: str, node: ast.AST, text: str) -> Edit:
        return Edit(kind, place_of(node), text)

    def _name(self, node: ast.Name) -> Iterator[Edit]:
        others = [name for name in self.names if name != node.id]
        for other in others[-OTHERS:]:
            yield self._edit("variable", node, other)
        if isinstance(node.ctx, ast.Load):
            for by in ("+ 1", "- 1"):
                yield self._edit("bound", node, f"({node.id} {by})")

    def _arguments(self, node: ast.Call | ast.Tuple) -> Iterator[Edit]:
        given = node.args if isinstance(node, ast.Call) else node.elts
        for one, other in pairwise(given):
            a, b = place_of(one), place_of(other)
            between = taken(self.text, Place(a.end_line, a.end_column, b.line, b.column))
            whole = Place(a.line, a.column, b.end_line, b.end_column)
            yield Edit("exchanged", whole, self._of(other) + between + self._of(one))

    def _condition(self, test: ast.expr) -> Iterator[Edit]:
        for text in (f"not ({self._of(test)})", "True", "False"):
            yield self._edit("condition", test, text)

    def _operator(self, node: ast.AugAssign | ast.BinOp) -> Iterator[Edit]:
        left, right = (
            (node.target, node.value)
            if isinstance(node, ast.AugAssign)
            else (node.left, node.right)
        )
        equals = "=" if isinstance(node, ast.AugAssign) else ""
        if other := BINARY.get(type(node.op)):
            yield self._edit(
                "operator", node, f"{self._of(left)} {other}{equals} {self._of(right)}"
            )

    def _compare(self, node: ast.Compare) -> Iterator[Edit]:
        for other in COMPARED.get(type(node.ops[0]), ()):
            words = f"{self._of(node.left)} {other} {self._of(node.comparators[0])}"
            yield self._edit("operator", node, words)


def place_of(node: ast.AST) -> Place:
    """The place of a node; all that is changed is ASCII, so bytes are columns."""
    assert isinstance(node, ast.expr | ast.stmt)
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    return Place(node.lineno, node.col_offset + 1, node.end_lineno, node.end_col_offset + 1)
