"""Submissions as words in which the author's own names, numbers and comments make no difference."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from simulator import builtins
from simulator.read import grammar
from simulator.source import Source

#: What stands for each name, number and text.
NAME, NUMBER, TEXT = "name", "0", '""'
#: Names that CUDA has besides its functions.
_CUDA = frozenset("threadIdx blockIdx blockDim gridDim warpSize".split())
#: Tokens that are left out, by the name that the lexer gives them.
_LEFT_OUT = frozenset(["NEWLINE"])
#: A text in Python that has kernels in it, as drivers with kernels of their own have it.
_KERNELS = re.compile(r"""[A-Za-z]*(\"{3}|'{3}|"|')(.*__global__.*)\1""", re.DOTALL)
_PYTHON_LEFT_OUT = frozenset([tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER])


@dataclass(frozen=True, slots=True)
class Word:
    """A token, and the line that it stands on, counted from 1."""

    text: str
    line: int


def words(text: str, suffix: str) -> list[Word]:
    """Return the words of a kernel or of a driver in Python.

    Parameters
    ----------
    text : str
        The file; one that no compiler takes is read as far as it goes.
    suffix : str
        Its ending, ``.cu`` or ``.py``.

    Examples
    --------
    >>> " ".join(word.text for word in words("int n = a[7]; // seven", ".cu"))
    'int name = name [ 0 ] ;'
    >>> len(words("KERNEL = r\'\'\'__global__ void f(int *a) { *a = 1; }\'\'\'", ".py")) > 10
    True
    """
    return list(_python(text) if suffix == ".py" else _cuda(text))


def _cuda(text: str, above: int = 0) -> Iterator[Word]:
    for token in grammar.lex(Source(text)):
        if token.type not in _LEFT_OUT:
            yield Word(_meaning(token.type, token.text), above + token.span.line)


def _meaning(terminal: str, text: str) -> str:
    if terminal == "IDENT":
        return text if text in _kept() else NAME
    return {"NUMBER": NUMBER, "CHARACTER": NUMBER, "STRING": TEXT}.get(terminal, text)


@cache
def _kept() -> frozenset[str]:
    """Return the names that mean the same in every kernel."""
    return _CUDA | frozenset(builtins.ROWS)


def _python(text: str) -> Iterator[Word]:
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            kernels = token.type == tokenize.STRING and _KERNELS.fullmatch(token.string)
            if kernels:
                yield from _cuda(kernels[2], token.start[0] - 1)
            elif token.type not in _PYTHON_LEFT_OUT:
                yield Word(_python_meaning(token), token.start[0])
    except (tokenize.TokenError, SyntaxError, ValueError):  # as far as it goes
        return


def _python_meaning(token: tokenize.TokenInfo) -> str:
    if token.type == tokenize.NAME:
        return token.string if keyword.iskeyword(token.string) else NAME
    kinds = {tokenize.NUMBER: NUMBER, tokenize.STRING: TEXT}
    kinds |= {tokenize.INDENT: "{", tokenize.DEDENT: "}"}
    return kinds.get(token.type, token.string)
