"""Functions that recognise a mistake from the tokens around a syntax error.

The table in `syntax_errors.py` names them where a pattern of tokens is not enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from simulator.hints import foreign
from simulator.hints.context import (
    CLOSING,
    HEADS,
    SPECIFIERS,
    STATEMENT_KEYWORDS,
    Context,
    Found,
    in_for,
    indentation,
)
from simulator.hints.header_names import header_name
from simulator.hints.similar import nearest
from simulator.hints.unsupported import meant_type, refuse_template, unknown_type
from simulator.source import TYPE_WORDS, CompileError, Span, Token, behind

NAMES = ("IDENT", "NUMBER")
VALUES = (*NAMES, "CHARACTER", "TRUE", "FALSE")
_CONTINUE = ("[", "(", "=", ".", "->", "++", "--", "+=", "-=", "*=", "/=", "<<<")
_COMPARED = ("<", ">", "<=", ">=", "==", "!=", ")")
#: What stands behind a type, and hardly behind anything else that is a name.
_BEHIND_TYPE = ("*", "&", "const", "volatile", "__restrict__", "__restrict", "restrict")
#: `[x, y] = pair`.
_BINDING = re.compile(r"\[\s*(\w+)[^\]]*\]\s*=\s*(\w+)\s*;")
_COMMENT = re.compile(r"\s*(//)\s*[\w(].*;\s*$")


def operator(s: Context) -> Found:
    """Find operators such as `=<`, `> =` and `===`."""
    for left, right in ((s.before, s.found), (s.found, s.after)):
        if left.span.line != right.span.line:
            continue
        blank = " " * (left.span.end_column < right.span.column)
        meant = foreign.OPERATORS.get(f"{left.text}{blank}{right.text}")
        if meant is not None:
            return left.span.to(right.span), meant
    return None


def foreign_word(s: Context) -> Found:
    """Find a word of another language, unless the program uses it as a name."""
    for word in (s.found, s.before, s.called):
        if s.found.text == ":" or word.type != "IDENT" or word.text not in foreign.WORDS:
            continue
        if s.is_first(word) and not (word.text in ("in", "is") and s.begins(word)):
            return word, foreign.WORDS[word.text]
    return None


def misspelt_word(s: Context) -> Found:
    """Find `retrun 2 * x;`, `_shared_ int tile[32];` and `whlie (n > 0) n--;`."""
    if s.before.type == "IDENT" and s.begins(s.before):
        if s.starts_declaration:
            return _misspelt(s, s.before, [*SPECIFIERS, "using"])
        if s.found.type in NAMES or s.found.text == "{":
            return _misspelt(s, s.before, STATEMENT_KEYWORDS)
    if s.called.type != "IDENT" or not s.begins(s.called) or not _is_head(s):
        return None
    return _misspelt(s, s.called, HEADS)


def _is_head(s: Context) -> bool:
    """Whether the parentheses here are those of an `if` or a loop, by what stands in or behind."""
    if s.is_type(s.before) or s.before.text == ")":
        return s.found.type == "IDENT" or s.found.text in ("{", *STATEMENT_KEYWORDS)
    return s.found.text == "{" or s.found.text in STATEMENT_KEYWORDS or s.starts_declaration


def _misspelt(s: Context, word: Token, known: Iterable[str]) -> Found:
    known = sorted(known)
    same = [name for name in known if sorted(name) == sorted(word.text.lower())]
    meant = same or get_close_matches(word.text.lower(), known, n=1, cutoff=0.75)
    return (word, meant[0]) if meant and s.is_first(word) else None


def unknown_in_head(s: Context) -> Found:
    """Find `if (itn x = 3)` and `for (itn i = 0; …)`."""
    if s.head.text not in HEADS or (s.found.type, s.before.type) != ("IDENT", "IDENT"):
        return None
    starts = len(s.inside) == 1 or s.back(2).text in SPECIFIERS
    return unknown_type(s.before) if starts and s.after.text in ("=", "{", "[") else None


def unknown_parameter(s: Context) -> Found:
    """Find `void k(float *a, itn n)`: a name where only a type can stand."""
    if s.found.type != "IDENT" or "IDENT" in s.accepts or "INT" not in s.accepts:
        return None
    if "IF" in s.accepts or not s.after.type or not (s.open.text or s.statement):
        return None
    alone = s.after.text in (",", ")", ">")
    alone = alone and bool(meant_type(s.found) or header_name(s.found.text))
    return unknown_type(s.found) if alone or _is_typed(s) else None


def _is_typed(s: Context) -> bool:
    """Whether what follows stands behind types."""
    return s.after.type in ("IDENT", "TYPE_NAME") or s.after.text in _BEHIND_TYPE


def unknown_pointer(s: Context) -> Found:
    """Find `itn *p = a;`, which reads like a product."""
    front = [token.text if token.type != "IDENT" else "name" for token in s.statement]
    stars = front[1:-1]
    if s.found.text not in ("=", "[") or not stars or stars != ["*"] * len(stars):
        return None
    named = front[0] == front[-1] == "name" and not s.is_declared(s.statement[0])
    return unknown_type(s.statement[0]) if named else None


def unknown_cast(s: Context) -> Found:
    """Find `(itn)n`, `(itn *)a` and `sizeof(itn *)`."""
    words = _in_cast(s)
    unknown = words and words[0].type == "IDENT" and not s.is_declared(words[0])
    return unknown_type(words[0]) if unknown else None


def _in_cast(s: Context) -> Sequence[Token]:
    """Return the tokens between the parentheses of what may be a cast."""
    if s.found.text in (")", ">") and s.before.text in ("*", "&"):
        start = len(s.seen)
        while start and s.seen[start - 1].text in _BEHIND_TYPE:
            start -= 1
        front = s.token(start - 2).text
        return s.seen[max(start - 1, 0) :] if front in ("(", "<", "const", "volatile") else ()
    index = s.closed_at
    if index is None or s.found.type not in (*VALUES, "STRING") or s.on_new_line:
        return ()
    head = s.token(index - 1)
    if head.type in ("", "IDENT") or head.text in (*HEADS, ")", "]", "sizeof"):
        return ()
    inside = s.seen[index + 1 : -1]
    return inside if len(inside) == 1 else ()


def behind_specifiers(s: Context) -> CompileError | None:
    """Return the error for the type of `const itn *a`; None where a variable's name may stand."""
    if s.found.type != "IDENT" or not s.after.type:
        return None
    front = s.token(s.open_at - 1 if s.open_at else None)
    cast = s.after.text == ")" and front.type not in ("", "IDENT")
    other = s.after.text == ">" or "using" in [token.text for token in s.statement]
    return unknown_type(s.found) if _is_typed(s) or cast or other else None


