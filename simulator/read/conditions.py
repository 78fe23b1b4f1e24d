"""Conditions of the preprocessor: which lines count, and what `#if` says."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simulator.ir import tree
from simulator.ir.constants import computed
from simulator.ir.tokens import Token, behind, whole
from simulator.ir.walk import deepest
from simulator.read import grammar
from simulator.read.macros import Macros
from simulator.source import CompileError, Span

MOST_LEVELS = 128


@dataclass
class _Open:
    """One `#if` without its `#endif`: whether its lines count now, and whether a part has."""

    span: Span
    outer: bool
    active: bool
    taken: bool
    seen_else: bool = False


class Conditions:
    """The open conditions of one file.

    Each method named after a directive takes the directive's word and the rest of its line.
    """

    def __init__(self, macros: Macros) -> None:
        self._macros = macros
        self._open: list[_Open] = []
        self._directives: dict[str, Callable[[Token, list[Token]], None]] = {
            "if": self._if,
            "ifdef": self._ifdef,
            "ifndef": self._ifndef,
            "elif": self._elif,
            "else": self._else,
            "endif": self._endif,
        }

    @property
    def active(self) -> bool:
        """Whether the lines here count."""
        return not self._open or self._open[-1].active

    def directive(self, word: Token, rest: list[Token]) -> bool:
        """Carry out a directive, if it is about conditions, and say whether it is.

        Raises
        ------
        CompileError
            if it has no `#if`, or its condition is none
        """
        method = self._directives.get(word.text)
        if method is not None:
            method(word, rest)
        return method is not None

    def close(self) -> None:
        """The end of the file.

        Raises
        ------
        CompileError
            if a condition is still open
        """
        if self._open:
            span = self._open[-1].span
            raise CompileError("this condition is not closed", span, "close it with `#endif`")

    def _begin(self, word: Token, holds: Callable[[], bool]) -> None:
        outer = self.active
        active = outer and holds()
        self._open.append(_Open(word.span, outer, active, active))

    def _if(self, word: Token, rest: list[Token]) -> None:
        self._begin(word, lambda: self._holds(word, rest))

    def _ifdef(self, word: Token, rest: list[Token]) -> None:
        self._begin(word, lambda: sole_name(word, rest) in self._macros)

    def _ifndef(self, word: Token, rest: list[Token]) -> None:
        self._begin(word, lambda: sole_name(word, rest) not in self._macros)

    def _elif(self, word: Token, rest: list[Token]) -> None:
        condition = self._innermost(word)
        possible = condition.outer and not condition.taken
        condition.active = possible and self._holds(word, rest)
        condition.taken = condition.taken or condition.active

    def _else(self, word: Token, rest: list[Token]) -> None:
        condition = self._innermost(word)
        condition.seen_else = True
        condition.active = condition.outer and not condition.taken
        condition.taken = True

    def _endif(self, word: Token, rest: list[Token]) -> None:
        self._innermost(word)
        self._open.pop()

    def _innermost(self, word: Token) -> _Open:
        if not self._open:
            hint = "remove it, or write `#if` before it"
            raise CompileError(f"#{word.text} without #if", word.span, hint)
        if self._open[-1].seen_else and word.text != "endif":
            raise CompileError(f"#{word.text} after #else", word.span, "close with #endif first")
        return self._open[-1]

    def _holds(self, word: Token, rest: list[Token]) -> bool:
        """The value of a condition: names that are no macros count as 0."""
        if not rest:
            hint = f"write one, as in `#{word.text} WIDTH > 8`"
            raise CompileError(f"#{word.text} needs a condition", word.span, hint)
        tokens = [_zero(token) for token in self._macros.expand(self._answered(rest))]
        condition = grammar.parse(tokens, behind(rest[-1].span), "expression")
        if deepest(condition, MOST_LEVELS) is not None:
            raise CompileError("this condition is nested too deeply", whole(word, rest))
        try:
            return _value(condition) != 0
        except ZeroDivisionError:
            raise CompileError("division by zero in a condition", whole(word, rest)) from None

    def _answered(self, rest: list[Token]) -> Iterator[Token]:
        """The condition with each `defined NAME` and `defined(NAME)` as 1 or 0."""
        waiting = deque(rest)
        while waiting:
            token = waiting.popleft()
            if token.text != "defined":
                yield token
                continue
            bracket = bool(waiting) and waiting[0].text == "("
            if bracket:
                waiting.popleft()
            if not waiting or not waiting[0].is_word:
                raise CompileError("`defined` needs a name", token.span)
            yield _number(token, "1" if waiting.popleft().text in self._macros else "0")
            if bracket and (not waiting or waiting.popleft().text != ")"):
                raise CompileError("`)` is missing after `defined(`", token.span)


def sole_name(word: Token, rest: list[Token]) -> str:
    """The one name that a directive takes.

    Raises
    ------
    CompileError
        if there is none, or more
    """
    if len(rest) != 1 or not rest[0].is_word:
        hint = f"write `#{word.text} NAME`"
        raise CompileError(f"#{word.text} needs one name", whole(word, rest), hint)
    return rest[0].text


def _zero(token: Token) -> Token:
    return _number(token, "0") if token.is_word and token.text not in ("true", "false") else token


def _number(token: Token, text: str) -> Token:
    return Token("NUMBER", text, token.span)


def _value(node: tree.Expression) -> int:
    """The value of an unchecked expression, whose numbers are all integers without limits."""
    if isinstance(node, tree.Literal) and not isinstance(node.value, float):
        return int(node.value)
    if isinstance(node, tree.Unary):
        value = _value(node.operand)
        return {"-": -value, "+": value, "~": ~value, "!": int(not value)}[node.op]
    if isinstance(node, tree.Logical):
        left = _value(node.left) != 0
        return int(left if left == (node.op == "||") else _value(node.right) != 0)
    if isinstance(node, tree.Conditional):
        return _value(node.then if _value(node.test) else node.other)
    if isinstance(node, tree.Binary) and node.op != ",":
        left_value, right_value = _value(node.left), _value(node.right)
        if node.op in ("<<", ">>") and not 0 <= right_value < 64:
            raise CompileError("a shift by this many bits is not defined", node.span)
        return int(computed(node.op, left_value, right_value, False))
    what = "this cannot stand in a condition of the preprocessor"
    raise CompileError(what, node.span, "use integers and macros")
