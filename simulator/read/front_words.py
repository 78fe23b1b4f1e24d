"""Which words may stand together in front of a declared name, and in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from simulator.ir.tokens import Token
from simulator.read.tags import Alignment
from simulator.source import CompileError

#: Of each of these kinds a declaration has one word at most.
_ONE_OF = (
    (frozenset(["static", "extern"]), "a declaration has one storage class"),
    (frozenset(["inline", "__inline__", "__forceinline__"]), "one of these words is enough"),
    (frozenset(["constexpr"]), "once is enough"),
)
#: What may stand before `alignas`.
_BEFORE_ALIGNAS = frozenset(["__shared__", "__device__", "__constant__", "__managed__"])


def check_order(words: Sequence[Any]) -> None:
    """Look at the words in front of a name.

    Raises
    ------
    CompileError
        for `register`, for two words of which C++ takes one, and for `alignas` behind other words
    """
    tokens = [word for word in words if isinstance(word, Token)]
    for word in tokens:
        if word.text == "register":
            hint = "leave it out: the compiler chooses registers by itself"
            raise CompileError("C++17 has no `register`", word.span, hint)
    for kind, hint in _ONE_OF:
        found = [word for word in tokens if word.text in kind]
        if len(found) > 1:
            what = f"`{found[1].text}` cannot stand here after `{found[0].text}`"
            raise CompileError(what, found[1].span, f"leave one of them out: {hint}")
    for at, word in enumerate(words):
        wrong = [w for w in words[:at] if isinstance(w, Token) and w.text not in _BEFORE_ALIGNAS]
        if wrong and isinstance(word, Alignment) and word.span.text.startswith("alignas"):
            what = f"`alignas` cannot stand here after `{wrong[-1].text}`"
            raise CompileError(what, word.span, "begin the declaration with it, or use `__align__`")
