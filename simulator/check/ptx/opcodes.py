"""Opcodes of PTX, taken part by part, and what each instruction becomes, by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from simulator.check.ptx.operands import Operands, plain
from simulator.read.ptx import Instruction, Piece
from simulator.source import CompileError


@dataclass
class Opcode:
    """The parts of an opcode behind its name, of which each must be taken."""

    instruction: Instruction
    parts: list[str]

    @property
    def name(self) -> str:
        """The name of the instruction."""
        return self.instruction.opcode[0]

    def has(self, part: str) -> bool:
        """Take a part, and say whether it was there."""
        found = part in self.parts
        if found:
            self.parts.remove(part)
        return found

    def one_of(self, parts: tuple[str, ...], default: str | None = None) -> str:
        """Take one of some parts."""
        found = next((part for part in self.parts if part in parts), None)
        if found is None:
            if default is not None:
                return default
            wanted = ", ".join(f"`.{part}`" for part in parts)
            raise self.refused(f"needs one of {wanted}")
        self.parts.remove(found)
        return found

    def type(self, *allowed: str) -> str:
        """Take the last part, which must be an allowed type."""
        if not self.parts:
            raise self.refused("needs a type")
        written = self.parts.pop()
        found = plain(written, self.instruction.span)
        if found not in allowed:
            raise self.refused(f"does not take `.{written}`")
        return found

    def end(self, *counts: int) -> tuple[Piece, ...]:
        """Return the operands, when all parts are taken."""
        if self.parts:
            raise self.refused(f"has the part `.{self.parts[0]}`, which is not supported")
        operands = self.instruction.operands
        if len(operands) not in counts:
            wanted = " or ".join(map(str, counts))
            raise self.refused(f"takes {wanted} operands, not {len(operands)}")
        return operands

    def refused(self, what: str) -> CompileError:
        """Return the error that something is wrong with the instruction."""
        return CompileError(f"`{self.instruction.name}` {what}", self.instruction.span, _IN_C)


_IN_C = "write it in C"
#: Yields the C expressions that an instruction is, one after the other.
Handler = Callable[[Opcode, Operands], Iterator[str]]
#: What each instruction becomes, by the first part of its opcode.
INSTRUCTIONS: dict[str, Handler] = {}


def instruction(*names: str) -> Callable[[Handler], Handler]:
    """Register what instructions become."""

    def registered(handler: Handler) -> Handler:
        INSTRUCTIONS.update(dict.fromkeys(names, handler))
        return handler

    return registered


def expressions(found: Instruction, operands: Operands) -> Iterator[str]:
    """Yield the C expressions that an instruction is.

    Raises
    ------
    CompileError
        if the simulator has no such instruction, or it is wrong
    """
    handler = INSTRUCTIONS.get(found.opcode[0])
    if handler is None:
        what = f"the PTX instruction `{found.name}` is not supported"
        raise CompileError(what, found.span, _IN_C)
    return handler(Opcode(found, list(found.opcode[1:])), operands)
