"""Namespaces, taken away before the parser: every name becomes one token that says all of it.

`foo::bar` and, inside `namespace foo`, plain `bar` become the one token `foo::bar`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from simulator.hints.header_names import NESTED
from simulator.hints.similar import nearest
from simulator.hints.unsupported import STANDARD_SPACES
from simulator.read.libraries import LIBRARIES, brought, library_name
from simulator.source import CompileError, Span, Token, TokenStream

# Where a token stands, by the tokens alone: in which brace, and what it may declare.


_BEHIND_NAME = frozenset(["(", "=", ";", "[", ",", "{", ":", ""])
_BEHIND_MEMBER = frozenset([";", ",", "[", "=", "{", ":"])
_OPENING, _CLOSING = frozenset("(["), frozenset(")]")
_STRUCTURES = frozenset(["struct", "class", "union"])


@dataclass
class Level:
    """One open brace, or the file.

    `kind` is file, namespace, linkage, struct, enum, scoped (an `enum class`) or block; `opened`
    are the namespaces of `using namespace`, `names` and `spaces` what `using a::b` and
    `namespace a = b` bring.
    """

    kind: str
    path: tuple[str, ...] = ()
    brace: Token | None = None
    linked: bool = False
    opened: list[str] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    spaces: dict[str, str] = field(default_factory=dict)

    @property
    def outside(self) -> bool:
        """Whether declarations stand here, and nothing else."""
        return self.kind in ("file", "namespace", "linkage")


class Levels:
    """The open braces, and how far the declaration is that is being read."""

    def __init__(self) -> None:
        self.open = [Level("file")]
        self.start()

    @property
    def level(self) -> Level:
        """The innermost."""
        return self.open[-1]

    def start(self) -> None:
        """Begin a new declaration or statement."""
        self._depth = self._angle = 0
        self._words: set[str] = set()
        self._valued = self._called = False

    @property
    def linked(self) -> bool:
        """Whether what is declared here is `extern "C"`."""
        return self.level.linked or '"C"' in self._words

    def declares(self, before: str, after: str) -> bool:
        """Whether a name between these is declared here, for all that follows."""
        if self.level.kind == "enum":
            return before in ("{", ",")
        return self.level.outside and self._is_new(after in _BEHIND_NAME)

    def is_member(self, before: str, after: str) -> bool:
        """Whether a name between these is that of a structure's member or a scoped enumerator."""
        if self.level.kind == "scoped":
            return before in ("{", ",")
        return self.level.kind == "struct" and self._is_new(after in _BEHIND_MEMBER)

    def _is_new(self, ends: bool) -> bool:
        return ends and bool(self._words) and not (self._depth or self._angle or self._valued)

    def follow(self, token: Token, before: str) -> None:
        """Go on behind `token`."""
        text = token.text
        if text == "{":
            linked = self.level.linked or before == '"C"'
            self.open.append(Level(self._kind(before), self.level.path, token, linked))
            self.start()
        elif text == "}":
            closed = self.open.pop() if len(self.open) > 1 else None
            self.start()
            if closed is not None and closed.kind in ("struct", "enum", "scoped"):
                self._words.add("struct")
        elif text == ";":
            self.start()
        elif text in _OPENING or text in _CLOSING:
            self._depth += 1 if text in _OPENING else -1
            self._called = self._called or text == "("
        elif not self._depth:
            self._sign(token)

    def _sign(self, token: Token) -> None:
        """Follow a token of a declaration outside all parentheses."""
        text = token.text
        if text in ("<", ">") and not self._valued:
            self._angle += 1 if text == "<" else -1
        elif text in ("=", ",") and not self._angle:
            self._valued = text == "="
        elif token.is_word or token.type == "STRING":
            self._words.add(text)

    def _kind(self, before: str) -> str:
        """Return what a brace begins, by the tokens before it."""
        if self.level.outside and "extern" in self._words and before.startswith('"'):
            return "linkage"
        if self._valued or self._called:
            return "block"
        if "enum" in self._words:
            return "scoped" if self._words & _STRUCTURES else "enum"
        return "struct" if self._words & _STRUCTURES else "block"


def _is_name(ahead: TokenStream) -> bool:
    """Whether a name comes next."""
    token = ahead.peek()
    return token is not None and token.type == "IDENT"


