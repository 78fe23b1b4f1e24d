"""Directives that few programs have: conditions such as `#if`, and pragmas."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile

from simulator.hints.similar import nearest
from simulator.ir import constants, tree
from simulator.ir.constants import computed
from simulator.ir.tree import deepest
from simulator.read import grammar
from simulator.read.macros import Macros
from simulator.source import CompileError, Diagnostic, Source, Span, Token, behind, whole

MOST_LEVELS = 128
_HAS_INCLUDE = "__has_include"

# Conditions: which lines count, and what `#if` says.


@dataclass
class Condition:
    """One `#if` without its `#endif`: whether its lines count now, and whether a part has."""

    span: Span
    outer: bool
    active: bool
    taken: bool
    seen_else: bool = False


class Conditions:
    """Carries out the directives of conditions.

    Each method named after a directive takes its word and the rest of its line, and the conditions
    that are open in that file. `is_there` says whether a file may be included where a word stands.
    """

    def __init__(self, macros: Macros, is_there: Callable[[Token, str], bool]) -> None:
        self._macros = macros
        self._is_there = is_there
        self._directives = {
            "if": self._if,
            "ifdef": self._ifdef,
            "ifndef": self._ifdef,
            "elif": self._elif,
            "else": self._else,
            "endif": self._endif,
        }

    def directive(self, word: Token, rest: list[Token], opened: list[Condition]) -> bool:
        """Carry out a directive, if it is about conditions, and say whether it is."""
        method = self._directives.get(word.text)
        if method is not None:
            method(word, rest, opened)
        return method is not None

    def _if(self, word: Token, rest: list[Token], opened: list[Condition]) -> None:
        outer = not opened or opened[-1].active
        active = outer and self._holds(word, rest)
        opened.append(Condition(word.span, outer, active, active))

    def _ifdef(self, word: Token, rest: list[Token], opened: list[Condition]) -> None:
        outer = not opened or opened[-1].active
        active = outer and self._is_defined(sole_name(word, rest)) == (word.text == "ifdef")
        opened.append(Condition(word.span, outer, active, active))

    def _elif(self, word: Token, rest: list[Token], opened: list[Condition]) -> None:
        condition = _innermost(word, opened)
        possible = condition.outer and not condition.taken
        condition.active = possible and self._holds(word, rest)
        condition.taken = condition.taken or condition.active

    def _else(self, word: Token, rest: list[Token], opened: list[Condition]) -> None:
        condition = _innermost(word, opened)
        condition.seen_else = True
        condition.active = condition.outer and not condition.taken
        condition.taken = True

    def _endif(self, word: Token, rest: list[Token], opened: list[Condition]) -> None:
        _innermost(word, opened)
        opened.pop()

    def _holds(self, word: Token, rest: list[Token]) -> bool:
        """Return the value of a condition: names that are no macros count as 0."""
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
        """Yield the condition with each `defined NAME` and `defined(NAME)` as 1 or 0."""
        waiting = deque(rest)
        while waiting:
            token = waiting.popleft()
            if token.text == _HAS_INCLUDE:
                yield self._has_include(token, waiting)
                continue
            if token.text != "defined":
                yield token
                continue
            bracket = bool(waiting) and waiting[0].text == "("
            if bracket:
                waiting.popleft()
            if not waiting or not waiting[0].is_word:
                raise CompileError("`defined` needs a name", token.span)
            yield _number(token, "1" if self._is_defined(waiting.popleft().text) else "0")
            if bracket and (not waiting or waiting.popleft().text != ")"):
                raise CompileError("`)` is missing after `defined(`", token.span)

    def _is_defined(self, name: str) -> bool:
        return name in self._macros or name == _HAS_INCLUDE

    def _has_include(self, word: Token, waiting: deque[Token]) -> Token:
        """Return 1 or 0 for `__has_include(<name>)`."""
        inside = list(takewhile(lambda token: token.text != ")", _taken(waiting)))
        name = inside[1].span.to(inside[-1].span).text if len(inside) > 1 else ""
        if (inside[:1] and inside[0].text != "(") or name[:1] + name[-1:] not in ('""', "<>"):
            hint = 'write `__has_include("name")` or `__has_include(<name>)`'
            raise CompileError(f"`{_HAS_INCLUDE}` needs a header", word.span, hint)
        return _number(word, "1" if self._is_there(word, name[1:-1]) else "0")


def _taken(waiting: deque[Token]) -> Iterator[Token]:
    while waiting:
        yield waiting.popleft()


def _innermost(word: Token, opened: list[Condition]) -> Condition:
    if not opened:
        hint = "remove it, or write `#if` before it"
        raise CompileError(f"#{word.text} without #if", word.span, hint)
    if opened[-1].seen_else and word.text != "endif":
        raise CompileError(f"#{word.text} after #else", word.span, "close with #endif first")
    return opened[-1]


def sole_name(word: Token, rest: list[Token]) -> str:
    """Return the one name that a directive takes."""
    if len(rest) != 1 or not rest[0].is_word:
        hint = f"write `#{word.text} NAME`"
        raise CompileError(f"#{word.text} needs one name", whole(word, rest), hint)
    return rest[0].text


def _zero(token: Token) -> Token:
    return _number(token, "0") if token.is_word and token.text not in ("true", "false") else token


def _number(token: Token, text: str) -> Token:
    return Token("NUMBER", text, token.span)


def _value(node: tree.Expression) -> int:
    """Compute an unchecked expression, whose numbers are all integers without limits."""
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
    raise CompileError(
        what, node.span, "conditions of the preprocessor know numbers and macros only"
    )


# Pragmas, as `#pragma …` and as `_Pragma("…")`: which count, which are ignored, and how loudly.


#: What CUDA's compiler ignores without a word, or heeds without a change to what a program does.
_SILENT = frozenset(
    """STDC message ident redefine_extname nv_diagnostic nv_exec_check_disable hd_warning_disable
    nv_diag_suppress nv_diag_default nv_diag_error nv_diag_warning nv_diag_remark nv_diag_once
    """.split()
)
#: What changes a program.
_REFUSED = {"pack": "order the members by their size, the largest first", "nv_abi": "leave it out"}

Expand = Callable[[Iterable[Token]], Iterator[Token]]


class Pragmas:
    """The pragmas of one program.

    Parameters
    ----------
    expand
        expands macros
    warn
        takes what must be said of the program

    Attributes
    ----------
    once : set of str
        The files that say of themselves that they are included once.
    """

    def __init__(self, expand: Expand, warn: Callable[[Diagnostic], None]) -> None:
        self._expand = expand
        self._warn = warn
        self.once: set[str] = set()

    def directive(self, word: Token, rest: list[Token]) -> Iterator[Token]:
        """Carry out `#pragma …`; only `unroll` leaves a token."""
        yield from self._heeded(rest, whole(word, rest), word.span.source.name)

    def operator(self, token: Token, following: Iterator[Token]) -> Iterator[Token]:
        """Carry out `_Pragma("…")`, where the string in parentheses is still to follow."""
        found = list(islice(following, 3))
        if [part.type for part in found] != ["LPAR", "STRING", "RPAR"]:
            hint = 'write `_Pragma("unroll")`'
            raise CompileError("`_Pragma` needs a string in parentheses", token.span, hint)
        text, span = found[1], token.span.to(found[2].span)
        inner = grammar.lex(Source(constants.string(text.text, text.span), span.source.name))
        said = [part.hiding(span, token.hidden) for part in inner if part.type != "NEWLINE"]
        yield from self._heeded(said, span, span.source.name)

    def _heeded(self, said: Sequence[Token], span: Span, file: str) -> Iterator[Token]:
        name = said[0].text if said else ""
        if name == "once":
            self.once.add(file)
        elif name == "unroll":
            factor = " ".join(token.text for token in self._expand(said[1:]))
            yield Token("UNROLL", factor.removeprefix("( ").removesuffix(" )"), span)
        elif name in _REFUSED:
            raise CompileError(f"`#pragma {name}` is not supported", span, _REFUSED[name])
        elif name not in _SILENT:
            what = f"`#pragma {name}`".replace(" `", "`")
            hint = nearest(name, ["unroll", "once"]) or "leave it out"
            self._warn(Diagnostic(f"{what} means nothing in CUDA C: it is ignored", span, hint))
