"""Slips that have a name: rules for syntax errors that know what was probably meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from difflib import get_close_matches

from simulator.read import foreign
from simulator.read.declarators import TYPE_WORDS
from simulator.read.situation import SPECIFIERS, STATEMENT_WORDS, Situation
from simulator.read.tokens import Token
from simulator.similar import nearest
from simulator.source import CompileError, Span

_HEADS = ("if", "while", "for", "switch")
_CONTINUE = frozenset(["[", "(", "=", ".", "->", "++", "--", "+=", "-=", "*=", "/=", "<<<"])
_SHAPES = {
    "if": "`if (condition)`",
    "while": "`while (condition)`",
    "for": "`for (int i = 0; i < n; i++)`",
    "switch": "`switch (value)`",
}


_KEYWORDS = frozenset(["new", "delete", "class", "try", "catch", "throw", "operator", "this"])


def refuse_slip(before: Token | None, token: Token, after: str) -> None:
    """Raise at a word that says by itself what is wrong.

    Raises
    ------
    CompileError
        at `main`, and at C++'s keywords as names
    """
    if token.type != "IDENT":
        return
    if token.text == "main" and after == "(":
        hint = "keep the host's part in Python: RawModule compiles the kernels, arrays move by CuPy"
        raise CompileError("`main` is the host's program, not the GPU's", token.span, hint)
    if token.text in _KEYWORDS and before is not None and before.text in TYPE_WORDS:
        what = f"`{token.text}` is a keyword of C++: it cannot be a name"
        raise CompileError(what, token.span, "choose another one")


def _first_use(s: Situation, word: Token) -> bool:
    """Whether a word stands in the program for the first time, and is not being declared."""
    uses = [place for place, token in enumerate(s.seen) if token.text == word.text]
    declared = bool(uses) and uses[0] > 0 and _declares(s, s.seen[uses[0] - 1])
    return len(uses) + (word is s.found) == 1 and not declared


def _declares(s: Situation, before: Token) -> bool:
    return s.is_type(before) or before.text in ("*", "&")


def _foreign_word(s: Situation) -> CompileError | None:
    """A word of another language, unless the program uses it as a name."""
    if s.found.text == ":":
        return None
    for word in (s.found, s.before, _called(s)):
        if word is None or word.type != "IDENT" or word.text not in foreign.WORDS:
            continue
        if word.text in ("in", "is") and _begins(s, word):
            continue
        if _first_use(s, word):
            what = f"`{word.text}` is no word of CUDA C"
            return CompileError(what, word.span, foreign.WORDS[word.text])
    return None


def _called(s: Situation) -> Token | None:
    """The name before the parentheses that are open here, or that end here."""
    place = s.closed_at if s.before is not None and s.before.text == ")" else s.open_at
    return s.seen[place - 1] if place and s.seen[place].text == "(" else None


def _misspelt_word(s: Situation) -> CompileError | None:
    """`retrun 2 * x;`, `whlie (n > 0) n--;`, `_shared_ int tile[32];`."""
    values = ("IDENT", "NUMBER")
    after_call = s.before is not None and s.before.text == ")" and s.found.type == "IDENT"
    if s.before is not None and s.before.type == "IDENT" and _begins(s, s.before):
        if s.starts_declaration:
            return _misspelt(s, s.before, [*SPECIFIERS, "using"])
        if s.found.type in values or s.found.text == "{":
            return _misspelt(s, s.before, STATEMENT_WORDS)
    word = _called(s)
    if word is None or word.type != "IDENT" or not _begins(s, word):
        return None
    if (
        after_call
        or (s.before is not None and s.is_type(s.before))
        or s.found.text == "{"
        or s.found.text in STATEMENT_WORDS
        or s.starts_declaration
    ):
        return _misspelt(s, word, _HEADS)
    return None


def _begins(s: Situation, word: Token) -> bool:
    """Whether `word` stands where a statement or a declaration begins."""
    place = next((i for i, token in enumerate(s.seen) if token is word), len(s.seen))
    before = s.seen[place - 1].text if place else ";"
    return before in (";", "{", "}", ")", "else", "do", '"C"')


def _misspelt(s: Situation, word: Token, known: Iterable[str]) -> CompileError | None:
    meant = _meant(word.text, known)
    if meant is None or not _first_use(s, word):
        return None
    what = f"`{word.text}` is no word of CUDA C"
    return CompileError(what, word.span, f"did you mean `{meant}`?")


def _meant(text: str, known: Iterable[str]) -> str | None:
    known = sorted(known)
    letters = sorted(text.lower())
    same = [name for name in known if sorted(name) == letters]
    return next(iter(same or get_close_matches(text.lower(), known, n=1, cutoff=0.75)), None)


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


def _no_parentheses(s: Situation) -> CompileError | None:
    """`if n > 0`."""
    if s.before is None or s.before.text not in _HEADS or "LPAR" not in s.accepts:
        return None
    what = f"`(` is missing after `{s.before.text}`"
    return CompileError(what, s.gap, f"write {_SHAPES[s.before.text]}")


def _colon(s: Situation) -> CompileError | None:
    """`if (n > 0):` and `else:`."""
    if s.found.text != ":" or s.before is None:
        return None
    if s.before.text in ("else", "do"):
        word: Token | None = s.before
    else:
        word = _called(s) if s.before.text == ")" else None
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
    if s.after is None or s.after.type not in ("NUMBER", "IDENT"):
        return None
    what = "a list of values does not stand in `[ ]`"
    return CompileError(what, s.found.span, "write `int name[3] = {1, 2, 3};`")


def _brackets_behind_type(s: Situation) -> CompileError | None:
    """`int[8] b;`."""
    if s.found.text != "[" or s.before is None or not s.is_type(s.before) or s.open_round:
        return None
    what = "brackets stand behind the name, not behind the type"
    return CompileError(what, s.found.span, f"write `{s.before.text} name[8];`")


def _if_in_expression(s: Situation) -> CompileError | None:
    """`a = 1 if n > 0 else 2;`."""
    if s.found.text != "if" or s.on_new_line or s.before is None:
        return None
    if s.before.type not in ("IDENT", "NUMBER") and s.before.text not in (")", "]"):
        return None
    what = "`if` cannot stand in an expression"
    return CompileError(what, s.found.span, "write `condition ? one : other`")


def _for_parts(s: Situation) -> CompileError | None:
    """`for (i = 0, i < n, i++)` and `for (i = 0; i < n)`."""
    start = s.open_at
    if not start or s.seen[start].text != "(" or s.seen[start - 1].text != "for":
        return None
    inside = s.seen[start + 1 :]
    hint = f"write {_SHAPES['for']}"
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
    hint = "is there a `}` too many before it?"
    return CompileError("statements stand in functions only", s.found.span, hint)


def _untyped_parameter(s: Situation) -> CompileError | None:
    """`int add(int x, y)`."""
    if s.found.type != "IDENT" or not s.in_parameters or s.after is None:
        return None
    if s.before is None or s.before.text not in ("(", ",") or s.after.text not in (",", ")"):
        return None
    what = f"the parameter `{s.found.text}` has no type"
    return CompileError(what, s.found.span, f"write it before the name: `int {s.found.text}`")


def _missing_comma(s: Situation) -> CompileError | None:
    """`min(n 3)` and `int *a int n`."""
    start = s.open_at
    if not start or s.before is None or s.seen[start].text != "(":
        return None
    values = ("IDENT", "NUMBER")
    if s.in_parameters:
        what, fits = "parameters", s.starts_declaration and s.before.type == "IDENT"
    else:
        call = s.seen[start - 1].type == "IDENT" and s.found.type in values
        what, fits = "arguments", call and (s.before.type in values or s.before.text in (")", "]"))
    if not fits or "COMMA" not in s.accepts or s.on_new_line:
        return None
    hint = f"commas stand between {what}"
    return CompileError(f"`,` is missing after `{s.before.text}`", s.gap, hint)


def _missing_operator(s: Situation) -> CompileError | None:
    """`2 (n + 1)`."""
    if s.found.text != "(" or s.before is None or s.before.type != "NUMBER":
        return None
    if s.before.span.text != s.before.text:
        return None
    what = f"an operator is missing after `{s.before.text}`"
    return CompileError(what, s.gap, f"for a product, write `{s.before.text} * (…)`")


def _number_as_name(s: Situation) -> CompileError | None:
    """`int 2nd = 0;`."""
    if s.found.type != "NUMBER" or s.before is None or not s.is_type(s.before):
        return None
    if "IDENT" not in s.accepts or "NUMBER" in s.accepts:
        return None
    what = f"`{s.found.text}` cannot be a name"
    return CompileError(what, s.found.span, "names begin with a letter or `_`")


def _type_in_expression(s: Situation) -> CompileError | None:
    """`x = float n;` and `twice(int n)`."""
    word = s.before if s.before is not None and s.is_type(s.before) else None
    if word is None or "LPAR" not in s.accepts or "IDENT" in s.accepts or len(s.statement) < 2:
        return None
    if _begins(s, word) or s.statement[-2].text == "<":
        return None
    what = f"the type `{word.text}` cannot stand in an expression"
    return CompileError(what, word.span, f"remove it, or write a cast: `({word.text})…`")


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


def _unknown_specifier(s: Situation) -> CompileError | None:
    """`_global_ void fill(…)`: a word before the type."""
    if s.found.type != "IDENT" or s.open is not None or "IF" in s.accepts or s.after is None:
        return None
    if s.found.text in foreign.TYPES:
        what = f"`{s.found.text}` is no word of CUDA C"
        return CompileError(what, s.found.span, foreign.TYPES[s.found.text])
    begins = s.after.text in TYPE_WORDS or s.after.text in SPECIFIERS
    hint = nearest(s.found.text, SPECIFIERS) if begins else ""
    what = f"`{s.found.text}` is no word of CUDA C"
    return CompileError(what, s.found.span, hint) if hint else None


#: In the order in which they are tried; each knows its situation well enough to come first.
RULES: tuple[Callable[[Situation], CompileError | None], ...] = (
    _macro_sign,
    _operator,
    _foreign_word,
    _misspelt_word,
    _colon,
    _slice,
    _list,
    _if_in_expression,
    _no_parentheses,
    _for_parts,
    _body_behind_semicolon,
    _function_inside,
    _statement_outside,
    _unknown_specifier,
    _untyped_parameter,
    _missing_comma,
    _missing_operator,
    _number_as_name,
    _brackets_behind_type,
    _type_in_expression,
    _division_comment,
    _else_behind_semicolon,
)