class Namespaces:
    """The names of one program.

    Parameters
    ----------
    included
        the standard headers that the program has included so far; it may grow while it is read

    Examples
    --------
    >>> from simulator.read.grammar import lex
    >>> from simulator.source import Source
    >>> text = Source("namespace a { const int n = 3; } const int m = a::n;")
    >>> [token.text for token in Namespaces(set()).resolved(lex(text)) if "n" in token.text]
    ['const', 'int', 'a::n', 'const', 'int', 'a::n']
    """

    def __init__(self, included: Collection[str]) -> None:
        self._included = included
        self._levels = Levels()
        self._spaces: set[str] = set()
        self._inline: dict[str, str] = {}  # what is around each inline namespace
        self._names: dict[str, str] = {}
        self._strange = False  # whether the name before a `::` is no namespace

    def resolved(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Yield the tokens without namespaces."""
        ahead, before = TokenStream(tokens), ""
        for token in ahead:
            made = self._one(token, ahead, before)
            if made is not None:
                self._levels.follow(made, before)
                before = made.text
                yield made
        level = self._levels.level
        if level.kind == "namespace" and level.brace is not None:
            hint = "add `}` where its namespace ends"
            raise CompileError("this `{` is not closed", level.brace.span, hint)

    def _one(self, token: Token, ahead: TokenStream, before: str) -> Token | None:
        """Return what the parser gets for a token; None if it is no business of the parser."""
        if token.text == "inline" and ahead.text() == "namespace":
            self._namespace(next(ahead), ahead, inline=True)
            return None
        if token.text == "namespace":
            self._namespace(token, ahead)
            return None
        if token.text == "using" and ahead.text(1) != "=" and self._levels.level.kind != "struct":
            self._using(token, ahead)
            return None
        if token.text == "}" and self._levels.level.kind == "namespace":
            self._levels.open.pop()
            self._levels.start()
            return None
        if token.type == "IDENT" and before not in (".", "->", "::"):
            return self._name(token, ahead, before)
        if token.type == "IDENT" and before != "::":  # `object.Base::name`
            self._strange = ahead.text() == "::"
        after_arguments = before in (">", ">>")  # of a template, whose member is meant
        if token.type == "SCOPE" and _is_name(ahead) and not (self._strange or after_arguments):
            return self._from_file(token, ahead)
        return token

    # Namespaces, and what is brought from them.

    def _namespace(self, word: Token, ahead: TokenStream, inline: bool = False) -> None:
        path, level = self._path(ahead), self._levels.level
        if ahead.text() == "=" and len(path) == 1:
            next(ahead)
            level.spaces[path[0]] = self._space(self._path(ahead), word.span)
            self._end(ahead, word)
            return
        if ahead.text() != "{":
            raise CompileError("`{` is missing after the name of this namespace", word.span)
        if not level.outside:
            raise CompileError("a namespace cannot stand in a function", word.span, "move it out")
        whole = level.path
        for name in path:
            whole = (*whole, name)
            self._spaces.add("::".join(whole))
        if inline:  # its names are those of the namespace around
            self._inline["::".join(whole)] = "::".join(level.path)
            whole = level.path
        self._levels.open.append(Level("namespace", whole, next(ahead), level.linked))
        self._levels.start()

    def _using(self, word: Token, ahead: TokenStream) -> None:
        """Carry out `using namespace a;` or `using a::b;`."""
        everything = ahead.text() == "namespace"
        if everything:
            next(ahead)
        if ahead.text() == "enum":
            what, hint = "C++17 has no `using enum`", "write `Name::` in front of its enumerators"
            raise CompileError(what, word.span, hint)
        path, level = self._path(ahead), self._levels.level
        if not path:
            raise CompileError("a name is missing after `using`", word.span)
        if everything:
            level.opened.append(self._space(path, word.span))
        elif len(path) > 1:
            meant = level.names[path[-1]] = self._member(path, word.span)
            if level.kind == "namespace":
                self._names.setdefault("::".join([*level.path, path[-1]]), meant)
        self._end(ahead, word)

    def _path(self, ahead: TokenStream) -> list[str]:
        """Names with `::` between them, and perhaps at the front."""
        path: list[str] = []
        if ahead.text() == "::":
            next(ahead)
        while _is_name(ahead):
            path.append(next(ahead).text)
            if ahead.text() != "::":
                break
            next(ahead)
        return path

    def _end(self, ahead: TokenStream, word: Token) -> None:
        if ahead.text() != ";":
            raise CompileError("`;` is missing", (ahead.peek() or word).span)
        next(ahead)

    # Names.

    def _name(self, token: Token, ahead: TokenStream, before: str) -> Token:
        after, levels = ahead.text(), self._levels
        if after == "::" and self._is_space(token.text):
            return self._qualified(token, ahead)
        self._strange = after == "::"
        if levels.is_member(before, after):
            return token
        if levels.declares(before, after):
            whole = "::".join([*levels.level.path, token.text])
            self._names.setdefault(whole, token.text if levels.linked else whole)
        text = self._plain(token, after)
        return token if text == token.text else Token("IDENT", text, token.span, token.hidden)

    def _from_file(self, scope: Token, ahead: TokenStream) -> Token:
        """`::name`."""
        name = next(ahead)
        whole = Token("IDENT", name.text, scope.span.to(name.span), name.hidden)
        qualifies = ahead.text() == "::" and self._is_space(name.text)
        return self._qualified(whole, ahead) if qualifies else whole

    def _plain(self, token: Token, after: str) -> str:
        """Return what a name without `::` means here."""
        name = token.text
        for level in reversed(self._levels.open):
            if name in level.names:
                return level.names[name]
        for outer in self._outwards():
            if (whole := "::".join([*outer, name])) in self._names:
                return self._names[whole]
        for path in self._opened():
            own = ["std"] if "::".join(path) in STANDARD_SPACES else path
            if (whole := "::".join([*own, name])) in self._names:
                return self._names[whole]
            if brought(space := "::".join(path), name, after):
                return library_name(space, name, token.span, self._included)
        return name

    def _qualified(self, first: Token, ahead: TokenStream) -> Token:
        path, span = [first.text], first.span
        while ahead.text() == "::" and not self._is_declared(path):
            scope = next(ahead)
            name = next(ahead) if _is_name(ahead) else None
            if name is None:
                raise CompileError("a name is missing after `::`", scope.span)
            path.append(name.text)
            span = span.to(name.span)
        self._strange = ahead.text() == "::"
        return Token("IDENT", self._member(path, span), span, first.hidden)

    def _member(self, path: list[str], span: Span) -> str:
        """Return what `path::name` means."""
        space, name = self._space(path[:-1], span), path[-1]
        own = "std" if space in STANDARD_SPACES and "std" in self._spaces else space
        own = self._around(own)
        whole = f"{own}::{name}" if own else name
        of_library = space.split("::")[0] in LIBRARIES
        if of_library and (own not in self._spaces or whole not in self._names):
            return library_name(space, name, span, self._included)
        if whole not in self._names:
            front = f"{space}::"
            names = [known.removeprefix(front) for known in self._names if known.startswith(front)]
            raise CompileError(f"`{space}` has no `{name}`", span, nearest(name, names))
        return self._names[whole]

    # Spaces.

    def _space(self, path: list[str], span: Span) -> str:
        """Return the whole name of the namespace that `path` means here."""
        path = self._unaliased(path)
        for outer in (*self._outwards(), *self._opened()):
            whole = "::".join([*outer, *path])
            if whole in self._spaces or whole in NESTED:
                return whole
        whole = "::".join(path)
        if path and path[0] in LIBRARIES:
            return whole
        raise CompileError(f"`{whole}` is no namespace", span, nearest(whole, self._spaces))

    def _around(self, space: str) -> str:
        """Return the namespace that the names of a namespace are in: of an inline one, its own."""
        parts = space.split("::")
        for count in range(len(parts), 0, -1):
            outer = self._inline.get("::".join(parts[:count]))
            if outer is not None:
                return self._around("::".join([*filter(None, [outer]), *parts[count:]]))
        return space

    def _unaliased(self, path: list[str]) -> list[str]:
        front = self._alias(path[0]) if path else None
        return path if front is None else [*front.split("::"), *path[1:]]

    def _is_declared(self, path: list[str]) -> bool:
        """Whether `path` is something in a namespace: an enumeration, if `::name` follows."""
        path = self._unaliased(path)
        fronts = (*self._outwards(), *self._opened())
        return len(path) > 1 and any("::".join([*front, *path]) in self._names for front in fronts)

    def _is_space(self, name: str) -> bool:
        if name in LIBRARIES or self._alias(name) is not None:
            return True
        fronts = (*self._outwards(), *self._opened())
        wholes = ["::".join([*front, name]) for front in fronts]
        return any(whole in self._spaces or whole in NESTED for whole in wholes)

    def _alias(self, name: str) -> str | None:
        levels = reversed(self._levels.open)
        return next((level.spaces[name] for level in levels if name in level.spaces), None)

    def _opened(self) -> Iterator[list[str]]:
        """Yield the namespaces of `using namespace`."""
        for level in self._levels.open:
            yield from (space.split("::") for space in level.opened)

    def _outwards(self) -> Iterator[tuple[str, ...]]:
        """Yield the namespace around, then those around it, the file's last."""
        path = self._levels.level.path
        for length in range(len(path), -1, -1):
            yield path[:length]
