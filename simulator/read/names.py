"""The words between preprocessor and parser: which names are types, and which words are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simulator.ctype import TYPE_ALIASES, VECTORS
from simulator.read.libraries import GROUP_TYPES
from simulator.read.refused import refuse
from simulator.read.template_words import TemplateWords
from simulator.read.tokens import Token
from simulator.read.word_slips import refuse_slip
from simulator.source import CompileError

MOST_BRACKETS = 256


class TypeNames:
    """Turns each IDENT that names a type into a TYPE_NAME, in the block that declares it."""

    def __init__(self) -> None:
        groups = {f"cg::{name}" for name in GROUP_TYPES}
        self._scopes: list[set[str]] = [{*TYPE_ALIASES, *VECTORS, *groups}]
        self._visible: set[str] = set().union(*self._scopes)
        self._typedef_level = 0  # how many scopes are open around the typedef being read
        self._tag_level = -1  # how many brackets are open at a `struct` that waits for its name
        self._brackets = 0
        self._templates = TemplateWords()
        self._template_at = 0  # how many scopes are around that of a template's parameters

    def classify(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """The tokens for the parser.

        Raises
        ------
        CompileError
            at a word of C++ or CUDA that is not supported, and at too many open brackets
        """
        before: Token | None = None
        for token, after in self._words(tokens):
            token = self._templates.classified(before, token, after)
            refuse_slip(before, token, after)
            if not self._is_scope_of_type(before, token):
                refuse(before, token, after)
            self._brackets += (token.text in "([{") - (token.text in ")]}") if token.text else 0
            if self._brackets > MOST_BRACKETS:
                raise CompileError(
                    f"more than {MOST_BRACKETS} brackets are open here", token.span, "nest less"
                )
            yield self._classified(before, token, after)
            before = token

    def _words(self, tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
        """Each token with the text of the next; `>>` may be two."""
        for token, after in _pairs(tokens):
            for part in self._templates.split(token):
                yield part, after

    def _classified(self, before: Token | None, token: Token, after: str) -> Token:
        if token.type == "IDENT":
            return self._word(before, token, after)
        if token.type == "TEMPLATE":
            self._template_at = len(self._scopes)
            self._scopes.append(set())
        elif token.text in ("struct", "enum"):
            self._tag_level = self._brackets
        elif token.text == "{":
            self._tag_level = -1
            self._scopes.append(set())
        elif token.text == "}" and len(self._scopes) > 1:
            self._pop()
            self._end_template()
        elif token.text == "typedef":
            self._typedef_level = len(self._scopes)
        elif token.text == ";":
            if self._typedef_level == len(self._scopes):
                self._typedef_level = 0
            self._end_template()
        return token

    def _pop(self) -> None:
        if self._scopes.pop():
            self._visible = set().union(*self._scopes)

    def _end_template(self) -> None:
        """A template's parameters end with its body, or its prototype."""
        if self._template_at and len(self._scopes) == self._template_at + 1:
            self._pop()
            self._template_at = 0

    def _word(self, before: Token | None, token: Token, after: str) -> Token:
        if before is not None and before.text in (".", "->", "::"):
            return token
        tag = self._tag_level == self._brackets
        declares = before is not None and (
            before.type == "TYPENAME"
            or (before.text == "using" and after == "=")
            or (self._typedef_level == len(self._scopes) and after in (";", ",", "["))
        )
        if tag or declares:
            self._tag_level = -1
            self._scopes[-1].add(token.text)
            self._visible.add(token.text)
            return token
        return token.renamed("TYPE_NAME") if token.text in self._visible else token

    def _is_scope_of_type(self, before: Token | None, token: Token) -> bool:
        """Whether `token` is the `::` of `Colour::RED`."""
        return token.type == "SCOPE" and before is not None and before.text in self._visible


def _pairs(tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
    """Each token with the text of the next."""
    iterator = iter(tokens)
    token = next(iterator, None)
    while token is not None:
        after = next(iterator, None)
        yield token, after.text if after else ""
        token = after
