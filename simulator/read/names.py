"""Tokens between preprocessor and parser: which names are types, and which tokens are refused."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from simulator.hints.unsupported import SUSPECT, SUSPECT_NAMES, refuse
from simulator.ir.types import HEADER_TYPES, TYPE_ALIASES, VECTORS
from simulator.read.classes import (
    behind_arguments,
    member_joined,
    member_of_template,
    words_joined,
)
from simulator.read.libraries import (
    COMPLEX,
    COMPLEX_HEADER,
    GROUP_TYPES,
    TEMPLATE_FUNCTIONS,
    TEMPLATE_TYPES,
)
from simulator.source import TYPE_WORDS, CompileError, Token, TokenStream

# Where a name is being declared, recognised by the tokens in front of it.


#: What may stand between a type and the name that is declared.
_BETWEEN = frozenset(
    """* & && ... const volatile restrict __restrict __restrict__ __grid_constant__""".split()
)
_HEADS = frozenset(["for", "if", "while", "switch"])
_BEHIND_NAME = frozenset([",", ";", "=", ")", "[", "{", "(", ":", ">"])
#: What stands in front of the braces around a list of values.
_BEFORE_VALUES = frozenset(["=", "(", ",", "return"])


class Declaring:
    """Follows declarations: `T *a, b[3]` declares `a` and `b`, even if these are types.

    The name of a type that stands where that of a variable is due means the variable from there on.
    """

    def __init__(self) -> None:
        #: How many parentheses and square brackets are open.
        self.depth = 0
        #: Whether a type has just been named, but for stars and the like.
        self.typed = False
        self._starts = True  # whether a statement begins here
        self._before = ""
        self._values = 0  # how many braces around values are open
        self._list_at = -1  # how many brackets are open around the list of declared names here
        self._declared = False  # whether braces behind the token before are around values

    def names_variable(self, after: str) -> bool:
        """Whether the name of a type, with `after` behind it, is here that of a variable."""
        return self.typed and after in _BEHIND_NAME

    def follow(self, token: Token, tag: bool, in_arguments: bool) -> None:
        """Go on behind `token`, as the parser gets it.

        `tag` says that it names a structure, `in_arguments` that a template's `<` is open.
        """
        text = token.text
        declared, self._declared = self._declared, False
        if token.type == "IDENT" and not tag:
            self._declared = self.typed
            self.typed = self._starts = False
        elif tag or token.type == "TYPE_NAME" or text in TYPE_WORDS:
            self._declared = not tag and self._before in ("=", "(", "return")  # `return Type{…};`
            self._list_at = self.depth if self._starts else self._list_at
            self.typed = True
        elif text in ("*", "&"):
            self._starts = False
        elif text not in _BETWEEN:
            in_list = self.depth == self._list_at and not (self._values or in_arguments)
            self.typed = text == "," and in_list
            self._sign(token, declared)
        self._before = text

    def _sign(self, token: Token, declared: bool) -> None:
        """Follow a bracket, an operator or a keyword; `declared` says what is in front of it."""
        text = token.text
        if text in ("(", "["):
            self.depth += 1
            self._starts = text == "(" and self._before in _HEADS
        elif text in (")", "]"):
            self.depth -= 1
            self._starts = False
        elif text == "{" and (self._values or declared or self._before in _BEFORE_VALUES):
            self._values += 1
            self._starts = False
        elif text == "}" and self._values:
            self._values -= 1
        elif text in (";", "{", "}"):
            self._starts, self._list_at = True, -1
        elif not token.is_word:
            self._starts = False


# Templates among the tokens: where their headers are, and which `<` are brackets.


_CLASSES = frozenset(["struct", "class", "union"])
_NOT_FUNCTIONS = {
    "concept": ("types", "leave it out"),
    "requires": ("constraints", "leave it out"),
    "[": ("variables", "write a function template that returns the value"),
}


_NAMED = frozenset(["IDENT", "CLASS", "STRUCT", "UNION", "USING"])


class TemplateTokens:
    """Gives the tokens of templates their terminals, as the text goes by."""

    def __init__(self, included: Collection[str]) -> None:
        self._included = included
        self._functions = set(TEMPLATE_FUNCTIONS)
        self.types = set(TEMPLATE_TYPES)
        self._header_depth = 0  # how many brackets are open around the header being read
        self._awaits_type = False
        self._angles: list[int] = []
        self._depth = 0
        self.in_header = self._awaits_name = False
        self._takes_template = False  # whether a parameter that is a template awaits its name

    @property
    def in_arguments(self) -> bool:
        """Whether the arguments of a template are being read."""
        return bool(self._angles)

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
        if token.type in _NAMED:
            token = self._name(before, token, after)
        if self._takes_template and token.type == "IDENT":
            self.types.add(token.text)
        if token.type != "ELLIPSIS":
            closed = before is not None and before.text == ">"
            self._takes_template = token.type == "TYPENAME" and closed and self.in_header
        self._follow(before, token)
        return token

    def _name(self, before: Token | None, token: Token, after: str) -> Token:
        text = token.text
        if self._awaits_name and text in _NOT_FUNCTIONS:
            raise self._refused(token)
        if text == "template":
            return self._header(token)
        if self._awaits_name and not self._angles and text in (*_CLASSES, "using"):
            self._awaits_type = True
        elif self._awaits_type:
            self._awaits_type = self._awaits_name = False
            self.types.add(text)
            return token.renamed("TEMPLATE_TYPE") if after == "<" else token
        if text == "typename" or (self.in_header and text == "class"):
            return token.renamed("TYPENAME")
        at_header = self._depth == self._header_depth
        if self._awaits_name and after in ("(", "=") and at_header and not self._angles:
            self._functions.add(text)
            self._awaits_name = False
        elif after == "<" and (text in self.types or self._is_complex(text)):
            return token.renamed("TEMPLATE_TYPE")
        elif after == "<" and text in self._functions:
            return token.renamed("TEMPLATE_NAME")
        return token

    def _is_complex(self, text: str) -> bool:
        return text == COMPLEX and COMPLEX_HEADER in self._included

    def _header(self, token: Token) -> Token:
        self.in_header, self._header_depth = True, self._depth
        return token.renamed("TEMPLATE")

    def _follow(self, before: Token | None, token: Token) -> None:
        text = token.text
        at_header = self._depth == self._header_depth and not self._angles
        if self._awaits_name and at_header and text in _NOT_FUNCTIONS:
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
            self._closed(token)
        elif text == ";":
            self._angles.clear()
            self.in_header = self._awaits_name = self._awaits_type = False

    def _closed(self, token: Token) -> None:
        self._angles.pop()
        if self.in_header and not self._angles:
            self.in_header, self._awaits_name = False, True

    def _refused(self, token: Token) -> CompileError:
        what, hint = _NOT_FUNCTIONS[token.text]
        return CompileError(f"templates of {what} are not supported", token.span, hint)


def _opens_arguments(before: Token) -> bool:
    """Whether a `<` behind this token is a bracket."""
    return before.type.startswith("TEMPLATE") or before.text.endswith("_cast")


#: The operators of fold expressions, and those that may mark a pointer or a reference.
_FOLDED = frozenset(
    """+ - * / % ^ & | << >> += -= *= /= %= ^= &= |= <<= >>= = == != < > <= >= && || ,""".split()
)
_MARKS = frozenset(["*", "&", "&&"])
MOST_BRACKETS = 256
_BRACKETS = frozenset("([{}])")
#: What stands behind the name of a structure or enumeration that is being declared.
_DEFINES = frozenset(["{", ":", ";"])
_TAGS = frozenset(["struct", "class", "union", "enum"])
#: What may stand before the name of a class where it declares a constructor.
_BEFORE_CONSTRUCTOR = frozenset(
    """{ } ; : > ~ ) __device__ __host__ constexpr inline explicit __forceinline__ __inline__
    __noinline__""".split()
)

_ACCESS = frozenset(["public", "private", "protected"])

#: Terminals that stand where the type of another function does.
_WITHOUT_TYPE = frozenset(["CONSTRUCTOR", "COMPLEMENT", "OPERATOR"])


def _points(stream: TokenStream) -> bool:
    """Whether `*name)(`, `*name[2])(` or `&name)[` comes next: a pointer or a reference."""
    sign, at = stream.text(), 1
    if sign not in ("*", "&"):
        return False
    at += stream.text(at) in ("const", "__restrict__")
    token = stream.peek(at)
    at += token is not None and token.is_word
    while stream.text(at) == "[":
        at += 1
        while stream.text(at) not in ("]", "", ";"):
            at += 1
        at += 1
    return stream.text(at) == ")" and stream.text(at + 1) in ("(", "[")


def _instantiates(token: Token, stream: TokenStream) -> bool:
    """Whether `template name<…>;` begins here, perhaps behind `extern`."""
    if token.text == "extern" and stream.text() == "template":
        return stream.text(1) != "<"
    return token.text == "template" and stream.text() != "<"


def _pass_statement(stream: TokenStream) -> None:
    """Leave out what comes up to `;`."""
    while stream.text() not in (";", "{", "}", ""):
        next(stream)
    if stream.text() == ";":
        next(stream)


def _binds(stream: TokenStream) -> bool:
    """Whether `[names]` comes next, perhaps as references."""
    at = 0
    while stream.text(at) in ("const", "&", "&&"):
        at += 1
    return stream.text(at) == "["


def _plain(name: str) -> str:
    return name.rpartition("::")[2]


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
        self._alias = ""  # the name that an alias gives, until its type begins
        self._takes_type = False  # whether `using typename` is being read
        self._typedef_level = 0  # how many scopes are open around the typedef being read
        self._typedef_depth = 0  # and how many brackets
        self._tag_level = -1  # how many brackets are open at a `struct` that waits for its name
        self._brackets = 0
        self._templates = TemplateTokens(included)
        self._template_at: list[int] = []  # how many scopes are around each template's parameters
        self._pending = ""  # the class whose braces come next
        self._bases: list[str] = []  # what it inherits from
        self._classes: list[tuple[str, int]] = []  # those that are open, and how many brackets are
        self._members: dict[str, dict[str, bool]] = {}  # what names are in each class: types or not
        self._behind_access = False  # whether `public:` or its like stands right before

    def classify(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Yield the tokens for the parser."""
        before: Token | None = None
        first: Token | None = None
        last: Token | None = None
        for token, after in self._with_next(words_joined(tokens)):
            token = self._templates.classified(before, token, after)
            if self._is_suspect(before, token):
                nothing = Token("", "", token.span)
                refuse(before or nothing, token, after)
            if token.text in _BRACKETS:
                self._follow_bracket(token)
            tag = self._tag_level == self._brackets and token.type == "IDENT"
            made = self._classified(before, token, after)
            self._declaring.follow(made, tag, self._templates.in_arguments)
            if token.text == ":" and self._is_nameless(first, last):
                yield Token("IDENT", "", token.span)
            if made.type in _WITHOUT_TYPE and (before is None or before.text != "~"):
                yield Token("NO_TYPE", "void", made.span)
            yield made
            if token.text == ":":
                self._behind_access = before is not None and before.text in _ACCESS
            if token.type != "ELLIPSIS" or before is None or before.type != "TYPENAME":
                before = token
            first, last = last, made

    def _is_nameless(self, first: Token | None, last: Token | None) -> bool:
        """Whether a colon behind these tokens begins the width of a bit field without a name."""
        if last is None or not self._at_members:
            return False
        tagged = first is not None and first.text in _TAGS
        return last.text in TYPE_WORDS or (last.type == "TYPE_NAME" and not tagged)

    def _follow_bracket(self, token: Token) -> None:
        self._brackets += 1 if token.text in "([{" else -1
        if self._brackets > MOST_BRACKETS:
            what = f"more than {MOST_BRACKETS} brackets are open here"
            raise CompileError(what, token.span, "nest less")

    def _with_next(self, tokens: Iterable[Token]) -> Iterator[tuple[Token, str]]:
        """Each token with the text of the next; `>>` may be two."""
        stream, before, binds = TokenStream(tokens), "", False
        for token in stream:
            if before in ("", ";", "{", "}") and _instantiates(token, stream):
                _pass_statement(stream)  # an explicit instantiation: calls make the instances here
                continue
            if token.type == "IDENT":
                token = self._joined(token, before, stream)
                if before != "typename" and self._starts_nested(token, stream):
                    yield Token("TYPENAME", "typename", token.span), token.text
            if token.text == "..." or stream.text() == "...":
                token = self._folded(token, before, stream)
            before = token.text
            if token.text == "auto":
                binds = _binds(stream)
            elif token.text == "[" and binds:
                token, binds = token.renamed("BINDING"), False
            if token.text == "(" and self._declaring.typed and _points(stream):
                token = token.renamed("POINTED")
            for part in self._templates.split(token):
                yield part, stream.text()

    def _folded(self, token: Token, before: str, stream: TokenStream) -> Token:
        """Return the token, or the one that `op ...`, `... op` or `op ... op` is in parentheses."""
        taken = 0
        if token.text == "..." and before == "(" and stream.text() in _FOLDED:
            taken = 1
        elif token.text in _FOLDED and not (token.text in _MARKS and self._ends_type(before)):
            after = stream.text(1)
            taken = 1 if after == ")" else 2 if after == token.text and after != "," else taken
            taken = 2 if after == "," == token.text and stream.text(2) != ")" else taken
        parts = [token, *(next(stream) for _ in range(taken))]
        if not taken:
            return token
        text = "".join(part.text for part in parts)
        return Token("FOLD", text, token.span.to(parts[-1].span), token.hidden)

    def _ends_type(self, before: str) -> bool:
        """Whether a token ends the name of a type, so that `&` behind it marks a reference."""
        return before in TYPE_WORDS or before in ("const", ">", "*") or self._is_type(before)

    def _joined(self, token: Token, before: str, stream: TokenStream) -> Token:
        """Return the token together with what it is the scope of."""
        ahead = stream.text()
        if ahead == "::" or token.text == "typename":
            return member_joined(token, before, stream, self._is_type)
        if ahead == "<" and not self._brackets and token.text in self._templates.types:
            return member_of_template(token, stream)
        return token

    def _starts_nested(self, token: Token, stream: TokenStream) -> bool:
        """Whether `Template<…>::name` begins here, as the type of what is declared."""
        if token.text not in self._templates.types or stream.text() != "<":
            return False
        end = behind_arguments(stream)
        if end is None or stream.text(end) != "::":
            return False
        name, after = stream.peek(end + 1), stream.peek(end + 2)
        if name is None or after is None or not name.is_word:
            return False
        return after.type == "IDENT" or (self._in_using and after.text == ";")

    def _classified(self, before: Token | None, token: Token, after: str) -> Token:
        if token.type == "IDENT":
            return self._name(before, token, after)
        if token.type == "DESTRUCTOR":
            return token.renamed("CONSTRUCTOR")
        if token.text == "~" and self._at_members and after == _plain(self._classes[-1][0]):
            return token.renamed("COMPLEMENT")
        if token.type == "TEMPLATE":
            self._template_at.append(len(self._scopes))
            self._scopes.append({})
        elif token.text in _TAGS and not self._templates.in_header:
            self._tag_level = self._brackets
        elif token.type == "TEMPLATE_TYPE" and self._in_using and self._alias:
            # `using Name = Template<…>;`: what is a type in the template is one in `Name`
            self._members.setdefault(self._alias, dict(self._members.get(token.text, {})))
            self._alias = ""
        elif token.type == "TEMPLATE_TYPE" and self._tag_level == self._brackets:
            self._tag_level, self._pending = -1, token.text
            self._declare(token.text, True)
        else:
            self._follow_sign(token)
        return token

    def _follow_sign(self, token: Token) -> None:
        """Follow a bracket, a sign or a keyword that says what names behind it are."""
        if token.text == "{":
            self._open()
        elif token.text == "}" and len(self._scopes) > 1:
            self._close()
            self._end_template()
        elif token.text in ("(", "="):
            self._pending = ""
        elif token.text == "typedef":
            self._typedef_level = len(self._scopes)
            self._typedef_depth = self._declaring.depth
        elif token.text == "using":
            self._in_using = True
        elif token.type == "TYPENAME" and token.span.text == "typename":
            self._takes_type = self._in_using
        elif token.text == ";":
            self._end_statement()

    def _open(self) -> None:
        if self._tag_level == self._brackets - 1 and not self._pending:
            self._pending = "<unnamed>"
        self._tag_level = -1
        if self._pending and self._pending in self._visible:
            self._head[self._pending] = True
        self._scopes.append(self._head)
        self._inherit()
        self._classes.append((self._pending, self._brackets))
        self._head, self._pending = {}, ""

    def _inherit(self) -> None:
        """Give a class the types that are members of its bases."""
        for base in self._bases if self._pending else ():
            types = {name: True for name, is_type in self._members.get(base, {}).items() if is_type}
            self._scopes[-1] |= types
            self._visible |= types
        self._bases = []

    def _close(self) -> None:
        name, _ = self._classes.pop() if self._classes else ("", 0)
        if name:
            self._members[name] = dict(self._scopes[-1])
        self._pop()

    @property
    def _at_members(self) -> bool:
        """Whether the members of a class stand here, and not what is in their brackets."""
        return bool(self._classes) and self._classes[-1][1] == self._brackets and self._in_class

    @property
    def _in_class(self) -> bool:
        return bool(self._classes[-1][0])

    def _end_statement(self) -> None:
        self._in_using = self._takes_type = False
        self._pending = ""
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
        while self._template_at and len(self._scopes) == self._template_at[-1] + 1:
            self._pop()
            self._template_at.pop()

    def _name(self, before: Token | None, token: Token, after: str) -> Token:
        if before is not None and before.text in (".", "->", "::"):
            self._take_type(token, after)
            return token
        text = token.text
        if self._tag_level == self._brackets:
            self._tag_level = -1
            self._pending = text if after in ("{", ":") else ""
            if text not in self._visible or after in _DEFINES:
                self._declare(text, True)
            return token
        if self._pending and not self._in_using and self._is_type(text):
            self._bases.append(text)  # of the class that is being declared
            return token.renamed("TYPE_NAME")
        if after == "(" and self._constructs(before, text):
            return token.renamed("CONSTRUCTOR")
        if "::" in text and (found := self._member_kind(text)) is not None:
            return token.renamed("TYPE_NAME") if found else token
        if before is not None and self._declares_a_type(before, after):
            self._declare(text, True)
            self._alias = text if before.text == "using" else ""
            return token
        if not self._is_type(text):
            return token
        if self._declaring.names_variable(after) and not self._is_fixed(text):
            self._declare(text, False)
            return token
        return token.renamed("TYPE_NAME")

    def _take_type(self, token: Token, after: str) -> None:
        """Declare the type that `using typename Base::name;` takes."""
        if self._takes_type and after == ";":
            self._declare(token.text, True)

    def _is_type(self, text: str) -> bool:
        """Whether a name is that of a type here; a header's types are there once it is included."""
        if text in HEADER_TYPES and text not in self._visible:
            return HEADER_TYPES[text][1] in self._included
        return self._visible.get(text, False)

    def _constructs(self, before: Token | None, text: str) -> bool:
        """Whether a name with `(` behind it is that of a constructor which is declared here."""
        front, _, name = text.rpartition("::")
        if not self._brackets and front and _plain(front) == name:
            self._head |= self._members.get(front, {})
            return front in self._members
        if not self._at_members or (before is not None and before.text not in _BEFORE_CONSTRUCTOR):
            return False
        if before is not None and before.text == ":" and not self._behind_access:
            return False  # one constructor hands over to another
        return name == _plain(self._classes[-1][0])

    def _member_kind(self, text: str) -> bool | None:
        """Return whether `Class::name` is a type, None if it is no member of a class."""
        front, _, name = text.rpartition("::")
        known = self._members.get(front)
        if known is None:
            return None
        if not self._brackets and not known.get(name):
            self._head |= known
            self._look_again()
            self._visible |= known
        return known.get(name, False)

    def _declares_a_type(self, before: Token, after: str) -> bool:
        """Whether a name is given to a type here, by an alias or as a template's parameter."""
        if self._names_a_type and self._declares_type(before, after):
            return True
        return before.type == "TYPENAME" and self._templates.in_header

    def _declares_type(self, before: Token, after: str) -> bool:
        """Whether a name between these becomes that of a type."""
        if before.text == "using" and after == "=":
            return True
        if self._typedef_level != len(self._scopes) or self._templates.in_arguments:
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
        suspect = token.type in SUSPECT or token.text in SUSPECT_NAMES
        return suspect and not self._is_scope_of_type(before, token)

    def _is_scope_of_type(self, before: Token | None, token: Token) -> bool:
        """Whether `token` is the `::` of `Colour::RED`, of `Pack<int>::size`, or of `asm`."""
        if token.type != "SCOPE" or before is None:
            return False
        known = before.type == "STRING" or before.text in (":", ")", ">")
        return known or bool(self._visible.get(before.text))
