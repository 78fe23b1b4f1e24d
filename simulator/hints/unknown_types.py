"""Unknown types: misspelt, not declared, or not in the simulator's language."""

from __future__ import annotations

from collections.abc import Sequence

from simulator.hints import foreign
from simulator.hints.header_names import header_name
from simulator.hints.similar import nearest
from simulator.hints.situation import SPECIFIERS, Situation
from simulator.hints.unsupported import refuse_name
from simulator.hints.word_slips import HEADS
from simulator.ir.tokens import TYPE_WORDS, Token
from simulator.ir.types import TYPE_ALIASES
from simulator.source import CompileError

#: What stands behind a type, and hardly behind anything else that is a name.
_BEHIND_TYPE = frozenset(["*", "&", "const", "volatile", "__restrict__", "__restrict", "restrict"])
_VALUES = ("IDENT", "NUMBER", "CHARACTER", "STRING", "TRUE", "FALSE")


def unknown(word: Token) -> CompileError:
    """The error for a word that names no type, where one must stand."""
    refuse_name(word.text, word.span)
    hint = _meant(word) or declaration(word.text)
    return CompileError(f"`{word.text}` is not a type", word.span, hint)


def declaration(name: str) -> str:
    """The hint for an unknown type that is like no other."""
    return f"declare it first: `struct {name} {{ … }};`, or `typedef int {name};`"


def _meant(word: Token) -> str:
    """The hint that names what an unknown type may have been meant to be."""
    known = [*TYPE_WORDS, *SPECIFIERS, *TYPE_ALIASES]
    return foreign.TYPES.get(word.text, "") or nearest(word.text, known)


def unknown_parameter(s: Situation) -> CompileError | None:
    """`void k(float *a, itn n)`: a name where only a type can stand."""
    if s.found.type != "IDENT" or "IDENT" in s.accepts or "INT" not in s.accepts:
        return None
    if "IF" in s.accepts or s.after is None or not (s.open or s.statement):
        return None
    typed = s.after.type in ("IDENT", "TYPE_NAME") or s.after.text in _BEHIND_TYPE
    alone = s.after.text in (",", ")", ">") and (_meant(s.found) or header_name(s.found.text))
    return unknown(s.found) if typed or alone else None


def unknown_in_head(s: Situation) -> CompileError | None:
    """`if (itn x = 3)` and `for (itn i = 0; …)`."""
    place, word = s.open_at, s.before
    if not place or word is None or s.found.type != "IDENT" or word.type != "IDENT":
        return None
    if s.seen[place - 1].text not in HEADS or s.after is None:
        return None
    if s.after.text not in ("=", "{", "["):
        return None
    starts = s.seen[-2] is s.seen[place] or s.seen[-2].text in SPECIFIERS
    return unknown(word) if starts else None


def unknown_pointer(s: Situation) -> CompileError | None:
    """`itn *p = a;`, which reads like a product."""
    front = [token.text if token.type != "IDENT" else "name" for token in s.statement]
    if s.found.text not in ("=", "[") or front[:1] != ["name"] or front[-1:] != ["name"]:
        return None
    if front[1:-1] != ["*"] * len(front[1:-1]) or len(front) < 3:
        return None
    word = s.statement[0]
    return unknown(word) if not _is_declared(s.seen, word) else None


def unknown_cast(s: Situation) -> CompileError | None:
    """`(itn)n`, `(itn *)a` and `sizeof(itn *)`."""
    words = _in_cast(s)
    if not words or words[0].type != "IDENT" or _is_declared(s.seen, words[0]):
        return None
    return unknown(words[0])


def _in_cast(s: Situation) -> Sequence[Token]:
    """The words between the parentheses of what may be a cast."""
    if s.found.text in (")", ">") and s.before is not None and s.before.text in ("*", "&"):
        start = len(s.seen)
        while start and s.seen[start - 1].text in _BEHIND_TYPE:
            start -= 1
        words = s.seen[max(start - 1, 0) :]
        front = s.seen[start - 2].text if start > 1 else ""
        return words if front in ("(", "<", "const", "volatile") else ()
    place = s.closed_at if s.before is not None and s.before.text == ")" else None
    if place is None or s.found.type not in _VALUES or s.on_new_line:
        return ()
    head = s.seen[place - 1] if place else None
    if head is None or head.type == "IDENT" or head.text in (*HEADS, ")", "]", "sizeof"):
        return ()
    inside = s.seen[place + 1 : -1]
    return inside if len(inside) == 1 else ()


def _is_declared(seen: Sequence[Token], word: Token) -> bool:
    """Whether a name is used before in the text as that of a variable, as far as tokens tell."""
    uses = [place for place, token in enumerate(seen) if token.text == word.text]
    return any(at > 0 and _declares(seen[at - 1]) for at in uses)


def _declares(before: Token) -> bool:
    return before.type == "TYPE_NAME" or before.text in TYPE_WORDS or before.text in ("*", "&", ",")


def behind_specifiers(s: Situation) -> CompileError | None:
    """`const itn *a`: the error for a name behind words that say no type, where it is meant as one.

    None where that of a variable may stand.
    """
    if s.found.type != "IDENT" or s.after is None:
        return None
    typed = s.after.type in ("IDENT", "TYPE_NAME") or s.after.text in _BEHIND_TYPE
    front = s.seen[s.open_at - 1] if s.open_at else None
    cast = s.after.text == ")" and front is not None and front.type != "IDENT"
    other = s.after.text == ">" or "using" in [token.text for token in s.statement]
    return unknown(s.found) if typed or cast or other else None
