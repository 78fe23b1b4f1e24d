"""Preprocess: macros, conditions, pragmas and includes, on tokens that keep their locations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from functools import cached_property
from itertools import takewhile
from posixpath import dirname, join, normpath

from simulator.hints.foreign import HOST_HEADERS, character
from simulator.read import grammar, macros
from simulator.read.directives import Condition, Conditions, Pragmas, sole_name
from simulator.read.headers import OWN_TEXTS, STANDARD_HEADERS, is_standard, own_text
from simulator.read.libraries import INCLUDE
from simulator.source import CompileError, Diagnostic, Source, Span, Token, whole

MOST_INCLUDES = 50
#: Carries out a directive, of which its name and the rest of its line are given.
_Method = Callable[[Token, list[Token]], Iterable[Token] | None]
#: Where a header is to be that is not known, if none is.
BESIDE = "put it beside this file, or pass its folder: `-IFOLDER`"
_ELSEWHERE = frozenset(["import", "include_next"])
_DIRECTIVES = """define undef include pragma error warning line ident
    if ifdef ifndef elif else endif""".split()


class Preprocessor:
    r"""Prepares one program.

    Parameters
    ----------
    defines
        macros from outside the program, as `-DNAME=VALUE` defines them
    headers
        the text of each file that `#include` may name, by that name

    Examples
    --------
    >>> text = "#define SQUARE(x) ((x) * (x))\nSQUARE(N)"
    >>> " ".join(token.text for token in Preprocessor({"N": "4"}, {}).tokens(Source(text)))
    '( ( 4 ) * ( 4 ) )'
    """

    def __init__(self, defines: Mapping[str, str], headers: Mapping[str, str]) -> None:
        self._headers = headers
        self._macros = macros.Macros()
        self._macros.update((name, macros.outer(name, text)) for name, text in defines.items())
        #: The standard headers that have been included so far.
        self.included: set[str] = set()
        self._taken: set[str] = set()  # the texts of headers that have been read
        if "NDEBUG" in defines:  # as an option only: a `#define NDEBUG` does nothing to NVRTC
            self._macros["assert"] = macros.no_assert()
        #: What is legal in the program and must be said.
        self.warnings: list[Diagnostic] = []
        self._directives: dict[str, _Method] = {
            "include": self._include,
            "pragma": self._pragma,
            "define": self._define,
            "undef": self._undef,
            "line": self._line,
            "warning": self._warning,
            "error": self._error,
            "ident": self._ident,
        }
        self._sources: dict[str, Source] = {}
        self._depth = 0
        self._warned = False

    def tokens(self, source: Source) -> Iterator[Token]:
        """Yield the tokens of `source` for the parser."""
        stream = self._macros.expand(self._lines(source))
        for token in stream:
            if token.text == "_Pragma":
                yield from self._pragmas.operator(token, stream)
            else:
                yield token

    @cached_property
    def _conditions(self) -> Conditions:
        return Conditions(self._macros, self._is_there)

    @cached_property
    def _pragmas(self) -> Pragmas:
        return Pragmas(self._macros.expand, self.warnings.append)

    def _lines(self, source: Source) -> Iterator[Token]:
        """Yield the tokens of the lines that count, with those of the files that they include."""
        conditions: list[Condition] = []
        stream = grammar.lex(source)
        if not source.text.isascii():
            stream = self._watched(stream, conditions)
        fresh = True
        for token in stream:
            if token.type == "OPEN_COMMENT":
                raise CompileError("this comment is not closed", token.span, "close it with `*/`")
            if token.type == "HASH" and fresh:
                yield from self._directive(_rest_of_line(stream), conditions)
                continue
            fresh = token.type == "NEWLINE"
            if not fresh and (not conditions or conditions[-1].active):
                yield token
        if conditions:
            span = conditions[-1].span
            raise CompileError("this condition is not closed", span, "close it with `#endif`")

    def _watched(self, tokens: Iterator[Token], conditions: list[Condition]) -> Iterator[Token]:
        """Yield the same tokens; there is a warning for the first name that NVRTC does not take."""
        for token in tokens:
            foreign = not token.text.isascii() and token.is_word
            active = not conditions or conditions[-1].active
            if foreign and active and not (self._warned or token.span.text.isascii()):
                self._warned = True
                self.warnings.append(_not_for_a_gpu(token.span))
            yield token

    def _directive(self, line: list[Token], conditions: list[Condition]) -> Iterator[Token]:
        """Carry out one directive; only #include and #pragma leave tokens."""
        if not line:
            return
        word, rest = line[0], line[1:]
        if self._conditions.directive(word, rest, conditions):
            return
        if conditions and not conditions[-1].active:
            return
        if word.type == "NUMBER":  # `# 100 "file.cu"`, as other preprocessors leave it behind
            self._macros.numbers.change(word, line)
            return
        carry_out = self._directives.get(word.text)
        if carry_out is None:
            raise _no_directive(word)
        yield from carry_out(word, rest) or ()

    def _pragma(self, word: Token, rest: list[Token]) -> Iterator[Token]:
        return self._pragmas.directive(word, rest)

    def _undef(self, word: Token, rest: list[Token]) -> None:
        self._macros.pop(sole_name(word, rest), None)

    def _line(self, word: Token, rest: list[Token]) -> None:
        self._macros.numbers.change(word, list(self._macros.expand(rest)))

    def _warning(self, word: Token, rest: list[Token]) -> None:
        self.warnings.append(Diagnostic(f"#warning {_text(rest)}".strip(), whole(word, rest)))

    def _error(self, word: Token, rest: list[Token]) -> None:
        raise CompileError(f"#error {_text(rest)}".strip(), whole(word, rest))

    def _ident(self, word: Token, rest: list[Token]) -> None:
        """Ignore a remark for the object file, which the simulator does not make."""

    def _define(self, word: Token, rest: list[Token]) -> None:
        if not rest or not rest[0].is_word:
            hint = "write `#define NAME value`"
            raise CompileError("#define needs a name", whole(word, rest), hint)
        macro = macros.defined(rest)
        old = self._macros.get(macro.name)
        if old is not None and old.span is not None and not old.same(macro):
            what = f"the macro `{macro.name}` is already defined differently"
            hint = f"it was defined in line {old.span.line}; write `#undef {macro.name}` first"
            raise CompileError(what, rest[0].span, hint)
        self._macros[macro.name] = macro

    def _include(self, word: Token, rest: list[Token]) -> Iterator[Token]:
        name = _text(rest)
        if len(name) < 3 or name[0] + name[-1] not in ('""', "<>"):
            what = "#include needs a file's name"
            raise CompileError(what, whole(word, rest), 'write "name" or <name>')
        name = self._beside(word.span.source, name[1:-1])
        if name in self._headers:
            yield from self._included(name, whole(word, rest))
        elif is_standard(name):
            self.included |= {name, *INCLUDE.get(name, ())}
            yield from self._own(name)
        else:
            raise self._unknown(name, whole(word, rest))

    def _own(self, name: str) -> Iterator[Token]:
        """Yield what the simulator has of a header in CUDA C++, the first time."""
        file = OWN_TEXTS.get(name, "")
        if file and file not in self._taken:
            self._taken.add(file)
            yield from self._lines(Source(own_text(file), f"<{name}>", library=True))

    def _is_there(self, word: Token, name: str) -> bool:
        """Whether the file that stands around a word may include a header."""
        name = self._beside(word.span.source, name)
        return name in self._headers or is_standard(name)

    def _unknown(self, name: str, span: Span) -> CompileError:
        """Return the error for a header that is not there."""
        if name in HOST_HEADERS:
            what = f"the header `{name}` is of the host's library, which kernels cannot use"
            return CompileError(what, span, "remove it")
        known = ", ".join(f'"{header}"' for header in sorted(self._headers))
        given = f"those passed in are {known}" if known else BESIDE
        meant = get_close_matches(name, [*self._headers, *STANDARD_HEADERS], n=1, cutoff=0.8)
        hint = f"did you mean `{meant[0]}`?" if meant else given
        return CompileError(f"the header `{name}` is not known", span, hint)

    def _beside(self, source: Source, name: str) -> str:
        """Name the file that `source` includes: one beside it comes first."""
        if self._sources.get(source.name) is not source:
            return name
        beside = normpath(join(dirname(source.name), name))
        return beside if beside in self._headers else name

    def _included(self, name: str, span: Span) -> Iterator[Token]:
        if name in self._pragmas.once:
            return
        if self._depth >= MOST_INCLUDES:
            raise CompileError(f"`{name}` includes itself", span, "start it with #pragma once")
        self._depth += 1
        yield from self._lines(self._sources.setdefault(name, Source(self._headers[name], name)))
        self._depth -= 1


