"""Syntax errors in and around structures: what C++ has there and the simulator has not."""

from __future__ import annotations

from simulator.hints.situation import Situation
from simulator.ir.tokens import Token
from simulator.source import CompileError

_FUNCTION = "write a __device__ function that takes the structure by reference"
_ACCESS = ("public", "private", "protected")


def base_class(s: Situation) -> CompileError | None:
    """`struct Derived : Base`."""
    if s.found.text != ":" or len(s.seen) < 2 or s.seen[-2].text != "struct":
        return None
    hint = "make the other structure a member"
    return CompileError("structures that inherit are not supported", s.found.span, hint)


def member(s: Situation) -> CompileError | None:
    """What stands in a structure and is no plain member."""
    if s.before is None or not _in_structure(s):
        return None
    if s.found.text in _ACCESS:
        hint = "leave it out: all members are public"
        return CompileError(f"`{s.found.text}` is not supported", s.found.span, hint)
    if s.found.text in ("(", "~"):
        what = "member functions and constructors are not supported"
        return CompileError(what, s.found.span, _FUNCTION)
    if s.found.text == ":":
        hint = "take a whole integer, or shift and mask"
        return CompileError("bit fields are not supported", s.found.span, hint)
    if s.found.text in ("=", "{"):
        hint = "give the values where variables are declared: `Name x = {…};`"
        return CompileError("first values of members are not supported", s.found.span, hint)
    if s.found.text == ";":
        hint = "give the member a name"
        return CompileError("members without a name are not supported", s.before.span, hint)
    return None


def member_function(s: Situation) -> CompileError | None:
    """`__device__ float length() const { … }` among the members."""
    words = [token.text for token in s.statement]
    if s.found.text != "(" or s.before is None or "operator" in words or not _in_structure(s):
        return None
    what = "member functions and constructors are not supported"
    return CompileError(what, s.before.span, _FUNCTION)


def _in_structure(s: Situation) -> bool:
    """Whether the innermost open bracket is the `{` of a structure."""
    opening = s.open
    if opening is None or opening.text != "{":
        return False
    return _heads_structure([*s.seen[: s.seen.index(opening)]])


def _heads_structure(tokens: list[Token]) -> bool:
    """Whether `tokens` end in `struct`, alignments and at most one name."""
    if tokens and tokens[-1].type in ("IDENT", "TYPE_NAME"):
        tokens.pop()
    while tokens and tokens[-1].text == ")":
        while tokens and tokens[-1].text not in ("__align__", "alignas", ";", "{", "}"):
            tokens.pop()
        if not tokens or tokens.pop().text in (";", "{", "}"):
            return False
    return bool(tokens) and tokens[-1].text == "struct"
