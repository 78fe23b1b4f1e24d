"""Slips that have a name: rules for syntax errors that know what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable

from simulator.hints import foreign
from simulator.hints.gaps import (
    SHAPES,
    missing_comma,
    missing_first_value,
    missing_head,
    missing_name,
    missing_operator,
    no_parentheses,
    untyped_parameter,
)
from simulator.hints.situation import Situation
from simulator.hints.structure_errors import member_function
from simulator.hints.unknown_types import (
    unknown_cast,
    unknown_in_head,
    unknown_parameter,
    unknown_pointer,
)
from simulator.hints.word_slips import (
    called,
    foreign_word,
    if_in_expression,
    misspelt_word,
    number_as_name,
    refuse_pointer_behind,
    type_in_expression,
    unknown_specifier,
)
from simulator.ir.tokens import Token
from simulator.source import CompileError, Span

#: `[x, y] = pair`.
_BINDING = re.compile(r"\[\s*(\w+)[^\]]*\]\s*=\s*(\w+)\s*;")
_CONTINUE = frozenset(["[", "(", "=", ".", "->", "++", "--", "+=", "-=", "*=", "/=", "<<<"])


def _operator(s: Situation) -> CompileError | None:
    """`=<`, `> =`, `===` and the like."""
    for left, right in ((s.before, s.found), (s.found, s.after)):
        if left is None or right is None or left.span.line != right.span.line:
            continue
        blank = " " * (left.span.end_column < right.span.column)
        meant = foreign.OPERATORS.get(f"{left.text}{blank}{right.text}")
        if meant is not None:
            span = left.span.to(right.span)
            return CompileError(f"`{span.text}` is no operator of C", span, f"write `{meant}`")
    return None


def _colon(s: Situation) -> CompileError | None:
    """`if (n > 0):` and `else:`."""
    if s.found.text != ":" or s.before is None:
        return None
    if s.before.text in ("else", "do"):
        word: Token | None = s.before
    else:
        word = called(s) if s.before.text == ")" else None
    if word is None or word.text not in ("if", "while", "for", "else", "do"):
        return None
    what = f"C writes no `:` behind `{word.text}`"
    return CompileError(what, s.found.span, "put what belongs to it between `{` and `}`")


def _slice(s: Situation) -> CompileError | None:
    """`a[0:n]`."""
    if s.found.text != ":" or s.open is None or s.open.text != "[":
        return None
    return CompileError("C has no slices", s.found.span, "write a loop over the elements")


def _list(s: Situation) -> CompileError | None:
    """`= [1, 2, 3]` where braces are meant."""
    if s.found.text != "[" or s.before is None or s.before.text not in ("=", "return"):
        return None
    if s.after is None or s.after.type != "NUMBER":
        return None
    what = "a list of values does not stand in `[ ]`"
    return CompileError(what, s.found.span, "write `int name[3] = {1, 2, 3};`")


def _structured_binding(s: Situation) -> CompileError | None:
    """`auto [x, y] = pair;`."""
    front = [token.text for token in s.seen[-2:] if token.text not in ("&", "&&")]
    if s.found.text != "[" or s.before is None or front[-1:] != ["auto"]:
        return None
    place = s.found.span
    rest = place.source.line(place.line)[place.column - 1 :]
    match = _BINDING.match(rest)
    name, value = (match[1], match[2]) if match and not place.macro else ("x", "value")
    hint = f"write `auto {name} = {value}.MEMBER;` for each name, of an array `{value}[0]`"
    return CompileError("structured bindings are not supported", place, hint)


def _brackets_behind_type(s: Situation) -> CompileError | None:
    """`int[8] b;`."""
    if s.found.text != "[" or s.before is None or not s.is_type(s.before) or s.open_round:
        return None
    what = "brackets stand behind the name, not behind the type"
    return CompileError(what, s.found.span, f"write `{s.before.text} name[8];`")


def _for_parts(s: Situation) -> CompileError | None:
    """`for (i = 0, i < n, i++)` and `for (i = 0; i < n)`."""
    start = s.open_at
    if not start or s.seen[start].text != "(" or s.seen[start - 1].text != "for":
        return None
    inside = s.seen[start + 1 :]
    hint = f"write {SHAPES['for']}"
    commas = [token for token in inside if token.text == ","]
    ends = s.found.text in ("<", ">", "<=", ">=", "==", "!=", ")")
    if commas and ends and not any(token.text == ";" for token in inside):
        return CompileError("`;` separates the parts of `for`, not `,`", commas[0].span, hint)
    if s.found.text == ")" and "SEMICOLON" in s.accepts:
        return CompileError("`for` needs two `;` in its parentheses", s.found.span, hint)
    return None


def _body_behind_semicolon(s: Situation) -> CompileError | None:
    """`void fill(int *a);` and then the body."""
    if s.found.text != "{" or s.open is not None or [t.text for t in s.seen[-2:]] != [")", ";"]:
        return None
    what = "this `;` ends the function before its body"
    return CompileError(what, s.seen[-1].span, "remove it")


def _function_inside(s: Situation) -> CompileError | None:
    """A function that begins while another one is open: a `}` is missing, or it is nested."""
    opening, begun = s.open_brace, [*s.statement, s.found]
    words = {token.text for token in begun}
    linked = s.found.type == "STRING" and "extern" in words
    if opening is None or s.unclosed is None or not (linked or _heads_function(s, words)):
        return None
    first = begun[0].span
    if _indentation(first) > _indentation(opening.span):
        hint = f"move it out of the `{{` of line {opening.span.line}, before that function"
        return CompileError("a function cannot stand inside another one", first, hint)
    hint = f"add `}}` where its block ends, before the function of line {first.line}"
    return CompileError("this `{` is not closed", s.unclosed.span, hint)


def _heads_function(s: Situation, words: set[str]) -> bool:
    called = s.found.text == "(" or any(token.text == "(" for token in s.statement)
    return called and bool(words & {"__global__", "__device__"}) and "__shared__" not in words


def _indentation(span: Span) -> int:
    line = span.source.line(span.line)
    return len(line) - len(line.lstrip())


def _statement_outside(s: Situation) -> CompileError | None:
    """`a[0] = 1;` outside all functions."""
    if s.open is not None or "IF" in s.accepts or s.found.type != "IDENT" or s.after is None:
        return None
    if s.after.text not in _CONTINUE or (s.before is not None and s.before.text not in "};"):
        return None
    return outside_functions(s)


def outside_functions(s: Situation) -> CompileError:
    """The error for a statement outside all functions."""
    hint, early = "is there a `}` too many before it?", s.unopened
    if early is not None:
        hint = f"the `}}` of line {early.span.line} ends the function: a `{{` is missing before it"
    return CompileError("statements stand in functions only", s.found.span, hint)


def _macro_sign(s: Situation) -> CompileError | None:
    """`#define WIDTH 8;` and `#define WIDTH = 8`, where they are used."""
    if s.found.text not in (";", "=") or not s.found.span.macro:
        return None
    if s.found.text == ";" and (s.open is None or s.open.text == "{"):
        return None
    what = f"the `{s.found.text}` of a macro cannot stand here"
    hint = f"remove it: `#define NAME value` has no `{s.found.text}`"
    return CompileError(what, s.found.span, hint)


def _division_comment(s: Situation) -> CompileError | None:
    """`a = n // 2;`, where `//` begins a comment."""
    if "SEMICOLON" not in s.accepts or s.before is None or not s.on_new_line or s.before.span.macro:
        return None
    place = s.gap
    rest = place.source.line(place.line)[place.column - 1 :]
    match = re.match(r"\s*(//)\s*[\w(].*;\s*$", rest)
    if match is None:
        return None
    column = place.column + match.start(1)
    span = Span(place.source, place.line, column, place.line, column + 2)
    return CompileError("`//` begins a comment", span, "integers are divided by `/`")


def _else_behind_semicolon(s: Situation) -> CompileError | None:
    """`if (n > 0); … else`."""
    if s.found.text != "else" or s.before is None:
        return None
    for place in reversed(range(len(s.seen) - 1)):
        if s.seen[place].text != ")" or s.seen[place + 1].text != ";":
            continue
        opening = s.opening_of(place)
        if opening and s.seen[opening - 1].text == "if":
            line = s.seen[place + 1].span.line
            hint = f"the `;` right behind `if (…)` in line {line} ends it: remove that `;`"
            return CompileError("this `else` has no `if`", s.found.span, hint)
        return None
    return None


def _inner_function(s: Situation) -> CompileError | None:
    """`int f(int x)` in a function, where `f(…)` gives a variable its first value."""
    if s.open is None or s.open.text != "(" or "IF" in s.accepts:
        return None
    place = s.seen.index(s.open)
    declares = place > 1 and s.seen[place - 1].type == "IDENT" and s.is_type(s.seen[place - 2])
    declares = declares and s.open_brace is not None
    first = s.seen[place + 1] if place + 1 < len(s.seen) else s.found
    if not declares or not (s.is_type(first) or first.text == ")"):
        return None
    what = "a function cannot be declared in a function"
    return CompileError(what, s.seen[place - 1].span, "move it out, to the top of the file")


def _reference(s: Situation) -> CompileError | None:
    """`T &&x`, and `T (&x)[4]` where `T` is the name of a type."""
    if s.before is None or not s.is_type(s.before):
        return None
    if s.found.text == "&&":
        hint = "take a value, or `const T &`; a variable needs no reference to hold a result"
        return CompileError("references with `&&` are not supported", s.found.span, hint)
    if s.found.text == "(" and s.in_parameters:
        refuse_pointer_behind(s.found)
    return None


#: In the order in which they are tried; each knows its situation well enough to come first.
RULES: tuple[Callable[[Situation], CompileError | None], ...] = (
    _macro_sign,
    _reference,
    _operator,
    foreign_word,
    misspelt_word,
    unknown_in_head,
    unknown_parameter,
    unknown_pointer,
    unknown_cast,
    _colon,
    _slice,
    _list,
    if_in_expression,
    no_parentheses,
    _for_parts,
    _body_behind_semicolon,
    member_function,
    _function_inside,
    _statement_outside,
    unknown_specifier,
    untyped_parameter,
    missing_comma,
    missing_first_value,
    missing_name,
    missing_head,
    missing_operator,
    number_as_name,
    _structured_binding,
    _brackets_behind_type,
    _inner_function,
    type_in_expression,
    _division_comment,
    _else_behind_semicolon,
)
