"""What a macro stands for once its arguments are in their places: `#`, `##` and `__VA_OPT__`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simulator.read import grammar
from simulator.source import CompileError, Source, Span, Token

OPTIONAL = "__VA_OPT__"


@dataclass
class Substitution:
    """The arguments of one use of a macro.

    Parameters
    ----------
    raw
        each parameter's argument as it is written
    full
        the same, its macros expanded
    variadic
        the parameter that takes all arguments that are left, empty if none does
    span, hidden
        where the macro is used, and the macros that made it
    strings
        whether `#` makes a string of an argument: in macros with parameters
    """

    raw: Mapping[str, Sequence[Token]]
    full: Mapping[str, Sequence[Token]]
    variadic: str
    span: Span
    hidden: frozenset[str]
    strings: bool = True

    def of(self, body: Sequence[Token]) -> list[Token]:
        """Return what the tokens of a macro's body become."""
        made: list[Token] = []
        at, pasted, empty = 0, False, True
        while at < len(body):
            end = self._end(body, at)
            pastes = end < len(body) and body[end].type == "PASTE"
            tokens = self._operand(body, at, end, pasted or pastes)
            if pasted and self._behind_comma(body, at):
                tokens = self._rest(made)
            elif pasted and not empty and tokens:
                tokens = [self._pasted(made.pop(), tokens[0]), *tokens[1:]]
            made += tokens
            empty = not tokens and (empty or not pasted)
            at, pasted = end + pastes, pastes
        return made

    def _end(self, body: Sequence[Token], at: int) -> int:
        """Return where the operand at a token ends."""
        if self._makes_string(body[at]):
            return at + 2
        if body[at].text != OPTIONAL or not self.variadic:
            return at + 1
        depth = 0
        for end in range(at + 1, len(body)):
            depth += (body[end].text == "(") - (body[end].text == ")")
            if depth == 0:
                return end + 1 if end > at + 1 else at + 1
        raise CompileError(f"`{OPTIONAL}(` is not closed", body[at].span, "add `)`")

    def _makes_string(self, token: Token) -> bool:
        return self.strings and token.type == "HASH"

    def _operand(self, body: Sequence[Token], at: int, end: int, raw: bool) -> list[Token]:
        token = body[at]
        if self._makes_string(token):
            text = as_string(self.raw[body[at + 1].text])
            return [Token("STRING", text, self.span, self.hidden)]
        if end > at + 1:  # __VA_OPT__(…)
            return self.of(body[at + 2 : end - 1]) if self.full[self.variadic] else []
        if token.text not in self.raw:
            return [token.hiding(self.span, self.hidden)]
        given = (self.raw if raw else self.full)[token.text]
        return [t.hiding(t.span, t.hidden | self.hidden) for t in given]

    def _behind_comma(self, body: Sequence[Token], at: int) -> bool:
        """Whether this is GNU's `, ## __VA_ARGS__`, whose comma goes with the last argument."""
        return body[at].text == self.variadic != "" and body[at - 2].text == ","

    def _rest(self, made: list[Token]) -> list[Token]:
        given = self.full[self.variadic]
        if not self.raw[self.variadic]:  # nothing was given; what was may expand to nothing
            made.pop()
        return [t.hiding(t.span, t.hidden | self.hidden) for t in given]

    def _pasted(self, left: Token, right: Token) -> Token:
        text = left.text + right.text
        found = [one for one in grammar.lex(Source(text)) if one.type != "NEWLINE"]
        if len(found) != 1 or found[0].type in ("STRAY", "OPEN_COMMENT"):
            what = f"`{left.text}` and `{right.text}` make no word together"
            raise CompileError(what, self.span, "`##` joins parts of one name, number or sign")
        return found[0].hiding(self.span, (left.hidden & right.hidden) | self.hidden)


def as_string(tokens: Sequence[Token]) -> str:
    r"""Return the string literal that `#` makes of an argument.

    Examples
    --------
    >>> print(as_string(list(grammar.lex(Source('a  + "b\\n"')))))
    "a + \"b\\n\""
    """
    text = ""
    for before, token in zip([None, *tokens], tokens, strict=False):
        if before is not None and _apart(before, token):
            text += " "
        quoted = token.type in ("STRING", "CHARACTER")
        text += token.text.replace("\\", "\\\\").replace('"', '\\"') if quoted else token.text
    return f'"{text}"'


def _apart(first: Token, second: Token) -> bool:
    """Whether blanks stand between two tokens; of those that one macro made only words are."""
    a, b = first.span, second.span
    if a == b:
        return first.is_word and second.is_word
    return (a.end_line, a.end_column) != (b.line, b.column)


def check_body(body: Sequence[Token], parameters: Sequence[str] | None) -> None:
    """Raise where `#` or `##` in a macro's body has nothing to work on."""
    for ends in (body[:1], body[-1:]):
        if ends and ends[0].type == "PASTE":
            hint = "write what it joins on both sides"
            raise CompileError("`##` cannot begin or end a macro", ends[0].span, hint)
    if parameters is None:
        return
    for number, token in enumerate(body):
        behind = body[number + 1].text if number + 1 < len(body) else ""
        if token.type == "HASH" and behind not in parameters:
            what = "`#` in a macro makes a string of a parameter, and none follows"
            raise CompileError(what, token.span, "write a parameter's name behind it")
