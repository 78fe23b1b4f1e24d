"""C's types as CUDA on 64-bit Linux has them, and the conversions between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Void:
    """No value."""

    def __str__(self) -> str:
        return "void"


@dataclass(frozen=True)
class Scalar:
    """An arithmetic type: C's name, NumPy's type code, size in bytes and conversion rank."""

    name: str
    code: str
    size: int
    rank: int

    @property
    def is_float(self) -> bool:
        """Whether it is a floating-point type."""
        return self.rank >= LOWEST_FLOAT

    @property
    def is_narrow(self) -> bool:
        """Whether it is a floating-point type of 16 bits, which a header brings as a class."""
        return self.rank == LOWEST_FLOAT

    @property
    def is_bool(self) -> bool:
        """Whether it is bool."""
        return self.code == "?"

    @property
    def is_integer(self) -> bool:
        """Whether it is an integer type; bool is one."""
        return self.rank < LOWEST_FLOAT

    @property
    def is_signed(self) -> bool:
        """Whether it has negative values."""
        return self.is_float or self.code[0] == "i"

    def __str__(self) -> str:
        return self.name


@dataclass(frozen=True)
class FunctionPointer(Scalar):
    """A pointer to a function: the number of one of a program's functions, 0 for none."""

    result: CType
    parameters: tuple[CType, ...]


def function_pointer(result: CType, parameters: tuple[CType, ...]) -> FunctionPointer:
    """Return the type of pointers to functions.

    Examples
    --------
    >>> print(function_pointer(FLOAT, (INT, FLOAT)))
    float (*)(int, float)
    """
    name = f"{result} (*)({', '.join(map(str, parameters))})"
    return FunctionPointer(name, ULONG.code, ULONG.size, ULONG.rank, result, parameters)


@dataclass(frozen=True)
class Bits(Scalar):
    """The type of a bit field: `of` is that of its values, of which it has `width` bits.

    Memory is read and written by aligned units of that size: it is in the part `unit`, from bit
    `shift` on. One that fills an aligned number is written as that, as the part `alone`. In
    registers it begins at bit `bit` of the first of the `words` that have it.
    """

    of: Scalar
    width: int
    unit: str = ""
    shift: int = 0
    alone: str = ""
    words: tuple[str, ...] = ()
    bit: int = 0


def bits(of: Scalar, width: int) -> Bits:
    """Return the type of a bit field that lies nowhere yet.

    Examples
    --------
    >>> print(bits(UINT, 3))
    unsigned int
    """
    return Bits(of.name, of.code, of.size, of.rank, of, width)


@dataclass(frozen=True)
class Enumerated(Scalar):
    """The type of an enumeration, whose values are numbers of the type `of`.

    C computes with them as `promotes`; with those of a `scoped` one, an `enum class`, it does not.
    `fixed` says that the program names the type `of`; `tag` tells those of one name apart.
    """

    of: Scalar
    promotes: Scalar
    scoped: bool
    fixed: bool
    tag: str


def enumerated(
    name: str, of: Scalar, promotes: Scalar, scoped: bool, fixed: bool, tag: str
) -> Enumerated:
    """Return the type of an enumeration.

    Examples
    --------
    >>> print(enumerated("State", UINT, INT, scoped=False, fixed=False, tag="1"))
    State
    """
    return Enumerated(name, of.code, of.size, of.rank, of, promotes, scoped, fixed, tag)


def is_integer(ctype: CType | None) -> bool:
    """Whether `ctype` is an integer type, and no `enum class`."""
    return isinstance(ctype, Scalar) and ctype.is_integer and not is_scoped(ctype)


def is_scoped(ctype: CType | None) -> bool:
    """Whether `ctype` is an `enum class`, with whose values C does not compute."""
    return isinstance(ctype, Enumerated) and ctype.scoped


@dataclass(frozen=True)
class Pointer:
    """An address of `to`; `const` says that what it points to may not be written through it.

    `volatile` says that every access through it takes place, in its order.
    """

    to: CType
    const: bool = False
    volatile: bool = False

    size = 8

    def __str__(self) -> str:
        words = "const " * self.const + "volatile " * self.volatile
        if isinstance(self.to, Pointer):
            return f"{self.to}{words}*"
        return f"{words}{self.to} *"


