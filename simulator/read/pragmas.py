"""Pragmas, as `#pragma …` and as `_Pragma("…")`: which count, which are ignored, and how loudly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from simulator.hints.similar import nearest
from simulator.ir.tokens import Token, whole
from simulator.read import grammar, literals
from simulator.source import CompileError, Diagnostic, Source, Span

#: What CUDA's compiler ignores without a word, or heeds without a change to what a program does.
_SILENT = frozenset(
    """STDC message ident redefine_extname nv_diagnostic nv_exec_check_disable hd_warning_disable
    nv_diag_suppress nv_diag_default nv_diag_error nv_diag_warning nv_diag_remark nv_diag_once
    """.split()
)
#: What changes a program.
_REFUSED = {
    "pack": "order the members by their size, the largest first",
    "nv_abi": "leave it out",
}

Expand = Callable[[Iterable[Token]], Iterator[Token]]


class Pragmas:
    """The pragmas of one program.

    Parameters
    ----------
    expand
        expands macros
    warn
        takes what must be said of the program

    Attributes
    ----------
    once : set of str
        The files that say of themselves that they are included once.
    """

    def __init__(self, expand: Expand, warn: Callable[[Diagnostic], None]) -> None:
        self._expand = expand
        self._warn = warn
        self.once: set[str] = set()

    def directive(self, word: Token, rest: list[Token]) -> Iterator[Token]:
        """Carry out `#pragma …`; only `unroll` leaves a token.

        Raises
        ------
        CompileError
            for a pragma that changes what follows and is not supported
        """
        yield from self._heeded(rest, whole(word, rest), word.span.source.name)

    def operators(self, tokens: Iterable[Token]) -> Iterator[Token]:
        r"""The tokens with each `_Pragma("…")` carried out.

        Raises
        ------
        CompileError
            where no string in parentheses follows

        Examples
        --------
        >>> pragmas = Pragmas(iter, print)
        >>> tokens = grammar.lex(Source('_Pragma("unroll 4") for (;;) { }'))
        >>> [token.type for token in pragmas.operators(tokens)][:3]
        ['UNROLL', 'FOR', 'LPAR']
        """
        stream = iter(tokens)
        for token in stream:
            if token.text != "_Pragma":
                yield token
                continue
            following = [found for found in (next(stream, None) for _ in range(3)) if found]
            if [found.type for found in following] != ["LPAR", "STRING", "RPAR"]:
                hint = 'write `_Pragma("unroll")`'
                raise CompileError("`_Pragma` needs a string in parentheses", token.span, hint)
            text, span = following[1], token.span.to(following[2].span)
            inner = grammar.lex(Source(literals.string(text.text, text.span), span.source.name))
            said = [part.hiding(span, token.hidden) for part in inner if part.type != "NEWLINE"]
            yield from self._heeded(said, span, span.source.name)

    def _heeded(self, said: Sequence[Token], span: Span, file: str) -> Iterator[Token]:
        name = said[0].text if said else ""
        if name == "once":
            self.once.add(file)
        elif name == "unroll":
            factor = " ".join(token.text for token in self._expand(said[1:]))
            yield Token("UNROLL", factor.removeprefix("( ").removesuffix(" )"), span)
        elif name in _REFUSED:
            raise CompileError(f"`#pragma {name}` is not supported", span, _REFUSED[name])
        elif name not in _SILENT:
            what = f"`#pragma {name}`".replace(" `", "`")
            hint = nearest(name, ["unroll", "once"]) or "leave it out"
            self._warn(Diagnostic(f"{what} means nothing in CUDA C: it is ignored", span, hint))
