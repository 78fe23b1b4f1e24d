"""The names of operators' functions, such as `operator+`, each as one token."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simulator.source import CompileError, Token, TokenStream

#: Operators for which a function outside of classes can be written.
_SIGNS = frozenset(
    """+ - * / % ^ & | ~ ! < > += -= *= /= %= ^= &= |= << >> <<= >>= == != <= >= && ||""".split()
)
_OF_CLASSES = frozenset(["(", "[", "=", "->"])


def operators_joined(tokens: Iterable[Token]) -> Iterator[Token]:
    """Yield the tokens, with `operator` and the sign behind it as one name.

    Examples
    --------
    >>> from simulator.read.grammar import lex
    >>> from simulator.source import Source
    >>> [token.text for token in operators_joined(lex(Source("int operator+(S a);")))]
    ['int', 'operator+', '(', 'S', 'a', ')', ';']
    """
    stream = TokenStream(tokens)
    for token in stream:
        yield _named(token, stream) if token.text == "operator" else token


def _named(word: Token, stream: TokenStream) -> Token:
    sign = stream.text()
    if sign in _SIGNS:
        last = next(stream)
        return Token("IDENT", f"operator{sign}", word.span.to(last.span), word.hidden)
    if sign in _OF_CLASSES:
        what = f"`operator{sign}` is a member function, which structures cannot have"
        raise CompileError(what, word.span, "write a function that takes the structure")
    what = f"`operator {sign}` is not supported"
    raise CompileError(what, word.span, "write a function with a name of its own")