def _rest_of_line(stream: Iterator[Token]) -> list[Token]:
    """Return the tokens up to the end of the line, which is used up."""
    return list(takewhile(lambda token: token.type != "NEWLINE", stream))


def _not_for_a_gpu(name: Span) -> Diagnostic:
    """Return the warning for a name that is not ASCII."""
    positions = (
        (number, column)
        for number in range(name.line, name.end_line + 1)
        for column, letter in enumerate(name.source.line(number), 1)
        if not letter.isascii() and (number, column) >= (name.line, name.column)
    )
    number, column = next(positions)
    called, _ = character(name.source.line(number)[column - 1])
    span = Span(name.source, number, column, number, column + 1)
    hint = "for a GPU, make names of the letters a to z and A to Z, digits and `_`"
    return Diagnostic(f"NVRTC takes no {called} in names", span, hint)


def _no_directive(word: Token) -> CompileError:
    if word.text in _ELSEWHERE:
        return CompileError(f"`#{word.text}` is not supported", word.span, "leave it out")
    meant = next(iter(get_close_matches(word.text, _DIRECTIVES, n=1)), "")
    hint = f"did you mean `#{meant}`?" if meant else "comments begin with `//`"
    return CompileError(f"`#{word.text}` is no directive", word.span, hint)


def _text(tokens: list[Token]) -> str:
    return tokens[0].span.to(tokens[-1].span).text if tokens else ""