@dataclass(frozen=True)
class Array:
    """`length` elements of `of`.

    `length` is None where the launch decides (dynamic shared memory).
    """

    of: CType
    length: int | None

    @property
    def size(self) -> int:
        """Bytes of the whole array."""
        return size_of(self.of) * (self.length or 0)

    def __str__(self) -> str:
        dims = ""
        inner: CType = self
        while isinstance(inner, Array):
            dims += f"[{'' if inner.length is None else inner.length}]"
            inner = inner.of
        return f"{inner}{dims}"


@dataclass(frozen=True, eq=False)
class Struct:
    """Members in the order of memory: names, types and byte offsets; `align` is the alignment.

    Two structures are the same only if they are the same object. One that is declared and not yet
    defined has no members. `tag` tells those of a program apart that have the same name; `made_of`
    are the template and arguments of an instance.

    The members of a `union` lie at its start. `words` are what registers keep bit fields in,
    `units` those by which memory is read and written for them. `shares_padding` says that a class
    which inherits from it uses the padding at its end, the bytes `tail`. `marks` says which members
    are "const", "mutable", or the address of what they refer to: "reference", "const reference".
    `empties` are the classes without members in it, with their places.
    """

    name: str
    members: tuple[tuple[str, CType, int], ...]
    size: int
    align: int
    tag: str = ""
    made_of: tuple[str, tuple[CType | Constant | int, ...]] | None = None
    union: bool = False
    words: tuple[tuple[str, CType, int], ...] = ()
    units: tuple[tuple[str, CType, int], ...] = ()
    tail: int = 0
    marks: Mapping[str, str] = field(default_factory=dict)
    empties: frozenset[tuple[Struct, int]] = frozenset()
    shares_padding: bool = False

    def define(
        self, members: tuple[tuple[str, CType, int], ...], size: int, align: int, **more: Any
    ) -> None:
        """Give a structure that was only declared its members, so that pointers to it know them."""
        for name, value in {"members": members, "size": size, "align": align, **more}.items():
            object.__setattr__(self, name, value)

    def member(self, name: str) -> tuple[CType, int] | None:
        """Type and offset of a member; None if there is none of that name."""
        return next(((t, at) for n, t, at in self.members if n == name), None)

    @property
    def storage(self) -> tuple[tuple[str, CType, int], ...]:
        """What its bytes are stored as, in the order of memory: each byte in one part at most."""
        if self.union:
            word = _WORDS[self.align]
            return ((UNION_WORDS, Array(word, self.size // self.align), 0),)
        if not self.words:
            return self.members
        plain = (one for one in self.members if not isinstance(one[1], Bits))
        return tuple(sorted((*plain, *self.words), key=lambda part: part[2]))

    @property
    def fields(self) -> tuple[tuple[str, CType, int], ...]:
        """All parts by which it is read and written: of a union its members, and its storage."""
        plain = (one for one in self.members if not isinstance(one[1], Bits))
        return (*self.storage, *(plain if self.union else ()), *self.units)

    @property
    def whole(self) -> bool:
        """Whether a GPU moves it by one instruction: CUDA's vector types of 2 and 4 elements."""
        return self.align == self.size <= 16 and not self.tail

    def __str__(self) -> str:
        return self.name


CType = Void | Scalar | Pointer | Array | Struct


@dataclass(frozen=True)
class Constant:
    """An argument of a template that is a `const` type."""

    of: CType


VOID = Void()
#: The rank from which on types are floating-point ones.
LOWEST_FLOAT = 6
BOOL = Scalar("bool", "?", 1, 0)
CHAR = Scalar("char", "i1", 1, 1)
SCHAR = Scalar("signed char", "i1", 1, 1)
UCHAR = Scalar("unsigned char", "u1", 1, 1)
SHORT = Scalar("short", "i2", 2, 2)
USHORT = Scalar("unsigned short", "u2", 2, 2)
INT = Scalar("int", "i4", 4, 3)
UINT = Scalar("unsigned int", "u4", 4, 3)
LONG = Scalar("long", "i8", 8, 4)
ULONG = Scalar("unsigned long", "u8", 8, 4)
LLONG = Scalar("long long", "i8", 8, 5)
ULLONG = Scalar("unsigned long long", "u8", 8, 5)
#: Half precision. It never meets another type in an operator: CUDA's header leaves that ambiguous.
HALF = Scalar("__half", "f2", 2, 6)
#: The upper half of a float, for which NumPy has no type: its bits are what arrays hold.
BFLOAT16 = Scalar("__nv_bfloat16", "u2", 2, 6)
FLOAT = Scalar("float", "f4", 4, 7)
DOUBLE = Scalar("double", "f8", 8, 8)

SCALARS = (
    BOOL,
    CHAR,
    SCHAR,
    UCHAR,
    SHORT,
    USHORT,
    INT,
    UINT,
    LONG,
    ULONG,
    LLONG,
    ULLONG,
    FLOAT,
    DOUBLE,
)

#: The size of a grid or block; what is not given is 1.
DIM3 = Struct("dim3", (("x", UINT, 0), ("y", UINT, 4), ("z", UINT, 8)), 12, 4)

#: Names that CUDA programs use for the types above without declaring them.
TYPE_ALIASES: dict[str, CType] = {
    "size_t": ULONG,
    "ptrdiff_t": LONG,
    "int8_t": SCHAR,
    "uint8_t": UCHAR,
    "int16_t": SHORT,
    "uint16_t": USHORT,
    "int32_t": INT,
    "uint32_t": UINT,
    "int64_t": LONG,
    "uint64_t": ULONG,
    "intmax_t": LONG,
    "uintmax_t": ULONG,
    "intptr_t": LONG,
    "uintptr_t": ULONG,
    "uint": UINT,
    "ushort": USHORT,
    "uchar": UCHAR,
    "ulong": ULONG,
    "clock_t": LONG,
    "cudaError_t": INT,
    "cudaTextureObject_t": ULLONG,
    "cudaSurfaceObject_t": ULLONG,
    "cudaSurfaceBoundaryMode": INT,
    "dim3": DIM3,
}


#: What types can be called that no program declares.
TYPE_NAMES = (*TYPE_ALIASES, *(ctype.name for ctype in SCALARS))


def _vectors() -> dict[str, Struct]:
    """CUDA's vector types: char1 to double2, with the alignments that CUDA gives them."""
    found = {}
    names = {"long long": "longlong", "unsigned long long": "ulonglong"}
    for element in SCALARS:
        if element in (BOOL, SCHAR):
            continue
        short = names.get(element.name, element.name.replace("unsigned ", "u"))
        for count in (1, 2, 3, 4):
            members = tuple((n, element, i * element.size) for i, n in enumerate("xyzw"[:count]))
            size = count * element.size
            align = size if count in (2, 4) and size <= 16 else element.size
            if size <= 16 or count == 3:
                found[f"{short}{count}"] = Struct(f"{short}{count}", members, size, align)
    return found


#: CUDA's vector types by name.
VECTORS = _vectors()
#: What a union is stored as: words of its alignment.
_WORDS: dict[int, CType] = {1: UCHAR, 2: USHORT, 4: UINT, 8: ULLONG, 16: VECTORS["uint4"]}
#: The name of the part that a union is stored as.
UNION_WORDS = "union words"


def _pair(name: str, of: Scalar) -> Struct:
    """Make a type of two numbers that is aligned as a whole."""
    return Struct(name, (("x", of, 0), ("y", of, of.size)), 2 * of.size, 2 * of.size)


def _complex(of: Scalar) -> Struct:
    """Make the type of complex numbers of a precision; programs cannot name its members."""
    members = (("real", of, 0), ("imag", of, of.size))
    return Struct(f"complex<{of}>", members, 2 * of.size, 2 * of.size, f"complex_{of}")


HALF2, BFLOAT162 = _pair("__half2", HALF), _pair("__nv_bfloat162", BFLOAT16)
#: Complex numbers, by the type of their parts.
COMPLEX = {of: _complex(of) for of in (FLOAT, DOUBLE)}
#: Pairs of numbers that are computed with as a whole.
PAIRS = (HALF2, BFLOAT162, *COMPLEX.values())


#: What the shared memory of a block and the dynamic part of it begin at a multiple of; at most,
#: where variables ask for it.
SHARED_UNIT, SHARED_ALIGNMENT = 16, 128


def size_of(ctype: CType) -> int:
    """Bytes that a value of `ctype` takes in memory."""
    if isinstance(ctype, Void):
        raise ValueError("void has no size")
    return ctype.size


def align_of(ctype: CType) -> int:
    """Return the number of bytes that the address of a `ctype` is a multiple of."""
    if isinstance(ctype, Array):
        return align_of(ctype.of)
    return ctype.align if isinstance(ctype, Struct) else size_of(ctype)


def _laid_out(name: str, members: dict[str, CType]) -> Struct:
    """Make a structure whose members lie one after another, each where its alignment allows it."""
    placed, end = [], 0
    for member, ctype in members.items():
        at = -(-end // align_of(ctype)) * align_of(ctype)
        placed.append((member, ctype, at))
        end = at + size_of(ctype)
    align = max(map(align_of, members.values()))
    return Struct(name, tuple(placed), -(-end // align) * align, align)


#: What the states of random number generators end with: second results of normal distributions.
_KEPT: dict[str, CType] = {
    "boxmuller_flag": INT,
    "boxmuller_flag_double": INT,
    "boxmuller_extra": FLOAT,
    "boxmuller_extra_double": DOUBLE,
}


def _generators() -> dict[str, Struct]:
    """Make the states of random number generators, by the names that programs call them."""
    xorwow = _laid_out("curandStateXORWOW", {"d": UINT, "v": Array(UINT, 5), **_KEPT})
    four, two = VECTORS["uint4"], VECTORS["uint2"]
    counter: dict[str, CType] = {"ctr": four, "output": four, "key": two, "STATE": UINT}
    philox = _laid_out("curandStatePhilox4_32_10", {**counter, **_KEPT})
    names = ["curandState", "curandState_t", "curandStateXORWOW", "curandStateXORWOW_t"]
    both = [philox.name, f"{philox.name}_t"]
    return {**dict.fromkeys(names, xorwow), **dict.fromkeys(both, philox)}


_FP16, _BF16, _CU_COMPLEX = "cuda_fp16.h", "cuda_bf16.h", "cuComplex.h"
CURAND_HEADER = "curand_kernel.h"
#: The types that headers bring by name: a program has them once it includes the header.
HEADER_TYPES: dict[str, tuple[CType, str]] = {
    **dict.fromkeys(["half", "__half", "nv_half"], (HALF, _FP16)),
    **dict.fromkeys(["half2", "__half2", "nv_half2"], (HALF2, _FP16)),
    **dict.fromkeys(["__nv_bfloat16", "nv_bfloat16"], (BFLOAT16, _BF16)),
    **dict.fromkeys(["__nv_bfloat162", "nv_bfloat162"], (BFLOAT162, _BF16)),
    **dict.fromkeys(["cuComplex", "cuFloatComplex"], (VECTORS["float2"], _CU_COMPLEX)),
    "cuDoubleComplex": (VECTORS["double2"], _CU_COMPLEX),
    **{name: (ctype, CURAND_HEADER) for name, ctype in _generators().items()},
}


def is_complex(ctype: CType | None) -> bool:
    """Whether `ctype` is the type of complex numbers of one of the precisions."""
    return ctype in COMPLEX.values()


def promoted(ctype: Scalar) -> Scalar:
    """Promote an integer: everything narrower than int becomes int.

    Examples
    --------
    >>> print(promoted(UCHAR), promoted(UINT))
    int unsigned int
    """
    if isinstance(ctype, Enumerated):
        return ctype.promotes
    return INT if ctype.rank < INT.rank else ctype


def common(left: Scalar, right: Scalar) -> Scalar:
    """Return the type in which `left op right` is computed: the usual arithmetic conversions.

    Examples
    --------
    >>> print(common(INT, UINT), common(UINT, LONG), common(LLONG, ULONG), common(CHAR, FLOAT))
    unsigned int long unsigned long long float
    """
    if left.is_float or right.is_float:
        return max((t for t in (left, right) if t.is_float), key=lambda t: t.rank)
    a, b = promoted(left), promoted(right)
    if a.is_signed == b.is_signed:
        return a if a.rank >= b.rank else b
    signed, unsigned = (a, b) if a.is_signed else (b, a)
    if unsigned.rank >= signed.rank:
        return unsigned
    if signed.size > unsigned.size:
        return signed
    return ULONG if signed.rank == LONG.rank else ULLONG
