"""Macros: what `#define` says, the expansion of its names, and `#line`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import takewhile

from simulator.read import grammar
from simulator.read.headers import PREDEFINED
from simulator.read.substitution import Substitution, check_body
from simulator.source import CompileError, Source, Span, Token, TokenStream, whole

# `#line`: the numbers and the file's name that `__LINE__` and `__FILE__` give from there on.


_MOST_LINES = 2**31 - 1


@dataclass(frozen=True)
class _Change:
    """From the line behind `after` on, lines are counted from `first`, in the file `name`."""

    after: int
    first: int
    name: str


class LineNumbers:
    """What `#line` has said so far. Messages point to lines as they stand in the text."""

    def __init__(self) -> None:
        self._changes: dict[Source, list[_Change]] = {}

    def change(self, word: Token, rest: list[Token]) -> None:
        """Carry out `#line number "name"`, its macros expanded."""
        number = rest[0].text if rest else ""
        decimal = number.isascii() and number.isdigit() and 0 < int(number) <= _MOST_LINES
        named = len(rest) == 2 and rest[1].type == "STRING"
        if not decimal or not (named or len(rest) == 1):
            hint = 'write `#line 100`, or `#line 100 "file.cu"`'
            raise CompileError("#line needs a number, and perhaps a name", whole(word, rest), hint)
        source = word.span.source
        name = rest[1].text if named else self.file(word)
        at = whole(word, rest).end_line
        self._changes.setdefault(source, []).append(_Change(at, int(number), name))

    def line(self, token: Token) -> int:
        """Return what `__LINE__` is at a token."""
        change = self._last(token)
        line = token.span.line
        return line if change is None else change.first + line - change.after - 1

    def file(self, token: Token) -> str:
        """Return what `__FILE__` is at a token, with its quotes."""
        change = self._last(token)
        if change is not None:
            return change.name
        name = token.span.source.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{name}"'

    def _last(self, token: Token) -> _Change | None:
        """Return the last change before a token."""
        changes = self._changes.get(token.span.source, [])
        before = takewhile(lambda change: change.after < token.span.line, changes)
        return max(before, key=lambda change: change.after, default=None)


MOST_TOKENS = 200_000


@dataclass(frozen=True)
class Macro:
    """A name for tokens.

    `parameters` is None where it takes no arguments, `span` None where no text defines it; the last
    parameter of a `variadic` one takes all arguments that are left.
    """

    name: str
    body: tuple[Token, ...]
    parameters: tuple[str, ...] | None = None
    span: Span | None = None
    variadic: bool = False

    @property
    def origin(self) -> str:
        """How messages name it, with the location of its definition where that is in a text."""
        if self.span is None:
            return f"the macro `{self.name}`"
        where = f"line {self.span.line} of {self.span.source.name}"
        return f"the macro `{self.name}`, defined in {where}"

    @cached_property
    def is_plain(self) -> bool:
        """Whether its arguments are put in and nothing else is done."""
        signs = any(token.type in ("HASH", "PASTE") for token in self.body)
        return not signs and not self.variadic

    @property
    def shown(self) -> str:
        """How it is called, for messages."""
        names = ["..." if name == "__VA_ARGS__" else name for name in self.parameters or ()]
        if self.variadic and names[-1] != "...":
            names[-1] += "..."
        return f"{self.name}({', '.join(names)})"

    def same(self, other: Macro) -> bool:
        """Whether both stand for the same text."""
        texts = [token.text for token in self.body] == [token.text for token in other.body]
        return texts and self.parameters == other.parameters


@cache
def predefined() -> dict[str, Macro]:
    """Return the macros that every program starts with."""
    return {name: outer(name, text) for name, text in PREDEFINED.items()}


def outer(name: str, text: str) -> Macro:
    """Return a macro that no line of the program defines."""
    if not name.isidentifier():
        raise CompileError(f"`{name}` cannot be the name of a macro", None, "pass it as NAME=VALUE")
    tokens = grammar.lex(Source(text, f"-D{name}"))
    return Macro(name, tuple(token for token in tokens if token.type != "NEWLINE"))


def no_assert() -> Macro:
    """Return what NDEBUG makes of assert."""
    return replace(outer("assert", "((void)0)"), parameters=("condition",))


def defined(tokens: list[Token]) -> Macro:
    """Return the macro that the tokens after `#define` describe."""
    name, rest = tokens[0], tokens[1:]
    parameters: tuple[str, ...] | None = None
    variadic = False
    if rest and rest[0].text == "(" and _touch(name, rest[0]):
        closing = next((i for i, token in enumerate(rest) if token.text == ")"), None)
        if closing is None:
            raise CompileError(f"`)` is missing in the definition of `{name.text}`", rest[-1].span)
        named, variadic = _without_ellipsis(rest[1:closing])
        parameters = _parameters(named)
        rest = rest[closing + 1 :]
    check_body(rest, parameters)
    return Macro(name.text, tuple(rest), parameters, name.span, variadic)


def _without_ellipsis(tokens: list[Token]) -> tuple[list[Token], bool]:
    """Return parameters with a name for `...` at their end, and whether it stands there."""
    if not tokens or tokens[-1].type != "ELLIPSIS":
        return tokens, False
    if len(tokens) > 1 and tokens[-2].is_word:  # GNU's `arguments...`
        return tokens[:-1], True
    last = tokens[-1]
    return [*tokens[:-1], Token("IDENT", "__VA_ARGS__", last.span, last.hidden)], True


def _touch(first: Token, second: Token) -> bool:
    a, b = first.span, second.span
    return (a.end_line, a.end_column) == (b.line, b.column)


def _parameters(tokens: list[Token]) -> tuple[str, ...]:
    names, commas = tokens[::2], tokens[1::2]
    for token in names:
        if not token.is_word:
            remedy = "name each parameter" if token.type == "ELLIPSIS" else ""
            raise CompileError(f"`{token.text}` cannot be a macro's parameter", token.span, remedy)
    if any(token.text != "," for token in commas) or (tokens and len(names) == len(commas)):
        what = "a macro's parameters are names with commas between them"
        raise CompileError(what, tokens[0].span, "write their names only, without types")
    if len({token.text for token in names}) < len(names):
        raise CompileError("two parameters of a macro have one name", tokens[0].span)
    return tuple(token.text for token in names)


class Macros(dict[str, Macro]):
    """The macros that are defined now."""

    def __init__(self) -> None:
        super().__init__(predefined())
        self._made = 0

    @cached_property
    def numbers(self) -> LineNumbers:
        """What `__LINE__` and `__FILE__` stand for."""
        return LineNumbers()

    def expand(self, tokens: Iterable[Token]) -> Iterator[Token]:
        """Replace each macro by what it stands for; no macro expands inside itself.

        The tokens of a macro's body get the location of its use.
        """
        stream = TokenStream(tokens)
        for token in stream:
            macro = self.get(token.text)
            if macro is None and token.text in ("__LINE__", "__FILE__"):
                yield self._location(token)
            elif macro is None or token.text in token.hidden:
                yield token
            elif macro.parameters is None:
                stream.put_back(*self._replaced(macro, {}, token, token.span))
            elif (opening := next(stream, None)) is not None and opening.text == "(":
                stream.put_back(*self._call(macro, token, opening, stream))
            else:
                stream.put_back(*filter(None, [opening]))
                yield token

    def _location(self, token: Token) -> Token:
        """Return what `__LINE__` and `__FILE__` stand for."""
        if token.text == "__LINE__":
            return Token("NUMBER", str(self.numbers.line(token)), token.span, token.hidden)
        return Token("STRING", self.numbers.file(token), token.span, token.hidden)

    def _call(self, macro: Macro, name: Token, opening: Token, stream: TokenStream) -> list[Token]:
        assert macro.parameters is not None
        wanted = len(macro.parameters)
        arguments, closing = _arguments(name, opening, stream, wanted if macro.variadic else 0)
        if arguments == [[]] and not macro.parameters:
            arguments = []
        if macro.variadic and len(arguments) == wanted - 1:
            arguments.append([])
        span = name.span.to(closing.span)
        if len(arguments) != wanted:
            raise _wrong_number(macro, len(arguments), span)
        expanded = [list(self.expand(argument)) for argument in arguments]
        values = dict(zip(macro.parameters, expanded, strict=True))
        raw = None if macro.is_plain else dict(zip(macro.parameters, arguments, strict=True))
        return self._replaced(macro, values, name, span, raw)

    def _replaced(
        self,
        macro: Macro,
        values: dict[str, list[Token]],
        name: Token,
        span: Span,
        raw: dict[str, list[Token]] | None = None,
    ) -> list[Token]:
        hidden = name.hidden | {macro.name}
        span = replace(span, macro=macro.origin)
        made: list[Token] = []
        if not macro.is_plain:
            last = macro.parameters[-1] if macro.variadic and macro.parameters else ""
            strings = macro.parameters is not None
            given = Substitution(raw or {}, values, last, span, hidden, strings)
            made = given.of(macro.body)
            self._count(made, span)
            return made
        for token in macro.body:
            if token.text in values:
                made += [t.hiding(t.span, t.hidden | hidden) for t in values[token.text]]
            else:
                made.append(token.hiding(span, hidden))
            if self._made + len(made) > MOST_TOKENS:
                raise _too_far(span)
        self._made += len(made) + 1
        return made

    def _count(self, made: list[Token], span: Span) -> None:
        self._made += len(made) + 1
        if self._made > MOST_TOKENS:
            raise _too_far(span)


def _too_far(span: Span) -> CompileError:
    return CompileError("the macros of this program expand too far", span)


def _wrong_number(macro: Macro, given: int, span: Span) -> CompileError:
    wanted = len(macro.parameters or ()) - macro.variadic
    least = "at least " if macro.variadic else ""
    noun = "argument" if wanted == 1 else "arguments"
    what = f"the macro `{macro.name}` takes {least}{wanted or 'no'} {noun}, not {given}"
    return CompileError(what, span, f"it is `{macro.shown}`")


def _arguments(
    name: Token, opening: Token, stream: TokenStream, most: int = 0
) -> tuple[list[list[Token]], Token]:
    """Take what stands between the parentheses of a use, split at its commas, and their end.

    The last of `most` arguments has all commas that are left.
    """
    arguments: list[list[Token]] = [[]]
    depth = 0
    for token in stream:
        if token.text == ")" and depth == 0:
            return arguments, token
        if token.text == "," and depth == 0 and len(arguments) != most:
            arguments.append([])
            continue
        depth += (token.text == "(") - (token.text == ")")
        arguments[-1].append(token)
    what = f"the arguments of the macro `{name.text}` are not closed"
    raise CompileError(what, opening.span, "add `)`")
