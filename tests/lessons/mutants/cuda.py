"""Changes of a kernel file: of its tree as the simulator reads it, made in its text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from gpubfs.kernels import KERNELS
from simulator.ir import tree
from simulator.ir import unchecked as declared
from simulator.ir.tree import walk
from simulator.read import read
from simulator.source import Source, Span
from tests.lessons.mutants import tables
from tests.lessons.mutants.mutant import Edit, Place, taken

#: What the file is called while it is read: nodes of headers are not looked at.
FILE = "solution.cu"
_DECLARED = re.compile(r"\b(int|unsigned|bool|offset_t)( \*)?\s*(\w+)(?= *[,;)=])")


def edits(text: str) -> Iterator[Edit]:
    """All single changes of a file."""
    return _Edits(text).all()


@cache
def _headers() -> dict[str, str]:
    files = (file for file in KERNELS.iterdir() if file.suffix in (".cu", ".cuh"))
    return {file.name: file.read_text("utf-8") for file in files}


class _Edits:
    """The changes of one file."""

    def __init__(self, text: str) -> None:
        self.text = text
        unit = read(Source(text, FILE), {}, _headers())
        nodes = (node for item in unit.items for node in walk(item))
        self.nodes = [node for node in nodes if node.span.source.name == FILE]
        self.types = self._declared()

    def all(self) -> Iterator[Edit]:
        for node in self.nodes:
            for kinds, change in self._changes():
                if isinstance(node, kinds):
                    yield from change(node)

    def _changes(self) -> list[tuple[Any, Callable[[Any], Iterator[Edit]]]]:
        """What is done with nodes of each kind."""
        return [
            (tree.Binary | tree.Logical, self._binary),
            (tree.CompoundAssign, self._assignment),
            (tree.Increment | tree.Unary, self._unary),
            (tree.Literal, self._literal),
            (tree.Name | tree.Member, self._word),
            (tree.Index, lambda node: self._shifted(node.index, "index")),
            (tree.Conditional, lambda node: self._exchanged(node.then, node.other)),
            (tree.Call, self._call),
            (declared.Variable, self._variable),
            (tree.Block, self._order),
            (tree.If | tree.Loop, self._condition),
            (tree.If | tree.Loop, self._barriers),
            (tree.Evaluate | tree.If | tree.Loop | tree.Return, self._dropped),
        ]

    def _edit(self, kind: str, node: tree.Node, text: str) -> Edit:
        return Edit(kind, place_of(node.span), text)

    def _of(self, node: tree.Node) -> str:
        return taken(self.text, place_of(node.span))

    def _binary(self, node: tree.Binary | tree.Logical) -> Iterator[Edit]:
        left, right = self._of(node.left), self._of(node.right)
        yield from self._operator(node.left, node.right, tables.OPERATORS)
        if node.op in tables.ONE_SIDE:
            yield self._edit("one side", node, f"({left})")
            yield self._edit("one side", node, f"({right})")
        if node.op in ("<", "<=", ">", ">=", "=="):
            yield from self._shifted(node.right, "bound")
        if node.op in ("-", "/", "%", "<<", "<", ">"):
            yield self._edit("exchanged", node, f"({right} {node.op} {left})")

    def _operator(
        self, left: tree.Node, right: tree.Node, table: dict[str, tuple[str, ...]]
    ) -> Iterator[Edit]:
        """Other operators between two expressions."""
        a, b = left.span, right.span
        between = Place(a.end_line, a.end_column, b.line, b.column)
        words = taken(self.text, between)
        for other in table.get(words.strip(), ()):
            yield Edit("operator", between, words.replace(words.strip(), other))

    def _unary(self, node: tree.Increment | tree.Unary) -> Iterator[Edit]:
        words = self._of(node)
        if isinstance(node, tree.Unary):
            yield self._edit("operator", node, self._of(node.operand))
        for op, other in (("++", "--"), ("--", "++")):
            if op in words:
                yield self._edit("operator", node, words.replace(op, other))

    def _literal(self, node: tree.Literal) -> Iterator[Edit]:
        words = self._of(node)
        for other in tables.WORDS.get(words, ()):
            yield self._edit("constant", node, other)
        if number := re.fullmatch(r"(\d+)(\w*)", words):
            for value in {int(number[1]) + 1, int(number[1]) - 1, 0, 1} - {int(number[1])}:
                yield self._edit("constant", node, f"{value}{number[2]}".replace("-1", "(-1)"))

    def _word(self, node: tree.Name | tree.Member) -> Iterator[Edit]:
        words = self._of(node)
        for other in tables.WORDS.get(words, ()):
            yield self._edit("constant", node, other)
        for other in self._alike(words, node.span.line):
            yield self._edit("variable", node, other)

    def _shifted(self, node: tree.Expression, kind: str) -> Iterator[Edit]:
        for by in ("+ 1", "- 1"):
            yield self._edit(kind, node, f"({self._of(node)} {by})")

    def _exchanged(self, one: tree.Node, other: tree.Node) -> Iterator[Edit]:
        """Two neighbours, each in the other's place."""
        a, b = one.span, other.span
        between = taken(self.text, Place(a.end_line, a.end_column, b.line, b.column))
        yield Edit("exchanged", place_of(a.to(b)), self._of(other) + between + self._of(one))

    def _call(self, node: tree.Call) -> Iterator[Edit]:
        words = self._of(node)
        for other in tables.FUNCTIONS.get(node.name, ()):
            yield self._edit("function", node, words.replace(node.name, other, 1))
        arguments = [self._of(one) for one in node.arguments]
        if node.name in tables.PLAIN:
            yield self._edit("plain", node, tables.PLAIN[node.name].format(*arguments))
        for one, other in pairwise(node.arguments):
            yield from self._exchanged(one, other)

    def _variable(self, node: declared.Variable) -> Iterator[Edit]:
        words = self._of(node)
        for name, others in tables.TYPES.items():
            if found := re.match(rf"(?:(?:__shared__|const|extern) )*({name})\b", words):
                for other in others:
                    changed = words[: found.start(1)] + other + words[found.end(1) :]
                    yield self._edit("type", node, changed)
        if "=" in words:
            yield self._edit("no value", node, words[: words.index("=")].rstrip() + ";")

    def _assignment(self, node: tree.CompoundAssign) -> Iterator[Edit]:
        yield from self._operator(node.target, node.value, tables.ASSIGNMENTS)

    def _dropped(self, node: tree.Statement) -> Iterator[Edit]:
        yield self._edit("dropped", node, ";")

    def _order(self, node: tree.Block) -> Iterator[Edit]:
        for one, other in pairwise(node.body):
            yield from self._exchanged(one, other)

    def _condition(self, node: tree.If | tree.Loop) -> Iterator[Edit]:
        if node.test is not None:
            for text in (f"!({self._of(node.test)})", "true", "false"):
                yield self._edit("condition", node.test, text)

    def _barriers(self, node: tree.If | tree.Loop) -> Iterator[Edit]:
        """Barriers at the beginning of a body, and at the end of a loop's."""
        body = node.then if isinstance(node, tree.If) else node.body
        inside = self._of(body).removeprefix("{").removesuffix("}")
        for barrier in tables.BARRIERS:
            yield self._edit("barrier", body, f"{{ {barrier} {inside} }}")
            if isinstance(node, tree.Loop):
                yield self._edit("barrier", body, f"{{ {inside} {barrier} }}")

    def _declared(self) -> list[tuple[int, str, str]]:
        """Where variables and parameters are declared, with type and name."""
        found = []
        for match in _DECLARED.finditer(self.text):
            line = self.text.count("\n", 0, match.start()) + 1
            found.append((line, match[1] + (match[2] or ""), match[3]))
        return found

    def _alike(self, name: str, line: int) -> list[str]:
        """The two variables of the same type that were declared last before a line."""
        functions = (node for node in self.nodes if isinstance(node, declared.Definition))
        begin = max((at for one in functions if (at := one.span.line) <= line), default=1)
        known = [one for one in reversed(self.types) if begin <= one[0] <= line]
        kinds = {kind for _, kind, own in known if own == name}
        others = (own for at, kind, own in known if at < line and kind in kinds and own != name)
        return list(others)[:2]


def place_of(span: Span) -> Place:
    """The place of a node."""
    return Place(span.line, span.column, span.end_line, span.end_column)
