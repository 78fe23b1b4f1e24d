"""Slips in words: those of other languages, misspelt ones, and types and keywords out of place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

from simulator.hints import foreign
from simulator.hints.similar import nearest
from simulator.hints.situation import SPECIFIERS, STATEMENT_WORDS, Situation
from simulator.ir.tokens import TYPE_WORDS, Token, behind
from simulator.source import CompileError, Span

HEADS = ("if", "while", "for", "switch")
#: `(*rows)[8]` and `(*function)(` behind a type.
_POINTER_BEHIND = re.compile(r"\(\s*[*&]\s*(?:(?:const|__restrict__)\s+)?\w*\s*\)\s*[\[(]")
_KEYWORDS = frozenset(["new", "delete", "class", "try", "catch", "throw", "this"])


def refuse_slip(before: Token | None, token: Token, after: str, alias: bool) -> None:
    """Raise at a word that says by itself what is wrong; `alias`: a type is being given a name.

    Raises
    ------
    CompileError
        at `main`, and at C++'s keywords as names
    """
    if token.text == "(" and before is not None and before.text in TYPE_WORDS:
        refuse_pointer_behind(token, alias)
    if token.type != "IDENT":
        return
    if token.text == "main" and after == "(":
        hint = "keep the host's part in Python: RawModule compiles the kernels, arrays move by CuPy"
        raise CompileError("`main` is the host's program, not the GPU's", token.span, hint)
    if token.text in _KEYWORDS and before is not None and before.text in TYPE_WORDS:
        what = f"`{token.text}` is a keyword of C++: it cannot be a name"
        raise CompileError(what, token.span, "choose another one")


def refuse_pointer_behind(opening: Token, alias: bool = False) -> None:
    """Raise at `(*rows)[8]`, `(&values)[4]` or `(*function)(int)` behind a type.

    An `alias` may be a pointer to functions.

    Raises
    ------
    CompileError
        at the parenthesis
    """
    span = opening.span
    found = _POINTER_BEHIND.match(span.source.line(span.line), span.column - 1)
    if span.macro or found is None:
        return
    if found[0].endswith("["):
        what = "pointers and references to arrays are not supported"
        hint = "point to the first element; a parameter may be an array: `float rows[][8]`"
        raise CompileError(what, span, hint)
    if alias:
        return
    place = Span(span.source, span.line, found.end(), span.line, found.end() + 1)
    raise CompileError(
        "function pointers are not supported", place, "call the function by its name"
    )


def foreign_word(s: Situation) -> CompileError | None:
    """A word of another language, unless the program uses it as a name."""
    if s.found.text == ":":
        return None
    for word in (s.found, s.before, called(s)):
        if word is None or word.type != "IDENT" or word.text not in foreign.WORDS:
            continue
        if word.text in ("in", "is") and begins(s, word):
            continue
        if _first_use(s, word):
            what = f"`{word.text}` is no word of CUDA C"
            return CompileError(what, word.span, foreign.WORDS[word.text])
    return None


def _first_use(s: Situation, word: Token) -> bool:
    """Whether a word stands in the program for the first time, and is not being declared."""
    uses = [place for place, token in enumerate(s.seen) if token.text == word.text]
    declared = bool(uses) and uses[0] > 0 and _declares(s, s.seen[uses[0] - 1])
    return len(uses) + (word is s.found) == 1 and not declared


def _declares(s: Situation, before: Token) -> bool:
    return s.is_type(before) or before.text in ("*", "&")


def called(s: Situation) -> Token | None:
    """The name before the parentheses that are open here, or that end here."""
    place = s.closed_at if s.before is not None and s.before.text == ")" else s.open_at
    return s.seen[place - 1] if place and s.seen[place].text == "(" else None


def misspelt_word(s: Situation) -> CompileError | None:
    """`retrun 2 * x;`, `_shared_ int tile[32];` and `whlie (n > 0) n--;`."""
    if s.before is not None and s.before.type == "IDENT" and begins(s, s.before):
        if s.starts_declaration:
            return _misspelt(s, s.before, [*SPECIFIERS, "using"])
        if s.found.type in ("IDENT", "NUMBER") or s.found.text == "{":
            return _misspelt(s, s.before, STATEMENT_WORDS)
    word = called(s)
    if word is None or word.type != "IDENT" or not begins(s, word):
        return None
    return _misspelt(s, word, HEADS) if _is_head(s) else None


def _is_head(s: Situation) -> bool:
    """Whether the parentheses here are those of an `if` or a loop, by what stands in or behind."""
    if s.before is not None and (s.is_type(s.before) or s.before.text == ")"):
        return s.found.type == "IDENT" or s.found.text in ("{", *STATEMENT_WORDS)
    return s.found.text == "{" or s.found.text in STATEMENT_WORDS or s.starts_declaration


def begins(s: Situation, word: Token) -> bool:
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


def unknown_specifier(s: Situation) -> CompileError | None:
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


def number_as_name(s: Situation) -> CompileError | None:
    """`int 2nd = 0;`."""
    if s.found.type != "NUMBER" or s.before is None or not s.is_type(s.before):
        return None
    if "IDENT" not in s.accepts or "NUMBER" in s.accepts:
        return None
    what = f"`{s.found.text}` cannot be a name"
    return CompileError(what, s.found.span, "names begin with a letter or `_`")


def type_in_expression(s: Situation) -> CompileError | None:
    """`x = float n;` and `twice(int n)`."""
    word = s.before if s.before is not None and s.is_type(s.before) else None
    if word is None or "LPAR" not in s.accepts or "IDENT" in s.accepts or len(s.statement) < 2:
        return None
    before = s.statement[-2]
    if begins(s, word) or before.text == "<":
        return None
    if word.span.line > before.span.end_line:
        return CompileError(f"`;` is missing after `{before.text}`", behind(before.span))
    head = s.statement[-3].text if before.text == "(" and len(s.statement) > 2 else ""
    if head in HEADS:
        what = f"a variable declared in the parentheses of `{head}` is not supported"
        return CompileError(what, word.span, f"declare it before the `{head}`")
    what = f"the type `{word.text}` cannot stand in an expression"
    return CompileError(what, word.span, f"remove it, or write a cast: `({word.text})…`")


def if_in_expression(s: Situation) -> CompileError | None:
    """`a = 1 if n > 0 else 2;`."""
    if s.found.text != "if" or s.on_new_line or s.before is None:
        return None
    if s.before.type not in ("IDENT", "NUMBER") and s.before.text not in (")", "]"):
        return None
    what = "`if` cannot stand in an expression"
    return CompileError(what, s.found.span, "write `condition ? one : other`")
