"""Operands of PTX instructions as C: registers, special registers, constants and addresses.

Each instruction becomes C expressions, so that what it does is what such C does: an access to
memory is counted and checked as one. Registers are variables of C, viewed as the instruction's
type: integers of one size are each other's bits, and so are floats and integers.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from simulator.check.ptx.special import SPECIAL
from simulator.hints.similar import nearest
from simulator.read.ptx import Piece
from simulator.source import CompileError, Span

#: C's types by those of PTX.
C_TYPES = {
    "pred": "bool",
    "u8": "unsigned char",
    "s8": "signed char",
    "u16": "unsigned short",
    "s16": "short",
    "u32": "unsigned",
    "s32": "int",
    "u64": "unsigned long long",
    "s64": "long long",
    "f32": "float",
    "f64": "double",
}
#: Types of bits are those of unsigned integers here.
_BITS = {f"b{size}": f"u{size}" for size in (8, 16, 32, 64)}

_INTEGER = re.compile(r"(-?)(0[xX][0-9a-fA-F]+|0[bB][01]+|\d+)U?")
_DECIMAL = re.compile(r"-?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?|-?\d+[eE][+-]?\d+")
_BITS_OF_FLOAT = re.compile(r"0([fFdD])([0-9a-fA-F]{8}|[0-9a-fA-F]{16})")
_ADDRESS = re.compile(r"\[\s*([\w$%]+)\s*(?:([+-])\s*([-\w]+)\s*)?\]")


def size_of(ptx_type: str) -> int:
    """Return how many bits a type has; those of predicates are none."""
    return 0 if ptx_type == "pred" else int(ptx_type[1:])


def is_float(ptx_type: str) -> bool:
    """Return whether a type is one of floats."""
    return ptx_type[0] == "f"


def plain(ptx_type: str, span: Span) -> str:
    """Return a type without types of bits.

    Raises
    ------
    CompileError
        if the simulator has no such type
    """
    found = _BITS.get(ptx_type, ptx_type)
    if found not in C_TYPES:
        what = f"the PTX type `.{ptx_type}` is not supported"
        raise CompileError(what, span, "use those of 8 to 64 bits, but for `.f16` and pairs")
    return found


@dataclass(frozen=True)
class Register:
    """A variable of C that stands for a register: its name, and its type in PTX."""

    code: str
    type: str


@dataclass
class Operands:
    """What names in the instructions of one `asm` statement stand for.

    `declare` makes a variable of a type of PTX or a vector of C. `registers` are those of the
    statement's operands, by `%0` and so on, and those that `.reg` declares, in each open brace.
    """

    declare: Callable[[str], str]
    registers: list[dict[str, Register | int]] = field(default_factory=lambda: [{}])

    def open(self) -> None:
        """Begin a `{`."""
        self.registers.append({})

    def close(self, span: Span) -> None:
        """End a `{`."""
        if len(self.registers) == 1:
            raise CompileError("this `}` closes nothing", span, "remove it")
        self.registers.pop()

    def add(self, name: str, ptx_type: str, span: Span) -> None:
        """Declare a register."""
        made = plain(ptx_type, span)
        self.registers[-1][name] = Register(self.declare(made), made)

    def temporary(self, ptx_type: str) -> str:
        """Return a new variable of a type of PTX, or of a vector of C."""
        return self.declare(ptx_type)

    def carry(self) -> str:
        """Return the variable that holds the carry of `add.cc` and its like."""
        if "%carry" not in self.registers[0]:
            self.registers[0]["%carry"] = Register(self.declare("pred"), "pred")
        found = self.registers[0]["%carry"]
        assert isinstance(found, Register)
        return found.code

    def elements(self, piece: Piece) -> list[Piece]:
        """Return the operands in `{a, b}`, or the only one."""
        text = piece.text
        if not text.startswith("{"):
            return [piece]
        if not text.endswith("}") or text.count("{") + text.count("}") > 2:
            what = f"`{text}` is no list of operands"
            raise CompileError(what, piece.span, "write `{%0, %1}`")
        return [Piece(part.strip(), piece.span) for part in text.strip("{} ").split(",")]

    def both(self, piece: Piece) -> list[Piece]:
        """Return the two results of `p|q`, or the only one; `_` takes none."""
        return [Piece(part.strip(), piece.span) for part in piece.text.split("|")]

    def lookup(self, name: str) -> Register | int | None:
        """Return what a name stands for."""
        found = (level[name] for level in reversed(self.registers) if name in level)
        return next(found, None)

    def register(self, piece: Piece) -> Register:
        """Return the register that is set."""
        found = self.lookup(_plain_name(piece.text))
        if not isinstance(found, Register):
            raise self._unknown(piece, "is no register that can be set")
        return found

    def _unknown(self, piece: Piece, what: str) -> CompileError:
        if re.fullmatch(r"%?%\d+", piece.text):
            many = sum(name[1:].isdigit() for name in self.registers[0])
            said = f"there is no operand `{piece.text}`"
            return CompileError(said, piece.span, f"the statement has {many or 'none'}")
        hint = "declare it by `.reg`, or name an operand of the statement: `%0`, `%1`, …"
        return CompileError(f"`{piece.text}` {what}", piece.span, hint)

    # Values, as C of the type that an instruction wants.

    def value(self, piece: Piece, ptx_type: str, *, wider: bool = False) -> str:
        """Return an operand as C of a type; registers may be `wider` than an instruction's type."""
        negated = piece.text.startswith("!")
        if negated and ptx_type != "pred":
            what = f"`{piece.text}` is no predicate: only these can be negated"
            raise CompileError(what, piece.span, "use the instruction `not`")
        text = _plain_name(piece.text.removeprefix("!").strip())
        found = self.lookup(text)
        if isinstance(found, int):
            return f"(({C_TYPES[ptx_type]}){_integer(found)})"
        if isinstance(found, Register):
            code = self._viewed(found.code, found.type, ptx_type, piece, wider)
            return f"(!{code})" if negated else code
        if text in SPECIAL:
            own, code = SPECIAL[text]
            return self._viewed(code, own, ptx_type, piece, True)
        constant = _constant(text, ptx_type)
        if constant is None:
            if text.startswith("%") and not text.strip("%").isdigit():
                hint = nearest(text, SPECIAL) or "use `%laneid`, `%tid.x` and their like, or C"
                what = f"the special register `{text}` is not supported"
                raise CompileError(what, piece.span, hint)
            raise self._unknown(piece, "is not declared")
        return constant

    def _viewed(self, code: str, own: str, wanted: str, piece: Piece, wider: bool) -> str:
        if own == wanted:
            return f"({code})"
        if "pred" in (own, wanted):
            what = f"`{piece.text}` is {_called(own)}, where {_called(wanted)} is needed"
            raise CompileError(what, piece.span, "set a predicate by `setp`, and use it by `selp`")
        own_size, size = size_of(own), size_of(wanted)
        fits = own_size == size or (wider and own_size > size and not is_float(own))
        if not fits or (own_size != size and is_float(wanted)):
            what = f"`{piece.text}` has {own_size} bits, and the instruction takes {size}"
            raise CompileError(what, piece.span, "pass an operand of that size, or use `cvt`")
        if is_float(own):
            bits = "__float_as_uint" if own == "f32" else "__double_as_longlong"
            return f"(({C_TYPES[wanted]}){bits}({code}))"
        if is_float(wanted):
            if wanted == "f32":
                return f"__uint_as_float((unsigned)({code}))"
            return f"__longlong_as_double((long long)({code}))"
        return f"(({C_TYPES[wanted]})({code}))"

    def assigned(self, piece: Piece, ptx_type: str, code: str) -> str:
        """Return C that sets a register to a value of a type; smaller ones are extended."""
        target = self.register(piece)
        own, size = target.type, size_of(ptx_type)
        if (own == "pred") != (ptx_type == "pred") or (
            size_of(own) != size and (size_of(own) < size or is_float(own) or is_float(ptx_type))
        ):
            what = f"`{piece.text}` is {_called(own)}, and the result {_called(ptx_type)}"
            raise CompileError(what, piece.span, "use an operand of the result's size")
        if own == ptx_type:
            return f"{target.code} = {code}"
        if is_float(ptx_type):
            bits = "__float_as_uint" if ptx_type == "f32" else "__double_as_longlong"
            return f"{target.code} = ({C_TYPES[own]}){bits}({code})"
        if is_float(own):
            if own == "f32":
                return f"{target.code} = __uint_as_float((unsigned)({code}))"
            return f"{target.code} = __longlong_as_double((long long)({code}))"
        return f"{target.code} = ({C_TYPES[own]})({code})"

    def pointer(self, piece: Piece, ctype: str, space: str) -> str:
        """Return the address in an operand such as `[%1+4]` as a pointer of C."""
        found = _ADDRESS.fullmatch(piece.text)
        if found is None:
            hint = "write a register, and perhaps a number of bytes: `[%1+4]`"
            raise CompileError(f"`{piece.text}` is no address", piece.span, hint)
        base = Piece(found[1], piece.span)
        register = self.lookup(_plain_name(base.text))
        if not isinstance(register, Register):
            raise self._unknown(base, "is no register with an address")
        narrow = size_of(register.type) == 32
        if narrow and space != "shared":
            what = f"`{base.text}` has 32 bits, and an address has 64"
            raise CompileError(what, piece.span, 'pass the pointer as "l"')
        code = self.value(base, "u32" if narrow else "u64")
        if found[3]:
            step = self.value(Piece(found[3], piece.span), "s32" if narrow else "s64")
            code = f"({code} {found[2]} {step})"
        if space == "shared":
            code = f"__cvta_shared_to_generic({code})"
        return f"(({ctype} *){code})"


