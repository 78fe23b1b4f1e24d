r"""Read the text of an `asm` statement: PTX instructions, and where each stands in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from simulator.source import CompileError, Span, Token

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "\\": "\\", "'": "'", "0": "\0", "?": "?"}
_BLANK = re.compile(r"(?:\s|//[^\n]*|/\*.*?\*/)+", re.DOTALL)
_LABEL = re.compile(r"[A-Za-z_$%][\w$]*\s*:(?!:)")
_REGISTERS = re.compile(r"\.reg\s+(?:\.align\s+\d+\s+)?\.(?P<type>\w+)\s+(?P<names>.*)", re.DOTALL)
_NAME = re.compile(r"%?(%?[A-Za-z_$][\w$]*)(?:<(\d+)>)?")
_INSTRUCTION = re.compile(
    r"(?:@\s*(?P<not>!?)\s*(?P<predicate>[\w$%]+)\s+)?(?P<opcode>[a-z]\w*(?:(?:\.|::)\w+)*)"
    r"(?P<operands>.*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Piece:
    """A piece of PTX, and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True)
class Brace(Piece):
    """A `{` or `}` around instructions, which ends what registers' names mean."""


@dataclass(frozen=True)
class Registers(Piece):
    """`.reg .u32 a, b;`: the names of registers, all of one type."""

    type: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class Instruction(Piece):
    """`@p add.u32 a, b, 1;`: the parts of the opcode, and operands as they are written.

    It is carried out where `predicate` holds, or where it does not if it is `negated`.
    """

    opcode: tuple[str, ...]
    operands: tuple[Piece, ...]
    predicate: str = ""
    negated: bool = False

    @property
    def name(self) -> str:
        """The opcode as it is written."""
        return ".".join(self.opcode)


class _Template:
    """The strings of an `asm` statement as one text, each character with its place."""

    def __init__(self, strings: tuple[Token, ...]) -> None:
        self._places: list[tuple[Token, int, int]] = []
        text = []
        for token in strings:
            for character, first, last in _characters(token):
                text.append(character)
                self._places.append((token, first, last))
        self.text = "".join(text)
        self._whole = strings[0].span.to(strings[-1].span)

    def span(self, first: int, last: int) -> Span:
        """Return the span of some of its characters; all of the strings if they are not one's."""
        if last <= first:
            return self._whole
        (token, start, _), (other, _, end) = self._places[first], self._places[last - 1]
        at = token.span
        if token is not other or at.line != at.end_line or at.macro:
            return self._whole
        return Span(at.source, at.line, at.column + start, at.line, at.column + end)

    def piece(self, first: int, last: int) -> Piece:
        """Return some of its characters without blanks around them."""
        while first < last and self.text[first].isspace():
            first += 1
        while first < last and self.text[last - 1].isspace():
            last -= 1
        return Piece(self.text[first:last], self.span(first, last))


def _characters(token: Token) -> Iterator[tuple[str, int, int]]:
    """Yield the characters of a string literal, and their places in its token."""
    text, at = token.text, 1
    while at < len(text) - 1:
        start = at
        at += 2 if text[at] == "\\" else 1
        written = text[start:at]
        if len(written) == 2 and written[1] not in _ESCAPES:
            hint = "write the instructions with `\\n` and `\\t` only"
            raise CompileError(f"`{written}` is not supported in `asm`", token.span, hint)
        yield _ESCAPES[written[1]] if len(written) == 2 else written, start, at


def instructions(strings: tuple[Token, ...]) -> list[Piece]:
    """Take the text of an `asm` statement apart.

    Raises
    ------
    CompileError
        at what is no PTX, or at labels and directives other than `.reg`
    """
    template, at, found = _Template(strings), 0, list[Piece]()
    while at < len(text := template.text):
        if (blank := _BLANK.match(text, at)) is not None:
            at = blank.end()
        elif text[at] in "{}":
            found.append(Brace(text[at], template.span(at, at + 1)))
            at += 1
        elif text[at] == ";":
            what = "there is no PTX instruction before this `;`"
            raise CompileError(what, template.span(at, at + 1), "remove it")
        else:
            end = text.find(";", at)
            piece = template.piece(at, len(text) if end < 0 else end)
            if end < 0:
                what = f"`{piece.text}` has no `;` at its end"
                raise CompileError(what, piece.span, "each PTX instruction ends with `;`")
            found.append(_statement(template, at, end))
            at = end + 1
    return found


def _statement(template: _Template, first: int, last: int) -> Piece:
    text, span = template.text[first:last], template.piece(first, last).span
    if _LABEL.match(text):
        hint = "PTX may not jump here: write the loop or the branch in C, or use predicates"
        raise CompileError("labels are not supported in `asm`", span, hint)
    if text.startswith("."):
        return _registers(text, span)
    found = _INSTRUCTION.fullmatch(text)
    if found is None:
        raise CompileError(f"`{text.strip()}` is no PTX instruction", span)
    start, end = (first + at for at in found.span("operands"))
    return Instruction(
        text.strip(),
        span,
        tuple(re.split(r"\.(?!:)", found["opcode"])),
        tuple(_operands(template, start, end)),
        found["predicate"] or "",
        bool(found["not"]),
    )


def _registers(text: str, span: Span) -> Registers:
    found = _REGISTERS.fullmatch(text.strip())
    if found is None:
        word = text.split()[0]
        hint = "declare variables in C, and registers by `.reg .u32 name;`"
        raise CompileError(f"`{word}` is not supported in `asm`", span, hint)
    names: list[str] = []
    for part in found["names"].split(","):
        name = _NAME.fullmatch(part.strip())
        if name is None:
            raise CompileError(f"`{part.strip()}` is no name of a register", span)
        several = [f"{name[1]}{number}" for number in range(int(name[2] or 0))]
        names += several if name[2] else [name[1]]
    return Registers(text.strip(), span, found["type"], tuple(names))


def _operands(template: _Template, first: int, last: int) -> Iterator[Piece]:
    """Yield what stands between the commas that no bracket holds."""
    depth, start = 0, first
    for at in range(first, last):
        character = template.text[at]
        depth += (character in "{[(") - (character in "}])")
        if character == "," and depth == 0:
            yield template.piece(start, at)
            start = at + 1
    if template.text[start:last].strip() or start > first:
        yield template.piece(start, last)
