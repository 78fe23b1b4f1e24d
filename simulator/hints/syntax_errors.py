"""Syntax errors in words: what was found, and what is likely missing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from simulator.hints import slips, structure_errors
from simulator.hints.situation import CLOSING, STATEMENT_WORDS, Situation
from simulator.hints.unknown_types import unknown
from simulator.hints.unsupported import refuse_template
from simulator.hints.word_slips import refuse_pointer_behind
from simulator.ir.tokens import Token
from simulator.source import CompileError

_ASSIGNMENTS = frozenset(["=", "*=", "/=", "%=", "+=", "-=", "<<=", ">>=", "&=", "^=", "|="])


def explain(
    found: Token, seen: Sequence[Token], accepts: Collection[str], after: Token | None = None
) -> CompileError:
    """The error for `found`, which cannot follow the tokens `seen`, while `accepts` could.

    `after` is the token behind it.
    """
    situation = Situation(found, seen, accepts, after)
    rules = (*slips.RULES, *_RULES)
    return next(error for rule in rules if (error := rule(situation)) is not None)


def _stray_pragma(s: Situation) -> CompileError | None:
    if s.before is None or s.before.type != "UNROLL":
        return None
    return CompileError(
        "`#pragma unroll` stands before a loop only", s.before.span, "move it right before the loop"
    )


def _lost_else(s: Situation) -> CompileError | None:
    if s.found.text != "else":
        return None
    hint = "put the statements between `if` and `else` in braces, without `;` behind the `}`"
    return CompileError("this `else` has no `if`", s.found.span, hint)


def _missing_between(s: Situation) -> CompileError | None:
    """`if (i < n a[i] = 1;`: two values in a row in brackets that could end between them."""
    opening, before = s.open, s.before
    if opening is None or before is None or opening.text == "{":
        return None
    values = ("IDENT", "NUMBER")
    if s.found.type not in values or before.type not in values:
        return None
    if {"(": "RPAR", "[": "RSQB"}[opening.text] not in s.accepts:
        return None
    what = f"`{CLOSING[opening.text]}` is missing"
    return CompileError(what, s.gap, f"{_opened(opening)}; or an operator is missing here")


def _unknown_type(s: Situation) -> CompileError | None:
    """`in x` where `int x` was meant: two names in a row, or a name where only a type can stand."""
    if (
        s.found.type == "IDENT"
        and "IDENT" not in s.accepts
        and "INT" in s.accepts
        and "IF" not in s.accepts
    ):
        word = s.found
    elif (
        s.found.type == "IDENT"
        and s.before is not None
        and s.before.type == "IDENT"
        and not s.on_new_line
    ):
        word = s.before
    else:
        return None
    return unknown(word)


def _function_pointer(s: Situation) -> CompileError | None:
    if s.found.text != "(" or s.before is None:
        return None
    if s.before.text in (")", "*") or s.is_type(s.before):
        refuse_pointer_behind(s.found)
        what = "function pointers are not supported"
        return CompileError(what, s.found.span, "call the function by its name")
    if s.before.type == "IDENT" and "EQUAL" in s.accepts:
        hint = "functions stand outside functions, and the first value of a variable behind `=`"
        return CompileError("`(` cannot stand here", s.found.span, hint)
    return None


def _template(s: Situation) -> CompileError | None:
    """`name<type…`."""
    if len(s.seen) < 3 or s.seen[-2].text != "<" or s.seen[-3].type != "IDENT":
        return None
    if not s.is_type(s.seen[-1]):
        return None
    refuse_template(s.seen[-3].text, s.seen[-3].span)
    name = s.seen[-3]
    remedy = "call it without `<…>`; a template must be declared before its use"
    return CompileError(f"`{name.text}` is no template here", name.span, remedy)


def _range_for(s: Situation) -> CompileError | None:
    """`for (int x : values)`."""
    if s.found.text != ":" or s.open is None or not _in_for(s, s.open):
        return None
    hint = "use an index: `for (int i = 0; i < n; i++)`"
    return CompileError("range-based `for` is not supported", s.found.span, hint)


def _label(s: Situation) -> CompileError | None:
    if s.found.text != ":" or s.before is None or "SEMICOLON" not in s.accepts:
        return None
    remedy = "use a loop with break, or a function with return"
    return CompileError("labels and `goto` are not supported", s.before.span, remedy)


def _lambda(s: Situation) -> CompileError | None:
    if (
        s.found.text != "["
        or s.before is None
        or s.before.text not in ("=", "(", ",", "return", "{")
        or (s.after is not None and s.after.text not in ("]", "=", "&", "this"))
    ):
        return None
    return CompileError("lambdas are not supported", s.found.span, "write a __device__ function")


def _missing_bracket(s: Situation) -> CompileError | None:
    """The file, the statement or an outer bracket ends while a bracket is open."""
    opening = s.open
    if opening is None:
        return None
    closing = CLOSING[opening.text]
    if s.at_end and opening.text == "{":
        place = (s.unclosed or opening).span
        return CompileError("this `{` is not closed", place, "add `}` where its block ends")
    ends = s.at_end or s.found.text in (";", "{", "}", ")", "]") or s.found.text in STATEMENT_WORDS
    if opening.text == "{" or not ends or s.found.text == closing:
        return None
    if s.found.text == ";" and _in_for(s, opening):
        return None
    return CompileError(f"`{closing}` is missing", s.gap, _opened(opening))


def _opened(opening: Token) -> str:
    """Where a bracket was opened, for hints."""
    if opening.span.macro:
        return f"the `{opening.text}` comes from {opening.span.macro}"
    return f"the `{opening.text}` is in line {opening.span.line}"


def _in_for(s: Situation, opening: Token) -> bool:
    position = s.seen.index(opening)
    return position > 0 and s.seen[position - 1].text == "for"


def _surplus_bracket(s: Situation) -> CompileError | None:
    if s.found.text not in CLOSING.values():
        return None
    opening = s.open
    if opening is not None and CLOSING[opening.text] == s.found.text:
        return None
    stray = s.unopened if s.found.text == "}" else None
    if stray is not None:
        what = "this `}` closes another block than its place says"
        return CompileError(what, stray.span, "add `{` where its own begins")
    return CompileError(
        f"this `{s.found.text}` closes nothing", s.found.span, "remove it, or open it before"
    )


def _missing_semicolon(s: Situation) -> CompileError | None:
    if "SEMICOLON" not in s.accepts or "TYPEDEF" in s.accepts or s.before is None:
        return None
    if not (
        s.on_new_line
        or s.at_end
        or s.found.text == "}"
        or s.found.text in STATEMENT_WORDS
        or s.starts_declaration
    ):
        return None
    return CompileError(f"`;` is missing after `{s.before.text}`", s.gap)


def _bad_target(s: Situation) -> CompileError | None:
    if s.found.text not in _ASSIGNMENTS or s.before is None:
        return None
    hint = "the left side is one variable or element; for a comparison, write `==`"
    if s.before.text in (";", "{", "}"):
        hint = "the variable before it is missing"
    return CompileError(f"`{s.found.text}` cannot stand here", s.found.span, hint)


def _lonely_declaration(s: Situation) -> CompileError | None:
    """A declaration as the whole body of an `if` or a loop, or amid an expression."""
    begun = s.before is not None and s.is_type(s.before) and "LPAR" in s.accepts
    if not (s.starts_declaration and "IF" in s.accepts) and not begun:
        return None
    start = s.before if begun and s.before is not None else s.found
    return CompileError("a declaration cannot stand here", start.span, "put it in braces: `{ … }`")


def _missing_body(s: Situation) -> CompileError | None:
    if "LBRACE" not in s.accepts or "SEMICOLON" not in s.accepts or s.open is not None:
        return None
    if s.found.text == "->":
        what = "a result type behind `->` is not supported"
        return CompileError(what, s.found.span, "write it before the function's name")
    return CompileError("`{` is missing", s.gap, "the body of the function follows here")


def _keyword_as_name(s: Situation) -> CompileError | None:
    if "IDENT" not in s.accepts or not s.found.text.isidentifier() or s.found.type == "IDENT":
        return None
    if s.before is not None and s.before.text in (";", "{", "}"):
        return None
    what = "is a type" if s.starts_declaration else "is a keyword"
    return CompileError(
        f"`{s.found.text}` {what}: it cannot stand here", s.found.span, "names must be other words"
    )


def _statement_outside(s: Situation) -> CompileError | None:
    if s.open is not None or "IF" in s.accepts or s.found.text not in STATEMENT_WORDS:
        return None
    return slips.outside_functions(s)


def _unexpected(s: Situation) -> CompileError:
    hint = _expectation(s.accepts)
    if s.at_end:
        return CompileError("the program ends too early", s.gap, hint)
    after = f" after `{_written(s.before)}`" if s.before is not None and s.before.text else ""
    if s.before is not None and _written(s.before) != s.before.text:
        hint = "conditions of the preprocessor know numbers and macros only"
    return CompileError(f"`{s.found.text}` cannot stand here{after}", s.found.span, hint)


def _written(token: Token) -> str:
    """A token as the source has it: conditions of the preprocessor read words as 0."""
    return token.span.text if token.type == "NUMBER" and not token.span.macro else token.text


def _expectation(accepts: Collection[str]) -> str:
    """What could stand there, where that is one thing that has a name."""
    if "IF" in accepts:
        return "a statement is expected"
    if "NUMBER" in accepts:
        return "an expression is expected"
    if "__GLOBAL__" in accepts:
        return "a declaration is expected"
    names = {
        "IDENT": "a name",
        "SEMICOLON": "`;`",
        "LPAR": "`(`",
        "RPAR": "`)`",
        "LBRACE": "`{`",
        "RSQB": "`]`",
    }
    known = [text for name, text in names.items() if name in accepts]
    return f"{' or '.join(known)} is expected" if known else ""


_RULES: tuple[Callable[[Situation], CompileError | None], ...] = (
    structure_errors.base_class,
    structure_errors.member,
    _stray_pragma,
    _lost_else,
    _missing_between,
    _unknown_type,
    _function_pointer,
    _template,
    _range_for,
    _label,
    _lambda,
    _missing_bracket,
    _surplus_bracket,
    _missing_body,
    _missing_semicolon,
    _bad_target,
    _lonely_declaration,
    _keyword_as_name,
    _statement_outside,
    _unexpected,
)