def _plain_name(text: str) -> str:
    """Return a name of a register without the second `%` that `asm` wants."""
    return text[1:] if text.startswith("%%") and not text[2:].isdigit() else text


def _called(ptx_type: str) -> str:
    return "a predicate" if ptx_type == "pred" else f"one of {size_of(ptx_type)} bits"


def _integer(value: int) -> str:
    """Return an integer in C, whose bits are all that counts."""
    return f"{value % 2**64}ull"


def _constant(text: str, ptx_type: str) -> str | None:
    """Return a constant in C; None for what is none."""
    if (bits := _BITS_OF_FLOAT.fullmatch(text)) is not None:
        single = bits[1] in "fF"
        made = "__uint_as_float" if single else "__longlong_as_double"
        code = f"{made}(0x{bits[2]}{'u' if single else 'll'})"
        return code if is_float(ptx_type) else None
    if (whole := _INTEGER.fullmatch(text)) is not None:
        digits = whole[2]
        octal = len(digits) > 1 and digits.isdigit() and digits[0] == "0"
        if is_float(ptx_type) or (octal and not set(digits) <= set("01234567")):
            return None
        value = int(digits, 8 if octal else 0)
        return f"(({C_TYPES[ptx_type]}){_integer(-value if whole[1] else value)})"
    if _DECIMAL.fullmatch(text) is not None and is_float(ptx_type):
        return f"(({C_TYPES[ptx_type]}){text})"
    return "32u" if text == "WARP_SZ" else None
