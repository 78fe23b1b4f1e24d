"""Templates among the tokens: where their headers are, and which `<` are brackets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simulator.ir.tokens import Token
from simulator.read.libraries import TEMPLATE_FUNCTIONS, TEMPLATE_TYPES
from simulator.source import CompileError

_STRUCTURES = "write the structure once for each type"
_NOT_FUNCTIONS = {
    **dict.fromkeys(["struct", "class", "union"], ("structures", _STRUCTURES)),
    "using": ("types", "name each type by itself"),
    "concept": ("types", "leave it out"),
    "requires": ("constraints", "leave it out"),
    "template": ("templates", "write one header with all parameters"),
    "=": ("variables", "write a function template that returns the value"),
    "[": ("variables", "write a function template that returns the value"),
}


class TemplateWords:
    """Gives the words of templates their terminals, as the text goes by."""

    def __init__(self) -> None:
        self._functions = set(TEMPLATE_FUNCTIONS)
        self._angles: list[int] = []
        self._depth = 0
        self._in_header = self._awaits_name = False

    def split(self, token: Token) -> Iterator[Token]:
        """The token, or two if it is a `>>` that closes two brackets."""
        if token.text == ">>" and self._angles[-2:] == [self._depth] * 2:
            span = token.span
            middle = replace(span, end_column=span.end_column - 1)
            yield Token("MORETHAN", ">", middle, token.hidden)
            yield Token("MORETHAN", ">", replace(span, column=span.column + 1), token.hidden)
        else:
            yield token

    def classified(self, before: Token | None, token: Token, after: str) -> Token:
        """The token as the parser gets it.

        Raises
        ------
        CompileError
            at templates of what is no function
        """
        if token.type in ("IDENT", "CLASS"):
            token = self._word(before, token, after)
        self._follow(before, token)
        return token

    def _word(self, before: Token | None, token: Token, after: str) -> Token:
        text = token.text
        if self._awaits_name and text in _NOT_FUNCTIONS:
            raise self._refused(token)
        if text == "template":
            return self._header(token, after)
        if self._in_header and text in ("typename", "class"):
            return token.renamed("TYPENAME")
        if self._awaits_name and after == "(" and not self._depth:
            self._functions.add(text)
            self._awaits_name = False
        elif after == "<" and text in TEMPLATE_TYPES:
            return token.renamed("TEMPLATE_TYPE")
        elif after == "<" and text in self._functions:
            if self._awaits_name:
                raise _specialised(token)
            return token.renamed("TEMPLATE_NAME")
        return token

    def _header(self, token: Token, after: str) -> Token:
        if after != "<":
            hint = "leave it out, and name the instance in name_expressions"
            raise CompileError("explicit instantiation is not supported", token.span, hint)
        self._in_header = True
        return token.renamed("TEMPLATE")

    def _follow(self, before: Token | None, token: Token) -> None:
        text = token.text
        if self._awaits_name and not self._depth and text in _NOT_FUNCTIONS:
            raise self._refused(token)
        if text in ("(", "[", "{"):
            self._depth += 1
        elif text in (")", "]", "}"):
            self._depth -= 1
            while self._angles and self._angles[-1] > self._depth:
                self._angles.pop()
        elif text == "<" and before is not None and before.type.startswith("TEMPLATE"):
            self._angles.append(self._depth)
        elif text == ">" and self._angles and self._angles[-1] == self._depth:
            self._closed(before, token)
        elif text == ";":
            self._angles.clear()
            self._in_header = self._awaits_name = False

    def _closed(self, before: Token | None, token: Token) -> None:
        self._angles.pop()
        if self._in_header and not self._angles:
            if before is not None and before.text == "<":
                raise _specialised(token)
            self._in_header, self._awaits_name = False, True

    def _refused(self, token: Token) -> CompileError:
        what, hint = _NOT_FUNCTIONS[token.text]
        return CompileError(f"templates of {what} are not supported", token.span, hint)


def _specialised(token: Token) -> CompileError:
    hint = "test a constant parameter of the template with `if constexpr`"
    return CompileError("specialisation of templates is not supported", token.span, hint)
