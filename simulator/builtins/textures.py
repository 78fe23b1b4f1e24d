"""Textures and surfaces: fetches by coordinates, reads and writes by byte and row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from simulator.builtins.lowerings import Lowering, SurfaceRead, SurfaceWrite, TextureFetch
from simulator.builtins.row import Arguments, Row
from simulator.ir import tree
from simulator.ir.textures import Shape
from simulator.ir.types import (
    CHAR,
    FLOAT,
    INT,
    LLONG,
    SCHAR,
    SHORT,
    UCHAR,
    UINT,
    ULLONG,
    USHORT,
    VECTORS,
    VOID,
    CType,
    Pointer,
)
from simulator.source import CompileError, Span

_NUMBERS = (CHAR, SCHAR, UCHAR, SHORT, USHORT, INT, UINT, FLOAT)
_WIDE = (LLONG, ULLONG)


def _vectors(elements: tuple[CType, ...], counts: tuple[int, ...]) -> Iterator[CType]:
    for vector in VECTORS.values():
        if vector.members[0][1] in elements and len(vector.members) in counts:
            yield vector


#: The types of texels, and those that functions of surfaces take besides.
TEXELS = (*_NUMBERS, *_vectors(_NUMBERS, (1, 2, 4)))
SURFACES = (*TEXELS, *_WIDE, *_vectors(_WIDE, (1, 2)))
#: The last parameter of functions of surfaces; 2 is cudaBoundaryModeTrap.
_MODE = "cudaSurfaceBoundaryMode mode = 2"
_OFFERED = "there are char, short, int and float, signed and unsigned, and vectors of 1, 2 and 4"


@dataclass(frozen=True)
class Template(Row):
    """A function whose type T of texels stands in its `<…>`, or is what a first argument points to.

    `on` are the types that T can be.
    """

    on: tuple[CType, ...] = field(kw_only=True)

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the call of the form with a pointer first, to where the value is stored."""
        if arguments and isinstance(arguments[0].type, Pointer):
            return self._stored(arguments, arguments[0].type.to, span)
        what = f"`{self.name}` needs the type of the texels in its `<…>`"
        hint = f"write `{self.name}<float>(…)`"
        raise CompileError(what, span.starting(self.name), f"{hint}\nit is `{self.signature}`")

    def instance(self, ctype: CType, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call of `name<ctype>(arguments…)`."""
        if arguments and isinstance(arguments[0].type, Pointer):
            return self._stored(arguments, ctype, span)
        self._check(ctype, span)
        return self._of(ctype, arguments, ctype, span)

    def _of(self, ctype: CType, arguments: Arguments, result: CType, span: Span) -> tree.Expression:
        """Return the checked call, `ctype` being T."""
        self._count(arguments, span)
        wanted = (parameter.type or ctype for parameter in self.types.parameters)
        given = [self._converted(a, t) for a, t in zip(arguments, wanted, strict=False)]
        return self._called((*given, *self._defaults(len(given), span)), result, span)

    def _stored(self, arguments: Arguments, ctype: CType, span: Span) -> tree.Expression:
        """Return the assignment of the value to what the first argument points to."""
        pointer = self._converted(arguments[0], Pointer(ctype))
        value = self.instance(ctype, arguments[1:], span)
        target = tree.Deref(pointer, span=span, type=ctype)
        stored = tree.Assign(target, value, span=span, type=ctype)
        return tree.Cast(stored, True, span=span, type=VOID)

    def _error(self, what: str, span: Span, hint: str = "") -> CompileError:
        """Return an error that shows the signature without the mode, which may be left out."""
        shown = self.signature.partition(f", {_MODE}")
        hints = filter(None, [hint, f"it is `{shown[0]}{', …)' if shown[1] else ''}`"])
        return CompileError(f"`{self.name}` {what}", span, "\n".join(hints))

    def _check(self, ctype: CType, span: Span) -> None:
        if ctype not in self.on:
            raise self._error(f"does not exist for `{ctype}`", span, _OFFERED)


class Write(Template):
    """A function that writes a value of type T, which is the first argument's."""

    def call(self, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call."""
        self._count(arguments, span)
        return self.instance(arguments[0].type, arguments, span)

    def instance(self, ctype: CType, arguments: Arguments, span: Span) -> tree.Expression:
        """Return the checked call of `name<ctype>(arguments…)`."""
        self._check(ctype, span)
        return self._of(ctype, arguments, VOID, span)


_AXES = ("float x", "float y", "float z")
_FORMS = {
    "1D": (Shape(1), _AXES[:1], "float"),
    "2D": (Shape(2), _AXES[:2], "float2"),
    "3D": (Shape(3), _AXES, "float4"),
    "1DLayered": (Shape(1, layered=True), (*_AXES[:1], "int layer"), "float"),
    "2DLayered": (Shape(2, layered=True), (*_AXES[:2], "int layer"), "float2"),
    "Cubemap": (Shape(2, cubemap=True), _AXES, "float4"),
    "CubemapLayered": (Shape(2, True, True), (*_AXES, "int layer"), "float4"),
}
_SURFACES = {
    "1D": (Shape(1), ("int x",)),
    "2D": (Shape(2), ("int x", "int y")),
    "3D": (Shape(3), ("int x", "int y", "int z")),
    "1DLayered": (Shape(1, layered=True), ("int x", "int layer")),
    "2DLayered": (Shape(2, layered=True), ("int x", "int y", "int layer")),
    "Cubemap": (Shape(2, cubemap=True), ("int x", "int y", "int face")),
    "CubemapLayered": (Shape(2, True, True), ("int x", "int y", "int layerFace")),
}


def _fetch(name: str, how: Lowering, *parameters: str) -> Template:
    inside = ", ".join(("cudaTextureObject_t texture", *parameters))
    return Template(f"T {name}({inside})", how, on=TEXELS)


def _fetches() -> Iterator[Row]:
    yield _fetch("tex1Dfetch", TextureFetch(Shape(1, linear=True)), "int x")
    for suffix, (shape, axes, slope) in _FORMS.items():
        name, how = f"tex{suffix}", TextureFetch(shape)
        yield _fetch(name, how, *axes)
        yield _fetch(f"{name}Lod", how, *axes, "float level")
        yield _fetch(f"{name}Grad", how, *axes, f"{slope} dPdx", f"{slope} dPdy")
    gathered = ", ".join(("cudaTextureObject_t texture", *_AXES[:2], "int comp = 0"))
    how = TextureFetch(Shape(2), gathers=True)
    yield Template(f"T tex2Dgather({gathered})", how, on=TEXELS)


def _surfaces() -> Iterator[Row]:
    for suffix, (shape, axes) in _SURFACES.items():
        inside = ", ".join(("cudaSurfaceObject_t surface", *axes, _MODE))
        yield Template(f"T surf{suffix}read({inside})", SurfaceRead(shape), on=SURFACES)
        head = f"void surf{suffix}write(T value, {inside})"
        yield Write(head, SurfaceWrite(shape), on=SURFACES)


ROWS = (*_fetches(), *_surfaces())
#: The names of those that take the type in `<…>`.
TEMPLATES = frozenset(row.name for row in ROWS)