def misplaced_name(s: Context) -> Found:
    """Find a name where a type must stand, as in `in x` where `int x` was meant."""
    if s.found.type != "IDENT":
        return None
    if "IDENT" not in s.accepts and "INT" in s.accepts and "IF" not in s.accepts:
        return unknown_type(s.found)
    return unknown_type(s.before) if s.before.type == "IDENT" and not s.on_new_line else None


def specifier(s: Context) -> Found:
    """Find `_global_ void fill(…)`: a word before the type."""
    if s.found.type != "IDENT" or s.open.text or "IF" in s.accepts or not s.after.type:
        return None
    if s.found.text in foreign.TYPES:
        return s.found, foreign.TYPES[s.found.text]
    begins = s.after.text in TYPE_WORDS or s.after.text in SPECIFIERS
    hint = nearest(s.found.text, SPECIFIERS) if begins else ""
    return (s.found, hint) if hint else None


def head_with_colon(s: Context) -> Found:
    """Find the `:` of `if (n > 0):` and `else:`."""
    word = s.before if s.before.text in ("else", "do") else s.called
    if s.found.text != ":" or word.text not in ("if", "while", "for", "else", "do"):
        return None
    return (s.found, word.text) if s.before.text in (")", "else", "do") else None


def commas_in_for(s: Context) -> Found:
    """Find the first comma of `for (i = 0, i < n, i++)`."""
    commas = [token for token in s.inside if token.text == ","]
    ends = in_for(s) and s.found.text in _COMPARED
    return commas[0] if ends and commas and ";" not in [t.text for t in s.inside] else None


