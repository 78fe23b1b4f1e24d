"""Fragments of `mma.h`: matrices, parts of which the lanes of a warp hold together."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.ir.types import VOID, Constant, CType, Struct

MATRIX_HEADER = "mma.h"
#: The namespace of all that the header brings, and its template of fragments.
WMMA = "nvcuda::wmma"
FRAGMENT = f"{WMMA}::fragment"
#: The uses of a fragment, and the orders in which matrices lie in memory.
A, B, ACCUMULATOR = "matrix_a", "matrix_b", "accumulator"
ROW_MAJOR, COLUMN_MAJOR = LAYOUTS = "row_major", "col_major"
#: Lanes that hold a matrix together, and bytes of which its address is a multiple at most.
WARP, ALIGNMENT = 32, 32

Shape = tuple[int, int, int]
_USUAL: tuple[Shape, ...] = (16, 16, 16), (32, 8, 16), (8, 32, 16)
#: What is multiplied: m, n and k of its products, and the types of their sums.
FACTORS: dict[str, tuple[tuple[Shape, ...], tuple[str, ...]]] = {
    "__half": (_USUAL, ("__half", "float")),
    "__nv_bfloat16": (_USUAL, ("float",)),
    "signed char": (_USUAL, ("int",)),
    "unsigned char": (_USUAL, ("int",)),
    "tf32": (((16, 16, 8),), ("float",)),
    "double": (((8, 8, 4),), ("double",)),
}


@dataclass(frozen=True)
class Fragment:
    """The type of a fragment: its use, m, n and k, the type of its numbers, and their order.

    Of accumulators `layout` is empty: they lie in memory as each call says.

    Examples
    --------
    >>> b = Fragment(B, (8, 8, 4), "double", ROW_MAJOR)
    >>> print(b, b.rows, b.columns, b.exists)
    fragment<matrix_b, 8, 8, 4, double, row_major> 4 8 True
    """

    use: str
    shape: Shape
    number: str
    layout: str = ""

    @property
    def rows(self) -> int:
        """Rows of its matrix."""
        m, _, k = self.shape
        return k if self.use == B else m

    @property
    def columns(self) -> int:
        """Columns of its matrix."""
        _, n, k = self.shape
        return k if self.use == A else n

    @property
    def exists(self) -> bool:
        """Whether CUDA has it."""
        if self.use != ACCUMULATOR:
            known = self.number in FACTORS and self.shape in FACTORS[self.number][0]
            return known and self.layout in LAYOUTS
        sums = (shapes for shapes, sums in FACTORS.values() if self.number in sums)
        return not self.layout and any(self.shape in shapes for shapes in sums)

    @property
    def product(self) -> str:
        """Of what it is a part: the size and the type of its numbers."""
        return f"{'x'.join(map(str, self.shape))} of {written(self.number)}"

    def __str__(self) -> str:
        m, n, k = self.shape
        layout = f", {self.layout}" if self.layout else ""
        return f"fragment<{self.use}, {m}, {n}, {k}, {written(self.number)}{layout}>"


def written(number: str) -> str:
    """Return how programs write the type of a number."""
    return {"__half": "half", "tf32": "precision::tf32"}.get(number, number)


def fragment_of(ctype: CType) -> Fragment | None:
    """Return which fragment a type is; None for all others."""
    if not isinstance(ctype, Struct) or ctype.made_of is None or ctype.made_of[0] != FRAGMENT:
        return None
    use, m, n, k, number, layout = ctype.made_of[1]
    assert isinstance(m, int)
    assert isinstance(n, int)
    assert isinstance(k, int)
    return Fragment(_plain(use), (m, n, k), _plain(number), _plain(layout))


def _plain(argument: CType | Constant | int) -> str:
    """Return the name of a type without its namespace, of void nothing."""
    return "" if argument == VOID else str(argument).rpartition("::")[2]
