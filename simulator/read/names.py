"""Tokens between preprocessor and parser: which names are types, and which tokens are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from simulator.hints.unsupported import SUSPECT, SUSPECT_NAMES, refuse
from simulator.ir.types import HEADER_TYPES, TYPE_ALIASES, VECTORS
from simulator.read.libraries import (
    COMPLEX,
    COMPLEX_HEADER,
    GROUP_TYPES,
    TEMPLATE_FUNCTIONS,
    TEMPLATE_TYPES,
)
from simulator.read.operators import operators_joined
from simulator.source import TYPE_WORDS, CompileError, Token, TokenStream

# Where a name is being declared, recognised by the tokens in front of it.


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
        """Follow a bracket, an operator or a keyword."""
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


# Templates among the tokens: where their headers are, and which `<` are brackets.


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


class TemplateTokens:
    """Gives the tokens of templates their terminals, as the text goes by."""

    def __init__(self, included: Collection[str]) -> None:
        self._included = included
        self._functions = set(TEMPLATE_FUNCTIONS)
        self._angles: list[int] = []
        self._depth = 0
        self._in_header = self._awaits_name = False

    def split(self, token: Token) -> Iterator[Token]:
        """Yield the token, or two if it is a `>>` that closes two brackets."""
        if token.text == ">>" and self._angles[-2:] == [self._depth] * 2:
            span = token.span
            middle = replace(span, end_column=span.end_column - 1)
            yield Token("MORETHAN", ">", middle, token.hidden)
            yield Token("MORETHAN", ">", replace(span, column=span.column + 1), token.hidden)
        else:
            yield token

    def classified(self, before: Token | None, token: Token, after: str) -> Token:
        """Return the token as the parser gets it."""
        if token.type in ("IDENT", "CLASS"):
            token = self._name(before, token, after)
        self._follow(before, token)
        return token

    def _name(self, before: Token | None, token: Token, after: str) -> Token:
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
        elif after == "<" and (text in TEMPLATE_TYPES or self._is_complex(text)):
            return token.renamed("TEMPLATE_TYPE")
        elif after == "<" and text in self._functions:
            if self._awaits_name:
                raise _specialised(token)
            return token.renamed("TEMPLATE_NAME")
        return token

    def _is_complex(self, text: str) -> bool:
        return text == COMPLEX and COMPLEX_HEADER in self._included

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
        elif text == "<" and before is not None and _opens_arguments(before):
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


def _opens_arguments(before: Token) -> bool:
    """Whether a `<` behind this token is a bracket."""
    return before.type.startswith("TEMPLATE") or before.text.endswith("_cast")


def _specialised(token: Token) -> CompileError:
    hint = "test a constant parameter of the template with `if constexpr`"
    return CompileError("specialisation of templates is not supported", token.span, hint)


MOST_BRACKETS = 256
_BRACKETS = frozenset("([{}])")
#: What stands behind the name of a structure or enumeration that is being declared.
_DEFINES = frozenset(["{", ":", ";"])


class TypeNames:
    """Turns each IDENT that names a type into a TYPE_NAME, in the block that declares it.

    `included` are the standard headers that the program has included so far; it may grow.
    """

    def __init__(self, included: Collection[str]) -> None:
        self._included = included
        groups = {f"cg::{name}" for name in GROUP_TYPES}
        self._brought = dict.fromkeys([*TYPE_ALIASES, *VECTORS, *groups], True)
        #: For each open block what the names that it declares are: types or not.
        self._scopes: list[dict[str, bool]] = [dict(self._brought)]
        self._visible = dict(self._brought)
        self._head: dict[str, bool] = {}  # the same for the parentheses before a block
        self._declaring = Declaring()
        self._in_using = False
        self._typedef_level = 0  # how many scopes are open around the typedef being read
        self._typedef_depth = 0  # and how many brackets
        self._tag_level = -1  # how many brackets are open at a `struct` that waits for its name
        self._brackets = 0
        self._templates = TemplateTokens(included)
        self._template_at = 0  # how many scopes are around that of a template's parameters

    def classify(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Yield the tokens for the parser."""
        before: Token | None = None
        for token, after in self._with_next(operators_joined(tokens)):
            token = self._templates.classified(before, token, after)
            if self._is_suspect(before, token):
                nothing = Token("", "", token.span)
                refuse(before or nothing, token, after, self._names_a_type)
            if token.text in _BRACKETS:
                self._follow_bracket(token)
            tag = self._tag_level == self._brackets and token.type == "IDENT"
            made = self._classified(before, token, after)
            self._declaring.follow(made, tag)
            yield made
            before = token

    def _follow_bracket(self, token: Token) -> None:
        self._brackets += 1 if token.text in "([{" else -1
        if self._brackets > MOST_BRACKETS:
            what = f"more than {MOST_BRACKETS} brackets are open here"
            raise CompileError(what, token.span, "nest less")

    def _with_next(self, tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
        """Each token with the text of the next; `>>` may be two."""
        stream = TokenStream(tokens)
        for token in stream:
            for part in self._templates.split(token):
                yield part, stream.text()

    def _classified(self, before: Token | None, token: Token, after: str) -> Token:
        if token.type == "IDENT":
            return self._name(before, token, after)
        if token.type == "TEMPLATE":
            self._template_at = len(self._scopes)
            self._scopes.append({})
        elif token.text in ("struct", "enum"):
            self._tag_level = self._brackets
        elif token.text == "{":
            self._tag_level = -1
            self._scopes.append(self._head)
            self._head = {}
        elif token.text == "}" and len(self._scopes) > 1:
            self._pop()
            self._end_template()
        elif token.text == "typedef":
            self._typedef_level = len(self._scopes)
            self._typedef_depth = self._declaring.depth
        elif token.text == "using":
            self._in_using = True
        elif token.text == ";":
            self._end_statement()
        return token

    def _end_statement(self) -> None:
        self._in_using = False
        if self._typedef_level == len(self._scopes):
            self._typedef_level = 0
        if self._head and not self._declaring.depth:
            self._head = {}
            self._look_again()
        self._end_template()

    def _pop(self) -> None:
        if self._scopes.pop():
            self._look_again()

    def _look_again(self) -> None:
        """See what names mean after a scope has ended."""
        self._visible = {name: is_type for scope in self._scopes for name, is_type in scope.items()}

    def _end_template(self) -> None:
        """End a template's parameters with its body, or its prototype."""
        if self._template_at and len(self._scopes) == self._template_at + 1:
            self._pop()
            self._template_at = 0

    def _name(self, before: Token | None, token: Token, after: str) -> Token:
        if before is not None and before.text in (".", "->", "::"):
            return token
        text = token.text
        if self._tag_level == self._brackets:
            self._tag_level = -1
            if text not in self._visible or after in _DEFINES:
                self._declare(text, True)
            return token
        if before is not None and self._names_a_type and self._declares_type(before, after):
            self._declare(text, True)
            return token
        if before is not None and before.type == "TYPENAME":
            self._declare(text, True)
            return token
        if not self._is_type(text):
            return token
        if self._declaring.names_variable(after) and not self._is_fixed(text):
            self._declare(text, False)
            return token
        return token.renamed("TYPE_NAME")

    def _is_type(self, text: str) -> bool:
        """Whether a name is that of a type here; a header's types are there once it is included."""
        if text in HEADER_TYPES and text not in self._visible:
            return HEADER_TYPES[text][1] in self._included
        return self._visible.get(text, False)

    def _declares_type(self, before: Token, after: str) -> bool:
        """Whether a name between these becomes that of a type."""
        if before.text == "using" and after == "=":
            return True
        if self._typedef_level != len(self._scopes):
            return False
        depth = self._declaring.depth - self._typedef_depth
        if depth:  # `(*name)(…)`
            return before.text == "*" and after == ")" and depth == 1
        return after in (";", ",", "[", "(")

    @property
    def _names_a_type(self) -> bool:
        """Whether a typedef or an alias is being read."""
        return self._in_using or self._typedef_level == len(self._scopes)

    def _declare(self, text: str, is_type: bool) -> None:
        """Say what a name means from here on."""
        in_head = not is_type and self._declaring.depth > 0
        (self._head if in_head else self._scopes[-1])[text] = is_type
        self._visible[text] = is_type

    def _is_fixed(self, text: str) -> bool:
        """Whether a name is CUDA's own, in the very scope where it is declared."""
        outside = len(self._scopes) == 1 and not self._declaring.depth
        return outside and text in self._brought

    def _is_suspect(self, before: Token | None, token: Token) -> bool:
        """Whether a token may not be of the simulator's language."""
        if token.text == "(":
            return before is not None and before.text in TYPE_WORDS
        suspect = token.type in SUSPECT or token.text in SUSPECT_NAMES
        return suspect and not self._is_scope_of_type(before, token)

    def _is_scope_of_type(self, before: Token | None, token: Token) -> bool:
        """Whether `token` is the `::` of `Colour::RED`, or of an `asm` statement."""
        if token.type != "SCOPE" or before is None:
            return False
        in_asm = before.type == "STRING" or before.text in (":", ")")
        return in_asm or bool(self._visible.get(before.text))
