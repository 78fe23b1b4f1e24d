"""Gaps: the commas, operators, names, types and parentheses that are missing between two words."""

from __future__ import annotations

from simulator.hints.situation import Situation
from simulator.hints.word_slips import HEADS, begins, called
from simulator.source import CompileError

SHAPES = {
    "if": "`if (condition)`",
    "while": "`while (condition)`",
    "for": "`for (int i = 0; i < n; i++)`",
    "switch": "`switch (value)`",
}
_VALUES = ("IDENT", "NUMBER", "CHARACTER", "TRUE", "FALSE")


def no_parentheses(s: Situation) -> CompileError | None:
    """`if n > 0`."""
    if s.before is None or s.before.text not in HEADS or "LPAR" not in s.accepts:
        return None
    what = f"`(` is missing after `{s.before.text}`"
    return CompileError(what, s.gap, f"write {SHAPES[s.before.text]}")


def untyped_parameter(s: Situation) -> CompileError | None:
    """`int add(int x, y)`."""
    if s.found.type != "IDENT" or not s.in_parameters or s.after is None:
        return None
    if s.before is None or s.before.text not in ("(", ",") or s.after.text not in (",", ")"):
        return None
    what = f"the parameter `{s.found.text}` has no type"
    return CompileError(what, s.found.span, f"write it before the name: `int {s.found.text}`")


def missing_comma(s: Situation) -> CompileError | None:
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
    if not fits or "COMMA" not in s.accepts or (s.on_new_line and not s.in_parameters):
        return None
    hint = f"commas stand between {what}" + ", operators between values" * (what == "arguments")
    return CompileError(f"`,` is missing after `{s.before.text}`", s.gap, hint)


def missing_first_value(s: Situation) -> CompileError | None:
    """`int i threadIdx.x;`."""
    if s.found.type not in _VALUES or s.before is None or s.before.type != "IDENT":
        return None
    front = s.statement[-2:-1]
    if s.on_new_line or not front or not (s.is_type(front[0]) or front[0].text == "*"):
        return None
    what = f"`=` is missing after `{s.before.text}`"
    return CompileError(what, s.gap) if "EQUAL" in s.accepts else None


def missing_name(s: Situation) -> CompileError | None:
    """`int = 3;`."""
    if s.found.text not in ("=", ";", ",") or s.before is None or not s.is_type(s.before):
        return None
    if "IDENT" not in s.accepts or not begins(s, s.statement[0]):
        return None
    what = f"a name is missing after `{s.before.text}`"
    return CompileError(what, s.gap, f"write one, as in `{s.before.text} count`")


def missing_head(s: Situation) -> CompileError | None:
    """`(n > 0) a[0] = 1;`."""
    place = s.closed_at if s.before is not None and s.before.text == ")" else None
    if place is None or s.on_new_line or not (s.found.type == "IDENT" or s.found.text == "{"):
        return None
    if s.statement[:1] != s.seen[place : place + 1]:
        return None
    what = "a word is missing before this `(`"
    return CompileError(what, s.seen[place].span, "write `if (…)` or `while (…)`")


def missing_operator(s: Situation) -> CompileError | None:
    """`2 (n + 1)`, `a[0] = n 1;` and `if (a[0] 3)`."""
    before = s.before
    if before is None or s.on_new_line or before.span.text != before.text:
        return None
    product = s.found.text == "(" and before.type == "NUMBER"
    if not product and not _two_values(s):
        return None
    hint = f"for a product, write `{before.text} * (…)`" if product else ""
    if _in_for(s):
        hint = "or it is a `;` between the parts of `for`"
    return CompileError(f"an operator is missing after `{before.text}`", s.gap, hint)


def _in_for(s: Situation) -> bool:
    """Whether this stands in the parentheses of a `for`, and not at their start."""
    place = s.open_at
    inside = place is not None and place > 0 and s.seen[place - 1].text == "for"
    return inside and place is not None and place < len(s.seen) - 2


def _two_values(s: Situation) -> bool:
    """Whether two values follow each other, the first one no word that begins a statement."""
    before = s.before
    assert before is not None
    if s.found.type not in _VALUES or "PLUS" not in s.accepts:
        return False
    if _in_for(s) or (s.open_round and s.after is not None and s.after.text == ")"):
        return before.type in _VALUES or before.text in (")", "]")
    if before.text in (")", "]"):
        head = called(s) if before.text == ")" else None
        return s.found.type != "IDENT" or head is None or head.text not in HEADS
    if before.type not in _VALUES or s.open_round:
        return before.type in _VALUES and s.found.type != "IDENT"
    return not begins(s, before) or s.found.type != "IDENT"
