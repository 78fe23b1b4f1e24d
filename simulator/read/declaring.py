"""Where a name is being declared, told from the words in front of it."""

from __future__ import annotations

from simulator.ir.tokens import TYPE_WORDS, Token

#: What may stand between a type and the name that is declared.
_BETWEEN = frozenset(
    ["*", "&", "const", "volatile", "restrict", "__restrict", "__restrict__", "__grid_constant__"]
)
_HEADS = frozenset(["for", "if", "while", "switch"])
_BEHIND_NAME = frozenset([",", ";", "=", ")", "[", "{", "(", ":", ">"])


class Declaring:
    """Follows declarations: `T *a, b[3]` declares `a` and `b`, even if these are types.

    The name of a type that stands where that of a variable is due means the variable from there on.
    """

    def __init__(self) -> None:
        #: How many parentheses and square brackets are open.
        self.depth = 0
        self._typed = False  # whether a type has just been named, but for stars and the like
        self._starts = True  # whether a statement begins here
        self._before = ""
        self._list_at = -1  # how many brackets are open around the list of declared names here

    def names_variable(self, after: str) -> bool:
        """Whether the name of a type, with `after` behind it, is here that of a variable."""
        return self._typed and after in _BEHIND_NAME

    def follow(self, token: Token, tag: bool) -> None:
        """Go on behind `token`, as the parser gets it; `tag` says that it names a structure."""
        text = token.text
        if token.type == "IDENT" and not tag:
            self._typed = self._starts = False
        elif tag or token.type == "TYPE_NAME" or text in TYPE_WORDS:
            self._list_at = self.depth if self._starts else self._list_at
            self._typed = True
        elif text in ("*", "&"):
            self._starts = False
        elif text not in _BETWEEN:
            self._typed = text == "," and self.depth == self._list_at
            self._sign(token)
        self._before = text

    def _sign(self, token: Token) -> None:
        """A bracket, an operator or a keyword."""
        text = token.text
        if text in ("(", "["):
            self.depth += 1
            self._starts = text == "(" and self._before in _HEADS
        elif text in (")", "]"):
            self.depth -= 1
            self._starts = False
        elif text in (";", "{", "}"):
            self._starts, self._list_at = True, -1
        elif not token.is_word:
            self._starts = False