def function_inside(s: Context) -> Found:
    """Find a function that begins while another one is open: a `}` is missing, or it is nested."""
    begun = [*s.statement, s.found]
    words = {token.text for token in begun}
    linked = s.found.type == "STRING" and "extern" in words
    heads = "(" in words and words & {"__global__", "__device__"} and "__shared__" not in words
    if not s.open_brace.text or s.unclosed is None or not (linked or heads):
        return None
    if indentation(begun[0]) > indentation(s.open_brace):
        hint = f"move it out of the `{{` of line {s.open_brace.span.line}, before that function"
        what = "a function cannot stand inside another one"
        return CompileError(what, begun[0].span, hint)
    hint = f"add `}}` where its block ends, before the function of line {begun[0].span.line}"
    return CompileError("this `{` is not closed", s.unclosed.span, hint)


def assignment_outside(s: Context) -> Found:
    """Find a statement outside all functions that begins with a name."""
    begins = s.found.type == "IDENT" and s.after.text in _CONTINUE
    return _outside(s) if begins and s.before.text in ("", "}", ";") else None


def keyword_outside(s: Context) -> Found:
    """Find a statement outside all functions that begins with its keyword."""
    return _outside(s) if s.found.text in STATEMENT_KEYWORDS else None


def _outside(s: Context) -> Found:
    """Return a statement that stands outside all functions, and why it does."""
    if s.open.text or "IF" in s.accepts:
        return None
    early = s.unopened
    if early is None:
        return s.found, "is there a `}` too many before it?"
    line = early.span.line
    return s.found, f"the `}}` of line {line} ends the function: a `{{` is missing before it"


def missing_comma(s: Context) -> Found:
    """Find the gap of `min(n 3)` and `int *a int n`."""
    if not s.head.type or "COMMA" not in s.accepts:
        return None
    if s.in_parameters:
        fits = s.starts_declaration and s.before.type == "IDENT"
        return (s.gap, "commas stand between parameters") if fits else None
    fits = s.before.type in NAMES or s.before.text in (")", "]")
    if s.on_new_line or not fits or s.head.type != "IDENT" or s.found.type not in NAMES:
        return None
    return s.gap, "commas stand between arguments, operators between values"


def missing_head(s: Context) -> Found:
    """Find the `(` of `(n > 0) a[0] = 1;`."""
    index = s.closed_at
    if index is None or s.on_new_line or not (s.found.type == "IDENT" or s.found.text == "{"):
        return None
    return s.seen[index] if s.statement[:1] == s.seen[index : index + 1] else None


def missing_operator(s: Context) -> Found:
    """Find the gap of `2 (n + 1)`, `a[0] = n 1;` and `if (a[0] 3)`."""
    before = s.before
    if s.on_new_line or before.span.text != before.text:
        return None
    product = s.found.text == "(" and before.type == "NUMBER"
    if not product and not _two_values(s):
        return None
    hint = f"for a product, write `{before.text} * (…)`" if product else ""
    return s.gap, "or it is a `;` between the parts of `for`" if _amid_for(s) else hint


def _amid_for(s: Context) -> bool:
    """Whether this stands in the parentheses of a `for`, and not at their start."""
    return in_for(s) and len(s.inside) > 1


def _two_values(s: Context) -> bool:
    """Whether two values follow each other, the first one not at the start of a statement."""
    before = s.before
    if s.found.type not in VALUES or "PLUS" not in s.accepts:
        return False
    in_brackets = s.open.text == "("
    if _amid_for(s) or (in_brackets and s.after.text == ")"):
        return before.type in VALUES or before.text in (")", "]")
    if before.text in (")", "]"):
        head = s.called.text if before.text == ")" else ""
        return s.found.type != "IDENT" or head not in HEADS
    if before.type not in VALUES or in_brackets:
        return before.type in VALUES and s.found.type != "IDENT"
    return not s.begins(before) or s.found.type != "IDENT"


def consteval(s: Context) -> Found:
    """Find the word `consteval` in front of a function."""
    words = [token for token in s.statement if token.text == "consteval"]
    return words[0] if words else s.found if s.found.text == "consteval" else None


def type_in_expression(s: Context) -> Found:
    """Find `x = float n;` and `twice(int n)`."""
    word = s.before
    if not s.is_type(word) or "LPAR" not in s.accepts or "IDENT" in s.accepts:
        return None
    if len(s.statement) < 2 or s.begins(word) or s.back(2).text == "<":
        return None
    before = s.back(2)
    if word.span.line > before.span.end_line:
        return CompileError(f"`;` is missing after `{before.text}`", behind(before.span))
    if before.text == "(" and len(s.statement) > 2 and (head := s.back(3).text) in HEADS:
        what = f"a variable declared in the parentheses of `{head}` is not supported"
        return CompileError(what, word.span, f"declare it before the `{head}`")
    what = f"the type `{word.text}` cannot stand in an expression"
    return CompileError(what, word.span, f"remove it, or write a cast: `({word.text})…`")


def division_comment(s: Context) -> Found:
    """Find the `//` of `a = n // 2;`, where it begins a comment."""
    if "SEMICOLON" not in s.accepts or not s.on_new_line or s.before.span.macro:
        return None
    span = s.gap
    match = _COMMENT.match(span.source.line(span.line)[span.column - 1 :])
    if match is None:
        return None
    column = span.column + match.start(1)
    return Span(span.source, span.line, column, span.line, column + 2)


def ended_if(s: Context) -> Found:
    """Find the `else` of `if (n > 0); … else`."""
    words = [token.text for token in s.seen]
    ends = (i for i in reversed(range(len(words) - 1)) if words[i : i + 2] == [")", ";"])
    index = next(ends, None) if s.found.text == "else" else None
    opening = None if index is None else s.opening_of(index)
    if index is None or not opening or words[opening - 1] != "if":
        return None
    line = s.seen[index + 1].span.line
    return s.found, f"the `;` right behind `if (…)` in line {line} ends it: remove that `;`"


def library_template(s: Context) -> Found:
    """Find `name<type…`."""
    name = s.back(3)
    if s.back(2).text != "<" or name.type != "IDENT" or not s.is_type(s.before):
        return None
    refuse_template(name.text, name.span)
    return name


def missing_bracket(s: Context) -> Found:
    """Find where the file, the statement or an outer bracket ends while a bracket is open."""
    closing = CLOSING.get(s.open.text, "}")
    ends = (
        s.at_end or s.found.text in (";", "{", "}", ")", "]") or s.found.text in STATEMENT_KEYWORDS
    )
    if closing == "}" or not ends or s.found.text == closing or (s.found.text == ";" and in_for(s)):
        return None
    return s.gap, closing


def missing_between(s: Context) -> Found:
    """Find two values in a row in brackets that could end: `if (i < n a[i] = 1;`."""
    if s.found.type not in NAMES or s.before.type not in NAMES:
        return None
    could_end = {"(": "RPAR", "[": "RSQB"}.get(s.open.text) in s.accepts
    return (s.gap, CLOSING[s.open.text]) if could_end else None


def lonely_declaration(s: Context) -> Found:
    """Find a declaration as the whole body of an `if` or a loop, or amid an expression."""
    if s.is_type(s.before) and "LPAR" in s.accepts:
        return s.before
    return s.found if s.starts_declaration and "IF" in s.accepts else None


def keyword_as_name(s: Context) -> Found:
    """Find a keyword where a name must stand."""
    if "IDENT" not in s.accepts or not s.found.text.isidentifier() or s.found.type == "IDENT":
        return None
    if s.before.text in (";", "{", "}"):
        return None
    return s.found, "is a type" if s.starts_declaration else "is a keyword"
